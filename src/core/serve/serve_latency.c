#include "core/serve/serve_latency.h"

#include <math.h>

#include "core/base/number.h"
#include "core/model/params.h"
#include "core/train/memory.h"

#define OPS "ai-dynamo/aiconfigurator src/aiconfigurator/sdk/operations/"
#define ROOFLINE OPS "gemm.py"
#define BACKEND "ai-dynamo/aiconfigurator src/aiconfigurator/sdk/backends/vllm_backend.py"
#define COLLECTIVE OPS "communication.py"

/* Shares of the datasheet that kernels reach, and costs that no rate explains. */
static const double compute_share = 0.7, memory_share = 0.8;
static const double kernel_seconds = 3e-6; /* of one that only moves memory */
static const double kernels_per_layer = 6; /* norms, rotary, cache write, activation */
static const double host_seconds = 0.8e-3; /* vLLM: of a layer in prefill */
static const double near_seconds = 10e-6, far_seconds = 40e-6; /* least of a collective */

/* The model on one GPU of every stage, summed over the stages. */
struct load {
	const struct plan *p;
	const struct serve_setup *s;
	const struct kv *kv;
	struct ledger *ledger;
	struct kv_layers layers;
	double linear, expert;             /* parameters */
	double linear_bytes, expert_bytes; /* of all of them */
	double all_layers, moe_layers;
	double flops, hbm;                 /* a second */
	double attention_tp;
};

/* One pass: tokens of one rank, that a request brings `length` of or looks back on. */
struct pass {
	enum quantity quantity;
	bool prefill;
	double requests, tokens, length;
	double reads; /* how often weights are read: chunks of a prompt */
	double ranks; /* prefill context parallel: that share the prompt */
};

static double
or_one(double share)
{
	return share > 0 ? share : 1;
}

/* Weights in their own format: memory_stage less what keeps 16 bits. MXFP4 takes the
 * experts alone, where there are any. */
static void
load_stage(struct load *d, const struct layout *l, const struct placement *pl, int64_t stage)
{
	const struct plan *p = d->p;
	const struct stage_params n = params_stage(p, pl, stage, NULL);
	const struct memory m = memory_stage(p, l, pl, 0, stage, NULL);
	const struct kv_layers layers = kv_stage(p, pl, stage);
	const double plain = n.dense - n.linear + n.expert - n.expert_linear;
	const double quantized = m.parameters - 2 * plain;
	double linear = 2 * n.linear;

	if (p->serving.weight_dtype != WEIGHT_MXFP4 || n.expert_linear <= 0)
		linear = quantized * n.linear / larger(1, n.linear + n.expert_linear);
	d->linear += n.linear + n.router;
	d->linear_bytes += linear + 2 * n.router;
	d->expert += n.expert_linear;
	d->expert_bytes += quantized - linear;
	for (int k = 0; k < KV_KINDS; k++)
		d->layers.of[k] += layers.of[k];
	d->all_layers += (double)placement_layers(pl, stage);
}

static void
load_rates(struct load *d)
{
	const struct cluster *c = &d->p->cluster;
	const int64_t w = d->p->serving.weight_dtype;
	const bool eight = (w == WEIGHT_FP8 || w == WEIGHT_INT8 || w == WEIGHT_NVFP4) &&
	    c->fp8_tflops > 0;
	const double tera = eight ? c->fp8_tflops : c->bf16_tflops;

	d->flops = tera * 1e12 * compute_share * or_one(d->p->calibration.compute_efficiency);
	d->hbm = c->hbm_gbps * 1e9 * memory_share;
}

static double
roof(const struct load *d, double flops, double bytes)
{
	return larger(d->flops > 0 ? flops / d->flops : 0, d->hbm > 0 ? bytes / d->hbm : 0);
}

/* Bytes a second between GPUs of a group, one direction, and its least time. */
static double
link_rate(const struct plan *p, double members, double *least)
{
	const struct cluster *c = &p->cluster;
	const double nics = (double)c->nics_per_node / larger(1, (double)c->gpus_per_node);
	const bool linked = c->nvlink_gbps > 0 && members <= larger(1, (double)c->nvlink_domain);
	const bool inside = linked ||
	    (c->pcie_gbps > 0 && members <= (double)c->gpus_per_node);

	*least = inside ? near_seconds : far_seconds;
	if (inside)
		return (linked ? c->nvlink_gbps : c->pcie_gbps) * 1e9 *
		    or_one(p->calibration.nvlink_efficiency);
	return nics * c->nic_gbps / 8 * 1e9 * or_one(p->calibration.network_efficiency);
}

/* ---- work of one pass --------------------------------------------------------------- */

static void
add_linear(const struct load *d, const struct pass *w, double *sum)
{
	LEDGER_ADD(d->ledger, *sum, w->quantity,
	    roof(d, 2 * d->linear * w->tokens, d->linear_bytes * w->reads), "linear layers",
	    ROOFLINE, "max(2*%.10g*%.10g/%.8g, %.10g*%.10g/%.8g): parameters*tokens, bytes*reads",
	    d->linear, w->tokens, d->flops, d->linear_bytes, w->reads, d->hbm);
}

/* Tokens that meet the experts of one GPU: of all ranks that share them. */
static double
routed_tokens(const struct load *d, const struct pass *w)
{
	if (d->p->parallel.ep > 1)
		return w->tokens * d->s->dp;
	return d->p->serving.dp_attention ? w->tokens * d->s->tp : w->tokens;
}

/* A batch touches E*(1-(1-k/E)^tokens) experts of a layer, and reads those alone. */
static void
add_experts(const struct load *d, const struct pass *w, double *sum)
{
	const double share = (double)d->p->model.experts_per_token /
	    larger(1, (double)d->p->model.experts);
	const double tokens = routed_tokens(d, w);
	const double touched = 1 - pow(1 - share, tokens / w->reads);

	if (d->expert <= 0)
		return;
	LEDGER_ADD(d->ledger, *sum, w->quantity,
	    roof(d, 2 * d->expert * share * tokens, d->expert_bytes * touched * w->reads),
	    "routed experts", OPS "moe.py",
	    "max(2*%.10g*%.8g*%.10g/%.8g, %.10g*%.8g*%.10g/%.8g): k/E, touched share", d->expert,
	    share, tokens, d->flops, d->expert_bytes, touched, w->reads, d->hbm);
}

/* Pairs of tokens that attend to each other in all layers, for one request; a window or a
 * sparse index bounds what a query looks back on. */
static double
attended(const struct pass *w, double back, double layers)
{
	const double n = w->length;

	if (!w->prefill)
		return layers * smaller(n, back);
	return layers * smaller(n * n / 2, n * back);
}

/* FLOPs of a pair: scores and their product with the values, over all heads of a GPU.
 * MLA prefills with expanded heads and decodes on the latent. */
static double
pair_flops(const struct load *d, bool prefill)
{
	const struct model *m = &d->p->model;
	const double heads = (double)m->attention_heads / d->attention_tp;

	if (m->attention != ATTENTION_MLA || prefill)
		return 2 * heads * (params_key_dim(m) + params_value_dim(m));
	return 2 * heads * (double)(2 * m->kv_lora_rank + m->qk_rope_head_dim);
}

static void
add_attention(const struct load *d, const struct pass *w, double *sum)
{
	const struct model *m = &d->p->model;
	const double topk = m->index_topk > 0 ? (double)m->index_topk : HUGE_VAL;
	const double full = attended(w, topk, d->layers.of[KV_FULL]);
	const double local = attended(w, d->kv->window,
	    d->layers.of[KV_WINDOW] + d->layers.of[KV_CHUNK]);
	const double scan = m->index_heads > 0 ?
	    attended(w, HUGE_VAL, d->layers.of[KV_FULL]) : 0;
	const double keys = (double)m->index_head_dim;
	const double flops = w->requests / w->ranks * ((full + local) *
	    pair_flops(d, w->prefill) + scan * 2 * (double)m->index_heads * keys);
	/* decode reads the cache; prefill keeps it on the chip */
	const double index = kv_index_bytes(m);
	const double scanned = scan * index / (d->kv->everywhere > 0 ? 1 : d->kv->ranks);
	const double cache = w->prefill ? 0 : w->requests * (scanned +
	    full * (d->kv->bytes[KV_FULL] - index) / d->kv->ranks +
	    local * d->kv->bytes[KV_WINDOW]);
	const double states = 2 * w->requests * kv_state_bytes(d->kv, &d->layers);

	LEDGER_ADD(d->ledger, *sum, w->quantity, roof(d, flops, cache + states), "attention",
	    OPS "attention.py", "max(%.8g/%.8g, (%.8g + %.8g)/%.8g): FLOP, cache, states; "
	    "%.0f requests of %.0f tokens", flops, d->flops, cache, states, d->hbm, w->requests,
	    w->length);
}

/* Only the last position of a request reaches the head, which keeps 16 bits. */
static void
add_head(const struct load *d, const struct pass *w, double *sum)
{
	const double h = (double)d->p->model.hidden_size, v = (double)d->p->model.vocab_size;
	const double n = h * v / d->s->tp;

	LEDGER_ADD(d->ledger, *sum, w->quantity, roof(d, 2 * n * w->requests, 2 * n), "LM head",
	    ROOFLINE, "max(2*%.0f*%.0f/%.0f*%.10g/%.8g, 2*%.0f*%.0f/%.0f/%.8g): h*V/TP, requests", h, v,
	    d->s->tp, w->requests, d->flops, h, v, d->s->tp, d->hbm);
}

static bool
exchanges_tokens(const struct load *d)
{
	return plan_has_experts(d->p) && d->p->parallel.ep > 1 && d->s->dp > 1;
}

/* After attention and after the MLP; experts that tokens are sent to need none. */
static void
add_all_reduces(const struct load *d, const struct pass *w, double *sum)
{
	const double n = d->s->tp, moe = exchanges_tokens(d) ? d->moe_layers : 0;
	const double calls = d->all_layers * (d->attention_tp > 1) + (d->all_layers - moe);
	const double bytes = w->tokens * (double)d->p->model.hidden_size * 2;
	double least;
	const double rate = link_rate(d->p, n, &least);

	if (n <= 1 || calls <= 0 || rate <= 0)
		return;
	LEDGER_ADD(d->ledger, *sum, w->quantity,
	    calls * (2 * bytes * (n - 1) / n / rate + w->reads * least), "all-reduces", COLLECTIVE,
	    "%.0f*(2*%.10g*(%.0f-1)/%.0f/%.8g + %.10g*%.8g), over TP", calls, bytes, n, n, rate,
	    w->reads, least);
}

/* Dispatch of the tokens' hidden states and combination, over the ranks of EP. */
static void
add_exchange(const struct load *d, const struct pass *w, double *sum)
{
	const double n = (double)d->p->parallel.ep, k = (double)d->p->model.experts_per_token;
	const double sent = d->p->serving.weight_dtype == WEIGHT_FP8 ? 1 : 2;
	const double bytes = w->tokens * k * (double)d->p->model.hidden_size * (sent + 2);
	double least;
	const double rate = link_rate(d->p, n, &least);

	if (!exchanges_tokens(d) || rate <= 0)
		return;
	LEDGER_ADD(d->ledger, *sum, w->quantity,
	    d->moe_layers * (bytes * (n - 1) / n / rate + 2 * w->reads * least),
	    "expert dispatch and combine", COLLECTIVE,
	    "%.0f*(%.10g*(%.0f-1)/%.0f/%.8g + 2*%.10g*%.8g), over EP", d->moe_layers, bytes, n, n,
	    rate, w->reads, least);
}

/* Each rank of prefill context parallel has its part of a prompt attend to all of it. */
static void
add_gathered_prompt(const struct load *d, const struct pass *w, double *sum)
{
	const double n = w->ranks, bytes = w->length * kv_token_bytes(d->kv, d->p, &d->layers, NULL);
	double least;
	const double rate = link_rate(d->p, n * d->s->tp, &least);

	if (n <= 1 || rate <= 0)
		return;
	LEDGER_ADD(d->ledger, *sum, w->quantity,
	    bytes * (n - 1) / n / rate + d->all_layers * w->reads * least,
	    "keys and values between prefill ranks", COLLECTIVE,
	    "%.10g*(%.0f-1)/%.0f/%.8g + %.0f*%.10g*%.8g", bytes, n, n, rate, d->all_layers, w->reads,
	    least);
}

static void
add_rest(const struct load *d, const struct pass *w, double *sum)
{
	const double hops = d->s->pp - 1;
	const double bytes = w->tokens * (double)d->p->model.hidden_size * 2 / d->s->tp;
	double least;
	const double rate = link_rate(d->p, d->s->tp * d->s->pp, &least);

	if (hops > 0 && rate > 0)
		LEDGER_ADD(d->ledger, *sum, w->quantity, hops * (bytes / rate + w->reads * least),
		    "between stages", COLLECTIVE, "%.0f*(%.10g/%.8g + %.10g*%.8g)", hops, bytes, rate,
		    w->reads, least);
	LEDGER_TERM(d->ledger, *sum, w->quantity, "small kernels", BACKEND,
	    d->all_layers * kernels_per_layer * kernel_seconds * w->reads,
	    AS("layers", d->all_layers), AS("kernels", kernels_per_layer),
	    AS("seconds", kernel_seconds), AS("reads", w->reads));
	if (w->prefill && d->p->serving.engine == ENGINE_VLLM)
		LEDGER_TERM(d->ledger, *sum, w->quantity, "host, without CUDA graphs", BACKEND,
		    host_seconds * d->all_layers, AS("seconds", host_seconds),
		    AS("layers", d->all_layers));
}

static double
pass_seconds(const struct load *d, const struct pass *w)
{
	double sum = 0;

	add_linear(d, w, &sum);
	add_experts(d, w, &sum);
	add_attention(d, w, &sum);
	add_head(d, w, &sum);
	add_all_reduces(d, w, &sum);
	add_exchange(d, w, &sum);
	add_gathered_prompt(d, w, &sum);
	add_rest(d, w, &sum);
	return sum;
}

/* ---- results ------------------------------------------------------------------------ */

/* A prompt's cache over the network cards of those GPUs that hold different parts of it
 * (MLA: the same latent on every TP rank). */
static void
set_transfer(struct serve *out, const struct plan *p, const struct kv *kv,
    const struct kv_layers *layers)
{
	const struct cluster *c = &p->cluster;
	const double heads = (double)p->model.kv_heads, tp = kv_attention_tp(p);
	const double parts = p->model.attention == ATTENTION_MLA ? 1 : smaller(tp, heads);
	const double gpus = parts * larger(1, (double)p->parallel.pp);
	const double nics = (double)c->nics_per_node / larger(1, (double)c->gpus_per_node);
	const double bytes = (double)p->serving.prompt_tokens * kv_model_bytes(p) +
	    kv_state_bytes(kv, layers) * tp;

	out->transfer_rate = gpus * nics * c->nic_gbps / 8 * 1e9 *
	    or_one(p->calibration.network_efficiency);
	out->transfer_seconds = out->transfer_rate > 0 ? bytes / out->transfer_rate : 0;
}

/* While a request decodes, each other one of its batch comes to an end and is followed by
 * a new prompt, whose prefill everybody waits for; stages of a pipeline wait in turn. */
static void
add_interference(struct serve *out, const struct load *d, double batch)
{
	const double n = (double)d->p->serving.generate_tokens;
	const double prefill = out->ttft_seconds / d->s->pp;

	if (n > 0 && batch > 1)
		LEDGER_TERM(d->ledger, out->tpot_seconds, QUANTITY_TPOT, "prefill of other requests",
		    BACKEND, (batch - 1) * prefill / n, AS("requests", batch), IS(prefill),
		    AS("generated", n));
}

static void
set_rates(struct serve *out, const struct plan *p, const struct serve_setup *s, double batch)
{
	const double n = (double)p->serving.generate_tokens;
	const double request = out->ttft_seconds / s->pp + n * out->tpot_seconds;

	out->running = batch * s->dp * s->engines;
	out->tokens_per_second = request > 0 ? out->running * n / request : 0;
	out->tokens_per_second_per_gpu = out->tokens_per_second / (double)plan_world(p);
}

void
serve_latency(struct serve *out, const struct plan *p, const struct layout *l,
    const struct placement *pl, const struct serve_setup *setup, const struct kv *kv,
    double batch, struct ledger *ledger)
{
	struct load d = { .p = p, .s = setup, .kv = kv, .ledger = ledger };
	const double prompt = (double)p->serving.prompt_tokens;
	const double length = prompt + (double)p->serving.generate_tokens / 2;
	const double ranks = larger(1, (double)p->parallel.cp);
	/* stages work on parts of the batch in turn */
	const double part = larger(1, batch / setup->pp);
	const struct pass prefill = { QUANTITY_TTFT, true, 1, prompt / ranks, prompt,
		larger(1, ceil(prompt / setup->tokens)), ranks };
	const struct pass decode = { QUANTITY_TPOT, false, part, part, length, 1, 1 };

	for (int64_t s = 0; s < pl->pp; s++)
		load_stage(&d, l, pl, s);
	d.moe_layers = params_kinds(&p->model, 0, p->model.layers).moe;
	d.attention_tp = kv_attention_tp(p);
	load_rates(&d);
	out->ttft_seconds = pass_seconds(&d, &prefill);
	out->tpot_seconds = pass_seconds(&d, &decode);
	add_interference(out, &d, batch);
	set_transfer(out, p, kv, &d.layers);
	set_rates(out, p, setup, batch);
}
