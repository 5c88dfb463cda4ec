#include "core/serve/serve_held.h"

#include <math.h>

#include "core/base/number.h"
#include "core/base/segment.h"
#include "core/engine/engine.h"
#include "core/model/params.h"
#include "core/model/weights.h"
#include "core/plan/hardware.h"
#include "core/serve/serve_alloc.h"
#include "core/serve/serve_draft.h"
#include "core/serve/serve_lora.h"
#include "core/serve/serve_trial.h"

#define VLLM_WORKER "vLLM vllm/v1/worker/gpu_worker.py"
#define VLLM_LOADER "vLLM vllm/model_executor/layers/quantization/ (see memory.parameters)"
#define VLLM_ROTARY "vLLM vllm/model_executor/layers/rotary_embedding/base.py"
#define VLLM_MLA "vLLM vllm/model_executor/layers/attention/mla_attention.py"
#define VLLM_MXFP4 "vLLM vllm/model_executor/layers/quantization/mxfp4.py"
#define VLLM_MROPE "vLLM vllm/model_executor/layers/rotary_embedding/mrope.py, cache_max_position_num"
#define VLLM_ALIGN "vLLM vllm/model_executor/layers/quantization/utils/flashinfer_utils.py"
#define VLLM_INDEXER "vLLM vllm/model_executor/models/deepseek_v2.py, topk_indices_buffer"
#define VLLM_VISION "vLLM vllm/model_executor/models/qwen3_vl.py"
#define SGLANG_RUNNER "SGLang python/sglang/srt/model_executor/model_runner.py"
#define TRT_UTIL "TensorRT-LLM tensorrt_llm/_torch/pyexecutor/_util.py"
#define VLLM_PADDING "vLLM vllm/model_executor/layers/fused_moe/unquantized_fused_moe_method.py, _maybe_pad_weight"
#define VLLM_DRIVER "vLLM vllm/platforms/rocm.py, get_current_memory_usage"

#define HELD(ledger, sum, name, source, expression, ...) \
	LEDGER_TERM(ledger, sum, QUANTITY_SERVE_MEMORY, name, source, expression, __VA_ARGS__)

static const double gib = GIB;

static double
round_up(double n, double to)
{
	return ceil(n / to) * to;
}

/* ---- weights ------------------------------------------------------------------------ */

/* One table of sines and cosines for all layers, whole on every rank. */
static void
add_rotary(const struct plan *p, double *sum, struct ledger *ledger)
{
	const struct model *m = &p->model;
	const bool mla = m->attention == ATTENTION_MLA;
	const double d = (double)(mla ? m->qk_rope_head_dim : m->head_dim);
	const double positions = (double)m->max_position, longer = m->mrope ? 4 : 1;

	if (plan_rotates(p) && positions * d > 0)
		HELD(ledger, *sum, "rotary table", m->mrope ? VLLM_MROPE : VLLM_ROTARY,
		    longer * positions * d * 2, IS(longer), IS(positions), IS(d));
}

/* What sees images keeps 16 bits, split as the language model is. What it hands to layers has a buffer
 * each in vLLM. */
static void
add_tower(const struct serving_of *o, double *sum, struct ledger *ledger)
{
	const struct model *m = &o->p->model;
	const double millions = m->vision_params, tp = o->setup.tp, levels = (double)m->vision_deepstack;
	const double h = (double)m->hidden_size;

	if (!(millions > 0))
		return;
	HELD(ledger, *sum, "vision tower", VLLM_VISION, 2 * millions * 1e6 / tp, IS(millions),
	    AS("TP", tp));
	if (levels > 0 && engine_of(o->p)->pool == POOL_OF_PROFILE)
		HELD(ledger, *sum, "deepstack buffers", VLLM_VISION, levels * o->setup.tokens * h * 2,
		    IS(levels), AS("T", o->setup.tokens), IS(h));
}

static void
add_draft(const struct serving_of *o, double *sum, struct ledger *ledger)
{
	const double n = serve_draft_params(o->p), tp = o->setup.tp;

	if (n > 0)
		HELD(ledger, *sum, "EAGLE-3 draft", "vLLM vllm/model_executor/models/llama_eagle3.py", 2 * n / tp,
		    AS("parameters", n), AS("TP", tp));
}

/* Room for all adapters is there from the start. */
static void
add_lora_slots(const struct serving_of *o, int64_t stage, double *sum, struct ledger *ledger)
{
	const struct rank_layers r = params_rank(o->p, o->pl, stage);
	const double slots = (double)o->p->serving.max_loras, slot = serve_lora_of(o->p, &r).slot;

	if (slots > 0)
		HELD(ledger, *sum, "adapters", "vLLM vllm/lora/layers/base_linear.py, create_lora_weights",
		    slots * slot, IS(slots), AS("bytes of an adapter", slot));
}

/* Decoding works on the latent: copies of the up-projections in 16 bits, transposed. */
static void
add_absorbed(const struct plan *p, double layers, double *sum, struct ledger *ledger)
{
	const struct model *m = &p->model;
	const double n = (double)m->attention_heads, kl = (double)m->kv_lora_rank;
	const double dims = (double)(m->qk_nope_head_dim + m->v_head_dim), tp = kv_attention_tp(p);

	if (m->attention == ATTENTION_MLA && layers > 0)
		HELD(ledger, *sum, "absorbed MLA projections", VLLM_MLA, layers * n / tp * kl * dims * 2,
		    IS(layers), IS(n), AS("TP", tp), IS(kl), AS("(nope+v)", dims));
}

/* What kernels pad an expert of f x h to, both matrices of one with a gate. Marlin, of GPUs that have no other, pads to 128
 * x 256; FlashInfer's on Blackwell and Triton's on AMD to 256 x 256. OpenAI's Triton kernels on Hopper, which vLLM's images
 * of 0.11 to 0.18 have, take outputs in 256 and inputs in 64 bytes (triton_kernels
 * tensor_details/layout_details/hopper_value.py). */
static double
padded_expert(const struct plan *p, double f, double h, int64_t version)
{
	const enum generation_id g = (enum generation_id)p->cluster.generation;
	const bool wide = g == GENERATION_BLACKWELL || g == GENERATION_CDNA3 || g == GENERATION_CDNA4;

	if (g == GENERATION_HOPPER && version >= 11 && version < 19)
		return round_up(2 * round_up(f, 64), 256) * round_up(h, 128) + round_up(h, 256) * round_up(f, 128);
	return 3 * round_up(h, 256) * round_up(f, wide ? 256 : 128);
}

static void
add_padding(const struct serving_of *o, const struct stage_params *n, double *sum, struct ledger *ledger)
{
	const struct plan *p = o->p;
	const double h = params_expert_width(&p->model);
	const double tp = params_expert_ranks(p) / at_least_one(p->parallel.ep);
	const double f = (double)p->model.moe_ffn_hidden_size / tp;
	const double padded = padded_expert(p, f, h, o->setup.version);
	const double bytes = n->expert_linear * (0.5 + 1.0 / 32);

	if (p->serving.weight_dtype == WEIGHT_MXFP4 && engine_of(p)->pads_mxfp4 && bytes > 0 && padded > 3 * h * f)
		HELD(ledger, *sum, "padding of MXFP4 experts", VLLM_MXFP4, bytes * (padded / (3 * h * f) - 1), IS(bytes),
		    IS(padded), IS(h), AS("f/TP", f));
}

/* FlashInfer's kernels take experts without a gate in whole tiles of 128 (vllm-project/vllm#33506). */
static void
add_alignment(const struct serving_of *o, const struct stage_params *n, double *sum, struct ledger *ledger)
{
	const double more = serve_trial_padding(o->p, o->setup.version);

	if (more > 0)
		HELD(ledger, *sum, "padding of experts", VLLM_ALIGN, n->expert_linear * more,
		    AS("parameters", n->expert_linear), IS(more));
}

/* Tokens that a sparse indexer chooses for each of a pass, one table for all layers. */
static void
add_chosen(const struct serving_of *o, double *sum, struct ledger *ledger)
{
	const struct model *m = &o->p->model;
	const double chosen = m->index_heads > 0 ? (double)m->index_topk : 0;

	if (chosen > 0 && engine_of(o->p)->pool == POOL_OF_PROFILE)
		HELD(ledger, *sum, "tokens that an indexer chooses", VLLM_INDEXER, 4 * o->setup.tokens * chosen,
		    AS("T", o->setup.tokens), IS(chosen));
}

/* SGLang tells weights by the free memory: what loading leaves besides them counts too. */
static void
add_loading(const struct serving_of *o, double *sum, struct ledger *ledger)
{
	const struct engine *e = engine_of(o->p);
	const double left = e->loading_leaves[o->setup.tp > 1];

	if (left > 0)
		HELD(ledger, *sum, "allocator after loading", e->logs, left * gib,
		    AS("left by loading", left), AS("GiB", gib));
}

/* Layers of a stage with keys and values, or latents. */
static double
attention_layers(const struct plan *p, const struct placement *pl, int64_t stage)
{
	double sum = 0;

	for (int64_t v = 0; v < pl->vpp; v++) {
		const struct chunk *c = placement_chunk(pl, stage, v);
		const struct kv_layers n = kv_layers_of(p, c->first, c->count);

		sum += n.of[KV_FULL] + n.of[KV_WINDOW] + n.of[KV_CHUNK];
	}
	return sum;
}

/*
 * Experts of vLLM on AMD's GPUs: rows of theirs that are a multiple of 512 bytes get 256 more, layer by
 * layer, first gate and up, then down. Loading is rated by what the driver counts, so by whole segments
 * of the allocator: the padded second weight takes the segment that the first one left, and keeps what
 * it does not need of it.
 */

/* Weights of one kind, of all experts of a layer: bytes, and those of its padding. */
struct padded {
	double bytes, padding;
};

static struct padded
padded_weights(double rows, double columns)
{
	const double row = 2 * columns;

	return (struct padded){ rows * row, row > 0 && (int64_t)row % 512 == 0 ? rows * 256 : 0 };
}

/* Of what the driver counts: code of kernels, what loading left of the allocator's segments. */
static void
add_driver(double *sum, struct ledger *ledger)
{
	const double counted = 0.25; /* 0.1 to 0.65 in logs of MI300X */

	HELD(ledger, *sum, "counted by the driver", VLLM_DRIVER, counted * gib,
	    AS("besides tensors", counted), AS("GiB", gib));
}

static void
add_rocm(const struct plan *p, const struct stage_params *n, double *sum, struct ledger *ledger)
{
	const struct model *m = &p->model;
	const double ep = at_least_one(p->parallel.ep), experts = params_expert_slots(p) / ep;
	const double width = (double)m->moe_ffn_hidden_size / (params_expert_ranks(p) / ep);
	const double h = params_expert_width(m), up = m->gated_mlp ? 2 : 1;
	const struct padded first = padded_weights(experts * up * width, h), second = padded_weights(experts * h, width);
	const double layers = n->expert_linear / at_least_one((int64_t)(experts * (up + 1) * width * h));
	const double padded = second.bytes + second.padding;
	const double unused = second.padding > 0 && first.padding > 0 && first.bytes > padded ?
	    first.bytes - padded : 0;
	const double freed = second.padding > 0 ? second.bytes : first.padding > 0 ? first.bytes : 0;

	if (!engine_of(p)->pads_on_rocm || !generation_of(p)->rocm)
		return;
	add_driver(sum, ledger);
	if (!plan_has_experts(p) || (p->serving.weight_dtype != WEIGHT_BF16 &&
	    p->serving.weight_dtype != WEIGHT_FP16))
		return;
	if (first.padding + second.padding > 0)
		HELD(ledger, *sum, "padding of experts", VLLM_PADDING, layers * (first.padding + second.padding),
		    AS("layers", layers), AS("gate and up", first.padding), AS("down", second.padding));
	if (freed > 0)
		HELD(ledger, *sum, "segments that padding left", VLLM_DRIVER, layers * unused + freed,
		    AS("layers", layers), AS("first segment less second weight", unused),
		    AS("of the last layer", freed));
}

/* What a stage's weights take beside its parameters n. */
static double
hold_beside(const struct serving_of *o, int64_t stage, const struct stage_params *n,
    struct ledger *ledger)
{
	const double slack = serve_alloc_stage(o->p, o->pl, stage, o->setup.version);
	double sum = 0;

	if (weights_kept(o->p) > 0)
		HELD(ledger, sum, "layers left in 16 bits", VLLM_LOADER, weights_kept(o->p) / (o->setup.tp * o->setup.pp),
		    AS("bytes more", weights_kept(o->p)), AS("TP", o->setup.tp), AS("PP", o->setup.pp));
	add_rotary(o->p, &sum, ledger);
	add_tower(o, &sum, ledger);
	add_draft(o, &sum, ledger);
	add_lora_slots(o, stage, &sum, ledger);
	add_absorbed(o->p, attention_layers(o->p, o->pl, stage), &sum, ledger);
	add_padding(o, n, &sum, ledger);
	add_alignment(o, n, &sum, ledger);
	add_chosen(o, &sum, ledger);
	add_rocm(o->p, n, &sum, ledger);
	if (slack > 0)
		HELD(ledger, sum, "rest of segments", SEGMENT_SOURCE, slack,
		    AS("sum of what is left of each, where at most 1 MiB", slack));
	add_loading(o, &sum, ledger);
	return sum;
}

static double
hold_weights(const struct serving_of *o, int64_t stage, struct ledger *ledger)
{
	struct memory_walk walk = MEMORY_WALK;
	const struct memory m = memory_next(&o->memory, stage, &walk, NULL);
	double sum = 0;

	HELD(ledger, sum, "weights", VLLM_LOADER, m.parameters,
	    AS("memory.parameters", m.parameters));
	return sum + hold_beside(o, stage, &walk.load.held, ledger);
}

/* ---- beside the weights ------------------------------------------------------------- */

static double
hold_non_torch(const struct serving_of *o, struct ledger *ledger)
{
	const struct serve_setup *s = &o->setup;
	double bias = o->p->calibration.memory_bias_gib;
	const double beside = engine_of(o->p)->non_torch(o->p, s);
	double sum = 0;

	bias = larger(bias, -beside); /* it takes no more than there is */
	HELD(ledger, sum, "non-torch", engine_of(o->p)->logs, (beside + bias) * gib,
	    AS("CUDA and NCCL at this TP and PP", beside), AS("measured bias", bias), AS("GiB", gib));
	return sum;
}

/* Width of the widest MLP that runs without routing on these GPUs. */
static double
dense_width(const struct plan *p)
{
	const struct model *m = &p->model;
	const bool dense = params_kinds(m, 0, m->layers).dense > 0;
	const double f = dense ? (double)m->ffn_hidden_size : 0;

	return p->serving.ffn_gpus > 0 ? 0 : larger(f, (double)m->shared_expert_ffn_hidden_size);
}

/* Two copies of the hidden states, and what is inside the widest MLP; with the experts' buffers
 * where these are not counted apart. */
static double
add_forward(const struct serving_of *o, const char *source, bool experts, struct ledger *ledger)
{
	const struct model *m = &o->p->model;
	const struct serve_setup *s = &o->setup;
	const double h = (double)m->hidden_size, f = dense_width(o->p), g = m->gated_mlp ? 3 : 2;
	double sum = 0;

	HELD(ledger, sum, "activations: forward", source, 2 * s->tokens * (g * f / s->tp + 2 * h),
	    AS("T", s->tokens), IS(g), IS(f), AS("TP", s->tp), IS(h));
	if (experts)
		serve_trial_add_experts(o->p, &o->setup, &sum, ledger);
	return sum;
}

double
serve_forward_bytes(const struct plan *p, const struct serve_setup *setup)
{
	const struct serving_of o = { .p = p, .setup = *setup };

	return add_forward(&o, VLLM_WORKER, true, NULL);
}

/*
 * Bytes a logit of the S dummy requests that are sampled on the last stage. PyTorch's sampler
 * keeps several copies in 32 bits, sorted ones and indices too; FlashInfer's, and the Triton kernel
 * that 0.17 came with, the logits in 16 and in 32 bits, the masked ones and their probabilities.
 */
static double
sampler_bytes(const struct serving_of *o)
{
	return o->setup.version >= 17 || o->p->serving.flashinfer_sampler ? 14.1 : 37.8;
}

static double
add_sampler(const struct serving_of *o, bool last, struct ledger *ledger)
{
	const struct serve_setup *s = &o->setup;
	const double h = (double)o->p->model.hidden_size, v = (double)o->p->model.vocab_size;
	const double logit = last ? sampler_bytes(o) : 0;
	double sum = 0;

	HELD(ledger, sum, "activations: sampler",
	    "vLLM vllm/v1/sample/ops/topk_topp_sampler.py; " VLLM_LOGS,
	    logit * s->seqs * v + 2 * s->tokens * h, AS("bytes", logit), AS("S", s->seqs), AS("V", v),
	    AS("T", s->tokens), IS(h));
	return sum;
}

/* The profiling run of vLLM: T tokens forward, then the sampler. The larger of the two
 * counts. */
static double
profiled_activations(const struct serving_of *o, bool last, struct ledger *ledger)
{
	const struct serve_setup *s = &o->setup;
	const double h = (double)o->p->model.hidden_size, part = engine_of(o->p)->constant(o->p, s);
	const bool stays = serve_trial_keeps_experts(s);
	double sum = 0;

	HELD(ledger, sum, "activations: constant part", VLLM_LOGS, part * gib,
	    AS("of this generation", part), AS("GiB", gib));
	if (add_sampler(o, last, NULL) > add_forward(o, VLLM_WORKER, !stays, NULL))
		sum += add_sampler(o, last, ledger);
	else
		sum += add_forward(o, VLLM_WORKER, !stays, ledger);
	if (stays)
		serve_trial_add_experts(o->p, &o->setup, &sum, ledger);
	serve_trial_add_images(o->p, s, &sum, ledger);
	if (s->pp > 1)
		HELD(ledger, sum, "activations: between stages", VLLM_LOGS, 2 * s->tokens * h * 2,
		    AS("T", s->tokens), IS(h));
	return sum;
}

/* aiconfigurator's model of TensorRT-LLM: 2*T*n*d*c bytes, at least 70 MiB. */
static double
fitted_activations(const struct serving_of *o, struct ledger *ledger)
{
	static const double dense[] = { 11, 6.5, 5, 5 }, moe[] = { 22, 13, 10, 10 };
	const struct model *m = &o->p->model;
	const struct serve_setup *s = &o->setup;
	const int step = s->tp >= 8 ? 3 : s->tp >= 4 ? 2 : s->tp >= 2 ? 1 : 0;
	const bool heavy = plan_has_experts(o->p) || m->attention == ATTENTION_MLA;
	const double c = heavy ? moe[step] : dense[step];
	const double width = (double)(m->attention_heads * m->head_dim), least = 70 * MIB;
	double sum = 0;

	HELD(ledger, sum, "activations",
	    engine_of(o->p)->logs, larger(2 * s->tokens * width * c, least),
	    AS("T", s->tokens), AS("n*d", width), IS(c), AS("70 MiB", least));
	return sum;
}

/* Sizes of batches that vLLM captures: 1, 2, 4, multiples of 8 and from 256 on of 16, up to twice the requests that it
 * takes, or 512 (vllm/config/compilation.py, cudagraph_capture_sizes; config/vllm.py, _set_cudagraph_sizes). */
static double
captured_sizes(double most)
{
	static const double small[] = { 1, 2, 4 };
	double n = 0;

	for (size_t i = 0; i < sizeof small / sizeof *small; i++)
		n += small[i] <= most;
	return n + floor(smaller(most, 255) / 8) + (most >= 256 ? floor((most - 256) / 16) + 1 : 0);
}

/* GiB of CUDA graphs by layers, read off logs of servers that capture all of 51 sizes; TensorRT-LLM's are in its other
 * memory. Two sizes to five take 0.09 GiB of a model of 64 layers (noonghunna/club-3090 issue 1087). */
static double
hold_graphs(const struct serving_of *o, int64_t stage, struct ledger *ledger)
{
	const double layers = (double)placement_layers(o->pl, stage);
	const double experts = plan_has_experts(o->p) ? 0.4 : 0;
	const double width = 1 + (double)o->p->serving.draft_tokens;
	const double sizes = captured_sizes(smaller(2 * width * o->setup.seqs, 512)), all = captured_sizes(512);
	double sum = 0;

	if (engine_of(o->p)->graphs_apart && !o->p->serving.eager)
		HELD(ledger, sum, "CUDA graphs", VLLM_LOGS, (0.32 + 0.0164 * layers + experts) * gib * sizes / all,
		    IS(layers), AS("that of experts", experts), AS("GiB", gib), AS("sizes", sizes), AS("51", all));
	return sum;
}

/* ---- the pool ----------------------------------------------------------------------- */

/*
 * Bytes that SGLang allocates for each that it counts of a token: of an FP8 latent with an
 * indexer it counts one byte a value, and allocates the scales and a rotary part in 16 bits
 * too (get_cell_size_per_token and calculate_mla_kv_cache_dim of
 * model_runner_kv_cache_mixin.py).
 */
static double
latent_overrun(const struct serving_of *o)
{
	const struct model *m = &o->p->model;
	const double latent = (double)(m->kv_lora_rank + m->qk_rope_head_dim);

	if (!engine_of(o->p)->counts_latent_bytes || m->attention != ATTENTION_MLA ||
	    m->index_heads == 0 || o->p->serving.kv_dtype != KV_FP8)
		return 1;
	return o->kv.bytes[KV_FULL] / (latent + o->kv.index);
}

static double
hold_pool(const struct serving_of *o, const struct held *h, struct ledger *ledger)
{
	const struct serve_setup *s = &o->setup;
	const double most = s->total - o->p->cluster.reserved_gib * GIB;
	const double graphs = s->version >= 21 ? h->graphs : 0; /* profiled before it is made */
	const double overrun = latent_overrun(o);
	double sum = 0;

	switch (engine_of(o->p)->pool) {
	case POOL_OF_FREE:
		HELD(ledger, sum, "KV pool", SGLANG_RUNNER,
		    larger(0, (s->share * (most - h->non_torch) - h->weights) * overrun),
		    AS("share", s->share), AS("memory", most), AS("non-torch", h->non_torch),
		    AS("weights", h->weights), AS("allocated/counted", overrun));
		break;
	case POOL_OF_REST:
		HELD(ledger, sum, "KV pool", TRT_UTIL,
		    larger(0, s->pool_share * (most - h->weights - h->non_torch - h->activations)),
		    AS("share/tables", s->pool_share), AS("memory", most), AS("weights", h->weights),
		    AS("non-torch", h->non_torch), AS("activations", h->activations));
		break;
	case POOL_OF_PROFILE:
		HELD(ledger, sum, "KV pool", VLLM_WORKER,
		    larger(0, smaller(s->share * s->total, most) - h->weights - h->non_torch -
		    h->activations - graphs), AS("util", s->share), AS("memory", s->total),
		    AS("unreserved", most), AS("weights", h->weights), AS("non-torch", h->non_torch),
		    AS("activations", h->activations), IS(graphs));
	}
	return sum;
}

struct held
serve_held(const struct serving_of *o, int64_t stage, struct ledger *ledger)
{
	const struct serve_setup *s = &o->setup;
	const enum engine_pool pool = engine_of(o->p)->pool;
	struct held h;
	double sum, rest;

	ledger_part(ledger, PART_WEIGHTS);
	h.weights = hold_weights(o, stage, ledger);
	ledger_part(ledger, PART_NON_TORCH);
	h.non_torch = hold_non_torch(o, ledger);
	ledger_part(ledger, PART_ACTIVATIONS);
	h.activations = pool == POOL_OF_PROFILE ?
	    profiled_activations(o, stage == o->pl->pp - 1, ledger) : pool == POOL_OF_FREE ?
	    add_forward(o, SGLANG_RUNNER, true, ledger) : fitted_activations(o, ledger);
	ledger_part(ledger, PART_GRAPHS);
	h.graphs = hold_graphs(o, stage, ledger);
	sum = h.weights + h.non_torch + h.activations + h.graphs;
	ledger_part(ledger, PART_POOL);
	h.pool = hold_pool(o, &h, ledger);
	ledger_part(ledger, PART_NONE);
	sum += h.pool;
	rest = 0;
	HELD(ledger, rest, sum > s->total ? "beyond the memory" : "unreserved", VLLM_WORKER,
	    s->total - sum, AS("memory", s->total), AS("the above", sum));
	return h;
}
