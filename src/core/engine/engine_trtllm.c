/* TensorRT-LLM: tensorrt_llm/llmapi/llm_args.py, _torch/pyexecutor/_util.py. With attention DP a rank
 * has MLPs and shared experts whole (_torch/models/modeling_deepseekv3.py, _compute_mlp_tp_size), and
 * the head (_torch/models/modeling_utils.py, DecoderModelForCausalLM). */
#include "core/engine/engine.h"

static void
trtllm_setup(struct serve_setup *s, const struct plan *p)
{
	(void)p;
	s->seqs = 2048;
	s->tokens = 8192;
	s->share = 0.9;
}

static double
trtllm_non_torch(const struct plan *p, const struct serve_setup *s)
{
	(void)p;
	return 3.5 + (s->tp <= 1 ? 0 : s->tp <= 2 ? 342 : 392) / 1024.0;
}

/* Before 1.1 its PyTorch flow took a long time for what is now native; before 1.0 compiled engines ran,
 * whose executor in C++ has no Python for each request (nvidia.github.io/TensorRT-LLM/0.18.2/torch.html:
 * the PyTorch flow was experimental). */
static const struct engine_host *
trtllm_host(const struct serve_setup *s)
{
	static const struct engine_host compiled = { 2.4e-6, 17e-6, .30e-3, 12e-6, .024, 3.3e-6, .05, .03, false };
	static const struct engine_host now = { 2.4e-6, 17e-6, .30e-3, 12e-6, .024, 3.3e-6, .05, .03, true };
	static const struct engine_host old = { 2.8e-6, 40e-6, .30e-3, 21e-6, .024, 34e-6, .05, .03, true };

	return s->version < 100 ? &compiled : s->version < 101 ? &old : &now;
}

const struct engine engine_trtllm = {
	.block = 32, /* tensorrt_llm/llmapi/llm_args.py, tokens_per_block */
	.setup = trtllm_setup,
	.dp_is_whole = true,
	.pool = POOL_OF_REST,
	.tables = 1.015,
	.non_torch = trtllm_non_torch,
	.logs = "ai-dynamo/aiconfigurator src/aiconfigurator/sdk/backends/trtllm_backend.py",
	.host = trtllm_host,
	.reduce = { [REDUCE_HOPPER] = { 5.3e-6, 7e-6 }, [REDUCE_BLACKWELL] = { 7e-6, 6e-6 } },
	.sorts_mxfp4 = true,
	.fuses_norms = true, /* AllReduceFusionOp, cpp/tensorrt_llm/kernels/fusedGatedGemm */
	.whole_heads = true,
	.mixes = true,
	.holds_prompts = true, /* _torch/pyexecutor/py_executor.py, _waiting_requests */
	.burst = .12,
};
