#include "core/serve/serve_work.h"

#include <math.h>

#include "core/base/number.h"
#include "core/model/mixer.h"
#include "core/serve/serve_apart.h"
#include "core/serve/serve_experts.h"
#include "core/serve/serve_links.h"

#define AIC "ai-dynamo/aiconfigurator systems/data/"
#define GEMM AIC "gemm_perf"
#define ATTENTION_SOURCE AIC "context_attention_perf, generation_attention_perf"
#define REDUCE AIC "custom_allreduce_perf"
#define GATHER "SGLang python/sglang/srt/layers/dp_attention.py, DpPaddingMode"
#define SAMPLE "ai-dynamo/aiconfigurator systems/silicon_sample.csv"
#define SMALL "vLLM csrc/layernorm_kernels.cu, pos_encoding_kernels.cu, activation_kernels.cu"
#define VISION "vLLM vllm/model_executor/models/qwen2_5_vl.py, Qwen2_5_VisionTransformer"
#define PUNICA "vLLM vllm/lora/punica_wrapper/punica_gpu.py, Chen et al. 2023, arXiv 2310.18547"
#define OPERATIONS "ai-dynamo/aiconfigurator src/aiconfigurator/sdk/operations/communication.py"

static const double large_message = 262144;   /* bytes from which all-reduces take two rounds */
static const double merged = 4;          /* patches of an image's token */

/* ---- terms -------------------------------------------------------------------------- */

/* Terms of decoding that follow are kernels of a kind, as those of a trace are summed. */
static void
mark_kernels(const struct pass *s, struct ledger *ledger, enum kernel_kind kind)
{
	if (ledger != NULL)
		ledger->kind = s->prefill ? KERNELS_NONE : kind;
}

/* Tokens of all ranks that gather theirs; of a rank alone in prefill where the others have none. */
static double
joined_tokens(const struct serve_work *w, const struct pass *s, double tokens)
{
	return s->busy ? tokens * w->joined : tokens;
}

static void
add_joint(const struct serve_work *w, const struct pass *s, double *sum, struct ledger *ledger)
{
	const double tokens = joined_tokens(w, s, s->tokens);
	const double flops = w->rates.dense.flops * serve_reached(&w->rates, tokens), hbm = w->rates.dense.bytes;

	if (w->joint > 0)
		LEDGER_TERM(ledger, *sum, s->quantity, "linear layers that ranks share", GEMM,
		    norm4(2 * w->joint * tokens / flops, w->joint_bytes / hbm),
		    AS("parameters", w->joint), AS("tokens of all ranks", tokens),
		    AS("compute rate", flops), AS("bytes", w->joint_bytes), AS("memory rate", hbm));
}

/* A sparse index picks tokens out of the latent in prefill too, where there are more than it picks. */
static bool
picks_in_prefill(const struct serve_work *w)
{
	const struct model *m = &w->p->model;

	return m->attention == ATTENTION_MLA && w->kinds.sparse > 0 &&
	    w->p->serving.prompt_tokens > m->index_topk;
}

/* FlashMLA's kernel for that takes heads in multiples of 64, of 128 on Blackwell (SGLang
 * dsa_backend.py, _forward_flashmla_sparse; vLLM flashmla_sparse.py). */
static double
padded_heads(const struct serve_work *w, double heads)
{
	const double many = w->p->cluster.generation == GENERATION_BLACKWELL ? 128 : 64;

	return engine_of(w->p)->whole_heads ? heads : ceil(heads / many) * many;
}

/* FLOP of a pair of tokens: scores and their product with the values, over all heads of a GPU.
 * MLA prefills with expanded heads and decodes on the latent. */
static double
pair_flops(const struct serve_work *w, bool prefill, bool local)
{
	const struct model *m = &w->p->model;
	const double heads = params_query_heads(m, local) / w->attention_tp;
	const double latent = (double)(2 * m->kv_lora_rank + m->qk_rope_head_dim);

	if (prefill && picks_in_prefill(w))
		return 2 * padded_heads(w, heads) * latent;
	if (m->attention != ATTENTION_MLA || prefill)
		return 2 * heads * (params_key_dim(m, local) + params_value_dim(m, local));
	return 2 * heads * latent;
}

/* A window or a sparse index bounds what a token looks back on; the indexer itself looks at
 * everything. Decode reads the cache; prefill keeps it on the chip. */
static void
add_attention(const struct serve_work *w, const struct pass *s, double *sum, struct ledger *ledger)
{
	const struct model *m = &w->p->model;
	const double topk = m->index_topk > 0 ? (double)m->index_topk : HUGE_VAL;
	const struct layer_kinds *k = &w->kinds;
	const bool csa = m->attention == ATTENTION_CSA;
	const double entry = csa ? w->kv->bytes[KV_WINDOW] : w->kv->bytes[KV_FULL] - w->kv->index;
	const double entries = csa ? s->back / (double)m->compress_ratio : s->back;
	const double full = k->sparse * smaller(entries, topk) + (csa ?
	    k->heavy * s->back / (double)m->heavy_compress_ratio : (k->global - k->sparse) * s->back);
	const double local = w->local * smaller(s->back, w->kv->window);
	const double rate = s->prefill && picks_in_prefill(w) ? w->rates.sparse : w->rates.attention;
	const double flops = s->tokens * (full * pair_flops(w, s->prefill, false) +
	    local * pair_flops(w, s->prefill, true) +
	    k->indexed * entries * 2 * (double)(m->index_heads * m->index_head_dim));
	const double cache = s->prefill ? 0 : s->requests *
	    (k->global * s->back * w->kv->index / (w->kv->everywhere > 0 ? 1 : w->kv->ranks) +
	    full * entry / w->kv->ranks +
	    local * w->kv->bytes[KV_WINDOW] +
	    2 * kv_state_bytes(w->kv, &w->kv_layers));

	LEDGER_TERM(ledger, *sum, s->quantity, "attention", ATTENTION_SOURCE,
	    larger(flops / rate, cache / w->rates.cache), AS("FLOP", flops), AS("compute rate", rate),
	    AS("cache and states", cache), AS("memory rate", w->rates.cache));
}

/* The scans over a prompt. */
static void
add_recurrence(const struct serve_work *w, const struct pass *s, double *sum, struct ledger *ledger)
{
	const struct mixer linear = mixer_linear(&w->p->model), mamba = mixer_mamba(&w->p->model);
	const double layers = w->kv_layers.of[KV_STATE] - w->kinds.mamba;
	const double flop = linear.scan / w->attention_tp, scan = mamba.scan / w->attention_tp;
	const double rate = w->rates.recurrent * (w->p->model.mamba_dt_rank > 0 ? MIXER_SELECTIVE : 1);

	if (s->prefill && layers > 0)
		LEDGER_TERM(ledger, *sum, s->quantity, "linear attention", SAMPLE,
		    layers * flop * s->tokens / w->rates.recurrent, IS(layers), AS("FLOP of a token", flop),
		    AS("tokens", s->tokens), AS("compute rate", w->rates.recurrent));
	if (s->prefill && w->kinds.mamba > 0)
		LEDGER_TERM(ledger, *sum, s->quantity, "Mamba scan", SAMPLE,
		    w->kinds.mamba * scan * s->tokens / rate, AS("layers", w->kinds.mamba),
		    AS("FLOP of a token", scan), AS("tokens", s->tokens),
		    AS("compute rate", rate));
}

/* Ranks that split what is no expert's: some with DP attention have all of it. */
static double
dense_tp(const struct serve_work *w)
{
	return engine_of(w->p)->dp_is_whole || engine_dense_is_whole(w->p) ? w->attention_tp : w->setup->tp;
}

/* Numbers of a token that small kernels read and write: norms with the residual before both halves of a
 * layer, positions, the gate's product. */
static double
elementwise(const struct serve_work *w)
{
	const struct model *m = &w->p->model;
	const double h = (double)m->hidden_size;
	const double q = params_query_heads(m, false) * params_key_dim(m, false) / w->attention_tp;

	return w->halves * 4 * h + w->mixers * 2 * q + 3 * (w->kinds.dense * (double)m->ffn_hidden_size +
	    w->kinds.moe * (double)m->shared_expert_ffn_hidden_size) / dense_tp(w);
}

static void
add_elementwise(const struct serve_work *w, const struct pass *s, double *sum, struct ledger *ledger)
{
	const double numbers = elementwise(w), bytes = 2 * s->tokens * numbers;

	if (s->prefill && !engine_of(w->p)->fuses_norms)
		LEDGER_TERM(ledger, *sum, s->quantity, "norms, positions and gates", SMALL,
		    bytes / w->rates.cache, AS("tokens", s->tokens), AS("numbers", numbers), IS(bytes),
		    AS("memory rate", w->rates.cache));
}

static double
head_parameters(const struct serve_work *w)
{
	return (double)w->p->model.hidden_size * (double)w->p->model.vocab_size / dense_tp(w);
}

double
serve_head_seconds(const struct serve_work *w)
{
	return 2 * head_parameters(w) / w->rates.head.bytes;
}

/* Of a prompt only the last position reaches the head, which keeps 16 bits. */
static void
add_head(const struct serve_work *w, const struct pass *s, double *sum, struct ledger *ledger)
{
	const double n = head_parameters(w);
	const double rows = joined_tokens(w, s, s->prefill ? s->requests : s->tokens);

	LEDGER_TERM(ledger, *sum, s->quantity, "LM head", GEMM,
	    larger(2 * n * rows / w->rates.head.flops, 2 * n / w->rates.head.bytes),
	    AS("h*V/TP", n), IS(rows), AS("compute rate", w->rates.head.flops),
	    AS("memory rate", w->rates.head.bytes));
}

/* Share of NVLink's rate that all-reduces of two, of four and of more GPUs reach. */
static double
reduce_share(double members)
{
	return members <= 2 ? .70 : members <= 4 ? .77 : .98;
}

/* After attention and after the MLP; experts that tokens are sent to need none. Over NVLink by
 * the engines' own kernels: small messages take a time, larger ones a second round. */
static void
add_all_reduces(const struct serve_work *w, const struct pass *s, double *sum, struct ledger *ledger)
{
	const double n = dense_tp(w), moe = serve_exchanges(w) ? w->kinds.moe : 0;
	const double calls = w->mixers * (w->attention_tp > 1) + (w->halves - w->mixers - moe);
	const double bytes = s->tokens * (double)w->p->model.hidden_size * 2;
	double least;
	const double link = serve_link(w->p, n, &least);
	const bool linked = serve_is_linked(&w->p->cluster, n);
	const double rate = link * (linked ? reduce_share(n) : 1);

	if (n <= 1 || w->joined > 1 || calls <= 0 || rate <= 0)
		return;
	if (s->prefill)
		least = 0; /* its launch counts */
	else if (linked)
		least = w->rates.reduce + w->rates.reduce_large * (n - 1) / 7 *
		    smaller(1, bytes / large_message);
	LEDGER_TERM(ledger, *sum, s->quantity, "all-reduces", REDUCE,
	    calls * (least + bytes * 2 * (n - 1) / n / rate), IS(calls), IS(least), IS(bytes),
	    AS("TP", n), AS("link rate", rate));
}

/* Tokens of all ranks to each before an MLP that they share, and its sums back: an all-gather and a
 * reduce-scatter of equal parts in decode, in prefill, where ranks differ, an all-reduce each. */
static void
add_gathers(const struct serve_work *w, const struct pass *s, double *sum, struct ledger *ledger)
{
	const double layers = w->kinds.dense + (serve_exchanges(w) ? 0 : w->kinds.moe), n = w->joined;
	const double bytes = joined_tokens(w, s, s->tokens) * (double)w->p->model.hidden_size * 2;
	const double passes = s->prefill ? 4 : 2;
	double least;
	const double rate = serve_link(w->p, n, &least) * SERVE_EXCHANGE_SHARE;

	if (n <= 1 || layers <= 0 || rate <= 0)
		return;
	LEDGER_TERM(ledger, *sum, s->quantity, "tokens of all ranks to MLPs and back", GATHER,
	    layers * (2 * least + passes * bytes * (n - 1) / n / rate), IS(layers), IS(least), IS(passes),
	    IS(bytes), AS("ranks", n), AS("link rate", rate));
}

/* Each rank of prefill context parallel has its part of a prompt attend to all of it. */
static void
add_gathered_prompt(const struct serve_work *w, const struct pass *s, double *sum,
    struct ledger *ledger)
{
	const double n = at_least_one(w->p->parallel.cp);
	const double bytes = s->tokens * n * kv_token_bytes(w->p, &w->kv_layers, NULL);
	double least;
	const double rate = serve_link(w->p, n * w->setup->tp, &least);

	if (!s->prefill || n <= 1 || rate <= 0)
		return;
	LEDGER_TERM(ledger, *sum, s->quantity, "keys and values between prefill ranks", OPERATIONS,
	    bytes * (n - 1) / n / rate + w->kinds.all * least, IS(bytes), AS("CP", n), AS("link rate", rate),
	    AS("layers", w->kinds.all), IS(least));
}

static void
add_hops(const struct serve_work *w, const struct pass *s, double *sum, struct ledger *ledger)
{
	const double hops = w->setup->pp - 1;
	const double bytes = s->tokens * (double)w->p->model.hidden_size * 2 / w->setup->tp;
	double least;
	const double rate = serve_link(w->p, w->setup->tp * w->setup->pp, &least);

	if (hops > 0 && rate > 0)
		LEDGER_TERM(ledger, *sum, s->quantity, "between stages", OPERATIONS,
		    hops * (least + bytes / rate), IS(hops), IS(least), IS(bytes), AS("link rate", rate));
}

double
serve_host_seconds(const struct serve_work *w, double requests)
{
	return w->rates.host + w->rates.request_host * requests;
}

/* Small kernels of a graph, or the launches of all kernels without one; what the host does
 * between passes. */
/* Without graphs the host launches kernels while the GPU works on earlier ones. */
static void
add_launches(const struct serve_work *w, const struct pass *s, double *sum, struct ledger *ledger)
{
	const double kernels = w->kernels + 6 * w->kinds.moe, above = *sum;

	if (w->p->serving.eager && kernels * w->rates.launch > above)
		LEDGER_TERM(ledger, *sum, s->quantity, "launches, without CUDA graphs", SAMPLE,
		    kernels * w->rates.launch - above, IS(kernels), AS("seconds", w->rates.launch),
		    AS("the above", above));
}

static void
add_host(const struct serve_work *w, const struct pass *s, double *sum, struct ledger *ledger)
{
	const double kernels = w->kernels + 6 * w->kinds.moe;

	if (s->prefill) {
		LEDGER_TERM(ledger, *sum, s->quantity, "launches, without CUDA graphs", SAMPLE,
		    kernels * w->rates.launch, IS(kernels), AS("seconds", w->rates.launch));
		LEDGER_TERM(ledger, *sum, s->quantity, "host", SAMPLE, w->rates.host,
		    AS("seconds", w->rates.host));
		return;
	}
	mark_kernels(s, ledger, KERNELS_OTHER);
	LEDGER_TERM(ledger, *sum, s->quantity, "small kernels", SAMPLE,
	    w->kernels * w->rates.kernel, AS("kernels", w->kernels), AS("seconds", w->rates.kernel));
	mark_kernels(s, ledger, KERNELS_NONE);
	add_launches(w, s, sum, ledger);
	LEDGER_TERM(ledger, *sum, s->quantity, "host and sampler", SAMPLE,
	    w->rates.host + w->rates.request_host * s->requests, AS("seconds", w->rates.host),
	    AS("of a request", w->rates.request_host), AS("requests", s->requests));
}

/*
 * Images go through the tower before their prompt, in line: four patches of a token (2 x 2 are merged, as in
 * Qwen-VL's) meet all its parameters, at the rate of 16 bits. What the CPU does to pixels before is not known.
 */
static void
add_images(const struct serve_work *w, const struct pass *s, double *sum, struct ledger *ledger)
{
	const struct plan *p = w->p;
	const double images = p->serving.images * s->tokens / serve_prompt_tokens(p);
	const double largest = (double)(p->serving.image_tokens > 0 ? p->serving.image_tokens :
	    p->model.vision_tokens);
	const double tokens = smaller(largest, (double)p->serving.prompt_tokens / larger(1e-9, p->serving.images));
	const double n = 1e6 * p->model.vision_params / w->setup->tp, flops = w->rates.head.flops;

	if (s->prefill && images > 0 && n > 0)
		LEDGER_TERM(ledger, *sum, s->quantity, "images through the tower", VISION,
		    images * 2 * n * merged * tokens / flops, IS(images), AS("parameters", n),
		    AS("patches of a token", merged), AS("tokens of one", tokens), AS("compute rate", flops));
}

/* Adapters of the requests that run are read, as many as there are; each pass has all their kernels. */
static void
add_adapters(const struct serve_work *w, const struct pass *s, double *sum, struct ledger *ledger)
{
	const double loras = smaller((double)w->p->serving.max_loras, s->requests);
	const double bytes = loras * w->lora.slot + s->tokens * w->lora.token;
	const double each = s->prefill ? w->rates.launch : w->rates.kernel;

	if (w->p->serving.max_loras > 0)
		LEDGER_TERM(ledger, *sum, s->quantity, "adapters", PUNICA,
		    w->lora.kernels * each + bytes / w->rates.cache, AS("kernels", w->lora.kernels),
		    AS("seconds", each), IS(bytes), AS("memory rate", w->rates.cache));
}

/* What computes, and what its ranks wait for inside of layers. */
static double
layers_seconds(const struct serve_work *w, const struct pass *s, struct ledger *ledger)
{
	double sum = 0;

	mark_kernels(s, ledger, KERNELS_PRODUCT);
	serve_add_linear(w, s, &sum, ledger);
	add_elementwise(w, s, &sum, ledger);
	add_joint(w, s, &sum, ledger);
	mark_kernels(s, ledger, KERNELS_EXPERTS);
	serve_add_experts(w, s, &sum, ledger);
	mark_kernels(s, ledger, KERNELS_ATTENTION);
	add_attention(w, s, &sum, ledger);
	add_recurrence(w, s, &sum, ledger);
	mark_kernels(s, ledger, KERNELS_PRODUCT);
	add_head(w, s, &sum, ledger);
	add_adapters(w, s, &sum, ledger);
	mark_kernels(s, ledger, KERNELS_NONE);
	add_images(w, s, &sum, ledger);
	add_all_reduces(w, s, &sum, ledger);
	add_gathers(w, s, &sum, ledger);
	return sum;
}

/* Each half reads the weights, and its products have half the rows. */
static void
add_second_half(const struct serve_work *w, const struct pass *s, double *sum, struct ledger *ledger)
{
	struct pass half = *s;
	const double whole = *sum;
	double one;

	half.tokens /= 2;
	half.requests /= 2;
	one = layers_seconds(w, &half, NULL);
	LEDGER_TERM(ledger, *sum, s->quantity, "the same in two halves", engine_of(w->p)->halves,
	    larger(0, 2 * one - whole), AS("one half", one), AS("the above", whole));
}

static double
pass_seconds(const struct serve_work *w, const struct pass *s, struct ledger *ledger)
{
	double sum = layers_seconds(w, s, ledger);

	if (serve_in_halves(w, s))
		add_second_half(w, s, &sum, ledger);
	serve_add_apart(w, s, &sum, ledger);
	serve_add_exchange(w, s, &sum, ledger);
	add_gathered_prompt(w, s, &sum, ledger);
	add_hops(w, s, &sum, ledger);
	add_host(w, s, &sum, ledger);
	return sum;
}

double
serve_decode(const struct serve_work *w, double requests, double tokens, double length,
    struct ledger *ledger)
{
	const struct pass s = { .quantity = QUANTITY_DECODE, .busy = true, .requests = requests,
		.tokens = requests * tokens, .back = length };

	return pass_seconds(w, &s, ledger);
}

double
serve_prompt_tokens(const struct plan *p)
{
	return larger(1, (double)p->serving.prompt_tokens * (1 - p->serving.prefix_hit));
}

double
serve_pass(const struct serve_work *w, double tokens, double back, double requests, bool busy,
    struct ledger *ledger)
{
	const double ranks = at_least_one(w->p->parallel.cp), part = tokens / ranks;
	const struct pass s = { .quantity = QUANTITY_PREFILL, .prefill = true, .busy = busy,
		.requests = larger(1, requests), .tokens = part, .back = back };

	return pass_seconds(w, &s, ledger);
}

double
serve_prefill(const struct serve_work *w, double tokens, bool busy, struct ledger *ledger)
{
	const struct serving *v = &w->p->serving;

	return serve_pass(w, tokens, (double)v->prompt_tokens * (1 + v->prefix_hit) / 2,
	    tokens / serve_prompt_tokens(w->p), busy, ledger);
}
