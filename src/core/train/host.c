#include "core/train/host.h"

#include "core/base/number.h"
#include "core/framework/framework.h"
#include "core/model/activation.h"
#include "core/model/modules.h"
#include "core/model/params.h"
#include "core/plan/batch.h"
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

#define DENSE_KERNELS 120.0

/* Backward over forward. Without casts of each operand a layer launches less; dispatchers that
 * permute tokens themselves launch less, and through NCCL two micro-batches side by side cut a
 * layer in more pieces (Megatron-LM megatron/core/models/common/
 * model_chunk_schedule_plan.py). */
#define BACKWARD 2.0
#define WITHOUT_CASTS 0.87
#define FUSED_PERMUTE 0.9
#define IN_PIECES 1.25

/* Experts that pad to a capacity: how many tokens each gets is known, and nobody waits for the copy
 * (Megatron-LM megatron/core/transformer/moe/token_dispatcher.py, drop_and_pad). */
#define WITHOUT_WAIT 0.9

/*
 * A loop over experts launches so many kernels for each: its number and the mask of who asks for it, five that find the
 * tokens, for which the host waits, their gather and that of their weights, three products, activation, two factors
 * and the sum; the router and the mask before it take twelve (transformers v4.57 models/qwen3_moe/modeling_qwen3_moe.py,
 * Qwen3MoeSparseMoeBlock). Grouped products made it 6 times as fast (unsloth.ai/docs/basics/faster-moe).
 */
#define KERNELS_OF_EXPERT 16.0
#define KERNELS_OF_ROUTER 12.0

static double
loop_forward(const struct plan *p, int kind)
{
	const double one = dense_forward[p->training.cuda_graph] / DENSE_KERNELS;

	return (layer_has_mixer(kind) ? DENSE_KERNELS / 2 * one : 0) +
	    one * (KERNELS_OF_ROUTER + KERNELS_OF_EXPERT * (double)p->model.experts / at_least_one(p->parallel.ep));
}

/* An adapter of PEFT launches eight kernels, each as long as one of a dense layer's 120: two
 * casts of the input, one of either factor, two products, scale and sum (sources in
 * compute_adapters.c). */
static double
adapters_forward(const struct plan *p, int kind)
{
	return modules_peft(p) ? 8 * dense_forward[p->training.cuda_graph] / DENSE_KERNELS *
	    compute_adapters_count(p, kind) : 0;
}

/*
 * Queries and keys that are rotated by single operations launch twelve each: sines and cosines, by their factor, in
 * 16 bits; two products, a sum, half of the values negated, two joins (Megatron-LM
 * megatron/core/models/common/embeddings/rope_utils.py). Documents are rotated one after the other, by
 * 13, whose lengths the host waits for.
 */
#define KERNELS_OF_ROTATION (2 * 12.0)
#define KERNELS_OF_DOCUMENT (2 * 13.0)

static double
rotation_forward(const struct plan *p, int kind)
{
	const double one = dense_forward[p->training.cuda_graph] / DENSE_KERNELS;
	const double documents = (double)(p->training.micro_batch_size * p->training.sequence_length) /
	    batch_document(p);

	if (!layer_has_mixer(kind) || (kind & LAYER_MIXER) == LAYER_MAMBA || !modules_rotate_apart(p))
		return 0;
	if (p->training.document_tokens == 0 || framework_runs(p, framework_of(p)->packed_since))
		return one * KERNELS_OF_ROTATION;
	return one * KERNELS_OF_DOCUMENT * documents;
}

/* Experts that pad to a capacity have static shapes: a graph of the layer holds them too, as it
 * does an MLP (Megatron-LM core_v0.14.0, megatron/core/transformer/transformer_layer.py,
 * _cuda_graph_capture with the scope "full"). */
static bool
is_launched_dense(const struct plan *p, int kind)
{
	return !(kind & LAYER_MOE) || (p->training.cuda_graph == GRAPH_LAYER && plan_pads_experts(p));
}

static double
layer_forward(const struct plan *p, int kind)
{
	const int64_t graph = p->training.cuda_graph;
	double seconds = moe_forward[graph] - (layer_has_mixer(kind) ? 0 : dense_forward[graph] / 2);

	if (is_launched_dense(p, kind)) /* a mixer or an MLP alone launches half of it */
		return dense_forward[graph] *
		    (layer_has_mixer(kind) + layer_has_mlp(kind)) / 2;
	if (modules_loop_experts(p))
		return loop_forward(p, kind);
	if (!format_of(p).quantised)
		seconds *= WITHOUT_CASTS;
	if (plan_pads_experts(p))
		seconds *= WITHOUT_WAIT;
	if (p->parallel.moe_dispatcher >= DISPATCHER_DEEPEP)
		seconds *= FUSED_PERMUTE;
	else if (p->training.moe_overlap)
		seconds *= IN_PIECES;
	return seconds;
}

double
host_forward(const struct plan *p, int kind)
{
	return (layer_forward(p, kind) + adapters_forward(p, kind) + rotation_forward(p, kind)) /
	    p->cluster.host_scale;
}

double
host_backward(const struct plan *p, int kind)
{
	return BACKWARD * host_forward(p, kind);
}

/* ---- copies ------------------------------------------------------------------------ */

#define COPY_SOURCE "copies of pinned memory on an H100, measured: 54 of 64 GB/s one way"

/* Of one micro-batch: layers that keep everything and wait there, and inputs of those that do not. */
static double
bytes_away(const struct plan *p, const struct chunk *chunk, int64_t n)
{
	const struct activation act = activation_init(p);
	const struct share unit = activation_units(&act);
	struct share all = { .input = 0 };

	for (int64_t i = 0; i < n; i++) {
		const int64_t layers = chunk[i].count;
		const int64_t again = p->training.recompute == RECOMPUTE_FULL ?
		    batch_layers_again(p, layers) : 0;
		const int64_t away = least_of(p->training.offload_layers, layers) - again;
		struct share sent = { .input = (double)batch_inputs_away(p, layers) };

		if (away > 0)
			sent.kept = params_kinds(&p->model, chunk[i].first + again, away);
		all = share_add(all, &sent, 1);
	}
	return share_bytes(&all, &unit);
}

double
host_link(const struct plan *p)
{
	return (p->cluster.host_gbps > 0 ? p->cluster.host_gbps : p->cluster.pcie_gbps) * 1e9;
}

double
host_copies(const struct plan *p, const struct chunk *chunk, int64_t n,
    const struct host_pass *pass, struct ledger *ledger)
{
	const double microbatches = pass->microbatches, forward = pass->forward;
	const double backward = pass->backward, rate = host_link(p);
	double sum = 0, bytes;

	if (rate <= 0 || (p->training.offload_layers == 0 && batch_inputs_away(p, 1) == 0))
		return 0;
	bytes = bytes_away(p, chunk, n);
	if (bytes / (HOST_COPY_SHARE * rate) > forward)
		LEDGER_TERM(ledger, sum, QUANTITY_STEP, "activations to the host, exposed", COPY_SOURCE,
		    microbatches * (bytes / (HOST_COPY_SHARE * rate) - forward), AS("micro-batches", microbatches),
		    IS(bytes), AS("share", HOST_COPY_SHARE), AS("link", rate), IS(forward));
	if (bytes / (HOST_COPY_SHARE * rate) > backward)
		LEDGER_TERM(ledger, sum, QUANTITY_STEP, "activations from the host, exposed", COPY_SOURCE,
		    microbatches * (bytes / (HOST_COPY_SHARE * rate) - backward), AS("micro-batches", microbatches),
		    IS(bytes), AS("share", HOST_COPY_SHARE), AS("link", rate), IS(backward));
	return sum;
}
