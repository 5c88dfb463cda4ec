/* Number formats, kernels, graphs and dispatchers: which GPUs and sizes they take. */
#include "core/base/number.h"
#include "core/plan/batch.h"
#include "core/plan/format.h"
#include "core/plan/hardware.h"
#include "core/rules/check_rules.h"

static const char *
precision_name(const struct plan *p)
{
	static const char *const names[] = { "fp32", "fp16", "bf16", "fp8", "fp8-block",
		"mxfp8", "nvfp4" };

	return names[p->training.precision];
}

BROKEN_IF(rule_format_not_on_gpu, p->training.precision > PRECISION_FP8 && !format_runs(p),
    "%s does not train in %s", p->cluster.gpu, precision_name(p))

/* Sizes of the weights of linear layers on one rank; 0: there is none of the kind. */
BREAKS(rule_format_does_not_divide)
{
	const struct plan *p = f->plan;
	const struct model *m = &p->model;
	const int64_t multiple = format_of(p).multiple, tp = most_of(1, p->parallel.tp);
	const int64_t sizes[] = {
		m->hidden_size, m->ffn_hidden_size / tp, m->attention_heads / tp * m->head_dim,
		plan_has_experts(p) ? m->moe_ffn_hidden_size / most_of(1, p->parallel.etp) : 0
	};
	static const char *const names[] = { "hidden size", "FFN size of a rank",
		"heads of a rank", "expert FFN size of a rank" };

	for (size_t i = 0; multiple > 0 && i < sizeof sizes / sizeof *sizes; i++)
		if (sizes[i] % multiple != 0)
			return BROKEN("%s needs multiples of %lld: the %s is %lld",
			    precision_name(p), N(multiple), names[i], N(sizes[i]));
	return false;
}

BREAKS(rule_kernel_not_on_gpu)
{
	const struct plan *p = f->plan;
	const struct generation *gpu = generation_of(p);

	switch (p->training.attention_kernel) {
	case KERNEL_FLASH2:
		return gpu->no_flash && BROKEN("FlashAttention-2 needs Ampere or later");
	case KERNEL_FLASH3:
		return gpu->attention != ATTENTION_OF_HOPPER &&
		       BROKEN("FlashAttention-3 needs Hopper");
	case KERNEL_FLASH4:
		return gpu->attention != ATTENTION_OF_HOPPER &&
		       gpu->attention != ATTENTION_OF_BLACKWELL &&
		       BROKEN("FlashAttention-4 needs Hopper or Blackwell");
	case KERNEL_CUDNN:
		return gpu->no_flash && BROKEN("cuDNN's attention needs Ampere or later");
	default:
		return false;
	}
}

/* Graphs want static shapes: dropless experts can be in one only as a whole step, and what is
 * recomputed can not lie inside. */
BREAKS(rule_graph_impossible)
{
	const struct plan *p = f->plan;
	const int64_t graph = p->training.cuda_graph;
	const unsigned again = batch_again(p);

	if (graph == GRAPH_NONE)
		return false;
	if (graph != GRAPH_ROUTER && p->training.attention_dropout > 0 && (again & AGAIN_CORE_ATTN) != 0)
		return BROKEN("attention with dropout can not be computed again inside a graph");
	if (graph == GRAPH_FULL && p->training.hidden_dropout > 0 && (again & (AGAIN_MLP | AGAIN_MOE)) != 0)
		return BROKEN("an MLP with dropout can not be computed again inside a graph");
	if (p->parallel.offload != OFFLOAD_NONE)
		return BROKEN("CUDA graphs can not be with state kept in host memory");
	/* Megatron-Bridge docs/training/moe-optimization.md, "CUDA graphs" */
	if (graph == GRAPH_FULL && plan_has_experts(p) && !plan_pads_experts(p) &&
	    !(p->training.fused_experts && p->parallel.moe_dispatcher == DISPATCHER_HYBRIDEP))
		return BROKEN("a graph of the whole step can not wait for how many tokens experts get: it "
		    "needs a capacity, or fused experts and hybridep");
	if (graph == GRAPH_FULL)
		return false;
	if (p->training.recompute == RECOMPUTE_FULL)
		return BROKEN("a full recompute needs the whole step as a graph (full)");
	if (plan_has_experts(p) && (again & AGAIN_MOE) != 0)
		return BROKEN("a graph of the router can not be with recompute of moe");
	if (graph == GRAPH_ROUTER && !plan_has_experts(p))
		return BROKEN("a dense model has no router");
	return false;
}

BROKEN_IF(rule_graph_memory, p->training.cuda_graph != GRAPH_NONE,
    "what graphs hold for themselves, a few GB and more for the whole step, is not "
    "estimated")

BREAKS(rule_fused_experts_impossible)
{
	const struct plan *p = f->plan;

	if (!p->training.fused_experts)
		return false;
	if (!plan_has_experts(p))
		return BROKEN("a dense model has no experts to fuse");
	if (generation_of(p)->attention != ATTENTION_OF_BLACKWELL)
		return BROKEN("fused experts need Blackwell");
	return false;
}

/* Whole layers go to the host with PP 1 and without recompute, all but one at the most; what modules
 * keep goes beside both (fine_grained_activation_offloading), and with graphs of attention and
 * routers together. Of a dense MLP it knows the norm alone. */
BREAKS(rule_offload_layers_impossible)
{
	const struct plan *p = f->plan;
	const bool te = p->finetune.kernels == KERNELS_TE;
	const bool dense = !plan_has_experts(p) && !(batch_again(p) & AGAIN_MLP);

	if (p->training.offload_layers == 0)
		return false;
	if (p->training.cuda_graph == GRAPH_ROUTER)
		return BROKEN("activations go to the host without CUDA graphs, or with those of attention "
		    "and routers");
	if (te && p->training.recompute != RECOMPUTE_FULL && batch_offloads_modules(p) && dense)
		return BROKEN("with PP above 1 or recompute Megatron-LM sends what modules keep to the host, "
		    "and nothing from inside a dense MLP");
	if (te && !batch_offloads_modules(p) && p->training.offload_layers >= p->model.layers)
		return BROKEN("whole layers go to the host for fewer layers than the model's %lld",
		    N(p->model.layers));
	return false;
}

BROKEN_IF(rule_offload_layers_recomputed,
    p->training.offload_layers > 0 && p->finetune.kernels == KERNELS_TE &&
    p->training.recompute == RECOMPUTE_FULL,
    "Megatron-LM sends to the host what modules keep, not inputs of layers that full recompute "
    "keeps; selective recompute leaves it something to send")

BROKEN_IF(rule_fp8_input_without_swiglu,
    p->training.fp8_activation_input && !p->model.gated_mlp,
    "the input of an activation function is kept in FP8 for gated ones alone")

BROKEN_IF(rule_fp8_attention_alone,
    p->training.fp8_attention && (!format_of(p).quantised || p->model.attention != ATTENTION_MHA ||
    !generation_of(p)->fused_attention),
    "attention runs in FP8 beside linear layers in FP8 or NVFP4, of heads of their own keys and "
    "values, on Hopper and later GPUs")

/* Gradients are kept in fp32 or as parameters are, which FP8 runs have in bf16. */
BREAKS(rule_gradients_in_other_format)
{
	const struct training *t = &f->plan->training;
	const int64_t same = t->precision == PRECISION_FP32 ? GRAD_FP32 :
	    t->precision == PRECISION_FP16 ? GRAD_FP16 : GRAD_BF16;

	if (t->grad_dtype == GRAD_FP32 || t->grad_dtype == same)
		return false;
	return BROKEN("gradients are kept in fp32 or as parameters are (precision %s)",
	    precision_name(f->plan));
}

BROKEN_IF(rule_moments_without_precision,
    p->training.moments_dtype != MOMENTS_FP32 && !p->training.precision_aware_optimizer,
    "moments in other formats than fp32 need the precision-aware optimizer")

BREAKS(rule_dispatcher_impossible)
{
	static const int64_t ranks[] = { 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 144, 160 };
	const struct plan *p = f->plan;
	const int64_t n = p->parallel.ep * most_of(1, p->parallel.etp); /* tp_ep: its TP is that of experts */

	if (p->parallel.moe_dispatcher < DISPATCHER_DEEPEP || !plan_has_experts(p))
		return false;
	if (n <= 1)
		return BROKEN("DeepEP and HybridEP need EP above 1");
	if (p->parallel.moe_dispatcher == DISPATCHER_HYBRIDEP)
		return false;
	for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
		if (n == ranks[i])
			return false;
	return BROKEN(
	    "DeepEP is not tuned for %lld ranks (ETP x EP): 2 to 160, powers of two and three "
	    "times them",
	    N(n));
}
