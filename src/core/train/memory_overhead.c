/*
 * memory_overhead.c - what no formula of a framework tells: a bias that was measured, and the
 * overhead of context, communicators and allocator.
 */
#include "core/train/memory_overhead.h"

#include "core/base/number.h"
#include "core/framework/framework.h"

#define CONTEXT "measured, not derived: nvidia-smi less torch.cuda.max_memory_reserved in " \
    "public nanotron logs"
#define STACK "measured, not derived: QwenLM/Qwen README.md, memory of LoRA by length"
#define NCCL "measured, not derived: the same logs; NVIDIA/nccl issues 864 and 1685 on what " \
    "decides"
#define STREAMS "measured, not derived: AnswerDotAI/fsdp_qlora benchmarks_03_2024.md, reserved " \
    "beside allocated"
#define ALLOCATOR "measured, not derived: SimuMax docs/b200, max_reserved beside max_allocated"

void
bias_add(const struct rank_view *v, struct memory *out)
{
	static const enum quantity q[] = {
		QUANTITY_BUFFERS, QUANTITY_ACTIVATIONS, QUANTITY_LOGITS
	};
	double *const part[] = { &out->buffers, &out->activations, &out->logits };
	double rest = v->p->calibration.memory_bias_gib * GIB;

	for (size_t i = 0; i < sizeof part / sizeof *part && (rest > 0 || rest < 0); i++) {
		const double held = *part[i];

		LEDGER_TERM(v->ledger, *part[i], q[i], "measured bias", "this plan's calibration", larger(rest, -held),
		    AS("measured less estimated", rest), IS(held));
		rest -= larger(rest, -held);
	}
}

/* Communicators that a rank takes part in: one for each dimension that is larger than 1.
 * What one takes goes with channels, peers and protocols, which NCCL chooses from the
 * topology at run time (NVIDIA/nccl issue 864): no formula, so a range is taken. */
static double
communicators(const struct rank_view *v)
{
	const struct parallel *par = &v->p->parallel;

	return (par->tp > 1) + (par->cp > 1) + (par->pp > 1) + (par->ep > 1) +
	    (par->ep > 1 && par->etp > 1) + (v->shards->dense > 1) +
	    (par->ep > 1 && v->shards->expert > 1);
}

/* What was measured, and what formulas call the usual. */
struct range {
	double low, usual, high;
	const char *name;
};
#define RANGE(of, low, usual, high) \
	{ low, usual, high, #of "->usual=(" #low " to " #high ")" }

void
overhead_add(const struct rank_view *v, struct memory *out)
{
	/* GB; Hugging Face stacks: libraries and caches with it, whatever is allocated */
	static const struct range contexts[2] = {
		RANGE(context, 0.4, 0.5, 0.7), RANGE(context, 0.7, 1.93, 2.4)
	};
	static const struct range nccl[1] = { RANGE(nccl, 0.1, 0.2, 0.3) }; /* GB a communicator */
	/* of what is allocated: Megatron; Hugging Face; there with weights gathered layer by layer,
	 * whose blocks wait for another stream before they are free */
	static const struct range shares[3] = {
		RANGE(share, 0.017, 0.04, 0.093), RANGE(share, 0, 0, 0.1), RANGE(share, 0, 0.07, 0.2)
	};
	const bool gathers = v->act->eager && framework_zero(v->p) >= 3;
	const struct range *context = &contexts[v->act->eager];
	const struct range *share = &shares[v->act->eager + gathers];
	const double n = communicators(v), gb = 1e9, allocated = out->allocated;
	const double pools = out->overhead; /* so far: what loss and gathers leave unused */
	const enum quantity q = QUANTITY_OVERHEAD;

	out->reserved = (1 + share->usual) * allocated + pools;
	LEDGER_TERM(v->ledger, out->overhead, q, "CUDA context", v->act->eager ? STACK : CONTEXT,
	    context->usual * gb, { context->name, context->usual }, AS("GB", gb));
	if (n > 0)
		LEDGER_TERM(v->ledger, out->overhead, q, "NCCL", NCCL, n * nccl->usual * gb, AS("communicators", n),
		    { nccl->name, nccl->usual }, AS("GB", gb));
	if (share->usual > 0)
		LEDGER_TERM(v->ledger, out->overhead, q, "fragmentation", gathers ? STREAMS : ALLOCATOR,
		    share->usual * allocated, { share->name, share->usual }, IS(allocated));
	out->overhead_low = context->low * gb + n * nccl->low * gb + share->low * allocated;
	out->overhead_high = context->high * gb + n * nccl->high * gb + share->high * allocated + pools;
}
