#include "core/search/search_wishes.h"

#include "core/framework/framework.h"
#include "core/search/search_split.h"

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
	w->item[i] = (struct wish){ f, values };
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

void
wishes_usual(struct wishes *w, const struct plan *p)
{
	static const enum field_id train[] = { FIELD_TP, FIELD_CP, FIELD_PP, FIELD_VPP,
		FIELD_PIPELINE_LAYOUT, FIELD_ZERO_STAGE, FIELD_MICRO_BATCH_SIZE, FIELD_RECOMPUTE, FIELD_EP, FIELD_ETP };
	static const enum field_id serve[] = { FIELD_TP, FIELD_PP, FIELD_DP_ATTENTION, FIELD_DCP,
		FIELD_REPLICAS, FIELD_EP };
	const bool serves = p->mode == MODE_SERVE;
	const enum field_id *usual = serves ? serve : train;
	const size_t n = serves ? sizeof serve / sizeof *serve : sizeof train / sizeof *train;

	w->count = 0;
	for (size_t i = 0; i < n; i++) {
		const bool of_experts = usual[i] == FIELD_EP || usual[i] == FIELD_ETP;

		if (usual[i] == FIELD_PIPELINE_LAYOUT && split_count(p) == 1)
			continue;
		/* vLLM spreads experts over all ranks: EP has no size there (ep_has_no_size). */
		if (!of_experts ||
		    (plan_has_experts(p) && (framework_rules(p) & RULES_VLLM) == 0))
			wishes_free(w, usual[i], NULL);
	}
}
