/*
 * Kernels by their names: of cuBLAS, CUTLASS and Tensile; grouped products of experts (CUTLASS,
 * DeepGEMM, vLLM's fused_moe, TensorRT-LLM's dynBatch); attention of flash-attn, cuDNN, PyTorch,
 * FlashInfer and the engines, and of linear attention and Mamba; norms of PyTorch, apex and
 * Transformer Engine; PyTorch's optimizers (multi_tensor_apply); NCCL (ncclDevKernel_AllGather_..) and
 * what stands for it, the engines' own all-reduces too (vLLM csrc/custom_all_reduce.cuh, FlashInfer
 * trtllm_allreduce_fusion); cache writes, routing and sampling of engines are operations (vLLM
 * csrc/cache_kernels.cu, csrc/moe/topk_softmax_kernels.cu).
 *
 * nsys stats --report cuda_gpu_kern_sum --format csv: "Time (%),Total Time (ns),Instances,Avg (ns),..,
 * Name", of which the name may have commas in quotes (NVIDIA Nsight Systems User Guide, reports).
 */
#include "file/log/kernels.h"

#include <stdlib.h>
#include <string.h>


enum { WORDS = 24 };

static const char *const comm_words[WORDS] = { "nccl", "rccl", "deep_ep", "nvshmem", "userbuffers",
	"cross_device_reduce", "allreduce_fusion", "one_shot_all_reduce", "two_shot_all_reduce", "multimem_all_reduce",
	"quickreduce", "internode", "intranode", "moe_a2a" };
static const char *const fused_words[WORDS] = { "flash", "fmha", "cudnn_generated_fort_native_sdpa" };
static const char *const softmax_words[WORDS] = { "softmax", "SoftMax" };
static const char *const routing_words[WORDS] = { "topk", "sampling" };

/* In the order in which they are asked for: of NCCL's kernels first, then of others. */
static const struct {
	enum kernel_class what;
	const char *word[WORDS];
} rows[] = {
	{ KERNEL_ALL_REDUCE, { "AllReduce", "cross_device_reduce", "allreduce", "all_reduce", "quickreduce" } }, { KERNEL_ALL_GATHER, { "AllGather" } },
	{ KERNEL_REDUCE_SCATTER, { "ReduceScatter" } },
	{ KERNEL_ALL_TO_ALL, { "AlltoAll", "AllToAll", "deep_ep", "internode", "intranode", "moe_a2a" } },
	{ KERNEL_SEND, { "SendRecv" } }, { KERNEL_COMM, { "" } },
	{ KERNEL_OPERATION, { "sampling::", "reshape_and_cache", "concat_and_cache_mla", "kv_buffer", "store_kv_cache",
	    "append_paged", "token_pool", "topk", "TopK" } }, /* of engines: sampling, cache writes, routing */
	{ KERNEL_ATTENTION, { "flash_", "flash::", "fmha", "Fmha", "cudnn_generated_fort_native_sdpa", "chunk_gated_delta",
	    "chunk_fwd", "chunk_bwd", "selective_scan", "ssd_", "_chunk_scan", "_chunk_state", "paged_attention",
	    "unified_attention", "attn_fwd", "WithKVCache", "WithPagedKVCache", "WithRaggedKVCache", "_fwd_grouped_kernel_stage",
	    "_fwd_kernel_stage", "MLA", "mla_", "gated_delta_rule" } },
	{ KERNEL_UPDATE, { "Adam", "adam", "multi_tensor_apply" } },
	{ KERNEL_EXPERTS, { "Grouped", "grouped", "GroupProblem", "group_gemm", "fused_moe", "moe_gemm",
	    "dynBatch", "MoeGemm", "marlin_moe", "fused_marlin_moe" } },
	{ KERNEL_PRODUCT, { "gemm", "Gemm", "GEMM", "nvjet", "cutlass", "xmma", "Cijk_", "matmul", "gemv", "splitKreduce",
	    "marlin::", "Marlin", "machete", "bmm_" } },
	{ KERNEL_NORM, { "layer_norm", "LayerNorm", "layernorm", "rms_norm", "RMSNorm", "rmsnorm", "ln_fwd",
	    "ln_bwd" } },
	{ KERNEL_OPERATION, { "" } },
};
enum { OWN_ROWS = KERNEL_COMM + 1, ROWS = sizeof rows / sizeof *rows };

static bool
has_word(const char *name, size_t n, const char *const words[WORDS])
{
	for (int i = 0; i < WORDS && words[i] != NULL; i++)
		if (memmem(name, n, words[i], strlen(words[i])) != NULL)
			return true;
	return false;
}

enum kernel_class
kernel_class(const char *name, size_t n)
{
	const bool sends = has_word(name, n, comm_words);

	for (int i = sends ? 0 : OWN_ROWS; i < ROWS; i++)
		if (has_word(name, n, rows[i].word))
			return rows[i].what;
	return KERNEL_OPERATION;
}

enum measured_id
kernel_measured(enum kernel_class k)
{
	static const enum measured_id id[] = {
		[KERNEL_ALL_REDUCE] = MEASURED_ALL_REDUCE, [KERNEL_ALL_GATHER] = MEASURED_ALL_GATHER,
		[KERNEL_REDUCE_SCATTER] = MEASURED_REDUCE_SCATTER,
		[KERNEL_ALL_TO_ALL] = MEASURED_ALL_TO_ALL, [KERNEL_SEND] = MEASURED_SEND,
		[KERNEL_COMM] = MEASURED_COUNT, [KERNEL_ATTENTION] = MEASURED_ATTENTION,
		[KERNEL_UPDATE] = MEASURED_UPDATE, [KERNEL_EXPERTS] = MEASURED_EXPERTS,
		[KERNEL_PRODUCT] = MEASURED_PRODUCTS, [KERNEL_NORM] = MEASURED_NORMS,
		[KERNEL_OPERATION] = MEASURED_OPERATIONS, [KERNEL_COPY] = MEASURED_COUNT,
	};

	return id[k];
}

bool
kernel_is_fused(const char *name, size_t n)
{
	return has_word(name, n, fused_words) || kernel_class(name, n) == KERNEL_ATTENTION;
}

bool
kernel_is_softmax(const char *name, size_t n)
{
	return has_word(name, n, softmax_words) && !has_word(name, n, routing_words);
}

void
kernels_say(struct run_reader *r, double fused, double softmax)
{
	if (softmax > 0 && !(fused > 0))
		run_say(r, EVIDENCE_UNFUSED, "softmax kernels, and none of flash or fmha", softmax);
	else if (fused > 0)
		run_say(r, EVIDENCE_FUSED, "attention kernels of flash or fmha", fused);
}

/* ---- sums of Nsight Systems ------------------------------------------------------------------ */

/* Where a cell begins that has so many before it, none of which is quoted; NULL without it. */
static const char *
cell_at(const char *line, int before)
{
	for (; line != NULL && before > 0; before--)
		line = (line = strchr(line, ',')) != NULL ? line + 1 : NULL;
	return line;
}

static void
end_sums(struct run_reader *r)
{
	double fused = r->nsys.fused, softmax = r->nsys.softmax;

	for (int k = 0; k < KERNEL_COPY; k++) {
		if (kernel_measured((enum kernel_class)k) != MEASURED_COUNT)
			run_add(r, kernel_measured((enum kernel_class)k), -1, r->nsys.seconds[k]);
		if (k > KERNEL_COMM)
			r->m->profiled += r->nsys.seconds[k];
	}
	kernels_say(r, fused, softmax);
}

static bool
sums_row(struct run_reader *r, const char *line)
{
	const char *time = cell_at(line, 1), *name = cell_at(line, r->nsys.before);
	const double seconds = time != NULL ? strtod(time, NULL) / 1e9 : 0;
	size_t n;

	if (name == NULL || !(seconds > 0) || !(seconds < 1e9)) {
		end_sums(r);
		return false;
	}
	name += *name == '"';
	n = strlen(name);
	r->nsys.seconds[kernel_class(name, n)] += seconds;
	if (kernel_is_fused(name, n))
		r->nsys.fused += seconds;
	else if (kernel_is_softmax(name, n))
		r->nsys.softmax += seconds;
	return true;
}

TAKES(sums_begin)
{
	memset(&r->nsys, 0, sizeof r->nsys);
	for (const char *c = line; (c = strchr(c, ',')) != NULL; c++)
		r->nsys.before++;
	r->next = sums_row;
}

const struct run_row run_kernel_rows[] = {
	{ ",Total Time (ns),Instances,", SOURCE_NSYS, BY(sums_begin) },
	{ ",\"Total Time (ns)\",\"Instances\",", SOURCE_NSYS, BY(sums_begin) },
	{ .words = NULL },
};
