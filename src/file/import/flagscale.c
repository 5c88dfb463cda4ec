/*
 * Experiments of FlagScale: a task with the file that it takes over, or that file alone. To train, arguments of Megatron-LM in
 * sections, which are no part of their names (flatten_dict_to_args); on rollouts, overrides of verl (FlagOpen/FlagScale
 * flagscale/runner/utils.py, flagscale/runner/runner_train.py, examples: 2025-11).
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "file/import/wrapped.h"
#include "file/launches/megatron_settings.h"
#include "file/launches/settings.h"
#include "file/notation/yamlin.h"
#include "file/source/named.h"

enum { FLAT_DEPTH = 8 };

/* Plain settings of all sections, one within another or not. */
static void
put_flat(json_t *out, const json_t *section, int depth)
{
	const char *key;
	json_t *v;

	if (depth > FLAT_DEPTH)
		return;
	json_object_foreach((json_t *)(uintptr_t)section, key, v)
		if (json_is_object(v))
			put_flat(out, v, depth + 1);
		else
			json_object_set(out, key, v);
}

static void
read_training(struct import *im, const struct jsonin *j, const json_t *train)
{
	const char *entry = jsonin_text(j, "experiment.task.entrypoint");
	struct textbuf command = { 0 };
	json_t *settings = json_object();

	put_flat(settings, train, 0);
	textbuf_add(&command, "torchrun --nnodes %" PRId64 " --nproc_per_node %" PRId64 " '%s'", settings_number(j,
	    "experiment.runner.nnodes", 1), settings_number(j, "experiment.runner.nproc_per_node", 8), entry != NULL && strchr(entry,
	    '\'') == NULL ? entry : "train_gpt.py");
	megatron_settings_add(&command, settings);
	megatron_settings_read(im, &command, json_object_get(settings, "num_layers") != NULL, "");
	json_decref(settings);
}

/* PATH=VALUE of each plain setting. */
static void
put_overrides(struct textbuf *out, const json_t *section, const char *before, int depth)
{
	const char *key, *text;
	char path[256];
	json_t *v;

	if (depth > FLAT_DEPTH)
		return;
	json_object_foreach((json_t *)(uintptr_t)section, key, v) {
		text_put(path, sizeof path, "%s%s%s", before, before[0] != '\0' ? "." : "", key);
		text = json_string_value(v);
		if (json_is_object(v))
			put_overrides(out, v, path, depth + 1);
		else if (text != NULL && strchr(text, '\'') == NULL)
			textbuf_add(out, " '%s=%s'", path, text);
		else if (json_is_integer(v))
			textbuf_add(out, " %s=%" JSON_INTEGER_FORMAT, path, json_integer_value(v));
		else if (json_is_real(v))
			textbuf_add(out, " %s=%.17g", path, json_real_value(v));
		else if (json_is_boolean(v))
			textbuf_add(out, " %s=%s", path, json_is_true(v) ? "true" : "false");
	}
}

static void
read_rollouts(struct import *im, const json_t *rl)
{
	struct textbuf command = { 0 };

	textbuf_add(&command, "python3 -m verl.trainer.main_ppo");
	put_overrides(&command, rl, "", 0);
	textbuf_add(&command, "\n");
	if (command.text == NULL || !wrapped_launch(im, command.text, command.used, "rl", 0))
		import_error(im, "rl", "is no configuration of verl");
	free(command.text);
}

void
flagscale_read(struct import *im)
{
	struct jsonin j;

	if (yamlin_parse(&j, im->text, im->size, im->name, im->errors)) {
		const json_t *train, *rl;

		named_inherit(im, &j);
		train = json_object_get(j.root, "train");
		rl = json_object_get(j.root, "rl");
		if (json_is_object(rl))
			read_rollouts(im, rl);
		else if (json_is_object(train) || json_object_get(j.root, "system") != NULL)
			read_training(im, &j, json_is_object(train) ? train : j.root);
		else
			import_error(im, "experiment.task", "trains nothing that is read: its file of train or rl is not there, or it is of "
			    "another task (fix: import what that runs)");
	}
	jsonin_free(&j);
}
