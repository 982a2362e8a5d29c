/* What a client does when it is denied. */
#include <stdio.h>

#include "scenario_sections.h"

enum {
    KIND_COUNT = SIM_DENIAL_BACKOFF + 1,
    KIND_TEXT_SIZE = 40,
    DAY_S = 86400,
};

enum {
    ALWAYS = (1U << KIND_COUNT) - 1,
    RETRIES = ALWAYS & ~(1U << SIM_DENIAL_IGNORE),
};

static const char *const kind_names[KIND_COUNT] = {
    [SIM_DENIAL_IGNORE] = "ignore",   [SIM_DENIAL_RETRY_AT_ONCE] = "retry_at_once",
    [SIM_DENIAL_OBEY] = "obey",       [SIM_DENIAL_OBEY_JITTER] = "obey_jitter",
    [SIM_DENIAL_BACKOFF] = "backoff",
};

static const struct sim_key_use denial_uses[] = {
    {"kind", ALWAYS},
    {"attempts_max", RETRIES},
    {"delay_ms", RETRIES},
    {"jitter_s", 1U << SIM_DENIAL_OBEY_JITTER},
    {"first_s", 1U << SIM_DENIAL_BACKOFF},
    {"longest_s", 1U << SIM_DENIAL_BACKOFF},
};

static bool read_kind(const struct sim_node *node, struct sim_on_denial *on_denial)
{
    static const struct sim_choice_rule rule = {
        .key = "kind", .names = kind_names, .name_count = KIND_COUNT};
    const size_t use_count = sizeof denial_uses / sizeof denial_uses[0];
    char kind_text[KIND_TEXT_SIZE];
    size_t kind = SIM_DENIAL_IGNORE;

    if (!sim_read_is_object(node, "an object with a kind") ||
        !sim_read_keys(node, denial_uses, use_count) || !sim_read_choice(node, &rule, &kind)) {
        return false;
    }
    on_denial->kind = (enum sim_denial_kind)kind;
    (void)snprintf(kind_text, sizeof kind_text, "kind \"%s\"", kind_names[kind]);
    return sim_read_keys_of_kind(node, denial_uses, use_count, 1U << kind, kind_text);
}

static bool read_backoff(const struct sim_node *node, struct sim_on_denial *on_denial)
{
    static const struct sim_decimal_rule first = {.key = "first_s",
                                                  .maximum = DAY_S,
                                                  .scale = 1e9,
                                                  .positive = true,
                                                  .presence = SIM_OPTIONAL,
                                                  .fallback = 100000000};
    static const struct sim_decimal_rule longest = {.key = "longest_s",
                                                    .maximum = DAY_S,
                                                    .scale = 1e9,
                                                    .positive = true,
                                                    .presence = SIM_OPTIONAL,
                                                    .fallback = 30000000000};
    struct sim_node first_node = sim_read_member(node, first.key);
    struct sim_node longest_node = sim_read_member(node, longest.key);

    return sim_read_decimal(node, &first, &on_denial->first_ns) &&
           sim_read_decimal(node, &longest, &on_denial->longest_ns) &&
           (on_denial->first_ns <= on_denial->longest_ns ||
            sim_read_refuse(longest_node.value ? &longest_node : &first_node,
                            "first_s (default: 0.1) no longer than longest_s (default: 30)"));
}

bool sim_scenario_read_denial(const struct sim_node *traffic, struct sim_on_denial *on_denial)
{
    static const struct sim_integer_rule attempts = {.key = "attempts_max",
                                                     .minimum = 1,
                                                     .maximum = 1000,
                                                     .presence = SIM_OPTIONAL,
                                                     .fallback = 10};
    static const struct sim_decimal_rule delay = {.key = "delay_ms",
                                                  .minimum = 1,
                                                  .maximum = 60000,
                                                  .scale = 1e6,
                                                  .presence = SIM_OPTIONAL,
                                                  .fallback = 1000000};
    static const struct sim_decimal_rule jitter = {.key = "jitter_s",
                                                   .maximum = DAY_S,
                                                   .scale = 1e9,
                                                   .positive = true,
                                                   .presence = SIM_OPTIONAL,
                                                   .fallback = 1000000000};
    struct sim_node node = sim_read_member(traffic, "on_denial");

    *on_denial = (struct sim_on_denial){
        .kind = SIM_DENIAL_IGNORE, .attempts_max = 1, .delay_ns = delay.fallback};
    if (!node.value) {
        return true;
    }
    if (!read_kind(&node, on_denial)) {
        return false;
    }
    if (on_denial->kind == SIM_DENIAL_IGNORE) {
        return true;
    }
    return sim_read_integer32(&node, &attempts, &on_denial->attempts_max) &&
           sim_read_decimal(&node, &delay, &on_denial->delay_ns) &&
           (on_denial->kind != SIM_DENIAL_OBEY_JITTER ||
            sim_read_decimal(&node, &jitter, &on_denial->jitter_ns)) &&
           (on_denial->kind != SIM_DENIAL_BACKOFF || read_backoff(&node, on_denial));
}
