/*
 * search_split.h - the splits of layers over pipeline stages that a search tries: each way in
 * which the framework lets them be said, as even as it can be.
 *
 * A model whose layers no pipeline divides has others beside the even split: embedding and loss
 * counted as layers, a first and last stage of their own, a layout string (Megatron-LM
 * transformer_config.py, pipeline_parallel_layer_layout.py). None of them is looked for where
 * another one says the same; what the loss of a large vocabulary and MTP layers take is counted
 * in layers.
 */
#ifndef CORE_SEARCH_SPLIT_H
#define CORE_SEARCH_SPLIT_H
#include <stdbool.h>

#include "core/plan/field.h"
#include "core/plan/plan.h"

enum split {
	SPLIT_OWN,             /* as the plan says */
	SPLIT_EVEN,            /* nothing said */
	SPLIT_COUNT_BOTH, SPLIT_COUNT_LOSS, SPLIT_COUNT_EMBEDDING,
	SPLIT_SHORT_LAST, SPLIT_SHORT_FIRST, SPLIT_SHORT_ENDS,
	SPLIT_LAYOUT_PLAIN,    /* embedding and loss count for nothing, */
	SPLIT_LAYOUT,          /* loss and MTP layers, in one stage, for the layers they take, */
	SPLIT_LAYOUT_APART,    /* or in one each */
	SPLITS
};

enum { SPLIT_FIELDS = 5 };

/* The fields that say a split; the first one stands for all of them in a search. */
extern const enum field_id split_fields[SPLIT_FIELDS];

bool split_is_field(enum field_id f);

/* How many of them a plan's framework can say: SPLITS, or 1. */
int split_count(const struct plan *p);

/* Say it for the PP and VPP of p, in place of what `own` says, whose fields p has for SPLIT_OWN.
 * A layout gives VPP, which is then 1 in p. Where there is no such split, or an earlier one is
 * the same, the layout is one that the framework refuses. */
void split_state(enum split split, const struct plan *own, struct plan *p);

/* A plan's split in words: "even", "loss counted", "first 7, last 6", a layout.
 * Returns the length. */
size_t split_format(const struct plan *p, char *buf, size_t size);
#endif
