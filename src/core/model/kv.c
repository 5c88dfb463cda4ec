#include "core/model/kv.h"

#include <math.h>

#include "core/base/number.h"
#include "core/engine/engine.h"
#include "core/model/mixer.h"
#include "core/model/params.h"

#define VLLM_KV "vLLM vllm/v1/kv_cache_interface.py"
#define VLLM_MLA "vLLM vllm/model_executor/layers/attention/mla_attention.py"
#define CSA_SOURCE "vLLM vllm/model_executor/models/deepseek_v4.py"
#define VLLM_INDEXER "vLLM vllm/v1/attention/backends/mla/indexer.py"

double
kv_attention_tp(const struct plan *p)
{
	return p->serving.dp_attention ? 1 : at_least_one(p->parallel.tp);
}

/* Bytes of a cached number. NVFP4 adds one byte of scale for 16 of them. */
static double
cached_bytes(int64_t kv_dtype)
{
	switch (kv_dtype) {
	case KV_FP8:
		return 1;
	case KV_NVFP4:
		return 1.0 / 2 + 1.0 / 16;
	default:
		return 2;
	}
}

/* ---- a token in some layers ---------------------------------------------------------- */

/* True where FP8 for sparse attention means the format fp8_ds_mla: FP8 latent, an fp32 scale for 128 of it,
 * 16-bit rotary part. Else all is FP8, of one scale. */
static bool
has_scales(const struct plan *p)
{
	const struct serving *v = &p->serving;
	const int64_t flat = engine_of(p)->flat_since;
	int64_t patch;

	return p->model.index_heads > 0 && v->kv_dtype == KV_FP8 &&
	    !(p->cluster.generation == GENERATION_BLACKWELL && flat > 0 &&
	    engine_version(v->engine_version, &patch) >= flat);
}

/* The latent and the rotary part, one copy on every TP rank. */
static void
add_latent(const struct plan *p, double layers, double *sum, struct ledger *ledger)
{
	const double kl = (double)p->model.kv_lora_rank, rope = (double)p->model.qk_rope_head_dim;
	const double bytes = cached_bytes(p->serving.kv_dtype);
	const bool sparse = has_scales(p);
	const double latent = sparse ? 1 + 4.0 / 128 : bytes, rotary = sparse ? 2 : bytes;

	LEDGER_TERM(ledger, *sum, QUANTITY_KV_TOKEN, "latent and rotary part", VLLM_MLA,
	    layers * (kl * latent + rope * rotary), IS(layers), IS(kl), AS("bytes", latent), IS(rope),
	    AS("bytes", rotary));
}

/* Entries that a token comes to in a compressed cache, the mean of the layers that attend to
 * everything. */
static double
mean_entries(const struct model *m)
{
	const struct layer_kinds k = params_kinds(m, 0, m->layers);

	return k.global > 0 ? (k.indexed / (double)m->compress_ratio +
	    k.heavy / (double)m->heavy_compress_ratio) / k.global : 0;
}

/* Keys and values of layers of one kind. A rank keeps whole KV heads, so at least one; whole:
 * each head of the model once. */
static void
add_heads(const struct plan *p, int kind, bool whole, double layers, double *sum,
    struct ledger *ledger)
{
	static const char *const names[KV_STATE] = {
		"layers that keep every token", "layers with a window", "layers with chunks"
	};
	const struct model *m = &p->model;
	const bool local = kind != KV_FULL;
	const double d = params_key_dim(m, local), v = params_value_dim(m, local);
	const double all = params_kv_heads(m, local);
	const double heads = whole ? all : larger(1, ceil(all / kv_attention_tp(p)));
	const double bytes = cached_bytes(p->serving.kv_dtype);

	if (m->attention == ATTENTION_CSA) {
		const double entries = local ? 1 : mean_entries(m);

		LEDGER_TERM(ledger, *sum, QUANTITY_KV_TOKEN, names[kind], CSA_SOURCE,
		    layers * (d * bytes * entries), IS(layers), IS(d), IS(bytes), IS(entries));
	} else {
		LEDGER_TERM(ledger, *sum, QUANTITY_KV_TOKEN, names[kind], VLLM_KV,
		    layers * heads * (d + v) * bytes, IS(layers), IS(heads), IS(d), IS(v), IS(bytes));
	}
}

/* Keys of the indexer of a sparse attention, in those layers that have one: FP8, with an fp32
 * scale for 128 of them; beside keys and values without a latent 16 bits. */
static void
add_index(const struct model *m, double layers, double *sum, struct ledger *ledger)
{
	const struct layer_kinds k = params_kinds(m, 0, m->layers);
	const double d = (double)m->index_head_dim;
	const double bytes = m->attention == ATTENTION_MLA ? 1 + 4.0 / 128 : 2;
	const double ratio = m->attention == ATTENTION_CSA ? (double)m->compress_ratio : 1;

	if (m->index_heads > 0 && k.global > 0)
		LEDGER_TERM(ledger, *sum, QUANTITY_KV_TOKEN, "indexer", VLLM_INDEXER,
		    layers * (d * bytes * k.indexed / k.global / ratio), IS(layers), IS(d), IS(bytes),
		    AS("with an indexer", k.indexed), AS("of", k.global), IS(ratio));
}

/* Without the indexer. */
static void
add_keys(const struct plan *p, int kind, bool whole, double layers, double *sum,
    struct ledger *ledger)
{
	if (p->model.attention == ATTENTION_MLA)
		add_latent(p, layers, sum, ledger);
	else
		add_heads(p, kind, whole, layers, sum, ledger);
}

static double
token_bytes(const struct plan *p, const struct kv_layers *layers, bool whole,
    struct ledger *ledger)
{
	double sum = 0;

	for (int k = 0; k < KV_STATE; k++)
		if (layers->of[k] > 0)
			add_keys(p, k, whole, layers->of[k], &sum, ledger);
	if (layers->of[KV_FULL] > 0)
		add_index(&p->model, layers->of[KV_FULL], &sum, ledger);
	return sum;
}

double
kv_token_bytes(const struct plan *p, const struct kv_layers *layers, struct ledger *ledger)
{
	return token_bytes(p, layers, false, ledger);
}

double
kv_model_bytes(const struct plan *p)
{
	const struct kv_layers all = kv_layers_of(p, 0, p->model.layers);

	return token_bytes(p, &all, true, NULL);
}

/* ---- layers of a stage --------------------------------------------------------------- */

/* The state of a layer that has one. Where there are two kinds, pages take the larger. Kimi's is
 * always fp32 (vLLM vllm/model_executor/layers/mamba/mamba_utils.py, MambaStateDtypeCalculator). */
static double
state_bytes(const struct plan *p)
{
	const struct model *m = &p->model;
	const bool wide = m->state_fp32 || !engine_of(p)->state_as_model || m->linear_kind == LINEAR_KDA;
	const double bytes = wide ? 4 : 2;
	const struct mixer linear = mixer_linear(m), mamba = mixer_mamba(m);

	return larger(m->linear_attention ? mixer_state_bytes(&linear, bytes) : 0,
	    mixer_state_bytes(&mamba, bytes)) / kv_attention_tp(p);
}

/*
 * Ranks over which the tokens of a request are spread. Decode context parallel splits what
 * TP ranks hold several times, copies of a KV head or the latent, and nothing else (vLLM
 * vllm/config/model.py, verify_with_parallel_config). Prefill context parallel spreads tokens
 * over ranks of its own, which the size of the former counts too (vllm/config/parallel.py).
 */
static double
token_ranks(const struct plan *p)
{
	const double tp = kv_attention_tp(p), cp = at_least_one(p->parallel.cp);
	const double heads = at_least_one(p->model.kv_heads);
	const double copies = p->model.attention == ATTENTION_MLA ? tp :
	    larger(1, floor(tp / heads));
	const double asked = p->serving.dcp > 1 ? (double)p->serving.dcp : cp;

	return asked < cp * copies ? asked : cp * copies;
}

static enum kv_kind
local_kind(const struct model *m)
{
	if (m->linear_attention)
		return KV_STATE;
	return m->attention_chunk > 0 ? KV_CHUNK : KV_WINDOW;
}

static struct kv_layers
layers_of(const struct plan *p, const struct layer_kinds *k)
{
	struct kv_layers out = { { [KV_FULL] = k->global - k->borrowing_global } };

	out.of[local_kind(&p->model)] = k->local - k->borrowing_local;
	if (p->model.attention == ATTENTION_CSA) /* all have a window */
		out.of[KV_WINDOW] += k->global;
	out.of[KV_STATE] += k->mamba;
	return out;
}

struct kv_layers
kv_layers_of(const struct plan *p, int64_t first, int64_t count)
{
	const struct layer_kinds k = params_kinds(&p->model, first, count);

	return layers_of(p, &k);
}

/* The layer that drafts, an EAGLE-3 draft's as one of the model's; none without. */
static struct kv_layers
draft_layers(const struct plan *p)
{
	const struct layer_kinds one = params_mtp_kinds(&p->model);

	return p->serving.draft_tokens > 0 && p->serving.draft != DRAFT_NGRAM ? layers_of(p, &one) : (struct kv_layers){ { 0 } };
}

static void
add_layers(struct kv_layers *sum, const struct kv_layers *more)
{
	for (int k = 0; k < KV_KINDS; k++)
		sum->of[k] += more->of[k];
}

struct kv_layers
kv_stage(const struct plan *p, const struct placement *pl, int64_t stage)
{
	const struct kv_layers draft = draft_layers(p);
	struct kv_layers out = { { 0 } };

	for (int64_t v = 0; v < pl->vpp; v++) {
		const struct chunk *c = placement_chunk(pl, stage, v);
		const struct kv_layers held = kv_layers_of(p, c->first, c->count);

		add_layers(&out, &held);
		if (c->loss)
			add_layers(&out, &draft);
	}
	return out;
}

/* A group is as large as the smallest kind, or as the largest where that pads by less
 * than half (get_kv_cache_groups). */
static void
make_groups(struct kv *kv, const struct kv_layers *all)
{
	double least = 0, most = 0, group;

	for (int k = 0; k < KV_KINDS; k++) {
		const double n = all->of[k];

		if (n > 0 && (least <= 0 || n < least))
			least = n;
		most = larger(most, n);
	}
	group = most < 1.5 * least ? most : least;
	for (int k = 0; k < KV_KINDS; k++)
		kv->groups[k] = all->of[k] > 0 ? ceil(all->of[k] / group) : 0;
}

/* Make the pages of all kinds equally large: blocks of attention grow to at least one
 * state (HybridAttentionMambaModelConfig), smaller pages take more tokens. */
static void
make_pages(struct kv *kv, double block)
{
	double page = 0;

	if (kv->groups[KV_STATE] > 0 && kv->groups[KV_FULL] > 0)
		block *= larger(1, ceil(kv->bytes[KV_STATE] / (block * kv->bytes[KV_FULL])));
	for (int k = 0; k < KV_STATE; k++)
		if (kv->groups[k] > 0)
			page = larger(page, block * kv->bytes[k]);
	if (page <= 0)
		page = kv->bytes[KV_STATE];
	for (int k = 0; k < KV_STATE; k++)
		kv->block[k] = kv->bytes[k] > 0 ? larger(1, floor(page / kv->bytes[k])) : block;
	kv->block[KV_STATE] = kv->block[KV_FULL];
	kv->page = page;
}

struct kv
kv_of(const struct plan *p, int64_t version, double tokens)
{
	const struct model *m = &p->model;
	struct kv_layers all = kv_layers_of(p, 0, m->layers);
	const struct kv_layers draft = draft_layers(p);
	const bool hybrid = version >= engine_of(p)->windows_since;
	struct kv kv = { .tokens = tokens,
		.window = (double)(m->attention_chunk > 0 ? m->attention_chunk : m->sliding_window) };

	add_index(m, 1, &kv.index, NULL);
	for (int k = 0; k < KV_STATE; k++)
		add_keys(p, k, false, 1, &kv.bytes[k], NULL);
	kv.bytes[KV_FULL] += kv.index;
	kv.bytes[KV_STATE] = all.of[KV_STATE] > 0 ? state_bytes(p) : 0;
	kv.ranks = token_ranks(p);
	/* SGLang keeps the indexer's keys of all tokens on every rank of decode context parallel
	 * (sgl-project/sglang pull requests 31821 and 39330); vLLM spreads them like the latent */
	kv.everywhere = engine_of(p)->spreads_index ? 0 : kv.index;
	/* prefix caching keeps the state at the last block boundary too, since 0.21; a draft that is
	 * not accepted needs that before it */
	kv.state_pages = (version >= 21 ? 2 : 1) + (double)p->serving.draft_tokens;
	add_layers(&all, &draft);
	if (!hybrid && all.of[KV_FULL] > 0) {
		/* before the hybrid allocator windows were ignored beside full layers */
		all.of[KV_FULL] += all.of[KV_WINDOW] + all.of[KV_CHUNK];
		all.of[KV_WINDOW] = all.of[KV_CHUNK] = 0;
	}
	make_groups(&kv, &all);
	make_pages(&kv, at_least_one(p->serving.block_size));
	return kv;
}

double
kv_state_bytes(const struct kv *kv, const struct kv_layers *layers)
{
	return kv->bytes[KV_STATE] * layers->of[KV_STATE];
}

double
kv_group_count(const struct kv *kv)
{
	double n = 0;

	for (int k = 0; k < KV_KINDS; k++)
		n += kv->groups[k];
	return larger(1, n);
}

/* Layers of a kind before the hybrid allocator: all in the group of full layers. */
double
kv_block_bytes(const struct kv *kv, const struct kv_layers *layers)
{
	double group = 0, stray = 0;

	for (int k = 0; k < KV_KINDS; k++) {
		if (kv->groups[k] > 0)
			group = larger(group, ceil(layers->of[k] / kv->groups[k]));
		else
			stray += layers->of[k];
	}
	return kv->page * (group + stray);
}

/* Tokens that a layer of this kind has to keep for a request of `length`: a forward pass
 * may add `tokens` before old ones are dropped. */
static double
kept_tokens(const struct kv *kv, int kind, double length)
{
	double kept = length;

	if (kind == KV_WINDOW)
		kept = kv->window - 1 + kv->tokens;
	else if (kind == KV_CHUNK)
		kept = kv->window + kv->tokens;
	return kept < length ? kept : length;
}

double
kv_request_blocks(const struct kv *kv, double length)
{
	double blocks = kv->groups[KV_STATE] * kv->state_pages;

	for (int k = 0; k < KV_STATE; k++) {
		const double kept = kept_tokens(kv, k, length);
		const double spread = k == KV_FULL ? ceil(kept / kv->ranks) : kept;
		/* a window need not begin at the start of a block */
		const double more = k == KV_WINDOW ? 1 : 0;

		blocks += kv->groups[k] * (ceil(spread / kv->block[k]) + more);
	}
	return larger(1, blocks);
}
