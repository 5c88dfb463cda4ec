/*
 * oumi.c - configurations of `oumi train`: sections whose settings are those of TRL's trainer under names of its own
 * (oumi-ai/oumi src/oumi/core/configs/params/{model,training,peft,fsdp}_params.py, 2026-08).
 */
#include <jansson.h>
#include <string.h>

#include "file/launches/launches.h"
#include "file/launches/settings.h"
#include "file/launches/tuning.h"
#include "file/notation/yamlin.h"

/* Where Oumi has a setting, what TRL calls it. */
static const struct {
	const char *section, *theirs, *ours;
} names[] = {
	{ "model", "model_name", "model_name_or_path" }, { "model", "model_max_length", "max_length" },
	{ "model", "enable_liger_kernel", "use_liger_kernel" }, { "model", "torch_dtype_str", "dtype" },
	{ "model", "attn_implementation", "attn_implementation" },
	{ "training", "enable_gradient_checkpointing", "gradient_checkpointing" }, { "training", "optimizer", "optim" },
	{ "peft", "q_lora", "load_in_4bit" }, { "peft", "lora_use_dora", "use_dora" },
	{ "peft", "bnb_4bit_use_double_quant", "use_bnb_nested_quant" },
};

/* A section's settings; those that have no other name keep theirs. */
static void
put_section(json_t *out, json_t *root, const char *section)
{
	const char *name;
	json_t *value;

	json_object_foreach(json_object_get(root, section), name, value) {
		const char *ours = name;

		for (size_t i = 0; i < sizeof names / sizeof *names; i++)
			if (text_equal(names[i].section, section) && text_equal(names[i].theirs, name))
				ours = names[i].ours;
		json_object_set(out, ours, value);
	}
}

/* FSDP of all, or of each node's GPUs; and ZeRO. */
static void
put_shards(json_t *out, const struct jsonin *j)
{
	const char *strategy = jsonin_text(j, "fsdp.sharding_strategy"), *stage = jsonin_text(j, "deepspeed.zero_stage");
	json_t *config;

	if (settings_on(j, "fsdp.enable_fsdp")) {
		config = json_pack("{s:s, s:b, s:b}", "fsdp_sharding_strategy", strategy != NULL ? strategy : "FULL_SHARD",
		    "fsdp_offload_params", settings_on(j, "fsdp.cpu_offload"), "fsdp_activation_checkpointing", false);
		json_object_set_new(out, "fsdp", json_string(settings_is(j, "fsdp.sharding_strategy", "SHARD_GRAD_OP") ?
		    "shard_grad_op" : settings_is(j, "fsdp.sharding_strategy", "HYBRID_SHARD") ? "hybrid_shard" : "full_shard"));
		json_object_set_new(out, "fsdp_config", config);
	} else if (settings_on(j, "deepspeed.enable_deepspeed")) {
		json_object_set_new(out, "deepspeed", json_pack("{s:{s:i}, s:{s:b}}", "zero_optimization", "stage", stage != NULL &&
		    strlen(stage) == 6 ? stage[5] - '0' : (int)settings_number(j, "deepspeed.zero_stage", 3), "bf16", "enabled", true));
	}
}

static void
put_method(json_t *out, const struct jsonin *j)
{
	const char *trainer = jsonin_text(j, "training.trainer_type");

	if (trainer != NULL && strncmp(trainer, "TRL_", 4) == 0)
		json_object_set_new(out, TUNING_METHOD, json_string(strcmp(trainer, "TRL_DPO") == 0 ? "dpo" : strcmp(trainer,
		    "TRL_GRPO") == 0 ? "grpo" : strcmp(trainer, "TRL_KTO") == 0 ? "kto" : "sft"));
	if (settings_on(j, "data.train.pack"))
		json_object_set_new(out, "packing", json_true());
	if (!settings_on(j, "training.enable_gradient_checkpointing"))
		json_object_set_new(out, "gradient_checkpointing", json_false());
	if (settings_on(j, "training.use_peft") && !jsonin_has(j, "peft.lora_r"))
		json_object_set_new(out, "lora_r", json_integer(8));
}

void
oumi_read(struct import *im)
{
	struct jsonin j, flat = { .root = json_object(), .texts = 1, .file = im->name, .errors = im->errors };
	const char *trainer;

	if (yamlin_parse(&j, im->text, im->size, im->name, im->errors)) {
		for (size_t i = 0; i < 3; i++)
			put_section(flat.root, j.root, (const char *const[]){ "model", "training", "peft" }[i]);
		put_section(flat.root, json_object_get(j.root, "training"), "grpo");
		put_method(flat.root, &j);
		put_shards(flat.root, &j);
		trainer = jsonin_text(&j, "training.trainer_type");
		jsonin_watch(&flat);
		if (trainer != NULL && strncmp(trainer, "VERL", 4) == 0)
			import_error(im, "training.trainer_type", "%s is verl within Oumi: import verl's own script", trainer);
		else
			tuning_trl(im, &flat);
	}
	jsonin_free(&flat);
	jsonin_free(&j);
}
