#include "core/train/compute_adapters.h"

#include "core/base/number.h"
#include "core/model/adapters.h"
#include "core/model/modules.h"
#include "core/plan/batch.h"

static const struct operation down = PRODUCT("adapters: A", NULL);
static const struct operation up = PRODUCT("adapters: B", NULL);

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
adapter(struct layer_job *j, const struct adapter_module *m, double T)
{
	const struct moves moves = moves_of(j->p);
	const double tp = at_least_one(j->p->parallel.tp), r = (double)j->p->finetune.rank;
	const double in = m->in / (m->split == MODULE_ROWS ? tp : 1);
	const double out = m->out / (m->split == MODULE_COLUMNS ? tp : 1);

	JOB_PLAIN(j, &down, T, r, in, IS(T), IS(r), IS(in));
	JOB_PLAIN(j, &up, T, out, r, IS(T), IS(r), IS(out));
	JOB_MOVE(j, "casts, scale and sum of adapters", T * (moves.in * in + moves.out * out),
	    T * (moves.in_back * in + moves.out_back * out), IS(T), IS(in), IS(out), AS("read", moves.in),
	    AS("written", moves.out), AS("read", moves.in_back), AS("written", moves.out_back));
	if (j->p->finetune.method == FINETUNE_DORA)
		JOB_MOVE(j, "norms of weights with their adapters", DORA_WEIGHT * in * out, 0,
		    AS("73", DORA_WEIGHT), IS(in), IS(out));
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
		const double in = m[i].in, out = m[i].out, quantised = adapters_quantized(p);

		if (m[i].adapted)
			adapter(j, &m[i], (m[i].traits & MATRIX_EXPERT) ? routed : batch_tokens(p));
		/* before each product, forward and backward */
		if (p->finetune.quantization != QUANT_NONE && !(m[i].traits & MATRIX_EXPERT))
			JOB_MOVE(j, "weights dequantised", (quantised + 2) * in * out / tp,
			    (quantised + 2) * in * out / tp, IS(quantised), IS(in), IS(out), AS("TP", tp));
	}
}
