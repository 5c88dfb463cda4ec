/* What a serving plan may be poor in. */
#include <math.h>

#include "core/base/number.h"
#include "core/search/hint_rows.h"

#define VLLM_SCALING "vLLM docs/serving/parallelism_scaling.md"
#define POPE "Pope et al. 2022, arXiv 2211.05102, section 3"
#define SGLANG_DPA "SGLang docs/advanced_features/dp_dpa_smg_guide.md"

static const double scarce_cache = 2; /* times what is asked for: a burst fills it */
static const double idle_cache = 4;   /* the same: most of it stays empty */
static const double full_pool = .8;   /* used more than that, prompts queue */
static const double queue_share = .5; /* of the time to the first token */

static bool
leaves_domain(const struct plan *p, int64_t members)
{
	return members > 1 && members > p->cluster.nvlink_domain;
}

HINT_IF(poor_tp_network, leaves_domain(p, p->parallel.tp),
    "TP %lld crosses the network in each layer of each step, NVLink joins %lld GPUs", N(p->parallel.tp),
    N(p->cluster.nvlink_domain))

/* Experts are spread over all ranks of an engine. */
HINT(poor_ep_network)
{
	const int64_t ranks = e->dp * p->parallel.tp;

	return plan_has_experts(p) && (p->parallel.ep > 1 || p->serving.dp_attention) &&
	    leaves_domain(p, ranks) &&
	    HINT_SAY("experts lie on %lld GPUs, NVLink joins %lld: each layer sends tokens over the "
	    "network and back", N(ranks), N(p->cluster.nvlink_domain));
}

HINT_IF(poor_stages, p->parallel.pp > 1,
    "a token passes %lld stages one after the other, a step takes %.1f ms", N(p->parallel.pp),
    1e3 * e->serve.step_seconds)

HINT_IF(poor_latent, p->model.attention == ATTENTION_MLA && !p->serving.dp_attention && p->parallel.tp > 1 &&
    p->serving.dcp <= 1,
    "each GPU of TP %lld keeps the whole latent KV cache", N(p->parallel.tp))

HINT(poor_heads)
{
	const int64_t copies = p->model.kv_heads > 0 ? p->parallel.tp / p->model.kv_heads : 0;

	return p->model.attention == ATTENTION_MHA && !p->serving.dp_attention &&
	    copies > 1 && copies > p->serving.dcp &&
	    HINT_SAY("TP %lld keeps %lld copies of each of %lld KV heads", N(p->parallel.tp), N(copies),
	    N(p->model.kv_heads));
}

/* Requests that are there at once. */
static double
asked_of(const struct plan *p, const struct estimate *e)
{
	return e->serve.rate.known ? larger(1, e->serve.rate.in_flight) : (double)p->serving.concurrency;
}

/* Requests that all engines hold, as a multiple of what is asked for. */
static double
room_of(const struct plan *p, const struct estimate *e)
{
	return e->serve.max_concurrency * (double)p->serving.replicas / asked_of(p, e);
}

HINT(scarce_latent)
{
	return room_of(p, e) < scarce_cache && poor_latent(p, e, text, size);
}

HINT(scarce_heads)
{
	return room_of(p, e) < scarce_cache && poor_heads(p, e, text, size);
}

HINT(poor_batch_limit)
{
	const double asked = asked_of(p, e);

	return e->serve.running < floor(asked) &&
	    HINT_SAY("%.0f of %.0f requests wait for a slot of the batch", asked - e->serve.running, asked);
}

HINT(poor_queue)
{
	const double queue = e->serve.queue_seconds, first = e->serve.ttft_seconds;

	return !(e->serve.prefill_rate > 0) && queue > queue_share * first &&
	    HINT_SAY("other prompts take %.0f %% of the time to the first token, %.2g of %.2g s",
	    100 * queue / first, queue, first);
}

/* Of pools that prefill and decode one waits for the other. */
HINT(poor_pools)
{
	const struct serve *s = &e->serve;
	const double decode = (double)p->serving.generate_tokens * s->tpot_seconds / s->cycle_seconds;
	const bool full = s->prefill_utilisation > full_pool;

	return s->prefill_rate > 0 && HINT_SAY("%s, which %s %.0f %% used: %.0f of %.0f requests decode "
	    "at once", full ? "requests wait for the prefill pool" : "engines that decode hold up the "
	    "prefill pool", full ? "is" : "is only", 100 * s->prefill_utilisation,
	    s->running * smaller(1, decode), s->running);
}

HINT(poor_format)
{
	const int64_t format = p->serving.weight_dtype;
	const bool four = format == WEIGHT_MXFP4 || format == WEIGHT_NVFP4;

	return ((four && !(p->cluster.fp4_tflops > 0)) ||
	    (format == WEIGHT_FP8 && !(p->cluster.fp8_tflops > 0))) &&
	    HINT_SAY("the GPU has no FP%d units: products run in 16 bits, at %.0f TFLOP/s", four ? 4 : 8,
	    p->cluster.bf16_tflops);
}

HINT_IF(poor_split, true,
    "TP %lld reads %.3g GiB of weights on each GPU in a step of %.1f ms", N(p->parallel.tp),
    e->serve.weight_bytes / GIB, 1e3 * e->serve.step_seconds)

HINT(poor_cache)
{
	const double room = room_of(p, e), asked = asked_of(p, e);

	return room >= idle_cache && HINT_SAY("the KV cache holds %.0f requests of %lld tokens, %.0f are "
	    "asked for", room * asked, N(p->serving.context_length), asked);
}

static const struct hint_row rows[] = {
	{ "tp_over_network", FIELD_TP, VLLM_SCALING, HINT_TIME, -1, { FIELD_TP, FIELD_NONE },
	  poor_tp_network },
	{ "ep_over_network", FIELD_EP, "DeepSeek-AI 2024, arXiv 2412.19437, section 3.4", HINT_TIME, 0,
	  { FIELD_REPLICAS, FIELD_EP, FIELD_DP_ATTENTION, FIELD_NONE }, poor_ep_network },
	{ "slots_short", FIELD_MAX_NUM_SEQS, "vLLM docs/configuration/engine_args.md, --max-num-seqs",
	  HINT_TIME, 0, { FIELD_MAX_NUM_SEQS, FIELD_REPLICAS, FIELD_TP, FIELD_NONE }, poor_batch_limit },
	{ "pools_unbalanced", FIELD_PREFILL_WORKERS, "Zhong et al. 2024, DistServe, arXiv 2401.09670, "
	  "section 4", HINT_TIME, 0, { FIELD_PREFILL_WORKERS, FIELD_NONE }, poor_pools },
	{ "format_emulated", FIELD_WEIGHT_DTYPE, "vLLM docs/features/quantization/README.md", HINT_TIME, 0,
	  { FIELD_WEIGHT_DTYPE, FIELD_NONE }, poor_format },
	{ "stages_in_turn", FIELD_PP, POPE, HINT_TIME, -1, { FIELD_PP, FIELD_NONE }, poor_stages },
	{ "latent_copied", FIELD_DP_ATTENTION, SGLANG_DPA, HINT_TIME, 0,
	  { FIELD_DP_ATTENTION, FIELD_DCP, FIELD_NONE }, poor_latent },
	{ "kv_heads_copied", FIELD_TP, "vLLM docs/serving/context_parallel_deployment.md", HINT_TIME, 0,
	  { FIELD_DCP, FIELD_NONE }, poor_heads },
	{ "tp_of_engine", FIELD_TP, POPE, HINT_TIME, 0, { FIELD_TP, FIELD_NONE }, poor_split },
	{ "prompts_queue", FIELD_REPLICAS, "Agrawal et al. 2024, arXiv 2403.02310, section 3", HINT_FIRST,
	  0, { FIELD_REPLICAS, FIELD_TP, FIELD_MAX_BATCHED_TOKENS, FIELD_NONE }, poor_queue },
	{ "latent_copied", FIELD_DP_ATTENTION, SGLANG_DPA, HINT_ROOM, 0,
	  { FIELD_DP_ATTENTION, FIELD_DCP, FIELD_NONE }, scarce_latent },
	{ "kv_heads_copied", FIELD_TP, "vLLM docs/serving/context_parallel_deployment.md", HINT_ROOM, 0,
	  { FIELD_DCP, FIELD_NONE }, scarce_heads },
	{ "kv_cache_idle", FIELD_CONCURRENCY, "Kwon et al. 2023, arXiv 2309.06180, section 1", HINT_TOKENS,
	  1, { FIELD_CONCURRENCY, FIELD_NONE }, poor_cache },
};
enum { ROWS = sizeof rows / sizeof *rows };
_Static_assert((int)ROWS <= (int)HINT_ROWS_MAX, "there is room for the proof of each");

const struct hint_row *
hint_rows_serve(size_t *count)
{
	*count = ROWS;
	return rows;
}
