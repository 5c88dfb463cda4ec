#include "core/search/search_wishes.h"

#include "core/base/text.h"
#include "core/framework/framework.h"
#include "core/search/search_split.h"
#include "core/search/search_switch.h"

int
wishes_find(const struct wishes *w, enum field_id f)
{
	int i = 0;

	while (i < w->count && w->item[i].field != f)
		i++;
	return i;
}

bool
wishes_free(struct wishes *w, enum field_id f, const char *values)
{
	const int i = wishes_find(w, f);

	if (i == SPACE_FIELDS_MAX)
		return false;
	w->item[i] = (struct wish){ f, values != NULL || i == w->count ? values : w->item[i].values, true };
	if (i == w->count)
		w->count++;
	return true;
}

void
wishes_fix(struct wishes *w, enum field_id f)
{
	const int i = wishes_find(w, f);

	if (i < w->count)
		w->item[i] = w->item[--w->count];
}

/* ---- groups --------------------------------------------------------------------------- */

static const char *const group_names[WISH_GROUPS] = {
	"sizes", "switches", "schedule", "formats", "batch"
};

enum wish_group
wishes_group_find(const char *name)
{
	int g = 0;

	while (g < WISH_GROUPS && !text_equal(group_names[g], name))
		g++;
	return (enum wish_group)g;
}

/* A size that a search of the plan's mode, model and framework can change. */
static bool
has_size(enum field_id f, const struct plan *p)
{
	if (f == FIELD_PIPELINE_LAYOUT)
		return split_count(p) > 1;
	/* A model without experts that was given a size for some gives it up: ranks of experts that are not there
	 * are counted all the same. */
	if (f == FIELD_EP)
		return plan_has_experts(p) || p->parallel.ep > 1;
	if (f == FIELD_ETP)
		return (plan_has_experts(p) || (p->parallel.etp > 1 && p->parallel.etp != p->parallel.tp)) &&
		    (framework_rules(p) & RULES_VLLM) == 0;
	if (f == FIELD_DP_REPLICATE)
		return (framework_rules(p) & RULES_COPIES) != 0 && !plan_has_rl(p);
	if (f == FIELD_ROLLOUT_TP || f == FIELD_RL_OFFLOAD)
		return plan_has_rollouts(p);
	if (f == FIELD_ENGINE_SLEEP || f == FIELD_ROLLOUT_GPUS)
		return plan_has_rollouts(p) &&
		    (p->rl.placement == RL_SPLIT) == (f == FIELD_ROLLOUT_GPUS);
	return true;
}

enum { GROUP_MAX = 16 };

/* The fields of a group that mean something in a plan; FIELD_NAME, which is 0, ends a row. */
static int
fields_of(enum wish_group g, const struct plan *p, enum field_id fields[GROUP_MAX])
{
	static const enum field_id rows[2][WISH_GROUPS][GROUP_MAX] = {
		[MODE_TRAIN] = {
			[WISH_SIZES] = { FIELD_TP, FIELD_CP, FIELD_PP, FIELD_VPP, FIELD_PIPELINE_LAYOUT,
			  FIELD_ZERO_STAGE, FIELD_DP_REPLICATE, FIELD_MICRO_BATCH_SIZE, FIELD_RECOMPUTE, FIELD_EP,
			  FIELD_ETP,
			  FIELD_ROLLOUT_GPUS, FIELD_ROLLOUT_TP, FIELD_ENGINE_SLEEP, FIELD_RL_OFFLOAD },
			[WISH_SCHEDULE] = { FIELD_SCHEDULE }, [WISH_FORMATS] = { FIELD_PRECISION },
			[WISH_BATCH] = { FIELD_GLOBAL_BATCH_SIZE } },
		[MODE_SERVE] = {
			[WISH_SIZES] = { FIELD_TP, FIELD_PP, FIELD_DP_ATTENTION, FIELD_DCP, FIELD_REPLICAS,
			  FIELD_EP },
			[WISH_FORMATS] = { FIELD_WEIGHT_DTYPE, FIELD_KV_DTYPE },
			[WISH_BATCH] = { FIELD_CONCURRENCY } },
	};
	const enum field_id *row = rows[p->mode == MODE_SERVE][g];
	int n = 0;

	for (int i = 0; g != WISH_SWITCHES && i < GROUP_MAX && row[i] != FIELD_NAME; i++)
		if (has_size(row[i], p))
			fields[n++] = row[i];
	for (int i = 0; g == WISH_SWITCHES && i < SWITCHES; i++)
		if (switch_is_built(&switch_table[i], p))
			fields[n++] = switch_table[i].field;
	return n;
}

bool
wishes_free_group(struct wishes *w, enum wish_group g, const struct plan *p)
{
	enum field_id fields[GROUP_MAX];
	const int n = fields_of(g, p, fields);
	bool room = true;

	for (int i = 0; i < n; i++) {
		const int at = wishes_find(w, fields[i]);

		if (at < w->count)
			w->item[at].asked = true;
		else
			room &= wishes_free(w, fields[i], NULL);
	}
	return room;
}

void
wishes_fix_group(struct wishes *w, enum wish_group g, const struct plan *p)
{
	enum field_id fields[GROUP_MAX];
	const int n = fields_of(g, p, fields);

	for (int i = 0; i < n; i++)
		wishes_fix(w, fields[i]);
}

void
wishes_usual(struct wishes *w, const struct plan *p)
{
	w->count = 0;
	wishes_free_group(w, WISH_SIZES, p);
	if (!plan_has_rl(p))
		wishes_free_group(w, WISH_SWITCHES, p);
	for (int i = 0; i < w->count; i++)
		w->item[i].asked = false;
}

static bool
give_up(struct wishes *w, enum field_id f)
{
	const int at = wishes_find(w, f);

	if (at == w->count || w->item[at].asked)
		return false;
	wishes_fix(w, f);
	return true;
}

bool
wishes_give_up(struct wishes *w)
{
	if (give_up(w, FIELD_DP_REPLICATE))
		return true;
	for (int moves = 0; moves <= 1; moves++) /* those that make room last */
		for (int i = SWITCHES - 1; i >= 0; i--)
			if ((switch_table[i].memory != MEMORY_ANY) == (moves > 0) &&
			    give_up(w, switch_table[i].field))
				return true;
	return false;
}
