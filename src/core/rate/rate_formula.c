#include "core/rate/rate_formula.h"

#include <math.h>

#include "core/base/number.h"

#define LITTLE "Little 1961, Operations Research 9(3): requests in flight are rate times life"
#define KINGMAN "Kingman 1961, Proc. Cambridge Philos. Soc. 57(4): a queue of general gaps and times"
#define ENGINES "vLLM vllm/v1/core/sched/scheduler.py; SGLang python/sglang/srt/managers/scheduler.py"
#define BENCHMARKS "MLCommons inference_results_v5.1; vLLM and SGLang benchmark results at a rate"

#define STAGES "vLLM vllm/v1/core/sched/scheduler.py, _update_after_schedule: the next part of a prompt follows at once"
#define HELD "TensorRT-LLM _torch/pyexecutor/py_executor.py, _waiting_requests"
#define FETCH "LMCache docs, CPU offloading: a prefix found on the host is copied"

#define BATCH_MOST 8192.0
enum { BISECTIONS = 50 };

/* A load and an engine with what follows from both for any batch. */
struct working {
	const struct rate_engine *e;
	const struct rate_load *l;
	double length;   /* mean that a step looks back on */
	double passes;   /* of a prompt */
	double prompt;   /* seconds of a prompt alone */
	double most;     /* in flight */
};

double
rate_text(double prompt, double met)
{
	return prompt * (1 - .9 * met);
}

void
rate_add_http(double *sum, double request, double of_token, double tokens, const char *source,
    struct ledger *ledger)
{
	LEDGER_TERM(ledger, *sum, QUANTITY_TTFT, "HTTP and tokenizer", source, request + of_token * tokens,
	    IS(request), AS("of a token", of_token), IS(tokens));
}

double
rate_held(double most, double others, double a_step)
{
	const double first = a_step > 0 ? smaller(most, larger(0, others) / a_step) : most;
	const double met = first * a_step;

	return first * (1 + met / 2) / (1 + met);
}

double
rate_behind(const struct rate_engine *e, double prompt, double met)
{
	const double last = smaller(larger(1, prompt - floor(met * prompt)), larger(1, e->budget));

	return e->stages > 1 ? (e->stages - 1) * rate_pass(&e->table, last, last * (2 * prompt - last)) : 0;
}

double
rate_slots(const struct rate_engine *e, const struct rate_load *l)
{
	return smaller(e->slots, e->kv_tokens / (l->prompt.mean + l->answer.mean / 2));
}

static struct working
working_of(const struct rate_engine *e, const struct rate_load *l)
{
	const double tokens = larger(1, l->prompt.mean * (1 - l->hit));
	const double pass = smaller(tokens, e->budget);
	struct working w = { .e = e, .l = l, .length = l->prompt.mean + l->answer.mean / 2,
		.passes = larger(1, tokens / e->budget), .most = smaller(rate_slots(e, l), BATCH_MOST) };

	w.prompt = rate_pass(&e->table, pass, pass * (2 * l->prompt.mean - pass)) * w.passes;
	return w;
}

static double
step_of(const struct working *w, double b)
{
	return rate_step(&w->e->table, b, w->length);
}

static double
steps_of(const struct working *w)
{
	return larger(0, w->l->answer.mean - 1) / w->e->tokens;
}

/* Prompts that share a pass: as many as end with a step of b requests, as far as it has room. */
static double
prompts_of_pass(const struct working *w, double b)
{
	const double tokens = larger(1, w->l->prompt.mean * (1 - w->l->hit));
	const double room = w->e->budget - (w->e->first ? 0 : b * w->e->verified);

	return larger(1, smaller(b / larger(1, steps_of(w)), room / tokens));
}

/* Seconds of the passes that a prompt is in. */
static double
passes_of(const struct working *w, double b)
{
	const double n = prompts_of_pass(w, b), tokens = larger(1, w->l->prompt.mean * (1 - w->l->hit));

	return n > 1 ? rate_pass(&w->e->table, n * tokens, n * tokens * (2 * w->l->prompt.mean - tokens)) :
	    w->prompt;
}

/* What a prompt adds to the steps of b requests: all of it where it runs alone. */
static double
prompt_adds(const struct working *w, double b)
{
	const double shared = smaller(rate_saved(&w->e->table, w->e->graphs, w->length), step_of(w, b));
	const double saved = w->e->first ? 0 : w->passes * shared;

	return larger(1e-6, (passes_of(w, b) - saved) / prompts_of_pass(w, b));
}

/* Steps that a prompt is held back while b requests run. */
static double
held_back(const struct working *w, double b)
{
	const double tokens = larger(1, w->l->prompt.mean * (1 - w->l->hit));

	return rate_held(w->e->held, (w->e->enough - b * w->e->verified) / tokens - 1, w->l->rate * step_of(w, b));
}

/* Requests a second with b in flight. */
static double
rate_at(const struct working *w, double b)
{
	return b / (b * prompt_adds(w, b) + steps_of(w) * step_of(w, b));
}

static void
find_saturation(struct rate_means *m, const struct working *w)
{
	for (double b = 1; b <= w->most * 1.0001; b *= 1.12)
		if (rate_at(w, b) > m->saturation) {
			m->saturation = rate_at(w, b);
			m->saturated_batch = b;
		}
	if (rate_at(w, w->most) > m->saturation) {
		m->saturation = rate_at(w, w->most);
		m->saturated_batch = w->most;
	}
}

/* Where as many end as arrive, of those up to which more in flight get more done. */
static double
find_batch(const struct working *w, double most)
{
	double low = 0, high = most;

	for (int i = 0; i < BISECTIONS; i++) {
		const double b = (low + high) / 2;

		if (rate_at(w, larger(b, 1e-3)) < w->l->rate)
			low = b;
		else
			high = b;
	}
	return larger((low + high) / 2, 1e-3);
}

/* Gamma shape of the gaps that one of several engines sees: in turn each takes every n-th request
 * (least loaded is no worse), by chance it is thinned. */
static double
shape_of_one(const struct rate_load *l)
{
	const double n = l->engines, spread = isinf(l->shape) ? 0 : 1 / l->shape;

	if (n <= 1)
		return l->shape;
	return l->routing == ROUTE_RANDOM ? 1 / (spread / n + 1 - 1 / n) : l->shape * n;
}

static double
queue_of(const struct working *w, const struct rate_means *m, struct ledger *ledger)
{
	const double shape = shape_of_one(w->l), gaps = isinf(shape) ? 0 : 1 / shape;
	const double prompts = w->l->prompt.sd / larger(1, w->l->prompt.mean), used = m->prompts;
	const double adds = prompt_adds(w, larger(1, m->batch));
	double sum = 0;

	LEDGER_TERM(ledger, sum, QUANTITY_TTFT, "prompts before it", KINGMAN,
	    used / (1 - used) * adds * (gaps + prompts * prompts) / 2, AS("share of the time", used),
	    AS("what a prompt adds", adds), AS("gaps, cv^2", gaps), AS("prompts, cv", prompts));
	return sum;
}

static double
first_token(const struct working *w, struct rate_means *m, struct ledger *ledger)
{
	const double tokens = rate_text(w->l->prompt.mean, w->l->hit), batch = smaller(1, m->batch);
	const double prefill = passes_of(w, m->batch), held = held_back(w, larger(1, m->batch));
	const double shared = rate_saved(&w->e->table, w->e->graphs, w->length), passes = w->passes;
	const enum quantity q = QUANTITY_TTFT;
	double sum = 0;

	rate_add_http(&sum, w->e->answer, w->e->prompt_token, tokens, BENCHMARKS, ledger);
	if (w->e->fetch > 0)
		LEDGER_TERM(ledger, sum, q, "prefix from the host", FETCH, w->e->fetch,
		    AS("seconds", w->e->fetch));
	LEDGER_TERM(ledger, sum, q, "prefill", ENGINES, prefill, AS("seconds", prefill));
	if (w->e->stages > 1)
		LEDGER_TERM(ledger, sum, q, "its last pass in the stages behind", STAGES,
		    rate_behind(w->e, w->l->prompt.mean, w->l->hit), AS("stages", w->e->stages));
	if (!w->e->first && m->batch >= 1)
		LEDGER_TERM(ledger, sum, q, "steps that it is mixed into", ENGINES,
		    passes * larger(0, m->step - shared), IS(passes), AS("step", m->step),
		    AS("shared with it", shared));
	LEDGER_TERM(ledger, sum, q, "rest of the step that runs", ENGINES, .5 * m->step * batch,
	    AS("step", m->step), AS("share of the time that one runs", batch));
	if (w->e->ahead)
		LEDGER_TERM(ledger, sum, q, "the step that is scheduled already", ENGINES, m->step * batch,
		    AS("step", m->step), AS("share of the time that one runs", batch));
	if (w->e->held > 0)
		LEDGER_TERM(ledger, sum, q, "until more prompts share its pass", HELD, held * m->step * batch,
		    AS("steps", held), AS("step", m->step), AS("share of the time that one runs", batch));
	ledger_part(ledger, PART_QUEUE);
	m->queue = queue_of(w, m, ledger);
	ledger_part(ledger, PART_NONE);
	return sum + m->queue;
}

static double
next_token(const struct working *w, const struct rate_means *m, struct ledger *ledger)
{
	const double step = m->step, tokens = w->e->tokens, used = m->prompts;
	double sum = 0;

	LEDGER_TERM(ledger, sum, QUANTITY_TPOT, "decode step", LITTLE, step / tokens, IS(step),
	    AS("tokens of a step", tokens));
	ledger_part(ledger, PART_PROMPTS);
	LEDGER_TERM(ledger, sum, QUANTITY_TPOT, "prompts of other requests", LITTLE,
	    step / tokens * (used / (1 - used)), IS(step), AS("tokens of a step", tokens),
	    AS("share of the time that prompts take", used));
	ledger_part(ledger, PART_NONE);
	return sum;
}

struct rate_means
rate_means(const struct rate_engine *e, const struct rate_load *l, struct ledger *ledger)
{
	const struct working w = working_of(e, l);
	struct rate_means m = { .prefill = w.prompt };

	find_saturation(&m, &w);
	m.stable = l->rate < m.saturation;
	m.batch = m.stable ? find_batch(&w, m.saturated_batch) : w.most;
	m.step = step_of(&w, larger(1, m.batch));
	m.prompts = smaller(RATE_MOST_USED, l->rate * prompt_adds(&w, larger(1, m.batch)));
	m.ttft = first_token(&w, &m, ledger);
	m.tpot = next_token(&w, &m, ledger);
	m.life = m.ttft + larger(0, l->answer.mean - 1) * m.tpot;
	return m;
}
