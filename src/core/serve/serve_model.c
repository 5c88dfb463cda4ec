#include "core/serve/serve_model.h"

#include "core/base/number.h"
#include "core/model/weights.h"
#include "core/serve/serve_experts.h"

#define GEMM "ai-dynamo/aiconfigurator systems/data/gemm_perf"

static const double tile_most = 62; /* rows that a product of many computes besides its own, as tables rise */

/* Of one transformer layer: projections, norms, rotary, cache, attention, MLP, residuals. An indexer
 * projects, norms, turns and quantises queries and keys of its own, stores them, weighs heads, scores
 * and picks: 16 (SGLang nsa_indexer.py). */
static double
count_kernels(const struct plan *p, const struct serve_work *w)
{
	const struct model *m = &p->model;
	double layer = m->attention != ATTENTION_MHA ? 14 : m->qk_norm ? 10 : 9;

	if (weights_dense(p) < 2)
		layer += 3; /* quantise what goes into products */
	return w->halves / 2 * layer + 16 * w->kinds.indexed + 2 * w->kv_layers.of[KV_STATE] +
	    (m->shared_expert_ffn_hidden_size > 0 ? w->kinds.moe : 0) + 8;
}

/* SGLang's ranks of DP attention split MLPs, shared experts, router and head over TP all the same, but
 * where they are told to have them whole, and gather the tokens of all ranks before them
 * (python/sglang/srt/layers/communicator.py, ScatterMode). */
static void
set_linear(struct serve_work *w, const struct stage_params *n)
{
	const struct plan *p = w->p;
	const double bytes = weights_dense(p);
	const bool joins = p->serving.dp_attention && !engine_dense_is_whole(p);
	const double joint = joins ? n->tp_linear : 0, router = joins ? n->router : 0;

	w->joined = joins ? w->setup->dp : 1;
	w->joint = joint + router;
	w->joint_bytes = joint * bytes + 2 * router;
	w->inputs = n->inputs;
	w->linear = n->linear + n->router - w->joint;
	w->linear_bytes = n->linear * bytes + 2 * n->router - w->joint_bytes + weights_kept(p) / w->setup->tp;
}

static struct serve_work
work_of(const struct plan *p, const struct serve_setup *setup, const struct kv *kv,
    const struct layer_kinds *kinds)
{
	const struct rank_layers all = { .kinds = *kinds };
	const struct stage_params n = params_held(p, &all, NULL);
	struct serve_work w = { .p = p, .setup = setup, .kv = kv, .kinds = all.kinds };

	w.rates = serve_rates_of(p, setup);
	if (params_mixers(kinds) > 0)
		w.kv_layers = kv_layers_of(p, 0, p->model.layers);
	set_linear(&w, &n);
	w.expert = n.expert_linear;
	w.expert_bytes = n.expert_linear * weights_expert(p);
	w.mixers = params_mixers(&w.kinds);
	w.local = w.kv_layers.of[KV_WINDOW] + w.kv_layers.of[KV_CHUNK] + w.kinds.borrowing_local;
	w.halves = w.mixers + w.kinds.moe + w.kinds.dense;
	w.kernels = count_kernels(p, &w);
	w.attention_tp = kv_attention_tp(p);
	w.lora = serve_lora_of(p, &all);
	w.in_step = p->serving.dp_attention || p->serving.ffn_gpus > 0 || serve_exchanges(&w) ? setup->dp : 1;
	return w;
}

struct serve_work
serve_work_of(const struct plan *p, const struct serve_setup *setup, const struct kv *kv)
{
	const struct layer_kinds kinds = params_kinds_held(p, 0, p->model.layers);

	return work_of(p, setup, kv, &kinds);
}

struct serve_work
serve_work_of_mlps(const struct plan *p, const struct serve_setup *setup, const struct kv *kv)
{
	const struct layer_kinds all = params_kinds(&p->model, 0, p->model.layers);
	const struct layer_kinds mlps = { .all = all.all, .moe = all.moe, .dense = all.dense,
		.shortcut = all.shortcut, .hashed = all.hashed };

	return work_of(p, setup, kv, &mlps);
}

/* Share of the rate that a product of so many tokens reaches, in prefill and in decode: tables of kernels rise
 * alike to 4,096 rows, however they came together. Tiles of few rows make it half of the rate. */
double
serve_reached(const struct serve_rates *r, double tokens)
{
	return tokens / (tokens + larger(r->least_rows, smaller(tokens, tile_most)));
}

/* A kernel reads while it computes, but neither all the time: where one takes as long as the other the tables
 * have a fifth more than either (norm4). */
void
serve_add_linear(const struct serve_work *w, const struct pass *s, double *sum, struct ledger *ledger)
{
	const double flops = w->rates.dense.flops * serve_reached(&w->rates, s->tokens), hbm = w->rates.dense.bytes;

	LEDGER_TERM(ledger, *sum, s->quantity, "linear layers", GEMM,
	    norm4(2 * w->linear * s->tokens / flops, w->linear_bytes / hbm),
	    AS("parameters", w->linear), AS("tokens", s->tokens), AS("compute rate", flops),
	    AS("bytes", w->linear_bytes), AS("memory rate", hbm));
	if (w->rates.quantise > 0)
		LEDGER_TERM(ledger, *sum, s->quantity, "inputs of linear layers quantised", GEMM,
		    s->tokens * w->inputs * w->rates.quantise, AS("tokens", s->tokens),
		    AS("inputs", w->inputs), AS("seconds", w->rates.quantise));
}
