/*
 * finetune.h - what fine-tuning changes of a GPU's memory: bytes of frozen and of trained
 * parameters, adapters, and the loss of Hugging Face stacks. Private to core.
 *
 *   frozen            2 (4 in fp32), or quantised; no gradient, no optimizer state
 *   adapters in fp32  4 + 4 + 8                 PEFT, autocast_adapter_dtype
 *   adapters in bf16  2 + 2 + 4                 torchtune, all in bf16
 *                     as the framework trains   Megatron 2 + 4 + 12/D, DeepSpeed 2 + 2 + 12/D
 *
 * with Adam; full fine-tuning by modules of Hugging Face and their like is the same, of all
 * parameters.
 */
#ifndef CORE_FINETUNE_H
#define CORE_FINETUNE_H
#include "core/framework/recipe.h"
#include "core/model/adapters.h"
#include "core/train/memory_buffers.h"

/* Bytes by what a parameter is for. */
struct finetune_recipes {
	struct recipe base, adapters, saved; /* saved: trained copies of embedding and head */
};

/* From how the framework trains everything. */
struct finetune_recipes finetune_recipes(const struct plan *p, const struct recipe *framework);

/* Add trained weights to parameters, gradients and optimizer. */
void finetune_add_state(const struct finetune_recipes *r, const struct adapter_params *n,
    const struct shards *shards, struct ledger *ledger, struct memory *out);

/* Scales of quantised weights that are not counted with these, on a GPU that holds a share of
 * the weights themselves. */
void finetune_add_projections(const struct plan *p, const struct rank_layers *r, struct ledger *ledger,
    struct memory *out);
void finetune_add_scales(const struct plan *p, const struct rank_layers *r, double share,
    struct ledger *ledger, struct memory *out);

/* Workspaces that adapters and quantised weights need. */
void finetune_add_buffers(const struct rank_view *v, struct memory *out);

/* Logits and loss of the kinds that are Hugging Face's, Liger's and torchtune's; false of
 * the others. */
bool finetune_add_loss(const struct rank_view *v, double *logits);

/* Bytes that the allocator holds beside what is allocated, in modules of Hugging Face and their
 * like. Streams: of FSDP, beside `counted` layers and a root (embedding and head) that are
 * gathered. Segments: at the moment of the loss. */
void finetune_add_streams(const struct rank_view *v, double counted, double layer, double root,
    double *pools);
void finetune_add_segments(const struct rank_view *v, double *pools);

/* Gradients of a layer of their modules in its backward pass; false of others. */
bool finetune_add_backward(const struct rank_view *v, double *buffers);

/*
 * What the step of the optimizer copies. DeepSpeed's copies are longer than tensors of layers, so that the allocator has
 * blocks of their own for them: `found` are bytes of such blocks that building the state has left, and activations
 * found free.
 */
struct step_bytes {
	double copied, found;
};

/* The step, which copies where activations and transients were, or beside blocks that are too small for it. */
void finetune_add_step(const struct rank_view *v, const struct step_bytes *step, double transients,
    int64_t microbatches, struct memory *out);
#endif
