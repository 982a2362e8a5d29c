/* FNV-1a in 64 bits (Fowler, Noll, Vo): small, the same everywhere, and no defence against anybody:
 * it has to tell names and files apart, not to resist. */
#ifndef SIM_DIGEST_H
#define SIM_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define SIM_DIGEST_START UINT64_C(0xcbf29ce484222325)

/* The digest of what `digest` is of, followed by these bytes. */
uint64_t sim_digest_add(uint64_t digest, const void *bytes, size_t size);

#endif
