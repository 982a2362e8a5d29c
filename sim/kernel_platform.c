#define _GNU_SOURCE /* memfd_create */

#include "kernel_platform.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

double sim_kernel_platform_latency_s(const struct sim_kernel_options *options)
{
    double latency_s = (double)options->one_way_ns / 1e9;

    return options->bandwidth_bytes_per_s == 0 ? latency_s - SIM_KERNEL_WIRE_BYTES_S : latency_s;
}

void sim_kernel_platform_host_name(const struct sim_kernel_options *options, uint32_t node,
                                   char name[SIM_KERNEL_HOST_NAME_SIZE])
{
    if (node < options->process_count) {
        snprintf(name, SIM_KERNEL_HOST_NAME_SIZE, "process-%" PRIu32, node);
    } else {
        snprintf(name, SIM_KERNEL_HOST_NAME_SIZE, "shard-%" PRIu32, node - options->process_count);
    }
}

void sim_kernel_platform_link_name(enum sim_kernel_direction direction, uint32_t shard,
                                   char name[SIM_KERNEL_HOST_NAME_SIZE])
{
    snprintf(name, SIM_KERNEL_HOST_NAME_SIZE, "%s-%" PRIu32,
             direction == SIM_KERNEL_TO_SHARD ? "to-shard" : "from-shard", shard);
}

static void write_wire(FILE *stream, const struct sim_kernel_options *options, uint32_t process)
{
    fprintf(stream,
            "<link id=\"wire-%" PRIu32 "\" bandwidth=\"%.17gBps\" latency=\"%.17gs\""
            " sharing_policy=\"FATPIPE\"/>\n",
            process, SIM_KERNEL_WIRE_BYTES_PER_S, sim_kernel_platform_latency_s(options));
}

static void write_shard_link(FILE *stream, const struct sim_kernel_options *options,
                             enum sim_kernel_direction direction, uint32_t shard)
{
    char name[SIM_KERNEL_HOST_NAME_SIZE];

    sim_kernel_platform_link_name(direction, shard, name);
    fprintf(stream,
            "<link id=\"%s\" bandwidth=\"%" PRIu64 "Bps\" latency=\"%.17gs\""
            " sharing_policy=\"SHARED\"/>\n",
            name, options->bandwidth_bytes_per_s, sim_kernel_platform_latency_s(options));
}

static void write_links(FILE *stream, const struct sim_kernel_options *options)
{
    if (options->bandwidth_bytes_per_s == 0) {
        for (uint32_t process = 0; process < options->process_count; process++) {
            write_wire(stream, options, process);
        }
        return;
    }
    for (uint32_t shard = 0; shard < options->shard_count; shard++) {
        write_shard_link(stream, options, SIM_KERNEL_TO_SHARD, shard);
        write_shard_link(stream, options, SIM_KERNEL_FROM_SHARD, shard);
    }
}

static void write_route(FILE *stream, const struct sim_kernel_options *options, uint32_t process,
                        uint32_t shard)
{
    if (options->bandwidth_bytes_per_s == 0) {
        fprintf(stream,
                "<route src=\"process-%" PRIu32 "\" dst=\"shard-%" PRIu32 "\">"
                "<link_ctn id=\"wire-%" PRIu32 "\"/></route>\n",
                process, shard, process);
        return;
    }
    fprintf(stream,
            "<route src=\"process-%" PRIu32 "\" dst=\"shard-%" PRIu32 "\" symmetrical=\"NO\">"
            "<link_ctn id=\"to-shard-%" PRIu32 "\"/></route>\n",
            process, shard, shard);
    fprintf(stream,
            "<route src=\"shard-%" PRIu32 "\" dst=\"process-%" PRIu32 "\" symmetrical=\"NO\">"
            "<link_ctn id=\"from-shard-%" PRIu32 "\"/></route>\n",
            shard, process, shard);
}

static void write_platform(FILE *stream, const struct sim_kernel_options *options)
{
    fputs("<?xml version='1.0'?>\n"
          "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
          "<platform version=\"4.1\">\n<zone id=\"weir\" routing=\"Full\">\n",
          stream);
    for (uint32_t node = 0; node < options->process_count + options->shard_count; node++) {
        char name[SIM_KERNEL_HOST_NAME_SIZE];

        sim_kernel_platform_host_name(options, node, name);
        fprintf(stream, "<host id=\"%s\" speed=\"1Gf\"/>\n", name);
    }
    write_links(stream, options);
    for (uint32_t process = 0; process < options->process_count; process++) {
        for (uint32_t shard = 0; shard < options->shard_count; shard++) {
            write_route(stream, options, process, shard);
        }
    }
    fputs("</zone>\n</platform>\n", stream);
}

int sim_kernel_platform_open(const struct sim_kernel_options *options)
{
    int descriptor = memfd_create("weir-platform", MFD_CLOEXEC);
    int stream_descriptor = descriptor < 0 ? -1 : dup(descriptor);
    FILE *stream = stream_descriptor < 0 ? NULL : fdopen(stream_descriptor, "w");
    bool is_written = false;

    if (stream != NULL) {
        write_platform(stream, options);
        is_written = !ferror(stream);
        is_written = fclose(stream) == 0 && is_written;
    } else if (stream_descriptor >= 0) {
        close(stream_descriptor);
    }
    if (!is_written && descriptor >= 0) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}
