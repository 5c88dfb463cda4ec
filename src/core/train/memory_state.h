/*
 * memory_state.h - bytes of parameters, gradients and optimizer state, and what its step copies.
 * Private to core.
 */
#ifndef CORE_MEMORY_STATE_H
#define CORE_MEMORY_STATE_H
#include "core/train/finetune.h"
#include "core/train/memory.h"
#include "core/train/memory_buffers.h"

/* The parameters of one stage, split as the recipes need. */
struct holding {
	struct stage_params params;
	const struct shards *shards;
	struct ledger *ledger;
};

/* Add them by a recipe. */
void state_add(const struct holding *h, const struct recipe *r, struct memory *out);

/*
 * An optimizer turns 16-bit gradients into fp32 in the step alone, DeepSpeed's ZeRO-3 those of
 * 1e9 parameters (sub_group_size) at a time: what of it does not fit where activations, logits
 * and transients were. blocks: what their blocks hold beside them (memory_blocks.h).
 */
void state_add_step(const struct holding *h, const struct recipe *r, double blocks,
    double transients, struct memory *out);

/*
 * Bytes that the optimizer copies of what is trained, on one rank: PyTorch's by foreach of all of it. Its
 * fused step copies nothing; one weight after the other was measured to hold two copies of the
 * largest, embedding or stacked experts, of a model that is trained whole
 * (tests/data/h100_eager.tsv; as the denominator of torch/optim/adam.py, _single_tensor_adam).
 */
struct step_bytes state_step_bytes(const struct memory_setup *s, const struct holding *h,
    const struct rank_view *v);
#endif
