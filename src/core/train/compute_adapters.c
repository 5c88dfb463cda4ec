#include "core/train/compute_adapters.h"

#include "core/base/number.h"
#include "core/model/adapters.h"
#include "core/model/modules.h"
#include "core/plan/batch.h"

static const struct operation down = PRODUCT("adapters: A", "m x n x k: T x r x in");
static const struct operation up = PRODUCT("adapters: B", "m x n x k: T x out x r");
static const struct operation around = { .name = "casts, scale and sum of adapters",
	.size = "bytes: T*(read*in + written*out), by whose modules run" };
static const struct operation dequantised = { .name = "weights dequantised",
	.size = "bytes: (quantised + 2)*in*out/TP" };

static const struct operation magnitudes = { .name = "norms of weights with their adapters",
	.size = "bytes: 73*in*out" };

/*
 * DoRA makes B A by a product with the identity, adds it to the weight in fp32, transposed, and
 * takes the norm of each output, forward alone; then it scales what both give in fp32
 * (huggingface/peft src/peft/tuners/lora/dora.py, DoraLinearLayer.forward). The bytes at the
 * rate of memory-bound operations are measured: Llama-3.1-8B on an H100, PyTorch 2.11, kernels
 * of steps of 512, 2,048 and 8,192 tokens with DoRA less those with LoRA
 * (tests/data/h100_eager.tsv).
 */
#define DORA_WEIGHT 73.0
#define DORA_OUT 48.0
#define DORA_OUT_BACK 69.0

/* Bytes that go by beside an adapter's products for each value that it reads and writes. */
struct moves {
	double in, out, in_back, out_back;
};

/*
 * What other kernels than the products move. Megatron's and torchtune's add the adapter to its
 * layer, and the gradients of both to each other (NVIDIA-NeMo/Megatron-Bridge
 * src/megatron/bridge/peft/lora_layers.py; pytorch/torchtune torchtune/modules/peft/lora.py,
 * which scales as well); Unsloth's products add up (unsloth/kernels/fast_lora.py, addmm_).
 * PEFT scales, adds, and casts to fp32 adapters and back, which under autocast is undone before
 * the product (huggingface/peft src/peft/tuners/lora/layer.py, Linear.forward; tuners_utils.py,
 * _cast_input_dtype); without autocast what they give is fp32 too.
 */
static struct moves
lora_moves(const struct plan *p)
{
	const bool wide = p->finetune.adapter_dtype == ADAPTER_FP32;

	switch (p->finetune.kernels) {
	case KERNELS_UNSLOTH:
		return (struct moves){ 0, 4, 4, 0 };
	case KERNELS_TORCHTUNE:
		return (struct moves){ 0, 10, 6, 4 };
	case KERNELS_EAGER:
	case KERNELS_LIGER:
		return !wide ? (struct moves){ 0, 10, 6, 4 } :
		    modules_autocast(p) ? (struct moves){ 12, 10, 18, 4 } :
		    (struct moves){ 6, 26, 14, 14 };
	default:
		return (struct moves){ 0, 6, 0, 6 };
	}
}

/* A mask of a byte each, drawn and applied. */
static struct moves
dropped(struct moves moves, bool wide)
{
	const double bytes = wide ? 4 + 4 + 1 : 2 + 2 + 1;

	moves.in += bytes;
	moves.in_back += bytes;
	return moves;
}

static struct moves
moves_of(const struct plan *p)
{
	struct moves moves = lora_moves(p);

	if (p->finetune.dropout > 0)
		moves = dropped(moves, modules_peft(p) && p->finetune.adapter_dtype == ADAPTER_FP32);
	if (p->finetune.method == FINETUNE_DORA) {
		moves.out += DORA_OUT;
		moves.out_back += DORA_OUT_BACK;
	}
	return moves;
}

static void
adapter(struct layer_job *j, const struct adapter_module *m, double tokens)
{
	const struct moves moves = moves_of(j->p);
	const double tp = at_least_one(j->p->parallel.tp), r = (double)j->p->finetune.rank;
	const double in = m->in / (m->split == MODULE_ROWS ? tp : 1);
	const double out = m->out / (m->split == MODULE_COLUMNS ? tp : 1);

	job_plain(j, &down, tokens, r, in);
	job_plain(j, &up, tokens, out, r);
	job_move(j, &around, tokens * (moves.in * in + moves.out * out),
	    tokens * (moves.in_back * in + moves.out_back * out));
	if (j->p->finetune.method == FINETUNE_DORA)
		job_move(j, &magnitudes, DORA_WEIGHT * in * out, 0);
}

int
compute_adapters_count(const struct plan *p, int kind)
{
	const struct layer_kinds one = params_kinds_one(kind);
	struct adapter_module m[ADAPTER_MODULES_MAX];
	int adapters = 0;

	if (!adapters_only(p))
		return 0;
	for (int i = adapters_modules(p, &one, false, m) - 1; i >= 0; i--)
		adapters += m[i].adapted;
	return adapters;
}

void
compute_adapters(struct layer_job *j, int kind, double routed)
{
	const struct plan *p = j->p;
	const double tp = at_least_one(p->parallel.tp);
	const struct layer_kinds one = params_kinds_one(kind);
	struct adapter_module m[ADAPTER_MODULES_MAX];
	const int count = adapters_modules(p, &one, false, m);

	for (int i = 0; i < count; i++) {
		const double unpacked = (adapters_quantized(p) + 2) * m[i].in * m[i].out / tp;

		if (m[i].adapted)
			adapter(j, &m[i], (m[i].traits & MATRIX_EXPERT) ? routed : batch_tokens(p));
		/* before each product, forward and backward */
		if (p->finetune.quantization != QUANT_NONE && !(m[i].traits & MATRIX_EXPERT))
			job_move(j, &dequantised, unpacked, unpacked);
	}
}
