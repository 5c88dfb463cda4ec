#include "core/search/advice_hints.h"

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/estimate/scope.h"
#include "core/rules/check.h"
#include "core/search/advice.h"

#define NARAYANAN "Narayanan et al. 2021, arXiv 2104.04473, "

enum {
	VALUES_EACH_WAY = 4,
	FIELDS_OF_A_ROW = 5,
	REASON_SIZE = 160,
};

static const double share_least = 5; /* percent of a step that is worth a word */

/* What a plan is poor in, and the fields of which a change may mend it. */
struct row {
	const char *reason;
	enum field_id field;
	const char *source;
	bool memory;  /* what it gains is memory, at no cost in time; else time */
	int way;      /* only smaller values (-1), only larger ones (1), any (0) */
	enum field_id change[FIELDS_OF_A_ROW]; /* FIELD_NONE ends it */
	/* Whether the plan is, with the number that tells it. */
	bool (*poor)(const struct plan *p, const struct estimate *e, char *text, size_t size);
};

#define SAY(...) (text_put(text, size, __VA_ARGS__), true)
#define N(value) ((long long)(value))

/* ---- what is poor ------------------------------------------------------------------- */

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

/* The same as percent of the step, where the dimension's groups lie on several domains. */
static double
across(const struct estimate *e, enum traffic_dim dim)
{
	for (size_t i = 0; i < e->traffic.count; i++)
		if (e->traffic.row[i].dim == dim &&
		    e->traffic.row[i].span.kind != SPAN_NVLINK)
			return percent(exposed(e, dim), e->step.seconds);
	return 0;
}

static bool
poor_bubble(const struct plan *p, const struct estimate *e, char *text, size_t size)
{
	const double idle = percent(e->step.bubble_seconds, e->step.seconds);

	return idle >= 2 * share_least && SAY("the pipeline idles %.0f %% of the step, PP %lld with "
	    "%lld micro-batches", idle, N(p->parallel.pp), N(e->microbatches));
}

static bool
crosses(const struct estimate *e, enum traffic_dim dim, const char *name, int64_t n, char *text,
    size_t size)
{
	const double share = across(e, dim);

	return share >= share_least && SAY("%s %lld crosses the network and takes %.0f %% of the step",
	    name, N(n), share);
}

static bool
poor_tp_network(const struct plan *p, const struct estimate *e, char *text, size_t size)
{
	return crosses(e, TRAFFIC_TP, "TP", p->parallel.tp, text, size);
}

static bool
poor_cp_network(const struct plan *p, const struct estimate *e, char *text, size_t size)
{
	return crosses(e, TRAFFIC_CP, "CP", p->parallel.cp, text, size);
}

static bool
poor_ep_network(const struct plan *p, const struct estimate *e, char *text, size_t size)
{
	return crosses(e, TRAFFIC_EP, "EP", p->parallel.ep, text, size);
}

static bool
poor_gradients(const struct plan *p, const struct estimate *e, char *text, size_t size)
{
	const double share = percent(exposed(e, TRAFFIC_DP) + exposed(e, TRAFFIC_EDP), e->step.seconds);

	(void)p;
	return share >= share_least &&
	    SAY("traffic of DP %lld that nothing hides takes %.0f %% of the step", N(e->dp), share);
}

static bool
poor_recompute(const struct plan *p, const struct estimate *e, char *text, size_t size)
{
	const double share = percent(e->step.recompute_seconds, e->step.seconds);

	(void)p;
	return share >= share_least && SAY("recompute takes %.0f %% of the step, and memory is left",
	    share);
}

static bool
poor_products(const struct plan *p, const struct estimate *e, char *text, size_t size)
{
	return p->parallel.tp > 1 && SAY("TP %lld splits more than memory needs: MFU %.0f %%",
	    N(p->parallel.tp), 100 * e->step.mfu);
}

static bool
poor_micro_batch(const struct plan *p, const struct estimate *e, char *text, size_t size)
{
	return SAY("micro-batches of %lld leave small matrix products: MFU %.0f %%",
	    N(p->training.micro_batch_size), 100 * e->step.mfu);
}

static bool
poor_sequence(const struct plan *p, const struct estimate *e, char *text, size_t size)
{
	const struct memory *m = &e->stage[e->peak_stage].memory;

	return p->parallel.cp == 1 && m->activations > m->total / 2 &&
	    p->training.sequence_length >= 32768 &&
	    SAY("activations of %lld tokens at CP 1 are %.1f of %.1f GiB",
	    N(p->training.sequence_length), m->activations / GIB, m->total / GIB);
}

static bool
poor_optimizer(const struct plan *p, const struct estimate *e, char *text, size_t size)
{
	const struct memory *m = &e->stage[e->peak_stage].memory;

	return p->parallel.zero_stage == 0 && e->dp > 1 &&
	    SAY("each of DP %lld keeps the whole optimizer state, %.1f GiB", N(e->dp),
	    m->optimizer / GIB);
}

/* One that comes first takes a change away from the others. */
static const struct row rows[] = {
	{ "tp_over_network", FIELD_TP, NARAYANAN "section 3.2", false, 0,
	  { FIELD_ORDER, FIELD_TP, FIELD_NONE }, poor_tp_network },
	{ "cp_over_network", FIELD_CP, "Grattafiori et al. 2024, arXiv 2407.21783, section 3.3.2",
	  false, 0, { FIELD_ORDER, FIELD_CP, FIELD_CP_COMM, FIELD_NONE }, poor_cp_network },
	{ "ep_over_network", FIELD_EP, "DeepSeek-AI 2024, arXiv 2412.19437, section 3.2.2", false, 0,
	  { FIELD_ORDER, FIELD_EP, FIELD_ETP, FIELD_MOE_OVERLAP, FIELD_NONE }, poor_ep_network },
	{ "pipeline_bubble", FIELD_PP, NARAYANAN "section 2.2", false, 0,
	  { FIELD_VPP, FIELD_PP, FIELD_MICRO_BATCH_SIZE, FIELD_NONE }, poor_bubble },
	{ "recompute_not_needed", FIELD_RECOMPUTE, "Korthikanti et al. 2022, arXiv 2205.05198", false,
	  0, { FIELD_RECOMPUTE, FIELD_NONE }, poor_recompute },
	{ "gradient_traffic", FIELD_GLOBAL_BATCH_SIZE, NARAYANAN "section 3.3", false, 0,
	  { FIELD_OVERLAP_GRAD_REDUCE, FIELD_OVERLAP_PARAM_GATHER, FIELD_ZERO_STAGE, FIELD_PP,
	    FIELD_NONE }, poor_gradients },
	{ "micro_batch_small", FIELD_MICRO_BATCH_SIZE, NARAYANAN "section 3.4", false, 1,
	  { FIELD_MICRO_BATCH_SIZE, FIELD_NONE }, poor_micro_batch },
	{ "tp_more_than_needed", FIELD_TP, NARAYANAN "section 3.2", false, -1,
	  { FIELD_TP, FIELD_NONE }, poor_products },
	{ "zero_off", FIELD_ZERO_STAGE, "Rajbhandari et al. 2020, arXiv 1910.02054, section 5", true, 1,
	  { FIELD_ZERO_STAGE, FIELD_NONE }, poor_optimizer },
	{ "sequence_whole", FIELD_CP, "Liu et al. 2023, arXiv 2310.01889", true, 1,
	  { FIELD_CP, FIELD_NONE }, poor_sequence },
};
enum { ROWS = sizeof rows / sizeof *rows };

/* ---- what a change gains ------------------------------------------------------------- */

/* A row that holds, and the change that proves it. */
struct proof {
	const struct row *row;
	char why[REASON_SIZE];
	struct mend mend;  /* changes 0: none was found */
	double gain;       /* share of the step, or of the GPU's memory */
};

struct quest {
	const struct plan *plan;
	const struct catalog *catalog;
	struct scope *scope;
	struct estimate *work;
	struct outlook now;
	size_t warnings;
	size_t count;
	struct proof proof[ROWS]; /* the largest gain first, time before memory */
};

/* What the changed plan gains, 0 where that is nothing to speak of. */
static double
gain_of(const struct quest *q, const struct row *row, const struct outlook *o)
{
	const double time = 1 - o->cost / q->now.cost;
	const double memory = (q->now.memory - o->memory) / q->now.capacity;

	if (!row->memory)
		return time > HINT_GAIN_LEAST ? time : 0;
	return memory > HINT_MEMORY_LEAST && time > -HINT_GAIN_LEAST ? memory : 0;
}

static void
prove_value(const struct quest *q, enum field_id f, const struct value *v, struct proof *best)
{
	struct mend m = { .changes = 1, .change[0].field = f };
	struct plan next;
	double gain;

	text_put(m.change[0].value, sizeof m.change[0].value, "%s", v->text);
	if (!advice_apply(&m, q->plan, q->catalog, &next) ||
	    !outlook_of(&m.outlook, &next, q->scope, q->work) || !m.outlook.fits ||
	    (m.outlook.tight && !q->now.tight))
		return;
	gain = gain_of(q, best->row, &m.outlook);
	if (!(gain > best->gain) || advice_warnings(&next, q->catalog) > q->warnings)
		return;
	best->mend = m;
	best->gain = gain;
}

/* The best change of a row's fields. */
static void
prove(const struct quest *q, struct proof *best)
{
	const struct row *row = best->row;
	struct values values;

	for (int i = 0; i < FIELDS_OF_A_ROW && row->change[i] != FIELD_NONE; i++) {
		int tried[3] = { 0, 0, 0 };

		values_steps(&values, q->plan, row->change[i]);
		for (size_t v = 0; v < values.count; v++) {
			const int way = values.item[v].way;

			if ((row->way == 0 || way == row->way) && tried[way + 1]++ < VALUES_EACH_WAY)
				prove_value(q, row->change[i], &values.item[v], best);
		}
	}
}

/* One change is told of once, by the first row that it mends. */
static bool
is_told(const struct quest *q, const struct field_change *c)
{
	for (size_t i = 0; i < q->count; i++)
		if (q->proof[i].mend.change[0].field == c->field)
			return true;
	return false;
}

static void
keep(struct quest *q, const struct proof *proof)
{
	size_t at = q->count++;

	for (; at > 0; at--) {
		const struct proof *before = &q->proof[at - 1];

		if (before->row->memory == proof->row->memory ? before->gain >= proof->gain :
		    proof->row->memory)
			break;
		q->proof[at] = *before;
	}
	q->proof[at] = *proof;
}

static void
note(const struct quest *q, const struct proof *proof, struct diag_list *diags)
{
	const struct outlook *o = &proof->mend.outlook;
	char what[ADVICE_TEXT_SIZE], then[32], now[32], time[128], memory[128];
	struct diag *d;

	advice_what(&proof->mend, what, sizeof what);
	advice_seconds(o->seconds, then, sizeof then);
	advice_seconds(q->now.seconds, now, sizeof now);
	text_put(time, sizeof time, "%s a step instead of %s (%+.1f %%)", then, now,
	    100 * (o->cost / q->now.cost - 1));
	text_put(memory, sizeof memory, "%.1f GiB instead of %.1f GiB", o->memory / GIB,
	    q->now.memory / GIB);
	d = diag_add(diags, SEVERITY_HINT, proof->row->field, proof->row->reason, proof->row->source,
	    "%s; %s: %s, %s", proof->why, what, proof->row->memory ? memory : time,
	    proof->row->memory ? time : memory);
	if (d != NULL)
		advice_fix(&proof->mend, d);
}

void
advice_hints(const struct plan *p, const struct catalog *catalog, const struct estimate *e,
    struct estimate *work, struct diag_list *diags)
{
	struct scope scope;
	struct quest q = { .plan = p, .catalog = catalog, .scope = &scope, .work = work };

	scope_init(&scope, catalog);
	if (!e->legal || !e->timed || !outlook_of(&q.now, p, &scope, work) || !q.now.fits ||
	    q.now.cost <= 0)
		return;
	q.warnings = advice_warnings(p, catalog);
	for (size_t i = 0; i < ROWS; i++) {
		struct proof proof = { .row = &rows[i] };

		if (!rows[i].poor(p, e, proof.why, sizeof proof.why))
			continue;
		prove(&q, &proof);
		if (proof.gain > 0 && !is_told(&q, &proof.mend.change[0]))
			keep(&q, &proof);
	}
	for (size_t i = 0; i < q.count && i < HINTS_MOST; i++)
		note(&q, &q.proof[i], diags);
}
