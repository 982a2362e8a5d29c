#include "why.h"

#include <inttypes.h>
#include <string.h>

#include "readable.h"

#define NS_PER_S UINT64_C(1000000000)
#define NS_PER_US UINT64_C(1000)
#define FAULTS_SHOWN 8
#define HOLDERS_SHOWN 5

const char *const sim_why_modes[] = {"normal", "probing", "degraded"};

size_t sim_why_faults(const struct sim_world *world, uint64_t time_ns, size_t *faults, size_t count)
{
    const struct sim_recorder *recorder = world->recorder;
    const uint32_t shard = world->catalog.keys[recorder->key].shard;
    const struct fault_list *list = &world->scenario->faults;
    size_t found = 0;

    for (size_t i = 0; i < list->count && found < count; i++) {
        const struct fault *fault = &list->faults[i];
        const bool of_process = fault->processes.count == 0 ||
                                fault_set_holds(&fault->processes, recorder->arrival.process);
        const bool of_shard = fault->shards.count == 0 || fault_set_holds(&fault->shards, shard);
        if (of_process && of_shard && fault_is_active(fault, time_ns)) {
            faults[found++] = i;
        }
    }
    return found;
}

const char *sim_why_reason(const struct weir_decision *decision)
{
    switch (decision->reason) {
    case WEIR_REASON_UNLIMITED:
        return "its plan has no limit";
    case WEIR_REASON_OVER_LIMIT:
        return "too little was left in the store";
    case WEIR_REASON_COST_ABOVE_CAPACITY:
        return "it costs more than its plan can ever admit";
    case WEIR_REASON_PARKED:
        return "too little was left in the store, but permits are out in processes";
    case WEIR_REASON_WAITING:
        return "it waits for the store";
    case WEIR_REASON_DEGRADED_CAP:
        return "it is more than this process may admit without the store";
    case WEIR_REASON_ADMITTED:
        break;
    }
    if (decision->verdict == WEIR_VERDICT_ADMITTED) {
        return decision->mode == WEIR_MODE_DEGRADED
                   ? "within what this process may admit without the store"
                   : "the store had granted its permits";
    }
    return decision->retry_after_ns == WEIR_RETRY_NEVER ? "its plan was deleted"
                                                        : "the limiter had no place for it";
}

const char *sim_why_fate(const struct sim_world *world, const struct sim_recorded_ask *ask)
{
    if (ask->answered_ns != SIM_RECORDER_NEVER) {
        return ask->exchange.end == SIM_EXCHANGE_ANSWERED ? "answered" : "refused";
    }
    if (ask->done_ns != SIM_RECORDER_NEVER) {
        return "answer lost";
    }
    return world->drained || ask->resent_ns < world->scenario->duration_ns ? "ask lost"
                                                                           : "under way";
}

size_t sim_why_holders(const struct sim_recorder *recorder, uint32_t *processes, size_t count)
{
    size_t holders = 0;
    size_t kept = 0;

    for (uint32_t i = 0; i < recorder->process_count; i++) {
        const uint64_t units = recorder->processes[i].held_units;
        size_t place = kept;
        if (units == 0) {
            continue;
        }
        holders++;
        while (place > 0 && recorder->processes[processes[place - 1]].held_units < units) {
            place--;
        }
        if (place == count) {
            continue;
        }
        kept = kept < count ? kept + 1 : count;
        memmove(&processes[place + 1], &processes[place], (kept - 1 - place) * sizeof *processes);
        processes[place] = i;
    }
    return holders;
}

static void print_time(FILE *file, uint64_t time_ns)
{
    fprintf(file, "%" PRIu64 ".%06" PRIu64, time_ns / NS_PER_S, time_ns % NS_PER_S / NS_PER_US);
}

/* Store time as true time; what lies before the run is 0. */
static uint64_t true_ns(uint64_t store_us)
{
    return store_us > SIM_STORE_EPOCH_US ? (store_us - SIM_STORE_EPOCH_US) * NS_PER_US : 0;
}

static void print_decision(FILE *file, const struct sim_world *world)
{
    const struct sim_recorder *recorder = world->recorder;
    const struct weir_decision *decision = &recorder->decision;
    char name[SIM_NAME_SIZE + 16];

    sim_catalog_name(&world->catalog, recorder->key, name, sizeof name);
    fprintf(file, "%s at ", name);
    print_time(file, recorder->arrival.time_ns);
    if (!recorder->decided) {
        fprintf(file, " s: NEVER DECIDED\n");
    } else {
        fprintf(file, " s: %s, %s\n",
                decision->verdict == WEIR_VERDICT_ADMITTED ? "ADMITTED" : "DENIED",
                sim_why_reason(decision));
    }
    fprintf(file, "\nrequest   first of this key at or after ");
    print_time(file, recorder->from_ns);
    fprintf(file, " s: process %" PRIu32 ", cost %s\n", recorder->arrival.process,
            sim_readable_units(recorder->arrival.cost_units).text);
    if (!recorder->decided) {
        return;
    }
    const uint64_t waited_ns = recorder->decided_ns - recorder->arrival.time_ns;
    fprintf(file, "decision  in %s mode, ", sim_why_modes[decision->mode]);
    if (waited_ns == 0) {
        fprintf(file, "at once");
    } else {
        fprintf(file, "after %s", sim_readable_time(waited_ns).text);
    }
    if (decision->verdict == WEIR_VERDICT_DENIED) {
        if (decision->retry_after_ns == WEIR_RETRY_NEVER) {
            fprintf(file, "; retrying is no use");
        } else {
            fprintf(file, "; retry after %s", sim_readable_time(decision->retry_after_ns).text);
        }
    }
    const bool agrees = recorder->ideal_admits == (decision->verdict == WEIR_VERDICT_ADMITTED);
    fprintf(file, "\nideal     %s: an exact limiter ", agrees ? "the same" : "the OPPOSITE");
    if (recorder->ideal_left_units == UINT64_MAX) {
        fprintf(file, "has no limit here\n");
    } else {
        fprintf(file, "%s it, with %s left\n", recorder->ideal_admits ? "admits" : "denies",
                sim_readable_units(recorder->ideal_left_units).text);
    }
}

/* "1.2 ms ahead of X", "exactly X" */
static void print_offset(FILE *file, uint64_t reads_ns, uint64_t true_reading_ns)
{
    if (reads_ns == true_reading_ns) {
        fprintf(file, "exactly right");
    } else if (reads_ns > true_reading_ns) {
        fprintf(file, "%s ahead", sim_readable_time(reads_ns - true_reading_ns).text);
    } else {
        fprintf(file, "%s behind", sim_readable_time(true_reading_ns - reads_ns).text);
    }
}

static void print_clock(FILE *file, const struct sim_recorder *recorder)
{
    const struct weir_snapshot *snapshot = &recorder->snapshot;
    const uint64_t now_ns = recorder->arrival.time_ns;

    fprintf(file, "clock     its own is ");
    print_offset(file, recorder->local_ns, SIM_LOCAL_START_NS + now_ns);
    if (snapshot->store_ns == 0) {
        fprintf(file, "; it does not know the store's\n");
        return;
    }
    fprintf(file, "; what it takes for the store's is ");
    print_offset(file, snapshot->store_ns, SIM_STORE_EPOCH_US * NS_PER_US + now_ns);
    fprintf(file, ", it says within %s\n", sim_readable_time(snapshot->clock_error_ns).text);
}

/* The last grant that had come by then. */
static const struct sim_recorded_ask *grant_of(const struct sim_recorder *recorder)
{
    const struct sim_recorded_ask *grant = NULL;

    for (size_t i = 0; i < sim_recorder_ask_count(recorder); i++) {
        const struct sim_recorded_ask *ask = sim_recorder_ask(recorder, i);
        const struct weir_answer *answer = &ask->exchange.answer;
        if (ask->answered_ns <= recorder->arrival.time_ns &&
            answer->granted_units + answer->trickle_count > 0) {
            grant = ask;
        }
    }
    return grant;
}

static void print_held(FILE *file, const struct sim_recorder *recorder)
{
    const struct weir_snapshot *snapshot = &recorder->snapshot;
    const struct sim_recorded_ask *grant = grant_of(recorder);

    fprintf(file, "held      %s to spend", sim_readable_units(snapshot->spendable_units).text);
    if (snapshot->held_units > snapshot->spendable_units) {
        fprintf(file, ", %s more promised",
                sim_readable_count(snapshot->held_units - snapshot->spendable_units).text);
    }
    if (snapshot->lease_end_us != 0) {
        fprintf(file, ", good until ");
        print_time(file, true_ns(snapshot->lease_end_us));
        fprintf(file, " s");
    }
    if (grant != NULL && snapshot->held_units > 0) {
        fprintf(file, "; granted to the ask of ");
        print_time(file, grant->sent_ns);
        fprintf(file, " s");
    }
    fprintf(file, "\n");
    if (snapshot->denied_until_us == UINT64_MAX) {
        fprintf(file, "          the store denied %s or more for good\n",
                sim_readable_units(snapshot->denied_units).text);
    } else if (snapshot->denied_until_us != 0) {
        fprintf(file, "          the store denied %s or more until ",
                sim_readable_units(snapshot->denied_units).text);
        print_time(file, true_ns(snapshot->denied_until_us));
        fprintf(file, " s\n");
    }
}

/* What it may do without the store, if that matters. */
static void print_alone(FILE *file, const struct sim_recorder *recorder)
{
    const struct weir_snapshot *snapshot = &recorder->snapshot;

    if (!snapshot->is_alone && recorder->decision.mode != WEIR_MODE_DEGRADED) {
        return;
    }
    fprintf(file, "alone     its share of the limit is %.2f %%; %s admitted so in this window\n",
            (double)snapshot->share_ppm / 1e4, sim_readable_units(snapshot->alone_units).text);
    if (snapshot->share_ppm == 0) {
        fprintf(file,
                "          none: it had asked for nothing when the store last answered, or the "
                "store never did\n");
    }
}

static void print_known(FILE *file, const struct sim_recorder *recorder)
{
    const struct weir_snapshot *snapshot = &recorder->snapshot;
    const uint64_t heard_ns = true_ns(snapshot->answered_us);
    const uint64_t now_ns = recorder->arrival.time_ns;

    if (!recorder->is_known || snapshot->answered_us == 0) {
        fprintf(file, "known     nothing: the store never answered it about this key\n");
        return;
    }
    fprintf(file, "known     of %s ago: %s left, %s out; %s/s asked for in all\n",
            sim_readable_time(now_ns > heard_ns ? now_ns - heard_ns : 0).text,
            sim_readable_count(snapshot->remaining_units).text,
            sim_readable_count(snapshot->outstanding_units).text,
            sim_readable_count((snapshot->global_rate_milli + 500) / 1000).text);
}

static void print_store(FILE *file, const struct sim_recorder *recorder)
{
    uint32_t processes[HOLDERS_SHOWN + 1];
    const size_t holders = sim_why_holders(recorder, processes, HOLDERS_SHOWN);
    const size_t shown = holders < HOLDERS_SHOWN ? holders : HOLDERS_SHOWN;
    uint64_t held_units = 0;

    if (recorder->limit_units == UINT64_MAX) {
        fprintf(file, "store     no limit is in force\n");
    } else {
        fprintf(file, "store     %s left of a limit of %s; it counts %s out\n",
                sim_readable_units(recorder->level.left_units).text,
                sim_readable_count(recorder->limit_units).text,
                sim_readable_count(recorder->level.out_units).text);
    }
    for (uint32_t i = 0; i < recorder->process_count; i++) {
        held_units += recorder->processes[i].held_units;
    }
    fprintf(file, "holders   %s in %zu of %" PRIu32 " processes",
            sim_readable_units(held_units).text, holders, recorder->process_count);
    for (size_t i = 0; i < shown; i++) {
        fprintf(file, "%s%" PRIu32 " holds %s", i == 0 ? ": " : ", ", processes[i],
                sim_readable_count(recorder->processes[processes[i]].held_units).text);
    }
    fprintf(file, "%s\n", holders > shown ? " ..." : "");
}

static void print_faults(FILE *file, const struct sim_world *world, const char *label,
                         uint64_t time_ns)
{
    size_t faults[FAULTS_SHOWN];
    const size_t count = sim_why_faults(world, time_ns, faults, FAULTS_SHOWN);

    for (size_t i = 0; i < count; i++) {
        const struct fault *fault = &world->scenario->faults.faults[faults[i]];
        fprintf(file, "%s%s", i == 0 ? label : ", ", fault->id);
        if (strcmp(fault->id, fault_kind_names[fault->kind]) != 0) {
            fprintf(file, " (%s)", fault_kind_names[fault->kind]);
        }
    }
}

static void print_command(FILE *file, const struct sim_exchange *exchange)
{
    switch (exchange->kind) {
    case SIM_EXCHANGE_ADD:
    case SIM_EXCHANGE_INCREMENT:
        fprintf(file, "  added %s", sim_readable_units(exchange->add_units).text);
        break;
    case SIM_EXCHANGE_GET:
        fprintf(file, "  read the counter");
        break;
    case SIM_EXCHANGE_SET:
        fprintf(file, "  set the counter to %s", sim_readable_count(exchange->add_units).text);
        break;
    case SIM_EXCHANGE_EXPIRE:
        fprintf(file, "  set the counter's time to live");
        break;
    case SIM_EXCHANGE_LOCK:
        fprintf(file, "  asked for the lock");
        break;
    case SIM_EXCHANGE_UNLOCK:
        fprintf(file, "  gave up the lock");
        break;
    case SIM_EXCHANGE_SYNC:
        fprintf(file, "  pushed %s", sim_readable_units(exchange->sync.units).text);
        break;
    case SIM_EXCHANGE_SHARE:
        fprintf(file, "  told what it saw");
        break;
    case SIM_EXCHANGE_ASK:
        break;
    }
}

static void print_sent(FILE *file, const struct sim_world *world,
                       const struct sim_recorded_ask *ask)
{
    const struct weir_ask *what = &ask->exchange.ask;

    fprintf(file, "  ");
    print_time(file, ask->sent_ns);
    if (ask->exchange.kind != SIM_EXCHANGE_ASK) {
        print_command(file, &ask->exchange);
    } else if (what->flags & WEIR_ASK_PROBE) {
        fprintf(file, "  probed");
    } else if (what->flags & WEIR_ASK_RETURN) {
        fprintf(file, "  gave back %s", sim_readable_units(what->returned_units).text);
    } else {
        fprintf(file, "  asked for %s, needed %s", sim_readable_units(what->want_units).text,
                sim_readable_count(what->need_units).text);
        if (what->returned_units > 0) {
            fprintf(file, ", gave back %s", sim_readable_count(what->returned_units).text);
        }
    }
    if (what->spent_units > 0) {
        fprintf(file, ", had spent %s", sim_readable_count(what->spent_units).text);
    }
    if (what->charge_units > 0) {
        fprintf(file, ", charged %s admitted without the store",
                sim_readable_count(what->charge_units).text);
    }
    if (ask->sent_count > 1) {
        fprintf(file, "; sent %" PRIu32 " times, last at ", ask->sent_count);
        print_time(file, ask->resent_ns);
    }
    print_faults(file, world, "; in force: ", ask->sent_ns);
    fprintf(file, "\n");
}

static void print_served(FILE *file, const struct sim_world *world,
                         const struct sim_recorded_ask *ask)
{
    if (ask->done_ns == SIM_RECORDER_NEVER) {
        return;
    }
    fprintf(file, "  ");
    print_time(file, ask->done_ns);
    fprintf(file, "  the store: %s left, %s out; then %s left, %s out",
            sim_readable_count(ask->before.left_units).text,
            sim_readable_count(ask->before.out_units).text,
            sim_readable_count(ask->after.left_units).text,
            sim_readable_count(ask->after.out_units).text);
    if (ask->arrived_count > 1) {
        fprintf(file, "; it came %" PRIu32 " times", ask->arrived_count);
    }
    print_faults(file, world, "; in force: ", ask->arrived_ns);
    fprintf(file, "\n");
}

static void print_answered(FILE *file, const struct sim_world *world,
                           const struct sim_recorded_ask *ask)
{
    const struct weir_answer *answer = &ask->exchange.answer;

    fprintf(file, "  ");
    if (ask->answered_ns == SIM_RECORDER_NEVER) {
        fprintf(file, "%*s%s\n", 12, "", sim_why_fate(world, ask));
        return;
    }
    print_time(file, ask->answered_ns);
    fprintf(file, "  %s after %s: ", sim_why_fate(world, ask),
            sim_readable_time(ask->answered_ns - ask->sent_ns).text);
    if (ask->exchange.kind == SIM_EXCHANGE_LOCK) {
        fprintf(file, "%s\n", ask->exchange.is_locked ? "has the lock" : "another has the lock");
        return;
    }
    if (ask->exchange.kind == SIM_EXCHANGE_SYNC || ask->exchange.kind == SIM_EXCHANGE_SHARE) {
        fprintf(file, "done\n");
        return;
    }
    if (ask->exchange.kind != SIM_EXCHANGE_ASK) {
        fprintf(file, "the counter is %s\n", sim_readable_count(ask->exchange.add_count).text);
        return;
    }
    fprintf(file, "%s", sim_readable_units(answer->granted_units).text);
    if (answer->trickle_count > 0) {
        fprintf(file, " and a trickle of %s", sim_readable_count(answer->trickle_count).text);
    }
    if (answer->granted_units + answer->trickle_count > 0 && answer->lease_end_us != 0) {
        fprintf(file, " until ");
        print_time(file, true_ns(answer->lease_end_us));
    }
    fprintf(file, "; %s/s asked for by %" PRIu32 " process%s%s%s%s%s\n",
            sim_readable_count((answer->global_rate_milli + 500) / 1000).text,
            answer->active_processes, answer->active_processes == 1 ? "" : "es",
            answer->flags & WEIR_ANSWER_SCARCE ? ", scarce" : "",
            answer->flags & WEIR_ANSWER_PACED ? ", paced" : "",
            answer->flags & WEIR_ANSWER_GRACE ? ", in grace" : "",
            answer->flags & WEIR_ANSWER_DATA_LOST ? ", data was lost" : "");
}

void sim_why_print(FILE *file, const struct sim_world *world)
{
    const struct sim_recorder *recorder = world->recorder;
    const size_t count = sim_recorder_ask_count(recorder);

    print_decision(file, world);
    print_clock(file, recorder);
    print_held(file, recorder);
    print_known(file, recorder);
    print_alone(file, recorder);
    print_store(file, recorder);
    if (recorder->open_breaker_count > 0) {
        fprintf(file, "breakers  %" PRIu32 " of %" PRIu32 " open in its process\n",
                recorder->open_breaker_count, world->scenario->shard_count);
    }
    print_faults(file, world, "faults    ", recorder->arrival.time_ns);
    size_t in_force;
    fprintf(file, sim_why_faults(world, recorder->arrival.time_ns, &in_force, 1) > 0
                      ? "\n"
                      : "faults    none in force\n");
    if (count == 0) {
        fprintf(file, "\nThe process had not asked the store about this key.\n");
        return;
    }
    fprintf(file, "\nIts last asks about this key, up to the decision:\n");
    for (size_t i = 0; i < count; i++) {
        const struct sim_recorded_ask *ask = sim_recorder_ask(recorder, i);
        print_sent(file, world, ask);
        print_served(file, world, ask);
        print_answered(file, world, ask);
    }
}
