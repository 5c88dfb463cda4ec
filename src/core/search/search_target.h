/*
 * search_target.h - what a search ranks plans by, and what it asks of them.
 */
#ifndef CORE_SEARCH_TARGET_H
#define CORE_SEARCH_TARGET_H
#include <stdbool.h>
#include <stddef.h>

#include "core/estimate/estimate.h"

/* A number of a plan: a field, a result of its estimate, or one of the two prices below. */
struct search_target {
	enum target_kind { TARGET_FIELD, TARGET_RESULT, TARGET_GPU_HOURS, TARGET_COST } kind;
	int id;              /* enum field_id, or a result */
	char asked[96];      /* as an objective was asked for: "time" */
	bool more;           /* more of it is better */
	bool whole;          /* estimate_run alone gives it, not estimate_peak */
	bool timed;          /* it takes the time of a step, */
	enum follow events;  /* or more of an open loop than means */
};

/*
 * By the name of an objective (time, memory, gpus, tokens, gpu-hours, cost, energy) or by path. False
 * with the reason in err: no such number, none in the plan's mode, or neither way is better.
 *
 * gpu-hours: of the whole run where training.token_budget says how long it is (run.gpu_hours), else
 * of a billion tokens. cost: run.cost, or the hours of a billion tokens times
 * cluster.gpu_hour_price.
 */
bool target_find(struct search_target *t, const char *name, const struct plan *p, char *err,
    size_t size);

/* Its value for a legal plan; false where it is not known. */
bool target_value(const struct search_target *t, const struct plan *p, const struct estimate *e,
    double *v);

/* The least that a legal plan can score by it, less being better, before the events of an open loop are followed. */
double target_least_score(const struct search_target *t, const struct plan *p, const struct estimate *e);

/* Its value where the plan alone says it, without an estimate: a field, the GPUs, the model's
 * parameters. False for others. */
bool target_of_plan(const struct search_target *t, const struct plan *p, double *v);

/* The field that a plan has to say before anybody knows the target, and does not; FIELD_COUNT:
 * none. */
enum field_id target_lacks(const struct search_target *t, const struct plan *p);

/* Two targets are of one number. */
static inline bool
target_same(const struct search_target *a, const struct search_target *b)
{
	return a->kind == b->kind && a->id == b->id;
}

/* True for a target that says no more than the time of a training step does, once GPUs, model and batch of a plan are
 * known; then the most that a step takes with which it has this value, of which GPUs compute for so long at least: that
 * counts for energy. */
bool target_follows_step(const struct search_target *t, const struct plan *p);
double target_step_seconds(const struct search_target *t, const struct plan *p, double v, double busy);
bool target_is_energy(const struct search_target *t);

/* True for the memory of the fullest GPU. */
bool target_is_memory(const struct search_target *t);
/* How much each second of a step with all its phases adds to what a plan scores, or to the inverse of
 * it where that is a rate; 0: they do not decide it. And as much of that as a score stands for. */
double target_phase_weight(const struct search_target *t, const struct plan *p);
double target_phase_most(const struct search_target *t, double score);

/* Its path, or the name of a price. */
const char *target_name(const struct search_target *t);

/* A value of it with its unit. */
void target_format(const struct search_target *t, double v, char *buf, size_t size);

/* target <= limit, or target >= limit. */
struct search_condition {
	struct search_target target;
	bool least;
	double limit;
	char text[96];       /* as it was typed */
};

/* The nearest to a misspelt name, of objectives, results and fields; NULL when none is near. */
const char *target_near(const char *name);

/* "serving.ttft_seconds<=2", "peak.total<=70GiB". False with the reason in err. */
bool condition_parse(struct search_condition *c, const char *text, const struct plan *p,
    char *err, size_t size);

/* How far from holding: 0 where it holds, else the value over the limit or the other way
 * round; infinite where the value is not known, or on the other side of 0. */
double condition_miss(const struct search_condition *c, const struct plan *p,
    const struct estimate *e);
#endif
