#include "weir/status.h"

const char *weir_status_text(enum weir_status status)
{
    switch (status) {
    case WEIR_OK:
        return "success";
    case WEIR_ERR_ARGUMENT:
        return "a value is outside its documented range";
    case WEIR_ERR_MEMORY_SIZE:
        return "the memory handed over is too small or misaligned";
    case WEIR_ERR_PLAN_INDEX:
        return "no such plan slot";
    case WEIR_ERR_PLAN_INEXACT:
        return "capacity x period + rate must stay below 2^53";
    case WEIR_ERR_STALE_VERSION:
        return "the version is not newer than the one in force";
    case WEIR_ERR_UNKNOWN_PLAN:
        return "the request names a plan that was never set";
    case WEIR_ERR_COST:
        return "weight x cost is above 2^30 units";
    case WEIR_ERR_OUTBOX_FULL:
        return "asks and reports must be drained first";
    case WEIR_ERR_TABLE_BUSY:
        return "the key table is full and its cold keys wait for the store";
    case WEIR_ERR_UNEXPECTED:
        return "no ask in flight matches this answer";
    }
    return "unknown status";
}
