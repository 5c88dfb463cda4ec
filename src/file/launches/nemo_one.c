/*
 * nemo_one.c - GPT of NeMo before 2.0, which hands its settings to Megatron-LM under names of its own: NVIDIA/NeMo v1.23.0
 * examples/nlp/language_modeling/conf/megatron_gpt_config.yaml, tuning/conf/megatron_gpt_finetuning_config.yaml;
 * nemo/collections/nlp/models/language_modeling/megatron_base_model.py.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "file/launches/launches.h"
#include "file/launches/megatron_settings.h"
#include "file/launches/settings.h"
#include "file/models/checkpoint.h"
#include "file/notation/yamlin.h"
#include "file/plan/pathname.h"
#include "file/source/named.h"

#define PEFT "model.peft."

/* A setting, the argument's name, and what its values are called there: NULL, as they are. */
static const struct {
	const char *path, *argument, *words;
} rows[] = {
	{ "trainer.precision", "bf16", "bf16=true|bf16-mixed=true" },
	{ "trainer.precision", "fp16", "16=true|16-mixed=true" },
	{ "trainer.max_steps", "train_iters", NULL },
	{ "model.micro_batch_size", "micro_batch_size", NULL },
	{ "model.global_batch_size", "global_batch_size", NULL },
	{ "model.encoder_seq_length", "seq_length", NULL },
	{ "model.data.train_ds.max_seq_length", "seq_length", NULL },
	{ "model.tensor_model_parallel_size", "tensor_model_parallel_size", NULL },
	{ "model.pipeline_model_parallel_size", "pipeline_model_parallel_size", NULL },
	{ "model.virtual_pipeline_model_parallel_size", "virtual_pipeline_model_parallel_size", NULL },
	{ "model.context_parallel_size", "context_parallel_size", NULL },
	{ "model.expert_model_parallel_size", "expert_model_parallel_size", NULL },
	{ "model.sequence_parallel", "sequence_parallel", NULL },
	{ "model.num_layers", "num_layers", NULL },
	{ "model.hidden_size", "hidden_size", NULL },
	{ "model.ffn_hidden_size", "ffn_hidden_size", NULL },
	{ "model.num_attention_heads", "num_attention_heads", NULL },
	{ "model.num_query_groups", "num_query_groups", NULL },
	{ "model.kv_channels", "kv_channels", NULL },
	{ "model.max_position_embeddings", "max_position_embeddings", NULL },
	{ "model.override_vocab_size", "vocab_size", NULL },
	{ "model.make_vocab_size_divisible_by", "make_vocab_size_divisible_by", NULL },
	{ "model.share_embeddings_and_output_weights", "untie_embeddings_and_output_weights", "false=true|true=false" },
	{ "model.normalization", "normalization", "layernorm=LayerNorm|layernorm1p=LayerNorm|rmsnorm=RMSNorm" },
	{ "model.bias", "add_bias_linear", NULL },
	{ "model.activation", "swiglu", "swiglu=true|fast-swiglu=true" },
	{ "model.activation", "squared_relu", "squared-relu=true" },
	{ "model.position_embedding_type", "position_embedding_type", NULL },
	{ "model.qk_layernorm", "qk_layernorm", NULL },
	{ "model.hidden_dropout", "hidden_dropout", NULL },
	{ "model.attention_dropout", "attention_dropout", NULL },
	{ "model.num_moe_experts", "num_experts", NULL },
	{ "model.moe_router_topk", "moe_router_topk", NULL },
	{ "model.moe_grouped_gemm", "moe_grouped_gemm", NULL },
	{ "model.moe_permute_fusion", "moe_permute_fusion", NULL },
	{ "model.activations_checkpoint_granularity", "recompute_granularity", NULL },
	{ "model.activations_checkpoint_method", "recompute_method", NULL },
	{ "model.activations_checkpoint_num_layers", "recompute_num_layers", NULL },
	{ "model.fp8", "fp8", "true=hybrid|false=false" },
	{ "model.fp8_e4m3", "fp8", "true=e4m3" },
	{ "model.ub_tp_comm_overlap", "tp_comm_overlap", NULL },
	{ "model.transformer_engine", "transformer_impl", "true=transformer_engine|false=local" },
	{ "model.gradient_accumulation_fusion", "gradient_accumulation_fusion", NULL },
	{ "model.optim.name", "use_distributed_optimizer", "distributed_fused_adam=true|mcore_distributed_optim=true" },
	{ "model.optim.overlap_grad_sync", "overlap_grad_reduce", NULL },
	{ "model.optim.overlap_param_sync", "overlap_param_gather", NULL },
};

/* NULL: there is none, or null. */
static const json_t *
value_at(const struct jsonin *j, const char *path)
{
	const json_t *v = j->root;
	char name[64];

	if (!jsonin_has(j, path))
		return NULL;
	for (size_t n; v != NULL && *path != '\0'; path += n + (path[n] == '.')) {
		n = strcspn(path, ".");
		text_put(name, sizeof name, "%.*s", (int)n, path);
		v = json_object_get(v, name);
	}
	return v;
}

/* A word of theirs; numbers and truths are words as well. NULL: it is none that counts. */
static json_t *
translated(const json_t *v, const char *words)
{
	char *text = json_is_string(v) ? NULL : json_dumps(v, JSON_ENCODE_ANY), ours[32];
	const bool known = settings_ours(words, text != NULL ? text : json_string_value(v), strcmp, ours, sizeof ours);

	free(text);
	return known ? yamlin_plain(ours) : NULL;
}

static json_t *
arguments_of(const struct jsonin *j)
{
	json_t *out = json_object();

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const json_t *v = value_at(j, rows[i].path);
		json_t *ours = v == NULL ? NULL : rows[i].words == NULL ? json_incref((json_t *)(uintptr_t)v) :
		    translated(v, rows[i].words);

		if (ours != NULL)
			json_object_set_new(out, rows[i].argument, ours);
	}
	if (json_object_get(out, "num_query_groups") != NULL)
		json_object_set_new(out, "group_query_attention", json_true());
	if (!json_is_integer(json_object_get(out, "max_position_embeddings"))) /* ${.encoder_seq_length} */
		json_object_set(out, "max_position_embeddings", json_object_get(out, "seq_length"));
	if (!jsonin_has(j, "model.optim.name")) /* distributed_fused_adam */
		json_object_set_new(out, "use_distributed_optimizer", json_true());
	return out;
}

/* Where no sizes are told: "/models/llama2-7b.nemo". */
static void
take_checkpoint(struct import *im, const struct jsonin *j)
{
	static const char key[] = "model.restore_from_path";
	const char *path = jsonin_text(j, key), *last = path != NULL ? pathname_last(path) : NULL;
	char name[PLAN_ID_SIZE];

	if (im->has_model)
		return;
	text_put(name, sizeof name, "%.*s", last != NULL ? (int)strcspn(last, ".") : 0, last != NULL ? last : "");
	if (last != NULL && text_equal(last + strlen(name), ".nemo"))
		import_checkpoint(im, name, key);
	else
		settings_checkpoint(im, j, key);
}

/* One that names a checkpoint to go on from fine-tunes: what peft_scheme says, else all weights. */
static void
take_method(struct import *im, const struct jsonin *j)
{
	static const char scheme[] = PEFT "peft_scheme", rank[] = PEFT "lora_tuning.adapter_dim";
	const bool lora = settings_is(j, scheme, "lora");

	if (!lora && !jsonin_has(j, "model.restore_from_path"))
		return;
	import_set(im, FIELD_FINETUNE, lora ? "lora" : "full", lora ? scheme : "model.restore_from_path");
	if (lora)
		import_set_int(im, FIELD_ADAPTER_RANK, settings_number(j, rank, 32), rank);
	if (jsonin_has(j, scheme) && !lora)
		import_ignore(im, scheme, "none of the methods that are known; all weights are taken to be trained");
}

/* Settings that encoders of texts, of both and of images have, and decoders not (NVIDIA/NeMo-Framework-Launcher
 * launcher_scripts/conf/training/bert, t5, vit). */
static bool
is_encoder(struct import *im, const struct jsonin *j)
{
	static const char *const keys[] = { "model.bert_binary_head", "model.bert_type", "model.encoder.num_layers", "model.patch_dim" };

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (jsonin_has(j, keys[i])) {
			import_error(im, keys[i], "trains a model that is no decoder, which no plan has");
			return true;
		}
	return false;
}

void
nemo_one_read(struct import *im)
{
	struct textbuf command = { 0 };
	struct jsonin j;

	if (settings_read(&j, im, NULL) && !is_encoder(im, &j)) {
		json_t *arguments;
		const char *tokenizer;
		int64_t devices;

		named_inherit(im, &j);
		devices = settings_number(&j, "trainer.devices", 8);
		tokenizer = jsonin_text(&j, "model.tokenizer.type");
		arguments = arguments_of(&j);
		textbuf_add(&command, "torchrun --nnodes %lld --nproc-per-node %lld pretrain_gpt.py",
		    (long long)settings_number(&j, "trainer.num_nodes", 1), (long long)(devices > 0 ? devices : 8));
		megatron_settings_add(&command, arguments);
		if (json_object_get(arguments, "num_layers") == NULL)
			take_checkpoint(im, &j);
		megatron_settings_read(im, &command, json_object_get(arguments, "num_layers") != NULL,
		    tokenizer != NULL ? tokenizer : "");
		if (im->errors->count == 0)
			take_method(im, &j);
		settings_rest(im, &j);
		json_decref(arguments);
	}
	jsonin_free(&j);
}
