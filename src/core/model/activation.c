/*
 * activation.c - bytes kept for the backward pass.
 *
 * Letters in formulas: L layers in flight (layers times micro-batches), a bytes of an
 * activation, T tokens of one micro-batch on one context parallel rank, Ts those of them
 * that sequence parallelism leaves on a rank, n and k query and KV heads, d their size,
 * f the width of an MLP.
 */
#include "core/model/activation.h"

#include "core/base/number.h"
#include "core/framework/framework.h"
#include "core/model/adapters.h"
#include "core/model/kept.h"
#include "core/model/modules.h"
#include "core/model/saved.h"
#include "core/plan/batch.h"
#include "core/plan/format.h"
#include "core/plan/hardware.h"

#define MCORE "Megatron-LM megatron/core/"
#define KORTHIKANTI "Korthikanti et al. 2022, arXiv 2205.05198"
#define FLASH "Dao et al. 2022, FlashAttention, arXiv 2205.14135"
#define LAYER MCORE "transformer/transformer_layer.py"
#define ATTENTION MCORE "transformer/attention.py"
#define DOT_PRODUCT MCORE "transformer/dot_product_attention.py"
#define MLA MCORE "transformer/multi_latent_attention.py"
#define MLP MCORE "transformer/mlp.py"
#define MOE MCORE "transformer/moe/moe_layer.py"
#define EXPERTS MCORE "transformer/moe/experts.py"
#define ROUTER MCORE "transformer/moe/router.py"
#define RANDOM MCORE "tensor_parallel/random.py"
#define EMBEDDING MCORE "models/common/embeddings/language_model_embedding.py"
#define MTP MCORE "transformer/multi_token_prediction.py"
#define OFFLOADED "unslothai/unsloth-zoo unsloth_zoo/gradient_checkpointing.py; transformers " \
    "pull request 48444"
#define TE_BACKENDS "TransformerEngine transformer_engine/pytorch/attention/" \
    "dot_product_attention/backends.py"
#define TE_FUSED "TransformerEngine transformer_engine/common/fused_attn/fused_attn.cpp"
#define TE_CP "TransformerEngine transformer_engine/pytorch/attention/" \
    "dot_product_attention/context_parallel.py"
#define TE_NORM "TransformerEngine transformer_engine/pytorch/ops/basic/rmsnorm.py"
#define GEMMA "transformers models/gemma4/modular_gemma4.py"

struct share
share_add(struct share a, const struct share *b, double times)
{
	a.kept = params_kinds_add(a.kept, &b->kept, times);
	a.input += b->input * times;
	a.mtp += b->mtp * times;
	a.embedding += b->embedding * times;
	return a;
}

double
share_bytes(const struct share *count, const struct share *unit)
{
	return count->kept.all * unit->kept.all + count->kept.global * unit->kept.global +
	    count->kept.local * unit->kept.local + count->kept.mamba * unit->kept.mamba +
	    count->kept.moe * unit->kept.moe + count->kept.indexed * unit->kept.indexed +
	    count->kept.dense * unit->kept.dense +
	    count->kept.borrowing_global * unit->kept.borrowing_global +
	    count->kept.borrowing_local * unit->kept.borrowing_local + count->input * unit->input +
	    count->mtp * unit->mtp + count->embedding * unit->embedding;
}

/* True where each layer is a mixer alone, or an MLP alone. */
static bool
patterned(const struct model *m)
{
	return m->layer_pattern[0] != '\0';
}

int
activation_exchange(const struct plan *p)
{
	return p->parallel.cp_comm == CP_COMM_A2A ? 2 : p->parallel.cp_comm == CP_COMM_A2A_P2P;
}

struct activation
activation_init(const struct plan *p)
{
	const struct training *t = &p->training;
	const unsigned again = batch_again(p);
	struct activation c = { .p = p };

	c.a = batch_width(p);
	c.linear = format_of(p).bytes;
	c.core = modules_attend_in_fp8(p) ? 1 : c.a;
	c.tp = at_least_one(p->parallel.tp);
	c.cp = at_least_one(p->parallel.cp);
	c.etp = params_expert_ranks(p) / at_least_one(p->parallel.ep);
	c.tokens = batch_tokens(p);
	c.local = batch_tokens_split(p);
	/* An expert's capacity bounds what it takes, so there is no imbalance then. */
	c.routed = c.local * params_experts_met(&p->model) * c.etp *
	    (t->moe_capacity_factor > 0 ? t->moe_capacity_factor :
	    batch_kept_imbalance(p));
	c.selective = t->recompute == RECOMPUTE_SELECTIVE;
	c.by_operation = saved_by_operation(p);
	c.no_core = again & AGAIN_CORE_ATTN;
	c.no_norm = again & AGAIN_LAYERNORM;
	c.no_up = again & AGAIN_MLA_UP_PROJ;
	c.no_mlp = again & AGAIN_MLP;
	c.no_act = again & AGAIN_MOE_ACT;
	c.no_moe = again & AGAIN_MOE;
	c.no_shared = again & AGAIN_SHARED_EXPERTS;
	c.eager = modules_eager(p);
	c.fused = p->finetune.kernels == KERNELS_LIGER || p->finetune.kernels == KERNELS_UNSLOTH;
	c.frozen = adapters_only(p);
	c.adapted = adapters_targets(p);
	return c;
}

/* ---- attention --------------------------------------------------------------------- */

/*
 * Where attention keeps its output twice: the source, else NULL. Transformer Engine runs
 * cuDNN's attention on Hopper and later, the flash-attn package before that
 * (dot_product_attention/utils.py). flash-attn wants the batch first: FlashAttention.forward
 * transposes what it returns, so with more than one sequence in a micro-batch the next linear
 * layer keeps a copy beside the one that the kernel keeps. On Blackwell cuDNN has no
 * deterministic backward pass with dropout (fused_attn.cpp, "determinism on Blackwell"):
 * flash-attn again in deterministic runs, which those with published peaks are (Megatron-LM's
 * functional tests); no field says so, so every run with dropout counts as one. nanotron has
 * the sequence first, flash-attn the batch, so there what returns is always transposed.
 */
static const char *
second_output(const struct plan *p, double cp)
{
	const struct framework *framework = framework_of(p);
	const struct generation *gpu = generation_of(p);

	if (p->training.micro_batch_size > 1 && framework->sequence_first != NULL)
		return framework->sequence_first;
	if (!framework->transformer_engine || p->model.attention != ATTENTION_MHA ||
	    p->training.micro_batch_size <= 1 || cp > 1)
		return NULL;
	if (!gpu->fused_attention)
		return TE_BACKENDS;
	return gpu->loose_dropout && p->training.attention_dropout > 0 ? TE_FUSED : NULL;
}

/* Attention needs each head's log-sum-exp, or else the whole score matrix: softmax, and
 * with dropout its mask and what is left of it. */
static void
add_core(const struct sink *s, double layers, double out, bool local)
{
	const struct activation *c = s->c;
	const struct training *t = &c->p->training;
	const double n = params_query_heads(s->m, local) / c->tp;
	const double length = (double)t->sequence_length;
	const double bytes = t->attention_dropout > 0 ? 2 * c->a + 1 : c->a;
	const char *again = second_output(c->p, c->cp);

	if (c->no_core)
		return;
	if (batch_unfused(c->p)) {
		KEPT(s, "attention scores", DOT_PRODUCT, layers * bytes * n * length * c->tokens,
		    AS("L", layers), IS(bytes), AS("n/TP", n), AS("s", length), AS("T", c->tokens));
		return;
	}
	if (again != NULL)
		KEPT(s, "attention output, batch first", again, layers * out, AS("L", layers),
		    AS("bytes of the output", out));
	KEPT(s, "log-sum-exp of attention", FLASH, layers * 4 * c->tokens * n, AS("L", layers),
	    AS("T", c->tokens), AS("n/TP", n));
	if (c->cp > 1 && activation_exchange(c->p) > 0)
		KEPT(s, "attention output before the all-to-all", TE_CP, layers * out, AS("L", layers),
		    AS("bytes of the output", out));
}

/* Of n heads of size v, in so many bytes as attention keeps it and as the next linear layer does,
 * if its weight is trained; an adapter of a frozen one reads 16 bits, which without dropout are
 * kept for attention already, but of attention in FP8 (TransformerEngine
 * dot_product_attention/backends.py, FusedAttnFunc.forward, fp8_tensors). */
static void
add_output(const struct sink *s, double layers, double n, double v, double bytes,
    const char *source)
{
	const struct activation *c = s->c;
	const bool adapted = c->frozen && (c->adapted & TARGET_O) && c->p->finetune.dropout <= 0;
	const double next = c->frozen ? (adapted && bytes < c->a ? c->a : 0) :
	    c->linear < c->a ? c->linear : 0;

	KEPT(s, "attention output", source, layers * (bytes * c->tokens * n * v), AS("L", layers),
	    AS("a", bytes), AS("T", c->tokens), AS("n/TP", n), IS(v));
	if (next > 0)
		KEPT(s, adapted ? "attention output that adapters read" : "FP8 attention output", source,
		    layers * next * c->tokens * n * v, AS("L", layers), AS("a", next),
		    AS("T", c->tokens), AS("n/TP", n), IS(v));
}

static void
add_mha(const struct sink *s, double layers, double borrowed, bool local)
{
	const struct activation *c = s->c;
	const struct model *m = s->m;
	const double n = params_query_heads(m, local) / c->tp;
	const double k = larger(1, params_kv_heads(m, local) / c->tp);
	const double d = params_key_dim(m, local), v = params_value_dim(m, local);
	const double out = c->a * c->tokens * n * v;

	if (borrowed > 0)
		KEPT(s, "keys and values that earlier layers keep", GEMMA,
		    -(borrowed * c->core * c->tokens * k * (d + v)), AS("L", borrowed), AS("a", c->core),
		    AS("T", c->tokens), AS("k/TP", k), IS(d), IS(v));
	if (borrowed > 0 && m->qk_norm)
		KEPT(s, "those keys before their norm", GEMMA, -(borrowed * c->a * c->tokens * k * d),
		    AS("L", borrowed), AS("a", c->a), AS("T", c->tokens), AS("k/TP", k), IS(d));
	if (layers <= 0)
		return;
	KEPT(s, "queries, keys and values", ATTENTION,
	    layers * c->core * c->tokens * (n * d + k * (d + v)), AS("L", layers), AS("a", c->core),
	    AS("T", c->tokens), AS("n/TP", n), IS(d), AS("k/TP", k), IS(v));
	if (m->qk_norm)
		KEPT(s, "queries and keys before their norm", TE_NORM,
		    layers * c->a * c->tokens * (n + k) * d, AS("L", layers), AS("a", c->a),
		    AS("T", c->tokens), AS("n/TP", n), AS("k/TP", k), IS(d));
	if (m->attention_output_gate)
		KEPT(s, "gate and gated output", ATTENTION, layers * 2 * out, AS("L", layers),
		    AS("bytes of the output", out));
	if (m->attention_head_gate)
		KEPT(s, "gate of each head and gated output", ATTENTION,
		    layers * (out + c->a * c->tokens * n), AS("L", layers),
		    AS("bytes of the output", out), AS("a", c->a), AS("T", c->tokens), AS("n/TP", n));
	add_core(s, layers, out, local);
	add_output(s, layers, n, v, c->core, ATTENTION);
}

static void
add_mla(const struct sink *s, double layers)
{
	const struct activation *c = s->c;
	const struct model *m = s->m;
	const double n = (double)m->attention_heads / c->tp;
	const double ql = (double)m->q_lora_rank, kl = (double)m->kv_lora_rank;
	const double rope = (double)m->qk_rope_head_dim;
	const double dq = params_key_dim(m, false), v = params_value_dim(m, false);
	const double out = c->a * c->tokens * n * v;

	if (layers <= 0)
		return;
	KEPT(s, "latents before and after their norms", MLA,
	    layers * c->local * ((c->a + c->linear) * (ql + kl) + c->a * rope), AS("L", layers),
	    AS("Ts", c->local), AS("a", c->a), AS("a of linear layers", c->linear), IS(ql), IS(kl),
	    IS(rope));
	if (!c->no_up)
		KEPT(s, "queries, keys and values", MLA, layers * c->a * c->tokens * n * (2 * dq + v),
		    AS("L", layers), AS("a", c->a), AS("T", c->tokens), AS("n/TP", n),
		    AS("(nope+rope)", dq), IS(v));
	if (m->attention_output_gate)
		KEPT(s, "gate and gated output", MLA, layers * 2 * out, AS("L", layers),
		    AS("bytes of the output", out));
	add_core(s, layers, out, false);
	add_output(s, layers, n, v, c->a, MLA);
}

static void
add_attention(const struct sink *s, const struct layer_kinds *k)
{
	const struct activation *c = s->c;
	const struct model *m = s->m;
	const double heads = (double)m->index_heads, d = (double)m->index_head_dim;
	const double indexed = k->indexed;

	if (m->attention == ATTENTION_MLA) {
		add_mla(s, m->linear_attention ? k->global : k->global + k->local);
	} else {
		add_mha(s, k->global, k->borrowing_global, false);
		if (!m->linear_attention)
			add_mha(s, k->local, k->borrowing_local, true);
	}
	kept_add_mixers(s, k, c->linear);
	if (heads > 0 && indexed > 0)
		KEPT(s, "indexer queries and keys", "DeepSeek-V3.2-Exp inference/model.py",
		    indexed * c->a * c->local * ((heads + 1) * d), AS("L", indexed), AS("a", c->a),
		    AS("Ts", c->local), IS(heads), IS(d));
}

/* ---- norms, residuals, dropout ----------------------------------------------------- */

static void
add_block_input(const struct sink *s, double layers)
{
	const struct activation *c = s->c;
	const double h = (double)s->m->hidden_size;

	KEPT(s, "input of the attention block", LAYER, layers * c->linear * h * c->local,
	    AS("L", layers), AS("a", c->linear), IS(h), AS("Ts", c->local));
}

static void
add_common(const struct sink *s, double layers)
{
	const struct activation *c = s->c;
	const double h = (double)s->m->hidden_size, norms = params_norms(s->m);
	const double inputs = norms > 0 ? norms : 1;

	if (layers <= 0)
		return;
	KEPT(s, "inputs of norms", KORTHIKANTI, layers * inputs * c->a * h * c->local,
	    AS("L", layers), AS("norms", inputs), AS("a", c->a), IS(h), AS("Ts", c->local));
	if (!c->no_norm && !c->frozen && !patterned(s->m))
		add_block_input(s, layers);
	if (c->p->training.hidden_dropout > 0) {
		const double blocks = patterned(s->m) ? 1 : 2;

		KEPT(s, "masks of hidden dropout", KORTHIKANTI, layers * blocks * h * c->local,
		    AS("L", layers), AS("blocks", blocks), IS(h), AS("Ts", c->local));
	}
}

/* ---- MLP and experts --------------------------------------------------------------- */

/* MLPs, routed or shared experts: what the activation function reads (gate and up), and the input
 * of the second linear layer. */
static void
add_inside(const struct sink *s, const struct layer_kinds *k, enum matrix_block block, unsigned traits)
{
	const struct activation *c = s->c;
	const bool routed = traits & MATRIX_EXPERT, no_output = routed && c->no_act;
	const struct kept of = { NULL, block, traits, c->p->training.fp8_activation_input ? 1 : c->a,
		no_output || c->frozen ? 0 : c->linear, routed && !c->no_act ? c->a : 0,
		routed ? c->routed : c->tokens, routed ? c->etp : c->tp };

	kept_add(s, k, &of);
}

/* silu(gate) * up in two steps keeps silu(gate). */
static void
add_mlps(const struct sink *s, const struct layer_kinds *k, enum matrix_block block)
{
	const struct activation *c = s->c;
	const bool two_steps = framework_of(c->p)->gate_kept != NULL;

	add_inside(s, k, block, 0);
	if (two_steps)
		kept_add(s, k, &(struct kept){ "activated gate", block, 0, 0, 0, c->a, c->tokens, c->tp });
}

static void
add_dense(const struct sink *s, const struct layer_kinds *k)
{
	const struct activation *c = s->c;
	const double h = (double)s->m->hidden_size, layers = k->dense;

	/* Attention and MLP in parallel read the output of one norm. */
	if (layers > 0 && !c->no_norm && !c->frozen &&
	    (patterned(s->m) || s->m->norms_per_layer != 1))
		KEPT(s, "input of the MLP", MLP, layers * c->linear * h * c->local, AS("L", layers),
		    AS("a", c->linear), IS(h), AS("Ts", c->local));
	if (layers > 0 && !c->no_mlp)
		add_mlps(s, k, BLOCK_MLP);
	if (params_wide_mlps(s->m, k) > 0 && !c->no_mlp)
		add_mlps(s, k, BLOCK_WIDE_MLP);
}

static void
add_moe(const struct sink *s, const struct layer_kinds *k)
{
	const struct activation *c = s->c;
	const double h = (double)s->m->hidden_size, eh = params_expert_width(s->m);
	const double f = (double)s->m->moe_ffn_hidden_size / c->etp;
	const double experts = (double)s->m->experts, layers = k->moe;

	if (layers <= 0)
		return;
	if (!c->no_norm || c->no_moe)
		KEPT(s, "input of router and experts", MOE, layers * c->a * h * c->local, AS("L", layers),
		    AS("a", c->a), IS(h), AS("Ts", c->local));
	if (c->no_moe)
		return;
	if (s->m->moe_latent_size > 0)
		kept_add(s, k, &(struct kept){ "latents before and after the experts", BLOCK_MOE, 0, c->a,
		    c->a, 0, c->local, 1 });
	if (!c->frozen || (c->adapted & TARGET_EXPERTS_UP))
		KEPT(s, "tokens sent to experts", EXPERTS, layers * c->linear * eh * c->routed,
		    AS("L", layers), AS("a", c->linear), AS("h", eh), AS("routed", c->routed));
	if (c->adapted & TARGET_EXPERTS_DOWN)
		KEPT(s, "inputs of the experts' down adapters", EXPERTS,
		    layers * c->linear * f * c->routed, AS("L", layers), AS("a", c->linear),
		    AS("f/ETP", f), AS("routed", c->routed));
	add_inside(s, k, BLOCK_MOE, MATRIX_EXPERT);
	KEPT(s, "router logits, probabilities and map", ROUTER,
	    layers * (4 + 4 + 1) * c->local * experts, AS("L", layers), AS("Ts", c->local),
	    IS(experts));
	if (!c->no_shared && s->m->shared_expert_ffn_hidden_size > 0)
		add_inside(s, k, BLOCK_MOE, MATRIX_SHARED);
}

/* ---- beside layers ----------------------------------------------------------------- */

/* Bytes of what goes from layer to layer. */
static double
between(const struct activation *c)
{
	return modules_wide(c->p) ? 4 : c->a;
}

static void
add_rest(const struct sink *s, const struct share *held)
{
	const struct activation *c = s->c;
	const double h = (double)s->m->hidden_size;
	const double mask = c->p->training.hidden_dropout > 0 ? 1 : 0, a = between(c);

	if (held->input > 0)
		KEPT(s, "inputs of recomputed layers", RANDOM, held->input * a * h * c->local,
		    AS("inputs", held->input), IS(a), IS(h), AS("Ts", c->local));
	if (held->mtp > 0)
		KEPT(s, "inputs of MTP layers", MTP,
		    held->mtp * (5 * c->a * h * c->local + 8 * c->tokens), AS("layers", held->mtp),
		    AS("a", c->a), IS(h), AS("Ts", c->local), AS("T", c->tokens));
	if (held->embedding > 0)
		KEPT(s, "token ids and embedding dropout", EMBEDDING,
		    held->embedding * (8 * c->tokens + mask * h * c->local),
		    AS("micro-batches", held->embedding), AS("T", c->tokens), IS(mask), IS(h),
		    AS("Ts", c->local));
}

/* What a layer has beside its MLP or experts. */
static void
add_mixer_block(const struct sink *s, const struct layer_kinds *k)
{
	if (s->c->by_operation) {
		saved_add_attention(s, k);
		return;
	}
	add_common(s, k->all);
	if (patterned(s->m) && !s->c->no_norm && !s->c->frozen && params_mixers(k) > 0)
		add_block_input(s, params_mixers(k));
	add_attention(s, k);
}

static void
add_mlps_and_experts(const struct sink *s, const struct layer_kinds *k)
{
	if (s->c->by_operation) {
		saved_add_mlps(s, k);
		return;
	}
	add_dense(s, k);
	add_moe(s, k);
}

static void
add_layers(const struct sink *s, const struct layer_kinds *k)
{
	if (s->c->eager) {
		modules_add(s, k);
		return;
	}
	add_mixer_block(s, k);
	add_mlps_and_experts(s, k);
	if (s->c->adapted != 0)
		modules_add_adapters(s, k);
}

void
activation_add(const struct activation *c, const struct share *held, struct ledger *ledger,
    double *sum)
{
	const struct sink s = { .c = c, .m = &c->p->model, .ledger = ledger, .sum = sum };

	add_layers(&s, &held->kept);
	add_rest(&s, held);
}

void
activation_add_moving(const struct activation *c, int64_t layers, struct ledger *ledger,
    double *sum)
{
	const struct sink s = { .c = c, .m = &c->p->model, .ledger = ledger, .sum = sum };
	const double inputs = (double)least_of(2, batch_inputs_away(c->p, layers));
	const double h = (double)s.m->hidden_size, a = between(c);

	if (inputs > 0)
		KEPT(&s, "layer inputs on their way to the host", OFFLOADED, inputs * a * h * c->local,
		    IS(inputs), IS(a), IS(h), AS("Ts", c->local));
}

struct share
activation_units(const struct activation *c)
{
	enum { KINDS = 7, BORROWING = 2, UNITS = KINDS + BORROWING, RESTS = 3 };
	static const struct layer_kinds one[UNITS] = {
		{ .all = 1 }, { .dense = 1 }, { .moe = 1 }, { .mamba = 1 }, { .indexed = 1 },
		{ .global = 1 }, { .local = 1 }, { .global = 1, .dense = 1, .borrowing_global = 1 },
		{ .local = 1, .dense = 1, .borrowing_local = 1 },
	};
	static const struct share rest[RESTS] = { { .input = 1 }, { .mtp = 1 }, { .embedding = 1 } };
	const int kinds = c->p->model.borrowing_layers > 0 ? UNITS : KINDS;
	double bytes[UNITS] = { 0 }, ends[RESTS] = { 0 };
	struct sink s = { .c = c, .m = &c->p->model };

	for (int i = 0; i < kinds; i++) {
		s.sum = &bytes[i];
		add_layers(&s, &one[i]);
	}
	for (int i = KINDS; i < kinds; i++) /* less the layer, and the MLP in it */
		bytes[i] -= bytes[i - BORROWING] + bytes[1];
	for (int i = 0; i < RESTS; i++) {
		s.sum = &ends[i];
		add_rest(&s, &rest[i]);
	}
	return (struct share){
		.kept = { .all = bytes[0], .dense = bytes[1], .moe = bytes[2], .mamba = bytes[3],
		    .indexed = bytes[4], .global = bytes[5], .local = bytes[6],
		    .borrowing_global = bytes[7], .borrowing_local = bytes[8] },
		.input = ends[0], .mtp = ends[1], .embedding = ends[2],
	};
}

double
activation_refilled(const struct activation *c, const struct layer_kinds *layer,
    bool attention)
{
	const bool some = c->by_operation || c->no_norm || (attention ? c->no_core || c->no_up :
	    c->no_mlp || c->no_act || c->no_moe || c->no_shared);
	struct activation all = *c; /* without selective recompute */
	double sum[2] = { 0 };

	if (!c->selective || !some)
		return 0;
	all.selective = all.by_operation = all.no_core = all.no_norm = all.no_up = all.no_mlp = false;
	all.no_act = all.no_moe = all.no_shared = false;
	for (int i = 0; i < 2; i++) {
		const struct sink s = { .c = i == 0 ? &all : c, .m = &c->p->model, .sum = &sum[i] };

		if (attention)
			add_mixer_block(&s, layer);
		else
			add_mlps_and_experts(&s, layer);
	}
	return sum[0] - sum[1];
}
