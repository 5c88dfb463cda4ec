/*
 * where.h - "where is layer 37, expert 12?": which GPUs hold what somebody looks for.
 */
#ifndef UI_WHERE_H
#define UI_WHERE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/estimate/estimate.h"
#include "core/plan/plan.h"

/* Each part is -1 where it was not named; a GPU must hold all that were. */
struct where {
	int64_t rank, node, stage, layer, expert;
};

/* Nothing looked for. */
bool where_empty(const struct where *w);

/*
 * Read "13", "rank 13", "node 5", "stage 2", "layer 37", "expert 12", or several of them
 * ("layer 37, expert 12"). "gpu 5" is a rank too, beside a node the GPU of that number in
 * it. False with the reason, range included, in err.
 */
bool where_parse(struct where *w, const char *text, const struct plan *p,
    const struct estimate *e, char *err, size_t size);

/* True when a rank holds all that is looked for. The layout must hold. */
bool where_holds(const struct where *w, const struct plan *p, const struct estimate *e,
    int64_t rank);

/* The first rank that holds it after (way 1) or before (-1) `rank`, around the end; -1
 * when none does. */
int64_t where_next(const struct where *w, const struct plan *p, const struct estimate *e,
    int64_t rank, int way);

/*
 * Which experts a rank holds, of each layer that has them: a part of all where they are cut
 * instead of dealt out. Expert parallel ranks hold runs of them in turn, the first ones one
 * more where they do not come out even. Sources: NVIDIA/Megatron-LM
 * megatron/core/transformer/moe/moe_layer.py local_expert_indices, vllm-project/vllm
 * vllm/model_executor/layers/fused_moe/layer.py determine_expert_map.
 */
void where_experts(const struct plan *p, const struct layout *l, int64_t rank, int64_t *first,
    int64_t *count);

/* How many ranks hold it. */
int64_t where_count(const struct where *w, const struct plan *p, const struct estimate *e);

/* "layer 37, expert 12". */
void where_describe(const struct where *w, char *buf, size_t size);
#endif
