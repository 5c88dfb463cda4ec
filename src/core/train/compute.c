#include "core/train/compute.h"

#include <math.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/framework/framework.h"
#include "core/model/adapters.h"
#include "core/model/mixer.h"
#include "core/model/modules.h"
#include "core/model/params.h"
#include "core/model/saved.h"
#include "core/plan/batch.h"
#include "core/train/compute_adapters.h"
#include "core/train/compute_experts.h"
#include "core/train/compute_products.h"
#include "core/train/compute_sparse.h"
#include "core/train/kernel.h"

#define CORE_SOURCE "Dao 2023, arXiv 2307.08691; Shah et al. 2024, arXiv 2407.08608; " \
	"NVIDIA/cudnn-frontend benchmark/sdpa_benchmark_training"

static const struct operation head = PRODUCT("LM head", NULL);

/*
 * RMSNorm in single operations, bytes a value: cast to fp32 (6), square (8), mean (4), scale
 * (8), cast back (6), weight (4); PyTorch before 2.9 (torch.nn.RMSNorm), Hugging Face
 * transformers (models/llama/modeling_llama.py, LlamaRMSNorm). Backward: gradients of input
 * and weight (12), cast (6), of scale and root (24), of mean (4), of the square, whose
 * derivative is a power and a product of its own (28), their sum (12), cast (6) (PyTorch
 * torch/csrc/autograd/FunctionsManual.cpp, mul_tensor_backward, mean_backward, pow_backward).
 */
#define PARTS 36.0
#define PARTS_BACK 92.0
#define IN_PARTS AS("36", PARTS), AS("92", PARTS_BACK)

/* ---- attention -------------------------------------------------------------------- */

/* Scores stored: two batched products each way and the softmax between them, which reads
 * and writes the score matrix (13 and 20 bytes a score: mask, softmax, dropout). */
static void
core_unfused(struct layer_job *j, bool local, double heads)
{
	const struct model *m = &j->p->model;
	const struct machine *g = j->g;
	const double s = (double)j->p->training.sequence_length;
	const double queries = s / at_least_one(j->p->parallel.cp);
	const double batch = (double)j->p->training.micro_batch_size * heads;
	const double scores = batch * queries * s;
	struct product score = { &g->plain, 1, batch * queries, s, params_key_dim(m, local), 0 };
	struct product value = { &g->plain, 1, batch * queries, params_value_dim(m, local), s, 0 };
	double seconds[2];

	for (int back = 0; back < 2; back++) {
		const double bytes = back ? 20 : 13, moved = bytes * scores;

		score.times = value.times = back ? 2 : 1;
		seconds[back] = job_product_seconds(g, &score) + job_product_seconds(g, &value) +
		    machine_memory(g, moved);
		if (j->tally == NULL)
			continue;
		job_note_product(j, back, &score, "attention scores", "m x n x k: b*n/TP*s/CP x s x d");
		job_note_product(j, back, &value, "scores times values", "m x n x k: b*n/TP*s/CP x v x s");
		job_note_memory(j, back, 1, &(struct moved){ "softmax of attention scores", "bytes*batch*queries*s",
		    LEDGER_SYMBOLS(IS(bytes), AS("b*n/TP", batch), AS("s/CP", queries), IS(s)), moved, 1 });
	}
	j->w.core = seconds[0];
	j->w.core_backward = seconds[1];
}

/* One kernel that does so many times the FLOP of the forward pass. */
static void
note_core(const struct layer_job *j, bool backward, double factor, double flop,
    const struct kernel_rate *k, const char *name, const char *size)
{
	struct remark r = { .name = name, .source = CORE_SOURCE, .size = size,
		.kind = KERNELS_ATTENTION };

	text_put(r.symbols, sizeof r.symbols,
	    "(factor*FLOP/(peak*R*s/(s+s0)*w/(w+w0)*head*window) + t0)");
	text_put(r.numbers, sizeof r.numbers,
	    "(%.3g*%.10g/(%.7g*%.7g*%.7g/(%.7g+%.4g)*%.7g/(%.7g+%.4g)*%.4g*%.6g) + %.7g)", factor,
	    flop, k->peak, k->share, k->sequence, k->sequence, k->s0, k->waves, k->waves, k->w0,
	    k->head, k->window, j->g->launch);
	job_note(j, backward, factor * flop / k->reached + j->g->launch, &r);
}

/* Queries, keys and values are cast before an FP8 kernel and the gradient of its output is; what it gives is
 * cast back, read in one byte and written in two (TransformerEngine transformer_engine/pytorch/attention/
 * dot_product_attention/backends.py, FusedAttnFunc). */
static void
cast_core(struct layer_job *j, bool local, double heads)
{
	const struct model *m = &j->p->model;
	const double T = batch_tokens(j->p), cast = j->g->cast, q = heads * params_key_dim(m, local);
	const double k = params_kv_heads(m, local) * params_key_dim(m, local) / at_least_one(j->p->parallel.tp);

	JOB_MOVE(j, "casts around attention in FP8", T * (cast * (q + 2 * k) + 3 * q),
	    T * (cast * q + 3 * (q + 2 * k)), IS(T), IS(cast), AS("q/TP", q), AS("kv/TP", k));
}

static void
core_fused(struct layer_job *j, const struct layer_rows *rows, bool local, double heads)
{
	const struct machine *g = j->g;
	const double flop = 2 * batch_tokens(j->p) * heads * compute_pairs(j->p, local);
	const struct kernel_rate forward = kernel_rate(j->p, g, false, local);
	const struct kernel_rate backward = kernel_rate(j->p, g, true, local);
	const char *name = "attention core", *size = compute_pairs_size(j->p, local);

	compute_indexer(j, rows, heads);
	if (kernel_in_fp8(j->p))
		cast_core(j, local, heads);
	j->w.core = flop / forward.reached + g->launch;
	j->w.core_backward = 2.5 * flop / backward.reached + g->launch;
	if (j->tally == NULL)
		return;
	note_core(j, false, 1, flop, &forward, name, size);
	note_core(j, true, 2.5, flop, &backward, name, size);
}

/* A state of key x value for each head, read and updated for each token. */
static void
core_recurrent(struct layer_job *j, const struct mixer *x, const char *name)
{
	const double flop = x->scan * batch_tokens(j->p) / at_least_one(j->p->parallel.tp);
	const struct rate rate = { x->share * j->g->recurrent.reached, j->g->recurrent.peak };
	struct remark r = { .name = name, .source = CORE_SOURCE,
		.size = "FLOP: T*FLOP of a token/TP", .kind = KERNELS_ATTENTION };

	j->w.core = flop / rate.reached + j->g->launch;
	j->w.core_backward = 2 * j->w.core;
	if (j->tally == NULL)
		return;
	for (int back = 0; back < 2; back++) {
		text_put(r.symbols, sizeof r.symbols, "%s(FLOP/rate + t0)", back ? "2*" : "");
		text_put(r.numbers, sizeof r.numbers, "%s(%.10g/(%.7g*%.7g) + %.7g)", back ? "2*" : "",
		    flop, rate.reached / rate.peak, rate.peak, j->g->launch);
		job_note(j, back, (back ? 2 : 1) * j->w.core, &r);
	}
}

static void
core(struct layer_job *j, const struct layer_rows *rows, int kind)
{
	const bool local = layer_is_local(kind), mamba = (kind & LAYER_MIXER) == LAYER_MAMBA;
	const double heads = params_query_heads(&j->p->model, local) /
	    at_least_one(j->p->parallel.tp);

	if (mamba || (local && j->p->model.linear_attention)) {
		const struct mixer x = mamba ? mixer_mamba(&j->p->model) : mixer_linear(&j->p->model);

		core_recurrent(j, &x, mamba ? "Mamba scan" : "linear attention core");
	} else if (kernel_of(j->p) == KERNEL_UNFUSED) {
		core_unfused(j, local, heads);
	} else {
		core_fused(j, rows, local, heads);
	}
	job_forward(j, j->w.core);
	j->w.backward += j->w.core_backward;
}

struct tensor_calls
compute_tensor_calls(const struct plan *p)
{
	/* on average: of queries, keys and values, and of the MLP */
	const double each = (3 + (p->model.gated_mlp ? 2 : 1)) / 2.0;

	if (!p->parallel.tp_apart)
		return (struct tensor_calls){ 1, 1 };
	return (struct tensor_calls){ machine_compiles(p) ? 1 : each, each };
}

bool
compute_gathers_heads(const struct plan *p)
{
	return p->parallel.tp > 1 && p->model.qk_norm && p->model.attention != ATTENTION_MLA &&
	    framework_before(p, framework_of(p)->heads_split_since);
}

/* Copies, rotation and norms of queries and keys without a latent. Rotated apart they are two products, a
 * sum, half of the values negated, joined twice (Megatron-LM
 * megatron/core/models/common/embeddings/rope_utils.py). */
static void
around_heads(struct layer_job *j, bool local)
{
	const struct model *m = &j->p->model;
	const double tp = at_least_one(j->p->parallel.tp), T = batch_tokens(j->p);
	const double q = params_query_width(m, local);
	const double k = params_kv_heads(m, local) * params_key_dim(m, local);
	const bool gathered = compute_gathers_heads(j->p);
	const double split = gathered ? 1 : tp;

	if (framework_of(j->p)->rotates_in_fp32 && plan_rotates(j->p))
		JOB_UNFUSED(j, "rotation of queries and keys in fp32", 20 * T * (q + k) / split, IS(T), IS(q),
		    IS(k), AS("TP", split));
	else
		JOB_VECTOR(j, "copies and rotation of queries and keys", 8 * T * (q + 2 * k) / split, IS(T),
		    IS(q), IS(k), AS("TP", split));
	if (modules_rotate_apart(j->p))
		JOB_MOVE(j, "rotation in single operations", 20 * T * (q + k) / tp, 16 * T * (q + k) / tp,
		    IS(T), IS(q), IS(k), AS("TP", tp));
	j->kind = KERNELS_NORM;
	if (m->qk_norm && j->g->norms_in_parts)
		JOB_MOVE(j, "norms of queries and keys", PARTS * T * (q + k) / tp,
		    PARTS_BACK * T * (q + k) / tp, IN_PARTS, IS(T), IS(q), IS(k), AS("TP", tp));
	else if (m->qk_norm)
		JOB_UNFUSED(j, "norms of queries and keys", 4 * T * (q + k) / tp, IS(T), IS(q), IS(k),
		    AS("TP", tp));
	j->kind = KERNELS_NONE;
	if (gathered)
		JOB_MOVE(j, "copies of gathered queries and keys", 4 * T * (q + k), 4 * T * (q + k), IS(T),
		    IS(q), IS(k));
}

/*
 * MLA's: queries are rotated where they lie, and what the up projection gives is read once to write
 * keys and values, either way (Megatron-LM megatron/core/fusions/fused_mla_yarn_rope_apply.py); before,
 * each is split, rotated and joined.
 */
static void
around_latent(struct layer_job *j)
{
	const struct plan *p = j->p;
	const double T = batch_tokens(p), tp = at_least_one(p->parallel.tp);
	const double n = (double)p->model.attention_heads, rope = (double)p->model.qk_rope_head_dim;
	const double d = params_key_dim(&p->model, false), v = params_value_dim(&p->model, false);

	if (p->training.rope_fusion && framework_runs(p, framework_of(p)->latent_since))
		JOB_MOVE(j, "rotation of queries, keys and values joined", T / tp * n * (2 * rope + 4 * (d + v)),
		    T / tp * n * (2 * rope + 4 * (d + v)), IS(T), AS("TP", tp), IS(n), IS(rope),
		    AS("(nope+rope)", d), IS(v));
	else
		JOB_VECTOR(j, "copies and rotation of queries and keys", 8 * T / tp * n * (2 * d + v), IS(T),
		    AS("TP", tp), IS(n), AS("(nope+rope)", d), IS(v));
}

/* What moves memory beside a mixer's products. */
static void
around_mixer(struct layer_job *j, int kind)
{
	const bool local = layer_is_local(kind), mamba = (kind & LAYER_MIXER) == LAYER_MAMBA;
	const struct model *m = &j->p->model;
	const double T = batch_tokens(j->p), tp = at_least_one(j->p->parallel.tp);

	if (mamba || (local && m->linear_attention)) {
		const struct mixer x = mamba ? mixer_mamba(m) : mixer_linear(m);

		JOB_VECTOR(j, mamba ? "Mamba: copies, convolution, norms" :
		    "linear attention: copies, convolution, norms", 16 * T / tp * (x.key + x.value), IS(T),
		    AS("TP", tp), AS("k", x.key), AS("v", x.value));
	} else if (m->attention == ATTENTION_MLA) {
		around_latent(j);
	} else {
		around_heads(j, local);
	}
}

/* ---- the other halves ------------------------------------------------------------- */

/* Nothing of the backward pass asks for what the last product of a layer gives: PyTorch stops
 * before it (torch/utils/checkpoint.py, set_checkpoint_early_stop). */
bool
compute_stops_early(const struct plan *p)
{
	return p->training.recompute == RECOMPUTE_FULL && !plan_has_experts(p) &&
	    framework_runs(p, framework_of(p)->stops_since);
}

/* The MLPs, or shared experts, of a layer. In tiles an MLP runs once more in its own backward pass, to the end. */
static void
mlp(struct layer_job *j, const struct layer_rows *l, unsigned traits)
{
	const unsigned blocks = MATRIX_BLOCK(MLP) | MATRIX_BLOCK(WIDE_MLP) | MATRIX_BLOCK(MOE);
	const double up = j->p->model.gated_mlp ? 2 : 1, tokens = batch_tokens(j->p);
	const double tiles = traits & MATRIX_SHARED ? 1 : modules_tiles(j->p);
	const double again = j->again + (tiles > 1);
	double width = 0;

	for (int i = 0, rows; i < l->count; i += rows) {
		const struct matrix *x = &l->row[i];
		const bool down = x->row->split == MODULE_ROWS;

		rows = 1;
		if (!(blocks >> x->block & 1) ||
		    (x->row->traits & (MATRIX_EXPERT | MATRIX_SHARED)) != traits)
			continue;
		j->again = down && compute_stops_early(j->p) && tiles <= 1 ? 0 : again;
		rows = compute_product(j, l, i, NULL);
		j->again = again;
		width += down ? x->layers * x->in / at_least_one(j->p->parallel.tp) : 0;
	}
	if (width > 0)
		JOB_VECTOR(j, traits & MATRIX_SHARED ? "shared experts' activation" : "MLP activation",
		    (2 * up + 2) * tokens * width, IS(up), AS("T", tokens), AS("f/TP", width));
}

/* The MLP, or experts, of a layer. */
static void
half(struct layer_job *j, const struct layer_rows *l, int kind)
{
	if (kind & LAYER_MOE)
		compute_experts(j, l);
	mlp(j, l, kind & LAYER_MOE ? MATRIX_SHARED : 0);
}

/* Modules that selective recompute names besides attention and whole halves. */
static void
recomputed_parts(struct layer_job *j, const struct layer_rows *l, unsigned again, int kind)
{
	const double halves = layer_has_mixer(kind) + layer_has_mlp(kind);
	const double Ts = batch_tokens_split(j->p), h = (double)j->p->model.hidden_size;

	if (again & AGAIN_LAYERNORM)
		JOB_MOVE(j, "norms", 4 * halves * Ts * h, 0, IS(halves), IS(Ts), IS(h));
	if (again & AGAIN_MLA_UP_PROJ)
		compute_products(j, l, MATRIX_MIXERS, MATRIX_UP, 0);
	if (!(kind & LAYER_MOE) || (again & AGAIN_MOE))
		return;
	if (again & AGAIN_MOE_ACT)
		compute_activation_again(j);
	if (again & AGAIN_SHARED_EXPERTS)
		mlp(j, l, MATRIX_SHARED);
}

/* ---- what a stage holds ----------------------------------------------------------- */

static void
add_work(struct work *sum, const struct work *w)
{
	sum->forward += w->forward;
	sum->backward += w->backward;
	sum->weight += w->weight;
	sum->recompute += w->recompute;
}

/*
 * Norms (read, write) and residual additions, dropout included, of each half. PyTorch's
 * tensor parallelism has the batch first: an all-gather of sequences is copied after it, a
 * reduce-scatter before it, unless there is one sequence (torch/distributed/
 * _functional_collectives.py, all_gather_tensor and reduce_scatter_tensor).
 */
static void
around_halves(struct layer_job *j, double halves)
{
	const struct plan *p = j->p;
	const double h = (double)p->model.hidden_size, T = batch_tokens(p), Ts = batch_tokens_split(p);
	const struct tensor_calls calls = compute_tensor_calls(p);

	if (j->g->norms_in_parts)
		JOB_VECTOR(j, "residual additions", 7 * halves * Ts * h, IS(halves), IS(Ts), IS(h));
	j->kind = KERNELS_NORM;
	if (j->g->norms_in_parts)
		JOB_MOVE(j, "norms of six kernels each", PARTS * halves * Ts * h, PARTS_BACK * halves * Ts * h,
		    IN_PARTS, IS(halves), IS(Ts), IS(h));
	else
		JOB_VECTOR(j, "norms and residual additions", 11 * halves * Ts * h, IS(halves), IS(Ts), IS(h));
	j->kind = KERNELS_NONE;
	if (framework_of(p)->tp_keeps_gathered && p->parallel.tp > 1 &&
	    p->parallel.sequence_parallel && p->training.micro_batch_size > 1)
		JOB_MOVE(j, "copies of gathered and scattered sequences",
		    (calls.gathers + 1) * 4 * halves * T * h, (1 + calls.reductions) * 4 * halves * T * h,
		    AS("gathers", calls.gathers), AS("scatters", calls.reductions), IS(halves), IS(T), IS(h));
}

struct work
compute_layer(const struct plan *p, const struct machine *g, int kind,
    const struct tally *tally)
{
	const bool operations = saved_by_operation(p), full = operations || p->training.recompute == RECOMPUTE_FULL;
	const unsigned again = operations ? 0 : batch_again(p);
	struct layer_job j = { .p = p, .g = g, .tally = tally, .again = full, .by_operation = operations,
		.frozen = adapters_only(p) }, inner = j;
	struct layer_rows rows;

	compute_rows(&rows, p, kind);
	if (layer_has_mixer(kind)) {
		compute_products(&j, &rows, MATRIX_MIXERS, 0, 0);
		around_mixer(&j, kind);
		/* of Mamba Megatron-LM recomputes whole layers alone */
		j.again = (full && !operations) || (!(kind & LAYER_MAMBA) && (again & AGAIN_CORE_ATTN));
		core(&j, &rows, kind);
	}
	inner.again = full || (again & (kind & LAYER_MOE ? AGAIN_MOE : AGAIN_MLP));
	inner.products = j.products;
	if (layer_has_mlp(kind))
		half(&inner, &rows, kind);
	add_work(&j.w, &inner.w);
	j.again = full;
	around_halves(&j, layer_has_mixer(kind) + layer_has_mlp(kind));
	if (again != 0) {
		inner = (struct layer_job){ .p = p, .g = g, .tally = tally, .again = 1,
			.only_again = true };
		recomputed_parts(&inner, &rows, again, kind);
		j.w.recompute += inner.w.recompute;
	}
	if (adapters_only(p)) {
		inner = (struct layer_job){ .p = p, .g = g, .tally = tally, .again = full };
		compute_adapters(&inner, kind, compute_routed(p));
		add_work(&j.w, &inner.w);
	}
	return j.w;
}

struct work
compute_embedding(const struct plan *p, const struct machine *g, const struct tally *tally)
{
	const double Ts = batch_tokens_split(p), h = (double)p->model.hidden_size;
	struct layer_job j = { .p = p, .g = g, .tally = tally };

	JOB_VECTOR(&j, "embedding", 8 * Ts * h, IS(Ts), IS(h));
	return j.w;
}

/*
 * Bytes that a logit's loss moves, forward and backward. te: both passes in one kernel, the
 * gradient in place (TransformerEngine transformer_engine/pytorch/cross_entropy.py). unfused:
 * cast to fp32, maximum, difference, exponential, sum, quotient; gradient in fp32, cast
 * (Megatron-LM tensor_parallel/cross_entropy.py); native: the same in compiled pieces
 * (fusions/fused_cross_entropy.py). torch, and all that call it: cast to fp32, log-softmax and its
 * gradient; hf-16: without the cast, the gradient of what was chosen filled first.
 */
struct loss_bytes {
	double forward, backward;
};

static struct loss_bytes
loss_bytes(const struct plan *p)
{
	switch (p->training.cross_entropy) {
	case CE_UNFUSED:
		return (struct loss_bytes){ 38, 14 };
	case CE_NATIVE:
		return (struct loss_bytes){ 22, 14 };
	case CE_TORCH:
	case CE_HF:
	case CE_HF_HELD:
	case CE_HF_OLD:
	case CE_CHUNKED:
	case CE_CHUNKED_NLL:
		return (struct loss_bytes){ 18, 22 };
	case CE_HF_16:
		return (struct loss_bytes){ 4, 8 };
	default:
		return (struct loss_bytes){ 6, 4 };
	}
}

struct work
compute_head(const struct plan *p, const struct machine *g, const struct tally *tally)
{
	const double T = batch_tokens(p), tp = at_least_one(p->parallel.tp);
	const double h = (double)p->model.hidden_size, vocabulary = (double)params_padded_vocab(p);
	const double ranks = batch_loss_ranks(p);
	const struct loss_bytes bytes = loss_bytes(p);
	struct layer_job j = { .p = p, .g = g, .tally = tally,
		.frozen = adapters_only(p) && !(adapters_saved(p) & TARGET_HEAD) };

	JOB_PLAIN(&j, &head, T, ceil(vocabulary / tp), h, IS(T), IS(vocabulary), AS("TP", tp), IS(h));
	JOB_MOVE(&j, "loss", bytes.forward * T * vocabulary / ranks, bytes.backward * T * vocabulary / ranks,
	    AS("bytes", bytes.forward), AS("bytes", bytes.backward), IS(T),
	    IS(vocabulary), IS(ranks));
	if (tp > 1 && p->training.gathered_logits)
		JOB_MOVE(&j, "copies of gathered logits", 4 * T * vocabulary / ranks, 4 * T * vocabulary / tp,
		    IS(T), IS(vocabulary), IS(ranks), AS("TP", tp));
	return j.w;
}

struct work
compute_mtp(const struct plan *p, const struct machine *g, const struct tally *tally)
{
	struct layer_job j = { .p = p, .g = g, .tally = tally, .frozen = adapters_only(p) };
	struct layer_rows rows;

	compute_rows(&rows, p, COMPUTE_MTP);
	compute_products(&j, &rows, MATRIX_BLOCK(MTP), 0, 0);
	return j.w;
}
