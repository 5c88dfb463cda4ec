#include "core/search/advice_hints.h"

#include <math.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/estimate/scope.h"
#include "core/plan/pool.h"
#include "core/search/advice.h"
#include "core/search/hint_rows.h"

#define GAIN_STEP 0.001 /* gains that lie closer together are as good */

enum { VALUES_EACH_WAY = 4, REASON_SIZE = 160 };

/* What a plan comes to, as hints count it. Of a serving plan: */
struct worth {
	double time;    /* GPU-seconds of a token; a request from its sending to its last token */
	double memory;  /* bytes on the fullest GPU */
	double first;   /* seconds to the first token */
	double room;    /* requests that the KV cache holds */
	double tokens;  /* a second and GPU */
};

/* A row that holds, and the change that proves it. */
struct proof {
	const struct hint_row *row;
	char why[REASON_SIZE];
	struct mend mend;  /* changes 0: none was found */
	struct worth worth;
	double gain;       /* share of the time, or of what the GPU has; times as much less one */
};

struct quest {
	const struct plan *plan;
	const struct catalog *catalog;
	struct scope *scope;
	struct estimate *work;
	struct outlook now;
	struct worth worth;
	size_t warnings;
	size_t count;
	struct proof proof[HINT_ROWS_MAX]; /* by what they gain, the largest gain first */
};

/* Of a legal plan that was estimated. */
static struct worth
worth_of(const struct plan *p, const struct estimate *e, const struct outlook *o)
{
	const struct serve *s = &e->serve;

	if (!o->serves)
		return (struct worth){ .time = o->cost, .memory = o->memory };
	return (struct worth){ .memory = o->memory, .first = s->ttft_seconds,
		.time = s->tpot_seconds > 0 ?
		    s->ttft_seconds + s->tpot_seconds * (double)p->serving.generate_tokens : HUGE_VAL,
		.room = s->max_concurrency * (double)p->serving.replicas,
		.tokens = s->tokens_per_second_per_gpu };
}

/* The share that is saved; 0 where that is less than the noise. */
static double
saved(double is, double was, double of, double noise)
{
	const double share = of > 0 ? (was - is) / of : 0;

	return share > noise ? share : 0;
}

/* What the changed plan gains, 0 where that is nothing to speak of, or takes time. */
static double
gain_of(const struct quest *q, enum hint_gain gain, const struct worth *w)
{
	const struct worth *now = &q->worth;
	const double noise = q->now.serves ? HINT_SERVE_LEAST : HINT_GAIN_LEAST;

	if (gain == HINT_TIME)
		return saved(w->time, now->time, now->time, noise);
	if (w->time >= now->time * (1 + noise))
		return 0;
	switch (gain) {
	case HINT_FIRST:
		return saved(w->first, now->first, now->first, HINT_FIRST_LEAST);
	case HINT_MEMORY:
		return saved(w->memory, now->memory, q->now.capacity, HINT_MEMORY_LEAST);
	case HINT_ROOM:
		return saved(-w->room, -now->room, now->room, HINT_SERVE_LEAST);
	default:
		return saved(-w->tokens, -now->tokens, now->tokens, HINT_TOKENS_LEAST);
	}
}

static void
try_change(const struct quest *q, struct mend *m, struct proof *best)
{
	struct plan next;
	struct worth worth;
	double gain;

	if (!advice_apply(m, q->plan, q->catalog, &next) ||
	    !outlook_of(&m->outlook, &next, q->scope, q->work) || !m->outlook.fits ||
	    (m->outlook.tight && !q->now.tight))
		return;
	worth = worth_of(&next, q->work, &m->outlook);
	gain = gain_of(q, best->row->gain, &worth);
	/* Of what is as good the nearest, which came first. */
	if (!(gain > best->gain + GAIN_STEP) || advice_warnings(&next, q->catalog) > q->warnings)
		return;
	best->mend = *m;
	best->worth = worth;
	best->gain = gain;
}

/* Another field takes up what the change leaves: their product stays. */
static void
try_both(const struct quest *q, struct mend m, enum field_id other, struct proof *best)
{
	const int64_t both = field_int(m.change[0].field, q->plan) * field_int(other, q->plan);
	int64_t n;

	if (!text_to_int(m.change[0].value, &n) || n < 1 || both % n != 0)
		return;
	m.changes = 2;
	m.change[1].field = other;
	text_put(m.change[1].value, sizeof m.change[1].value, "%lld", N(both / n));
	try_change(q, &m, best);
}

/* Engines that decode take up the GPUs that the prefill workers leave. */
static void
try_rest(const struct quest *q, struct mend m, struct proof *best)
{
	const int64_t engine = pool_rest(q->plan) / most_of(1, q->plan->serving.replicas);
	struct plan next;

	if (!advice_apply(&m, q->plan, q->catalog, &next) || engine < 1 ||
	    pool_rest(&next) % engine != 0)
		return;
	m.changes = 2;
	m.change[1].field = FIELD_REPLICAS;
	text_put(m.change[1].value, sizeof m.change[1].value, "%lld", N(pool_rest(&next) / engine));
	try_change(q, &m, best);
}

/* An engine keeps its GPUs, or all engines together do. */
static void
prove_value(const struct quest *q, enum field_id f, const struct value *v, struct proof *best)
{
	struct mend m = { .changes = 1, .change[0].field = f };

	text_put(m.change[0].value, sizeof m.change[0].value, "%s", v->text);
	try_change(q, &m, best);
	if (f == FIELD_PREFILL_WORKERS)
		try_rest(q, m, best);
	if (!q->now.serves || (f != FIELD_TP && f != FIELD_PP))
		return;
	try_both(q, m, f == FIELD_TP ? FIELD_PP : FIELD_TP, best);
	try_both(q, m, FIELD_REPLICAS, best);
}

/* The best change of a row's fields. */
static void
prove(const struct quest *q, struct proof *best)
{
	const struct hint_row *row = best->row;
	struct values values;

	for (int i = 0; i < HINT_FIELDS && row->change[i] != FIELD_NONE; i++) {
		const enum field_id f = row->change[i];
		/* A limit of 0 is the engine's own, which may be far, as may be the best pool. */
		const int most = f == FIELD_MAX_NUM_SEQS || f == FIELD_PREFILL_WORKERS ? VALUES_MAX :
		    VALUES_EACH_WAY;
		int tried[3] = { 0, 0, 0 };

		values_steps(&values, q->plan, f);
		for (size_t v = 0; v < values.count; v++) {
			const int way = values.item[v].way;

			if ((row->way == 0 || way == row->way) && tried[way + 1]++ < most)
				prove_value(q, f, &values.item[v], best);
		}
	}
}

static bool
changes(const struct mend *m, enum field_id f)
{
	for (int i = 0; i < m->changes; i++)
		if (m->change[i].field == f)
			return true;
	return false;
}

/* One field is told of once, by the first row that it mends, and so is one reason. */
static bool
is_told(const struct quest *q, const struct proof *proof)
{
	for (size_t i = 0; i < q->count; i++) {
		if (text_equal(q->proof[i].row->reason, proof->row->reason))
			return true;
		for (int k = 0; k < proof->mend.changes; k++)
			if (changes(&q->proof[i].mend, proof->mend.change[k].field))
				return true;
	}
	return false;
}

static void
keep_proof(struct quest *q, const struct proof *proof)
{
	size_t at = q->count++;

	for (; at > 0; at--) {
		const struct proof *before = &q->proof[at - 1];

		if (before->row->gain == proof->row->gain ? before->gain >= proof->gain :
		    before->row->gain < proof->row->gain)
			break;
		q->proof[at] = *before;
	}
	q->proof[at] = *proof;
}

/* ---- in words ------------------------------------------------------------------------ */

enum { PART_SIZE = 128, CHANGE_SIZE = 64 };

/* "step 1.4 -> 1.2 s (-14.3 %)" */
static void
put_time(const struct quest *q, const struct proof *proof, char *buf, size_t size)
{
	const bool serves = q->now.serves;
	char then[32], now[32], change[CHANGE_SIZE];

	advice_seconds(serves ? proof->worth.time : proof->mend.outlook.seconds, then, sizeof then);
	advice_seconds(serves ? q->worth.time : q->now.seconds, now, sizeof now);
	units_from_to(now, then, change, sizeof change);
	text_put(buf, size, "%s %s (%+.1f %%)", serves ? "request" : "step", change,
	    100 * (proof->worth.time / q->worth.time - 1));
}

/* What is gained beside time, or comes with it. */
static void
put_other(const struct quest *q, const struct proof *proof, char *buf, size_t size)
{
	const struct worth *w = &proof->worth, *now = &q->worth;
	char then[32], was[32], change[CHANGE_SIZE];

	if (!q->now.serves)
		text_put(buf, size, "memory %.1f -> %.1f GiB", now->memory / GIB, w->memory / GIB);
	else if (proof->row->gain == HINT_ROOM)
		text_put(buf, size, "KV cache for %.0f -> %.0f requests", now->room, w->room);
	else if (proof->row->gain == HINT_TOKENS)
		text_put(buf, size, "%.0f -> %.0f tokens/s of a GPU (%+.0f %%)", now->tokens, w->tokens,
		    100 * (w->tokens / now->tokens - 1));
	else {
		advice_seconds(w->first, then, sizeof then);
		advice_seconds(now->first, was, sizeof was);
		units_from_to(was, then, change, sizeof change);
		text_put(buf, size, "TTFT %s", change);
	}
}

/* The numbers first: a narrow line is cut at its end. */
static void
note_hint(const struct quest *q, const struct proof *proof, struct diag_list *diags)
{
	const bool time = proof->row->gain == HINT_TIME;
	char what[ADVICE_TEXT_SIZE], part[2][PART_SIZE];
	struct diag *d;

	advice_what(&proof->mend, what, sizeof what);
	put_time(q, proof, part[!time], PART_SIZE);
	put_other(q, proof, part[time], PART_SIZE);
	d = diag_add(diags, SEVERITY_HINT, proof->row->field, proof->row->reason, proof->row->source,
	    "%s: %s, %s; %s", what, part[0], part[1], proof->why);
	if (d != NULL)
		advice_fix(&proof->mend, d);
}

/* Weights in 16 bits have copies in 32, gradients in 32 stay: what is saved is activations. */
static void
note_precision(const struct quest *q, struct diag_list *diags)
{
	const int64_t precision = q->plan->training.precision;
	struct mend m = { .changes = 1, .change[0] = { FIELD_PRECISION, "fp32" } };
	struct plan next;

	if (q->now.serves || (precision != PRECISION_BF16 && precision != PRECISION_FP16) ||
	    !advice_apply(&m, q->plan, q->catalog, &next) ||
	    !outlook_of(&m.outlook, &next, q->scope, q->work) || m.outlook.memory > q->now.memory)
		return;
	diag_add(diags, SEVERITY_HINT, FIELD_PRECISION, "mixed_saves_nothing",
	    "Micikevicius et al. 2018, arXiv 1710.03740", "mixed precision saves no memory here, only "
	    "time: %.2f GiB, %.2f GiB in fp32; master weights, moments and gradients stay in 32 bits, and "
	    "activations are few", q->now.memory / GIB, m.outlook.memory / GIB);
}

void
advice_hints(const struct plan *p, const struct catalog *catalog, const struct estimate *e,
    struct estimate *work, struct diag_list *diags)
{
	struct scope scope;
	struct quest q = { .plan = p, .catalog = catalog, .scope = &scope, .work = work };
	const struct hint_row *row;
	size_t rows;

	scope_init(&scope, catalog);
	if (!e->legal || !(e->timed || e->served) || !outlook_of(&q.now, p, &scope, work) ||
	    !q.now.fits || q.now.cost <= 0)
		return;
	q.worth = worth_of(p, work, &q.now);
	q.warnings = advice_warnings(p, catalog);
	row = e->served ? hint_rows_serve(&rows) : hint_rows_train(&rows);
	for (size_t i = 0; i < rows; i++) {
		struct proof proof = { .row = &row[i] };

		if (!row[i].poor(p, e, proof.why, sizeof proof.why))
			continue;
		prove(&q, &proof);
		if (proof.gain > 0 && !is_told(&q, &proof))
			keep_proof(&q, &proof);
	}
	for (size_t i = 0; i < q.count && i < HINTS_MOST; i++)
		note_hint(&q, &q.proof[i], diags);
	if (q.count < HINTS_MOST)
		note_precision(&q, diags);
}
