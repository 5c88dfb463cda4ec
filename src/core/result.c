#include "core/result.h"

#include <string.h>

#include "core/text.h"

enum result_id
result_of_quantity(enum quantity q)
{
	static const enum result_id sum_of[QUANTITY_COUNT] = {
		[QUANTITY_PARAMS_TOTAL] = RESULT_PARAMS_TOTAL,
		[QUANTITY_PARAMS_ACTIVE] = RESULT_PARAMS_ACTIVE,
		[QUANTITY_PARAMS_GPU] = RESULT_PARAMS_GPU,
		[QUANTITY_PARAMETERS] = RESULT_PARAMETERS,
		[QUANTITY_GRADIENTS] = RESULT_GRADIENTS,
		[QUANTITY_OPTIMIZER] = RESULT_OPTIMIZER,
		[QUANTITY_ACTIVATIONS] = RESULT_ACTIVATIONS,
		[QUANTITY_LOGITS] = RESULT_LOGITS,
		[QUANTITY_BUFFERS] = RESULT_BUFFERS,
		[QUANTITY_OVERHEAD] = RESULT_OVERHEAD,
		[QUANTITY_TRAFFIC] = RESULT_FLOW_BYTES,
		[QUANTITY_STEP] = RESULT_STEP,
		[QUANTITY_FLOPS] = RESULT_MODEL_FLOPS,
		[QUANTITY_SERVE_MEMORY] = RESULT_SERVE_MEMORY,
		[QUANTITY_KV_TOKEN] = RESULT_KV_TOKEN,
		[QUANTITY_TTFT] = RESULT_TTFT,
		[QUANTITY_TPOT] = RESULT_TPOT,
	};

	return sum_of[q];
}

static bool
ends_with(enum result_id id, const char *name)
{
	const char *dot = strrchr(result_table[id].path, '.');

	return dot != NULL && text_equal(name, dot + 1);
}

enum result_id
result_find(const char *path)
{
	static const char list[] = "stages.";
	const char *rest = strncmp(path, list, strlen(list)) == 0 ? path + strlen(list) : path;
	int id;

	for (id = 0; id < RESULT_COUNT; id++)
		if (text_equal(path, result_table[id].path) || (rest != path &&
		    result_table[id].scope == SCOPE_STAGE && text_equal(rest, result_table[id].path)))
			return (enum result_id)id;
	for (int q = 0; q < QUANTITY_COUNT; q++)
		if (ends_with(result_of_quantity((enum quantity)q), path))
			return result_of_quantity((enum quantity)q);
	for (id = 0; id < RESULT_COUNT && !ends_with((enum result_id)id, path); id++)
		continue;
	return (enum result_id)id;
}

static double
read_value(const struct result *r, const void *from)
{
	const void *at = (const char *)from + r->at;

	switch (r->form) {
	case FORM_ANSWER:
		return *(const bool *)at;
	case FORM_WHOLE:
		return (double)*(const int64_t *)at;
	case FORM_COUNT:
	case FORM_BYTES:
	case FORM_REAL:
		return *(const double *)at;
	case FORM_TEXT:
		break;
	}
	return 0;
}

double
result_of_flow(enum result_id id, const struct traffic_row *row)
{
	return read_value(&result_table[id], row);
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

/* Whether the estimate has what results of a scope are read from. */
static bool
has_scope(enum result_scope scope, const struct estimate *e, int64_t stage)
{
	switch (scope) {
	case SCOPE_PLAN:
		return true;
	case SCOPE_GPU:
		return e->capacity_known;
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
	case SCOPE_FLOW:
	case SCOPE_DIM:
		return e->timed;
	case SCOPE_STEP:
		return estimate_has_step(e);
	case SCOPE_SERVE:
		return e->served;
	}
	return false;
}

bool
result_value(enum result_id id, const struct estimate *e, int64_t stage, double *value)
{
	const struct result *r = &result_table[id];

	*value = 0;
	if (!has_scope(r->scope, e, stage))
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
		*value = read_value(r, r->scope == SCOPE_STAGE ? (const void *)&e->stage[stage] : e);
	return r->rule != RULE_SIZE || *value > 0;
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
	if (r->formula != NULL && known && (r->scope != SCOPE_STEP || e->step.seconds > 0))
		r->formula(p, e, stage, buf, size);
}

bool
result_has_term(const struct made_of *made, const struct ledger_term *t)
{
	return t->quantity == made->quantity && (made->part == PART_NONE || t->part == made->part);
}
