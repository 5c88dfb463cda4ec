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
 * Not modelled: LoRA, vision towers, redundant experts.
 */
#ifndef CORE_SERVE_H
#define CORE_SERVE_H
#include <stdbool.h>

#include "core/base/ledger.h"
#include "core/framework/layout.h"
#include "core/framework/stage.h"
#include "core/plan/plan.h"

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
	double ttft_seconds, tpot_seconds;
	double ttft_error, tpot_error; /* of them without calibration: core/framework/error.h */
	double step_seconds, prefill_seconds; /* one decode step; one prompt alone */
	double prompts_share_seconds; /* of other requests' prompts in tpot_seconds */
	double queue_seconds;        /* of other requests' prompts in ttft_seconds */
	double cycle_seconds;        /* from a request's slot to its last token */
	double tokens_per_second, tokens_per_second_per_gpu; /* generated, all replicas; per GPU */
	double tokens_per_second_per_user;
	double running;              /* requests that hold a slot, all replicas */
	double transfer_seconds;     /* prompt's KV cache from a prefill to a decode node, */
	double transfer_bytes;       /* of it, */
	double transfer_rate;        /* B/s, of the network cards that send it */
	double prefill_rate;         /* prompts a second of prefill workers, 0 without such, */
	double prefill_utilisation;  /* and the share that comes */
	double prefill_gpu_bytes;    /* what one of their GPUs holds */
	double prefill_gpus_balanced; /* of all GPUs: with both pools used alike */
	bool fits;                   /* a request of context_length, and concurrency at once */
};

/* p resolved, in serve mode; l and pl hold for it. weights: the bytes that they take on a GPU of
 * each stage, with what lies beside parameters (rotary table, absorbed projections, padding and
 * the allocator's rest). It and ledger may be NULL. */
struct serve serve_estimate(const struct plan *p, const struct layout *l,
    const struct placement *pl, double *weights, struct ledger *ledger);
#endif
