/*
 * Launches of scripts of one's own that take the arguments of Hugging Face's Trainer
 * (huggingface/transformers src/transformers/training_args.py) and others by names that many of them share:
 * lm-sys/FastChat fastchat/train/train.py, train_lora.py; haotian-liu/LLaVA llava/train/train.py; QwenLM/Qwen
 * finetune.py; artidoro/qlora qlora.py; OpenGVLab/InternVL internvl_chat/internvl/train.
 */
#include <ctype.h>
#include <jansson.h>

#include "file/launches/launches.h"
#include "file/launches/settings.h"
#include "file/launches/tuning.h"

static const char own[] = "the script's, which is not read (fix: --set)";

/* The first of these keys, joined by |, that is there; else the first. */
static const char *
first_of(const struct jsonin *j, const char *keys, char *buf, size_t size)
{
	for (int64_t i = 0; text_choice(keys, i, buf, size); i++)
		if (jsonin_has(j, buf))
			return buf;
	text_choice(keys, 0, buf, size);
	return buf;
}

/* What trains the whole model unless a switch says adapters; a part of it is neither. */
static bool
trains_part(struct import *im, const struct jsonin *j)
{
	static const char *const parts[] = { "freeze_llm", "freeze_backbone", "tune_mm_mlp_adapter" };

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (settings_on(j, parts[i])) {
			import_at(im, parts[i]);
			import_error(im, parts[i], "trains other weights than a plan can: those of the whole model or LoRA's (fix: "
			    "import it without)");
			return true;
		}
	return false;
}

static void
assume_own(struct import *im, enum field_id f)
{
	if (!field_is_set(f, im->plan))
		import_assume(im, f, field_table[f].default_text, own);
}

void
tuning_trainer(struct import *im, struct jsonin *j)
{
	struct tuner d = tuner_trainer;
	static const char four[] = "q_lora";
	char method[32];

	if (trains_part(im, j))
		return;
	d.method = first_of(j, tuner_trainer.method, method, sizeof method);
	d.bits = jsonin_has(j, "bits") ? "bits" : NULL;
	tuning_begin(im, j, &d);
	if (settings_on(j, four) && im->plan->finetune.method == FINETUNE_LORA) {
		import_set(im, FIELD_FINETUNE, "qlora", four);
		import_assume(im, FIELD_QUANTIZATION, "nf4-dq", own);
	}
	assume_own(im, FIELD_SEQUENCE_LENGTH);
	if (im->plan->finetune.method != FINETUNE_FULL)
		assume_own(im, FIELD_ADAPTER_RANK);
	tuning_batch(im, j);
	tuning_fsdp(im, j, "fsdp", "fsdp_config");
	settings_take_away(im, j, &d.away);
	settings_rest(im, j);
}

void
trainer_read(struct import *im)
{
	struct jsonin j;

	if (tuning_read(&j, im, &tuner_trainer))
		tuning_trainer(im, &j);
	jsonin_free(&j);
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
