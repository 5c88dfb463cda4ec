#include "core/serve/serve.h"

#include <math.h>

#include "core/base/number.h"
#include "core/model/kv.h"
#include "core/serve/serve_held.h"
#include "core/serve/serve_latency.h"

static const double sglang_state_ratio = 0.9; /* mamba_full_memory_ratio, bytes of states to KV */
static const double sglang_window_ratio = 0.8; /* swa_full_tokens_ratio */
static const double answer_held = 0.6; /* of it that a running request holds */

/* The pool as requests see it: the least over the stages. */
struct room {
	double blocks;        /* vLLM */
	double tokens;        /* the others */
	double window_tokens; /* SGLang's second pool, 0 without */
	double slots;         /* states of requests, where they have a pool of their own */
	int64_t stage;        /* that runs out first */
};

/* SGLang and TensorRT-LLM: what a stage's pool holds, in tokens. */
static struct room
token_room(const struct serving_of *o, const struct held *h, const struct kv_layers *n)
{
	/* what a token takes on a rank, and its share of what ranks spread */
	const double full = n->of[KV_FULL] * (o->kv.everywhere +
	    (o->kv.bytes[KV_FULL] - o->kv.everywhere) / o->kv.ranks);
	const double local = (n->of[KV_WINDOW] + n->of[KV_CHUNK]) * o->kv.bytes[KV_WINDOW];
	const double state = kv_state_bytes(&o->kv, n) * (1 + (double)o->p->serving.draft_tokens);
	const double ratio = sglang_state_ratio, window = sglang_window_ratio;
	const bool both = engine_of(o->p)->window_pool && full > 0 && local > 0;
	const double cell = full + (both ? window : 1) * local;
	double pool = h->pool;
	struct room r = { .slots = HUGE_VAL };

	if (state > 0) {
		r.slots = floor(pool * ratio / (1 + ratio) / state);
		pool /= 1 + ratio;
	}
	r.tokens = cell > 0 ? pool / cell : r.slots * (double)o->p->serving.context_length;
	r.window_tokens = both ? r.tokens * window : 0;
	return r;
}

static struct room
stage_room(const struct serving_of *o, const struct held *h, int64_t stage)
{
	const struct kv_layers n = kv_stage(o->p, o->pl, stage);
	const double block = kv_block_bytes(&o->kv, &n);
	struct room r = { .slots = HUGE_VAL };

	if (!engine_of(o->p)->in_blocks)
		return token_room(o, h, &n);
	r.blocks = block > 0 ? floor(h->pool / block) : HUGE_VAL;
	return r;
}

static bool
is_tighter(const struct serving_of *o, const struct room *a, const struct room *b)
{
	if (engine_of(o->p)->in_blocks)
		return a->blocks < b->blocks;
	return a->tokens < b->tokens;
}

/* Requests of `length` tokens that one DP rank holds at once, as a real number. */
static double
requests_of(const struct serving_of *o, const struct room *r, double length)
{
	const struct kv *kv = &o->kv;
	double n, kept;

	if (engine_of(o->p)->in_blocks)
		return r->blocks / kv_request_blocks(kv, length);
	n = length > 0 ? r->tokens / length : HUGE_VAL;
	kept = kv->window + kv->tokens < length ? kv->window + kv->tokens : length;
	if (r->window_tokens > 0 && r->window_tokens / kept < n)
		n = r->window_tokens / kept;
	return n < r->slots ? n : r->slots;
}

/* Blocks and tokens as the engine prints them. */
static void
print_room(struct serve *out, const struct serving_of *o, const struct room *r)
{
	const double block = (double)o->p->serving.block_size;
	const double length = (double)o->p->serving.context_length;
	const double groups = kv_group_count(&o->kv);
	double least = HUGE_VAL;

	if (!engine_of(o->p)->in_blocks) {
		out->kv_blocks = floor(r->tokens / o->kv.ranks / block);
		out->kv_tokens = out->kv_blocks * block * o->kv.ranks;
		return;
	}
	for (int k = 0; k < KV_KINDS; k++)
		if (o->kv.groups[k] > 0 && o->kv.block[k] < least)
			least = o->kv.block[k];
	out->kv_blocks = r->blocks;
	out->kv_tokens = floor(r->blocks / groups) * least * o->kv.ranks;
	if (o->setup.version >= 21 && groups > 1)
		out->kv_tokens = floor(requests_of(o, r, length) * length);
}

/* The stage whose pool runs out first, and what it holds; the weights of each. */
static struct room
tightest(const struct serving_of *o, struct held *held, double *weights)
{
	struct room least = { .stage = -1 };
	double slots = HUGE_VAL;

	for (int64_t s = 0; s < o->pl->pp; s++) {
		struct held h;
		struct room r;

		if (params_as_before(o->p, o->pl, s)) { /* it has as much room */
			if (weights != NULL)
				weights[s] = weights[s - 1];
			continue;
		}
		h = serve_held(o, s, NULL);
		if (weights != NULL)
			weights[s] = h.weights;
		r = stage_room(o, &h, s);
		if (least.stage < 0 || is_tighter(o, &r, &least)) {
			least = r;
			least.stage = s;
			*held = h;
		}
		slots = r.slots < slots ? r.slots : slots;
	}
	least.slots = slots;
	return least;
}

/*
 * What one DP rank holds at once: less than the engine takes where the pool is short. Requests
 * that run are at all stages of their answer, so they hold a little more than half of it on
 * average.
 */
static struct serve_room
room_of(const struct serving_of *o, const struct room *room)
{
	const struct serving *v = &o->p->serving;
	const double length = (double)v->prompt_tokens + answer_held * (double)v->generate_tokens;
	const double requests = requests_of(o, room, length);

	return (struct serve_room){ larger(1, floor(smaller(o->setup.seqs, requests))),
		requests * length };
}

static bool
fits(const struct serving_of *o, const struct serve *s, double room)
{
	const double rank = s->max_concurrency / o->setup.dp;
	const double held = s->weight_bytes + s->non_torch_bytes + s->activation_bytes +
	    s->graph_bytes + s->kv_pool_bytes;
	const double asked = o->p->traffic.rate > 0 ? 1 : (double)o->p->serving.concurrency;

	return s->kv_pool_bytes > 0 && held < o->setup.total + 1 && rank >= 1 &&
	    floor(room) * o->setup.engines * o->setup.dp >= asked;
}

struct serve
serve_estimate(const struct plan *p, const struct layout *l, const struct placement *pl,
    double *weights, struct ledger *ledger)
{
	struct serving_of o = { .p = p, .pl = pl, .setup = serve_setup_of(p),
		.memory = memory_setup(p, l, pl, 0) };
	struct held held = { .pool = 0 };
	struct serve out = { .fits = false };
	struct kv_layers layers;
	struct room room;
	struct serve_room held_at_once;
	double at_once;

	o.kv = kv_of(p, o.setup.version, o.setup.tokens);
	room = tightest(&o, &held, weights);
	if (ledger != NULL) {
		ledger->stage = (int32_t)room.stage;
		held = serve_held(&o, room.stage, ledger);
	}
	layers = kv_stage(p, pl, room.stage);
	out.weight_bytes = held.weights;
	out.non_torch_bytes = held.non_torch;
	out.activation_bytes = held.activations;
	out.graph_bytes = held.graphs;
	out.kv_pool_bytes = held.pool;
	out.kv_bytes_per_token = kv_token_bytes(p, &layers, ledger);
	out.state_bytes_per_request = kv_state_bytes(&o.kv, &layers);
	out.max_concurrency = o.setup.dp *
	    requests_of(&o, &room, (double)p->serving.context_length);
	print_room(&out, &o, &room);
	at_once = requests_of(&o, &room,
	    (double)(p->serving.prompt_tokens + p->serving.generate_tokens));
	out.fits = fits(&o, &out, at_once);
	if (ledger != NULL)
		ledger->stage = -1;
	held_at_once = room_of(&o, &room);
	out.slots = held_at_once.slots * o.setup.dp;
	serve_latency(&out, p, &o.setup, &o.kv, &held_at_once, ledger);
	out.fits = out.fits && larger(out.prefill_gpu_bytes, out.ffn_gpu_bytes) <= o.setup.total;
	if (out.tokens_per_second > 0)
		out.cost_per_million_tokens = (double)plan_world(p) * p->cluster.gpu_hour_price / 3600 * 1e6 /
		    out.tokens_per_second;
	if (at_once < 1) /* the times are those of a request that would have room */
		out.running = out.tokens_per_second = out.tokens_per_second_per_gpu =
		    out.cost_per_million_tokens = 0;
	return out;
}
