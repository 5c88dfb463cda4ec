/*
 * memory.h - bytes on one GPU of each pipeline stage, as the framework's allocator reports
 * them at the fullest moment of a step.
 */
#ifndef CORE_MEMORY_H
#define CORE_MEMORY_H
#include "core/base/ledger.h"
#include "core/framework/layout.h"
#include "core/framework/recipe.h"
#include "core/framework/stage.h"
#include "core/model/activation.h"
#include "core/model/params.h"
#include "core/plan/plan.h"
#include "core/train/schedule.h"

/* Bytes; the names are those of `estimate --json`, stages[].memory. */
struct memory {
	double parameters, gradients, optimizer;
	double activations;  /* kept between forward and backward, over all chunks in flight */
	double logits;       /* LM head and loss on the last stage, where they are the peak */
	double kv_cache;     /* serve mode */
	double buffers;      /* transients, workspaces, communication, weight-gradient scratch */
	double allocated;    /* sum of the above at the peak: PyTorch's max_memory_allocated */
	double reserved;     /* what the allocator holds: allocated, and fragmentation */
	double overhead;     /* CUDA context, NCCL, fragmentation: what the GPU holds besides */
	double overhead_low, overhead_high; /* range of the overhead */
	double total;        /* allocated + overhead, held against the capacity */
	double low, high;    /* range of the total: of the overhead, and MEMORY_ERROR */
	double host;         /* memory_next: in its host's memory, not on the GPU */
	double drive;        /* memory_next: on its node's NVMe drives */
	double in_flight;    /* micro-batches' worth of activations alive at the peak */
};

/*
 * How far activations, logits and buffers of a training step may be off: as many of them as
 * 9 of 10 runs whose max_memory_allocated is known (make accuracy, 236 rows) are off by. What
 * parameters, gradients and optimizer take is counted, not estimated.
 */
#define MEMORY_ERROR 0.063

/* In small runs what nobody counts weighs more: as many MiB as 9 of 10 of those below 8 GiB are
 * off by at least. */
#define MEMORY_ERROR_LEAST 100

/* Over how many ranks sharded state of dense and of expert parameters is split: DP x CP,
 * and the ranks that hold the same experts, each less dp_replicate copies. */
struct shards {
	double dense, expert;
};
struct shards memory_shards(const struct plan *p, const struct layout *l);

/* Ranks that share what may be whole on each of them: then one. */
static inline struct shards
shards_over(bool sharded, const struct shards *all)
{
	return sharded ? *all : (struct shards){ 1, 1 };
}

/* Facts that all stages of a plan have in common, worked out once. It points to the plan and the
 * placement, which have to outlive it. microbatches: of one data parallel rank in a step,
 * 0 where unknown (counts as many). */
struct memory_setup {
	const struct plan *p;
	const struct placement *pl;
	int64_t microbatches;
	struct shards shards;
	struct recipe recipe;
	struct recipe adapters, saved; /* of fine-tuning: what is trained beside frozen weights */
	/* of a micro-batch, in training only: */
	struct activation act;
	struct share unit;      /* bytes of one unit of each */
	double layer;           /* parameters of the largest layer as one rank computes with it */
};
struct memory_setup memory_setup(const struct plan *p, const struct layout *l,
    const struct placement *pl, int64_t microbatches);

/* The two halves of it: what a micro-batch takes, which plans share that a scope says are
 * alike (scope.h), and all that stages, ranks and state add. */
void memory_setup_batch(struct memory_setup *s, const struct plan *p);
void memory_setup_plan(struct memory_setup *s, const struct plan *p, const struct layout *l,
    const struct placement *pl, int64_t microbatches);

/* The load that decides the bytes of a stage. */
struct memory_load {
	int64_t stage;
	struct rank_layers layers;
	struct stage_params held;
	struct flight flight; /* in training only */
};

/* Bytes that are there whatever is in flight. */
struct memory_standing {
	struct memory memory;
	double transients; /* of the buffers those that are free again in the optimizer's step */
	bool at_loss;      /* the fullest moment is that of the loss */
};

/* A walk from stage to stage: the one before. */
struct memory_walk {
	struct memory_load load;
	struct memory_standing standing;
};
#define MEMORY_WALK { .load.stage = -1 } /* before the first */

/* Bytes of a stage. In serve mode parameters are the weights, and there is nothing else. What
 * it has in common with the one before, where that is known and no ledger is to hear of it, is
 * not worked out again. */
struct memory memory_next(const struct memory_setup *s, int64_t stage, struct memory_walk *w,
    struct ledger *ledger);
struct memory memory_of_stage(const struct memory_setup *s, int64_t stage, struct ledger *ledger);

/* Bytes that the two ends of the range may reach; INFINITY: any. */
struct memory_limit {
	double low, high;
};

static inline bool
memory_exceeds(double low, double high, const struct memory_limit *limit)
{
	return low > limit->low || high > limit->high;
}

/* The fullest stage. */
struct memory_peak {
	int64_t stage;        /* the first of them */
	struct memory memory; /* its bytes */
	double low, high;     /* the most that either end of the range comes to on any stage */
};

enum { MEMORY_LOADS_MAX = 12 };

/* The stages before `rest` that no earlier one covers, holding at least as much of everything: what is
 * fullest is one of them, or one from `rest` on, which nobody has looked at or for which there was no
 * room. All 0 in the beginning; the same for plans that differ in how their state is sharded alone. */
struct memory_loads {
	int64_t count, rest;
	struct memory_load load[MEMORY_LOADS_MAX];
};

/* Looks for stages as far as it has to. Ends at the first stage that exceeds the limit; then nothing is
 * to be trusted but that ends of the range exceed it, which can be those of the state alone. */
void memory_peak(const struct memory_setup *s, struct memory_loads *loads,
    const struct memory_limit *limit, struct memory_peak *out);

/* True where a rank exceeds the limit, with no more in flight than it has. Of s the placement is not
 * looked at. */
bool memory_load_exceeds(const struct memory_setup *s, const struct memory_load *load,
    const struct memory_limit *limit);

/* Bytes that some stage of PP takes at least, wherever the layers are: the state of all by
 * stages. Of s the placement is not looked at. */
double memory_least(const struct memory_setup *s);

/* memory_setup and memory_of_stage at once. */
struct memory memory_stage(const struct plan *p, const struct layout *l,
    const struct placement *pl, int64_t microbatches, int64_t pp_rank, struct ledger *ledger);

/* Bytes that a plan may use on one GPU: its memory less what is reserved, 0 where that is more
 * than there is. Of several types that which has most, and on GPUs of these types (gpu_types.h) the
 * least. */
double memory_capacity(const struct plan *p);
double memory_capacity_on(const struct plan *p, unsigned types);
#endif
