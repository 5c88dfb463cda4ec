#include "core/diagnose/diagnose.h"

#include <math.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/diagnose/attribute.h"
#include "core/diagnose/quantity.h"

/* What the load of an engine adds to the error of its times, where no file tells it. */
#define LOAD_ERROR 0.15

const char *
verdict_name(enum term_verdict v)
{
	static const char *const name[] = { "as_estimated", "slower", "faster", "not_told" };

	return name[v];
}

const char *
certainty_name(enum certainty c)
{
	static const char *const name[] = { "certain", "likely", "possible", "excluded" };

	return name[c];
}

const char *
diagnosed_id(const struct diagnosed_cause *c)
{
	return c->cause != NULL ? c->cause->id : "other_plan";
}

const char *
diagnosed_title(const struct diagnosed_cause *c)
{
	return c->cause != NULL ? c->cause->title : "the run is another one than the plan";
}

/* ---- terms ------------------------------------------------------------------------- */

static double
error_of(enum measured_id id, const struct measured *m, const struct plan *p,
    const struct estimate *e)
{
	const double error = quantity_error(id, p, e);
	const bool load = id >= MEASURED_TTFT && id <= MEASURED_GENERATED;

	return load && !(m->load.generate_tokens > 0) ? hypot(error, LOAD_ERROR) : error;
}

/* The difference is a share of what is measured, as the errors of estimates are. */
static enum term_verdict
verdict_of(const struct diagnosed_term *t)
{
	const double way = quantity_way(t->id);
	const double cost = way > 0 ? t->measured : 1 / t->measured;
	const double estimate = way > 0 ? t->estimated : 1 / t->estimated;

	if (!(t->estimated > 0) || !(t->error > 0))
		return TERM_NOT_TOLD;
	if (fabs(estimate - cost) <= t->error * cost)
		return TERM_AS_ESTIMATED;
	return cost > estimate ? TERM_SLOWER : TERM_FASTER;
}

/* Peaks of the allocator by rank: the fullest one, which the estimate's fullest stage is. */
static double
fullest(const struct measured *m, enum measured_id id)
{
	double most = 0;

	for (size_t i = 0; i < m->memories; i++) {
		const struct measured_memory *k = &m->memory[i];

		most = larger(most, id == MEASURED_ALLOCATED ? k->allocated :
		    id == MEASURED_RESERVED ? k->reserved : k->used);
	}
	return most;
}

static bool
is_memory(enum measured_id id)
{
	return id >= MEASURED_ALLOCATED && id <= MEASURED_TOTAL;
}

static bool
take_term(struct diagnosed_term *t, enum measured_id id, const struct measured *m,
    const struct plan *p, const struct estimate *e)
{
	const struct steady s = measured_steady(m, id);
	const double most = is_memory(id) ? fullest(m, id) : 0;

	*t = (struct diagnosed_term){ .id = id, .measured = most > 0 ? most : s.median,
		.low = most > 0 ? most : s.low, .high = most > 0 ? most : s.high,
		.estimated = quantity_estimate(id, p, e), .error = error_of(id, m, p, e) };
	if (!(t->measured > 0))
		return false;
	t->verdict = verdict_of(t);
	return true;
}

static void
take_terms(struct diagnosis *d, const struct measured *m, const struct plan *p,
    const struct estimate *e)
{
	for (int id = 0; id < MEASURED_COUNT; id++)
		d->terms += take_term(&d->term[d->terms], (enum measured_id)id, m, p, e);
}

/* ---- what leads ----------------------------------------------------------------------- */

/* Times of the whole before those of parts, memory last; but what is out of line before what is
 * as estimated. */
static enum measured_id
leading_of(const struct diagnosis *d)
{
	static const enum measured_id order[] = {
		MEASURED_STEP, MEASURED_TOKENS_GPU, MEASURED_TOKENS, MEASURED_SAMPLES, MEASURED_TFLOPS,
		MEASURED_RL_STEP,
		MEASURED_TPOT, MEASURED_GENERATED, MEASURED_DECODE, MEASURED_TTFT, MEASURED_RL_ROLLOUT,
		MEASURED_OPTIMIZER, MEASURED_FORWARD_BACKWARD, MEASURED_BACKWARD, MEASURED_FORWARD,
		MEASURED_GRADS_SYNC, MEASURED_PARAMS_GATHER, MEASURED_EXPOSED, MEASURED_COMPUTE,
		MEASURED_NETWORK_BUS, MEASURED_NVLINK_BUS, MEASURED_TOTAL, MEASURED_ALLOCATED,
		MEASURED_RESERVED,
	};
	enum measured_id first = MEASURED_COUNT;

	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		for (size_t k = 0; k < d->terms; k++) {
			const struct diagnosed_term *t = &d->term[k];

			if (t->id != order[i] || t->verdict == TERM_NOT_TOLD)
				continue;
			if (t->verdict == TERM_SLOWER)
				return t->id;
			if (first == MEASURED_COUNT)
				first = t->id;
		}
	return first;
}

static const struct diagnosed_term *
term_of(const struct diagnosis *d, enum measured_id id)
{
	for (size_t i = 0; i < d->terms; i++)
		if (d->term[i].id == id)
			return &d->term[i];
	return NULL;
}

/* ---- the answer -------------------------------------------------------------------------- */

/* What the mismatches alone explain: the run's plan against the given one. */
static void
put_mismatch(struct diagnosis *d, double given, double run)
{
	struct diagnosed_cause *out = &d->cause[d->causes++];

	*out = (struct diagnosed_cause){ .certainty = CERTAINTY_CERTAIN, .explains = run - given,
		.low = run - given, .high = run - given };
	for (size_t i = 0; i < d->mismatches && out->sets < DIAGNOSE_SETS; i++) {
		struct diagnosed_set *s = &out->set[out->sets];

		s->field = d->mismatch[i].field;
		if (s->field != FIELD_NONE && text_copy(s->value, sizeof s->value, d->mismatch[i].run))
			out->sets++;
	}
	d->causes -= out->sets == 0; /* no field says it */
}

/* The plan with a cause's fields. */
static void
plan_with(struct plan *out, const struct diagnosis *d, const struct diagnosed_cause *c)
{
	char err[256];

	*out = d->run;
	for (size_t i = 0; i < c->sets; i++)
		field_parse(c->set[i].field, out, c->set[i].value, err, sizeof err);
}

/* What nccl-tests would show, where the cause is a link's. */
static void
add_answer(char *buf, const struct diagnosis *d, const struct diagnosed_cause *c,
    const struct estimate *work)
{
	static const enum measured_id links[] = { MEASURED_NETWORK_BUS, MEASURED_NVLINK_BUS };
	struct plan p;

	plan_with(&p, d, c);
	for (int i = d->run.cluster.nodes > 1 ? 0 : 1; i < 2; i++) {
		const double now = quantity_estimate(links[i], &d->run, work);
		const double then = quantity_estimate(links[i], &p, work);

		if (then > 0 && now > 0 && fabs(then / now - 1) > 0.05) {
			text_add(buf, DIAGNOSE_TEXT, " (busbw of 1 GiB %s: %.3g GB/s if so, %.3g by the plan)",
			    i == 0 ? "over two nodes" : "inside a node", then / 1e9, now / 1e9);
			return;
		}
	}
}

/* What would settle the first causes. */
static void
take_measures(struct diagnosis *d, const struct estimate *work)
{
	for (size_t i = 0; i < d->causes && d->measures < DIAGNOSE_MEASURES; i++) {
		const struct diagnosed_cause *c = &d->cause[i];

		if (c->cause == NULL || c->certainty == CERTAINTY_CERTAIN ||
		    c->certainty == CERTAINTY_EXCLUDED)
			continue;
		text_put(d->measure[d->measures], DIAGNOSE_TEXT, "%s", c->cause->confirm);
		add_answer(d->measure[d->measures++], d, c, work);
	}
}

static bool
is_within(const struct diagnosis *d)
{
	for (size_t i = 0; i < d->terms; i++)
		if (d->term[i].verdict == TERM_SLOWER || d->term[i].verdict == TERM_FASTER)
			return false;
	return d->terms > 0 && d->mismatches == 0;
}

void
diagnose_run(struct diagnosis *out, const struct measured *m, const struct plan *p,
    const struct catalog *catalog, struct estimate *work)
{
	double given, run;

	*out = (struct diagnosis){ .leading = MEASURED_COUNT };
	out->mismatches = diagnose_mismatches(out->mismatch, &out->run, m, p, catalog);
	estimate_run(work, p, catalog, NULL);
	out->legal = work->legal;
	if (!work->legal)
		return;
	take_terms(out, m, p, work);
	out->leading = leading_of(out);
	out->within_error = is_within(out);
	if (out->leading == MEASURED_COUNT)
		return;
	given = attribute_cost(out->leading, quantity_estimate(out->leading, p, work), p, work);
	out->difference = attribute_cost(out->leading, term_of(out, out->leading)->measured, p, work) -
	    given;
	if (out->mismatches > 0) {
		estimate_run(work, &out->run, catalog, NULL);
		if (!work->legal)
			out->run = *p;
		run = work->legal ? attribute_cost(out->leading,
		    quantity_estimate(out->leading, &out->run, work), &out->run, work) : given;
		put_mismatch(out, given, run);
	}
	attribute_run(out, m, catalog, work);
	take_measures(out, work);
}
