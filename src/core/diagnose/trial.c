#include "core/diagnose/trial.h"

#include <math.h>
#include <string.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/diagnose/quantity.h"
#include "core/framework/resolve.h"

enum { HALVINGS = 40 };

/* ---- how well numbers fit ------------------------------------------------------------ */

bool
trial_adds_to(enum effect e, enum measured_id id)
{
	const bool whole = id <= MEASURED_TFLOPS;
	const bool passes = id >= MEASURED_FORWARD && id <= MEASURED_FORWARD_BACKWARD;

	switch (e) {
	case EFFECT_FIELDS: return false;
	case EFFECT_STEP: return whole || id == MEASURED_IDLE;
	case EFFECT_PASSES: return whole || passes || id == MEASURED_IDLE;
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
	return id != MEASURED_RESERVED || id == d->leading;
}

/* Student's t of four degrees: a few runs are far off. */
static double
likelihood(double z)
{
	return -2.5 * log1p(z * z / 4);
}

/* Of a run that is not slower nobody knows how much of a cause it has: as much as is usual. */
static double
usual_share(const struct cause *c)
{
	return c->rate != FIELD_NAME ? sqrt(c->low * c->high) : pow(1 + c->high, 0.25);
}

double
trial_said_bytes(const struct view *v, const struct cause *c)
{
	double most = 0;

	for (int i = 0; i < CAUSE_WORDS && c->states[i] != EVIDENCE_NONE; i++)
		most = larger(most, v->m->evidence[c->states[i]].most);
	return measured_measure(v->d->leading) == MEASURE_BYTES ? most : 0;
}

/* What an effect adds to a number that is so much worse than estimated, as a logarithm; a rate has
 * its own in the estimate. */
static double
added(const struct view *v, const struct cause *c, double worse)
{
	if (c->rate != FIELD_NAME)
		return 0;
	for (int i = 0; i < CAUSE_WORDS; i++)
		if (c->supports[i] == EVIDENCE_SPIKES && measured_says(v->m, EVIDENCE_SPIKES))
			return log1p(v->m->evidence[EVIDENCE_SPIKES].most);
	if (trial_said_bytes(v, c) > 0)
		return log1p(trial_said_bytes(v, c) / v->estimated);
	if (!v->slower)
		return log(usual_share(c));
	return worse > 0 ? smaller(worse, log1p(c->high)) : 0;
}

double
trial_fit(const struct view *v, const struct plan *p, const struct cause *c)
{
	double sum = 0;

	for (size_t i = 0; i < v->d->terms; i++) {
		const struct diagnosed_term *t = &v->d->term[i];
		const double estimate = quantity_estimate(t->id, p, v->work);
		double worse = quantity_way(t->id) * log(t->measured / estimate);

		if (!(estimate > 0) || !counts(v->d, t->id) || !(t->error > 0))
			continue;
		if (c != NULL && trial_adds_to(c->effect, t->id))
			worse -= added(v, c, worse);
		sum += likelihood(worse / quantity_deviation(t->id, p, v->work));
	}
	return sum;
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
	*cost = quantity_cost(v->d->leading, estimate, p, v->work);
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

/* What shares of a rate are of: waits are shares of the time. */
static double
rate_now(const struct view *v, const struct cause *c, const struct plan *p)
{
	if (c->absolute)
		return 1;
	if (c->rate == FIELD_DATA_SECONDS)
		return v->estimated;
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
	const double now = rate_now(v, c, &base);
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

/* The rate as files tell it, or as usual; 0 where it is to be solved for. */
static double
rate_known(const struct view *v, const struct cause *c, const struct plan *p)
{
	const double waits = measured_steady(v->m, MEASURED_DATA).median;

	if (c->rate == FIELD_DATA_SECONDS && waits > 0)
		return waits;
	return v->slower ? 0 : usual_share(c) * rate_now(v, c, p);
}

static bool
find_rate(const struct view *v, struct trial *t, double *swing)
{
	const struct plan base = t->plan;
	const double known = rate_known(v, t->cause, &base);

	if (!(known > 0))
		return solve_rate(v, t, swing);
	t->cost = cost_at(v, t->cause, &base, known, &t->plan);
	return t->cost > 0;
}

/* What freedom costs: the share of what could have been measured that one deviation is. */
static double
freedom(const struct view *v, double swing)
{
	return log(larger(1, swing / (2.5 * v->deviation)));
}

static void
try_once(const struct view *v, struct trial *t, const struct cause *c, const struct plan *base, bool rate)
{
	double swing = 0;

	*t = (struct trial){ .cause = c, .plan = *base };
	if ((c->set != NULL && !put_set(c->set, &t->plan) && !rate) ||
	    (c->change != NULL && !c->change(&t->plan)))
		return;
	if (rate)
		t->legal = find_rate(v, t, &swing);
	else
		t->legal = estimate_plan(v, &t->plan, &t->cost);
	if (!t->legal)
		return;
	if (c->rate == FIELD_NAME && trial_adds_to(c->effect, v->d->leading)) {
		t->cost *= exp(added(v, c, log(v->cost / t->cost)));
		swing = v->slower ? log1p(c->high) : 0;
	}
	/* A better setting explains nothing of what the run took. */
	t->fit = c->setting ? v->plain : trial_fit(v, &t->plan, c) - freedom(v, swing);
}

void
trial_run(const struct view *v, struct trial *t, const struct cause *c, const struct plan *base)
{
	struct trial fields;

	try_once(v, t, c, base, c->rate != FIELD_NAME);
	if (!c->alone)
		return;
	try_once(v, &fields, c, base, false);
	if (fields.legal && (!t->legal || fields.fit > t->fit))
		*t = fields;
}
