#include "core/serve/serve_held.h"

#include <math.h>

#include "core/base/number.h"
#include "core/model/params.h"
#include "core/serve/serve_alloc.h"
#include "core/train/memory.h"

#define VLLM_WORKER "vLLM vllm/v1/worker/gpu_worker.py"
#define VLLM_LOGS "llm-d-incubation/llm-d-planner pull request 205, vLLM logs"
#define VLLM_LOADER "vLLM vllm/model_executor/layers/quantization/ (see memory.parameters)"
#define VLLM_ROTARY "vLLM vllm/model_executor/layers/rotary_embedding/base.py"
#define VLLM_MLA "vLLM vllm/model_executor/layers/attention/mla_attention.py"
#define VLLM_MXFP4 "vLLM vllm/model_executor/layers/quantization/mxfp4.py"
#define TORCH_ALLOCATOR "pytorch c10/cuda/CUDACachingAllocator.cpp"
#define SGLANG_RUNNER "SGLang python/sglang/srt/model_executor/model_runner.py"
#define SGLANG_LOGS "SGLang logs, sgl-project/sglang pull request 4760 and others"
#define TRT_UTIL "TensorRT-LLM tensorrt_llm/_torch/pyexecutor/_util.py"
#define AICONFIGURATOR "ai-dynamo/aiconfigurator src/aiconfigurator/sdk/backends/"

static double
round_up(double n, double to)
{
	return ceil(n / to) * to;
}

/* ---- weights ------------------------------------------------------------------------ */

/* One table of sines and cosines for all layers, whole on every rank. */
static double
rotary_bytes(const struct plan *p)
{
	const struct model *m = &p->model;
	const bool mla = m->attention == ATTENTION_MLA;
	const double d = (double)(mla ? m->qk_rope_head_dim : m->head_dim);

	return m->position == POSITION_ROPE ? (double)m->max_position * d * 2 : 0;
}

/* Decoding works on the latent: copies of the up-projections in 16 bits, transposed. */
static double
absorbed_bytes(const struct plan *p, double layers)
{
	const struct model *m = &p->model;

	if (m->attention != ATTENTION_MLA)
		return 0;
	return layers * (double)m->attention_heads / kv_attention_tp(p) *
	    (double)m->kv_lora_rank * (double)(m->qk_nope_head_dim + m->v_head_dim) * 2;
}

/* vLLM's Marlin kernel takes MXFP4 experts padded to 256 wide and 128 deep. Its Triton
 * kernel, a build option on Hopper, pads less. */
static double
padding_bytes(const struct plan *p, const struct stage_params *n)
{
	const double h = params_expert_width(&p->model);
	const double tp = p->parallel.ep > 1 ? 1 : larger(1, (double)p->parallel.tp);
	const double f = (double)p->model.moe_ffn_hidden_size / tp;

	if (p->serving.weight_dtype != WEIGHT_MXFP4 || p->serving.engine != ENGINE_VLLM || f <= 0)
		return 0;
	return n->expert_linear * (0.5 + 1.0 / 32) *
	    (round_up(h, 256) * round_up(f, 128) / (h * f) - 1);
}

/* SGLang tells weights by the free memory: what loading leaves besides them counts too. */
static double
loading_bytes(const struct serving_of *o)
{
	if (o->p->serving.engine != ENGINE_SGLANG)
		return 0;
	return (o->setup.tp > 1 ? 0.2 : 0.1) * GIB;
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

/* What a stage's weights take beside its parameters n. */
static double
hold_beside(const struct serving_of *o, int64_t stage, const struct stage_params *n,
    struct ledger *ledger)
{
	const struct plan *p = o->p;
	const double layers = attention_layers(p, o->pl, stage);
	const double rotary = rotary_bytes(p), absorbed = absorbed_bytes(p, layers);
	const double padding = padding_bytes(p, n), loading = loading_bytes(o);
	const double slack = serve_alloc_stage(p, o->pl, stage, o->setup.version);
	const enum quantity q = QUANTITY_SERVE_MEMORY;
	double sum = 0;

	if (rotary > 0)
		LEDGER_ADD(ledger, sum, q, rotary, "rotary table", VLLM_ROTARY,
		    "positions*head*2 = %.0f*%.0f*2", (double)p->model.max_position,
		    rotary / 2 / (double)p->model.max_position);
	if (absorbed > 0)
		LEDGER_ADD(ledger, sum, q, absorbed, "absorbed MLA projections", VLLM_MLA,
		    "layers*n/TP*kl*(nope+v)*2 = %.0f*%.0f/%.0f*%.0f*%.0f*2", layers,
		    (double)p->model.attention_heads, kv_attention_tp(p),
		    (double)p->model.kv_lora_rank,
		    (double)(p->model.qk_nope_head_dim + p->model.v_head_dim));
	if (padding > 0)
		LEDGER_ADD(ledger, sum, q, padding, "padding of MXFP4 experts", VLLM_MXFP4,
		    "bytes*(padded/plain - 1) = %.10g*%.10g", n->expert_linear * (0.5 + 1.0 / 32),
		    padding / (n->expert_linear * (0.5 + 1.0 / 32)));
	if (slack > 0)
		LEDGER_ADD(ledger, sum, q, slack, "rest of 2 MiB segments", TORCH_ALLOCATOR,
		    "sum of ceil(bytes/2 MiB)*2 MiB - bytes, where at most 1 MiB = %.0f", slack);
	if (loading > 0)
		LEDGER_ADD(ledger, sum, q, loading, "allocator after loading", SGLANG_LOGS,
		    "%.1f GiB", loading / GIB);
	return sum;
}

static double
hold_weights(const struct serving_of *o, int64_t stage, struct ledger *ledger)
{
	struct stage_params n;
	const struct memory m = memory_of_stage(&o->memory, stage, &n, NULL);
	double sum = 0;

	LEDGER_ADD(ledger, sum, QUANTITY_SERVE_MEMORY, m.parameters, "weights", VLLM_LOADER,
	    "(parameters + those of experts)*bytes = (%.0f + %.0f)*%.10g", n.dense, n.expert,
	    m.parameters / (n.dense + n.expert));
	return sum + hold_beside(o, stage, &n, ledger);
}

double
serve_beside_parameters(const struct plan *p, const struct placement *pl, int64_t stage)
{
	const struct serving_of o = { .p = p, .pl = pl, .setup = serve_setup_of(p) };
	const struct stage_params n = params_stage(p, pl, stage, NULL);

	return hold_beside(&o, stage, &n, NULL);
}

/* ---- beside the weights ------------------------------------------------------------- */

/*
 * GiB that vLLM finds allocated outside of PyTorch: NCCL and, where GPUs reach each other
 * over NVLink, buffers of the custom all-reduce. Read off logs of each version.
 */
static double
vllm_non_torch(const struct plan *p, const struct serve_setup *s)
{
	const bool linked = p->cluster.nvlink_gbps > 0;

	if (s->tp <= 1)
		return s->pp > 1 ? 0.07 : s->version >= 18 ? 0.25 : s->version >= 8 ? 0.13 : 0.1;
	if (!linked)
		return 0.28;
	if (s->version >= 18)
		return s->tp <= 2 ? 2.07 : 2.21;
	return s->version >= 8 ? 0.55 : 3.58;
}

/* A CUDA context, and NCCL between GPUs that are linked; read off logs. */
static double
sglang_non_torch(const struct plan *p, const struct serve_setup *s)
{
	if (!(p->cluster.nvlink_gbps > 0))
		return 0.5;
	return s->tp * s->pp > 1 ? 1.75 : 0.65;
}

static double
hold_non_torch(const struct serving_of *o, struct ledger *ledger)
{
	const struct serve_setup *s = &o->setup;
	double bias = o->p->calibration.memory_bias_gib;
	const char *source = VLLM_LOGS;
	double gib, sum = 0;

	if (o->p->serving.engine == ENGINE_VLLM) {
		gib = vllm_non_torch(o->p, s);
	} else if (o->p->serving.engine == ENGINE_SGLANG) {
		gib = sglang_non_torch(o->p, s);
		source = SGLANG_LOGS;
	} else {
		gib = 3.5 + (s->tp <= 1 ? 0 : s->tp <= 2 ? 342 : 392) / 1024.0;
		source = AICONFIGURATOR "trtllm_backend.py";
	}
	bias = larger(bias, -gib); /* it takes no more than there is */
	LEDGER_ADD(ledger, sum, QUANTITY_SERVE_MEMORY, (gib + bias) * GIB, "non-torch",
	    source, "CUDA, NCCL at TP %.0f PP %.0f + measured bias = (%.8g + %.8g) GiB", s->tp,
	    s->pp, gib, bias);
	return sum;
}

/* Width of the widest MLP that runs without routing. */
static double
dense_width(const struct model *m)
{
	const bool dense = params_kinds(m, 0, m->layers).dense > 0;
	const double f = dense ? (double)m->ffn_hidden_size : 0;

	return larger(f, (double)m->shared_expert_ffn_hidden_size);
}

/* Two buffers that the experts of a layer share (vLLM fused_moe.py); MXFP4 kernels have
 * none. */
static void
add_moe_workspace(const struct serving_of *o, double *sum, struct ledger *ledger)
{
	const struct plan *p = o->p;
	const struct model *m = &p->model;
	const double tp = p->parallel.ep > 1 ? 1 : o->setup.tp, k = (double)m->experts_per_token;
	const double n = (double)m->moe_ffn_hidden_size / tp, h = params_expert_width(m);

	if (plan_has_experts(p) && p->serving.weight_dtype != WEIGHT_MXFP4)
		LEDGER_TERM(ledger, *sum, QUANTITY_SERVE_MEMORY, "activations: experts",
		    "vLLM vllm/model_executor/layers/fused_moe/fused_moe.py",
		    2 * o->setup.tokens * k * (larger(2 * n, h) + larger(n, h)),
		    AS("T", o->setup.tokens), IS(k), AS("N", n), IS(h));
}

/*
 * The profiling run of vLLM: T tokens forward, then S dummy requests are sampled, of
 * whose logits the sampler keeps several fp32 copies, sorted ones and indices too (14.1
 * bytes a logit, 37.8 before 0.17). The larger of the two counts.
 */
static double
vllm_activations(const struct serving_of *o, bool last, struct ledger *ledger)
{
	const struct model *m = &o->p->model;
	const struct serve_setup *s = &o->setup;
	const double h = (double)m->hidden_size, v = (double)m->vocab_size;
	const double width = dense_width(m), g = m->gated_mlp ? 3 : 2;
	const double logit = last ? (s->version >= 17 ? 14.1 : 37.8) : 0;
	const double sampled = logit * s->seqs * v + 2 * s->tokens * h;
	const double forward = 2 * s->tokens * (g * width / s->tp + 2 * h);
	const enum quantity q = QUANTITY_SERVE_MEMORY;
	double sum = 0;

	LEDGER_ADD(ledger, sum, q, 0.12 * GIB, "activations: constant part", VLLM_LOGS,
	    "0.12 GiB");
	if (sampled > forward)
		LEDGER_ADD(ledger, sum, q, sampled, "activations: sampler",
		    "vLLM vllm/v1/worker/gpu_model_runner.py; " VLLM_LOGS,
		    "%.3g*S*V + 2*T*h = %.3g*%.0f*%.0f + 2*%.0f*%.0f", logit, logit, s->seqs, v,
		    s->tokens, h);
	else
		LEDGER_ADD(ledger, sum, q, forward, "activations: forward", VLLM_WORKER,
		    "2*T*(%.0f*f/TP + 2*h) = 2*%.0f*(%.0f*%.0f/%.0f + 2*%.0f)", g, s->tokens, g,
		    width, s->tp, h);
	if (s->pp > 1)
		LEDGER_ADD(ledger, sum, q, 4 * s->tokens * h, "activations: between stages",
		    VLLM_LOGS, "2*T*h*2 = 2*%.0f*%.0f*2", s->tokens, h);
	add_moe_workspace(o, &sum, ledger);
	return sum;
}

/* aiconfigurator's model of TensorRT-LLM: 2*T*n*d*c bytes, at least 70 MiB. */
static double
trtllm_activations(const struct serving_of *o, struct ledger *ledger)
{
	static const double dense[] = { 11, 6.5, 5, 5 }, moe[] = { 22, 13, 10, 10 };
	const struct model *m = &o->p->model;
	const struct serve_setup *s = &o->setup;
	const int step = s->tp >= 8 ? 3 : s->tp >= 4 ? 2 : s->tp >= 2 ? 1 : 0;
	const bool heavy = plan_has_experts(o->p) || m->attention == ATTENTION_MLA;
	const double c = heavy ? moe[step] : dense[step];
	const double width = (double)(m->attention_heads * m->head_dim), least = 70 * MIB;
	double sum = 0;

	LEDGER_TERM(ledger, sum, QUANTITY_SERVE_MEMORY, "activations",
	    AICONFIGURATOR "trtllm_backend.py", larger(2 * s->tokens * width * c, least),
	    AS("T", s->tokens), AS("n*d", width), IS(c), AS("70 MiB", least));
	return sum;
}

static double
sglang_activations(const struct serving_of *o, struct ledger *ledger)
{
	const struct model *m = &o->p->model;
	const struct serve_setup *s = &o->setup;
	const double h = (double)m->hidden_size, width = dense_width(m);
	const double g = m->gated_mlp ? 3 : 2;
	double sum = 0;

	LEDGER_ADD(ledger, sum, QUANTITY_SERVE_MEMORY, 2 * s->tokens * (g * width / s->tp + 2 * h),
	    "activations: forward", SGLANG_RUNNER,
	    "2*T*(%.0f*f/TP + 2*h) = 2*%.0f*(%.0f*%.0f/%.0f + 2*%.0f)", g, s->tokens, g, width,
	    s->tp, h);
	add_moe_workspace(o, &sum, ledger);
	return sum;
}

/* GiB of CUDA graphs by layers, read off logs; TensorRT-LLM's are in its other memory. */
static double
hold_graphs(const struct serving_of *o, int64_t stage, struct ledger *ledger)
{
	const double layers = (double)placement_layers(o->pl, stage);
	const double moe = plan_has_experts(o->p) ? 0.4 : 0;
	double sum = 0;

	if (o->p->serving.engine != ENGINE_TRTLLM)
		LEDGER_ADD(ledger, sum, QUANTITY_SERVE_MEMORY,
		    (0.32 + 0.0164 * layers + moe) * GIB, "CUDA graphs", VLLM_LOGS,
		    "0.32 + 0.0164*layers + that of experts = (0.32 + 0.0164*%.0f + %.1f) GiB",
		    layers, moe);
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
sglang_overrun(const struct serving_of *o)
{
	const struct model *m = &o->p->model;
	const double latent = (double)(m->kv_lora_rank + m->qk_rope_head_dim);

	if (o->p->serving.engine != ENGINE_SGLANG || m->attention != ATTENTION_MLA ||
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
	const double overrun = sglang_overrun(o);
	double sum = 0;

	switch (o->p->serving.engine) {
	case ENGINE_SGLANG:
		LEDGER_TERM(ledger, sum, QUANTITY_SERVE_MEMORY, "KV pool", SGLANG_RUNNER,
		    larger(0, (s->share * (most - h->non_torch) - h->weights) * overrun),
		    AS("share", s->share), AS("memory", most), AS("non-torch", h->non_torch),
		    AS("weights", h->weights), AS("allocated/counted", overrun));
		break;
	case ENGINE_TRTLLM:
		LEDGER_TERM(ledger, sum, QUANTITY_SERVE_MEMORY, "KV pool", TRT_UTIL,
		    larger(0, s->pool_share * (most - h->weights - h->non_torch - h->activations)),
		    AS("share/tables", s->pool_share), AS("memory", most), AS("weights", h->weights),
		    AS("non-torch", h->non_torch), AS("activations", h->activations));
		break;
	default:
		LEDGER_TERM(ledger, sum, QUANTITY_SERVE_MEMORY, "KV pool", VLLM_WORKER,
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
	const int64_t engine = o->p->serving.engine;
	struct held h;
	double sum, rest;

	ledger_part(ledger, PART_WEIGHTS);
	h.weights = hold_weights(o, stage, ledger);
	ledger_part(ledger, PART_NON_TORCH);
	h.non_torch = hold_non_torch(o, ledger);
	ledger_part(ledger, PART_ACTIVATIONS);
	h.activations = engine == ENGINE_VLLM ?
	    vllm_activations(o, stage == o->pl->pp - 1, ledger) : engine == ENGINE_SGLANG ?
	    sglang_activations(o, ledger) : trtllm_activations(o, ledger);
	ledger_part(ledger, PART_GRAPHS);
	h.graphs = hold_graphs(o, stage, ledger);
	sum = h.weights + h.non_torch + h.activations + h.graphs;
	ledger_part(ledger, PART_POOL);
	h.pool = hold_pool(o, &h, ledger);
	ledger_part(ledger, PART_NONE);
	sum += h.pool;
	rest = 0;
	LEDGER_ADD(ledger, rest, QUANTITY_SERVE_MEMORY, s->total - sum,
	    sum > s->total ? "beyond the memory" : "unreserved", VLLM_WORKER,
	    "memory - the above = %.0f - %.0f", s->total, sum);
	return h;
}
