#include <stdio.h>
#include <stdlib.h>

#include "../core/defaults.h"
#include "core/plan/field.h"
#include "random.h"

/* ---- numbers ------------------------------------------------------------------------ */

int64_t
dice_below(struct dice *d, int64_t n)
{
	d->state = d->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (int64_t)((d->state >> 33) % (uint64_t)n);
}

bool
dice_rarely(struct dice *d, int64_t n)
{
	return dice_below(d, n) == 0;
}

/* Seeds that follow one another must not begin alike: Steele, Lea and Flood, Fast splittable
 * pseudorandom number generators, OOPSLA 2014 (the mixing of SplitMix64). */
struct dice
dice_of(uint64_t seed)
{
	uint64_t z = seed + UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (struct dice){ z ^ z >> 31 };
}

/* ---- plans -------------------------------------------------------------------------- */

static int64_t
power(struct dice *d, int64_t limit)
{
	return INT64_C(1) << dice_below(d, limit);
}

/* A value that the table must take. */
static void
put(struct plan *p, enum field_id f, int64_t v)
{
	char err[256];
	const bool ok = field_table[f].type == FIELD_REAL ?
	    field_put_real(f, p, (double)v, err, sizeof err) : field_put_int(f, p, v, err, sizeof err);

	if (ok)
		return;
	fprintf(stderr, "random plan: %s: %s\n", field_table[f].path, err);
	abort();
}

/* Mixers with a state, by letters or in place of the local layers. */
static void
random_mixers(struct dice *d, struct plan *p)
{
	static const char *const patterns[] = { "M-M-M*-M-M-*", "M-M*/*-", "G-G-*-G-", "M*MGM*-G" };
	char err[256];

	put(p, FIELD_LINEAR_ATTENTION, true);
	put(p, FIELD_LINEAR_KIND, dice_below(d, 3));
	put(p, FIELD_LINEAR_KEY_HEADS, 16);
	put(p, FIELD_LINEAR_VALUE_HEADS, 16 << dice_below(d, 2));
	put(p, FIELD_LINEAR_KEY_HEAD_DIM, 128);
	put(p, FIELD_LINEAR_VALUE_HEAD_DIM, 128);
	put(p, FIELD_LINEAR_CONV_KERNEL, 4);
	put(p, FIELD_MAMBA_HEADS, 64);
	put(p, FIELD_MAMBA_HEAD_DIM, 64);
	put(p, FIELD_MAMBA_STATE, 128);
	put(p, FIELD_MAMBA_GROUPS, 8);
	put(p, FIELD_MOE_LATENT_SIZE, dice_rarely(d, 2) ? 512 : 0);
	if (dice_rarely(d, 2))
		put(p, FIELD_GLOBAL_LAYER_EVERY, dice_below(d, 5));
	else if (p->model.experts > 0 && dice_rarely(d, 2))
		field_put_text(FIELD_LAYER_PATTERN, p, "MEM*EMEM*EGE/*E", err, sizeof err);
	else
		field_put_text(FIELD_LAYER_PATTERN, p, patterns[dice_below(d, 4)], err, sizeof err);
}

static void
random_model(struct dice *d, struct plan *p)
{
	put(p, FIELD_LAYERS, 4 * (1 + dice_below(d, 12)) + (dice_rarely(d, 4) ? dice_below(d, 4) : 0));
	put(p, FIELD_HIDDEN_SIZE, 1024 << dice_below(d, 3));
	put(p, FIELD_FFN_HIDDEN_SIZE, 4096 << dice_below(d, 3));
	put(p, FIELD_ATTENTION_HEADS, 16 << dice_below(d, 3));
	put(p, FIELD_KV_HEADS, 8 << dice_below(d, 2));
	put(p, FIELD_VOCAB_SIZE, 32000 + 1000 * dice_below(d, 100));
	put(p, FIELD_TIED_EMBEDDINGS, dice_below(d, 2));
	put(p, FIELD_GATED_MLP, !dice_rarely(d, 4));
	put(p, FIELD_QK_NORM, dice_rarely(d, 4));
	put(p, FIELD_LINEAR_BIAS, dice_rarely(d, 6));
	put(p, FIELD_MTP_LAYERS, dice_rarely(d, 5) ? 1 : 0);
	if (dice_rarely(d, 4)) {
		put(p, FIELD_ATTENTION, ATTENTION_MLA);
		put(p, FIELD_Q_LORA_RANK, 768 * dice_below(d, 2));
		put(p, FIELD_KV_LORA_RANK, 512);
		put(p, FIELD_QK_NOPE_HEAD_DIM, 128);
		put(p, FIELD_QK_ROPE_HEAD_DIM, 64);
		put(p, FIELD_V_HEAD_DIM, 128);
	}
	if (dice_rarely(d, 4)) {
		put(p, dice_rarely(d, 2) ? FIELD_SLIDING_WINDOW : FIELD_ATTENTION_CHUNK, 1024);
		put(p, FIELD_GLOBAL_LAYER_EVERY, dice_below(d, 5));
	}
	if (dice_rarely(d, 3)) {
		put(p, FIELD_EXPERTS, 8 << dice_below(d, 3));
		put(p, FIELD_EXPERTS_PER_TOKEN, 2 + dice_below(d, 5));
		put(p, FIELD_MOE_FFN_HIDDEN_SIZE, 1024 << dice_below(d, 3));
		put(p, FIELD_SHARED_EXPERT_FFN_HIDDEN_SIZE, dice_rarely(d, 2) ? 2048 : 0);
		put(p, FIELD_DENSE_LAYERS, dice_below(d, 3));
		put(p, FIELD_MOE_LAYER_EVERY, 1 + dice_below(d, 2));
		put(p, FIELD_EP, power(d, 4));
	}
	if (dice_rarely(d, 6))
		random_mixers(d, p);
}

static void
random_training(struct dice *d, struct plan *p)
{
	static const int64_t grads[] = { GRAD_FP32, GRAD_FP16, GRAD_BF16, GRAD_BF16 };

	put(p, FIELD_SEQUENCE_LENGTH, 2048 << dice_below(d, 3));
	put(p, FIELD_MICRO_BATCH_SIZE, power(d, 3));
	put(p, FIELD_GLOBAL_BATCH_SIZE, 16 << dice_below(d, 6));
	put(p, FIELD_PRECISION, dice_below(d, 4));
	put(p, FIELD_GRAD_DTYPE, dice_rarely(d, 3) ? grads[p->training.precision] : GRAD_FP32);
	put(p, FIELD_OPTIMIZER, dice_rarely(d, 3) ? dice_below(d, 4) : OPTIMIZER_ADAM);
	put(p, FIELD_SCHEDULE, dice_rarely(d, 2) ? SCHEDULE_1F1B : dice_below(d, 9));
	put(p, FIELD_MICROBATCH_GROUP_SIZE, dice_rarely(d, 6) ? 1 + dice_below(d, 8) : 0);
	put(p, FIELD_RECOMPUTE, dice_below(d, 3));
	put(p, FIELD_RECOMPUTE_METHOD, dice_below(d, 2));
	put(p, FIELD_RECOMPUTE_LAYERS, 1 + dice_below(d, 3));
	put(p, FIELD_FLASH_ATTENTION, !dice_rarely(d, 4));
	put(p, FIELD_CROSS_ENTROPY, dice_below(d, 4));
	put(p, FIELD_TP_OVERLAP, dice_rarely(d, 4));
	put(p, FIELD_TORCH_COMPILE, p->training.tp_overlap);
	put(p, FIELD_TP_APART, p->training.micro_batch_size > 1);
	put(p, FIELD_GATHERED_LOGITS, p->training.cross_entropy == CE_TORCH);
	put(p, FIELD_NVLINK_DIRECT, p->training.micro_batch_size > 2);
	put(p, FIELD_PRECISION_AWARE_OPTIMIZER, p->parallel.offload != OFFLOAD_NONE);
}

struct plan
random_plan(struct dice *d)
{
	static const int64_t pps[] = { 1, 2, 2, 3, 4, 4, 6, 8 };
	struct plan p;

	p = defaults_catalog()->defaults;
	put(&p, FIELD_LAYOUT, dice_rarely(d, 3) ? dice_below(d, 6) : LAYOUT_MEGATRON);
	put(&p, FIELD_NODES, power(d, 5));
	put(&p, FIELD_TP, power(d, 4));
	put(&p, FIELD_CP, dice_rarely(d, 4) ? power(d, 3) : 1);
	put(&p, FIELD_CP_COMM, dice_rarely(d, 2) ? dice_below(d, 3) : CP_COMM_P2P);
	put(&p, FIELD_PP, pps[dice_below(d, 8)]);
	put(&p, FIELD_VPP, dice_rarely(d, 3) ? 1 + dice_below(d, 4) : 1);
	put(&p, FIELD_ZERO_STAGE, dice_below(d, 4));
	put(&p, FIELD_DP_REPLICATE, dice_rarely(d, 5) ? 2 : 1);
	put(&p, FIELD_OFFLOAD, dice_rarely(d, 8) ? dice_below(d, 3) : 0);
	if (dice_rarely(d, 6))
		put(&p, FIELD_FIRST_STAGE_LAYERS, 1 + dice_below(d, 6));
	if (dice_rarely(d, 6))
		put(&p, FIELD_LAST_STAGE_LAYERS, 1 + dice_below(d, 6));
	random_model(d, &p);
	random_training(d, &p);
	put(&p, FIELD_BF16_TFLOPS, 989);
	put(&p, FIELD_HBM_GBPS, 3350);
	put(&p, FIELD_NVLINK_GBPS, 450);
	put(&p, FIELD_MEMORY_GIB, dice_rarely(d, 2) ? 80 : 20);
	plan_resolve(&p, defaults_catalog());
	return p;
}

void
random_tuning(struct dice *d, struct plan *p)
{
	put(p, FIELD_FINETUNE, FINETUNE_FULL + dice_below(d, FINETUNE_QLORA - FINETUNE_FULL + 1));
	put(p, FIELD_ADAPTER_RANK, 8 << dice_below(d, 4));
	put(p, FIELD_PACKING, dice_below(d, 2));
	put(p, FIELD_ADAPTER_DTYPE, dice_below(d, 2));
	if (p->parallel.pp == 1)
		put(p, FIELD_KERNELS, dice_below(d, KERNELS_TORCHTUNE + 1));
	if (p->finetune.kernels != KERNELS_TE)
		put(p, FIELD_CROSS_ENTROPY, CE_HF + dice_below(d, CE_CHUNKED - CE_HF + 1));
	plan_resolve(p, defaults_catalog());
}
