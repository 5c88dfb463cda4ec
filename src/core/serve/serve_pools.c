#include "core/serve/serve_pools.h"

#include <math.h>

#include "core/base/number.h"
#include "core/model/params.h"
#include "core/model/weights.h"
#include "core/serve/serve_engine.h"
#include "core/serve/serve_links.h"

#define BENCHMARKS "SemiAnalysisAI/InferenceX, disaggregated rows; ai-dynamo/aiconfigurator systems/silicon_sample.csv"
#define QUEUE "Pollaczek 1930, Khinchine 1932: a queue before servers of a fixed time"
#define MOVED "vLLM docs/features/disagg_prefill.md; NIC rate of the plan"

enum { ROUNDS = 8 };
static const double handshake = .1;   /* router and transfer set up */
static const double steps_waited = 2; /* of the decoding batch */
static const double busy_share = .8;  /* of the prefill workers, where both pools are well used */

static struct serve_setup
setup_of_pool(const struct plan *q, const struct pool *pool)
{
	struct serve_setup s = serve_setup_of(q);

	s.tp = (double)pool->size;
	s.pp = 1;
	s.dp = pool->dp ? (double)pool->size : 1;
	s.engines = (double)pool->workers;
	return s;
}

double
serve_transfer_rate(const struct plan *p, double attention_tp, double pp)
{
	const double heads = (double)p->model.kv_heads;
	const double parts = p->model.attention == ATTENTION_MLA ? 1 : smaller(attention_tp, heads);

	return parts * pp * serve_network_rate(p);
}

double
serve_pool_weights(const struct plan *q)
{
	const struct rank_layers all = { .kinds = params_kinds(&q->model, 0, q->model.layers),
		.embedding = true, .loss = true };
	const struct stage_params n = params_held(q, &all, NULL);

	return n.linear * weights_dense(q) + 2 * (n.dense - n.linear) +
	    n.expert_linear * weights_expert(q) + 2 * (n.expert - n.expert_linear);
}

/* Weights, the cache of one prompt, and beside them as much as a decoding GPU needs. */
static double
held_bytes(const struct plan *q, const struct kv *kv, const struct serve *out)
{
	const struct kv_layers layers = kv_layers_of(q, 0, q->model.layers);

	return serve_pool_weights(q) + out->non_torch_bytes + out->activation_bytes +
	    (double)q->serving.prompt_tokens * kv_token_bytes(q, &layers, NULL) +
	    kv_state_bytes(kv, &layers);
}

/* Workers that prefill and engines that decode: seconds, and requests a second. */
struct pools {
	const struct serve_work *w;
	const struct demand *d;
	double lanes;    /* prompts that are prefilled at once */
	double rate;     /* prompts a second, all workers busy */
	double requests; /* at once, all engines that decode */
};

/* To the first token; the terms of QUANTITY_TTFT. */
static double
first_token(struct served *s, const struct pools *o, double sent, double life,
    struct ledger *ledger)
{
	const struct serve_rates *r = &o->w->rates;
	const struct serving *v = &o->w->p->serving;
	const double tokens = rate_text((double)v->prompt_tokens, v->prefix_hit);
	const enum quantity q = QUANTITY_TTFT;
	const double requests = o->requests, rate = o->rate, lanes = o->lanes;
	const double burst = engine_of(o->w->p)->burst;
	double sum = 0, used, before;

	rate_add_http(&sum, r->answer, r->prompt_token, tokens, BENCHMARKS, ledger);
	LEDGER_TERM(ledger, sum, q, "router and handshake", BENCHMARKS, handshake,
	    AS("seconds", handshake));
	LEDGER_TERM(ledger, sum, q, "prefill", BENCHMARKS, s->prefill, AS("seconds", s->prefill));
	LEDGER_TERM(ledger, sum, q, "KV cache sent", MOVED, sent, AS("seconds", sent));
	LEDGER_TERM(ledger, sum, q, "steps of the decoding batch", BENCHMARKS,
	    steps_waited * s->step, AS("steps", steps_waited), AS("step", s->step));
	used = smaller(RATE_MOST_USED, requests / (life + sum) / rate);
	s->queue = 0;
	ledger_part(ledger, PART_QUEUE);
	LEDGER_TERM(ledger, s->queue, q, "prompts before it", QUEUE,
	    used / (1 - used) / 2 / rate * smaller(1, requests / lanes) +
	    burst * larger(0, requests - lanes) / rate, IS(used), IS(rate), IS(requests), IS(lanes),
	    IS(burst));
	before = life + sum + s->queue;
	if (requests / rate > before) /* all that do not decode wait for a prefill worker */
		LEDGER_TERM(ledger, s->queue, q, "prefill workers are too few", QUEUE,
		    requests / rate - before, IS(requests), IS(rate), AS("life and the above", before));
	ledger_part(ledger, PART_NONE);
	return sum + s->queue;
}

static double
next_token(const struct served *s, const struct serve_work *w, struct ledger *ledger)
{
	const double tokens = serve_tokens_a_step(w->p);
	double sum = 0;

	LEDGER_TERM(ledger, sum, QUANTITY_TPOT, "decode step", BENCHMARKS, s->step / tokens,
	    AS("step", s->step), AS("tokens of a step", tokens));
	return sum;
}

static void
go_round(struct served *s, const struct pools *o, double sent, struct ledger *ledger)
{
	const struct serve_setup *setup = o->w->setup;
	const double ranks = setup->engines * setup->dp;
	double next, life, first;

	s->step = serve_step(o->w, larger(1, s->decoding / ranks), ledger);
	next = next_token(s, o->w, ledger);
	life = next * o->d->generate;
	first = first_token(s, o, sent, life, ledger);
	s->decoding = (s->decoding + o->requests * life / (life + first)) / 2;
	serve_settle(s, o->w, o->d, first, next, ledger);
}

double
serve_pools_balanced(const struct plan *p, const struct pool *pool, double prompts, double answers)
{
	const double gpus = (double)(pool->workers * pool->size), world = (double)plan_world(p);
	const double prompt = gpus / prompts / busy_share; /* GPU seconds of a request, */
	const double answer = (world - gpus) / answers;

	return world * prompt / (prompt + answer);
}

struct served
serve_pools(struct serve *out, const struct pool *pool, const struct serve_work *w,
    const struct demand *d, struct ledger *ledger)
{
	const struct plan q = pool_plan(w->p, pool);
	const struct serve_setup setup = setup_of_pool(&q, pool);
	const struct kv kv = kv_of(&q, setup.version, setup.tokens);
	const struct serve_work prefill = serve_work_of(&q, &setup, &kv);
	struct served s = { .running = smaller(d->requests, d->slots) };
	const double lanes = setup.engines * setup.dp;
	const struct pools o = { .w = w, .d = d, .lanes = lanes,
		.rate = lanes / serve_prompt_busy(&prefill, d->prompt),
		.requests = s.running * w->setup->engines * w->setup->dp };
	double sent;

	s.prefill = serve_prompt_alone(&prefill, d->prompt, ledger) + d->fetch;
	s.decoding = o.requests;
	out->transfer_rate = serve_transfer_rate(&q, kv_attention_tp(&q), 1);
	sent = out->transfer_rate > 0 ? out->transfer_bytes / out->transfer_rate : 0;
	out->transfer_seconds = sent;
	for (int round = 1; round <= ROUNDS; round++)
		go_round(&s, &o, sent, round == ROUNDS ? ledger : NULL);
	out->prefill_rate = o.rate;
	out->prefill_utilisation = o.requests / s.cycle / o.rate;
	out->prefill_gpus_balanced = serve_pools_balanced(w->p, pool, o.rate, s.decoding / (s.tpot * d->generate));
	out->prefill_gpu_bytes = held_bytes(&q, &kv, out);
	return s;
}

struct rate_pools
serve_pools_open(struct serve *out, const struct plan *p, const struct pool *pool, double prompt,
    double fetch, struct ledger *ledger)
{
	const struct plan q = pool_plan(p, pool);
	const struct serve_setup setup = setup_of_pool(&q, pool);
	const struct kv kv = kv_of(&q, setup.version, setup.tokens);
	const struct serve_work prefill = serve_work_of(&q, &setup, &kv);
	const struct rate_pools to = { .alone = serve_prompt_alone(&prefill, prompt, ledger),
		.busy = serve_prompt_busy(&prefill, prompt), .lanes = setup.engines * setup.dp,
		.hop = handshake, .senders = setup.engines, .fetch = fetch,
		.workers = setup.engines * setup.dp / serve_ranks_in_step(&prefill),
		.prefill = serve_engine_of(&prefill, INFINITY, fetch) };

	out->transfer_rate = serve_transfer_rate(&q, kv_attention_tp(&q), 1);
	out->transfer_seconds = out->transfer_rate > 0 ?
	    out->transfer_bytes / out->transfer_rate : 0;
	out->prefill_gpu_bytes = held_bytes(&q, &kv, out);
	return to;
}
