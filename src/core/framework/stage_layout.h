/*
 * stage_layout.h - Megatron-LM's pipeline layout strings. Private to core.
 *
 * "Et*3|(tt|)*6,tL": stages between bars, E embedding, t decoder layer, m MTP layer,
 * L loss; x*n repeats one character, (...)*n a run, commas mean nothing. Source:
 * megatron/core/transformer/pipeline_parallel_layer_layout.py.
 */
#ifndef CORE_STAGE_LAYOUT_H
#define CORE_STAGE_LAYOUT_H
#include "core/framework/stage.h"

/* Place layers as parallel.pipeline_layout says, or refuse as Megatron does. */
bool stage_place_layout(struct placement *pl, const struct plan *p, struct diag_list *diags);

/* True when the string puts E or L elsewhere than on the first and the last stage: Megatron
 * accepts that, and builds embedding and loss on the first and last stage all the same. */
bool stage_layout_misplaced(const struct plan *p);
#endif
