/*
 * pattern.h - the letters of model.layer_pattern, one a layer, as Megatron-LM writes them
 * (megatron/core/models/hybrid/hybrid_layer_allocation.py): M Mamba-2, G linear attention,
 * * attention, + multi-head latent attention, D that with a sparse index, - MLP, E experts; and S,
 * experts that work beside the block that follows, behind the same norm (LongCat Flash); and of
 * compressed sparse attention C, layers with an index, H, heavily compressed ones, W, ones that have
 * their window alone (DeepSeek-V4).
 * Each is one block: a norm, and a mixer of tokens or an MLP. | ends a pipeline stage, / begins
 * a depth of multi-token prediction.
 */
#ifndef CORE_PATTERN_H
#define CORE_PATTERN_H
#include <stdint.h>

#include "core/plan/plan.h"

/* Letters of layers that attend to everything, and of other attention. */
#define PATTERN_ATTENTION "*+DCH"
#define PATTERN_LOCAL "GW"

/* Letters that Megatron-LM does not have. */
#define PATTERN_OWN "SCHW"

/* Letters of layers with experts. */
#define PATTERN_EXPERTS "ES"

/* Layers before the first depth of multi-token prediction. */
int64_t pattern_layers(const char *pattern);

/* How many of `count` layers from `first` on have one of the letters. */
int64_t pattern_count(const char *pattern, int64_t first, int64_t count, const char *letters);

/* Depths of multi-token prediction, and the layers of the first one; NULL without. */
int64_t pattern_depths(const char *pattern);
const char *pattern_depth(const char *pattern);

/* Stages that | cuts the layers into, and how many layers the n-th one has. */
int64_t pattern_stages(const char *pattern);
int64_t pattern_stage(const char *pattern, int64_t n);

/* The pattern of a model says how many layers and MTP layers it has. */
void pattern_settle(struct model *m);

/* The first character that is none of these, or '\0'. */
char pattern_fault(const char *pattern);
#endif
