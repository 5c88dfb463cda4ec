#include "core/serve/serve_experts.h"

#include "core/base/number.h"
#include "core/framework/link.h"
#include "core/plan/batch.h"
#include "core/serve/serve_links.h"

#define MOE "ai-dynamo/aiconfigurator systems/data/moe_perf"
#define DEEPEP "deepseek-ai/DeepEP README, low-latency kernels and, of prompts, normal ones"
#define GATHERS "vLLM vllm/distributed/device_communicators/all2all.py, AgRsAll2AllManager"

static const double half_rate_expert = 15.5;  /* at which one expert reaches half its rate */
static const double half_rate_wide = 150; /* of a wide one: MooreThreads/SimuMax, configs of the B200 */
static const double exchange_seconds = 20e-6; /* of dispatch or combine, at least */
static const double network_share = .87; /* of a network card's, by DeepEP's normal kernels */

/* True where data parallel ranks, or those of DP attention, hold experts together and send each
 * other their tokens. vLLM's do so without EP too: experts are split over DP x TP then
 * (vllm/model_executor/layers/fused_moe/config.py, flatten_tp_across_dp_and_pcp). */
static bool
shares_experts(const struct plan *p)
{
	return p->parallel.ep > 1 || p->serving.dp_attention || engine_of(p)->experts_over_all;
}

/* Tokens go to experts of other ranks and back. */
bool
serve_exchanges(const struct serve_work *w)
{
	return w->kinds.moe > 0 && w->setup->dp > 1 && shares_experts(w->p);
}

/* Tokens that meet the experts of one GPU: of all ranks that share them. */
static double
routed_tokens(const struct serve_work *w, const struct pass *s)
{
	return shares_experts(w->p) && s->busy ? s->tokens * w->setup->dp : s->tokens;
}

/* NVLink domains, or nodes, that the experts lie on; 1 where no network is between. */
static double
expert_nodes(const struct plan *p)
{
	const struct cluster *c = &p->cluster;
	const double n = params_expert_ranks(p), inside = at_least_one(c->gpus_per_node);

	return serve_is_linked(c, inside) && !serve_is_linked(c, n) ? n / inside : 1;
}

/* With copies EPLB leaves 1.11 (TensorRT-LLM docs/source/blogs/tech_blog/blog4, table 1). Rates that are measured
 * on one node hold what is asked unevenly. */
double
serve_hottest(const struct plan *p)
{
	const double n = params_expert_ranks(p), experts = (double)p->model.experts;

	if (!plan_has_experts(p) || expert_nodes(p) <= 1 || p->parallel.ep <= 1)
		return 1;
	return p->serving.redundant_experts > 0 ? 1.11 : batch_busiest(experts, n);
}

/* What MoE tables count within experts and DeepGEMM's products do not: each copy of a token is sorted in
 * 8 bits, what two products made of it becomes the input of the third in 8 bits, and its result is
 * gathered in 16 (SGLang python/sglang/srt/layers/moe/ep_moe/kernels.py). */
static void
add_copies(const struct serve_work *w, const struct pass *s, double copies, double *sum,
    struct ledger *ledger)
{
	const struct model *m = &w->p->model;
	const double width = params_expert_width(m), inner = (double)m->moe_ffn_hidden_size;
	const double bytes = 6 * width + 5 * inner;

	if (s->prefill && expert_nodes(w->p) > 1)
		LEDGER_TERM(ledger, *sum, s->quantity, "copies of tokens sorted, activated and gathered", MOE,
		    w->kinds.moe * copies * bytes / w->rates.cache, AS("layers", w->kinds.moe), IS(copies),
		    AS("bytes of a copy", bytes), AS("memory rate", w->rates.cache));
}

/*
 * A batch reads the experts that it touches alone. One that each token asks for with a chance of p is touched by
 * 1 - (1-p)^tokens, and experts are asked unevenly (serve_hottest): with -ln(1-p) spread exponentially, which is all
 * that is assumed when only its mean is known, the mean of that is s*tokens / (1-s + s*tokens), s: k/E. A few tokens
 * touch k each, and many leave rare experts alone for long.
 */
static double
touched_share(double share, double tokens)
{
	const double asked = share * larger(1, tokens);

	return asked / (1 - share + asked);
}

void
serve_add_experts(const struct serve_work *w, const struct pass *s, double *sum, struct ledger *ledger)
{
	const double share = params_experts_met(&w->p->model) / params_expert_slots(w->p);
	const double tokens = routed_tokens(w, s), rows = tokens * share;
	const double touched = touched_share(share, tokens);
	const double reached = s->prefill ? rows / (rows + half_rate_expert) : 1;
	const double flops = larger(reached * (s->prefill && expert_nodes(w->p) > 1 ? w->rates.expert_sent :
	    w->rates.expert.flops), w->rates.expert_wide * rows / (rows + half_rate_wide));
	const double hbm = w->rates.expert.bytes, hottest = serve_hottest(w->p);

	if (w->expert <= 0)
		return;
	LEDGER_TERM(ledger, *sum, s->quantity, "routed experts", MOE,
	    larger(2 * w->expert * rows * hottest / flops, w->expert_bytes * touched / hbm),
	    AS("parameters", w->expert), AS("k/E*tokens", rows), AS("busiest rank", hottest),
	    AS("compute rate", flops), AS("bytes", w->expert_bytes), IS(touched), AS("memory rate", hbm));
	add_copies(w, s, rows * hottest * params_expert_slots(w->p) / params_expert_ranks(w->p), sum, ledger);
	if (!s->prefill)
		LEDGER_TERM(ledger, *sum, s->quantity, "kernels of experts", MOE,
		    w->kinds.moe * w->rates.expert_seconds, AS("layers", w->kinds.moe),
		    AS("seconds", w->rates.expert_seconds));
}

/* Of both halves of a pass that is cut in two. */
static double
experts_seconds(const struct serve_work *w, const struct pass *s)
{
	struct pass half = *s;
	double sum = 0;

	half.tokens /= 2;
	half.requests /= 2;
	serve_add_experts(w, &half, &sum, NULL);
	return 2 * sum;
}

/* Two halves of a pass run one layer's part apart; a batch of one request has none. */
bool
serve_in_halves(const struct serve_work *w, const struct pass *s)
{
	return w->p->serving.two_batch_overlap && engine_of(w->p)->halves != NULL &&
	    (serve_exchanges(w) || w->p->serving.ffn_gpus > 0) && (s->prefill || s->requests >= 2);
}

/*
 * Tokens of one half travel while the other computes. In decode what takes longer counts, and of the
 * first layer both ways of one half. In prefill the halves take turns by parts of a layer: what is before
 * experts is beside the other's dispatch and then its combine, and so are experts (operations_strategy.py,
 * _compute_moe_deepseek_blog_prefill); and the kernels that send hold SMs meanwhile, 20 of 132 (DeepEP's
 * default); those of decode hold none (low-latency hooks). layer: seconds of both halves.
 */
static void
add_hidden_exchange(const struct serve_work *w, const struct pass *s, double layer, double *sum,
    struct ledger *ledger)
{
	const double moe = w->kinds.moe, beside = *sum, experts = experts_seconds(w, s) / moe;
	const double rest = beside / moe - experts, there = layer / 3, back = layer - there;
	const double waits = (larger(rest, there) + larger(experts, there) + larger(experts, back) +
	    larger(rest, back)) / 2 - rest - experts;
	const double held = 20.0 / 132;

	if (s->prefill)
		LEDGER_TERM(ledger, *sum, s->quantity, "expert dispatch and combine, beside the other half",
		    engine_of(w->p)->halves, moe * (waits + held * smaller(layer, rest + experts)),
		    AS("both halves", layer), AS("layers", moe), IS(experts), AS("rest of a layer", rest),
		    IS(waits), AS("SMs held", held));
	else
		LEDGER_TERM(ledger, *sum, s->quantity, "expert dispatch and combine, beside the other half",
		    engine_of(w->p)->halves, larger(layer / 2, moe * layer - beside),
		    AS("both halves", layer), AS("layers", moe), AS("the above", beside));
}

/* Seconds of a token to its experts in 8 bits and back in 16. Those of prompts cross the network once to
 * each node that they meet and go on over NVLink at the same time (DeepEP's normal kernels: 58 and
 * 51 GB/s over 4 and 8 nodes, those that stay counted, of cards of 50); those of decode once to each
 * expert. */
static double
exchanged_seconds(const struct serve_work *w, bool prefill, double n, double rate)
{
	const double k = params_experts_met(&w->p->model), bytes = params_expert_width(&w->p->model) * 2;
	const double nodes = expert_nodes(w->p);
	double least;

	if (!prefill || nodes <= 1)
		return 1.5 * k * bytes * (n - 1) / n / rate;
	return 1.5 * bytes * larger(link_places_met(&w->p->model, nodes, k) * (nodes - 1) / nodes /
	    (serve_network_rate(w->p) * network_share), link_places_met(&w->p->model, n, k) /
	    (serve_link(w->p, n / nodes, &least) * SERVE_EXCHANGE_SHARE));
}

/* As tokens to their experts and back, or those of all ranks to everybody and their sums back by NCCL,
 * whichever is less. Where each rank has a part of all experts, every rank has to have every token there is. */
void
serve_add_exchange(const struct serve_work *w, const struct pass *s, double *sum, struct ledger *ledger)
{
	const double n = params_expert_ranks(w->p);
	const double bytes = s->tokens * params_expert_width(&w->p->model) * 2;
	double least;
	const double rate = serve_link(w->p, n, &least) * SERVE_EXCHANGE_SHARE;
	const double travel = s->tokens * serve_hottest(w->p) * exchanged_seconds(w, s->prefill, n, rate);
	const double sent = 2 * larger(least, exchange_seconds) + travel;
	const bool sends = w->p->parallel.ep > 1;
	const double gathered = 2 * least + 2 * bytes * (sends || s->busy ? w->setup->dp : 1) * (n - 1) / n / rate;

	if (!serve_exchanges(w) || n <= 1 || rate <= 0)
		return;
	if (serve_in_halves(w, s) && sends)
		add_hidden_exchange(w, s, 4 * larger(least, exchange_seconds) + travel, sum, ledger);
	else if (sends)
		LEDGER_TERM(ledger, *sum, s->quantity, "expert dispatch and combine", DEEPEP,
		    w->kinds.moe * smaller(sent, gathered), AS("layers", w->kinds.moe),
		    AS("to experts", sent), AS("to all ranks", gathered));
	else
		LEDGER_TERM(ledger, *sum, s->quantity, "tokens to all ranks", GATHERS,
		    w->kinds.moe * gathered, AS("layers", w->kinds.moe), AS("to all ranks", gathered));
}
