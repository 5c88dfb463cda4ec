#include "core/serve/serve_apart.h"

#include "core/base/number.h"
#include "core/plan/pool.h"
#include "core/serve/serve_experts.h"
#include "core/serve/serve_links.h"

#define GUIDE "vllm-project/afd-plugin docs/gpu/NCCL_P2P_CONNECTOR_USER_GUIDE.md"
#define HALVES "Zhu et al. 2025, MegaScale-Infer, arXiv 2504.02263, section 4.1"

/* The work of these GPUs alone, as one engine of their plan. It points into itself. */
struct apart {
	struct plan plan;
	struct serve_setup setup;
	struct serve_work work;
	double peers;                /* that attend, of each */
};

struct serve_setup
serve_apart_setup(const struct serve_work *w, double *peers)
{
	const double n = (double)w->p->serving.ffn_gpus;
	struct serve_setup s = *w->setup;

	*peers = w->setup->dp * w->attention_tp / n;
	s.tp = w->attention_tp;
	s.dp = n / w->attention_tp;
	s.tokens *= *peers;
	return s;
}

static void
apart_of(struct apart *a, const struct serve_work *w)
{
	a->plan = pool_ffn_plan(w->p);
	a->setup = serve_apart_setup(w, &a->peers);
	a->work = serve_work_of_mlps(&a->plan, &a->setup, w->kv);
}

/* Tokens and requests of a pass that reach one of them. */
static struct pass
pass_there(const struct apart *a, const struct pass *s)
{
	struct pass t = *s;

	t.tokens *= a->peers;
	t.requests *= a->peers;
	return t;
}

static double
mlp_seconds(const struct apart *a, const struct pass *s)
{
	const struct serve_work *w = &a->work;
	const struct pass t = pass_there(a, s);
	double sum = 0;

	serve_add_linear(w, &t, &sum, NULL);
	serve_add_experts(w, &t, &sum, NULL);
	serve_add_exchange(w, &t, &sum, NULL);
	return sum + w->kernels * (s->prefill || a->plan.serving.eager ? w->rates.launch : w->rates.kernel);
}

/* One way of all layers: what all that one serves send it. */
static double
way_seconds(const struct serve_work *w, const struct apart *a, const struct pass *s)
{
	const double layers = a->work.kinds.moe + a->work.kinds.dense;
	const double bytes = pass_there(a, s).tokens * (double)w->p->model.hidden_size * 2;
	double least;
	const double rate = serve_link(w->p, w->setup->dp * w->attention_tp + (double)w->p->serving.ffn_gpus, &least);

	return rate > 0 ? layers * (least + bytes / rate) : 0;
}

/* Each half's attention, way there, MLPs and way back follow one another; each GPU has both halves to do. */
static void
add_halves(const struct serve_work *w, const struct apart *a, const struct pass *s, double *sum,
    struct ledger *ledger)
{
	struct pass half = *s;
	double both = *sum, mlps, way;

	half.tokens /= 2;
	half.requests /= 2;
	mlps = mlp_seconds(a, &half);
	way = way_seconds(w, a, &half);
	LEDGER_TERM(ledger, *sum, s->quantity, "MLPs and the way there, beside the other half", HALVES,
	    larger(0, larger(2 * mlps, both / 2 + mlps + 2 * way) - both), AS("MLPs of a half", mlps),
	    AS("one way of it", way), AS("attention of both", both));
}

void
serve_add_apart(const struct serve_work *w, const struct pass *s, double *sum, struct ledger *ledger)
{
	struct apart a;
	double mlps, way;

	if (w->p->serving.ffn_gpus <= 0)
		return;
	apart_of(&a, w);
	if (serve_in_halves(w, s)) {
		add_halves(w, &a, s, sum, ledger);
		return;
	}
	mlps = mlp_seconds(&a, s);
	way = way_seconds(w, &a, s);
	LEDGER_TERM(ledger, *sum, s->quantity, "MLPs on GPUs of their own", GUIDE, mlps, AS("seconds", mlps));
	LEDGER_TERM(ledger, *sum, s->quantity, "to these GPUs and back", GUIDE, 2 * way, AS("one way", way));
}

double
serve_apart_weights(const struct serve_work *w)
{
	struct apart a;

	apart_of(&a, w);
	return a.work.linear_bytes + a.work.expert_bytes;
}

double
serve_apart_share(const struct serve_work *w, double requests, double seconds)
{
	const struct pass s = { .quantity = QUANTITY_DECODE, .busy = true, .requests = requests, .tokens = requests };
	struct apart a;

	if (w->p->serving.ffn_gpus <= 0 || !(seconds > 0))
		return 0;
	apart_of(&a, w);
	return smaller(1, mlp_seconds(&a, &s) / seconds);
}
