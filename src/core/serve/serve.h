/*
 * serve.h - a serving engine: what its memory holds, how many requests fit, how fast it is.
 *
 * vLLM:         pool = util*memory - weights - non-torch - activations (- CUDA graphs)
 * SGLang:       pool = fraction*memory before loading - weights
 * TensorRT-LLM: pool = fraction*(memory - weights - everything else)
 *
 * Sources: vLLM vllm/v1/worker/gpu_worker.py (determine_available_memory), SGLang
 * python/sglang/srt/model_executor/model_runner.py, TensorRT-LLM
 * tensorrt_llm/_torch/pyexecutor/_util.py. Constants that only logs tell (non-torch,
 * sampler) were read off those of llm-d-incubation/llm-d-planner pull request 205.
 *
 * Not modelled: what the CPU does to images.
 */
#ifndef CORE_SERVE_H
#define CORE_SERVE_H
#include <stdbool.h>

#include "core/base/ledger.h"
#include "core/framework/layout.h"
#include "core/framework/stage.h"
#include "core/plan/plan.h"
#include "core/rate/rate.h"
#include "core/rate/rate_pools.h"

/* At the percentiles of result.def. Seconds. */
struct serve_times {
	double p50, p90, p95, p99;
	double asked;                /* at traffic.percentile */
	double mean;
};

/* How far an open loop is followed. */
enum follow {
	FOLLOW_MEANS,       /* formulas, */
	FOLLOW_PERCENTILES, /* and events, */
	FOLLOW_LIMITS,      /* and what is inside the limits */
};

/* Up to so much of what engines take the time to a first token means something: beyond it a step that
 * is off by a tenth decides between a queue and none. */
#define SERVE_LOAD_KNOWN .9

/* Requests that arrive by themselves, so many a second. Numbers are of all engines, but where it
 * says otherwise. */
struct serve_rate {
	bool known;                  /* the plan has a rate, its GPU rates */
	bool limited;                /* and it has limits */
	bool followed;               /* percentiles hold: serve_follow was here, and the rate is taken */
	double saturation;           /* requests a second beyond which the queue grows without end */
	double load;                 /* the rate over that */
	double in_flight;
	double inside;               /* requests a second inside the limits */
	double hit;                  /* share of the prompts' tokens that the prefix cache has */
	double most;                 /* requests a second of one engine whose hits follow from prefixes: fewer are
	                              * left the more run; 0: others */
	double preempted;            /* times that a request is put back */
	double joules;               /* of a generated token, all GPUs */
	double reached, busy;        /* by a benchmark of so many requests: of them a second, its drain
	                              * included; share of its time that an engine works */
	struct serve_times ttft, tpot, life; /* life: end to end */
	double gap;                  /* between tokens of a request, p99 */

	double engines;              /* that take turns: replicas, and ranks that work alone */
	struct rate_engine engine;   /* one of them, that decodes */
	struct rate_load load_of_one;
	bool split;                  /* prefill has workers of its own: */
	struct rate_pools pools;
};

/* Per GPU of the fullest stage, the one that runs out of KV cache first; names are those
 * of `estimate --json`, serving. Figures of an engine with data parallel attention: the
 * pool and its tokens are of one DP rank, as the engine prints them. */
struct serve {
	double weight_bytes, non_torch_bytes, activation_bytes, graph_bytes;
	double kv_pool_bytes;        /* what is left for the KV cache, 0 where nothing is */
	double kv_bytes_per_token;   /* on one GPU */
	double state_bytes_per_request; /* recurrent state of linear-attention layers */
	double kv_tokens, kv_blocks; /* of one engine, as the engine prints them */
	double max_concurrency;      /* requests of context_length at once, one engine */
	double slots;                /* requests of the plan's length at once, one engine */
	double ttft_seconds, tpot_seconds; /* means; with a rate by formulas, 0 where it is not taken */
	double ttft_error, tpot_error; /* of them without calibration: core/framework/error.h */
	double step_seconds, prefill_seconds; /* one decode step; one prompt alone */
	double prompts_share_seconds; /* of other requests' prompts in tpot_seconds */
	double queue_seconds;        /* of other requests' prompts in ttft_seconds */
	double cycle_seconds;        /* from a request's slot to its last token */
	double tokens_per_second, tokens_per_second_per_gpu; /* generated, all replicas; per GPU */
	double tokens_per_second_per_user;
	double cost_per_million_tokens; /* in the money of the GPUs' price, 0: not known */
	double draft_gain;           /* tokens a second over those without drafts, with what runs; 0: none */
	double draft_batch;          /* requests of one engine from which drafts lose, 0: they never do */
	double running;              /* requests that hold a slot, all replicas */
	double transfer_seconds;     /* prompt's KV cache from a prefill to a decode node, */
	double transfer_bytes;       /* of it, */
	double transfer_rate;        /* B/s, of the network cards that send it */
	double prefill_rate;         /* prompts a second of prefill workers, 0 without such, */
	double prefill_utilisation;  /* and the share that comes */
	double prefill_gpu_bytes;    /* what one of their GPUs holds */
	double prefill_gpus_balanced; /* of all GPUs: with both pools used alike */
	double ffn_gpu_bytes;        /* what a GPU of MLPs alone holds, 0 without such, */
	double ffn_share;            /* and the share of a decode step in which it computes */
	bool fits;                   /* a request of context_length, and concurrency at once */
	struct serve_rate rate;      /* of a plan with a rate */
};

/* p resolved, in serve mode; l and pl hold for it. weights: the bytes that they take on a GPU of
 * each stage, with what lies beside parameters (rotary table, absorbed projections, padding and
 * the allocator's rest). It and ledger may be NULL. */
struct serve serve_estimate(const struct plan *p, const struct layout *l,
    const struct placement *pl, double *weights, struct ledger *ledger);
#endif
