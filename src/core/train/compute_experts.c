#include "core/train/compute_experts.h"

#include <math.h>

#include "core/base/number.h"
#include "core/framework/framework.h"
#include "core/model/modules.h"
#include "core/model/params.h"
#include "core/plan/batch.h"
#include "core/plan/format.h"
#include "core/plan/hardware.h"

#define CLAMPS "clamps before the experts' activation"

static const struct operation router = PRODUCT("router", NULL);

/*
 * Grouped products reach less with fewer tokens for each expert: each has a GEMM of its own, on one of
 * four streams (Transformer Engine common/gemm/cublaslt_gemm.cu, multi_stream_cublas_gemm), and what
 * that takes besides is the same in each format, so where they are faster it is worth more tokens.
 */
static double
share_of(const struct machine *g, double tokens, double half)
{
	return tokens / (tokens + half * larger(1, g->faster));
}

static struct lot
expert_lot(const struct plan *p, const struct machine *g, double here, double tokens)
{
	const struct generation *r = generation_of(p);
	const struct format f = format_of(p);
	struct lot lot = { g->grouped, g->grouped, here, g->cast, g->cast, fmax(1, f.each * here),
		fmax(1, f.each_back * here) };

	lot.rate.reached *= share_of(g, tokens, r->half_tokens);
	lot.weight.reached *= share_of(g, tokens, r->half_weight);
	return lot;
}

/* Transformer Engine's fused operations (transformer_engine/pytorch/ops): dense rates but for
 * a tenth, activation and cast inside, and outside only casts of what comes in, 3 bytes. */
#define FUSED_SHARE 0.9
#define FUSED_CAST 3.0

static void
experts_fused(struct layer_job *j, const struct layer_rows *l, int first, double routed)
{
	const double h = params_expert_width(&j->p->model), cast = j->g->cast > 0 ? FUSED_CAST : 0;
	const double slow = j->g->permuting;
	struct lot lot = { j->g->linear, j->g->linear, compute_experts_here(j->p), cast, 0, 1, 1 };

	lot.rate.reached *= FUSED_SHARE;
	lot.weight.reached *= FUSED_SHARE;
	j->kind = KERNELS_EXPERTS;
	first += compute_product(j, l, first, &lot);
	lot.cast = 0;
	lot.cast_back = cast;
	compute_product(j, l, first, &lot);
	j->kind = KERNELS_NONE;
	JOB_VECTOR(j, "tokens permuted to experts and back", 4 * slow * routed * h, IS(slow), IS(routed),
	    IS(h));
}

static void
experts_grouped(struct layer_job *j, const struct layer_rows *l, int first, double routed)
{
	const struct plan *p = j->p;
	const double h = params_expert_width(&p->model), here = compute_experts_here(p);
	const double up = p->model.gated_mlp ? 2 : 1, slow = j->g->permuting;
	const double f = (double)p->model.moe_ffn_hidden_size / at_least_one(p->parallel.etp);
	const struct lot lot = expert_lot(p, j->g, here, routed / here);

	j->kind = KERNELS_EXPERTS;
	first += compute_product(j, l, first, &lot);
	compute_product(j, l, first, &lot);
	j->kind = KERNELS_NONE;
	JOB_VECTOR(j, "experts' activation", (2 * up + 2) * routed * f, IS(up), IS(routed),
	    AS("f/ETP", f));
	/* its input and its gradient once more (Megatron-LM megatron/core/fusions/fused_bias_swiglu.py,
	 * weighted_swiglu_back) */
	if (framework_of(p)->transformer_engine)
		JOB_MOVE(j, "gradients of experts' probabilities", 0, (2 * up + 2) * routed * f, IS(up),
		    IS(routed), AS("f/ETP", f));
	JOB_VECTOR(j, "tokens permuted to experts and back", 4 * 2 * slow * routed * h, IS(slow), IS(routed),
	    IS(h)); /* read and write, twice */
}

/*
 * Without fusion each value is added to its token by an atomic operation: in the forward pass where tokens come back
 * (Megatron-LM megatron/core/transformer/moe/moe_utils.py, unpermute, scatter_add_), in the backward one
 * where they went (index_add_, PyTorch tools/autograd/derivatives.yaml, index_select). An H200 does 1.2e11 of
 * them a second, in whose time its memory moves 32 bytes: 0.20 ms for 2,048 tokens of 2 experts and 4,096 values,
 * of which 0.06 are moves (tile-ai/TileOPs pull request 608, PyTorch-vec).
 */
static void
add_by_atomics(struct layer_job *j, double routed, double h)
{
	const struct plan *p = j->p;
	const double each = 32;

	if (!p->training.permute_fusion && framework_of(p)->transformer_engine &&
	    p->parallel.moe_dispatcher != DISPATCHER_HYBRIDEP) /* which permutes itself */
		JOB_MOVE(j, "tokens added up value by value", each * routed * h, each * routed * h, IS(each),
		    IS(routed), IS(h));
}

/* gpt-oss's clamps, before the fused kernel (Megatron-LM fusions/fused_bias_geglu.py). */
static double
clamp_bytes(const struct plan *p)
{
	return p->model.expert_bias && !p->training.fused_experts ? 16 : 0;
}

void
compute_experts(struct layer_job *j, const struct layer_rows *l)
{
	const struct plan *p = j->p;
	const struct model *m = &p->model;
	const double etp = at_least_one(p->parallel.etp);
	const double h = params_expert_width(m), f = (double)m->moe_ffn_hidden_size / etp;
	const double routed = compute_routed(p), clamp = clamp_bytes(p);
	const double T = batch_tokens(p), tp = at_least_one(p->parallel.tp);
	const double experts = (double)m->experts, width = (double)m->hidden_size, slow = j->g->permuting;
	int first = 0;

	JOB_PLAIN(j, &router, T / tp, experts, width, IS(T), AS("TP", tp), IS(experts), AS("h", width));
	compute_products(j, l, MATRIX_BLOCK(MOE), 0, MATRIX_SHARED | MATRIX_EXPERT);
	while (first < l->count && !(l->row[first].row->traits & MATRIX_EXPERT))
		first++;
	if (first < l->count)
		(p->training.fused_experts ? experts_fused : experts_grouped)(j, l, first, routed);
	add_by_atomics(j, routed, h);
	/* NCCL's all-to-all gives what each rank sent, in turn (Megatron-LM
	 * megatron/core/transformer/moe/token_dispatcher.py, sort_chunks_by_idxs; torchtitan
	 * torchtitan/distributed/expert_parallel.py, _permute) */
	if (p->parallel.moe_dispatcher == DISPATCHER_ALLTOALL && p->parallel.ep > 1 &&
	    compute_experts_here(p) > 1)
		JOB_VECTOR(j, "received tokens sorted by expert and back", 8 * slow * routed * h, IS(slow),
		    IS(routed), IS(h));
	/* times fp32 probabilities, added, joined and cast back (Megatron-LM
	 * megatron/core/transformer/moe/experts.py, _apply_bias) */
	if (m->expert_bias)
		JOB_VECTOR(j, "biases of experts by their probabilities", 28 * routed * h, IS(routed), IS(h));
	/* each expert's gradient of its tokens is written into zeros of all, and added to the others' (PyTorch
	 * tools/autograd/derivatives.yaml, index) */
	if (modules_loop_experts(p))
		JOB_MOVE(j, "gradients of each expert's tokens added up", 0, 8 * experts * T * width, IS(experts), IS(T),
		    AS("h", width));
	JOB_UNFUSED(j, CLAMPS, clamp * routed * f, IS(clamp), IS(routed), AS("f/ETP", f));
	JOB_VECTOR(j, "probabilities and choice of experts", 12 * T / tp * experts, IS(T), AS("TP", tp),
	    IS(experts));
}

void
compute_activation_again(struct layer_job *j)
{
	const struct plan *p = j->p;
	const double f = (double)p->model.moe_ffn_hidden_size / at_least_one(p->parallel.etp);
	const double routed = compute_routed(p), up = p->model.gated_mlp ? 2 : 1, clamp = clamp_bytes(p);

	JOB_MOVE(j, "experts' activation", (2 * up + 2) * routed * f, 0, IS(up), IS(routed),
	    AS("f/ETP", f));
	JOB_MOVE(j, CLAMPS, clamp * routed * f, 0, IS(clamp), IS(routed), AS("f/ETP", f));
}
