/*
 * stage_build.h - what the frameworks place layers with. Private to core.
 */
#ifndef CORE_FRAMEWORK_STAGE_BUILD_H
#define CORE_FRAMEWORK_STAGE_BUILD_H
#include "core/framework/stage.h"
#include "core/plan/diag.h"

/* Chunk v of a pipeline rank. */
static inline struct chunk *
stage_chunk(struct placement *pl, int64_t pp_rank, int64_t v)
{
	return &pl->chunk[pp_rank * pl->vpp + v];
}

/* The chunk of stage s in the order of the layers: the rank that loops over the stages, or
 * folds back on the way, holds it. */
struct chunk *stage_in_order(struct placement *pl, int64_t s, bool folded);

/* So many layers from the first one on, and nothing else. */
static inline void
stage_put(struct chunk *c, int64_t first, int64_t count)
{
	*c = (struct chunk){ .first = (int32_t)first, .count = (int32_t)count };
}

/* Embedding on the first rank; head, loss and MTP layers in one chunk. */
void stage_put_ends(struct placement *pl, struct chunk *last, int64_t mtp);

/* True, or refused, where a framework has one chunk on each pipeline rank. */
bool stage_one_chunk(const struct plan *p, struct diag_list *diags);
#endif
