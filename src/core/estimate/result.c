/*
 * result.c - how results are read, found and compared.
 */
#include "core/estimate/result.h"

#include <string.h>

#include "core/base/text.h"

/* ---- questions ------------------------------------------------------------------- */

enum result_id
result_of_quantity(enum quantity q)
{
	static const enum result_id sum_of[QUANTITY_COUNT] = {
		[QUANTITY_PARAMS_TOTAL] = RESULT_PARAMS_TOTAL,
		[QUANTITY_PARAMS_ACTIVE] = RESULT_PARAMS_ACTIVE,
		[QUANTITY_PARAMS_TRAINABLE] = RESULT_PARAMS_TRAINABLE,
		[QUANTITY_PARAMS_GPU] = RESULT_PARAMS_GPU,
		[QUANTITY_PARAMETERS] = RESULT_PARAMETERS,
		[QUANTITY_GRADIENTS] = RESULT_GRADIENTS,
		[QUANTITY_OPTIMIZER] = RESULT_OPTIMIZER,
		[QUANTITY_ACTIVATIONS] = RESULT_ACTIVATIONS,
		[QUANTITY_LOGITS] = RESULT_LOGITS,
		[QUANTITY_BUFFERS] = RESULT_BUFFERS,
		[QUANTITY_OVERHEAD] = RESULT_OVERHEAD,
		[QUANTITY_HOST] = RESULT_HOST_BYTES,
		[QUANTITY_DRIVE] = RESULT_DRIVE_BYTES,
		[QUANTITY_TRAFFIC] = RESULT_FLOW_BYTES,
		[QUANTITY_STEP] = RESULT_STEP,
		[QUANTITY_FLOPS] = RESULT_MODEL_FLOPS,
		[QUANTITY_SERVE_MEMORY] = RESULT_SERVE_MEMORY,
		[QUANTITY_KV_TOKEN] = RESULT_KV_TOKEN,
		[QUANTITY_DECODE] = RESULT_DECODE,
		[QUANTITY_PREFILL] = RESULT_PREFILL,
		[QUANTITY_TTFT] = RESULT_TTFT,
		[QUANTITY_TPOT] = RESULT_TPOT,
		[QUANTITY_FORWARD] = RESULT_FORWARD,
		[QUANTITY_BACKWARD] = RESULT_BACKWARD,
		[QUANTITY_RECOMPUTE] = RESULT_REPEATED,
		[QUANTITY_TRAFFIC_SECONDS] = RESULT_FLOW_SECONDS,
		[QUANTITY_EXPOSED] = RESULT_FLOW_EXPOSED,
		[QUANTITY_RL_STEP] = RESULT_RL_STEP,
		[QUANTITY_RL_SECONDS] = RESULT_RL_PHASES,
		[QUANTITY_RL_MEMORY] = RESULT_RL_PEAK,
		[QUANTITY_RL_HOST] = RESULT_RL_HOST,
		[QUANTITY_CHECKPOINT] = RESULT_CHECKPOINT,
		[QUANTITY_RUN] = RESULT_DAYS,
		[QUANTITY_ENERGY] = RESULT_MWH,
		[QUANTITY_COST] = RESULT_COST,
	};

	return sum_of[q];
}

enum result_id
result_main(enum result_main which, const struct plan *p)
{
	static const struct {
		enum result_id train, phases, serve;
	} of[] = {
		[MAIN_TIME] = { RESULT_STEP, RESULT_RL_STEP, RESULT_TPOT },
		[MAIN_MEMORY] = { RESULT_PEAK_TOTAL, RESULT_RL_PEAK, RESULT_PEAK_TOTAL },
		[MAIN_TOKENS] = { RESULT_TOKENS, RESULT_RL_TOKENS, RESULT_GENERATED },
		[MAIN_TOKENS_GPU] = { RESULT_TOKENS_GPU, RESULT_RL_TOKENS_GPU, RESULT_GENERATED_GPU },
	};

	return p->mode == MODE_SERVE ? of[which].serve : plan_has_rl(p) ? of[which].phases :
	    of[which].train;
}

static bool
ends_with(enum result_id id, const char *name)
{
	const char *dot = strrchr(result_table[id].path, '.');

	return dot != NULL && text_equal(name, dot + 1);
}

/* What a list in JSON tells of each of its rows stands in the table under another path. */
static const struct {
	const char *list, *path;
	enum result_scope scope;
} list_paths[] = {
	{ "stages.", "", SCOPE_STAGE }, { "serving.curve.", "serving.", SCOPE_SERVE },
	{ "rl.phases.seconds", "rl.phase_seconds", SCOPE_RL },
	{ "rl.phases.memory", "rl.peak_bytes", SCOPE_RL },
};

static enum result_scope
scope_of_list(const struct result *r)
{
	return result_serves((enum result_id)(r - result_table)) ? SCOPE_SERVE : r->scope;
}

static bool
listed_as(const char *path, const struct result *r)
{
	for (size_t i = 0; i < sizeof list_paths / sizeof *list_paths; i++) {
		const size_t list = strlen(list_paths[i].list), head = strlen(list_paths[i].path);

		if (scope_of_list(r) == list_paths[i].scope && strncmp(path, list_paths[i].list, list) == 0 &&
		    strncmp(r->path, list_paths[i].path, head) == 0 &&
		    text_equal(path + list, r->path + head))
			return true;
	}
	return false;
}

enum result_id
result_find(const char *path)
{
	int id;

	for (id = 0; id < RESULT_COUNT; id++)
		if (text_equal(path, result_table[id].path) || listed_as(path, &result_table[id]))
			return (enum result_id)id;
	for (int q = 0; q < QUANTITY_COUNT; q++)
		if (ends_with(result_of_quantity((enum quantity)q), path))
			return result_of_quantity((enum quantity)q);
	for (id = 0; id < RESULT_COUNT && !ends_with((enum result_id)id, path); id++)
		continue;
	return (enum result_id)id;
}

/* Bytes of the rows of a dimension. */
static bool
sum_of_dim(const struct traffic *t, enum traffic_dim dim, double *value)
{
	bool known = false;

	for (size_t i = 0; i < t->count; i++)
		if (t->row[i].dim == dim) {
			*value += t->row[i].bytes;
			known = true;
		}
	return known;
}

bool
result_serves(enum result_id id)
{
	return result_table[id].scope >= SCOPE_SERVE && result_table[id].scope <= SCOPE_EVENTS;
}

bool
result_applies(enum result_id id, const struct estimate *e, int64_t stage)
{
	switch (result_table[id].scope) {
	case SCOPE_PLAN:
		return true;
	case SCOPE_MODEL:
		return e->model_known;
	case SCOPE_GRID:
		return e->laid_out;
	case SCOPE_FIT:
		return estimate_has_fit(e);
	case SCOPE_PEAK:
		return e->stages > 0;
	case SCOPE_STAGE:
		return stage >= 0 && stage < e->stages;
	case SCOPE_MEMORY:
		return e->capacity_known;
	case SCOPE_FLOW:
	case SCOPE_DIM:
	case SCOPE_STEP:
		return e->timed;
	case SCOPE_RL:
		return e->reinforced;
	case SCOPE_RUN:
		return e->ran;
	case SCOPE_SERVE:
		return e->served;
	case SCOPE_RATE:
		return e->served && e->serve.rate.known;
	case SCOPE_LIMITS:
		return e->served && e->serve.rate.known && e->serve.rate.limited;
	case SCOPE_EVENTS:
		return e->served && e->serve.rate.followed;
	}
	return false;
}

bool
result_value(enum result_id id, const struct estimate *e, int64_t stage, double *value)
{
	const struct result *r = &result_table[id];

	*value = 0;
	if (!result_applies(id, e, stage) || (r->scope == SCOPE_STEP && !estimate_has_step(e)))
		return false;
	if (id == RESULT_STAGE) {
		*value = (double)stage;
		return true;
	}
	if (r->scope == SCOPE_DIM)
		return sum_of_dim(&e->traffic, (enum traffic_dim)r->at, value);
	if (r->at == RESULT_NOWHERE || id == RESULT_FLOW_GROUP)
		return false;
	if (r->scope == SCOPE_FLOW)
		for (size_t i = 0; i < e->traffic.count; i++)
			*value += result_of_flow(id, &e->traffic.row[i]);
	else
		*value = result_read(r, r->scope == SCOPE_STAGE ? (const void *)&e->stage[stage] : e);
	return (r->rule != RULE_SIZE && r->rule != RULE_SAID) || *value > 0;
}

int
result_better(enum result_id id, double was, double is)
{
	const enum better better = result_table[id].better;

	if (better == BETTER_NEITHER || !(is < was || is > was))
		return 0;
	return (is > was) == (better == BETTER_MORE) ? 1 : -1;
}

void
result_formula(enum result_id id, const struct plan *p, const struct estimate *e, int64_t stage,
    char *buf, size_t size)
{
	const struct result *r = &result_table[id];
	double value;
	const bool known = result_value(id, e, stage, &value) ||
	    (r->scope == SCOPE_FLOW && e->timed);

	buf[0] = '\0';
	/* A GPU of unknown rates has no times. */
	if (r->formula != NULL && known)
		r->formula(p, e, stage, buf, size);
}

void
result_add_range(char *buf, size_t size, enum result_id id, const struct estimate *e)
{
	if (id == RESULT_DAYS)
		text_add(buf, size, ", %.1f to %.1f", e->run.days_low, e->run.days_high);
	else if (id == RESULT_GOODPUT)
		text_add(buf, size, ", %.1f to %.1f", 100 * e->run.goodput_low, 100 * e->run.goodput_high);
	else if (id == RESULT_MWH || id == RESULT_JOULES)
		text_add(buf, size, " +- %.0f %%", 100 * RUN_ENERGY_ERROR);
}

bool
result_has_term(const struct made_of *made, const struct ledger_term *t)
{
	return t->quantity == made->quantity && (made->part == PART_NONE || t->part == made->part);
}
