#include <ctype.h>
#include <jansson.h>
#include <string.h>

#include "core/base/text.h"
#include "file/launches/launches.h"
#include "file/launches/settings.h"
#include "file/launches/tuning.h"

/* Adapters of PEFT besides LoRA's: LLaMA-Factory src/llamafactory/hparams/finetuning_args.py; modelscope/ms-swift
 * docs/source_en/Instruction/Command-line-parameters.md. */
static const struct kind {
	const char *method, *word, *tuner, *rank, *usual, *targets;
} kinds[] = {
	{ "finetuning_type", "oft", "oft", "oft_block_size", "32", "oft_target" },
	{ "tuner_type", "adalora", "adalora", "adalora_init_r", "12", NULL },
	{ "tuner_type", "vera", "vera", "vera_rank", "256", NULL },
	{ "tuner_type", "ia3", "ia3", NULL, NULL, NULL },
};

static const struct kind *
find_kind(const struct tuner *d, const char *word)
{
	for (size_t i = 0; word != NULL && i < sizeof kinds / sizeof *kinds; i++)
		if (text_equal(kinds[i].method, d->method) && text_equal(kinds[i].word, word))
			return &kinds[i];
	return NULL;
}

bool
tuning_kind(struct import *im, const struct jsonin *j, struct tuner *d)
{
	const struct kind *kind = find_kind(d, jsonin_text(j, d->method));
	struct settings_key rank[] = { { NULL, FIELD_ADAPTER_RANK, NULL, NULL }, { NULL, FIELD_NONE, NULL, NULL } };

	if (kind == NULL)
		return false;
	settings_say(im, j, FIELD_FINETUNE, "lora", d->method);
	settings_say(im, j, FIELD_TUNER, kind->tuner, d->method);
	rank[0].path = kind->rank;
	rank[0].absent = kind->usual;
	if (kind->rank != NULL)
		settings_take(im, j, rank, d->program);
	if (kind->targets != NULL)
		d->targets = kind->targets;
	return true;
}

/* adapter_config.json, which PEFT saves beside adapters (huggingface/peft src/peft/config.py). */
void
peft_read(struct import *im)
{
	struct jsonin j;

	if (jsonin_parse(&j, im->text, im->size, im->name, im->errors)) {
		const char *type = jsonin_text(&j, TUNING_TUNER);
		char word[32];

		text_put(word, sizeof word, "%s", type != NULL ? type : "lora");
		for (char *c = word; *c != '\0'; c++)
			*c = (char)tolower((unsigned char)*c);
		settings_rename(&j, "r=lora_r|init_r=lora_r|oft_block_size=lora_r|target_modules=lora_target_modules|"
		    "modules_to_save=lora_modules_to_save|target_parameters=lora_target_parameters");
		if (!jsonin_has(&j, "lora_r"))
			json_object_set_new(j.root, "lora_r", json_integer(8));
		if (!jsonin_has(&j, "lora_dropout"))
			json_object_set_new(j.root, "lora_dropout", json_real(0));
		json_object_set_new(j.root, "use_peft", json_true());
		json_object_del(j.root, TUNING_TUNER);
		if (!text_equal(word, "lora"))
			json_object_set_new(j.root, TUNING_TUNER, json_string(word));
		jsonin_watch(&j);
		settings_checkpoint(im, &j, "base_model_name_or_path");
		tuning_adapters(im, &j, &tuner_trl);
		settings_rest(im, &j);
	}
	jsonin_free(&j);
}
