#include "core/rate/rate_pools.h"

#include <math.h>

#include "core/base/number.h"

#define QUEUE "Allen 1990, Probability, Statistics and Queueing Theory, section 5.3.6"
#define MOVED "vLLM docs/features/disagg_prefill.md; NIC rate of the plan"
#define LITTLE "Little 1961, Operations Research 9(3): requests in flight are rate times life"
#define BENCHMARKS "SemiAnalysisAI/InferenceX, disaggregated rows"

enum { BISECTIONS = 50 };
static const double requests_usual = 400; /* of a benchmark, and of the loop of events */

static double
length_of(const struct rate_load *l)
{
	return l->prompt.mean + l->answer.mean / 2;
}

/* Requests a second of an engine that only decodes, with b in flight. */
static double
decode_rate(const struct rate_engine *e, const struct rate_load *l, double b)
{
	return b * e->tokens / (larger(1, l->answer.mean) *
	    rate_step(&e->table, b, length_of(l)));
}

static double
batch_at(const struct rate_engine *e, const struct rate_load *l, double rate)
{
	double low = 0, high = rate_slots(e, l);

	for (int i = 0; i < BISECTIONS; i++) {
		const double b = (low + high) / 2;

		if (decode_rate(e, l, larger(b, 1e-3)) < rate)
			low = b;
		else
			high = b;
	}
	return (low + high) / 2;
}

/* A queue that begins empty grows as a walk does: near saturation it is not, after so many prompts, what it would
 * come to in the end (Harrison 1985, Brownian Motion and Stochastic Flow Systems: reflected, without
 * drift, the mean over the run). */
static double
begun_queue(const struct rate_load *l, double prompt, double spread)
{
	const double n = l->requests > 0 ? l->requests : requests_usual, pi = 3.14159265358979;

	return 2.0 / 3 * sqrt(2 * n * spread / pi) * prompt;
}

static double
first_token(struct rate_split *s, const struct rate_pools *p, const struct rate_engine *e,
    const struct rate_load *l, double rate, struct ledger *ledger)
{
	const double tokens = rate_text(l->prompt.mean, l->hit), used = smaller(RATE_MOST_USED, s->prefilling);
	const double prompts = l->prompt.sd / larger(1, l->prompt.mean);
	const double gaps = isinf(l->shape) ? 0 : 1 / l->shape;
	const double spread = gaps + prompts * prompts;
	const double begun = begun_queue(l, p->busy / p->lanes, spread);
	const double moving = smaller(RATE_MOST_USED, rate * p->sent / p->senders);
	const enum quantity q = QUANTITY_TTFT;
	double sum = 0, waits;

	rate_add_http(&sum, e->answer, e->prompt_token, tokens, BENCHMARKS, ledger);
	LEDGER_TERM(ledger, sum, q, "router and handshake", BENCHMARKS, p->hop, AS("seconds", p->hop));
	if (p->fetch > 0)
		LEDGER_TERM(ledger, sum, q, "prefix from the host", BENCHMARKS, p->fetch,
		    AS("seconds", p->fetch));
	LEDGER_TERM(ledger, sum, q, "prefill", BENCHMARKS, p->alone, AS("seconds", p->alone));
	s->after = p->hop + p->sent * (1 + moving / (1 - moving) / 2) + s->step;
	LEDGER_TERM(ledger, sum, q, "KV cache sent", MOVED,
	    p->sent * (1 + moving / (1 - moving) / 2), AS("seconds", p->sent),
	    AS("share of the time that one is sent", moving));
	LEDGER_TERM(ledger, sum, q, "a decode step", LITTLE, s->step, AS("seconds", s->step));
	waits = pow(used, sqrt(2 * (p->lanes + 1)) - 1);
	ledger_part(ledger, PART_QUEUE);
	LEDGER_TERM(ledger, s->queue, q, "prompts before it", QUEUE,
	    smaller(begun, waits * p->busy / p->lanes / (1 - used) * spread / 2),
	    AS("of a run from empty", begun), AS("share that waits", waits), AS("prompt", p->busy),
	    AS("workers", p->lanes), IS(used), AS("gaps, cv^2", gaps), AS("prompts, cv", prompts));
	ledger_part(ledger, PART_NONE);
	return sum + s->queue;
}

struct rate_split
rate_split(const struct rate_pools *p, const struct rate_engine *e, const struct rate_load *l,
    double rate, struct ledger *ledger)
{
	const double prefill = p->lanes / p->busy, most = rate_slots(e, l);
	const double decode = p->decoders * decode_rate(e, l, most);
	struct rate_split s = { .saturation = smaller(prefill, decode), .prefilling = rate / prefill,
		.decoding = rate / decode };

	s.stable = rate < s.saturation;
	s.batch = batch_at(e, l, rate / p->decoders);
	s.step = rate_step(&e->table, larger(1, s.batch), length_of(l));
	s.ttft = first_token(&s, p, e, l, rate, ledger);
	LEDGER_TERM(ledger, s.tpot, QUANTITY_TPOT, "decode step", LITTLE, s.step / e->tokens,
	    AS("step", s.step), AS("tokens of a step", e->tokens));
	s.life = s.ttft + larger(0, l->answer.mean - 1) * s.tpot;
	return s;
}

double
rate_split_step(const struct rate_split *s, const struct rate_engine *e, const struct rate_load *l,
    double share)
{
	const double b = s->batch + rate_normal(share) * sqrt(s->batch);

	return rate_step(&e->table, larger(1, smaller(b, rate_slots(e, l))),
	    length_of(l));
}
