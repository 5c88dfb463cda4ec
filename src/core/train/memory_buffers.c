/*
 * memory_buffers.c - logits, transients, caches and workspaces.
 */
#include "core/train/memory_buffers.h"

#include <math.h>
#include <stddef.h>

#include "core/base/number.h"
#include "core/framework/framework.h"
#include "core/model/kept.h"
#include "core/model/mixer.h"
#include "core/plan/batch.h"
#include "core/plan/hardware.h"
#include "core/train/finetune.h"

#define MCORE "Megatron-LM megatron/core/"
#define LAYERS MCORE "tensor_parallel/layers.py"
#define CROSS_ENTROPY MCORE "tensor_parallel/cross_entropy.py"
#define FUSED_CROSS_ENTROPY MCORE "fusions/fused_cross_entropy.py"
#define TE_CROSS_ENTROPY "TransformerEngine transformer_engine/pytorch/cross_entropy.py"
#define TITAN_LOSS "torchtitan torchtitan/components/loss.py"
#define MASK MCORE "utils.py, get_batch_on_this_tp_rank"
#define MTP MCORE "transformer/multi_token_prediction.py"
#define DISPATCHER MCORE "transformer/moe/token_dispatcher.py"
#define MLP MCORE "transformer/mlp.py"
#define DOT_PRODUCT MCORE "transformer/dot_product_attention.py"
#define MAMBA MCORE "ssm/mamba_mixer.py"
#define RANDOM MCORE "tensor_parallel/random.py"
#define TE_GEMM "TransformerEngine transformer_engine/pytorch/cpp_extensions/gemm.py"
#define TE_BASE "TransformerEngine transformer_engine/pytorch/module/base.py"
#define TE_BACKENDS "TransformerEngine transformer_engine/pytorch/attention/" \
    "dot_product_attention/backends.py"
#define TORCH_BLAS "pytorch aten/src/ATen/cuda/CublasHandlePool.cpp"
#define ACCELERATE "huggingface/accelerate src/accelerate/utils/fsdp_utils.py"

#define TERM(v, sum, q, name, source, expression, ...) \
	LEDGER_TERM((v)->ledger, sum, q, name, source, expression, __VA_ARGS__)
#define BUFFER(v, sum, name, source, expression, ...) \
	LEDGER_TERM((v)->ledger, sum, QUANTITY_BUFFERS, name, source, expression, __VA_ARGS__)

/* What one moment needs beside state and kept activations; pools: where nothing of it fits in;
 * stays: those of the buffers that are there all the time. */
struct moment {
	double logits, buffers, pools, stays;
};

/* ---- weights and gradients gathered by ZeRO and FSDP -------------------------------- */

/* Bytes of a weight as it is gathered: quantised ones come as they are. */
static double
gathered_bytes(const struct rank_view *v)
{
	return adapters_only(v->p) && adapters_quantized(v->p) > 0 ? adapters_quantized(v->p) :
	    v->act->a;
}

static double
trained_params(const struct rank_view *v)
{
	return adapters_only(v->p) ? v->trained.dense + v->trained.expert + v->trained.saved :
	    v->params->dense + v->params->expert;
}

/* Below stage 3 one bucket is filled while another is reduced (DeepSpeed runtime/zero/stage_1_and_2.py,
 * backward); of adapters what was measured has one. */
static void
bucket_sets(const struct rank_view *v, const struct working_set *set, struct moment *t)
{
	const double n = v->params->dense + v->params->expert, a = gathered_bytes(v);
	const double asked = (double)v->p->training.bucket_size;
	const double size = asked > 0 ? asked : framework_of(v->p)->bucket.params;
	const double reduce = smaller(trained_params(v), size), live = smaller(n, 1e9), ahead = smaller(n, 5e7);
	const double buckets = 1 + (framework_zero(v->p) < 3 && v->p->training.overlap_grad_reduce &&
	    !adapters_only(v->p));

	if (framework_zero(v->p) == 0)
		return;
	BUFFER(v, t->buffers, "gradient bucket", set->source, buckets * reduce * v->act->a, IS(buckets),
	    AS("reduce_bucket_size", reduce), AS("bytes", v->act->a));
	if (framework_zero(v->p) < 3)
		return; /* reduced, the bucket is released (_release_ipg_buffers) */
	t->stays = reduce * v->act->a;
	BUFFER(v, t->buffers, "gathered weights", set->source, (live + ahead) * a,
	    AS("max_live_parameters", live), AS("prefetch_bucket_size", ahead), IS(a));
}

/* Parameters of tables that are gathered beside layers: the head from its forward to its backward.
 * Hugging Face's models wrap layers alone: embedding and head are the root's, gathered to the end. */
static double
tables_gathered(const struct rank_view *v, bool loss)
{
	const double table = (double)params_padded_vocab(v->p) * (double)v->p->model.hidden_size /
	    v->act->tp;
	const bool embedding = v->layers->embedding && !v->p->model.tied_embeddings;

	return table * (v->act->eager ? v->layers->loss + embedding : loss);
}

/* FSDP gathers the weights of a layer and of the next one, and reduces whole layers of
 * gradients. */
static void
working_sets(const struct rank_view *v, const struct layer_kinds *k, bool loss,
    struct moment *t)
{
	const struct working_set *set = &framework_of(v->p)->working;
	const int64_t zero = framework_zero(v->p);
	const double reduced = (double)set->layers;
	const double tables = tables_gathered(v, loss), a = gathered_bytes(v);
	double size;

	if (set->buckets)
		bucket_sets(v, set, t);
	if (set->buckets || zero < set->from)
		return;
	size = k->all > 0 ? v->layer : 0;
	if (zero >= 3) {
		const double layers = loss ? 1 : 2;

		BUFFER(v, t->buffers, "gathered weights of layers", set->source,
		    layers * size * a, IS(layers), AS("parameters", size), IS(a));
		if (tables > 0)
			BUFFER(v, t->buffers, v->act->eager ? "gathered embedding and head" :
			    "gathered weights of the head", v->act->eager ? ACCELERATE : set->source,
			    tables * v->act->a, AS("vocabulary*h/TP", tables), AS("a", v->act->a));
		finetune_add_streams(v, layers, size * a, tables * v->act->a, &t->pools);
	}
	if (!loss && v->gradient > 0)
		BUFFER(v, t->buffers, "gradients of layers before they are reduced", set->source,
		    reduced * size * v->gradient, AS("layers", reduced), AS("parameters", size),
		    AS("bytes", v->gradient));
}

/* ---- the moment of the loss ---------------------------------------------------------- */

struct loss_kind {
	double bytes;    /* a logit, at the peak */
	double saved;    /* a logit of an MTP head, until its backward */
	const char *source;
};

/* unfused: bf16 logits and the fp32 copy that becomes the softmax. native: torch.compile
 * turns the in-place steps into one more fp32 copy. te: gradient in place of the logits.
 * torch: cross_entropy of logits.float(), with log-softmax and its gradient. Logits that are
 * fp32 themselves need no copy, and take 4 bytes where te works in them. */
static const struct loss_kind loss_kinds[] = {
	[CE_UNFUSED] = { 6, 4, CROSS_ENTROPY },
	[CE_NATIVE] = { 10, 4, FUSED_CROSS_ENTROPY },
	[CE_TE] = { 2, 2, TE_CROSS_ENTROPY },
	[CE_TORCH] = { 14, 4, TITAN_LOSS },
	[CE_CHUNKED_NLL] = { 0, 0, NULL }, /* the last one: finetune.c has the others */
};

static struct moment
loss_moment(const struct rank_view *v, const struct layer_kinds *k)
{
	const struct activation *c = v->act;
	const struct plan *p = v->p;
	const struct loss_kind *kind = &loss_kinds[p->training.cross_entropy];
	const double h = (double)p->model.hidden_size, heads = 1 + (double)framework_mtp_layers(p);
	const double vocab = (double)params_padded_vocab(p) / batch_loss_ranks(p);
	const bool te = p->training.cross_entropy == CE_TE;
	const double wider = c->a <= 2 ? 0 : te ? 2 : -2;
	const double bytes = kind->bytes + wider, saved = kind->saved + fmax(0, wider);
	const double gathered = p->parallel.sequence_parallel && c->tp > 1 ? 2 : 1;
	const double s = (double)p->training.sequence_length, b = (double)p->training.micro_batch_size;
	const double cp = at_least_one(p->parallel.cp);
	struct moment t = { .logits = 0 };

	TERM(v, t.logits, QUANTITY_LOGITS, "input and output of the final norm", LAYERS,
	    2 * c->a * h * c->local * heads, AS("a", c->a), IS(h), AS("Ts", c->local), IS(heads));
	if (p->training.loader_mask)
		BUFFER(v, t.buffers, "attention mask", MASK, s * s * b / cp, IS(s), IS(b), AS("CP", cp));
	finetune_add_segments(v, &t.pools);
	if (finetune_add_loss(v, &t.logits)) {
		working_sets(v, k, true, &t);
		return t;
	}
	TERM(v, t.logits, QUANTITY_LOGITS, "logits", kind->source, bytes * c->tokens * vocab,
	    IS(bytes), AS("T", c->tokens), AS("logits of a token", vocab));
	if (heads > 1)
		TERM(v, t.logits, QUANTITY_LOGITS, "logits of MTP layers", MTP,
		    (heads - 1) * saved * c->tokens * vocab, IS(heads), AS("bytes", saved),
		    AS("T", c->tokens), AS("logits of a token", vocab));
	if (te)
		TERM(v, t.logits, QUANTITY_LOGITS, "gradient of the head's input", LAYERS,
		    gathered * c->a * h * c->tokens, AS("tensors", gathered), AS("a", c->a), IS(h),
		    AS("T", c->tokens));
	working_sets(v, k, true, &t);
	return t;
}

/* ---- the moment of a layer's backward pass ------------------------------------------- */

/* Of layers that attend to everything those with an indexer, as many as elsewhere. */
static double
share_indexed(const struct layer_kinds *k, double global)
{
	return global * k->indexed / larger(1, k->global);
}

/* Some layers in a row of those that a rank holds, with most experts or fewest, and most layers
 * that attend to everything or fewest. */
static struct layer_kinds
unit_of(const struct model *m, const struct layer_kinds *k, double layers, bool experts,
    bool global)
{
	const double every = at_least_one(m->moe_layer_every);
	const double period = at_least_one(m->global_layer_every);
	const double plain = smaller(layers,
	    fmax(layers - floor(layers / every), (double)m->dense_layers));
	struct layer_kinds u = { .all = layers };

	u.moe = experts ? ceil(layers / every) : layers - smaller(k->dense, plain);
	u.moe = smaller(u.moe, smaller(k->moe, layers));
	u.dense = layers - u.moe;
	u.global = fmax(layers - k->local, smaller(k->global,
	    global ? ceil(layers / period) : floor(layers / period)));
	u.local = layers - u.global;
	u.indexed = share_indexed(k, u.global);
	return u;
}

/* Blocks in a row of a pattern: rounded up in the i-th kind, else as they are mixed on the rank. */
static struct layer_kinds
unit_of_blocks(const struct layer_kinds *k, double layers, int i)
{
	const double mamba = k->mamba + k->local;
	const double here[4] = { mamba, k->moe, k->global, k->dense };
	const double most = smaller(here[i], ceil(layers * here[i] / k->all));
	const double rest = k->all > here[i] ? (layers - most) / (k->all - here[i]) : 0;
	const double each = here[i] > 0 ? most / here[i] : 0;
	struct layer_kinds u = { .all = layers };

	u.mamba = k->mamba * (i == 0 ? each : rest);
	u.local = k->local * (i == 0 ? each : rest);
	u.moe = k->moe * (i == 1 ? each : rest);
	u.global = k->global * (i == 2 ? each : rest);
	u.dense = k->dense * (i == 3 ? each : rest);
	u.indexed = share_indexed(k, u.global);
	return u;
}

/* A unit of fully recomputed layers is filled again before its backward pass. With the
 * block method that only matters where no later layer of the chunk has gone before. */
static void
add_rebuilt(const struct rank_view *v, const struct layer_kinds *k, struct moment *t)
{
	const struct training *tr = &v->p->training;
	const double unit = at_least_one(tr->recompute_layers);
	const double most = (double)v->layers->longest;
	const bool pattern = v->p->model.layer_pattern[0] != '\0';
	double layers = 0, bytes = 0;

	if (tr->recompute != RECOMPUTE_FULL || k->all <= 0)
		return;
	if (tr->recompute_method == RECOMPUTE_BLOCK)
		layers = unit >= most ? 1 : 0;
	else
		layers = smaller(unit, larger(1, most));
	for (int i = 0; i < 4 && layers > 0; i++) {
		const struct share u = { .kept = pattern ? unit_of_blocks(k, layers, i) :
		    unit_of(&v->p->model, k, layers, i & 1, i & 2) };

		if (!pattern && (((i & 1) && k->moe <= 0) || ((i & 2) && k->local <= 0)))
			continue; /* the same as without */
		bytes = fmax(bytes, share_bytes(&u, v->unit));
	}
	if (layers > 0)
		BUFFER(v, t->buffers, "layers filled again by recompute", RANDOM, bytes,
		    AS("bytes of a recompute unit", bytes));
}

/* Halves of a layer, in whose backward passes the fullest moment may be. */
enum half { ATTENTION_HALF, DENSE_HALF, MOE_HALF, HALVES };

/* Gradients of attention: of what a Mamba mixer keeps, of scores where they are kept, else of a
 * token's queries, keys, values and output. */
static void
add_mixer_gradients(const struct rank_view *v, const struct layer_kinds *k, double *sum)
{
	const struct activation *c = v->act;
	const struct model *m = &v->p->model;
	const double n = (double)m->attention_heads / c->tp;
	const double kv = m->attention == ATTENTION_MLA ? n : larger(1, (double)m->kv_heads / c->tp);
	const double dims = params_key_dim(m, false) + params_value_dim(m, false);
	const double s = (double)v->p->training.sequence_length;

	if (k->global + k->local <= 0) {
		const struct layer_kinds one = { .mamba = 1 };
		const double kept = kept_numbers(m, &one, MATRIX_MIXERS);

		BUFFER(v, *sum, "gradients inside Mamba", MAMBA, c->a * kept / c->tp * c->tokens,
		    AS("a", c->a), IS(kept), AS("TP", c->tp), AS("T", c->tokens));
	} else if (!batch_unfused(v->p)) {
		BUFFER(v, *sum, "gradients of attention heads", TE_BACKENDS,
		    c->a * (n + kv) * dims * c->tokens, AS("a", c->a), AS("n/TP", n), AS("kv/TP", kv),
		    AS("(d+v)", dims), AS("T", c->tokens));
	} else {
		BUFFER(v, *sum, "gradients of attention scores", DOT_PRODUCT, 2 * c->a * n * s * c->tokens,
		    AS("a", c->a), AS("n/TP", n), IS(s), AS("T", c->tokens));
	}
}

/* The inner gradient of an MLP; gradients of experts' outputs and inputs, each as sent and as
 * sorted. */
static void
add_inner_gradients(const struct rank_view *v, enum half half, double *sum)
{
	const struct activation *c = v->act;
	const struct model *m = &v->p->model;
	const double h = params_expert_width(m), f = (double)m->ffn_hidden_size;
	const double matrices = m->gated_mlp ? 2 : 1;

	if (half == MOE_HALF)
		BUFFER(v, *sum, "copies around the experts", DISPATCHER, 4 * c->a * h * c->routed,
		    AS("a", c->a), IS(h), AS("routed", c->routed));
	else
		BUFFER(v, *sum, "gradient inside the MLP", MLP, c->a * matrices * c->tokens * f / c->tp,
		    AS("a", c->a), IS(matrices), AS("T", c->tokens), IS(f), AS("TP", c->tp));
}

/* What one half takes in its backward pass: modules filled again by selective recompute, and
 * gradients; those beside the input of an MLP or of experts come on top. */
static double
add_half(const struct rank_view *v, const struct layer_kinds *k, enum half half)
{
	static const char *const names[HALVES] = {
		[ATTENTION_HALF] = "refilled=bytes of the attention of one layer",
		[DENSE_HALF] = "refilled=bytes of the MLP of one layer",
		[MOE_HALF] = "refilled=bytes of the experts of one layer",
	};
	const struct activation *c = v->act;
	const struct model *m = &v->p->model;
	const double h = (double)m->hidden_size;
	const double count[HALVES] = { params_mixers(k), k->dense, k->moe };
	struct layer_kinds one = { .all = 1, .dense = half == DENSE_HALF,
		.moe = half == MOE_HALF };
	double sum = 0, refilled;

	if (count[half] <= 0)
		return 0;
	if (half == ATTENTION_HALF || m->layer_pattern[0] == '\0')
		*(k->global > 0 ? &one.global : k->local > 0 ? &one.local : &one.mamba) = 1;
	one.indexed = share_indexed(k, one.global);
	refilled = activation_refilled(c, &one, half == ATTENTION_HALF);
	if (refilled > 0)
		BUFFER(v, sum, "modules filled again by recompute", RANDOM, refilled,
		    { names[half], refilled });
	if (half == ATTENTION_HALF)
		add_mixer_gradients(v, k, &sum);
	else
		add_inner_gradients(v, half, &sum);
	if (half != ATTENTION_HALF && sum > 0)
		BUFFER(v, sum, "gathered input and its gradient", LAYERS, 2 * c->a * h * c->tokens,
		    AS("a", c->a), IS(h), AS("T", c->tokens));
	return sum;
}

static void
add_gradients_of_layer(const struct rank_view *v, const struct layer_kinds *k,
    struct moment *t)
{
	struct rank_view quiet = *v;
	enum half fullest = ATTENTION_HALF;
	double most = 0;

	quiet.ledger = NULL;
	for (int half = 0; half < HALVES; half++) {
		const double bytes = add_half(&quiet, k, (enum half)half);

		if (bytes > most) {
			most = bytes;
			fullest = (enum half)half;
		}
	}
	t->buffers += v->ledger != NULL ? add_half(v, k, fullest) : most;
}

static struct moment
backward_moment(const struct rank_view *v, const struct layer_kinds *k)
{
	struct moment t = { .logits = 0 };

	add_rebuilt(v, k, &t);
	if (!finetune_add_backward(v, &t.buffers))
		add_gradients_of_layer(v, k, &t);
	working_sets(v, k, false, &t);
	return t;
}

/* ---- always there ------------------------------------------------------------------- */

/* Weights by shape, each once. */
struct shapes {
	int64_t rows[16], columns[16];
	int count;
	double sum;
};

static void
add_shape(struct shapes *s, int64_t rows, int64_t columns)
{
	for (int i = 0; i < s->count; i++)
		if (s->rows[i] == rows && s->columns[i] == columns)
			return;
	if (rows <= 0 || columns <= 0 || s->count >= 16)
		return;
	s->rows[s->count] = rows;
	s->columns[s->count++] = columns;
	s->sum += (double)rows * (double)columns;
}

static void
attention_shapes(struct shapes *s, const struct model *m, int64_t tp, bool local)
{
	const int64_t h = m->hidden_size, n = (int64_t)params_query_heads(m, local);
	const int64_t d = (int64_t)params_key_dim(m, local), v = (int64_t)params_value_dim(m, local);

	if (m->attention != ATTENTION_MLA) {
		const double width = params_query_width(m, local) + params_kv_width(m, local);

		add_shape(s, (int64_t)width / tp, h);
		add_shape(s, h, n * v / tp);
		return;
	}
	add_shape(s, m->q_lora_rank, h);
	add_shape(s, n * d / tp, m->q_lora_rank > 0 ? m->q_lora_rank : h);
	add_shape(s, m->kv_lora_rank + m->qk_rope_head_dim, h);
	add_shape(s, n * (m->qk_nope_head_dim + v) / tp, m->kv_lora_rank);
	add_shape(s, h, n * v / tp);
}

static void
mamba_shapes(struct shapes *s, const struct model *m, int64_t tp)
{
	const struct mixer x = mixer_mamba(m);

	add_shape(s, (int64_t)(2 * x.value + 2 * x.key + x.heads) / tp, m->hidden_size);
	add_shape(s, m->hidden_size, (int64_t)x.value / tp);
}

static void
mlp_shapes(struct shapes *s, const struct model *m, int64_t h, int64_t f)
{
	add_shape(s, (m->gated_mlp ? 2 : 1) * f, h);
	add_shape(s, h, f);
}

/* Transformer Engine adds weight gradients to the gradient buffer itself, and hands
 * autograd one dummy tensor for each shape, which it keeps. */
static void
add_dummies(const struct rank_view *v, const struct layer_kinds *k, struct memory *out)
{
	const struct model *m = &v->p->model;
	const int64_t tp = most_of(1, v->p->parallel.tp);
	struct shapes s = { .count = 0 };

	if (!v->p->training.gradient_accumulation_fusion || adapters_only(v->p) ||
	    !framework_of(v->p)->transformer_engine)
		return;
	if (v->layers->loss)
		add_shape(&s, params_padded_vocab(v->p) / tp, m->hidden_size);
	if (k->global > 0 || (k->local > 0 && m->attention == ATTENTION_MLA))
		attention_shapes(&s, m, tp, false);
	if (k->local > 0 && m->attention != ATTENTION_MLA && !m->linear_attention)
		attention_shapes(&s, m, tp, true);
	if (k->mamba > 0)
		mamba_shapes(&s, m, tp);
	if (k->dense > 0)
		mlp_shapes(&s, m, m->hidden_size, m->ffn_hidden_size / tp);
	if (k->moe > 0) {
		mlp_shapes(&s, m, (int64_t)params_expert_width(m),
		    m->moe_ffn_hidden_size / (int64_t)larger(1, v->act->etp));
		mlp_shapes(&s, m, m->hidden_size, m->shared_expert_ffn_hidden_size / tp);
	}
	BUFFER(v, out->buffers, "dummy weight gradients", TE_BASE, s.sum * v->act->a,
	    AS("elements of each shape", s.sum), AS("a", v->act->a));
}

/* cuBLAS has a workspace for each thread that calls it: forward and autograd. 32 MiB is
 * PyTorch's default from Hopper on, and what CUBLAS_WORKSPACE_CONFIG=:4096:8, which
 * reproducible runs need, makes it elsewhere. Transformer Engine has one of its own, 32 MiB
 * from Hopper on and 4 MiB before, and one for each stream of grouped matrix products
 * (get_cublas_workspace), of which there are 4 (common/util/multi_stream.h, num_streams), and
 * for each of products beside TP's traffic, 3 (gemm.py, _NUM_MAX_UB_STREAMS). */
static void
add_workspaces(const struct rank_view *v, const struct layer_kinds *k, struct memory *out)
{
	const double threads = 2, streams = 4, overlapped = 3, mib = MIB;
	const double cublas = 32, te = generation_of(v->p)->te_workspace;

	BUFFER(v, out->buffers, "workspaces of cuBLAS", TORCH_BLAS, threads * cublas * mib,
	    IS(threads), AS("size", cublas), AS("MiB", mib));
	if (!framework_of(v->p)->transformer_engine)
		return;
	BUFFER(v, out->buffers, "workspaces of Transformer Engine", TE_GEMM, te * mib,
	    AS("size on this GPU", te), AS("MiB", mib));
	if (v->p->training.tp_overlap && v->p->parallel.tp > 1)
		BUFFER(v, out->buffers, "workspaces of TP overlap", TE_GEMM, overlapped * te * mib,
		    AS("streams", overlapped), AS("size on this GPU", te), AS("MiB", mib));
	if (k->moe > 0 && v->p->training.grouped_gemm)
		BUFFER(v, out->buffers, "workspaces of grouped matrix products", TE_GEMM,
		    streams * te * mib, IS(streams), AS("size on this GPU", te), AS("MiB", mib));
}

double
buffers_add(const struct rank_view *v, struct memory *out, bool *at_loss)
{
	const struct layer_kinds k = v->layers->kinds;
	struct rank_view quiet = *v;
	struct moment back, loss = { .logits = 0 };

	quiet.ledger = NULL;
	back = backward_moment(&quiet, &k);
	if (v->layers->loss)
		loss = loss_moment(&quiet, &k);
	*at_loss = loss.logits + loss.buffers + loss.pools - v->loss_less >
	    back.logits + back.buffers + back.pools;
	/* again, so that the ledger hears of one of the two only */
	if (*at_loss)
		back = v->ledger != NULL ? loss_moment(v, &k) : loss;
	else if (v->ledger != NULL)
		back = backward_moment(v, &k);
	out->logits += back.logits;
	out->buffers += back.buffers;
	out->overhead += back.pools;
	add_dummies(v, &k, out);
	add_workspaces(v, &k, out);
	finetune_add_buffers(v, out);
	return back.buffers - back.stays;
}
