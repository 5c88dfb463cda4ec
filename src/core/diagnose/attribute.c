#include "core/diagnose/attribute.h"

#include <math.h>
#include <string.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/diagnose/quantity.h"
#include "core/diagnose/trial.h"

/* Odds that words add: of a cause that lines state, and that they support. */
#define STATED 6.0
#define SUPPORTED 2.0

/* A cause that does less of the difference is not worth a line. */
#define WORTH 0.03

/* An estimate that errs by half does not tell one cause from another. */
#define VAGUE 0.22

/* Other causes nearer than this leave none likely. */
#define AHEAD 1.5

/* Of a run that is not slower: what costs less is not looked for, nor are more than some told. */
#define WORTH_LOOKING 0.005
enum { LOOKED_FOR = 3 };

/* A better setting has to save so much of the time to be told. */
#define WORTH_CHANGING 0.2

/* What is so seldom is not looked for where no line speaks for it. */
#define SELDOM -4.2

/* A line that states a cause of so little is not what is wrong. */
#define STATED_SHARE 0.1

/* Of bytes that lines tell of several, what is so much less than the most is beside it. */
#define SAID_SHARE 0.5

enum { PAIRED = 10 };

/* ---- words -------------------------------------------------------------------------------- */

/* How many of them lines say. */
static int
says_count(const struct measured *m, const enum evidence_id list[CAUSE_WORDS])
{
	int n = 0;

	for (int i = 0; i < CAUSE_WORDS && list[i] != EVIDENCE_NONE; i++)
		n += measured_says(m, list[i]);
	return n;
}

static bool
says_any(const struct measured *m, const enum evidence_id list[CAUSE_WORDS])
{
	return says_count(m, list) > 0;
}

/* A GPU that draws the power that it is made for is held down by that, as every busy one is. */
static bool
is_design_power(const struct view *v)
{
	const double drawn = v->m->evidence[EVIDENCE_POWER_CAP].most;

	return !measured_says(v->m, EVIDENCE_POWER_LIMIT) && (measured_says(v->m, EVIDENCE_POWER_FREE) ||
	    (drawn > 0 && drawn >= POWER_LIMITED * v->d->run.cluster.tdp_watts));
}

/* Lines that speak for and against a cause speak for nothing. */
static bool
is_stated(const struct view *v, const struct cause *c)
{
	if (c->rate == FIELD_GPU_POWER_WATTS && is_design_power(v))
		return false;
	return says_any(v->m, c->states) && !says_any(v->m, c->excludes);
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

	return c->prior + (is_stated(v, c) ? STATED : 0) +
	    SUPPORTED * says_count(v->m, c->supports) - (aside ? SUPPORTED : 0);
}

static void
add_evidence(struct diagnosed_cause *out, size_t *n, const struct measured *m,
    const enum evidence_id list[CAUSE_WORDS])
{
	for (int i = 0; i < CAUSE_WORDS && list[i] != EVIDENCE_NONE; i++)
		if (measured_says(m, list[i]) && *n < 2 * CAUSE_WORDS)
			out->evidence[(*n)++] = list[i];
}

/* What lines state, and what makes next to nothing of the difference, is no more than supported. */
static double
overstated(const struct view *v, const struct trial *t)
{
	const bool little = v->slower && t->cause->effect != EFFECT_MEMORY && !t->cause->setting &&
	    t->cost - v->estimated < STATED_SHARE * (v->cost - v->estimated);

	return little && is_stated(v, t->cause) ? STATED - SUPPORTED : 0;
}

/* ---- several at once ------------------------------------------------------------------------ */

/* Of two that are as likely, as they are together, what is so alone. */
static bool
is_before(const struct trial *a, const struct trial *b)
{
	if (a->certain != b->certain)
		return a->certain;
	if (a->certain && fabs(a->said - b->said) > 0) /* bytes */
		return a->said > b->said;
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
widen_trial(struct trial *t, double adds)
{
	t->low = smaller(t->low, adds);
	t->high = larger(t->high, adds);
}

static void
take_company(struct trial *t, const struct cause *other, double score)
{
	if (score <= t->score)
		return;
	t->score = score;
	t->with = other;
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
			trial_run(v, &both, t[k].cause, &t[i].plan);
			score = both.fit + odds(v, t[i].cause) - overstated(v, &t[i]) +
			    odds(v, t[k].cause) - overstated(v, &t[k]);
			if (!both.legal || both.cost <= t[i].cost || both.cost <= t[k].cost)
				continue;
			take_company(&t[i], t[k].cause, score);
			take_company(&t[k], t[i].cause, score);
			if (t[k].cause->rate == FIELD_NAME && t[k].cause->effect == EFFECT_FIELDS) {
				widen_trial(&t[k], both.cost - t[i].cost);
				widen_trial(&t[i], both.cost - t[k].cost);
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

	*out = (struct diagnosed_cause){ .cause = t->cause, .certainty = certainty, .with = t->with,
		.explains = alone, .low = t->low,
		.high = smaller(t->high, larger(fabs(alone), v->cost - v->estimated)), .score = t->score };
	add_evidence(out, &n, v->m, t->cause->states);
	add_evidence(out, &n, v->m, t->cause->supports);
	if (certainty == CERTAINTY_EXCLUDED)
		add_evidence(out, &n, v->m, t->cause->excludes);
	put_sets(out, &d->run, &t->plan);
}

/* A cause alone explains the difference to within the error. */
static bool
explains_all(const struct view *v, const struct trial *t)
{
	return fabs(log(v->cost / t->cost)) <= 1.645 * v->deviation;
}

/* Lines state it, and it makes a share of the difference; of a setting nobody knows how much the run
 * had of it. */
static bool
is_certain(const struct view *v, const struct trial *t)
{
	const double adds = larger(t->cost - v->estimated, t->said);

	return is_stated(v, t->cause) && (v->slower || t->cause->effect == EFFECT_MEMORY) &&
	    t->said >= SAID_SHARE * v->said &&
	    (t->cause->setting || adds >= STATED_SHARE * (v->cost - v->estimated));
}

/* Bytes that lines tell of each, and the most of them. */
static void
take_said(struct view *v, struct trial *t, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		t[i].said = is_stated(v, t[i].cause) ? trial_said_bytes(v, t[i].cause) : 0;
		v->said = larger(v->said, t[i].said);
	}
}

static enum certainty
certainty_of(const struct view *v, const struct trial *t, size_t n, size_t i)
{
	bool alone = v->deviation < VAGUE;

	if (t[i].certain)
		return CERTAINTY_CERTAIN;
	for (size_t k = 0; k < n; k++)
		if (k != i && t[k].score > t[i].score - AHEAD)
			alone = false;
	if (t[i].cause->effect != EFFECT_FIELDS && t[i].cause->rate == FIELD_NAME &&
	    !says_any(v->m, t[i].cause->supports))
		alone = false; /* nothing but its size speaks for it */
	return alone && v->slower && explains_all(v, &t[i]) ? CERTAINTY_LIKELY : CERTAINTY_POSSIBLE;
}

/* A cause makes a difference; a better setting where nothing is wrong with the run. Of one that is not
 * slower: what would cost something if it were there. */
static bool
is_worth(const struct view *v, const struct trial *t)
{
	if (t->cause->setting)
		return t->cost < (1 - WORTH_CHANGING) * v->estimated &&
		    log(v->cost / v->estimated) < 1.645 * v->deviation;
	return t->cost > (v->slower ? v->estimated + WORTH * (v->cost - v->estimated) :
	    (1 + WORTH_LOOKING) * v->estimated);
}

/* What the run is said to have differs from the plan, which is told already. */
static bool
is_told(const struct diagnosis *d, const struct cause *c)
{
	for (size_t i = 0; i < d->causes; i++)
		if (d->cause[i].cause == c)
			return true;
	return false;
}

/* Lines say it of NICs, and the run has one node: NCCL looks for them all the same. */
static bool
is_elsewhere(const struct cause *c, const struct plan *run)
{
	const bool network = c->rate == FIELD_NIC_GBPS || (c->set != NULL && strncmp(c->set, "cluster.nic", 11) == 0);

	return network && run->cluster.nodes == 1;
}

/* What the job sends does not change what its links carry. */
static bool
is_of_links(enum measured_id id)
{
	return id >= MEASURED_JOB_BUS && id < MEASURED_COUNT;
}

/* Trials of all causes that the run can have, and whose estimate is worse than the plan's. */
static size_t
try_all(const struct view *v, struct trial *t)
{
	size_t n = 0;

	for (size_t i = 0; i < cause_count; i++) {
		const struct cause *c = &cause_table[i];
		const bool stated = is_stated(v, c);

		if ((c->applies != NULL && !c->applies(&v->d->run) && !stated) || is_excluded(v->m, c) || is_told(v->d, c) ||
		    is_elsewhere(c, &v->d->run) || (c->traffic && is_of_links(v->d->leading)) ||
		    ((c->told || c->prior < SELDOM) && !stated && !says_any(v->m, c->supports)) ||
		    (c->effect != EFFECT_FIELDS && !trial_adds_to(c->effect, v->d->leading) && !stated))
			continue;
		trial_run(v, &t[n], c, &v->d->run);
		if (!t[n].legal)
			continue;
		if (!is_worth(v, &t[n]) && !stated)
			continue;
		t[n].own = t[n].score = t[n].fit + odds(v, c) - overstated(v, &t[n]);
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

void
attribute_stated(struct diagnosis *d, const struct measured *m)
{
	const struct view v = { .d = d, .m = m };

	for (size_t i = 0; i < cause_count && d->causes < DIAGNOSE_CAUSES; i++) {
		const struct trial t = { .cause = &cause_table[i], .plan = d->run };

		if (is_stated(&v, t.cause) && (t.cause->applies == NULL || t.cause->applies(&d->run)))
			put_cause(d, &v, &t, CERTAINTY_CERTAIN);
	}
	put_excluded(d, &v);
}

enum { TRIALS = 80 };

void
attribute_run(struct diagnosis *d, const struct measured *m, const struct catalog *catalog,
    struct estimate *work)
{
	struct view v = { .d = d, .m = m, .catalog = catalog, .work = work };
	struct trial t[TRIALS];
	struct plan run = d->run;
	size_t n, most;

	for (size_t i = 0; i < d->terms; i++)
		if (d->term[i].id == d->leading)
			v.cost = d->term[i].measured;
	estimate_run(work, &run, catalog, NULL);
	v.cost = quantity_cost(d->leading, v.cost, &run, work);
	v.estimated = quantity_cost(d->leading, quantity_estimate(d->leading, &run, work), &run, work);
	v.deviation = quantity_deviation(d->leading, &run, work);
	v.plain = trial_fit(&v, &run, NULL);
	if (!(v.cost > 0) || !(v.estimated > 0))
		return;
	v.slower = v.cost - v.estimated > quantity_error(d->leading, &run, work) * v.cost;
	n = try_all(&v, t);
	sort_trials(t, n);
	if (v.slower)
		try_pairs(&v, t, n < PAIRED ? n : PAIRED);
	take_said(&v, t, n);
	for (size_t i = 0; i < n; i++)
		t[i].certain = is_certain(&v, &t[i]);
	sort_trials(t, n);
	most = v.slower ? DIAGNOSE_CAUSES - 3 : LOOKED_FOR; /* room for what is excluded */
	d->unexplained = v.cost - v.estimated;
	for (size_t i = 0; i < n && d->causes < most; i++) {
		put_cause(d, &v, &t[i], certainty_of(&v, t, n, i));
		d->unexplained = smaller(d->unexplained, fabs(v.cost - t[i].cost));
	}
	put_excluded(d, &v);
}
