#include "core/model/modules.h"

#include "core/base/number.h"
#include "core/framework/framework.h"
#include "core/model/adapters.h"
#include "core/model/tuner.h"
#include "core/plan/format.h"

#define HF "huggingface/transformers src/transformers/"
#define LLAMA HF "models/llama/modeling_llama.py"
#define SDPA HF "integrations/sdpa_attention.py"
#define MOE HF "models/qwen3_moe/modeling_qwen3_moe.py"
#define GEMMA HF "models/gemma4/modular_gemma4.py"
#define ULYSSES "deepspeedai/DeepSpeed deepspeed/runtime/sequence_parallel/ulysses_sp.py, UlyssesSPAttentionHF"
#define TUNERS "huggingface/peft src/peft/tuners"
#define PEFT "huggingface/peft src/peft/tuners/lora/layer.py; tuners_utils.py, _cast_input_dtype"
#define DORA "huggingface/peft src/peft/tuners/lora/dora.py"
#define UNSLOTH "unslothai/unsloth unsloth/kernels/fast_lora.py"
#define BRIDGE "NVIDIA-NeMo/Megatron-Bridge src/megatron/bridge/peft"

bool
modules_eager(const struct plan *p)
{
	return p->mode == MODE_TRAIN && (p->finetune.method != FINETUNE_NONE || plan_has_rl(p)) &&
	    p->finetune.kernels != KERNELS_TE;
}

bool
modules_list_experts(const struct plan *p)
{
	enum { STACKED_EXPERTS = 202512 };

	return framework_before(p, STACKED_EXPERTS);
}

bool
modules_loop_experts(const struct plan *p)
{
	return modules_eager(p) && p->finetune.kernels != KERNELS_TORCHTUNE && plan_has_experts(p) &&
	    modules_list_experts(p);
}

bool
modules_rotate_apart(const struct plan *p)
{
	return framework_of(p)->transformer_engine && plan_rotates(p) && !modules_eager(p) &&
	    (!p->training.rope_fusion || p->model.position == POSITION_YARN);
}

bool
modules_attend_in_fp8(const struct plan *p)
{
	return p->training.fp8_attention && format_of(p).quantised && !modules_eager(p);
}

bool
modules_peft(const struct plan *p)
{
	return modules_eager(p) &&
	    (p->finetune.kernels == KERNELS_EAGER || p->finetune.kernels == KERNELS_LIGER);
}

bool
modules_autocast(const struct plan *p)
{
	return p->training.cross_entropy != CE_HF_HELD;
}

bool
modules_wide(const struct plan *p)
{
	const bool sharded = framework_zero(p) > 0 && plan_world(p) > 1;

	return modules_peft(p) && !adapters_only(p) && modules_autocast(p) && !sharded &&
	    p->finetune.adapter_dtype == ADAPTER_FP32 &&
	    p->training.precision != PRECISION_FP32 && !framework_of(p)->gradients_in_precision;
}

double
modules_kv_heads(const struct plan *p, bool local)
{
	const double tp = at_least_one(p->parallel.tp), cp = at_least_one(p->parallel.cp);

	if (p->model.attention == ATTENTION_MLA)
		return params_query_heads(&p->model, local) / tp;
	return larger(p->parallel.cp_comm == CP_COMM_A2A ? cp : 1, params_kv_heads(&p->model, local) / tp);
}

/* ---- norms and attention ---------------------------------------------------------- */

/* LlamaRMSNorm works on an fp32 copy of its input; a gain that is trained needs what it
 * multiplies, and a product whose weight is trained the norm's output. Under autocast with fp32
 * weights all of it is in fp32, and q, k, v, gate and up have a 16-bit copy each. */
static double
norm_bytes(const struct activation *c, double norms)
{
	const double casts = 3 + (c->p->model.gated_mlp ? 2 : 1);

	if (modules_wide(c->p))
		return (c->fused ? 4 : 4 + 4) + casts * c->a / norms;
	return (c->fused ? c->a : 4) + (c->frozen ? 0 : c->a) + (c->frozen || c->fused ? 0 : c->a);
}

static void
add_norms(const struct sink *s, double layers)
{
	const double h = (double)s->m->hidden_size, norms = params_norms(s->m);
	const double bytes = norms > 0 ? norm_bytes(s->c, norms) : 0;

	if (layers > 0 && norms > 0)
		KEPT(s, "norms", LLAMA, layers * norms * bytes * h * s->c->tokens, AS("L", layers),
		    IS(norms), IS(bytes), IS(h), AS("T", s->c->tokens));
}

/* With an attention mask, which padding needs, SDPA gets keys and values repeated for every
 * query head. */
static void
add_mha(const struct sink *s, double layers, double borrowed, bool local)
{
	const struct activation *c = s->c;
	const struct plan *p = c->p;
	const double n = params_query_heads(s->m, local) / c->tp;
	const double kv = modules_kv_heads(p, local);
	const double k = p->finetune.packing ? kv : n;
	const double d = params_key_dim(s->m, local), v = params_value_dim(s->m, local);
	const double length = (double)p->training.sequence_length;
	const double norm = c->fused ? c->a : 4 + (c->frozen ? 0 : c->a);

	if (borrowed > 0 && p->finetune.packing)
		KEPT(s, "keys and values that earlier layers keep", GEMMA,
		    -(borrowed * c->a * c->tokens * kv * (d + v)), AS("L", borrowed), AS("a", c->a),
		    AS("T", c->tokens), AS("k/TP", kv), IS(d), IS(v));
	if (borrowed > 0 && s->m->qk_norm)
		KEPT(s, "norms of those keys", GEMMA, -(borrowed * norm * c->tokens * kv * d),
		    AS("L", borrowed), AS("bytes", norm), AS("T", c->tokens), AS("k/TP", kv), IS(d));
	if (layers <= 0)
		return;
	KEPT(s, "queries, keys and values", SDPA, layers * c->a * c->tokens * (n * d + k * (d + v)),
	    AS("L", layers), AS("a", c->a), AS("T", c->tokens), AS("n/TP", n), IS(d),
	    AS("heads of keys", k), IS(v));
	KEPT(s, "attention output", SDPA, layers * c->a * c->tokens * n * v, AS("L", layers),
	    AS("a", c->a), AS("T", c->tokens), AS("n/TP", n), IS(v));
	if (c->cp > 1 && p->parallel.cp_comm == CP_COMM_A2A)
		KEPT(s, "attention output before the all-to-all", ULYSSES, layers * c->a * c->tokens * n * v,
		    AS("L", layers), AS("a", c->a), AS("T", c->tokens), AS("n/TP", n), IS(v));
	if (p->training.flash_attention)
		KEPT(s, "log-sum-exp of attention", SDPA, layers * 4 * c->tokens * n, AS("L", layers),
		    AS("T", c->tokens), AS("n/TP", n));
	else
		KEPT(s, "attention scores", LLAMA, layers * 6 * n * length * c->tokens, AS("L", layers),
		    AS("n/TP", n), AS("s", length), AS("T", c->tokens));
	if (s->m->qk_norm)
		KEPT(s, "norms of queries and keys", LLAMA, layers * norm * c->tokens * (n + kv) * d,
		    AS("L", layers), AS("bytes", norm), AS("T", c->tokens), AS("n/TP", n),
		    AS("k/TP", kv), IS(d));
}

static void
add_mla(const struct sink *s, double layers)
{
	const double ql = (double)s->m->q_lora_rank, kl = (double)s->m->kv_lora_rank;
	const double norm = (s->c->fused ? s->c->a : 4) + s->c->a;

	if (layers <= 0)
		return;
	KEPT(s, "latents before and after their norms", HF "models/deepseek_v3/modeling_deepseek_v3.py",
	    layers * norm * s->c->tokens * (ql + kl), AS("L", layers), AS("bytes", norm),
	    AS("T", s->c->tokens), IS(ql), IS(kl));
	add_mha(s, layers, 0, false);
}

static void
add_attention(const struct sink *s, const struct layer_kinds *k)
{
	const struct model *m = s->m;

	kept_add_mixers(s, k, s->c->a);
	if (m->attention == ATTENTION_MLA) {
		add_mla(s, m->linear_attention ? k->global : k->all);
		return;
	}
	add_mha(s, k->global, k->borrowing_global, false);
	if (!m->linear_attention)
		add_mha(s, k->local, k->borrowing_local, true);
}

/* ---- MLP and experts -------------------------------------------------------------- */

double
modules_tiles(const struct plan *p)
{
	return modules_eager(p) ? at_least_one(p->training.mlp_tiles) : 1;
}

/* silu(gate) * up in two steps keeps the gate, what silu makes of it, and up. */
static void
add_mlp(const struct sink *s, const struct layer_kinds *k, enum matrix_block block, unsigned traits)
{
	const struct activation *c = s->c;

	kept_add(s, k, &(struct kept){ NULL, block, traits, c->a, c->frozen ? 0 : c->a,
	    c->fused ? 0 : c->a, c->tokens, c->tp });
}

/* In tiles an MLP keeps nothing of what is inside. */
static void
add_mlps(const struct sink *s, const struct layer_kinds *k)
{
	if (modules_tiles(s->c->p) > 1)
		return;
	add_mlp(s, k, BLOCK_MLP, 0);
	add_mlp(s, k, BLOCK_WIDE_MLP, 0);
}

static void
add_moe(const struct sink *s, const struct layer_kinds *k)
{
	const struct activation *c = s->c;
	const bool kept = !c->frozen || (c->adapted & TARGET_EXPERTS);
	const double h = (double)s->m->hidden_size, experts = (double)s->m->experts, layers = k->moe;

	if (layers <= 0)
		return;
	if (kept)
		KEPT(s, "tokens sent to experts", MOE, layers * c->a * h * c->routed, AS("L", layers),
		    AS("a", c->a), IS(h), AS("routed", c->routed));
	kept_add(s, k, &(struct kept){ NULL, BLOCK_MOE, MATRIX_EXPERT, c->a, kept ? c->a : 0, 0,
	    c->routed, c->etp });
	KEPT(s, "router logits, probabilities and map", MOE,
	    layers * (4 + 4 + 1) * c->tokens * experts, AS("L", layers), AS("T", c->tokens),
	    IS(experts));
	add_mlp(s, k, BLOCK_MOE, MATRIX_SHARED);
}

/* ---- adapters --------------------------------------------------------------------- */

/* fp32 adapters cast their input, each for itself: to fp32, or under autocast back to 16 bits.
 * With dropout each has a mask too. */
static void
add_cast(const struct sink *s, const struct adapter_sums *n)
{
	const double bytes = modules_autocast(s->c->p) ? s->c->a : 4, r = (double)s->c->p->finetune.rank;
	const double mask = s->c->p->finetune.dropout > 0 ? 1 : 0;

	KEPT(s, "inputs of adapters", PEFT,
	    s->c->tokens * ((bytes + mask) * n->in + bytes * r * n->modules), AS("T", s->c->tokens),
	    IS(bytes), IS(mask), AS("widths of all inputs", n->in), IS(r),
	    AS("adapters", n->modules));
}

/* Adapters of the same type as the base read what is there: the output of the first norm once
 * for q, k and v, that of the second for gate and up, and what goes into down. The output
 * projection's input is kept anyway. */
static void
add_shared(const struct sink *s, const struct adapter_sums *n)
{
	const struct activation *c = s->c;
	const double h = (double)s->m->hidden_size, r = (double)c->p->finetune.rank;
	const double mixers = n->mixers, mlps = n->mlps, f = n->down;

	if (mixers + mlps > 0)
		KEPT(s, "norm outputs that adapters read", BRIDGE, (mixers + mlps) * c->a * h * c->tokens,
		    IS(mixers), IS(mlps), AS("a", c->a), IS(h), AS("T", c->tokens));
	if (f > 0)
		KEPT(s, "inputs of the down projection's adapters", BRIDGE, c->a * f * c->tokens,
		    AS("a", c->a), AS("widths of all MLPs", f), AS("T", c->tokens));
	KEPT(s, "inside adapters", BRIDGE, n->modules * c->a * r * c->tokens,
	    AS("adapters", n->modules), AS("a", c->a), IS(r), AS("T", c->tokens));
}

/* Dropout makes a copy of its own for each adapter, and a mask. */
static void
add_dropped(const struct sink *s, const struct adapter_sums *n)
{
	const double r = (double)s->c->p->finetune.rank, mask = 1;

	KEPT(s, "dropped inputs of adapters", PEFT,
	    s->c->tokens * ((s->c->a + mask) * n->in + s->c->a * r * n->modules),
	    AS("T", s->c->tokens), AS("a", s->c->a), IS(mask), AS("widths of all inputs", n->in),
	    IS(r), AS("adapters", n->modules));
}

/* What PEFT's others keep, in the format of their weights, but what IA3 scales outside of MLPs. */
static void
add_others(const struct sink *s, const struct adapter_sums *n, double wide)
{
	const struct tuner_kept of = tuner_keeps(s->c->p);
	const bool scales = s->c->p->finetune.tuner == TUNER_IA3;
	const double r = (double)s->c->p->finetune.rank, T = s->c->tokens;
	const double out = scales ? n->scaled : n->out, a = scales ? s->c->a : wide;

	if (of.in)
		KEPT(s, "inputs of adapters", TUNERS, T * wide * n->in, IS(T), AS("a", wide),
		    AS("widths of all inputs", n->in));
	if (of.out)
		KEPT(s, "outputs that adapters scale", TUNERS, T * a * out, IS(T), IS(a),
		    AS("widths of all outputs", out));
	if (of.ranks)
		KEPT(s, "inside adapters", TUNERS, n->modules * wide * r * T, AS("adapters", n->modules),
		    AS("a", wide), IS(r), IS(T));
	if (of.delta)
		KEPT(s, "changes of weights", TUNERS, wide * n->delta, AS("a", wide),
		    AS("adapted weights", n->delta));
}

void
modules_add_adapters(const struct sink *s, const struct layer_kinds *k)
{
	const struct plan *p = s->c->p;
	const struct adapter_sums n = adapters_sums(p, k, false);
	const double wide = p->finetune.adapter_dtype == ADAPTER_FP32 && !modules_autocast(p) ? 4 :
	    s->c->a;
	const double h = (double)s->m->hidden_size;

	if (n.modules <= 0)
		return;
	if (tuner_is_other(p)) {
		add_others(s, &n, wide);
		return;
	}
	if (p->finetune.kernels == KERNELS_UNSLOTH)
		KEPT(s, "inputs of attention and MLP", UNSLOTH,
		    (k->global + k->local + k->dense) * s->c->a * h * s->c->tokens,
		    AS("attention", k->global), AS("local attention", k->local), AS("MLPs", k->dense),
		    AS("a", s->c->a), IS(h), AS("T", s->c->tokens));
	else if (p->finetune.adapter_dtype == ADAPTER_FP32)
		add_cast(s, &n);
	else if (p->finetune.dropout > 0)
		add_dropped(s, &n);
	else
		add_shared(s, &n);
	if (p->finetune.method == FINETUNE_DORA)
		KEPT(s, "outputs that DoRA scales", DORA, s->c->tokens * (s->c->a + wide) * n.out,
		    AS("T", s->c->tokens), AS("a", s->c->a), IS(wide),
		    AS("widths of all outputs", n.out));
}

/* GPTQ's layers unpack their weights by operations of PyTorch, so autograd keeps what the product
 * has read: the unpacked weight. Other formats unpack again in the backward pass. */
static void
add_unpacked(const struct sink *s, const struct layer_kinds *k)
{
	const struct plan *p = s->c->p;
	const double weights = p->finetune.quantization == QUANT_INT4 && s->c->frozen ?
	    adapters_sums(p, k, false).weights : 0;

	if (weights > 0)
		KEPT(s, "unpacked weights", MODULES_GPTQ, s->c->a * weights, AS("a", s->c->a), IS(weights));
}

/* ---- all of it -------------------------------------------------------------------- */

void
modules_add(const struct sink *s, const struct layer_kinds *k)
{
	add_norms(s, k->all);
	add_attention(s, k);
	add_mlps(s, k);
	add_moe(s, k);
	if (!s->c->frozen)
		return;
	modules_add_adapters(s, k);
	add_unpacked(s, k);
}
