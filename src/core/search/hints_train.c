/* What a training plan may be poor in. */
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/search/hint_rows.h"

#define NARAYANAN "Narayanan et al. 2021, arXiv 2104.04473, "

static const double share_least = 5; /* percent of a step that is worth a word */

static double
percent(double part, double of)
{
	return of > 0 ? 100 * part / of : 0;
}

/* Seconds of a step that traffic of this dimension adds. */
static double
exposed(const struct estimate *e, enum traffic_dim dim)
{
	double sum = 0;

	for (size_t i = 0; i < e->traffic.count; i++)
		if (e->traffic.row[i].dim == dim)
			sum += e->traffic.row[i].exposed_seconds;
	return sum;
}

/* Exposed traffic of a dimension as percent of the step, where the dimension's groups lie on several domains. */
static double
across(const struct estimate *e, enum traffic_dim dim)
{
	for (size_t i = 0; i < e->traffic.count; i++)
		if (e->traffic.row[i].dim == dim &&
		    e->traffic.row[i].span.kind != SPAN_NVLINK)
			return percent(exposed(e, dim), e->step.seconds);
	return 0;
}

HINT(poor_bubble)
{
	const double idle = percent(e->step.bubble_seconds, e->step.seconds);

	return idle >= 2 * share_least && HINT_SAY("the pipeline idles %.0f %% of the step, PP %lld with "
	    "%lld micro-batch%s", idle, N(p->parallel.pp), N(e->microbatches),
	    TEXT_ENDING(e->microbatches, "es"));
}

#define CROSSES "%s %lld crosses the network and takes %.0f %% of the step"

HINT_IF(poor_tp_network, across(e, TRAFFIC_TP) >= share_least, CROSSES, "TP", N(p->parallel.tp), across(e, TRAFFIC_TP))

HINT_IF(poor_cp_network, across(e, TRAFFIC_CP) >= share_least, CROSSES, "CP", N(p->parallel.cp), across(e, TRAFFIC_CP))

HINT_IF(poor_ep_network, across(e, TRAFFIC_EP) >= share_least, CROSSES, "EP", N(p->parallel.ep), across(e, TRAFFIC_EP))

HINT(poor_gradients)
{
	const double share = percent(exposed(e, TRAFFIC_DP) + exposed(e, TRAFFIC_EDP), e->step.seconds);

	return share >= share_least &&
	    HINT_SAY("traffic of DP %lld that nothing hides takes %.0f %% of the step", N(e->dp), share);
}

HINT(poor_recompute)
{
	const double share = percent(e->step.recompute_seconds, e->step.seconds);

	return share >= share_least && HINT_SAY("recompute takes %.0f %% of the step, and memory is left",
	    share);
}

HINT_IF(poor_products, p->parallel.tp > 1,
    "TP %lld splits more than memory needs: MFU %.0f %%", N(p->parallel.tp), 100 * e->step.mfu)

HINT_IF(poor_micro_batch, true,
    "micro-batches of %lld leave small matrix products: MFU %.0f %%", N(p->training.micro_batch_size),
    100 * e->step.mfu)

HINT(poor_sequence)
{
	const struct memory *m = &e->stage[e->peak_stage].memory;

	return p->parallel.cp == 1 && m->activations > m->total / 2 &&
	    p->training.sequence_length >= 32768 &&
	    HINT_SAY("activations of %lld tokens at CP 1 are %.1f of %.1f GiB",
	    N(p->training.sequence_length), m->activations / GIB, m->total / GIB);
}

HINT(poor_optimizer)
{
	const struct memory *m = &e->stage[e->peak_stage].memory;

	return p->parallel.zero_stage == 0 && e->dp > 1 &&
	    HINT_SAY("each of DP %lld keeps the whole optimizer state, %.1f GiB", N(e->dp),
	    m->optimizer / GIB);
}

/* The row that a level of the network leaves least of its cards, where it shows. */
HINT(poor_level)
{
	const struct traffic_row *most = NULL;
	double share;

	for (size_t i = 0; i < e->traffic.count; i++) {
		const struct traffic_row *row = &e->traffic.row[i];

		if (row->span.level.ring > 0 && (most == NULL || row->exposed_seconds > most->exposed_seconds))
			most = row;
	}
	share = most != NULL ? percent(exposed(e, most->dim), e->step.seconds) : 0;
	return p->parallel.pp > 0 && most != NULL && share >= share_least && HINT_SAY("%s over %lld GPUs crosses a level "
	    "that leaves it %.0f %% of its cards' rate, and takes %.0f %% of the step",
	    traffic_dim_name(most->dim), N(most->span.size), 100 * (1 - most->span.level.ring), share);
}

static const struct hint_row rows[] = {
	{ "level_crossed", FIELD_ORDER, "Grattafiori et al. 2024, arXiv 2407.21783, section 3.3.3", HINT_TIME,
	  0, { FIELD_ORDER, FIELD_NONE }, poor_level },
	{ "tp_over_network", FIELD_TP, NARAYANAN "section 3.2", HINT_TIME, 0,
	  { FIELD_ORDER, FIELD_TP, FIELD_NONE }, poor_tp_network },
	{ "cp_over_network", FIELD_CP, "Grattafiori et al. 2024, arXiv 2407.21783, section 3.3.2",
	  HINT_TIME, 0, { FIELD_ORDER, FIELD_CP, FIELD_CP_COMM, FIELD_NONE }, poor_cp_network },
	{ "ep_over_network", FIELD_EP, "DeepSeek-AI 2024, arXiv 2412.19437, section 3.2.2", HINT_TIME, 0,
	  { FIELD_ORDER, FIELD_EP, FIELD_ETP, FIELD_MOE_OVERLAP, FIELD_NONE }, poor_ep_network },
	{ "pipeline_bubble", FIELD_PP, NARAYANAN "section 2.2", HINT_TIME, 0,
	  { FIELD_VPP, FIELD_PP, FIELD_MICRO_BATCH_SIZE, FIELD_TP, FIELD_CP }, poor_bubble },
	{ "recompute_not_needed", FIELD_RECOMPUTE, "Korthikanti et al. 2022, arXiv 2205.05198", HINT_TIME,
	  0, { FIELD_RECOMPUTE, FIELD_NONE }, poor_recompute },
	{ "gradient_traffic", FIELD_GLOBAL_BATCH_SIZE, NARAYANAN "section 3.3", HINT_TIME, 0,
	  { FIELD_OVERLAP_GRAD_REDUCE, FIELD_OVERLAP_PARAM_GATHER, FIELD_ZERO_STAGE, FIELD_PP,
	    FIELD_NONE }, poor_gradients },
	{ "micro_batch_small", FIELD_MICRO_BATCH_SIZE, NARAYANAN "section 3.4", HINT_TIME, 1,
	  { FIELD_MICRO_BATCH_SIZE, FIELD_NONE }, poor_micro_batch },
	{ "tp_more_than_needed", FIELD_TP, NARAYANAN "section 3.2", HINT_TIME, -1,
	  { FIELD_TP, FIELD_NONE }, poor_products },
	{ "zero_off", FIELD_ZERO_STAGE, "Rajbhandari et al. 2020, arXiv 1910.02054, section 5", HINT_MEMORY, 1,
	  { FIELD_ZERO_STAGE, FIELD_NONE }, poor_optimizer },
	{ "sequence_whole", FIELD_CP, "Liu et al. 2023, arXiv 2310.01889", HINT_MEMORY, 1,
	  { FIELD_CP, FIELD_NONE }, poor_sequence },
};
enum { ROWS = sizeof rows / sizeof *rows };
_Static_assert((int)ROWS <= (int)HINT_ROWS_MAX, "there is room for the proof of each");

const struct hint_row *
hint_rows_train(size_t *count)
{
	*count = ROWS;
	return rows;
}
