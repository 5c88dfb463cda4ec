/*
 * serve_lora.h - adapters beside the weights of a serving engine, each request with one of them.
 *
 * vLLM and SGLang keep room for serving.max_loras adapters of serving.max_lora_rank on all linear layers
 * from the start, split as the layers are, and every pass has two products more for each (vLLM
 * vllm/lora/layers, vllm/lora/punica_wrapper/punica_gpu.py; SGLang python/sglang/srt/lora/mem_pool.py).
 */
#ifndef CORE_SERVE_LORA_H
#define CORE_SERVE_LORA_H
#include "core/model/params.h"
#include "core/plan/plan.h"

struct serve_lora {
	double slot;     /* bytes of an adapter on one GPU */
	double kernels;  /* of a pass */
	double token;    /* bytes of activations that they read and write for a token */
};

/* Of some layers on a GPU; all 0 of a plan without adapters. */
struct serve_lora serve_lora_of(const struct plan *p, const struct rank_layers *r);
#endif
