#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <jansson.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "file/models/hf.h"
#include "file/models/hf_read.h"
#include "file/plan/pathname.h"

static const struct hf_type types[] = {
#define HF_TYPE(names, facts, but) { names, facts, but },
#include "file/models/hf_types.def"
#undef HF_TYPE
};

/* Keys of numbers and truths that stand for themselves, the more specific ones first. */
static const struct {
	enum field_id field;
	const char *keys;
	bool needed;
} plain[] = {
	{ FIELD_LAYERS, "num_hidden_layers n_layer n_layers num_layers num_transformer_layers", true },
	{ FIELD_HIDDEN_SIZE, "hidden_size n_embd d_model model_dim hidden_dim", true },
	{ FIELD_ATTENTION_HEADS, "num_attention_heads n_head n_heads num_heads num_query_heads", true },
	{ FIELD_VOCAB_SIZE, "vocab_size padded_vocab_size", true },
	{ FIELD_MAX_POSITION, "max_position_embeddings n_positions seq_length max_seq_len "
	    "max_sequence_length model_max_length max_context_length n_ctx", false },
	{ FIELD_QKV_BIAS, "attention_bias qkv_bias add_qkv_bias use_qkv_bias", false },
	{ FIELD_ATTENTION_OUTPUT_BIAS, "attention_bias attention_out_bias", false },
	{ FIELD_LINEAR_BIAS, "use_bias add_bias_linear", false },
	{ FIELD_HEAD_BIAS, "lm_head_bias", false },
	{ FIELD_EMBEDDING_NORM, "embed_layer_norm", false },
	{ FIELD_QK_NORM, "use_qk_norm qk_norm qk_layernorm use_qk_layernorm", false },
	{ FIELD_QK_NORM_FULL, "", false },
	{ FIELD_POSITION_EXTRA, "", false },
	{ FIELD_ATTENTION_SINKS, "add_full_attention_sink_bias", false },
	{ FIELD_LOCAL_ATTENTION_SINKS, "add_swa_attention_sink_bias", false },
	{ FIELD_ATTENTION_OUTPUT_GATE, "attn_output_gate mla_use_output_gate", false },
	{ FIELD_LOCAL_KV_HEADS, "swa_num_key_value_heads", false },
	{ FIELD_INDEX_HEADS, "index_n_heads", false },
	{ FIELD_INDEX_HEAD_DIM, "index_head_dim", false },
	{ FIELD_INDEX_TOPK, "index_topk", false },
	{ FIELD_INDEX_EVERY, "index_topk_freq", false },
	{ FIELD_LOCAL_ATTENTION_HEADS, "attention_other_setting.num_attention_heads", false },
	{ FIELD_ATTENTION_HEAD_GATE, "use_head_wise_attn_gate", false },
	{ FIELD_MOE_LATENT_SIZE, "moe_latent_size routed_expert_hidden_size", false },
	{ FIELD_MOE_LATENT_NORM, "latent_moe_use_norm", false },
	{ FIELD_RESIDUAL_ATTENTION, "attn_res_block_size", false },
	{ FIELD_HYPER_CONNECTIONS, "hc_mult", false },
	{ FIELD_PER_LAYER_EMBEDDING, "hidden_size_per_layer_input", false },
	{ FIELD_BORROWING_LAYERS, "num_kv_shared_layers", false },
	{ FIELD_BORROWING_MLP_TWICE, "use_double_wide_mlp", false },
	{ FIELD_OUTPUT_LORA_RANK, "o_lora_rank", false },
	{ FIELD_OUTPUT_GROUPS, "o_groups", false },
	{ FIELD_HASH_LAYERS, "num_hash_layers", false },
	{ FIELD_MTP_LAYERS, "num_nextn_predict_layers mtp_num_hidden_layers num_mtp_layers", false },
};

/* What a plan has no field for, and what was made of it. */
static const struct {
	const char *keys, *why;
} beyond[] = {
	{ "hybrid_override_pattern layers_block_type mamba_d_state mamba_num_heads ssm_state_size "
	  "state_size ssm_cfg attn_layer_period linear_attn_config conv_L_cache block_types "
	  "hybrid_attention_ratio layer_group_size",
	  "layers that are no attention count as attention: parameters and KV cache are not right" },
	{ "cross_attention_layers", "layers that attend to images count as the others: not exact" },
	{ "use_cla", "layers that share one KV cache count each their own" },
	{ "altup_num_inputs", "AltUp and what else Gemma 3n adds to layers are left out: not exact" },
	{ "share_q_dim", "queries that share a projection count as full ones: not exact" },
};

/* ---- fields ------------------------------------------------------------------------ */

/* As many layers as a list tells the kinds of. */
static bool
count_layers(struct hf *h)
{
	char path[HF_PATH_SIZE];
	size_t count = 0;

	return hf_find(h, "layers_block_type layer_types", path) && jsonin_list(&h->json, path, &count) &&
	    count > 0 && import_set_int(h->im, FIELD_LAYERS, (int64_t)count, path);
}

static void
take_plain(struct hf *h)
{
	const struct model *m = &h->im->plan->model;

	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
		if (hf_take(h, plain[i].field, plain[i].keys) ||
		    (plain[i].field == FIELD_LAYERS && count_layers(h)))
			continue;
		import_at(h->im, "");
		if (plain[i].field == FIELD_MAX_POSITION)
			import_assume_int(h->im, FIELD_MAX_POSITION, m->max_position, "no key for the longest context");
		else if (plain[i].needed)
			import_error(h->im, plain[i].keys, "none of these is there, so this is no "
			    "config.json of a decoder with attention (fix: the file beside the checkpoint)");
	}
	hf_take(h, FIELD_POSITION, "");
	if (h->im->plan->training.sequence_length > m->max_position)
		import_assume_int(h->im, FIELD_SEQUENCE_LENGTH, m->max_position, "the longest context");
}

/* ---- positions ----------------------------------------------------------------------- */

static void
take_position(struct hf *h)
{
	char path[HF_PATH_SIZE];
	const char *name;
	bool alibi = false;

	if (hf_bool(h, "alibi attn_config.alibi use_alibi", &alibi) && alibi)
		import_set(h->im, FIELD_POSITION, "none", "alibi");
	else if (hf_find(h, "position_embedding_type", path) &&
	    (name = jsonin_text(&h->json, path)) != NULL) {
		if (text_equal(name, "alibi") || text_equal(name, "nope"))
			import_set(h->im, FIELD_POSITION, "none", path);
		else if (strstr(name, "absolute") != NULL || strstr(name, "learned") != NULL)
			import_set(h->im, FIELD_POSITION, "learned", path);
	} else if (h->im->plan->model.attention == ATTENTION_MHA && /* others have kernels of their own */
	    hf_find(h, "rope_scaling.rope_type rope_scaling.type rope_parameters.rope_type", path) &&
	    (name = jsonin_text(&h->json, path)) != NULL && text_equal(name, "yarn")) {
		import_set(h->im, FIELD_POSITION, name, path);
	}
}

/* ---- MLP and norms ------------------------------------------------------------------ */

static void
take_experts(struct hf *h)
{
	const struct model *m = &h->im->plan->model;
	char path[HF_PATH_SIZE];
	int64_t n;

	if (!hf_take(h, FIELD_EXPERTS_PER_TOKEN, "num_experts_per_tok num_experts_per_token "
	    "experts_per_token top_k_experts moe_topk moe_k moe_top_k num_selected_experts "
	    "ffn_config.moe_top_k"))
		import_error(h->im, "num_experts_per_tok", "is not there, though there are experts");
	if (!hf_take(h, FIELD_MOE_FFN_HIDDEN_SIZE, "moe_intermediate_size expert_ffn_hidden_size "
	    "moe_ffn_hidden_size ffn_config.ffn_hidden_size"))
		import_assume_int(h->im, FIELD_MOE_FFN_HIDDEN_SIZE, m->ffn_hidden_size,
		    "no key for experts' width: that of the MLP");
	if (!hf_take(h, FIELD_SHARED_EXPERT_FFN_HIDDEN_SIZE, "shared_expert_intermediate_size "
	    "moe_shared_expert_intermediate_size shared_intermediate_size share_expert_dim "
	    "share_expert_dims") &&
	    hf_int(h, "n_shared_experts num_shared_experts num_shared_expert moe_num_shared_experts",
	    &n, path) && n > 0 && n < 4096)
		import_set_int(h->im, FIELD_SHARED_EXPERT_FFN_HIDDEN_SIZE, n * m->moe_ffn_hidden_size, path);
	if (m->shared_expert_ffn_hidden_size > 0)
		hf_take(h, FIELD_SHARED_EXPERT_GATE, "");
	hf_take(h, FIELD_EXPERT_BIAS, "");
	hf_take(h, FIELD_ZERO_EXPERTS, "zero_expert_num moe_zero_expert_num");
	if (hf_find(h, "topk_method", path) && jsonin_text(&h->json, path) != NULL)
		import_set_int(h->im, FIELD_ROUTER_BIAS, text_equal(jsonin_text(&h->json, path), "noaux_tc"), path);
	else
		hf_take(h, FIELD_ROUTER_BIAS, "use_routing_bias moe_router_enable_expert_bias "
		    "moe_use_aux_free use_moe_router_bias");
	if (hf_int(h, "n_group", &n, path) && n > 1) {
		import_set_int(h->im, FIELD_ROUTER_GROUPS, n, path);
		hf_take(h, FIELD_ROUTER_GROUP_TOPK, "topk_group");
	}
	hf_expert_pattern(h);
}

/* Lfm2MLP makes two thirds of the width, rounded up to a multiple. */
static void
adjust_width(struct hf *h)
{
	const int64_t width = h->im->plan->model.ffn_hidden_size;
	bool adjusted = false;
	int64_t multiple = 0;
	char path[HF_PATH_SIZE];

	if (!hf_bool(h, "block_auto_adjust_ff_dim", &adjusted) || !adjusted)
		return;
	if (!hf_int(h, "block_multiple_of", &multiple, path) || multiple < 1 || multiple > width)
		multiple = 1;
	import_set_int(h->im, FIELD_FFN_HIDDEN_SIZE, rounded_up(2 * width / 3, multiple),
	    "block_auto_adjust_ff_dim");
}

static void
take_mlp(struct hf *h)
{
	const struct model *m = &h->im->plan->model;
	char path[HF_PATH_SIZE];
	int64_t ratio, n;

	h->experts = hf_int(h, "n_routed_experts num_local_experts num_experts moe_num_experts n_experts "
	    "ffn_config.moe_num_experts", &n, path) && n > 1;
	if (h->experts)
		import_set_int(h->im, FIELD_EXPERTS, n, path);
	if (hf_int(h, "expansion_ratio", &ratio, path) && ratio > 0 && ratio < 1024)
		import_set_int(h->im, FIELD_FFN_HIDDEN_SIZE, ratio * m->hidden_size, path);
	else if (!h->experts && hf_int(h, "shared_intermediate_size", &n, path) && n > 0)
		import_set_int(h->im, FIELD_FFN_HIDDEN_SIZE, n, path);
	else if (!hf_take(h, FIELD_FFN_HIDDEN_SIZE, "ffn_dim n_inner ffn_hidden_size "
	    "dense_intermediate_size intermediate_size block_ff_dim "
	    "ffn_config.ffn_hidden_size ff_intermediate_size"))
		import_assume_int(h->im, FIELD_FFN_HIDDEN_SIZE, 4 * m->hidden_size,
		    "no key for the MLP's width: four times the hidden size");
	adjust_width(h);
	if (h->experts)
		take_experts(h);
}

/* Two matrices or three: the class knows, else the activation tells. */
static void
take_gate(struct hf *h)
{
	static const char plain_ones[] = "relu relu2 gelu gelu_new gelu_fast gelu_python quick_gelu "
	    "xielu squared_relu";
	char path[HF_PATH_SIZE] = "";
	const char *name = NULL;

	if (hf_take(h, FIELD_GATED_MLP, "") || h->type != NULL)
		return;
	if (hf_find(h, "hidden_act hidden_activation activation_function mlp_hidden_act activation",
	    path))
		name = jsonin_text(&h->json, path);
	import_assume_int(h->im, FIELD_GATED_MLP, name == NULL || text_index(plain_ones, name, strlen(name)) < 0,
	    TEXT_OF(96, name != NULL ? "activation %s" : "no key for the activation", name));
}

static void
take_norms(struct hf *h)
{
	char key[64], path[HF_PATH_SIZE];
	bool newer = false, parallel = false, none = true;
	int64_t n = 2;

	if (!hf_take(h, FIELD_NORM, "") && hf_find(h, "rms_norm_eps rmsnorm layer_norm_eps "
	    "layer_norm_epsilon layernorm_epsilon", path) && strstr(path, "rms") == NULL)
		import_assume(h->im, FIELD_NORM, "layernorm", path);
	if (hf_bool(h, "no_bias", &none) && !none) {
		import_assume(h->im, FIELD_NORM, "layernorm", "no_bias is false");
		import_set_int(h->im, FIELD_LINEAR_BIAS, 1, "no_bias");
	}
	hf_take(h, FIELD_NORMS_PER_LAYER, "");
	hf_bool(h, "new_decoder_architecture", &newer);
	if (newer && hf_int(h, "num_ln_in_parallel_attn", &n, path))
		import_set_int(h->im, FIELD_NORMS_PER_LAYER, n, path);
	else if (!newer && hf_fact(h, "one_norm", '@', key, sizeof key) &&
	    hf_bool(h, key, &parallel) && parallel)
		import_set_int(h->im, FIELD_NORMS_PER_LAYER, 1, key);
}

/* Gemma 4: the MLP works beside the experts. Each has norms of its own before and after it, and
 * the router one and a scale for each expert. */
static void
take_beside(struct hf *h)
{
	const char *key = "enable_moe_block";
	bool beside = false;

	if (!h->experts || !hf_bool(h, key, &beside) || !beside)
		return;
	import_set_int(h->im, FIELD_SHARED_EXPERT_FFN_HIDDEN_SIZE, h->im->plan->model.ffn_hidden_size, key);
	import_set_int(h->im, FIELD_NORMS_PER_LAYER, 8, key);
	import_set_int(h->im, FIELD_ROUTER_BIAS, 1, key);
}

/* Biases: one on every layer says all. */
static void
settle_biases(struct hf *h)
{
	struct plan *p = h->im->plan;
	bool mlp = false;

	hf_bool(h, "mlp_bias", &mlp);
	if (mlp && p->model.qkv_bias != 0)
		import_set_int(h->im, FIELD_LINEAR_BIAS, 1, "mlp_bias");
	else if (mlp)
		notes_add(&h->im->assumed, "mlp_bias: biases of the MLP alone are left out: not exact");
	if (p->model.linear_bias == 0)
		return;
	field_store_int(FIELD_QKV_BIAS, p, 0);
	field_store_int(FIELD_ATTENTION_OUTPUT_BIAS, p, 0);
}

/* ---- the whole ---------------------------------------------------------------------- */

/* Names of classes are compared without case and underscores. */
static bool
same_class(const char *a, size_t n, const char *b, size_t length)
{
	size_t i = 0, k = 0;

	for (;; i++, k++) {
		while (i < n && (a[i] == '_' || a[i] == '-'))
			i++;
		while (k < length && (b[k] == '_' || b[k] == '-'))
			k++;
		if (i >= n || k >= length)
			return i >= n && k >= length;
		if (strncasecmp(a + i, b + k, 1) != 0)
			return false;
	}
}

static const struct hf_type *
find_type(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		for (const char *at = types[i].names; *at != '\0';) {
			const size_t n = strcspn(at, " ");

			if (same_class(at, n, name, length))
				return &types[i];
			at += n + strspn(at + n, " ");
		}
	return NULL;
}

/* The class: as the language model's part names it, the whole, or the code to load it with. */
static void
find_class(struct hf *h)
{
	static const char *const paths[] = { "model_type", "architectures.0" };
	char nested[HF_PATH_SIZE];
	const char *name, *end;

	text_put(nested, sizeof nested, "%s.model_type", h->nest);
	h->name = "";
	hf_use(h, "model_type");
	hf_use(h, "architectures");
	hf_use(h, "_name_or_path");
	for (size_t i = 0; h->type == NULL && i < 3; i++) {
		if ((name = jsonin_text(&h->json, i == 0 ? nested : paths[i - 1])) == NULL)
			continue;
		if (*h->name == '\0')
			h->name = name;
		if ((end = strstr(name, "_text")) == NULL && (end = strstr(name, "For")) == NULL)
			end = name + strlen(name);
		if ((h->type = find_type(name, strlen(name))) == NULL)
			h->type = find_type(name, (size_t)(end - name));
		if (h->type != NULL)
			h->name = name;
	}
	if (h->type != NULL && h->type->but != NULL)
		notes_add(&h->im->assumed, "%s: %s: not exact", h->name, h->type->but);
	if (h->type == NULL)
		notes_add(&h->im->assumed, "%s is no class that is known here: read as a decoder like "
		    "Llama's (RMSNorm or LayerNorm as its epsilon is called, biases only where a key "
		    "says so)", *h->name != '\0' ? h->name : "the model");
}

static void
find_nest(struct hf *h)
{
	static const char *const parts[] = { "text_config", "llm_config", "language_config",
		"language_model_config", "thinker_config.text_config" };

	h->nest = "";
	for (size_t i = 0; i < sizeof parts / sizeof *parts && *h->nest == '\0'; i++)
		if (jsonin_name(&h->json, parts[i], 0) != NULL)
			h->nest = parts[i];
	if (*h->nest != '\0')
		hf_use(h, h->nest);
}

/* Neither 0 nor false. */
static bool
is_on(const struct hf *h, const char *path)
{
	struct file_errors unheard = { 0 };
	struct jsonin quiet = h->json;
	int64_t v;
	bool truth;

	quiet.errors = &unheard;
	if (jsonin_bool(&quiet, path, &truth))
		return truth;
	return !jsonin_int(&quiet, path, INT64_MIN, INT64_MAX, &v) || v != 0;
}

static void
note_beyond(struct hf *h)
{
	const struct model *m = &h->im->plan->model;
	/* where each layer has its name, that alone counts (hf_layers.c, hf_pattern.c) */
	const size_t first = hf_find(h, "layer_types", (char[HF_PATH_SIZE]){ "" }) ||
	    m->layer_pattern[0] != '\0' || m->linear_attention ? 1 : 0;
	char path[HF_PATH_SIZE];
	int64_t v;

	for (size_t i = first; i < sizeof beyond / sizeof *beyond; i++)
		if (hf_find(h, beyond[i].keys, path) && is_on(h, path))
			notes_add(&h->im->assumed, "%s: %s", path, beyond[i].why);
	if (hf_int(h, "word_embed_proj_dim", &v, path) && v != h->im->plan->model.hidden_size)
		notes_add(&h->im->assumed, "%s: embeddings narrower than the layers count as wide: not exact",
		    path);
}

/* A number of each layer, and not the same of all. */
static bool
differs_by_layer(const struct hf *h, const json_t *list)
{
	const json_t *v;
	bool differs = false;
	size_t i;

	if (!json_is_array(list) || json_array_size(list) != (size_t)h->im->plan->model.layers)
		return false;
	json_array_foreach(list, i, v) {
		if (!json_is_integer(v))
			return false;
		differs |= json_integer_value(v) != json_integer_value(json_array_get(list, 0));
	}
	return differs;
}

/* The keys that nothing was made of. */
static void
note_rest(struct hf *h)
{
	char list[200] = "";
	const char *name;
	json_t *value;
	size_t length = 0, more = 0;

	json_object_foreach(h->json.root, name, value) {
		if (json_object_get(h->used, name) != NULL)
			continue;
		if (strstr(name, "vision") != NULL || strstr(name, "audio") != NULL)
			import_ignore(h->im, name, "the language model alone is planned");
		else if (differs_by_layer(h, value))
			notes_add(&h->im->assumed, "%s: layers differ in it, which are alike in a plan: not exact", name);
		else if (length + strlen(name) + 30 < sizeof list)
			length = text_add(list, sizeof list, "%s%s", length > 0 ? ", " : "", name);
		else
			more++;
	}
	if (more > 0)
		text_add(list, sizeof list, " and %zu more", more);
	if (list[0] != '\0')
		import_ignore(h->im, list, "no matter of size");
}

/* Called as the checkpoint is: its name in the file, or its directory. */
static void
name_plan(struct hf *h)
{
	const char *name = jsonin_text(&h->json, "_name_or_path"), *source = "directory";
	char dir[PLANFILE_PATH_SIZE];

	if (name != NULL && *pathname_last(name) != '\0')
		source = "_name_or_path";
	else if (pathname_dir(dir, sizeof dir, h->im->name) && !text_equal(dir, "."))
		name = dir;
	else
		return;
	name = pathname_last(name);
	if (*name != '\0' && strlen(name) < PLAN_NAME_SIZE)
		import_set(h->im, FIELD_NAME, name, source);
}

static void
read_model(struct hf *h)
{
	bool both = false;

	if (jsonin_bool(&h->json, "is_encoder_decoder", &both) && both) {
		import_error(h->im, "is_encoder_decoder", "plans hold decoders alone");
		return;
	}
	find_nest(h);
	find_class(h);
	import_own_model(h->im);
	take_plain(h);
	if (h->im->errors->count == 0)
		hf_blocks(h);
	if (h->im->errors->count > 0)
		return;
	if (!hf_take(h, FIELD_TIED_EMBEDDINGS, "tie_word_embeddings tie_embeddings tie_embedding"))
		import_assume_int(h->im, FIELD_TIED_EMBEDDINGS, 0, "tie_word_embeddings is not there");
	hf_attention(h);
	take_position(h);
	take_mlp(h);
	take_gate(h);
	take_norms(h);
	take_beside(h);
	settle_biases(h);
	if (!hf_pattern(h))
		hf_attention_pattern(h);
	hf_formats(h);
	import_at(h->im, "");
	name_plan(h);
	note_beyond(h);
	hf_mixers(h);
	hf_vision(h);
	note_rest(h);
	import_name_model(h->im);
}

bool
hf_recognise(const char *text)
{
	return text[strspn(text, " \t\r\n")] == '{' &&
	    (strstr(text, "\"model_type\"") != NULL || strstr(text, "\"architectures\"") != NULL ||
	    strstr(text, "\"num_hidden_layers\"") != NULL || strstr(text, "\"n_layer\"") != NULL);
}

void
hf_read(struct import *im)
{
	struct hf h = { .im = im, .used = json_object() };

	if (jsonin_parse(&h.json, im->text, im->size, im->name, im->errors) &&
	    jsonin_name(&h.json, "", 0) == NULL)
		import_error(im, "", "holds no object (fix: the config.json of a checkpoint)");
	else if (h.json.root != NULL)
		read_model(&h);
	jsonin_free(&h.json);
	json_decref(h.used);
}
