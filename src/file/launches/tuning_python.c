/*
 * Scripts in Python that fine-tune with Hugging Face's Trainer, TRL or Unsloth: what they call with literals, under the keys
 * that these programs' settings have.
 *
 * Sources: huggingface/transformers src/transformers/training_args.py, utils/quantization_config.py; huggingface/trl
 * trl/trainer/sft_trainer.py (before 0.13 the trainer took lengths and packing); huggingface/peft src/peft/tuners/<kind>/
 * config.py, utils/other.py (prepare_model_for_kbit_training); unslothai/unsloth unsloth/models/loader.py, llama.py.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "file/launches/settings.h"
#include "file/launches/tuning.h"
#include "file/notation/notebook.h"
#include "file/source/named.h"

#define TRAINER_NAMES "model=model_name_or_path|max_seq_length=max_length|max_length=max_length|packing=packing"
#define QUANTIZED "load_in_4bit=load_in_4bit|load_in_8bit=load_in_8bit"
#define PEFT "r=lora_r|target_modules=lora_target_modules|modules_to_save=lora_modules_to_save"
#define LORA PEFT "|lora_dropout=lora_dropout|use_dora=use_dora|target_parameters=lora_target_parameters"
#define TUNER(name) "use_peft=true|lora_dropout=0|" TUNING_TUNER "=" name

#define PLAIN "gradient_checkpointing=false|bf16=false" /* TRL's own settings have both on */

/* A call by its last name: each argument under the key it becomes, NULL: under its own name; keys that it sets
 * unless it says them, and what is then trained on, NULL: no word of it. */
static const struct python_call {
	const char *name, *names, *sets, *method;
} calls[] = {
	{ "TrainingArguments", NULL, PLAIN, NULL },
	{ "Seq2SeqTrainingArguments", NULL, PLAIN, NULL },
	{ "UnslothTrainingArguments", NULL, PLAIN, NULL },
	{ "SFTConfig", NULL, "", "sft" },
	{ "DPOConfig", NULL, "", "dpo" },
	{ "GRPOConfig", NULL, "", "grpo" },
	{ "RewardConfig", NULL, "", "reward" },
	{ "KTOConfig", NULL, "", "kto" },
	{ "ORPOConfig", NULL, "", "orpo" },
	{ "CPOConfig", NULL, "", "cpo" },
	{ "PPOConfig", NULL, "", "ppo" },
	{ "SFTTrainer", TRAINER_NAMES, "", "sft" },
	{ "DPOTrainer", TRAINER_NAMES, "", "dpo" },
	{ "GRPOTrainer", TRAINER_NAMES, "", "grpo" },
	{ "RewardTrainer", TRAINER_NAMES, "", "reward" },
	{ "LoraConfig", LORA, "use_peft=true|lora_r=8|lora_dropout=0", NULL },
	{ "AdaLoraConfig", LORA "|init_r=lora_r", TUNER("adalora") "|lora_r=12", NULL },
	{ "LoHaConfig", PEFT, TUNER("loha") "|lora_r=8", NULL },
	{ "LoKrConfig", PEFT, TUNER("lokr") "|lora_r=8", NULL },
	{ "OFTConfig", PEFT "|oft_block_size=lora_r", TUNER("oft") "|lora_r=32", NULL },
	{ "VeraConfig", PEFT, TUNER("vera") "|lora_r=256", NULL },
	{ "IA3Config", PEFT, TUNER("ia3") "|lora_r=8", NULL },
	{ "MissConfig", PEFT, TUNER("miss") "|lora_r=64", NULL },
	{ "BitsAndBytesConfig", QUANTIZED "|bnb_4bit_use_double_quant=use_bnb_nested_quant", "", NULL },
	{ "prepare_model_for_kbit_training", "use_gradient_checkpointing=gradient_checkpointing", "gradient_checkpointing=true",
	    NULL },
	{ "gradient_checkpointing_enable", "", "gradient_checkpointing=true", NULL },
	{ "tokenizer", "max_length=max_length", "", NULL },
};
/* Of a class whose name says that it is a model's, and of Unsloth's. */
static const struct python_call loads = { "from_pretrained", "0=model_name_or_path|model_name=model_name_or_path|"
    "pretrained_model_name_or_path=model_name_or_path|torch_dtype=torch_dtype|dtype=torch_dtype|" QUANTIZED, "", NULL };
static const struct python_call unsloth_loads = { "from_pretrained", "0=model_name_or_path|model_name=model_name_or_path|"
    "dtype=torch_dtype|max_seq_length=max_length|full_finetuning=full_finetuning|" QUANTIZED,
    "use_unsloth=true|use_bnb_nested_quant=true|max_length=2048", NULL };
static const struct python_call unsloth_adapts = { "get_peft_model", LORA
    "|use_gradient_checkpointing=gradient_checkpointing", "use_peft=true|lora_r=16|lora_dropout=0|"
    "gradient_checkpointing=true|lora_target_modules=all-linear", NULL };

static const struct python_call *
find_call(const char *callee)
{
	const char *name = pyin_last(callee);

	if (strncmp(callee, "Fast", 4) == 0 && text_equal(name, unsloth_adapts.name))
		return &unsloth_adapts;
	if (text_equal(name, loads.name) && strstr(callee, "Model") != NULL && strstr(callee, "Peft") == NULL)
		return strncmp(callee, "Fast", 4) == 0 ? &unsloth_loads : &loads;
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (text_equal(calls[i].name, name))
			return &calls[i];
	return NULL;
}

/* Behind the equals sign of "NAME=other", of which NAME is left. */
static const char *
cut_name(char *pair)
{
	const size_t n = strcspn(pair, "=");
	const char *other = pair + n + (pair[n] != '\0');

	pair[n] = '\0';
	return other;
}

static bool
is_made(const json_t *value)
{
	return json_object_get(value, PYIN_CALLEE) != NULL;
}

/* What a call sets stands already where an earlier one said it; "unsloth" is a way of True. */
static void
put_key(json_t *root, const char *key, json_t *value)
{
	const char *word = json_string_value(value);
	const bool model = text_equal(key, "model_name_or_path");

	if (value == NULL || json_is_null(value) || is_made(value) || (model && word == NULL))
		return;
	if (text_equal(key, "gradient_checkpointing") && (word != NULL || json_is_true(value)))
		json_object_set_new(root, key, json_true());
	else if (json_object_get(root, key) == NULL)
		json_object_set(root, key, value);
}

static void
put_call(struct import *im, json_t *root, const json_t *call, const struct python_call *by)
{
	char pair[160];
	const char *name;
	json_t *value;

	if (by->names == NULL)
		json_object_foreach((json_t *)(uintptr_t)call, name, value) {
			if (is_made(value)) {
				text_put(pair, sizeof pair, "%s.%s", by->name, name);
				import_ignore(im, pair, PYIN_UNTOLD);
			} else if (name[0] != '(' && (name[0] < '0' || name[0] > '9')) {
				put_key(root, name, value);
			}
		}
	for (int64_t i = 0; by->names != NULL && by->names[0] != '\0' && text_choice(by->names, i, pair, sizeof pair); i++) {
		const char *key = cut_name(pair);

		put_key(root, key, json_object_get(call, pair));
	}
	if (by->method != NULL && json_object_get(root, TUNING_METHOD) == NULL)
		json_object_set_new(root, TUNING_METHOD, json_string(by->method));
}

/* What a call sets where none says it. */
static void
put_sets(json_t *root, const char *sets)
{
	char pair[96];

	for (int64_t i = 0; sets[0] != '\0' && text_choice(sets, i, pair, sizeof pair); i++) {
		const char *set = cut_name(pair);
		int64_t n;
		json_t *value = text_equal(set, "true") ? json_true() : text_equal(set, "false") ? json_false() :
		    text_to_int(set, &n) ? json_integer(n) : json_string(set);

		put_key(root, pair, value);
		json_decref(value);
	}
}

/* Of calls that count; what a run tells of others is nobody's business. */
static void
ignore_argument(void *to, const char *path, const char *why)
{
	const char *point = strrchr(path, '.');

	if (find_call(TEXT_OF(PYIN_NAME_SIZE, "%.*s", point != NULL ? (int)(point - path) : 0, path)) != NULL)
		import_ignore(to, path, why);
}

/* All of them, then what they set; what a tokenizer cuts counts where no trainer says a length. */
static void
put_calls(struct import *im, json_t *root, const json_t *made)
{
	const struct python_call *by;
	size_t i;
	json_t *call;

	for (int pass = 0; pass < 3; pass++)
		json_array_foreach((json_t *)(uintptr_t)made, i, call) {
			if ((by = find_call(json_string_value(json_object_get(call, PYIN_CALLEE)))) == NULL)
				continue;
			if (pass == 2)
				put_sets(root, by->sets);
			else if (text_equal(by->name, "tokenizer") == (pass == 1))
				put_call(im, root, call, by);
		}
}

/* What a script of that name calls, below the keys that are there, which are what its command says too. */
static void
put_script(struct jsonin *j, struct import *im, const char *text, const char *name)
{
	const struct pyin_unknown unknown = { ignore_argument, im };
	json_t *said = json_copy(j->root);
	struct jsonin made;

	if (pyin_script(&made, text, name, said, &unknown, im->errors))
		put_calls(im, j->root, made.root);
	jsonin_free(&made);
	json_decref(said);
	/* Unsloth loads in 4 bits unless it is told not to. */
	if (settings_on(j, "use_unsloth") && !jsonin_has(j, "load_in_4bit") && !settings_on(j, "load_in_8bit") &&
	    !settings_on(j, "full_finetuning"))
		json_object_set_new(j->root, "load_in_4bit", json_true());
}

bool
tuning_read(struct jsonin *j, struct import *im, const struct tuner *d)
{
	char *cells = notebook_code(im->text);

	if (cells == NULL && !notebook_is_python(im->text))
		return settings_read(j, im, d->commands);
	*j = (struct jsonin){ .root = json_object(), .texts = 1, .file = im->name, .errors = im->errors };
	put_script(j, im, cells != NULL ? cells : im->text, im->name);
	free(cells);
	jsonin_watch(j);
	return im->errors->count == 0;
}

bool
tuning_script(struct jsonin *j, struct import *im, const char *name)
{
	size_t size;
	char *text = named_text(im, named_known(name), &size);
	const bool trains = text != NULL && notebook_is_python(text) && (strstr(text, "TrainingArguments(") != NULL ||
	    strstr(text, "Trainer(") != NULL);

	if (trains) {
		notes_add(&im->taken, "script -> the settings of %s", name);
		put_script(j, im, text, name);
	}
	free(text);
	return trains;
}
