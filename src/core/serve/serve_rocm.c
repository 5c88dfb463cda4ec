/*
 * serve_rocm.c - experts of vLLM on AMD's GPUs. Rows of theirs that are a multiple of 512 bytes get
 * 256 more, layer by layer, first gate and up, then down. Loading is rated by what the driver counts,
 * so by whole segments of the allocator: the padded second weight takes the segment that the first
 * one left, and keeps what it does not need of it.
 */
#include "core/serve/serve_rocm.h"

#include "core/base/number.h"
#include "core/engine/engine.h"
#include "core/plan/hardware.h"

#define PADDING "vLLM vllm/model_executor/layers/fused_moe/unquantized_fused_moe_method.py, _maybe_pad_weight"
#define DRIVER "vLLM vllm/platforms/rocm.py, get_current_memory_usage"

#define HELD(ledger, sum, name, source, expression, ...) \
	LEDGER_TERM(ledger, sum, QUANTITY_SERVE_MEMORY, name, source, expression, __VA_ARGS__)

static const double pad = 256;

/* Weights of one kind, of all experts of a layer: bytes, and those of its padding. */
struct weights {
	double bytes, padding;
};

static struct weights
weights_of(double rows, double columns)
{
	const double row = 2 * columns;

	return (struct weights){ rows * row, row > 0 && (int64_t)row % 512 == 0 ? rows * pad : 0 };
}

bool
serve_rocm(const struct plan *p)
{
	return engine_of(p)->pads_on_rocm && generation_of(p)->rocm;
}

/* Of what the driver counts: code of kernels, what loading left of the allocator's segments. */
static void
add_driver(double *sum, struct ledger *ledger)
{
	const double counted = 0.25, gib = GIB; /* 0.1 to 0.65 in logs of MI300X */

	HELD(ledger, *sum, "counted by the driver", DRIVER, counted * gib,
	    AS("besides tensors", counted), AS("GiB", gib));
}

void
serve_rocm_add(const struct plan *p, const struct stage_params *n, double *sum, struct ledger *ledger)
{
	const struct model *m = &p->model;
	const double ep = at_least_one(p->parallel.ep), experts = params_expert_slots(p) / ep;
	const double width = (double)m->moe_ffn_hidden_size / (params_expert_ranks(p) / ep);
	const double h = params_expert_width(m), up = m->gated_mlp ? 2 : 1;
	const struct weights first = weights_of(experts * up * width, h), second = weights_of(experts * h, width);
	const double layers = n->expert_linear / at_least_one((int64_t)(experts * (up + 1) * width * h));
	const double padded = second.bytes + second.padding;
	const double unused = second.padding > 0 && first.padding > 0 && first.bytes > padded ?
	    first.bytes - padded : 0;
	const double freed = second.padding > 0 ? second.bytes : first.padding > 0 ? first.bytes : 0;

	if (!serve_rocm(p))
		return;
	add_driver(sum, ledger);
	if (!plan_has_experts(p) || (p->serving.weight_dtype != WEIGHT_BF16 &&
	    p->serving.weight_dtype != WEIGHT_FP16))
		return;
	if (first.padding + second.padding > 0)
		HELD(ledger, *sum, "padding of experts", PADDING, layers * (first.padding + second.padding),
		    AS("layers", layers), AS("gate and up", first.padding), AS("down", second.padding));
	if (freed > 0)
		HELD(ledger, *sum, "segments that padding left", DRIVER, layers * unused + freed,
		    AS("layers", layers), AS("first segment less second weight", unused),
		    AS("of the last layer", freed));
}
