#include "core/serve/serve_trial.h"

#include <math.h>

#include "core/base/number.h"
#include "core/model/params.h"

#define FUSED_MOE "vLLM vllm/model_executor/layers/fused_moe/"
#define ENCODER "vLLM vllm/v1/worker/gpu_model_runner.py, profile_run; vllm/multimodal/encoder_budget.py"

#define HELD(ledger, sum, name, source, expression, ...) \
	LEDGER_TERM(ledger, sum, QUANTITY_SERVE_MEMORY, name, source, expression, __VA_ARGS__)

/* ---- experts ------------------------------------------------------------------------ */

/* What runs experts: vLLM's own, FlashInfer's of CUTLASS, FlashInfer's of TensorRT-LLM. */
enum runner { RUNNER_VLLM, RUNNER_CUTLASS, RUNNER_TRTLLM };

/*
 * In 16 bits vLLM takes its own unless asked (fused_moe/oracle/unquantized.py). Since 0.15 it chooses for FP8
 * and NVFP4 by itself (fused_moe/oracle/fp8.py): TensorRT-LLM's on Blackwell, on Hopper CUTLASS, which
 * 0.17 leaves to EP and to weights with one scale a tensor. A plan does not tell scales: experts with
 * a gate are taken to have one a block, as DeepSeek and Qwen publish them, others one a tensor, as NVIDIA does.
 */
static enum runner
runner_of(const struct plan *p, int64_t version)
{
	const bool fp8 = p->serving.weight_dtype == WEIGHT_FP8;
	const bool asks = engine_of(p)->chooses_experts > 0 && version >= engine_of(p)->chooses_experts;

	if (!asks || (!fp8 && p->serving.weight_dtype != WEIGHT_NVFP4))
		return RUNNER_VLLM;
	if (p->cluster.generation == GENERATION_BLACKWELL)
		return RUNNER_TRTLLM;
	if (p->cluster.generation != GENERATION_HOPPER || !fp8)
		return RUNNER_VLLM;
	return version < 17 || p->parallel.ep > 1 || !p->model.gated_mlp ? RUNNER_CUTLASS : RUNNER_VLLM;
}

bool
serve_trial_keeps_experts(const struct serve_setup *s)
{
	return s->version >= 14;
}

void
serve_trial_add_experts(const struct plan *p, const struct serve_setup *s, double *sum, struct ledger *ledger)
{
	const struct model *m = &p->model;
	const double tp = p->parallel.ep > 1 ? 1 : s->tp, k = (double)m->experts_per_token;
	const double n = (double)m->moe_ffn_hidden_size / tp, h = params_expert_width(m);
	const double up = m->gated_mlp ? 2 : 1;
	const enum runner runner = runner_of(p, s->version);

	if (!plan_has_experts(p) || p->serving.ffn_gpus > 0 || p->serving.weight_dtype == WEIGHT_MXFP4)
		return;
	if (runner == RUNNER_VLLM)
		HELD(ledger, *sum, "activations: experts", FUSED_MOE "fused_moe.py",
		    2 * s->tokens * k * (larger(up * n, h) + larger(n, h)),
		    AS("T", s->tokens), IS(k), IS(up), AS("N", n), IS(h));
	else if (runner == RUNNER_CUTLASS)
		HELD(ledger, *sum, "activations: experts", FUSED_MOE "flashinfer_cutlass_moe.py",
		    2 * s->tokens * h, AS("T", s->tokens), IS(h));
}

double
serve_trial_padding(const struct plan *p, int64_t version)
{
	const struct model *m = &p->model;
	const double ranks = params_expert_ranks(p) / at_least_one(p->parallel.ep);
	const double n = (double)m->moe_ffn_hidden_size / ranks;

	if (!plan_has_experts(p) || m->gated_mlp || p->serving.weight_dtype != WEIGHT_FP8 || version < 17 ||
	    runner_of(p, version) == RUNNER_VLLM || !(n > 0))
		return 0;
	return ceil(n / 128) * 128 / n - 1;
}

/* ---- images ------------------------------------------------------------------------- */

/*
 * As many of the largest image as the batch's tokens have room for, one at least. Before 0.12 each was laid
 * out for the whole room since 0.11 (vllm-project/vllm#25810, #29386).
 */
void
serve_trial_add_images(const struct plan *p, const struct serve_setup *s, double *sum, struct ledger *ledger)
{
	const struct model *m = &p->model;
	const double tokens = (double)m->vision_tokens, h = (double)m->hidden_size;
	const double outputs = 1 + (double)m->vision_deepstack, room = larger(s->tokens, tokens);
	double images, each;

	if (!(m->vision_params > 0) || !(tokens > 0))
		return;
	images = floor(room / tokens);
	each = s->version == 11 ? room : tokens;
	HELD(ledger, *sum, "activations: tokens of images", ENCODER, images * each * outputs * h * 2,
	    IS(images), AS("tokens of each", each), IS(outputs), IS(h));
}
