#include "core/diagnose/attribute.h"

#include <math.h>
#include <string.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/diagnose/quantity.h"
#include "core/estimate/result.h"
#include "core/framework/resolve.h"

/* Odds that words add: of a cause that lines state, and that they support. */
#define STATED 6.0
#define SUPPORTED 2.0

/* A cause that does less of the difference is not worth a line. */
#define WORTH 0.03

/* Other causes nearer than this leave none likely. */
#define AHEAD 1.5

/* A better setting has to save so much of the time to be told. */
#define WORTH_CHANGING 0.2

/* A line that states a cause of so little is not what is wrong. */
#define STATED_SHARE 0.1

enum { HALVINGS = 40, PAIRED = 10 };

struct view {
	const struct diagnosis *d;
	const struct measured *m;
	const struct catalog *catalog;
	struct estimate *work;
	double cost;          /* measured, of the leading quantity, */
	double estimated;     /* and of the run's plan */
	double deviation;     /* of one estimate of it */
	double plain;         /* log likelihood of all numbers under the run's plan */
};

/* A cause tried on a plan. */
struct trial {
	const struct cause *cause;
	bool legal;
	struct plan plan;
	double cost;          /* of the leading quantity, as estimated or added to */
	double fit;           /* log likelihood of all numbers, less what its freedom costs */
	double own, score;    /* alone, and in the best company */
	double low, high;     /* what it adds to the cost, alone or on top of others */
};

/* ---- how well numbers fit ------------------------------------------------------------ */

/* Which numbers an effect adds to. */
static bool
adds_to(enum effect e, enum measured_id id)
{
	const bool whole = id <= MEASURED_TFLOPS;
	const bool passes = id >= MEASURED_FORWARD && id <= MEASURED_FORWARD_BACKWARD;

	switch (e) {
	case EFFECT_FIELDS: return false;
	case EFFECT_STEP: return whole || id == MEASURED_IDLE;
	case EFFECT_PASSES: return whole || passes || id == MEASURED_IDLE;
	case EFFECT_OPTIMIZER: return whole || id == MEASURED_OPTIMIZER;
	case EFFECT_NETWORK: return whole || passes || id == MEASURED_GRADS_SYNC ||
	    id == MEASURED_PARAMS_GATHER || id == MEASURED_EXPOSED || id == MEASURED_NETWORK_BUS;
	case EFFECT_MEMORY: return id >= MEASURED_ALLOCATED && id <= MEASURED_TOTAL;
	case EFFECT_TOKEN: return id >= MEASURED_TPOT && id <= MEASURED_GENERATED;
	case EFFECT_WAIT: return id >= MEASURED_TTFT && id <= MEASURED_GENERATED;
	case EFFECT_ROLLOUT: return id == MEASURED_RL_STEP || id == MEASURED_RL_ROLLOUT;
	}
	return false;
}

/* One way of telling the speed of a step, and of generation, counts. */
static bool
counts(const struct diagnosis *d, enum measured_id id)
{
	if (id <= MEASURED_TFLOPS || (id >= MEASURED_DECODE && id <= MEASURED_GENERATED))
		return id == d->leading;
	return id != MEASURED_RESERVED;
}

/* Student's t of four degrees: a few runs are far off. */
static double
likelihood(double z)
{
	return -2.5 * log1p(z * z / 4);
}

/* Log likelihood of all numbers under a plan with its estimate in work, and what a cause adds to
 * some of them; c may be NULL. */
static double
fit_of(const struct view *v, const struct plan *p, const struct cause *c)
{
	double sum = 0;

	for (size_t i = 0; i < v->d->terms; i++) {
		const struct diagnosed_term *t = &v->d->term[i];
		const double estimate = quantity_estimate(t->id, p, v->work);
		double worse = quantity_way(t->id) * log(t->measured / estimate);

		if (!(estimate > 0) || !counts(v->d, t->id) || !(t->error > 0))
			continue;
		if (c != NULL && worse > 0 && adds_to(c->effect, t->id))
			worse = larger(0, worse - log1p(c->high));
		sum += likelihood(worse / quantity_deviation(t->id, p, v->work));
	}
	return sum;
}

double
attribute_cost(enum measured_id id, double value, const struct plan *p,
    const struct estimate *e)
{
	const double estimate = quantity_estimate(id, p, e);
	double unit = 1;

	if (quantity_way(id) > 0 || !(value > 0))
		return value;
	if (id == MEASURED_NETWORK_BUS || id == MEASURED_NVLINK_BUS)
		return 1e9 / value;
	if (id > MEASURED_TFLOPS || !result_value(RESULT_STEP, e, e->peak_stage, &unit))
		return 1 / value;
	return unit * estimate / value;
}

/* ---- one cause ------------------------------------------------------------------------- */

static bool
estimate_plan(const struct view *v, struct plan *p, double *cost)
{
	double estimate;

	plan_resolve(p, v->catalog);
	estimate_run(v->work, p, v->catalog, NULL);
	if (!v->work->legal)
		return false;
	estimate = quantity_estimate(v->d->leading, p, v->work);
	*cost = attribute_cost(v->d->leading, estimate, p, v->work);
	return *cost > 0;
}

/* The words of `set` put into a plan; false where it has them all, or takes one not. */
static bool
put_set(const char *set, struct plan *p)
{
	bool changed = false;

	while (set != NULL && *set != '\0') {
		const size_t path = strcspn(set, "="), all = strcspn(set, " ");
		const enum field_id f = field_by_path(set, path);
		const struct plan before = *p;
		char value[DIAGNOSE_VALUE], err[256];

		text_put(value, sizeof value, "%.*s", (int)(all - path - 1), set + path + 1);
		if (f == FIELD_COUNT || !field_parse(f, p, value, err, sizeof err))
			return false;
		changed = changed || (field_table[f].type == FIELD_REAL ?
		    fabs(field_real(f, p) - field_real(f, &before)) > 0 :
		    field_table[f].type == FIELD_TEXT || field_int(f, p) != field_int(f, &before));
		set += all + (set[all] == ' ');
	}
	return changed;
}

/* What shares of a rate are of. */
static double
rate_now(const struct cause *c, const struct plan *p)
{
	if (c->absolute)
		return 1;
	if (c->rate == FIELD_GPU_POWER_WATTS)
		return p->cluster.gpu_power_watts > 0 ? p->cluster.gpu_power_watts : p->cluster.tdp_watts;
	return field_table[c->rate].type == FIELD_INT ? (double)field_int(c->rate, p) :
	    field_real(c->rate, p);
}

static bool
put_rate(const struct cause *c, struct plan *p, double value)
{
	char err[256];

	if (field_table[c->rate].type == FIELD_INT)
		return field_put_int(c->rate, p, llround(larger(1, value)), err, sizeof err);
	return field_put_real(c->rate, p, value, err, sizeof err);
}

/* The cost at a rate; negative where the plan is not legal. */
static double
cost_at(const struct view *v, const struct cause *c, const struct plan *base, double rate,
    struct plan *p)
{
	double cost;

	*p = *base;
	return put_rate(c, p, rate) && estimate_plan(v, p, &cost) ? cost : -1;
}

/* The rate at which the estimate costs what was measured, by halving; the nearest end of what
 * hardware has where none does. *swing: how much the cost may change at all, as a logarithm. */
static bool
solve_rate(const struct view *v, struct trial *t, double *swing)
{
	const struct cause *c = t->cause;
	const struct plan base = t->plan;
	const double now = rate_now(c, &base);
	double low = c->low * now, high = c->high * now;
	const double at_low = cost_at(v, c, &base, low, &t->plan);
	const double at_high = cost_at(v, c, &base, high, &t->plan);
	const bool falls = at_low > at_high;

	if (!(at_low > 0) || !(at_high > 0))
		return false;
	*swing = fabs(log(at_low / at_high));
	for (int i = 0; i < HALVINGS && *swing > 0; i++) {
		const double middle = sqrt(low * high);
		const double cost = cost_at(v, c, &base, middle, &t->plan);

		if (!(cost > 0))
			return false;
		if ((cost > v->cost) == falls)
			low = middle;
		else
			high = middle;
	}
	t->cost = cost_at(v, c, &base, low, &t->plan);
	return t->cost > 0;
}

/* What freedom costs: the share of what could have been measured that one deviation is. */
static double
freedom(const struct view *v, double swing)
{
	return log(larger(1, swing / (2.5 * v->deviation)));
}

/* Put a cause on a plan and weigh it. */
static void
try_cause(const struct view *v, struct trial *t, const struct cause *c, const struct plan *base)
{
	double swing = 0;

	*t = (struct trial){ .cause = c, .plan = *base };
	if ((c->set != NULL && !put_set(c->set, &t->plan) && c->rate == FIELD_NAME) ||
	    (c->change != NULL && !c->change(&t->plan)))
		return;
	if (c->rate != FIELD_NAME)
		t->legal = solve_rate(v, t, &swing);
	else
		t->legal = estimate_plan(v, &t->plan, &t->cost);
	if (!t->legal)
		return;
	if (c->effect != EFFECT_FIELDS && adds_to(c->effect, v->d->leading) && v->cost > t->cost &&
	    c->rate == FIELD_NAME) {
		t->cost = smaller(v->cost, t->cost * (1 + c->high));
		swing = log1p(c->high);
	}
	/* A better setting explains nothing of what the run took. */
	t->fit = c->setting ? v->plain : fit_of(v, &t->plan, c) - freedom(v, swing);
}

/* ---- words -------------------------------------------------------------------------------- */

static bool
says_any(const struct measured *m, const enum evidence_id list[CAUSE_WORDS])
{
	for (int i = 0; i < CAUSE_WORDS && list[i] != EVIDENCE_NONE; i++)
		if (measured_says(m, list[i]))
			return true;
	return false;
}

/* Lines that speak for and against a cause speak for nothing. */
static bool
is_stated(const struct measured *m, const struct cause *c)
{
	return says_any(m, c->states) && !says_any(m, c->excludes);
}

static bool
is_excluded(const struct measured *m, const struct cause *c)
{
	return says_any(m, c->excludes) && !says_any(m, c->states);
}

/* What would have slowed the run as well is not the first thought where its memory is told. */
static double
odds(const struct view *v, const struct cause *c)
{
	const bool aside = measured_measure(v->d->leading) == MEASURE_BYTES &&
	    c->effect != EFFECT_MEMORY;

	return c->prior + (is_stated(v->m, c) ? STATED : 0) +
	    (says_any(v->m, c->supports) ? SUPPORTED : 0) - (aside ? SUPPORTED : 0);
}

static void
add_evidence(struct diagnosed_cause *out, size_t *n, const struct measured *m,
    const enum evidence_id list[CAUSE_WORDS])
{
	for (int i = 0; i < CAUSE_WORDS && list[i] != EVIDENCE_NONE; i++)
		if (measured_says(m, list[i]) && *n < 2 * CAUSE_WORDS)
			out->evidence[(*n)++] = list[i];
}

/* ---- several at once ------------------------------------------------------------------------ */

/* Of two that are as likely, as they are together, what is so alone. */
static bool
is_before(const struct trial *a, const struct trial *b)
{
	return fabs(a->score - b->score) > 1e-9 ? a->score > b->score : a->own > b->own;
}

/* Best first. */
static void
sort_trials(struct trial *t, size_t n)
{
	for (size_t i = 1; i < n; i++)
		for (size_t k = i; k > 0 && is_before(&t[k], &t[k - 1]); k--) {
			const struct trial swap = t[k];

			t[k] = t[k - 1];
			t[k - 1] = swap;
		}
}

static void
widen(struct trial *t, double adds)
{
	t->low = smaller(t->low, adds);
	t->high = larger(t->high, adds);
}

/* What a trial alone leaves, with each other one on top: both count as good as they are
 * together. */
static void
try_pairs(const struct view *v, struct trial *t, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++) {
			struct trial both;
			double score;

			if (i == k || t[i].cause->rate != FIELD_NAME || t[i].cause->effect != EFFECT_FIELDS ||
			    t[i].cause->setting || t[k].cause->setting ||
			    (t[k].cause->rate == FIELD_NAME && k < i))
				continue;
			try_cause(v, &both, t[k].cause, &t[i].plan);
			score = both.fit + odds(v, t[i].cause) + odds(v, t[k].cause);
			if (!both.legal || both.cost <= t[i].cost || both.cost <= t[k].cost)
				continue;
			t[i].score = larger(t[i].score, score);
			t[k].score = larger(t[k].score, score);
			if (t[k].cause->rate == FIELD_NAME && t[k].cause->effect == EFFECT_FIELDS) {
				widen(&t[k], both.cost - t[i].cost);
				widen(&t[i], both.cost - t[k].cost);
			}
		}
}

/* ---- the answer ------------------------------------------------------------------------------- */

static void
put_sets(struct diagnosed_cause *out, const struct plan *run, const struct plan *p)
{
	for (int f = 0; f < FIELD_COUNT && out->sets < DIAGNOSE_SETS; f++) {
		struct diagnosed_set *s = &out->set[out->sets];
		double shown;

		if (!field_is_set((enum field_id)f, p) || field_same((enum field_id)f, run, p))
			continue;
		s->field = (enum field_id)f;
		field_format(s->field, p, s->value, sizeof s->value);
		if (field_table[f].type == FIELD_REAL && text_to_real(s->value, &shown))
			text_put(s->value, sizeof s->value, "%.3g", shown);
		out->sets++;
	}
}

static void
put_cause(struct diagnosis *d, const struct view *v, const struct trial *t,
    enum certainty certainty)
{
	struct diagnosed_cause *out = &d->cause[d->causes++];
	const double alone = t->cause->setting ? v->estimated - t->cost : t->cost - v->estimated;
	size_t n = 0;

	*out = (struct diagnosed_cause){ .cause = t->cause, .certainty = certainty,
		.explains = alone, .low = t->low,
		.high = smaller(t->high, larger(fabs(alone), v->cost - v->estimated)), .score = t->score };
	add_evidence(out, &n, v->m, t->cause->states);
	add_evidence(out, &n, v->m, t->cause->supports);
	if (certainty == CERTAINTY_EXCLUDED)
		add_evidence(out, &n, v->m, t->cause->excludes);
	put_sets(out, &d->run, &t->plan);
}

/* It alone explains the difference to within the error. */
static bool
explains_all(const struct view *v, const struct trial *t)
{
	return fabs(log(v->cost / t->cost)) <= 1.645 * v->deviation;
}

static enum certainty
certainty_of(const struct view *v, const struct trial *t, size_t n, size_t i, bool slower)
{
	bool alone = true;

	if (is_stated(v->m, t[i].cause) && (slower || t[i].cause->effect == EFFECT_MEMORY) &&
	    t[i].cost - v->estimated >= STATED_SHARE * (v->cost - v->estimated))
		return CERTAINTY_CERTAIN;
	for (size_t k = 0; k < n; k++)
		if (k != i && t[k].score > t[i].score - AHEAD)
			alone = false;
	if (t[i].cause->effect != EFFECT_FIELDS && t[i].cause->rate == FIELD_NAME &&
	    t[i].cause->effect != EFFECT_OPTIMIZER && !says_any(v->m, t[i].cause->supports))
		alone = false; /* nothing but its size speaks for it */
	return alone && slower && explains_all(v, &t[i]) ? CERTAINTY_LIKELY : CERTAINTY_POSSIBLE;
}

/* It makes a difference; a better setting where nothing is wrong with the run. */
static bool
is_worth(const struct view *v, const struct trial *t)
{
	if (t->cause->setting)
		return t->cost < (1 - WORTH_CHANGING) * v->estimated &&
		    log(v->cost / v->estimated) < 1.645 * v->deviation;
	return t->cost > v->estimated + WORTH * fabs(v->cost - v->estimated);
}

/* Trials of all causes that the run can have, and whose estimate is worse than the plan's. */
static size_t
try_all(const struct view *v, struct trial *t)
{
	size_t n = 0;

	for (size_t i = 0; i < cause_count; i++) {
		const struct cause *c = &cause_table[i];
		const bool stated = is_stated(v->m, c);

		if ((c->applies != NULL && !c->applies(&v->d->run) && !stated) || is_excluded(v->m, c) ||
		    (c->prior < -4.2 && !stated && !says_any(v->m, c->supports)) ||
		    (c->effect != EFFECT_FIELDS && !adds_to(c->effect, v->d->leading) && !stated))
			continue;
		try_cause(v, &t[n], c, &v->d->run);
		if (!t[n].legal)
			continue;
		if (!is_worth(v, &t[n]) && !stated)
			continue;
		t[n].own = t[n].score = t[n].fit + odds(v, c);
		t[n].low = t[n].high = fabs(t[n].cost - v->estimated);
		n++;
	}
	return n;
}

static void
put_excluded(struct diagnosis *d, const struct view *v)
{
	for (size_t i = 0; i < cause_count && d->causes < DIAGNOSE_CAUSES; i++) {
		const struct trial t = { .cause = &cause_table[i], .plan = d->run, .cost = v->estimated };

		if (is_excluded(v->m, t.cause) &&
		    (t.cause->applies == NULL || t.cause->applies(&d->run)))
			put_cause(d, v, &t, CERTAINTY_EXCLUDED);
	}
}

enum { TRIALS = 80 };

void
attribute_run(struct diagnosis *d, const struct measured *m, const struct catalog *catalog,
    struct estimate *work)
{
	struct view v = { .d = d, .m = m, .catalog = catalog, .work = work };
	static const size_t most = DIAGNOSE_CAUSES - 3; /* room for what is excluded */
	struct trial t[TRIALS];
	struct plan run = d->run;
	bool slower;
	size_t n;

	for (size_t i = 0; i < d->terms; i++)
		if (d->term[i].id == d->leading)
			v.cost = d->term[i].measured;
	estimate_run(work, &run, catalog, NULL);
	v.cost = attribute_cost(d->leading, v.cost, &run, work);
	v.estimated = attribute_cost(d->leading, quantity_estimate(d->leading, &run, work), &run, work);
	v.deviation = quantity_deviation(d->leading, &run, work);
	v.plain = fit_of(&v, &run, NULL);
	if (!(v.cost > 0) || !(v.estimated > 0))
		return;
	slower = v.cost > v.estimated * (1 + quantity_error(d->leading, &run, work));
	n = try_all(&v, t);
	sort_trials(t, n);
	try_pairs(&v, t, n < PAIRED ? n : PAIRED);
	sort_trials(t, n);
	d->unexplained = v.cost - v.estimated;
	for (size_t i = 0; i < n && d->causes < most; i++) {
		put_cause(d, &v, &t[i], certainty_of(&v, t, n, i, slower));
		d->unexplained = smaller(d->unexplained, fabs(v.cost - t[i].cost));
	}
	put_excluded(d, &v);
}
