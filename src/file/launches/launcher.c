#include <jansson.h>
#include <string.h>

#include "file/launches/launches.h"
#include "file/launches/settings.h"
#include "file/launches/tuning.h"
#include "file/models/checkpoint.h"
#include "file/plan/pathname.h"
#include "file/source/named.h"
#include "file/source/words.h"

/* DeepSpeed's settings, which no trainer shares with them, are taken as if they were all there is. Without any
 * *out is empty. */
static void
take_out(struct jsonin *out, const struct jsonin *j)
{
	json_t *settings = json_object_get(j->root, "deepspeed");

	*out = *j;
	out->root = json_is_object(settings) ? json_incref(settings) : NULL;
	out->text = NULL; /* of another file */
	out->asked = NULL;
	if (out->root == NULL)
		return;
	jsonin_watch(out);
	json_object_set_new(j->root, "deepspeed", json_true());
}

/* A script of one's own that is not at hand: what its launcher is told. Of accelerate, what it computes in too, or else
 * nothing but fp32 (huggingface/accelerate src/accelerate/commands/launch.py). */
static void
take_launcher(struct import *im, struct jsonin *j)
{
	static const char own[] = "the script's, which is not read (fix: --set, --model)", precision[] = "mixed_precision";
	const char *file = jsonin_text(j, "deepspeed_config");
	struct jsonin settings = { .root = NULL };
	int64_t gpus;

	if (file != NULL)
		jsonin_put(j->root, "deepspeed", json_string(file));
	else if (strstr(im->text, "deepspeed ") != NULL && !jsonin_has(j, "deepspeed"))
		jsonin_put(j->root, "deepspeed", json_true());
	json_object_del(j->root, "nproc_per_node"); /* taken as variables are */
	json_object_del(j->root, "nnodes");
	tuning_named(im, j);
	if (file != NULL)
		take_out(&settings, j);
	tuning_framework(im, j);
	if (settings_is(j, precision, "no") || settings_is(j, precision, "fp8"))
		import_set(im, FIELD_PRECISION, settings_is(j, precision, "no") ? "fp32" : "fp8", precision);
	tuning_precision(im, j);
	gpus = tuning_machine(im, j, 1);
	if (settings.root != NULL)
		deepspeed_take(im, &settings, gpus);
	if (!field_is_set(FIELD_GLOBAL_BATCH_SIZE, im->plan))
		import_assume_int(im, FIELD_GLOBAL_BATCH_SIZE, gpus, own);
	tuning_fsdp(im, j, "fsdp", "fsdp_config");
	settings_rest(im, j);
	jsonin_free(&settings);
}

/* ---- what the launched script is given ------------------------------------------------------- */

/* The trainer that such a script is TRL's, by its name. */
static bool
is_of_trl(const char *script)
{
	static const char *const words[] = { "sft", "dpo", "orpo", "kto", "grpo", "reward", "trl" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strstr(script, words[i]) != NULL)
			return true;
	return false;
}

/* Settings of the script: what it calls itself, where it is at hand, and a file of YAML that it is given, as TrlParser
 * and HfArgumentParser read it. Whose they are, NULL: of no trainer that is known. */
static void (*script_reader(struct jsonin *j, struct import *im))(struct import *, struct jsonin *)
{
	const char *script = jsonin_text(j, WORDS_SCRIPT), *settings = jsonin_text(j, "config");
	char name[128];

	text_put(name, sizeof name, "%s", script != NULL ? pathname_last(script) : "");
	if (script != NULL && script[0] != '\0' && tuning_script(j, im, script))
		return jsonin_text(j, TUNING_METHOD) != NULL ? tuning_trl : tuning_trainer;
	if (settings == NULL)
		settings = jsonin_text(j, WORDS_SETTINGS);
	if (settings != NULL) {
		named_below(im, j, named_known(settings), "config");
		json_object_del(j->root, "config");
	}
	if (!jsonin_has(j, "model_name_or_path") || !jsonin_has(j, "per_device_train_batch_size"))
		return NULL;
	return is_of_trl(name) ? tuning_trl : tuning_trainer;
}

/* A model that the catalogue knows under a key of an unknown script: --model NAME, or an override such as
 * actor.model_name=NAME. */
static void
take_model(struct import *im, const struct jsonin *j)
{
	static const char keys[] = "model|model_name|model_path|model_id|model_name_or_path|base_model|pretrained_model";
	char key[32], name[128];

	for (int64_t i = 0; text_choice(keys, i, key, sizeof key); i++) {
		if (jsonin_text(j, key) != NULL && import_known(im, jsonin_text(j, key), key))
			return;
		text_add(key, sizeof key, "=");
		for (const char *at = im->text; (at = strstr(at, key)) != NULL; at++) {
			text_put(name, sizeof name, "%.*s", (int)strcspn(at + strlen(key), " \t\r\n\"'\\;"), at + strlen(key));
			if (at > im->text && at[-1] == '.' && import_known(im, name, key))
				return;
		}
	}
}

/* What a script is told may be what it trains, and then the model is not guessed; a launch without that is no more than
 * its machines, as a host file is. */
static void
note_script(const struct jsonin *j, struct import *im)
{
	const char *script = jsonin_text(j, WORDS_SCRIPT);

	if (im->unread[0] == '\0' && (script == NULL || jsonin_has(j, WORDS_TOLD)))
		text_put(im->unread, sizeof im->unread, "%s", script != NULL && script[0] != '\0' && pathname_last(script)[0] != '.' ?
		    pathname_last(script) : "what is launched");
}

void
launcher_read(struct import *im)
{
	static const char programs[] = "torchrun|torch.distributed.run|torch.distributed.launch|accelerate launch|deepspeed";
	void (*read)(struct import *, struct jsonin *);
	struct jsonin j;

	if (words_read(&j, im, programs, true)) {
		if ((read = script_reader(&j, im)) != NULL) {
			read(im, &j);
		} else {
			note_script(&j, im);
			take_model(im, &j);
			take_launcher(im, &j);
		}
	}
	jsonin_free(&j);
}
