#include "core/search/search_make.h"

#include <string.h>

#include "core/base/text.h"
#include "core/framework/resolve.h"
#include "core/search/search_values.h"

/* The fields that a walk changes most often, in its order: what an estimate shares most
 * between neighbours comes last. All others stand before them, as in the table of fields. */
static const enum field_id inner_fields[] = {
	FIELD_TP, FIELD_CP, FIELD_EP, FIELD_ETP, FIELD_MICRO_BATCH_SIZE, FIELD_RECOMPUTE,
	FIELD_CP_COMM, FIELD_MOE_DISPATCHER, FIELD_MOE_OVERLAP, FIELD_REPLICAS, FIELD_DP_ATTENTION,
	FIELD_DCP, FIELD_PP, FIELD_VPP, FIELD_PIPELINE_LAYOUT,
	FIELD_DP_REPLICATE, FIELD_ZERO_STAGE, FIELD_OFFLOAD, FIELD_PRECISION_AWARE_OPTIMIZER, FIELD_TP_OVERLAP,
	FIELD_CUDA_GRAPH, FIELD_FUSED_EXPERTS, FIELD_OVERLAP_GRAD_REDUCE, FIELD_OVERLAP_PARAM_GATHER
};
enum { INNER = sizeof inner_fields / sizeof *inner_fields };

/* Of rollouts, of which the trainer takes no notice (scope.c); what leaves the engine as it is
 * comes last. */
static const enum field_id rollout_fields[] = {
	FIELD_RL_PROMPTS, FIELD_RL_RESPONSES, FIELD_GPU_MEMORY_UTILIZATION, FIELD_ROLLOUT_TP,
	FIELD_ENGINE_SLEEP, FIELD_RL_OFFLOAD
};
enum { ROLLOUTS = sizeof rollout_fields / sizeof *rollout_fields };

static void
add_fields(struct search_space *s, const struct wishes *w, const enum field_id *fields, int count)
{
	for (int i = 0; i < count; i++)
		if (wishes_find(w, fields[i]) < w->count)
			s->field[s->count++].field = fields[i];
}

/* Outer fields as in the table of fields, then the inner ones, those of rollouts last. */
static void
sort_fields(struct search_space *s, const struct wishes *w, const char *values[])
{
	const int rollouts = plan_has_rollouts(&s->plan) ? ROLLOUTS : 0;

	s->count = 0;
	for (enum field_id f = 0; f < FIELD_COUNT; f++)
		if (!field_is_among(f, inner_fields, INNER) && !field_is_among(f, rollout_fields, rollouts))
			add_fields(s, w, &f, 1);
	s->outer = s->count;
	add_fields(s, w, inner_fields, INNER);
	s->rollouts = s->count;
	add_fields(s, w, rollout_fields, rollouts);
	for (int i = 0; i < s->count; i++) {
		values[i] = w->item[wishes_find(w, s->field[i].field)].values;
		s->field[i].row = switch_of(s->field[i].field);
		s->field[i].splits = s->field[i].field == FIELD_PIPELINE_LAYOUT && values[i] == NULL;
	}
}

/* All combinations of their values; false where nobody can count them. */
static bool
count_all(struct search_space *s)
{
	s->size = 1;
	for (int i = s->count - 1; i >= 0; i--) {
		const uint64_t count = (uint64_t)s->field[i].count;

		if (s->size > (UINT64_C(1) << 62) / count)
			return false;
		s->field[i].stride = s->size;
		s->field[i].followed = plan_is_followed(s->field[i].field);
		s->size *= count;
	}
	return true;
}

static bool
make_space(struct search_space *s, const struct plan *p, const struct catalog *catalog,
    const struct wishes *w, char *err, size_t size)
{
	const char *values[SPACE_FIELDS_MAX];

	memset(s, 0, sizeof *s);
	s->plan = *p;
	s->catalog = catalog;
	sort_fields(s, w, values);
	for (int i = 0; i < s->count; i++)
		if (!space_find_values(s, &s->field[i], values[i], err, size))
			return false;
	return true;
}

bool
space_make(struct search_space *s, const struct plan *p, const struct catalog *catalog,
    const struct wishes *w, char *err, size_t size)
{
	struct wishes left = *w;

	do {
		if (!make_space(s, p, catalog, &left, err, size))
			return false;
		if (count_all(s))
			return true;
	} while (wishes_give_up(&left));
	text_put(err, size, "more than 2^62 combinations: fix some fields");
	return false;
}
