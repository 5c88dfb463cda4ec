/*
 * gpu_types.h - GPUs of several types in one job: type 0 is cluster.gpu, 1 and on are those of
 * cluster.other_gpus, in the order in which it names them.
 *
 * Frameworks run what NCCL joins, each group at the pace of its slowest member; none of them takes the
 * type of a GPU into account but FlagScale, whose meshes of a pipeline have one each
 * (FlagOpen/FlagScale flagscale/train/arguments.py, hetero_process_meshes).
 */
#ifndef CORE_GPU_TYPES_H
#define CORE_GPU_TYPES_H
#include "core/framework/layout.h"
#include "core/framework/stage.h"
#include "core/plan/field.h"
#include "core/plan/plan.h"

enum { GPU_TYPES_MAX = PLAN_OTHERS_MAX + 1 };

static inline int
gpu_types(const struct plan *p)
{
	return 1 + (int)p->others;
}

/* The plan as GPUs of a type see it: itself, or a copy in `room`. */
const struct plan *gpu_type_plan(const struct plan *p, int type, struct plan *room);

/* The types of each pipeline rank, one bit each. */
void gpu_types_of_stages(unsigned types[STAGE_CHUNKS_MAX], const struct plan *p, const struct layout *l);

/* Nodes of each type. */
void gpu_types_nodes(int64_t nodes[GPU_TYPES_MAX], const struct plan *p);

/* A rate or a price of a GPU, in the mean of all; of a type that has none, cluster.gpu's. */
double gpu_types_mean(const struct plan *p, enum field_id f);

/* The plan with the slowest links inside a node of all types. */
const struct plan *gpu_types_links(const struct plan *p, struct plan *room);
#endif
