#include "core/serve/serve_loop.h"

#include <math.h>

#include "core/base/number.h"
#include "core/rate/rate.h"
#include "core/serve/serve_draft.h"

#define BENCHMARKS "SemiAnalysisAI/InferenceX; ai-dynamo/aiconfigurator systems/silicon_sample.csv"
#define CYCLE "Little 1961, Operations Research 9(3): as many prompts are prefilled as requests end"
#define SCHEDULER "SGLang python/sglang/srt/managers/scheduler.py, recv_interval"
#define HELD "TensorRT-LLM _torch/pyexecutor/py_executor.py, _waiting_requests"
#define FETCH "LMCache docs, CPU offloading: a prefix found on the host is copied"
#define CALIBRATION "measured, shardplan-plan(5), section calibration"

enum { ROUNDS = 3, BISECTIONS = 20 };
#define NEXT_TO_NOTHING 1e-12 /* seconds, so that nothing is divided by none */

static const double met_first = .022; /* of the prompts: a benchmark begins with a burst */
static const double steps_waited = 3.0;  /* of the running batch, before a request begins */
static const double interval_waited = .41; /* of a polling interval */

double
serve_tokens_a_step(const struct plan *p)
{
	return 1 + (p->serving.draft_tokens > 0 ? p->serving.accepted_tokens : 0);
}

double
serve_step_at(const struct serve_work *w, double requests, double length, struct ledger *ledger)
{
	const double part = larger(1, requests / w->setup->pp); /* stages work on parts in turn */

	return serve_decode(w, part, 1 + (double)w->p->serving.draft_tokens, length, ledger) +
	    serve_draft_seconds(w, part, length, ledger);
}

double
serve_drafts_gain(const struct serve_work *w, double requests, double length)
{
	const double part = larger(1, requests / w->setup->pp);

	return serve_decode(w, part, 1, length, NULL) * serve_tokens_a_step(w->p) /
	    serve_step_at(w, requests, length, NULL);
}

double
serve_drafts_lose(const struct serve_work *w, double most, double length)
{
	double low = 1, high = larger(1, most);

	if (serve_drafts_gain(w, high, length) >= 1)
		return 0;
	if (serve_drafts_gain(w, low, length) < 1)
		return low;
	for (int i = 0; i < BISECTIONS; i++) {
		const double b = (low + high) / 2;

		if (serve_drafts_gain(w, b, length) < 1)
			high = b;
		else
			low = b;
	}
	return high;
}

double
serve_step(const struct serve_work *w, double requests, struct ledger *ledger)
{
	const struct serving *v = &w->p->serving;

	return serve_step_at(w, requests, (double)v->prompt_tokens + (double)v->generate_tokens / 2,
	    ledger);
}

/* A prompt longer than a pass takes several. */
double
serve_prompt_alone(const struct serve_work *w, double tokens, struct ledger *ledger)
{
	const double passes = larger(1, tokens / w->setup->tokens);
	const double pass = serve_prefill(w, tokens / passes, false, ledger);
	double sum = pass;

	if (passes > 1)
		LEDGER_TERM(ledger, sum, QUANTITY_PREFILL, "further passes", BENCHMARKS,
		    (passes - 1) * pass, IS(passes), AS("the above", pass));
	return sum;
}

double
serve_prompt_busy(const struct serve_work *w, double tokens)
{
	const double prompts = larger(1, floor(w->setup->tokens / tokens));
	const double passes = larger(1, tokens / w->setup->tokens);

	return serve_prefill(w, prompts * tokens / passes, true, NULL) * passes / prompts;
}

/* ---- one round: all follows from how many requests decode ------------------------------ */

struct loop {
	const struct serve_work *w;
	const struct demand *d;
	double steps;         /* of a request */
	double alone, busy;   /* seconds of a prompt */
	double running;
};

/* What was measured of them: scale is that over the estimate, 0 where nothing was. */
static double
scaled(double seconds, double scale, enum quantity q, struct ledger *ledger)
{
	double sum = seconds;

	if (scale > 0)
		LEDGER_TERM(ledger, sum, q, "calibration", CALIBRATION, (scale - 1) * seconds, IS(scale),
		    AS("the above", seconds));
	return sum;
}

/* Prompts of requests that ended together meet: the more of the cycle is prefill, the less
 * lengths differ, and most where an engine prefills first of all. */
static double
meeting(const struct loop *l, double step, double prompt)
{
	const double work = l->running * prompt;
	const double apart = l->w->p->serving.length_spread * l->steps * step;

	return l->w->rates.together * work / (work + apart + NEXT_TO_NOTHING);
}

static double
next_token(struct served *s, const struct loop *l, double prompt, struct ledger *ledger)
{
	const double running = l->running, queue = s->queue;
	const double tokens = serve_tokens_a_step(l->w->p), generated = l->steps * tokens;
	double sum = 0;

	LEDGER_TERM(ledger, sum, QUANTITY_TPOT, "decode step", CYCLE, s->step / tokens,
	    AS("step", s->step), AS("tokens of a step", tokens));
	s->share = 0;
	ledger_part(ledger, PART_PROMPTS);
	if (generated > 0)
		LEDGER_TERM(ledger, s->share, QUANTITY_TPOT, "prompts of other requests", CYCLE,
		    larger(0, (running - 1) * prompt - queue) / generated, IS(running), IS(prompt),
		    IS(queue), IS(generated));
	ledger_part(ledger, PART_NONE);
	return sum + s->share;
}

/* Steps that prompts are mixed into have room for so many of their tokens: where answers are short,
 * prompts wait that their few steps do not take. */
static void
add_crowded_out(struct served *s, const struct loop *l, double prompt, struct ledger *ledger)
{
	const double others = (l->running - 1) * prompt - s->queue, steps = l->steps;
	const double step = l->w->setup->tokens / l->d->prompt * prompt;

	if (l->w->rates.mixes && others > steps * step)
		LEDGER_TERM(ledger, s->queue, QUANTITY_TTFT, "prompts that steps have no room for", CYCLE,
		    others - steps * step, AS("other prompts", others), IS(steps),
		    AS("prompts of a step", step));
}

/* In each step as many begin as a step ends. */
static void
add_held_back(double *sum, const struct served *s, const struct loop *l, struct ledger *ledger)
{
	const struct serve_setup *setup = l->w->setup;
	const double verified = 1 + (double)l->w->p->serving.draft_tokens;
	const double held = rate_held(setup->held, (setup->enough - s->decoding * verified) / l->d->prompt - 1,
	    s->decoding / larger(1, l->steps));

	if (setup->held > 0 && l->running > 1)
		LEDGER_TERM(ledger, *sum, QUANTITY_TTFT, "until more prompts share its pass", HELD, held * s->step,
		    AS("steps", held), AS("step", s->step));
}

static double
first_token(struct served *s, const struct loop *l, double prompt, struct ledger *ledger)
{
	const struct serving *v = &l->w->p->serving;
	const struct serve_rates *r = &l->w->rates;
	const double tokens = rate_text((double)v->prompt_tokens, v->prefix_hit), polled = (double)v->poll_interval;
	const double running = l->running, together = meeting(l, s->step, prompt);
	const enum quantity q = QUANTITY_TTFT;
	double sum = 0;

	rate_add_http(&sum, r->answer, r->prompt_token, tokens, BENCHMARKS, ledger);
	LEDGER_TERM(ledger, sum, q, "steps of the running batch", BENCHMARKS,
	    steps_waited * s->step, AS("steps", steps_waited), AS("step", s->step));
	if (r->polls)
		LEDGER_TERM(ledger, sum, q, "until it is looked for", SCHEDULER,
		    interval_waited * polled * s->step, AS("share", interval_waited),
		    AS("interval", polled), AS("step", s->step));
	add_held_back(&sum, s, l, ledger);
	if (l->d->fetch > 0)
		LEDGER_TERM(ledger, sum, q, "prefix from the host", FETCH, l->d->fetch,
		    AS("seconds", l->d->fetch));
	ledger_part(ledger, PART_QUEUE);
	s->queue = 0;
	LEDGER_TERM(ledger, s->queue, q, "prompts before it", BENCHMARKS,
	    (met_first + together) * (running - 1) * prompt, AS("first burst", met_first),
	    IS(together), IS(running), IS(prompt));
	add_crowded_out(s, l, prompt, ledger);
	ledger_part(ledger, PART_NONE);
	LEDGER_TERM(ledger, sum, q, "prefill", CYCLE, s->prefill, AS("seconds", s->prefill));
	return sum + s->queue;
}

/* Seconds that a request waits for one of those that hold a slot, each for `cycle`. */
static double
wait_for_slot(const struct demand *d, double cycle, struct ledger *ledger)
{
	const double running = smaller(d->requests, d->slots), waiting = d->requests - running;
	double sum = 0;

	if (waiting > 0)
		LEDGER_TERM(ledger, sum, QUANTITY_TTFT, "waiting for a slot", CYCLE,
		    waiting / running * cycle, IS(waiting), IS(running), IS(cycle));
	return sum;
}

void
serve_settle(struct served *s, const struct serve_work *w, const struct demand *d, double first,
    double next, struct ledger *ledger)
{
	const struct calibration *c = &w->p->calibration;

	s->wait = wait_for_slot(d, first + next * d->generate, ledger);
	s->ttft = scaled(first + s->wait, c->ttft_scale, QUANTITY_TTFT, ledger);
	s->tpot = scaled(next, c->tpot_scale, QUANTITY_TPOT, ledger);
	s->cycle = s->ttft * first / (first + s->wait) + s->tpot * d->generate;
}

/* What a prompt alone takes of all ranks that start passes together: they wait for each other's,
 * but for those that they have at the same time, as meeting() has it. */
static double
alone_seconds(const struct loop *l, double step)
{
	const double ranks = l->w->in_step, work = l->running * l->alone * ranks;
	const double apart = l->w->p->serving.length_spread * l->steps * step;

	return l->alone * (1 + (ranks - 1) * apart / (work + apart + NEXT_TO_NOTHING));
}

/* Seconds of a prompt: the busier the engine, the more of them share a pass, and stages of a
 * pipeline prefill different ones. */
static double
prompt_seconds(const struct loop *l, double step)
{
	const double one = alone_seconds(l, step), alone = l->running * one;
	const double busy = alone / (alone + l->steps * step + NEXT_TO_NOTHING);

	return (one + (l->busy - one) * busy) / l->w->setup->pp;
}

static void
go_round(struct served *s, const struct loop *l, struct ledger *ledger)
{
	double prompt, first, next, life;

	s->step = serve_step(l->w, s->decoding, ledger);
	prompt = prompt_seconds(l, s->step);
	first = first_token(s, l, prompt, ledger);
	next = next_token(s, l, prompt, ledger);
	life = next * l->d->generate;
	s->decoding = larger(1, smaller(1, life / (life + first)) * l->running);
	serve_settle(s, l->w, l->d, first, next, ledger);
}

struct served
serve_loop(const struct serve_work *w, const struct demand *d, struct ledger *ledger)
{
	struct served s = { .running = smaller(d->requests, d->slots) };
	const struct loop l = { .w = w, .d = d, .running = s.running,
		.steps = d->generate / serve_tokens_a_step(w->p),
		.alone = serve_prompt_alone(w, d->prompt, ledger),
		.busy = serve_prompt_busy(w, d->prompt) };

	s.prefill = l.alone;
	s.decoding = s.running;
	for (int round = 1; round <= ROUNDS; round++)
		go_round(&s, &l, round == ROUNDS ? ledger : NULL);
	return s;
}
