#include "core/train/finetune.h"

#include <math.h>

#include "core/base/number.h"
#include "core/framework/framework.h"
#include "core/model/modules.h"
#include "core/plan/batch.h"
#include "core/plan/format.h"

#define PROJECTIONS "huggingface/peft src/peft/tuners/vera/model.py"
#define PEFT "huggingface/peft src/peft/mapping_func.py, autocast_adapter_dtype"
#define SAVED "huggingface/peft src/peft/utils/other.py, ModulesToSaveWrapper"
#define BITSANDBYTES "bitsandbytes-foundation/bitsandbytes bitsandbytes/functional.py"
#define MATMUL_4BIT "bitsandbytes-foundation/bitsandbytes bitsandbytes/autograd/_functions.py"
#define DORA "huggingface/peft src/peft/tuners/lora/dora.py"
#define HF_LOSS "huggingface/transformers src/transformers/loss/loss_utils.py"
#define LIGER "linkedin/Liger-Kernel src/liger_kernel/ops/fused_linear_cross_entropy.py"
#define CCE "apple/ml-cross-entropy cut_cross_entropy"
#define TORCHTUNE "pytorch/torchtune torchtune/modules/loss/cross_entropy_loss.py"
#define CHUNKED_NLL "huggingface/trl trl/trainer/sft_trainer.py, _chunked_cross_entropy_loss"
#define TILED "deepspeedai/DeepSpeed deepspeed/runtime/sequence_parallel/ulysses_sp.py, TiledMLP"
#define FLASH "Dao-AILab/flash-attention csrc/flash_attn/flash_api.cpp, mha_bwd, dq_accum"
#define AUTOGRAD "huggingface/transformers src/transformers/models/llama/modeling_llama.py"
#define FOREACH "pytorch torch/optim/adam.py, _multi_tensor_adam"
#define AUTOCAST "pytorch aten/src/ATen/autocast_mode.cpp, cached_cast"
#define SEGMENTS "pytorch docs/source/notes/cuda.rst, Memory management: blocks of segments"
#define UNSHARD "pytorch torch/distributed/fsdp/_runtime_utils.py, limit_all_gathers"

#define TERM(ledger, sum, quantity, name, source, expression, ...) \
	LEDGER_TERM(ledger, sum, quantity, name, source, expression, __VA_ARGS__)

/* ---- state ------------------------------------------------------------------------ */

/* Parameters, gradients and moments in one format, without a master copy. */
static void
keep_plain(struct recipe *r, const struct plan *p, double bytes)
{
	const double narrower = plan_has_bitsandbytes(p) ? 1 : bytes / 4;
	const bool weights = r->weight > 0, gradients = r->gradient > 0;

	r->weight = r->linear = weights ? bytes : 0;
	r->gradient = gradients ? bytes : 0;
	r->master = r->gradient_copy = r->copy = 0;
	r->moments *= narrower;
	r->matrix_moments *= narrower;
	r->optimizer_source = FOREACH;
	/* torchtune's recipes take the fused step, which copies nothing */
	r->step_copy = p->training.optimizer == OPTIMIZER_ADAM && r->moments > 0 &&
	    p->finetune.kernels != KERNELS_TORCHTUNE ? bytes : 0;
}

static struct recipe
trained(const struct plan *p, const struct recipe *framework, int64_t dtype)
{
	struct recipe r = *framework;

	if (p->finetune.kernels == KERNELS_TE)
		return r;
	if (dtype == ADAPTER_FP32)
		keep_plain(&r, p, 4);
	else if (p->finetune.kernels == KERNELS_TORCHTUNE ||
	    !framework_of(p)->gradients_in_precision)
		keep_plain(&r, p, 2);
	return r;
}

/* Frozen weights are what they were loaded as: 16 bits, whatever the framework trains in; but FSDP
 * trainers of rollouts load all that they train something of in fp32 (verl
 * verl/workers/engine/fsdp/transformer_impl.py; NeMo-RL nemo_rl/models/policy). Transformer Engine's
 * are in the format of its products (fp8_param): no optimizer reads them in 16 bits, and a copy
 * for the backward pass is only there where turning the first one round does not make it
 * (disable_parameter_transpose_cache). Both as Megatron-Bridge's recipe of LoRA on Llama 2 70B has
 * them in FP8 of tensors (perf_recipes, _llama2_70b_precision_config and _llama2_benchmark_common);
 * MLPerf 5.0's run of it has the weights so, and keeps the copy where the GPU needs one
 * (mlcommons/training_results_v5.0 NVIDIA llama2_70b_lora train.py, fp8_params). */
static void
freeze(struct recipe *r, const struct plan *p)
{
	const bool wide = plan_has_rollouts(p) && framework_of(p)->idles_bare;
	const double loaded = wide || p->training.precision == PRECISION_FP32 ? 4 : 2;
	const double quantized = adapters_quantized(p);
	const struct format f = format_of(p);

	r->weight = smaller(r->weight, loaded);
	r->linear = smaller(r->linear, quantized > 0 ? quantized : loaded);
	if (quantized > 0) {
		r->copy = 0;
		r->experts_plain = !modules_list_experts(p); /* bitsandbytes leaves as it is what is stacked */
		r->gathered = smaller(r->gathered, quantized);
	}
	if (!(quantized > 0) && p->finetune.kernels == KERNELS_TE && f.quantised) {
		r->linear = f.weight;
		r->copy = f.turns ? 0 : f.second;
	}
	r->gradient = r->master = r->gradient_copy = r->step_copy = 0;
	r->moments = r->matrix_moments = 0;
	r->weight_source = quantized > 0 ? BITSANDBYTES : r->weight_source;
}

struct finetune_recipes
finetune_recipes(const struct plan *p, const struct recipe *framework)
{
	struct finetune_recipes r = { .base = *framework };

	if (p->finetune.method == FINETUNE_NONE)
		return r;
	r.adapters = trained(p, framework, p->finetune.adapter_dtype);
	r.saved = trained(p, framework,
	    p->training.precision == PRECISION_FP32 ? ADAPTER_FP32 : ADAPTER_BF16);
	if (adapters_only(p))
		freeze(&r.base, p);
	else
		r.base = r.adapters;
	return r;
}

/* What one set of trained parameters is called. */
struct set_names {
	const char *weights, *gradients, *optimizer, *source;
};

static void
add_set(const struct recipe *r, double dense, double expert, const struct shards *of,
    const struct set_names *names, struct ledger *ledger, struct memory *out)
{
	const double state = r->master + r->gradient_copy + r->moments;
	const struct shards w = shards_over(r->shard_weights, of);
	const struct shards g = shards_over(r->shard_gradients, of);
	const struct shards o = shards_over(r->shard_optimizer, of);

	if (dense + expert <= 0)
		return;
	if (r->weight > 0)
		TERM(ledger, out->parameters, QUANTITY_PARAMETERS, names->weights, names->source,
		    r->weight * (dense / w.dense + expert / w.expert), AS("bytes", r->weight), IS(dense),
		    AS("ranks", w.dense), IS(expert), AS("their ranks", w.expert));
	if (r->gradient > 0)
		TERM(ledger, out->gradients, QUANTITY_GRADIENTS, names->gradients, r->gradient_source,
		    r->gradient * (dense / g.dense + expert / g.expert), AS("bytes", r->gradient), IS(dense),
		    AS("ranks", g.dense), IS(expert), AS("their ranks", g.expert));
	if (state > 0)
		TERM(ledger, out->optimizer, QUANTITY_OPTIMIZER, names->optimizer, r->optimizer_source,
		    state * (dense / o.dense + expert / o.expert), AS("bytes", state), IS(dense), AS("ranks", o.dense),
		    IS(expert), AS("their ranks", o.expert));
}

void
finetune_add_state(const struct finetune_recipes *r, const struct adapter_params *n,
    const struct shards *shards, struct ledger *ledger, struct memory *out)
{
	static const struct set_names adapters = { "adapters", "gradients of adapters",
		"optimizer state of adapters", PEFT };
	static const struct set_names saved = { "trained copies of embedding and head",
		"gradients of the trained copies", "optimizer state of the trained copies", SAVED };

	add_set(&r->adapters, n->dense, n->expert, shards, &adapters, ledger, out);
	add_set(&r->saved, n->saved, 0, shards, &saved, ledger, out);
}

/* VeRA's two matrices, frozen and one for all layers (vera/model.py, _init_vera_A_vera_B). */
void
finetune_add_projections(const struct plan *p, const struct rank_layers *r, struct ledger *ledger,
    struct memory *out)
{
	const struct adapter_sums n = adapters_sums(p, &r->kinds, r->embedding);
	const double rank = (double)p->finetune.rank, widest = n.widest_in + n.widest_out;

	if (adapters_only(p) && p->finetune.tuner == TUNER_VERA && widest > 0)
		TERM(ledger, out->parameters, QUANTITY_PARAMETERS, "projections of VeRA", PROJECTIONS,
		    4 * rank * widest, AS("r", rank), AS("widest in and out", widest));
}

/* Scales of NF4 blocks are no parameters: ZeRO-3 and FSDP split the packed weights, or keep them
 * on the host, and leave the scales whole on every GPU. Those of torchao, which torchtune takes, are
 * inside its tensors and split with them (torchao/dtypes/nf4tensor.py, nf4_fsdp_pre_all_gather). */
void
finetune_add_scales(const struct plan *p, const struct rank_layers *r, double share,
    struct ledger *ledger, struct memory *out)
{
	const struct adapter_sums n = adapters_sums(p, &r->kinds, r->embedding);
	const double offset = 4, tables = 64 + 1024;
	const bool whole = p->finetune.kernels != KERNELS_TORCHTUNE;
	const double scale = whole && p->finetune.quantization <= QUANT_NF4_DQ ?
	    larger(0, adapters_quantized(p) - 0.5) : 0;

	if (p->finetune.quantization == QUANT_INT8 && n.rows * share > 0)
		TERM(ledger, out->parameters, QUANTITY_PARAMETERS, "scales of int8 rows", BITSANDBYTES,
		    4 * n.rows * share / at_least_one(p->parallel.tp), AS("rows", n.rows), IS(share),
		    AS("TP", at_least_one(p->parallel.tp)));
	if (scale > 0 && share < 1)
		TERM(ledger, out->parameters, QUANTITY_PARAMETERS, "scales that are not split",
		    BITSANDBYTES, scale * n.weights * (1 - share), AS("bytes", scale),
		    AS("weights", n.weights), AS("share of the split ones", share));
	if (p->finetune.quantization == QUANT_NF4_DQ && n.tensors > 0)
		TERM(ledger, out->parameters, QUANTITY_PARAMETERS, "offsets and code tables",
		    BITSANDBYTES, n.tensors * (offset + tables), AS("tensors", n.tensors), IS(offset),
		    IS(tables));
}

/* ---- buffers ---------------------------------------------------------------------- */

void
finetune_add_buffers(const struct rank_view *v, struct memory *out)
{
	struct adapter_sums n;

	if (!adapters_only(v->p))
		return;
	n = adapters_sums(v->p, &v->layers->kinds, v->layers->embedding);
	if (n.largest <= 0)
		return;
	if (v->p->finetune.quantization != QUANT_NONE) {
		/* GPTQ's bits are spread over int32 and then int8 */
		const bool spread = v->p->finetune.quantization == QUANT_INT4;
		const double bytes = spread ? 4 + 1 : v->act->a;

		TERM(v->ledger, out->buffers, QUANTITY_BUFFERS, "one weight, dequantised",
		    spread ? MODULES_GPTQ : MATMUL_4BIT, bytes * n.largest, IS(bytes),
		    AS("largest weight", n.largest));
	}
}

/* ---- the moment of the loss ------------------------------------------------------- */

/* Tokens of which Liger's fused head has logits at once. */
static double
liger_chunk(const struct plan *p, double tokens)
{
	const double chunks = ceil((double)p->model.vocab_size / (double)p->model.hidden_size);

	return smaller(tokens, exp2(ceil(log2(larger(1, ceil(tokens / chunks))))));
}

/*
 * hf-held: 16-bit logits, their fp32 copy, log-softmax and two gradients; hf: the Trainer has
 * let go of the logits when the backward pass begins. Both at the start of that pass. hf-16:
 * four of 16 bits, where the model is run in them without autocast (DeepSpeed's engine). hf-old:
 * the model returns fp32 logits, of which the loss has a copy less one token: that copy, log-softmax
 * and a gradient of each. A trainer of rollouts is no such Trainer: it asks for log-probs of
 * flash-attn's kernel, which puts the gradient where the 16-bit logits were (verl
 * verl/utils/torch_functional.py, logprobs_from_logits).
 */
static double
logit_bytes(const struct plan *p)
{
	switch (p->training.cross_entropy) {
	case CE_HF_HELD:
		return 2 + 4 + 4 + 4;
	case CE_HF_16:
		return 4 * 2;
	case CE_HF_OLD:
		return 4 + 4 + 4 + 4;
	default:
		return plan_has_rollouts(p) ? 2 : 4 + 4 + 4;
	}
}

/*
 * TRL's loss puts the tokens that count first, takes slices of 256 of them, and makes the logits of
 * one once more in its backward pass: in fp32, with log-softmax, its exponential for the entropy and
 * a gradient. The gradient of a slice is as long as all of them, zeros elsewhere
 * (SliceBackward), and added to that of the others; as that of the weight is.
 */
#define NLL_CHUNK 256.0

static void
add_chunked_nll(const struct rank_view *v, double vocab, bool head, double *logits)
{
	const struct activation *c = v->act;
	const double a = c->a, h = (double)v->p->model.hidden_size, chunk = smaller(NLL_CHUNK, c->tokens);

	TERM(v->ledger, *logits, QUANTITY_LOGITS, "tokens in order, gradients of a chunk and of all",
	    CHUNKED_NLL, 3 * a * h * c->tokens, IS(a), IS(h), AS("T", c->tokens));
	TERM(v->ledger, *logits, QUANTITY_LOGITS, "logits of a chunk", CHUNKED_NLL,
	    4 * 4 * chunk * vocab, AS("tokens", chunk), AS("logits of a token", vocab));
	if (head)
		TERM(v->ledger, *logits, QUANTITY_LOGITS, "weight gradients of the head, of a chunk and of all",
		    CHUNKED_NLL, 2 * a * vocab * h, IS(a), AS("logits of a token", vocab), IS(h));
}

/* The head's is there at the loss, those of layers where they are not recomputed. */
static void
add_weight_copies(const struct rank_view *v, double vocab, double *logits)
{
	const double a = v->act->a, h = (double)v->p->model.hidden_size;
	const bool all = v->p->training.recompute == RECOMPUTE_NONE;
	const double linear = all ? v->params->linear + v->params->expert_linear : 0;

	if (modules_wide(v->p))
		TERM(v->ledger, *logits, QUANTITY_LOGITS, "16-bit copies of weights", AUTOCAST,
		    a * (linear + vocab * h), IS(a), AS("weights of layers", linear),
		    AS("logits of a token", vocab), IS(h));
}

bool
finetune_add_loss(const struct rank_view *v, double *logits)
{
	const struct plan *p = v->p;
	const struct activation *c = v->act;
	const int64_t kind = p->training.cross_entropy;
	const double vocab = (double)params_padded_vocab(p) / batch_loss_ranks(p);
	const double h = (double)p->model.hidden_size;
	const double held = logit_bytes(p);
	const double upcast = p->finetune.kernels == KERNELS_UNSLOTH ? 6 : 2;
	const double chunk = liger_chunk(p, c->tokens);
	const bool head = !adapters_only(p) || (adapters_saved(p) & TARGET_HEAD);

	if (kind < CE_HF)
		return false;
	add_weight_copies(v, vocab, logits);
	if (kind == CE_CHUNKED_NLL)
		add_chunked_nll(v, vocab, head, logits);
	else if (kind <= CE_HF_OLD)
		TERM(v->ledger, *logits, QUANTITY_LOGITS, "logits", HF_LOSS, held * c->tokens * vocab,
		    AS("bytes", held), AS("T", c->tokens), AS("logits of a token", vocab));
	else if (kind == CE_CHUNKED)
		TERM(v->ledger, *logits, QUANTITY_LOGITS, "logits of one of 8 chunks", TORCHTUNE,
		    14 * c->tokens * vocab / 8 + c->a * h * c->tokens, AS("T", c->tokens),
		    AS("logits of a token", vocab), AS("a", c->a), IS(h));
	else
		TERM(v->ledger, *logits, QUANTITY_LOGITS, "gradient of the head's input",
		    kind == CE_LIGER ? LIGER : CCE, c->a * h * c->tokens, AS("a", c->a), IS(h),
		    AS("T", c->tokens));
	if (kind == CE_LIGER)
		TERM(v->ledger, *logits, QUANTITY_LOGITS, "logits of a chunk", LIGER,
		    upcast * chunk * vocab, AS("bytes", upcast), AS("tokens", chunk),
		    AS("logits of a token", vocab));
	if (head && (kind == CE_LIGER || kind == CE_CCE))
		TERM(v->ledger, *logits, QUANTITY_LOGITS, "weight gradient of the head", LIGER,
		    c->a * vocab * h, AS("a", c->a), AS("logits of a token", vocab), IS(h));
	return true;
}

/* ---- what the allocator holds ------------------------------------------------------- */

/* Width of the MLP that a token passes. */
static double
mlp_width(const struct model *m)
{
	return larger((double)m->ffn_hidden_size,
	    (double)m->moe_ffn_hidden_size * params_experts_met(m));
}

/*
 * FSDP gathers and frees on streams of its own, each of which has blocks of its own: of the layer
 * that runs, of the one before, which is not known to have ended, and of the next; with offload
 * their shards come from the host before.
 */
void
finetune_add_streams(const struct rank_view *v, double counted, double layer, double root,
    double *pools)
{
	const double layers = 3, ranks = v->shards->dense;

	if (!modules_eager(v->p))
		return;
	TERM(v->ledger, *pools, QUANTITY_OVERHEAD, "blocks of layers that were gathered", UNSHARD,
	    (layers - counted) * layer, IS(layers), AS("those that are gathered", counted),
	    AS("bytes of a layer", layer));
	if (v->weights_away)
		TERM(v->ledger, *pools, QUANTITY_OVERHEAD, "shards on their way from the host", UNSHARD,
		    (layers * layer + root) / ranks, IS(layers), AS("bytes of a layer", layer),
		    AS("embedding and head", root), IS(ranks));
}

/*
 * Free blocks become one inside a segment alone: when whole logits are made, those that the
 * forward pass of layers has left, of which nothing is kept, are too small for them.
 */
void
finetune_add_segments(const struct rank_view *v, double *pools)
{
	const struct activation *c = v->act;
	const struct plan *p = v->p;
	const double h = (double)p->model.hidden_size, f = mlp_width(&p->model);

	if (modules_eager(p) && p->training.recompute == RECOMPUTE_FULL &&
	    p->training.cross_entropy <= CE_HF_OLD)
		TERM(v->ledger, *pools, QUANTITY_OVERHEAD, "blocks of layers, too small for logits",
		    SEGMENTS, c->a * c->tokens * (3 * f + 4 * h) / c->tp, AS("a", c->a),
		    AS("T", c->tokens), IS(f), IS(h), AS("TP", c->tp));
}

/* ---- backward and step ------------------------------------------------------------ */

/* Of the products inside an MLP three gradients, but Unsloth's kernel writes them over what was kept, all but one
 * (swiglu_DWf_DW_dfg_kernel), as Liger's does where weights are trained; before 2025-03 (commit 4f166026) an adapter's
 * part of a product was a tensor of its own until it was added. */
static double
gradients_inside(const struct plan *p)
{
	enum { ADDS_IN_PLACE = 202503 };

	if (p->finetune.kernels == KERNELS_LIGER && !adapters_only(p))
		return 1;
	return p->finetune.kernels != KERNELS_UNSLOTH ? 3 : framework_before(p, ADDS_IN_PLACE) ? 2 : 1;
}

/*
 * An MLP in tiles makes all that is inside again, a tile at a time, beside gradients of its output
 * and of its input. Attention's backward pass can be the fuller one: the inputs of the second norm
 * and of the MLP are gone by then, gradients of queries, keys, values and output there, and the
 * kernel adds up that of queries in fp32.
 */
static void
add_tiled(const struct rank_view *v, double *buffers)
{
	const struct activation *c = v->act;
	const struct model *m = &v->p->model;
	const double h = (double)m->hidden_size, f = mlp_width(m), tiles = modules_tiles(v->p);
	const double inside = (c->fused ? 3 : 4) - c->frozen + gradients_inside(v->p), outer = 3;
	const double n = params_query_heads(m, false) / c->tp;
	const double kv = modules_kv_heads(v->p, false);
	const double d = params_key_dim(m, false), dims = d + params_value_dim(m, false);
	const double a = c->a, T = c->tokens, tile = ceil(T / tiles);
	const double mlp = a * tile * inside * f / c->tp + a * T * outer * h;
	const double attention = a * T * (n + kv) * dims + 4 * T * n * d;

	if (mlp >= attention)
		TERM(v->ledger, *buffers, QUANTITY_BUFFERS, "a tile of the MLP, and gradients", TILED,
		    a * tile * inside * f / c->tp + a * T * outer * h, IS(a), IS(tile), IS(inside), IS(f),
		    AS("TP", c->tp), IS(T), AS("between layers", outer), IS(h));
	else
		TERM(v->ledger, *buffers, QUANTITY_BUFFERS, "gradients of attention", FLASH,
		    a * T * (n + kv) * dims + 4 * T * n * d, IS(a), IS(T), AS("n/TP", n), AS("kv/TP", kv),
		    AS("(d+v)", dims), IS(d));
}

/*
 * Autograd frees what a product kept when its own backward pass is over: where the MLP's last
 * weight is trained, its input is gone when gradients of that input's two factors are made, beside
 * that of the input and that of the block's output. Liger's kernel writes those two over what was
 * kept (ops/swiglu.py, swiglu_backward): the gradient of the input alone is new.
 */
bool
finetune_add_backward(const struct rank_view *v, double *buffers)
{
	const struct activation *c = v->act;
	const double h = (double)v->p->model.hidden_size, f = mlp_width(&v->p->model);
	const bool trains = !adapters_only(v->p) && v->p->finetune.kernels != KERNELS_UNSLOTH;
	const double inner = trains && !c->fused ? 2 : gradients_inside(v->p), outer = trains ? 1 : 4;

	if (!modules_eager(v->p))
		return false;
	if (modules_tiles(v->p) > 1 && v->layers->kinds.moe <= 0) {
		add_tiled(v, buffers);
		return true;
	}
	TERM(v->ledger, *buffers, QUANTITY_BUFFERS, "gradients of a layer", AUTOGRAD,
	    c->a * c->tokens * (inner * f + outer * h) / c->tp, AS("a", c->a), AS("T", c->tokens),
	    AS("gradients inside the MLP", inner), IS(f), AS("between layers", outer), IS(h),
	    AS("TP", c->tp));
	if (v->p->finetune.method == FINETUNE_DORA) {
		const double largest =
		    adapters_sums(v->p, &v->layers->kinds, v->layers->embedding).largest;

		TERM(v->ledger, *buffers, QUANTITY_BUFFERS, "norm of a weight in fp32", DORA,
		    3 * 4 * largest, AS("largest weight", largest));
	}
	if (v->layers->kinds.moe > 0)
		TERM(v->ledger, *buffers, QUANTITY_BUFFERS, "copies around the experts", AUTOGRAD,
		    5 * c->a * h * c->routed, AS("a", c->a), IS(h), AS("routed", c->routed));
	return true;
}

/*
 * Copies of a whole sub-group of parameters fit in no block that activations left, but in those of whole logits; the
 * lesser of the two stays in reserve beside the other, less what both found.
 */
static void
add_step_blocks(const struct rank_view *v, const struct step_bytes *step, double freed, double *pools)
{
	const double lesser = smaller(step->copied, freed), found = smaller(step->found, lesser);
	const bool whole = v->p->training.cross_entropy <= CE_HF_OLD;

	if (!whole && lesser > found)
		TERM(v->ledger, *pools, QUANTITY_OVERHEAD, "blocks of layers, too small for the step", SEGMENTS,
		    lesser - found, AS("the lesser of copies in the step and what is freed before", lesser),
		    AS("blocks that the state's building left", found));
}

/*
 * Without accumulation gradients come as activations go, but for ZeRO-3 of DeepSpeed, which has
 * one buffer for all of them from the beginning (runtime/zero/stage3.py,
 * grad_partitions_flat_buffer); PyTorch's optimizer then makes its copies where activations were,
 * and transients. Runs with adapters on short texts took both (tests/data/finetune_measured.tsv,
 * qwen1-readme).
 */
void
finetune_add_step(const struct rank_view *v, const struct step_bytes *step, double transients,
    int64_t microbatches, struct memory *out)
{
	const double kept = out->activations + out->logits;
	const bool flat = framework_of(v->p)->working.buckets && framework_zero(v->p) >= 3;
	const double gone = microbatches == 1 && !flat ? smaller(out->gradients, kept) : 0;
	const double freed = kept - gone + (adapters_only(v->p) ? 0 : transients);

	if (!modules_eager(v->p))
		return;
	if (gone > 0) {
		const double a = smaller(gone, out->activations);

		TERM(v->ledger, out->activations, QUANTITY_ACTIVATIONS,
		    "less what gradients come in place of", AUTOGRAD, -a, AS("gradients", a));
		if (gone > a)
			TERM(v->ledger, out->logits, QUANTITY_LOGITS,
			    "less what gradients come in place of", AUTOGRAD, -(gone - a),
			    AS("gradients", gone), AS("those in place of activations", a));
	}
	if (step->found > 0)
		add_step_blocks(v, step, freed, &out->overhead);
	if (step->copied > freed)
		TERM(v->ledger, out->buffers, QUANTITY_BUFFERS, "copies in the optimizer's step",
		    FOREACH, step->copied - freed, AS("bytes of what is trained", step->copied),
		    AS("(activations + logits + transients)", freed));
}
