/* vLLM: vllm/engine/arg_utils.py, vllm/v1/worker/gpu_worker.py, vllm/config/. */
#include "core/base/number.h"
#include "core/engine/engine.h"
#include "core/plan/hardware.h"

/* Memory that is the host's, with no PCIe between. NVML does not tell its size on the GB10, and vLLM takes
 * its smallest batch then (vllm-project/vllm#57378). */
static bool
is_unified(const struct cluster *c)
{
	return c->generation == GENERATION_BLACKWELL_RTX && !(c->pcie_gbps > 0);
}

/* Cards that vLLM gives a large batch: 70 GiB and more, but not the A100
 * (vllm/engine/arg_utils.py). It goes by the driver's name, which the A800, an A100 whose
 * NVLink is cut below 300 GB/s, does not share. */
static bool
is_large(const struct plan *p)
{
	const struct cluster *c = &p->cluster;
	const bool cut = c->nvlink_gbps > 0 && c->nvlink_gbps < 300;

	return c->memory_gib >= 70 && !is_unified(c) && (c->generation != GENERATION_AMPERE || cut);
}

/* V0 runs whole prompts in one pass, up to 32768 tokens. */
static void
vllm_setup(struct serve_setup *s, const struct plan *p)
{
	const double length = (double)p->serving.context_length;

	s->seqs = is_large(p) && s->version >= 8 ? 1024 : 256;
	if (s->version < 8)
		s->tokens = length > 32768 ? 2048 : larger(2048, length);
	else if (s->version >= 28 && p->cluster.memory_gib >= 160) /* vllm-project/vllm#51726 */
		s->tokens = 16384;
	else
		s->tokens = is_large(p) ? 8192 : 2048;
	s->share = s->version >= 22 ? 0.92 : 0.9;
}

/* V1 on GPUs before Hopper: their kernels and cuBLAS's workspace are smaller. */
static bool
is_small(const struct plan *p, const struct serve_setup *s)
{
	return s->version >= 8 && p->cluster.generation >= GENERATION_VOLTA &&
	    p->cluster.generation < GENERATION_HOPPER;
}

static double
vllm_constant(const struct plan *p, const struct serve_setup *s)
{
	return is_small(p, s) ? 0.02 : 0.12;
}

/* On MI300X: code of kernels, hipBLAS and buffers of RCCL and of the quick all-reduce among them. */
static double
rocm_non_torch(const struct serve_setup *s)
{
	if (s->tp <= 1)
		return 1.2;
	return s->tp <= 4 ? 1.46 : 3.4;
}

/* Graphs are captured for a trial since 0.18 while memory is profiled, and what loads for them stays
 * (gpu_worker.py, determine_available_memory; vllm-project/vllm#30515). */
static bool
tries_graphs(const struct plan *p, const struct serve_setup *s)
{
	return s->version >= 18 && !p->serving.eager;
}

/* Of one GPU; since 0.20 it comes with CUDA 13 and PyTorch 2.11. */
static double
lone_non_torch(const struct plan *p, const struct serve_setup *s)
{
	if (s->pp > 1)
		return 0.07;
	if (is_small(p, s))
		return 0.05;
	if (tries_graphs(p, s))
		return s->version >= 20 ? 0.6 : 0.25;
	return s->version >= 8 ? 0.13 : 0.1;
}

/*
 * GiB that vLLM finds allocated outside of PyTorch: NCCL and, where GPUs reach each other
 * over NVLink, buffers of the custom all-reduce. Read off logs of each version.
 */
static double
vllm_non_torch(const struct plan *p, const struct serve_setup *s)
{
	const double eight = s->tp == 8 && p->cluster.gpus_per_node >= 8 ? 0.25 : 0; /* of one node */

	if (generation_of(p)->rocm)
		return rocm_non_torch(s);
	if (s->tp <= 1)
		return lone_non_torch(p, s);
	if (!(p->cluster.nvlink_gbps > 0))
		return 0.28;
	if (tries_graphs(p, s))
		return (s->tp <= 2 ? 2.07 : 2.21) + eight + (s->version >= 20 ? 0.9 : 0);
	return s->version >= 8 ? 0.55 + eight : 2.15;
}

/* Since 0.14 it schedules a step while the one before it runs, but not over pipeline stages, nor
 * where Ray runs several GPUs of an engine (vllm/config/vllm.py). */
static const struct engine_host *
vllm_host(const struct serve_setup *s)
{
	static const struct engine_host ahead = { 3.7e-6, 17e-6, .26e-3, 12e-6, .003, 12e-6, .055, .003, true };
	static const struct engine_host behind = { 3.7e-6, 17e-6, .26e-3, 35e-6, .003, 12e-6, .055, .012, false };

	return s->version >= 14 && s->pp <= 1 && (s->tp <= 1 || !s->ray) ? &ahead : &behind;
}

const struct engine engine_vllm = {
	.block = 16, /* vllm/config/cache.py */
	.default_version = true,
	.setup = vllm_setup,
	.experts_over_all = true,
	.blocks_are_whole = true, /* vllm/model_executor/layers/quantization/fp8.py, Fp8MoEMethod.create_weights */
	.dp_is_whole = true,
	.apart = "vllm-project/afd-plugin",
	.halves = "vLLM vllm/v1/worker/gpu_ubatch_wrapper.py",
	.passes_hold_requests = true,
	.pool = POOL_OF_PROFILE,
	.non_torch = vllm_non_torch,
	.constant = vllm_constant,
	.logs = VLLM_LOGS,
	.graphs_apart = true,
	.pads_mxfp4 = true,
	.pads_on_rocm = true,
	.chooses_experts = 15, /* vllm-project/vllm#32414 */
	.segments_since = 8,
	.in_blocks = true,
	.windows_since = 10,
	.flat_since = 18, /* vllm-project/vllm#35891, #37252: FlashInfer's sparse MLA */
	.whole_since = 12, /* blog.vllm.ai/2026/01/08/kv-offloading-connector.html */
	.state_as_model = true,
	.spreads_index = true,
	.host = vllm_host,
	.reduce = { [REDUCE_HOPPER] = { 6.6e-6, 6e-6 }, [REDUCE_BLACKWELL] = { 9.2e-6, 14e-6 } },
	.marlin_on_rtx = true, /* vllm-project/vllm#47749, #56603 */
	.sends_by_deepep = true,
	.mixes = true,
	.mixes_in_graphs = true,
	.burst = .25,
};
