/*
 * neox.c - configurations of GPT-NeoX: DeepSpeed's settings, with those of a model and of Megatron's splits beside them
 * (EleutherAI/gpt-neox configs/neox_arguments.md, megatron/neox_arguments/neox_args.py, deepspeed_args.py).
 */
#include <jansson.h>
#include <string.h>

#include "file/launches/launches.h"
#include "file/launches/settings.h"
#include "file/models/checkpoint.h"
#include "file/notation/yamlin.h"

/* Names with hyphens, as older ones have them. */
static void
plain_names(json_t *settings)
{
	json_t *value;
	const char *name;
	char plain[96];
	void *next;

	json_object_foreach_safe(settings, next, name, value) {
		text_put(plain, sizeof plain, "%s", name);
		for (char *c = plain; *c != '\0'; c++)
			*c = *c == '-' ? '_' : *c;
		if (text_equal(plain, name))
			continue;
		json_object_set(settings, plain, value);
		json_object_del(settings, name);
	}
}

/* The model as a config.json would say it. Its words are those of a tokenizer, which pads to a multiple of 128: GPT-2's,
 * and the one of GPT-NeoX-20B, which most have. */
static void
take_model(struct import *im, const struct jsonin *j)
{
	static const struct {
		const char *theirs, *ours;
	} sizes[] = {
		{ "num_layers", "num_hidden_layers" }, { "hidden_size", "hidden_size" }, { "num_attention_heads", "num_attention_heads" },
		{ "num_kv_heads", "num_key_value_heads" }, { "max_position_embeddings", "max_position_embeddings" },
		{ "padded_vocab_size", "vocab_size" },
	};
	const bool gated = settings_is(j, "activation", "swiglu") || settings_is(j, "activation", "geglu");
	const int64_t hidden = settings_number(j, "hidden_size", 0);
	int64_t inner = settings_number(j, "intermediate_size", 4 * hidden);
	json_t *config = json_object();

	if (gated && !jsonin_has(j, "intermediate_size"))
		inner = inner * 2 / 3;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		if (jsonin_has(j, sizes[i].theirs))
			json_object_set_new(config, sizes[i].ours, json_integer(settings_number(j, sizes[i].theirs, 0)));
	if (!jsonin_has(j, "padded_vocab_size")) {
		json_object_set_new(config, "vocab_size", json_integer(50304));
		notes_add(&im->assumed, "a vocabulary of 50304: the tokenizer's, which is not read (fix: --set model.vocab_size)");
	}
	json_object_set_new(config, "model_type", json_string(gated || settings_is(j, "norm", "rmsnorm") ? "llama" : "gpt_neox"));
	json_object_set_new(config, "intermediate_size", json_integer(inner));
	json_object_set_new(config, "tie_word_embeddings", json_boolean(!settings_on(j, "no_weight_tying")));
	import_shape(im, config, "num_layers");
	json_decref(config);
	if (settings_number(j, "moe_num_experts", 1) > 1 || strstr(im->text, "\"mamba\"") != NULL ||
	    strstr(im->text, "\"rwkv\"") != NULL || strstr(im->text, "mlp\"") != NULL)
		import_error(im, "attention_config", "experts, Mamba, RWKV and gMLP of GPT-NeoX are no shapes that are known (fix: --model=NAME)");
}

/* What DeepSpeed has under names of its own, or derives from others. */
static void
put_deepspeed(struct jsonin *j)
{
	if (settings_is(j, "precision", "bfloat16"))
		jsonin_put(j->root, "bf16.enabled", json_true());
	else if (settings_is(j, "precision", "fp16"))
		jsonin_put(j->root, "fp16.enabled", json_true());
	if (!jsonin_has(j, "gradient_accumulation_steps") && !jsonin_has(j, "train_batch_size"))
		jsonin_put(j->root, "gradient_accumulation_steps", json_integer(1));
	jsonin_put(j->root, "tensor_parallel.autotp_size", json_integer(settings_number(j, "model_parallel_size", 1)));
}

void
neox_read(struct import *im)
{
	static const struct settings_key keys[] = {
		{ "seq_length", FIELD_SEQUENCE_LENGTH, NULL, NULL },
		{ "checkpoint_activations", FIELD_RECOMPUTE, "true=full|false=none", "none" },
		{ "checkpoint_num_layers", FIELD_RECOMPUTE_LAYERS, NULL, NULL },
		{ "sequence_parallel", FIELD_SEQUENCE_PARALLEL, NULL, "false" },
		{ "hidden_dropout", FIELD_HIDDEN_DROPOUT, NULL, "0" },
		{ "attention_dropout", FIELD_ATTENTION_DROPOUT, NULL, "0" },
		{ NULL, FIELD_NONE, NULL, NULL }
	};
	struct jsonin j;

	if (yamlin_parse(&j, im->text, im->size, im->name, im->errors)) {
		plain_names(j.root);
		put_deepspeed(&j);
		jsonin_watch(&j);
		take_model(im, &j);
		import_assume(im, FIELD_LAYOUT, "deepspeed", "GPT-NeoX trains with DeepSpeed");
		settings_take(im, &j, keys, "GPT-NeoX");
		import_set_int(im, FIELD_PP, settings_number(&j, "pipe_parallel_size", 0) > 1 ? settings_number(&j,
		    "pipe_parallel_size", 1) : 1, "pipe_parallel_size");
		import_set(im, FIELD_ATTENTION_KERNEL, jsonin_has(&j, "attention_config") && strstr(im->text, "flash") != NULL ?
		    "flash2" : "unfused", "attention_config");
		if (im->errors->count == 0)
			deepspeed_take(im, &j, im->world);
	}
	jsonin_free(&j);
}
