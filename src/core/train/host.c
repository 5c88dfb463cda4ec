#include "core/train/host.h"

#include "core/model/modules.h"
#include "core/model/params.h"
#include "core/plan/format.h"
#include "core/train/compute_adapters.h"

const char host_source[] = "NVIDIA-NeMo/Megatron-Bridge docs/performance-summary.md";

/* Llama 3.1 8B: rows of 0.085 to 0.55 s a step lie 20 to 40 ms above all other terms. */
const char host_step_source[] = "mlcommons/training_results_v5.1, llama31_8b";

/*
 * Seconds to launch a layer forward: Python, autograd and the kernels of Transformer Engine's
 * modules. Of MoE layers found on 27 rows of Megatron-Bridge without graphs and 30 with them,
 * on x86 and Grace alike within 15 %: of them the copy of tokens per expert to the host, for
 * which the host waits in each layer. A dense layer launches about 120 kernels.
 */
static const double moe_forward[] = {
	[GRAPH_NONE] = 3.5e-3, [GRAPH_ROUTER] = 3.0e-3, [GRAPH_LAYER] = 2.4e-3, [GRAPH_FULL] = 0
};
static const double dense_forward[] = {
	[GRAPH_NONE] = 0.9e-3, [GRAPH_ROUTER] = 0.9e-3, [GRAPH_LAYER] = 0, [GRAPH_FULL] = 0
};

/* Backward over forward. Without casts of each operand a layer launches less; dispatchers that
 * permute tokens themselves launch less, and through NCCL two micro-batches side by side cut a
 * layer in more pieces (Megatron-LM megatron/core/models/common/
 * model_chunk_schedule_plan.py). */
#define BACKWARD 2.0
#define WITHOUT_CASTS 0.87
#define FUSED_PERMUTE 0.9
#define IN_PIECES 1.25

/* An adapter of PEFT launches eight kernels, each as long as one of a dense layer's 120: two
 * casts of the input, one of either factor, two products, scale and sum (sources in
 * compute_adapters.c). */
static double
adapters_forward(const struct plan *p, int kind)
{
	return modules_peft(p) ? 8 * dense_forward[p->training.cuda_graph] / 120 *
	    compute_adapters_count(p, kind) : 0;
}

static double
layer_forward(const struct plan *p, int kind)
{
	const int64_t graph = p->training.cuda_graph;
	double seconds = moe_forward[graph] - (layer_has_mixer(kind) ? 0 : dense_forward[graph] / 2);

	if (!(kind & LAYER_MOE)) /* a mixer or an MLP alone launches half of it */
		return dense_forward[graph] *
		    (layer_has_mixer(kind) + layer_has_mlp(kind)) / 2;
	if (!format_of(p).quantised)
		seconds *= WITHOUT_CASTS;
	if (p->parallel.moe_dispatcher >= DISPATCHER_DEEPEP)
		seconds *= FUSED_PERMUTE;
	else if (p->training.moe_overlap)
		seconds *= IN_PIECES;
	return seconds;
}

double
host_forward(const struct plan *p, int kind)
{
	return layer_forward(p, kind) + adapters_forward(p, kind);
}

double
host_backward(const struct plan *p, int kind)
{
	return BACKWARD * host_forward(p, kind);
}
