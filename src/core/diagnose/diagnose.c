#include "core/diagnose/diagnose.h"

#include <math.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/diagnose/attribute.h"
#include "core/diagnose/quantity.h"
#include "core/diagnose/words.h"
#include "core/framework/resolve.h"
#include "core/plan/format.h"

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
fullest_gpu(const struct measured *m, enum measured_id id)
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

/* Times that kernels of a ledger run in a step: each micro-batch's; one step of generation has them
 * once. */
static double
rounds(const struct estimate *e)
{
	return e->served ? 1 : (double)e->microbatches;
}

/* Seconds of a step's kernels of one kind: of all micro-batches, on the slowest stage. */
static double
kernels_of(enum measured_id id, const struct estimate *e, const struct ledger *l)
{
	static const enum kernel_kind kind[MEASURED_COUNT] = {
		[MEASURED_PRODUCTS] = KERNELS_PRODUCT, [MEASURED_EXPERTS] = KERNELS_EXPERTS,
		[MEASURED_ATTENTION] = KERNELS_ATTENTION, [MEASURED_NORMS] = KERNELS_NORM,
		[MEASURED_OPERATIONS] = KERNELS_OTHER };

	return kind[id] != KERNELS_NONE ? rounds(e) * l->by_kind[kind[id]] : 0;
}

/* All that computes in a step. */
static double
computed(const struct estimate *e, const struct ledger *l)
{
	double sum = e->served ? 0 : e->step.optimizer_seconds;

	for (int k = KERNELS_NONE + 1; k < KERNEL_KINDS; k++)
		sum += rounds(e) * l->by_kind[k];
	return sum;
}

static void
scale_term(struct diagnosed_term *t, double share)
{
	t->measured *= share;
	t->low *= share;
	t->high *= share;
}

/* What the files tell, beside nothing yet. */
static struct diagnosed_term
measured_term(enum measured_id id, const struct measured *m)
{
	const struct steady s = measured_steady(m, id);
	const double most = is_memory(id) ? fullest_gpu(m, id) : 0;

	return (struct diagnosed_term){ .id = id, .measured = most > 0 ? most : s.median,
		.low = most > 0 ? most : s.low, .high = most > 0 ? most : s.high, .verdict = TERM_NOT_TOLD };
}

static bool
take_term(struct diagnosed_term *t, enum measured_id id, const struct measured *m,
    const struct plan *p, const struct estimate *e)
{
	*t = measured_term(id, m);
	t->estimated = quantity_estimate(id, p, e);
	t->error = error_of(id, m, p, e);
	if (!(t->measured > 0))
		return false;
	t->verdict = verdict_of(t);
	return true;
}

static void
take_terms(struct diagnosis *d, const struct measured *m, const struct plan *p,
    const struct estimate *e, const struct ledger *l)
{
	for (int id = 0; id < MEASURED_COUNT; id++) {
		struct diagnosed_term *t = &d->term[d->terms];

		d->terms += take_term(t, (enum measured_id)id, m, p, e);
		if (!(t->estimated > 0))
			t->estimated = kernels_of((enum measured_id)id, e, l);
		if (m->profiled > 0 && id >= MEASURED_PRODUCTS && id <= MEASURED_SEND)
			scale_term(t, computed(e, l) / m->profiled);
	}
	if (m->profiled > 0)
		text_put(d->measure[d->measures++], DIAGNOSE_TEXT, "kernels are summed over a profile: they are "
		    "told as of a step with as much compute as the plan's, and their shares count");
}

/* ---- what is not believed ------------------------------------------------------------- */

/* A share of the peak that no training step reaches: the best published ones are below it
 * (shardplan-estimates(7), step); verl issue 1208 printed 1.018. */
#define MFU_MOST 0.75

/* The share of the peak that the run says, where it can not be. */
static double
doubted_share(const struct diagnosis *d, const struct measured *m)
{
	const double said = m->evidence[EVIDENCE_WRONG_COUNT].most;
	double share = said > 0 ? said : 0;

	for (size_t i = 0; i < d->terms; i++)
		if (d->term[i].id == MEASURED_TFLOPS && d->run.cluster.bf16_tflops > 0)
			share = larger(share, d->term[i].measured * 1e12 / format_peak(&d->run));
	return share > MFU_MOST ? share : 0;
}

/* FLOP that are counted wrongly tell nothing; times may. */
static void
add_doubt(struct diagnosis *d, const struct measured *m)
{
	const double share = doubted_share(d, m);

	if (!(share > 0))
		return;
	for (size_t i = 0; i < d->terms; i++)
		if (d->term[i].id == MEASURED_TFLOPS)
			d->term[i].verdict = TERM_NOT_TOLD;
	text_put(d->measure[d->measures++], DIAGNOSE_TEXT, "an MFU of %.0f %% is not believed, as no step "
	    "reaches it: FLOP are counted wrongly, or another GPU or number format runs; tokens a second "
	    "tell", 100 * share);
}

/* FLOP of a step that the run counts, as a share of what they would be by the plan's step and rate; 0
 * where it does not tell both. */
static double
counted_share(const struct diagnosis *d, const struct plan *run, const struct estimate *e)
{
	double product = 1;
	int n = 0;

	for (size_t i = 0; i < d->terms; i++) {
		const struct diagnosed_term *t = &d->term[i];
		const double estimate = quantity_estimate(t->id, run, e);

		if (t->id == MEASURED_TFLOPS || ((t->id == MEASURED_STEP || t->id == MEASURED_TOKENS_GPU) && n == 0)) {
			product *= t->id == MEASURED_TOKENS_GPU ? estimate / t->measured : t->measured / estimate;
			n++;
		}
	}
	return n == 2 && d->term[0].id != MEASURED_TFLOPS && product > 0 ? product : 0;
}

/* Conventions differ by the other half of attention, by the head, and by what LoRA saves: by less. */
#define OTHER_WORK 1.6

/* Seconds and FLOP/s make FLOP: those of another model or batch are none of this plan's. */
static void
add_other_work(struct diagnosis *d, const struct estimate *run)
{
	const double share = counted_share(d, &d->run, run);

	if (share > 0 && (share > OTHER_WORK || share < 1 / OTHER_WORK) && d->measures < DIAGNOSE_MEASURES)
		text_put(d->measure[d->measures++], DIAGNOSE_TEXT, "by its own time and TFLOP/s the run computes %.2g times "
		    "the plan's FLOP a step: its model, lengths or batch are others", share);
}

/* ---- what leads ----------------------------------------------------------------------- */

static const struct diagnosed_term *
term_of(const struct diagnosis *d, enum measured_id id)
{
	for (size_t i = 0; i < d->terms; i++)
		if (d->term[i].id == id)
			return &d->term[i];
	return NULL;
}

/* Times of the whole before those of parts, memory last; but what is out of line before what is
 * as estimated. What the allocator keeps for reuse leads where nothing tells what it gave out, or
 * that is as it should be. */
static enum measured_id
leading_of(const struct diagnosis *d)
{
	static const enum measured_id order[] = {
		MEASURED_STEP, MEASURED_TOKENS_GPU, MEASURED_TOKENS, MEASURED_SAMPLES, MEASURED_TFLOPS,
		MEASURED_RL_STEP,
		MEASURED_TPOT, MEASURED_GENERATED, MEASURED_DECODE, MEASURED_TTFT, MEASURED_RL_ROLLOUT,
		MEASURED_RL_TRAIN, MEASURED_RL_LOGPROBS, MEASURED_RL_OLD_LOGPROB, MEASURED_RL_REF_LOGPROB,
		MEASURED_OPTIMIZER, MEASURED_FORWARD_BACKWARD, MEASURED_BACKWARD, MEASURED_FORWARD,
		MEASURED_GRADS_SYNC, MEASURED_PARAMS_GATHER, MEASURED_EXPOSED, MEASURED_COMPUTE,
		MEASURED_JOB_BUS, MEASURED_NETWORK_BUS, MEASURED_EXPERTS_BUS, MEASURED_NVLINK_BUS, MEASURED_TOTAL, MEASURED_ALLOCATED,
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
			if (first == MEASURED_COUNT && (t->id != MEASURED_RESERVED ||
			    term_of(d, MEASURED_ALLOCATED) == NULL))
				first = t->id;
		}
	return first;
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
	if (d->mismatches == 1 && out->sets == 1 && out->set[0].field == FIELD_GPU_POWER_WATTS)
		out->cause = cause_find("power_cap"); /* that has a name */
	d->causes -= out->sets == 0; /* no field says it */
}

/* What would tell causes apart: what nccl-tests show, what timers and a trace of two steps do. */
static const enum measured_id parts[] = { MEASURED_NETWORK_BUS, MEASURED_NVLINK_BUS, MEASURED_OPTIMIZER,
	MEASURED_GRADS_SYNC, MEASURED_PARAMS_GATHER, MEASURED_FORWARD_BACKWARD, MEASURED_EXPOSED, MEASURED_COMPUTE,
	MEASURED_ALLOCATED, MEASURED_RL_ROLLOUT, MEASURED_RL_TRAIN, MEASURED_TTFT, MEASURED_DECODE };
enum { PARTS = sizeof parts / sizeof *parts, LINKS = 2 };

/* So different a part has to be to be looked at; a link comes first. */
#define TELLS_APART 1.25
#define LINK_TELLS 1.05

static void
take_parts(double out[PARTS], const struct plan *p, const struct estimate *e)
{
	for (int i = 0; i < PARTS; i++)
		out[i] = i < LINKS && p->cluster.nodes == 1 && parts[i] == MEASURED_NETWORK_BUS ? 0 :
		    quantity_estimate(parts[i], p, e);
}

/* The part that differs most, of those that no file tells; PARTS where none does. */
static int
telling_part(const struct diagnosis *d, const double now[PARTS], const double then[PARTS])
{
	double most = log(TELLS_APART);
	int best = PARTS;

	for (int i = 0; i < PARTS; i++) {
		const double change = now[i] > 0 && then[i] > 0 ? fabs(log(then[i] / now[i])) : 0;

		if (term_of(d, parts[i]) != NULL)
			continue;
		if (i < LINKS && change > log(LINK_TELLS))
			return i;
		if (change > most) {
			most = change;
			best = i;
		}
	}
	return best;
}

static void
add_part(char *buf, enum measured_id id, double now, double then)
{
	char so[UNITS_SIZE], plan[UNITS_SIZE];

	if (id == MEASURED_NETWORK_BUS || id == MEASURED_NVLINK_BUS) {
		text_add(buf, DIAGNOSE_TEXT, " (busbw of 1 GiB %s: %.3g GB/s if so, %.3g by the plan)",
		    id == MEASURED_NETWORK_BUS ? "over two nodes" : "inside a node", then / 1e9, now / 1e9);
		return;
	}
	units_exact(so, sizeof so, measured_measure(id), then);
	units_exact(plan, sizeof plan, measured_measure(id), now);
	text_add(buf, DIAGNOSE_TEXT, " (%s: %s if so, %s by the plan)", measured_label(id), so, plan);
}

/* What is seen if a cause is so, and if it is not. */
static void
add_answer(char *buf, const struct diagnosis *d, const struct diagnosed_cause *c,
    const struct catalog *catalog, struct estimate *work)
{
	struct plan p = d->run;
	double now[PARTS], then[PARTS];
	int i;

	estimate_run(work, &p, catalog, NULL);
	take_parts(now, &p, work);
	diagnosed_put(&p, c->set, c->sets);
	plan_resolve(&p, catalog);
	estimate_run(work, &p, catalog, NULL);
	if (!work->legal)
		return;
	take_parts(then, &p, work);
	if ((i = telling_part(d, now, then)) < PARTS)
		add_part(buf, parts[i], now[i], then[i]);
}

/* The first cause is certain and leaves no more than the estimate may err by: nothing is open. */
static bool
is_settled(const struct diagnosis *d, double given)
{
	const struct diagnosed_cause *c = &d->cause[0];

	return d->causes > 0 && c->certainty == CERTAINTY_CERTAIN &&
	    fabs(d->difference - c->explains) <= term_of(d, d->leading)->error * (given + d->difference);
}

/* Measurements that would tell the first causes apart. */
static void
take_measures(struct diagnosis *d, const struct catalog *catalog, struct estimate *work)
{
	for (size_t i = 0; i < d->causes && d->measures < DIAGNOSE_MEASURES; i++) {
		const struct diagnosed_cause *c = &d->cause[i];

		if (c->cause == NULL || c->certainty == CERTAINTY_CERTAIN ||
		    c->certainty == CERTAINTY_EXCLUDED)
			continue;
		text_put(d->measure[d->measures], DIAGNOSE_TEXT, "%s", c->cause->confirm);
		add_answer(d->measure[d->measures++], d, c, catalog, work);
	}
}

static bool
is_within(const struct diagnosis *d)
{
	bool any = false;

	for (size_t i = 0; i < d->terms; i++) {
		if (d->term[i].verdict == TERM_SLOWER || d->term[i].verdict == TERM_FASTER)
			return false;
		any = any || d->term[i].verdict == TERM_AS_ESTIMATED;
	}
	return any && d->mismatches == 0;
}

void
diagnose_alone(struct diagnosis *out, const struct measured *m, const struct plan *p)
{
	*out = (struct diagnosis){ .legal = true, .alone = true, .leading = MEASURED_COUNT, .run = *p };
	for (int id = 0; id < MEASURED_COUNT; id++) {
		struct diagnosed_term *t = &out->term[out->terms];

		*t = measured_term((enum measured_id)id, m);
		out->terms += t->measured > 0;
	}
	attribute_stated(out, m);
}

/* Of an engine whose release the plan does not say it is the run's. */
static void
take_release(struct plan *p, const struct measured *m, const struct catalog *catalog)
{
	const struct fact *release = measured_find(m, FIELD_ENGINE_VERSION);
	char err[256];

	if (release != NULL && p->mode == MODE_SERVE && !field_is_set(FIELD_ENGINE_VERSION, p) &&
	    field_parse(FIELD_ENGINE_VERSION, p, release->text, err, sizeof err))
		plan_resolve(p, catalog);
}

void
diagnose_run(struct diagnosis *out, const struct measured *m, const struct plan *p,
    const struct catalog *catalog, struct estimate *work)
{
	struct plan own = *p;
	double given, run;
	struct ledger kinds;

	take_release(&own, m, catalog);
	p = &own;
	ledger_init(&kinds, NULL, 0); /* for its sums alone */
	*out = (struct diagnosis){ .leading = MEASURED_COUNT };
	out->mismatches = diagnose_mismatches(out->mismatch, &out->run, m, p, catalog);
	estimate_run(work, p, catalog, &kinds);
	out->legal = work->legal;
	if (!work->legal)
		return;
	take_terms(out, m, p, work, &kinds);
	add_doubt(out, m);
	out->leading = leading_of(out);
	out->within_error = is_within(out);
	if (out->leading == MEASURED_COUNT) {
		put_mismatch(out, 0, 0);
		out->causes -= out->causes > 0 && out->cause[0].cause == NULL; /* is told as such */
		attribute_stated(out, m);
		return;
	}
	given = quantity_cost(out->leading, quantity_estimate(out->leading, p, work), p, work);
	out->difference = quantity_cost(out->leading, term_of(out, out->leading)->measured, p, work) -
	    given;
	if (out->mismatches > 0) {
		estimate_run(work, &out->run, catalog, NULL);
		if (!work->legal)
			out->run = *p;
		run = work->legal ? quantity_cost(out->leading,
		    quantity_estimate(out->leading, &out->run, work), &out->run, work) : given;
		if ((run - given) * out->difference > 0) /* else it explains nothing of it */
			put_mismatch(out, given, run);
	}
	add_other_work(out, work);
	attribute_run(out, m, catalog, work);
	if (!is_settled(out, given))
		take_measures(out, catalog, work);
}
