#include "draft.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

bool sim_draft_open(struct sim_draft *draft, const char *path)
{
    if (strlen(path) >= sizeof draft->path) {
        errno = ENAMETOOLONG;
        return false;
    }
    strcpy(draft->path, path);
    snprintf(draft->name_now, sizeof draft->name_now, "%s.%ld", path, (long)getpid());
    draft->file = fopen(draft->name_now, "wb");
    return draft->file != NULL;
}

bool sim_draft_done(struct sim_draft *draft, bool is_good)
{
    int reason = errno;

    errno = 0;
    bool is_whole = fflush(draft->file) == 0 && ferror(draft->file) == 0;
    is_whole = fclose(draft->file) == 0 && is_whole;
    if (is_good && is_whole && rename(draft->name_now, draft->path) == 0) {
        return true;
    }
    reason = is_good ? errno : reason;
    (void)unlink(draft->name_now);
    errno = reason == 0 ? EIO : reason; /* an earlier write's is gone */
    return false;
}
