#include "core/serve/serve_draft.h"

#include "core/base/number.h"

#define SPECULATION "Leviathan et al. 2022, arXiv 2211.17192, section 3.3"
#define EAGLE "SafeAILab/EAGLE eagle/model/cnets.py; vLLM vllm/model_executor/models/llama_eagle3.py"

static const double draft_words = 32000; /* of an EAGLE-3 draft's head, the most frequent of the model's */
static const double draft_kernels = 14, draft_reduces = 2;

/* Three hidden states become one, a layer whose projections take two of them side by side, its MLP, and
 * a head of fewer words; the table of the model's words is shared. */
double
serve_draft_params(const struct plan *p)
{
	const struct model *m = &p->model;
	const double h = (double)m->hidden_size, d = (double)m->head_dim;
	const double queries = (double)m->attention_heads * d, keys = (double)m->kv_heads * d;
	const double inner = m->ffn_hidden_size > 0 ? (double)m->ffn_hidden_size : 4 * h;

	if (p->serving.draft_tokens == 0 || p->serving.draft != DRAFT_EAGLE3)
		return 0;
	return 3 * h * h + 2 * h * (queries + 2 * keys) + queries * h + 3 * h * inner + draft_words * h;
}

/* Drafts come one after the other, each from a pass of what drafts. */
static double
own_layer(const struct serve_work *w, double requests, double length, double drafts,
    struct ledger *ledger)
{
	const double plain = serve_decode(w, requests, 1, length, NULL) - serve_host_seconds(w, requests);
	const double head = serve_head_seconds(w);
	double sum = 0;

	LEDGER_TERM(ledger, sum, QUANTITY_DECODE, "drafts", SPECULATION,
	    drafts * (plain / w->kinds.all + head), IS(drafts), AS("a step without its host", plain),
	    AS("layers", w->kinds.all), IS(head));
	return sum;
}

static double
eagle(const struct serve_work *w, double requests, double drafts, struct ledger *ledger)
{
	const double n = serve_draft_params(w->p) / w->setup->tp;
	const double flops = w->rates.head.flops, hbm = w->rates.head.bytes;
	const double reduces = w->setup->tp > 1 ? draft_reduces * w->rates.reduce : 0;
	const double kernels = draft_kernels * w->rates.kernel + reduces;
	double sum = 0;

	LEDGER_TERM(ledger, sum, QUANTITY_DECODE, "drafts", EAGLE,
	    drafts * (larger(2 * n * requests / flops, 2 * n / hbm) + kernels), IS(drafts),
	    AS("parameters", n), IS(requests), AS("compute rate", flops), AS("memory rate", hbm),
	    AS("kernels and all-reduces", kernels));
	return sum;
}

double
serve_draft_seconds(const struct serve_work *w, double requests, double length,
    struct ledger *ledger)
{
	const double drafts = (double)w->p->serving.draft_tokens;

	if (!(drafts > 0) || w->p->serving.draft == DRAFT_NGRAM)
		return 0;
	return w->p->serving.draft == DRAFT_EAGLE3 ? eagle(w, requests, drafts, ledger) :
	    own_layer(w, requests, length, drafts, ledger);
}
