#include "scenario_template.h"

#include <inttypes.h>

#include "scenario_text.h"

enum {
    NUMBER_SIZE = 40,
    STICKY_PROCESSES = 3,
    CLIENTS_MAX = 100000,
    /* below this one unit is more than the 1 % that the expectations allow */
    JUDGED_LIMIT_UNITS_MIN = 1000,
};

#define THINK_MS_MAX 86400e3

static const char *const balance_texts[] = {
    [SIM_BALANCE_UNIFORM] = "evenly",
    [SIM_BALANCE_ZIPF] = "unevenly",
    [SIM_BALANCE_STICKY] = "to a few of them for each customer",
};

static const char *const algorithm_texts[] = {
    [SIM_ALGORITHM_BUCKET] = "bucket: any t seconds admit at most the capacity and t seconds of "
                             "the rate",
    [SIM_ALGORITHM_WINDOW] = "window: each minute admits at most the limit, and up to twice that "
                             "around its end",
    [SIM_ALGORITHM_SLIDING] = "sliding: the minute before counts too, by the part of it that a "
                              "minute still covers",
    [SIM_ALGORITHM_LOG] = "log: any 60 seconds admit at most the limit, at one store step per "
                          "request",
    [SIM_ALGORITHM_UNLIMITED] = "unlimited: everything is admitted, and counted",
};

static const char *const algorithm_names[] = {
    [SIM_ALGORITHM_BUCKET] = "bucket",       [SIM_ALGORITHM_WINDOW] = "window",
    [SIM_ALGORITHM_SLIDING] = "sliding",     [SIM_ALGORITHM_LOG] = "log",
    [SIM_ALGORITHM_UNLIMITED] = "unlimited",
};

/* The shortest decimal that is the number. */
static void write_number(FILE *file, double number)
{
    char digits[NUMBER_SIZE];
    struct sim_text text;

    sim_text_init(&text, digits, sizeof digits);
    sim_text_add_number(&text, number);
    fputs(digits, file);
}

static void write_member(FILE *file, const char *key, double number)
{
    fprintf(file, "\"%s\": ", key);
    write_number(file, number);
}

static void write_question(const struct sim_template *template, FILE *file)
{
    if (template->schema != NULL) {
        fprintf(file, "    \"$schema\": \"%s\",\n", template->schema);
    }
    fprintf(file,
            "    \"//\": \"Each // is a comment. Change a number, then: weir check FILE, weir run "
            "FILE. All keys: docs/SCENARIOS.md\",\n"
            "    \"why\": \"%" PRIu64 " processes share a customer's limit of %" PRIu64
            " a minute (%s), asked for ",
            template->process_count, template->limit_units, algorithm_names[template->algorithm]);
    write_number(file, template->demand_ratio);
    fprintf(file, " times that: how exact is it, and what does it cost?\",\n"
                  "    \"seed\": 1,\n    ");
    write_member(file, "duration_s", template->duration_s);
    fprintf(file, ",\n");
}

static void write_machines(const struct sim_template *template, FILE *file)
{
    fprintf(file,
            "    \"fleet\": {\n"
            "        \"//\": \"The API's processes; the load balancer spreads requests over them "
            "%s.\",\n"
            "        \"processes\": %" PRIu64 ",\n        \"balance\": {",
            balance_texts[template->balance], template->process_count);
    if (template->balance == SIM_BALANCE_STICKY) {
        const uint64_t neighbours =
            template->process_count < STICKY_PROCESSES ? template->process_count : STICKY_PROCESSES;
        fprintf(file, "\"kind\": \"sticky\", \"processes\": %" PRIu64 "}\n", neighbours);
    } else if (template->balance == SIM_BALANCE_ZIPF) {
        fprintf(file, "\"kind\": \"zipf\", \"exponent\": 1.1}\n");
    } else {
        fprintf(file, "\"kind\": \"uniform\"}\n");
    }
    fprintf(file, "    },\n    \"store\": {\n"
                  "        \"//\": \"What the processes share; microseconds there and back.\",\n"
                  "        ");
    write_member(file, "round_trip_us", template->round_trip_us);
    fprintf(file,
            "\n    },\n    \"limiter\": {\n"
            "        \"//\": \"lease: permits are fetched ahead of need. per_request: one ask for "
            "each request.\",\n"
            "        \"coordination\": \"lease\"\n    },\n");
}

static void write_plan(const struct sim_template *template, FILE *file)
{
    fprintf(file,
            "    \"plans\": {\n        \"standard\": {\n"
            "            \"//\": \"What is allowed. %s.\",\n"
            "            \"algorithm\": \"%s\"",
            algorithm_texts[template->algorithm], algorithm_names[template->algorithm]);
    if (template->algorithm != SIM_ALGORITHM_UNLIMITED) {
        fprintf(file, ",\n            \"rate_per_min\": %" PRIu64, template->limit_units);
    }
    if (template->algorithm == SIM_ALGORITHM_BUCKET) {
        fprintf(file, ",\n            ");
        write_member(file, "capacity_s", template->capacity_s);
    }
    fprintf(file, "\n        }\n    },\n"
                  "    \"keys\": {\n        \"customer\": {\n"
                  "            \"//\": \"Who asks: count keys, each with the whole limit of the "
                  "plan.\",\n"
                  "            \"plan\": \"standard\",\n            \"count\": 1\n        }\n"
                  "    },\n");
}

/* Demand is a part of the plan's rate; without one, clients who think make the same load. */
static void write_clients(const struct sim_template *template, FILE *file)
{
    const double per_s = template->demand_ratio * (double)template->limit_units / 60;
    uint64_t clients = 1;
    double think_ms = 1000 / per_s;

    if (per_s > 1) {
        clients = per_s < CLIENTS_MAX ? (uint64_t)per_s : CLIENTS_MAX;
        think_ms = (double)clients * 1000 / per_s;
    }
    fprintf(
        file,
        "            \"//\": \"Clients who send a request, wait for the answer, think, and send "
        "the next.\",\n            \"keys\": \"customer\",\n"
        "            \"pattern\": \"closed\",\n            \"clients\": %" PRIu64 ",\n            ",
        clients);
    write_member(file, "think_ms", think_ms < THINK_MS_MAX ? think_ms : THINK_MS_MAX);
}

static void write_traffic(const struct sim_template *template, FILE *file)
{
    fprintf(file, "    \"traffic\": [\n        {\n");
    if (template->algorithm == SIM_ALGORITHM_UNLIMITED) {
        write_clients(template, file);
    } else {
        fprintf(file, "            \"//\": \"Arrivals at random; demand_ratio 1 is exactly the "
                      "plan's rate.\",\n            \"keys\": \"customer\",\n"
                      "            \"pattern\": \"poisson\",\n            ");
        write_member(file, "demand_ratio", template->demand_ratio);
    }
    fprintf(file, "\n        }\n    ],\n");
}

static void write_expectations(const struct sim_template *template, FILE *file)
{
    const bool is_judged = template->algorithm != SIM_ALGORITHM_UNLIMITED &&
                           template->limit_units >= JUDGED_LIMIT_UNITS_MIN;

    fprintf(file, "    \"expect\": [\n"
                  "        {\"//\": \"Never above what the plan promises, in any interval.\", "
                  "\"path\": \"accuracy.contract_over_pct.max\", \"max\": 0},\n"
                  "        {\"//\": \"Each unit of error has a known cause.\", "
                  "\"path\": \"accuracy.causes.unexplained.units\", \"max\": 0},\n"
                  "        {\"//\": \"Each unit spent is billed.\", "
                  "\"path\": \"billing.lost_units\", \"max\": 0}");
    if (is_judged) {
        fprintf(file,
                ",\n        {\"//\": \"Percent of the limit, in the worst minute: too much.\", "
                "\"path\": \"accuracy.over_pct.max\", \"max\": 1},\n"
                "        {\"//\": \"And too little.\", "
                "\"path\": \"accuracy.under_pct.max\", \"max\": 1}");
    }
    fprintf(file, "\n    ]\n");
}

void sim_template_write(const struct sim_template *template, FILE *file)
{
    fprintf(file, "{\n");
    write_question(template, file);
    write_machines(template, file);
    write_plan(template, file);
    write_traffic(template, file);
    write_expectations(template, file);
    fprintf(file, "}\n");
}
