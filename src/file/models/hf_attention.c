/* Attention of Hugging Face's config.json: heads and their sizes, latents, indexers. */
#include "core/base/text.h"
#include "file/models/hf_read.h"

static void
take_mla(struct hf *h)
{
	const struct model *m = &h->im->plan->model;

	import_assume(h->im, FIELD_ATTENTION, "mla", "there is a kv_lora_rank");
	hf_take(h, FIELD_Q_LORA_RANK, "q_lora_rank");
	hf_take(h, FIELD_QK_NOPE_HEAD_DIM, "qk_nope_head_dim");
	hf_take(h, FIELD_QK_ROPE_HEAD_DIM, "qk_rope_head_dim");
	hf_take(h, FIELD_V_HEAD_DIM, "v_head_dim");
	import_assume_int(h->im, FIELD_KV_HEADS, m->attention_heads, "MLA: as many as query heads");
	if (!hf_take(h, FIELD_HEAD_DIM, "head_dim"))
		import_assume_int(h->im, FIELD_HEAD_DIM, most_of(m->hidden_size / m->attention_heads, 1),
		    "hidden size / heads; MLA does not use it");
}

/* Gemma 4 says the heads of its local layers, and those of the others by keys of their own. */
static void
take_global_heads(struct hf *h)
{
	const struct model *m = &h->im->plan->model;
	char path[HF_PATH_SIZE];
	bool shared = false;
	int64_t v;

	if (hf_int(h, "global_head_dim", &v, path) && v > 0 && v != m->head_dim) {
		import_set_int(h->im, FIELD_LOCAL_HEAD_DIM, m->head_dim, "head_dim");
		import_set_int(h->im, FIELD_HEAD_DIM, v, path);
	}
	if (!hf_bool(h, "attention_k_eq_v", &shared) || !shared)
		return;
	import_set_int(h->im, FIELD_SHARED_KEY_VALUE, 1, "attention_k_eq_v");
	if (hf_int(h, "num_global_key_value_heads", &v, path) && v > 0 && v != m->kv_heads) {
		import_set_int(h->im, FIELD_LOCAL_KV_HEADS, m->kv_heads, "num_key_value_heads");
		import_set_int(h->im, FIELD_KV_HEADS, v, path);
	}
}

/* Which layers have an indexer: as DeepSeek's keys say it, or those of MiniMax M3, which counts
 * what a query attends to in blocks. */
static void
take_index(struct hf *h)
{
	const struct model *m = &h->im->plan->model;
	char path[HF_PATH_SIZE], place[HF_PATH_SIZE + 24];
	int64_t v, blocks, dense = 0;
	size_t layers;

	if (m->index_every > 1)
		hf_take(h, FIELD_INDEX_OWN_LAYERS, "index_skip_topk_offset");
	if (!hf_int(h, "sparse_attention_config.sparse_num_index_heads", &v, path))
		return;
	import_set_int(h->im, FIELD_INDEX_HEADS, v, path);
	hf_take(h, FIELD_INDEX_HEAD_DIM, "sparse_attention_config.sparse_index_dim");
	if (hf_int(h, "sparse_attention_config.sparse_topk_blocks", &blocks, path) &&
	    hf_int(h, "sparse_attention_config.sparse_block_size", &v, path) && blocks > 0 && v > 0)
		import_set_int(h->im, FIELD_INDEX_TOPK, blocks < INT64_MAX / v ? blocks * v : 0, path);
	if (!hf_find(h, "sparse_attention_config.sparse_attention_freq", path) ||
	    !jsonin_list(&h->json, path, &layers))
		return;
	for (; dense < (int64_t)layers && dense < HF_LAYERS_MAX; dense++) {
		text_put(place, sizeof place, "%s.%lld", path, (long long)dense);
		if (!jsonin_int(&h->json, place, 0, 1, &v) || v != 0)
			break;
	}
	import_set_int(h->im, FIELD_INDEX_DENSE_LAYERS, dense, path);
}

static void
take_compressed(struct hf *h)
{
	import_assume(h->im, FIELD_ATTENTION, "csa", "there is an o_lora_rank");
	hf_take(h, FIELD_Q_LORA_RANK, "q_lora_rank");
	hf_take(h, FIELD_SLIDING_WINDOW, "sliding_window");
}

/* Falcon says multi_query beside a number that counts only in its newer architecture. */
static void
take_kv_heads(struct hf *h)
{
	const struct model *m = &h->im->plan->model;
	bool multi = false, newer = false, chat = true;

	hf_bool(h, "multi_query attn_config.multi_query", &multi);
	hf_bool(h, "new_decoder_architecture", &newer);
	hf_bool(h, "multi_query_attention", &chat);
	if (multi && !newer)
		import_set_int(h->im, FIELD_KV_HEADS, 1, "multi_query");
	else if (!chat || !hf_take(h, FIELD_KV_HEADS, "num_key_value_heads num_kv_heads n_head_kv n_kv_heads "
	    "multi_query_group_num num_query_groups num_attention_groups attn_config.kv_n_heads "
	    "num_key_value_heads_per_layer"))
		import_assume_int(h->im, FIELD_KV_HEADS, m->attention_heads, "no key for KV heads: MHA");
}

static void
take_heads(struct hf *h)
{
	const struct model *m = &h->im->plan->model;
	char path[HF_PATH_SIZE];
	int64_t v;

	if (hf_take(h, FIELD_KV_LORA_RANK, "kv_lora_rank")) {
		take_mla(h);
		return;
	}
	take_kv_heads(h);
	if (!hf_take(h, FIELD_HEAD_DIM, "head_dim kv_channels attention_head_dim head_size"))
		import_assume_int(h->im, FIELD_HEAD_DIM, most_of(m->hidden_size / m->attention_heads, 1),
		    "hidden size / heads");
	if (hf_int(h, "v_head_dim", &v, path) && v != m->head_dim)
		import_set_int(h->im, FIELD_V_HEAD_DIM, v, path);
	take_global_heads(h);
}

void
hf_attention(struct hf *h)
{
	take_heads(h);
	take_index(h);
	if (h->im->plan->model.output_lora_rank > 0)
		take_compressed(h);
}
