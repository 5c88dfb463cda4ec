/* Settings of DeepSpeed and Accelerate that a trainer's settings name, as keys of its own. */
#include <jansson.h>
#include <string.h>

#include "core/base/number.h"
#include "file/launches/settings.h"
#include "file/launches/tuning.h"
#include "file/source/named.h"
#include "file/source/words.h"

static const char deepspeed[] = "deepspeed";

/* A member that is there, unless the other has one of that name. */
static void
put_member(json_t *to, const char *key, json_t *value)
{
	if (value != NULL && json_object_get(to, key) == NULL)
		json_object_set(to, key, value);
}

/* Accelerate's deepspeed_config as DeepSpeed itself has it (utils/dataclasses.py, DeepSpeedPlugin). */
static void
put_deepspeed(struct jsonin *j, json_t *config)
{
	static const struct {
		const char *key, *section, *name;
	} rows[] = {
		{ "zero_stage", "zero_optimization", "stage" },
		{ "offload_optimizer_device", "zero_optimization.offload_optimizer", "device" },
		{ "offload_param_device", "zero_optimization.offload_param", "device" },
		{ "zero3_save_16bit_model", "zero_optimization", "stage3_gather_16bit_weights_on_model_save" },
	};
	json_t *made = json_object(), *file = json_object_get(config, "deepspeed_config_file");

	for (size_t i = 0; i < sizeof rows / sizeof *rows && file == NULL; i++) {
		json_t *value = json_object_get(config, rows[i].key);

		if (value != NULL)
			jsonin_put(made, TEXT_OF(96, "%s.%s", rows[i].section, rows[i].name), json_incref(value));
	}
	put_member(j->root, deepspeed, file != NULL ? file : made);
	json_decref(made);
}

/* What accelerate sets counts where the trainer's own switches say nothing (transformers training_args.py). */
static void
put_precision(struct jsonin *j, const char *word)
{
	const bool said = json_object_get(j->root, "bf16") != NULL || json_object_get(j->root, "fp16") != NULL;

	if (word != NULL && !said && (text_equal(word, "bf16") || text_equal(word, "fp16")))
		json_object_set_new(j->root, word, json_true());
}

/* Flags of accelerate launch, which stand before the program's own (huggingface/accelerate
 * src/accelerate/commands/launch.py), are those of its settings. */
static void
take_launch(struct jsonin *j)
{
	const int64_t nodes = settings_number(j, "num_machines", 1), gpus = settings_number(j, "num_processes", 0);
	json_t *flags = json_object(), *value;
	const bool fsdp = settings_on(j, "use_fsdp"), zero = settings_on(j, "use_deepspeed");
	const char *key;
	void *next;

	json_object_foreach_safe(j->root, next, key, value)
		if ((fsdp && strncmp(key, "fsdp_", 5) == 0 && !text_equal(key, "fsdp_config")) ||
		    (zero && (strncmp(key, "zero", 4) == 0 || strncmp(key, "offload_", 8) == 0 || text_equal(key, "deepspeed_config_file")))) {
			json_object_set(flags, key, value);
			json_object_del(j->root, key);
		}
	if (fsdp)
		put_member(j->root, "fsdp_config", flags);
	else if (zero)
		put_deepspeed(j, flags);
	json_decref(flags);
	put_precision(j, jsonin_text(j, "mixed_precision"));
	if (gpus > 0 && nodes > 0 && gpus % nodes == 0 && json_object_get(j->root, WORDS_PROCESSES) == NULL) {
		json_object_set_new(j->root, WORDS_PROCESSES, json_integer(gpus / nodes));
		json_object_set_new(j->root, WORDS_NODES, json_integer(nodes));
	}
}

static void
take_accelerate(struct import *im, struct jsonin *j, const char *key)
{
	const char *name = jsonin_text(j, key), *type;
	json_t *launch = name != NULL && strchr(name, '.') != NULL ? named_settings(im, name, key) : NULL;
	int64_t nodes, gpus;

	if (launch == NULL)
		return;
	type = json_string_value(json_object_get(launch, "distributed_type"));
	nodes = most_of(json_integer_value(json_object_get(launch, "num_machines")), 1);
	gpus = json_integer_value(json_object_get(launch, "num_processes"));
	put_precision(j, json_string_value(json_object_get(launch, "mixed_precision")));
	if (type != NULL && text_equal(type, "DEEPSPEED"))
		put_deepspeed(j, json_object_get(launch, "deepspeed_config"));
	else if (type != NULL && text_equal(type, "FSDP"))
		put_member(j->root, "fsdp_config", json_object_get(launch, "fsdp_config"));
	if (gpus > 0 && gpus % nodes == 0 && json_object_get(j->root, WORDS_PROCESSES) == NULL) {
		json_object_set_new(j->root, WORDS_PROCESSES, json_integer(gpus / nodes));
		json_object_set_new(j->root, WORDS_NODES, json_integer(nodes));
	}
	json_decref(launch);
}

void
tuning_named(struct import *im, struct jsonin *j)
{
	static const char *const named[] = { deepspeed, "fsdp", "fsdp_config" };
	const char *name;
	json_t *settings;

	if (strstr(im->text, "accelerate launch") != NULL)
		take_launch(j);
	take_accelerate(im, j, "accelerate_config");
	take_accelerate(im, j, "config_file");
	for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
		name = jsonin_text(j, named[i]);
		if (name != NULL && strchr(name, '.') != NULL && (settings = named_settings(im, name, named[i])) != NULL)
			json_object_set_new(j->root, named[i], settings);
	}
}
