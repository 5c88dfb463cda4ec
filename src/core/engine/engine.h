/*
 * engine.h - what each serving engine does in its own way: one row an engine.
 *
 * The rest of core asks these traits and functions, never which engine it is. A new engine is
 * a file with a row here, and a line in engines.def; until it is measured, error.def answers for
 * it with the error of any.
 */
#ifndef CORE_ENGINE_ENGINE_H
#define CORE_ENGINE_ENGINE_H
#include <stdbool.h>
#include <stdint.h>

#include "core/plan/plan.h"

/* Settings that a plan leaves to the engine, decided as it does (serve_setup.h). */
struct serve_setup {
	int64_t version;      /* 100*major + minor: 19 for 0.19; unknown counts as newest */
	int64_t patch;        /* 6 for 0.5.6, of an unknown version as large as there is */
	double total;         /* bytes that a program sees on one GPU */
	double share;         /* of the memory, the engine's own meaning */
	double pool_share;    /* of a byte more of memory, what the KV pool gets */
	double seqs, tokens;  /* most sequences in a batch, tokens in a forward pass */
	double held, enough;  /* decode steps that prompts are held back at most, tokens of a pass that end it */
	double tp, pp;
	double dp;            /* ranks of an engine that hold requests of their own */
	double engines;       /* replicas */
	bool ray;             /* runs them, as it does engines of rollouts */
};

#define VLLM_LOGS "llm-d-incubation/llm-d-planner pull request 205, vLLM logs"

/* The host's part: seconds, but for the last. */
struct engine_host {
	double kernel, launch;       /* of a small kernel in a graph, of one without */
	double step, request;        /* not hidden behind the GPU; of each request in it */
	double answer, prompt_token; /* HTTP and tokenizer */
	double together;             /* prompts that meet others, as a share */
	double arrival;              /* as answer, where requests arrive by themselves */
	bool ahead;                  /* a step is scheduled while the one before it runs, without those
	                              * who come meanwhile */
};

/* An all-reduce over NVLink: seconds at least, seconds more of messages above 256 KiB. */
struct engine_reduce {
	double least, large;
};
enum { REDUCE_HOPPER, REDUCE_BLACKWELL, REDUCES };

/* How the room for the KV cache is found. */
enum engine_pool {
	POOL_OF_PROFILE,       /* a share of the memory less all that a trial run held */
	POOL_OF_FREE,          /* a share of what was free before loading, less the weights */
	POOL_OF_REST,          /* a share of what the weights and a trial run leave */
};

struct engine {
	/* fields that a plan does not set */
	int64_t block;             /* tokens of a block of the cache */
	bool default_version;      /* serving.engine_version has a default, that of its table */

	/* Limits of a batch and share of the memory: seqs, tokens and share of *s, of which version,
	 * total and ranks are filled in. */
	void (*setup)(struct serve_setup *s, const struct plan *p);

	/* ranks */
	bool experts_over_all;     /* EP has no size: experts spread over all ranks of TP and DP, or
	                            * TP and DP split each (vLLM vllm/config/parallel.py) */
	bool blocks_are_whole;     /* a rank's part of an expert is whole blocks of FP8 weights that share a scale */
	bool dp_is_whole;          /* a rank of DP attention has all but its experts whole */

	/* requests that it refuses */
	bool passes_are_blocks;    /* tokens of a pass are whole blocks */
	bool passes_hold_requests; /* tokens of a pass are no fewer than requests of a batch */
	bool drafts_on_one_stage;  /* no drafted tokens over pipeline stages */

	const char *apart;         /* source where MLPs can have GPUs of their own, NULL: never */
	const char *halves;        /* source where passes are cut in two that overlap, NULL: never */

	/* memory */
	enum engine_pool pool;
	double tables;             /* bytes of the pool and the tables of its blocks over the pool's,
	                            * 0: a byte more of memory is all the pool's */
	double (*non_torch)(const struct plan *p, const struct serve_setup *s); /* GiB */
	double (*constant)(const struct plan *p, const struct serve_setup *s); /* GiB of a trial run
	                            * that nothing tells the size of; NULL: none */
	const char *logs;          /* source of both */
	double loading_leaves[2];  /* GiB of the allocator that count as weights, of one GPU and of
	                            * several that share an engine */
	bool graphs_apart;         /* CUDA graphs are no part of what lies beside PyTorch */
	bool pads_mxfp4;           /* experts in MXFP4 to whole tiles of Marlin */
	bool pads_on_rocm;         /* experts in 16 bits on AMD's GPUs, where the driver counts (serve_held.c) */
	int64_t chooses_experts;   /* version since which FlashInfer's kernels run quantised experts unasked, 0: never */
	int64_t segments_since;    /* version since which weights fill PyTorch's segments as vLLM
	                            * merges them, 0: not known to */

	/* cache */
	bool in_blocks;            /* one pool of blocks for all layers, counted in them; else tokens */
	bool window_pool;          /* layers with windows have a second pool */
	int64_t windows_since;     /* version since which windows save memory beside full layers */
	int64_t whole_since;       /* version since which a block holds all layers in one piece, 0: none does */
	bool state_as_model;       /* a state that no model asks for in fp32 is in the model's type */
	bool spreads_index;        /* DCP spreads the keys of sparse indexers too */
	int64_t flat_since;        /* version since which Blackwell has an FP8 latent with an indexer a byte
	                            * a value, without scales of its own, 0: none has */
	bool counts_latent_bytes;  /* of an FP8 latent with an indexer a token counts a byte a value,
	                            * and its scales come on top */

	/* time */
	const struct engine_host *(*host)(const struct serve_setup *s);
	struct engine_reduce reduce[REDUCES];
	bool sorts_mxfp4;          /* experts in MXFP4 by Triton kernels that sort tokens on Hopper */
	bool marlin_on_rtx;        /* weights in 4 bits are turned into 16 on RTX's Blackwell */
	bool sends_by_deepep;      /* tokens to experts of other nodes, whose products are DeepGEMM's */
	bool fuses_norms;          /* norms with residuals, and gates, are parts of other kernels */
	bool whole_heads;          /* sparse attention of MLA takes heads as they are, not padded */
	bool mixes;                /* prompts into decode steps */
	bool mixes_in_graphs;      /* and runs such steps in CUDA graphs, by parts */
	bool holds_prompts;        /* for serving.batch_wait_steps, that they share passes */
	bool polls;                /* looks for requests every serving.poll_interval steps */
	double burst;              /* of prompts beyond the prefill workers, wait as a share */
};

#define ENGINE(id, name) extern const struct engine engine_##name;
#include "core/plan/engines.def"
#undef ENGINE
extern const struct engine *const engine_rows[]; /* by enum engine_id */

/* The row of serving.engine. */
static inline const struct engine *
engine_of(const struct plan *p)
{
	return engine_rows[p->serving.engine];
}

/* 100*major + minor of "0.19", "v0.6.3", "V0" (0); INT32_MAX without a number, as then the
 * patch is. */
int64_t engine_version(const char *text, int64_t *patch);

/* Ranks of the plan's DP attention have all but their experts whole. */
bool engine_dense_is_whole(const struct plan *p);
#endif
