#include "core/serve/serve_latency.h"

#include "core/base/number.h"
#include "core/framework/error.h"
#include "core/plan/hardware.h"
#include "core/plan/pool.h"
#include "core/serve/serve_apart.h"
#include "core/serve/serve_held.h"
#include "core/serve/serve_links.h"
#include "core/serve/serve_loop.h"
#include "core/serve/serve_open.h"
#include "core/serve/serve_pools.h"

static void
set_transfer(struct serve *out, const struct plan *p, const struct kv *kv,
    const struct kv_layers *layers)
{
	const double tp = kv_attention_tp(p);

	out->transfer_bytes = (double)p->serving.prompt_tokens * kv_model_bytes(p) +
	    kv_state_bytes(kv, layers) * tp;
	out->transfer_rate = serve_transfer_rate(p, tp, at_least_one(p->parallel.pp));
	out->transfer_seconds = out->transfer_rate > 0 ?
	    out->transfer_bytes / out->transfer_rate : 0;
}

/* Seconds to bring the cached part of a prompt from the host, where it is kept there. */
static double
fetch_seconds(const struct plan *p, const struct serve *out)
{
	const struct serving *v = &p->serving;
	const double bytes = (double)v->prompt_tokens * v->prefix_hit * out->kv_bytes_per_token;

	if (!(v->kv_host_gib > 0) || !(serve_fetch_rate(p) > 0))
		return 0;
	return bytes / serve_fetch_rate(p);
}

static void
set_times(struct serve *out, const struct served *s)
{
	out->step_seconds = s->step;
	out->prefill_seconds = s->prefill;
	out->prompts_share_seconds = s->share;
	out->queue_seconds = s->queue;
	out->ttft_seconds = s->ttft;
	out->tpot_seconds = s->tpot;
}

static void
set_rates(struct serve *out, const struct plan *p, const struct serve_setup *setup,
    const struct served *s)
{
	const double n = (double)p->serving.generate_tokens;

	out->running = s->running * setup->dp * setup->engines;
	out->cycle_seconds = s->cycle;
	out->tokens_per_second = s->cycle > 0 ? out->running * n / s->cycle : 0;
	out->tokens_per_second_per_gpu = out->tokens_per_second / (double)plan_world(p);
	out->tokens_per_second_per_user = s->tpot > 0 ? 1 / s->tpot : 0;
}

/* What drafts do to the batch that runs, and up to which one. */
static void
set_drafts(struct serve *out, const struct serve_work *w, double slots)
{
	const struct serving *v = &w->p->serving;
	const double length = (double)v->prompt_tokens + (double)v->generate_tokens / 2;
	const double engines = w->setup->engines * w->setup->dp;

	if (v->draft_tokens == 0 || !(out->running > 0))
		return;
	out->draft_gain = serve_drafts_gain(w, larger(1, out->running / engines), length);
	out->draft_batch = w->setup->dp * serve_drafts_lose(w, slots, length);
}

/* A GPU of MLPs holds weights and activations, and beside PyTorch as much as those that attend. */
static double
ffn_bytes(const struct serve_work *w, const struct serve *out)
{
	const struct plan q = pool_ffn_plan(w->p);
	struct serve_setup s;
	double peers;

	if (w->p->serving.ffn_gpus <= 0)
		return 0;
	s = serve_apart_setup(w, &peers);
	return serve_apart_weights(w) + out->non_torch_bytes + serve_forward_bytes(&q, &s);
}

void
serve_latency(struct serve *out, const struct plan *p, const struct serve_setup *setup,
    const struct kv *kv, const struct serve_room *room, struct ledger *ledger)
{
	const struct serve_work w = serve_work_of(p, setup, kv);
	const struct serving *v = &p->serving;
	const struct demand d = {
		.requests = larger(1, (double)v->concurrency / (setup->engines * setup->dp)),
		.slots = room->slots, .prompt = serve_prompt_tokens(p),
		.generate = (double)v->generate_tokens, .fetch = fetch_seconds(p, out) };
	struct served s;
	struct pool pool;

	set_transfer(out, p, kv, &w.kv_layers);
	out->ffn_gpu_bytes = ffn_bytes(&w, out);
	if (hardware_lacks(p) != FIELD_NONE)
		return;
	if (p->traffic.rate > 0) {
		serve_open(out, p, setup, kv, room->tokens, d.fetch, ledger);
		set_drafts(out, &w, room->slots);
		out->ffn_share = serve_apart_share(&w, out->rate.in_flight / (setup->engines * setup->dp),
		    out->step_seconds);
		return;
	}
	pool_parse(&pool, v->prefill_workers);
	s = pool.workers > 0 ? serve_pools(out, &pool, &w, &d, ledger) : serve_loop(&w, &d, ledger);
	out->tpot_error = error_of_tpot(p);
	out->ttft_error = error_of_ttft(p);
	set_times(out, &s);
	set_rates(out, p, setup, &s);
	set_drafts(out, &w, room->slots);
	out->ffn_share = serve_apart_share(&w, out->running / (setup->engines * setup->dp), out->step_seconds);
}
