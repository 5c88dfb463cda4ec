/*
 * serve_rates.h - what the kernels of serving engines reach on a GPU, and what hosts take.
 *
 * Kernels are those of CUDA graphs of vLLM 0.19, TensorRT-LLM 1.3 and SGLang 0.5 in public
 * tables (ai-dynamo/aiconfigurator, systems/data: gemm_perf, moe_perf, custom_allreduce_perf).
 * What no kernel table tells, the host's part and how requests meet, fits benchmarks of whole
 * engines (the same repository, systems/silicon_sample.csv; SemiAnalysisAI/InferenceX). Nothing
 * is of a model: rows are a GPU's generation, a number format, an engine.
 */
#ifndef CORE_SERVE_RATES_H
#define CORE_SERVE_RATES_H
#include "core/plan/plan.h"
#include "core/serve/serve_setup.h"

/* Matrix products in one number format. */
struct product_rate {
	double flops;  /* a second, of large ones */
	double bytes;  /* of weights a second, of small ones */
};

struct serve_rates {
	struct product_rate dense;   /* linear layers outside of routed experts, */
	double least_rows;           /* and rows that these compute at least besides their own */
	double quantise;             /* seconds of each of their inputs that is turned into the weights' format */
	struct product_rate head;    /* in 16 bits, which the head always is */
	struct product_rate expert;  /* of a grouped product */
	double expert_sent;          /* FLOP a second of it where prompts' tokens travel between nodes */
	double expert_wide;          /* the same of wide experts, of many rows each */
	double expert_seconds;       /* of the kernels of a layer's experts, beside that */
	double attention, cache;     /* FLOP and bytes a second of attention; */
	double sparse;               /* FLOP a second of it in prefill on picked tokens */
	double recurrent;            /* FLOP a second of linear attention in prefill */

	double kernel;               /* seconds of a small kernel in a CUDA graph, */
	double launch;               /* and of launching one without */
	double host, request_host;   /* host of a step: the same for all, and of each request */
	double answer, prompt_token; /* HTTP and tokenizer: of a request, of a token */
	double arrival;              /* as answer, of a plain server under an open loop */
	double together;             /* prompts that meet others, as a share; see serve_loop.c */
	bool ahead;                  /* see engine.h */
	bool mixes;                  /* prompts into decode steps */
	bool polls;                  /* looks for requests every serving.poll_interval steps */

	/* an all-reduce over NVLink: seconds at least, seconds more of messages above 256 KiB */
	double reduce, reduce_large;
};

struct serve_rates serve_rates_of(const struct plan *p, const struct serve_setup *setup);
#endif
