/*
 * framework.h - what each framework does in its own way: one row a framework.
 *
 * Layouts of process groups, placement of layers, bytes of the training state and the
 * traits below are all that the rest of core asks; it never asks which framework it is.
 * A new framework is a file with a row here, and a line in frameworks.def.
 */
#ifndef CORE_FRAMEWORK_FRAMEWORK_H
#define CORE_FRAMEWORK_FRAMEWORK_H
#include <stdbool.h>
#include <stdint.h>

#include "core/plan/plan.h"

struct diag_list;
struct layout;
struct placement;
struct recipe;

/* Whose checks a launch goes through (check_rules.def), as bits: one a framework. */
enum rule_set {
#define FRAMEWORK(id, name) RULES_##id = 1 << LAYOUT_##id,
#include "core/plan/frameworks.def"
#undef FRAMEWORK
};
#define RULES_ALL (~0U) /* every framework, of which those that train: */
#define RULES_TRAINERS (RULES_ALL & ~(unsigned)(RULES_VLLM | RULES_SEED))
/* that can keep copies of sharded state (rule copies_not_supported): */
#define RULES_COPIES (RULES_TRAINERS & ~(unsigned)RULES_NANOTRON)

/* The size that the vocabulary is padded to: TP x model.vocab_multiple, TP, nothing. */
enum vocab_padding { VOCAB_AS_IS, VOCAB_TO_MULTIPLE, VOCAB_TO_TP };

/* Bytes of sharded layers in a step besides their shards. */
struct working_set {
	bool buckets;          /* buckets and live parameters of configured sizes, not layers */
	int64_t from;          /* ZeRO stage from which gradients of layers wait for their reduction */
	int64_t layers;        /* that wait at once */
	const char *source;
};

/* Of Megatron's FSDP, and of those that say nothing else. */
#define MEGATRON_FSDP { .from = 2, .layers = 1, .source = "Megatron-LM " \
    "megatron/core/distributed/fsdp/src/megatron_fsdp/param_and_grad_buffer.py" }

/* Gradients that are reduced at once where training.bucket_size does not say: parameters, at least
 * so many for each rank; else MiB of gradients. */
struct bucket {
	double params, a_rank, mib;
};

/* Megatron-LM megatron/core/distributed/distributed_data_parallel.py */
#define MEGATRON_BUCKET { .params = 40e6, .a_rank = 1e6 }

enum { FRAMEWORK_LAYERED = 4, FRAMEWORK_EVER = 1 /* since when, of what all releases have */ };

struct framework {
	bool serves;           /* engines run in it, no training */

	/* l->world is given and positive, edp is 1, sizes may be anything: fill in dp and edp, or
	 * refuse with the framework's reason. */
	bool (*size)(struct layout *l, const struct plan *p, struct diag_list *diags);

	/* Add grids and kinds to a layout that was not refused. */
	void (*group)(struct layout *l, const struct plan *p);

	/* Kinds among them that talk in every layer. */
	const char *each_layer[FRAMEWORK_LAYERED];

	/* CP cuts a sequence into one run of tokens a rank. Else each holds an early and a late
	 * piece, so that causal work is even: i and 2 x CP - 1 - i of 2 x CP (Megatron-LM
	 * megatron/core/utils.py, get_batch_on_this_cp_rank; torchtitan torchtitan/config, where
	 * context_parallel_load_balancer is "headtail"). */
	bool tokens_in_order;

	/* out->pp and vpp are given, all chunks empty: place the layers or refuse. */
	bool (*place)(struct placement *out, const struct plan *p, struct diag_list *diags);

	/* A plan can say how layers are split over stages, in more than one way (account_for_*,
	 * first_stage_layers, last_stage_layers, pipeline_layout). */
	bool states_splits;

	/* Bytes a parameter takes in training, and what is sharded; *r comes zeroed. */
	void (*state)(struct recipe *r, const struct plan *p);

	/* Gradients are kept in the plan's precision unless training.grad_dtype is set, and sent in
	 * it always (DeepSpeed deepspeed/runtime/engine.py, get_data_types and
	 * communication_data_type); else fp32, sent as they are kept. */
	bool gradients_in_precision;

	/* experts */
	bool etp_follows_tp;       /* unless parallel.etp says otherwise (Megatron-LM megatron/core/
	                            * parallel_state.py, DeepSpeed); else experts are whole */
	bool tp_splits_experts;    /* no expert TP: TP splits experts where EP does not */
	bool experts_need_ep;      /* no shards of their own for experts that EP does not split */
	bool experts_shard_as_dense; /* one optimizer group: ranks of TP repeat the experts */

	bool rounds_epochs;        /* the last step of an epoch is short (accelerate's loaders, skip_first_batches);
	                            * else samples that are consumed count (Megatron-LM
	                            * megatron/legacy/data/data_samplers.py) */

	bool gathers_16bit;        /* ZeRO-3 can save whole weights beside its shards (DeepSpeed
	                            * deepspeed/runtime/engine.py, stage3_gather_16bit_weights_on_model_save) */

	bool decreases_batch;      /* a batch that fewer GPUs do not divide is rounded down at their wish */

	/* model */
	enum vocab_padding vocab;
	bool skips_mtp;            /* multi-token-prediction layers are not run */

	/* kernels */
	bool eager;                /* no fused kernels around products */
	bool norms_in_parts;       /* and RMSNorm is single operations in fp32 */
	bool rotates_in_fp32;      /* rotation of queries and keys too, which no compiler fuses */
	int64_t fuses_since;       /* release (year and month) since which the product of a weight's
	                            * gradient adds to it, before and 0: kernels of their own do */
	bool casts_gradients;      /* those cast a gradient to fp32 first, to be added */

	/* An optimizer that is sharded whatever the stage has gradients of its own, to which every
	 * backward pass adds those of the weights, and sums them up whole; NULL: never. */
	bool (*adds_apart)(const struct plan *p);

	int64_t copies_since;      /* the same: since which ZeRO-3 shards each
	                            * parameter for itself, and so copies what it gathers */
	int64_t stops_since;       /* the same: since which a full recompute ends with the last
	                            * tensor that backward asks for */
	int64_t torch29_since;     /* the same: since which it runs PyTorch 2.9, whose attention
	                            * is cuDNN's on Hopper (pytorch pull request 162073), and
	                            * RMSNorm one kernel (153666) */
	int64_t latent_since;      /* the same: since which MLA's queries are rotated, and its keys and
	                            * values joined, by a kernel each */
	int64_t packed_since;      /* the same: since which single operations rotate all documents of a
	                            * sequence at once, not one after the other */
	bool transformer_engine;   /* its attention, products and workspaces */
	const char *gate_kept;     /* source where silu(gate) is kept beside its product, else NULL */
	const char *sequence_first; /* source where attention always copies its output, else NULL */

	enum cross_entropy loss;   /* of pretraining, unless training.cross_entropy says otherwise */
	const char *by_operation;  /* source where a selective recompute is of operations: what attention gives
	                            * stays, and each second product; else NULL */

	/* traffic */
	const char *sends_batch;   /* source where the first rank of a TP group sends the batch, else NULL */
	bool async_tp;             /* TP overlap cuts products in PyTorch (torchtitan's asyncTP) */
	int64_t tp_beside_since;   /* the same: since which backward works beside TP's collectives, before and
	                            * 0: nothing does */
	bool tp_keeps_gathered;    /* backward gathers no input again, and sequences of a
	                            * micro-batch are gathered and scattered by copies */
	int64_t heads_split_since; /* the same: since which normed queries and keys stay split over
	                            * TP; before, each rank gathers and rotates those of all heads;
	                            * 0: they always do */
	bool reduces_each;         /* gradients in every micro-batch, whatever the ZeRO stage, and
	                            * parameters are gathered in each; with a pipeline once (PyTorch's
	                            * FSDP2, of which nothing is put off: torch/distributed/fsdp/
	                            * _fully_shard/_fsdp_param_group.py, post_backward) */
	bool gathers_once;         /* ZeRO-3 with a pipeline: once for all micro-batches of a step */
	bool prefetches;           /* ZeRO-3 runs ahead in the forward pass, whatever the switches say */
	int64_t prefetch_since;    /* release (year and month) before which ZeRO-3 gathered each
	                            * parameter when its layer began, 0: none */
	bool parts_sends;          /* ranks of TP send a part each of what stages pass on, and gather it */
	int64_t sums_since;        /* the same: since which ZeRO 1 and 2 all-reduce gradients of which each
	                            * rank needs a part; before, and 0: each reduces its own */
	bool shards_optimizer_alone; /* ZeRO-1 is built whatever the stage above 0 */
	bool slices_state;         /* ZeRO-1 copies slices of every parameter one by one */
	struct working_set working;
	struct bucket bucket;

	/* rollouts (verl verl/workers/fsdp_workers.py) */
	bool idles_bare;           /* between its phases a trainer holds no gradients, and its
	                            * reference is on the host in any case */

	/* pipeline */
	bool equal_rounds;         /* VPP runs equal rounds; microbatch_group_size is not asked */
};

#define FRAMEWORK(id, name) extern const struct framework framework_##name;
#include "core/plan/frameworks.def"
#undef FRAMEWORK
extern const struct framework *const framework_rows[]; /* by enum layout_id */

/* The framework that a plan of this mode follows where it names none: the first one for it. */
enum layout_id framework_usual(int64_t mode);

/* True where a plan names a release of its framework before that of a year and month; one that
 * names none has the newest. */
static inline bool
framework_before(const struct plan *p, int64_t month)
{
	return p->parallel.release > 0 && p->parallel.release < month;
}

/* Its bit of enum rule_set. */
static inline unsigned
framework_rules(const struct plan *p)
{
	return 1U << p->parallel.layout;
}

/* The row of parallel.layout. */
static inline const struct framework *
framework_of(const struct plan *p)
{
	return framework_rows[p->parallel.layout];
}

/* True where a plan's release has what came with that of a year and month, 0: none has it. */
static inline bool
framework_runs(const struct plan *p, int64_t since)
{
	return since > 0 && !framework_before(p, since);
}

/* Multi-token-prediction layers that are run. */
static inline int64_t
framework_mtp_layers(const struct plan *p)
{
	return framework_of(p)->skips_mtp ? 0 : p->model.mtp_layers;
}

static inline bool
framework_adds_apart(const struct plan *p)
{
	return framework_of(p)->adds_apart != NULL && framework_of(p)->adds_apart(p);
}

/* The ZeRO stage that it runs. */
static inline int64_t
framework_zero(const struct plan *p)
{
	if (framework_adds_apart(p))
		return 1;
	return framework_of(p)->shards_optimizer_alone && p->parallel.zero_stage > 1 ? 1 :
	    p->parallel.zero_stage;
}
#endif
