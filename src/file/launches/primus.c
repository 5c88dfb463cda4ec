/*
 * Experiments of Primus: a trainer of Megatron-LM or torchtitan, with a file of the model and settings that win over it,
 * under the names that the trainer has for its arguments (AMD-AGI/Primus primus/configs, 2026-08).
 */
#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "core/framework/resolve.h"
#include "file/launches/launches.h"
#include "file/launches/megatron_settings.h"
#include "file/launches/settings.h"
#include "file/machines/machines.h"
#include "file/models/checkpoint.h"
#include "file/notation/yamlin.h"
#include "file/source/named.h"

/* ---- one mapping of all ---------------------------------------------------------------------- */

/* "${NAME:value}" is the value where nobody sets NAME. */
static void
expand_variables(char *out, size_t size, const char *text)
{
	const char *end, *colon;

	out[0] = '\0';
	for (const char *at; (at = strstr(text, "${")) != NULL && (end = strchr(at, '}')) != NULL; text = end + 1) {
		colon = memchr(at, ':', (size_t)(end - at));
		text_add(out, size, "%.*s%.*s", (int)(at - text), text, colon != NULL ? (int)(end - colon) - 1 : 0,
		    colon != NULL ? colon + 1 : "");
	}
	text_add(out, size, "%s", text);
}

static json_t *
value_of(const json_t *v)
{
	const char *text = json_string_value(v);
	char plain[256];

	if (text == NULL || strstr(text, "${") == NULL || strlen(text) >= sizeof plain)
		return json_incref((json_t *)(uintptr_t)v);
	expand_variables(plain, sizeof plain, text);
	return yamlin_plain(plain);
}

static void
put_over(json_t *into, const json_t *over)
{
	const char *key;
	json_t *v, *there;

	json_object_foreach((json_t *)(uintptr_t)over, key, v) {
		there = json_object_get(into, key);
		if (json_is_object(v) && json_is_object(there))
			put_over(there, v);
		else
			json_object_set_new(into, key, value_of(v));
	}
}

/* The file of the model as the repository has it, or beside the experiment; NULL: neither is there. */
static json_t *
read_model(struct import *im, const char *framework, const char *name)
{
	char path[256];
	size_t size;
	char *there;

	for (int up = 0; up <= NAMED_CLIMB; up++) {
		text_put(path, sizeof path, "%.*sprimus/configs/models/%s/%s", 3 * up, "../../../../../", framework, name);
		if ((there = named_text(im, path, &size)) != NULL) {
			free(there);
			return named_settings(im, path, "model");
		}
	}
	return (there = named_text(im, name, &size)) != NULL ? free(there), named_settings(im, name, "model") : NULL;
}

/* ---- Megatron-LM ------------------------------------------------------------------------------ */

/* The command that these settings stand for, on a node of 8 GPUs unless told (runner/helpers). */
static void
put_command(struct textbuf *out, const json_t *settings)
{
	/* primus/configs/modules/megatron/trainer_base.yaml, pre_trainer.yaml */
	static const struct {
		const char *key, *arguments;
	} usual[] = {
		{ "bf16", " --bf16" }, { "micro_batch_size", " --micro-batch-size 2" },
		{ "global_batch_size", " --global-batch-size 16" }, { "seq_length", " --seq-length 1024" },
		{ "use_distributed_optimizer", " --use-distributed-optimizer" },
	};

	textbuf_add(out, "torchrun --nproc-per-node 8 pretrain_gpt.py");
	for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
		if (json_object_get(settings, usual[i].key) == NULL && !(i == 0 && json_is_true(json_object_get(settings, "fp16"))))
			textbuf_add(out, "%s", usual[i].arguments);
	megatron_settings_add(out, settings);
}

static void
read_megatron(struct import *im, const json_t *settings, const char *model)
{
	struct textbuf command = { 0 };

	put_command(&command, settings);
	megatron_settings_read(im, &command, json_object_get(settings, "num_layers") != NULL && !field_is_set(FIELD_PRESET,
	    im->plan), model);
}

/* Where the file of the model is not there, the settings over it are no more than a part of its sizes: those of the model of
 * that name count, in as many layers as they say. */
static void
take_named(struct import *im, const json_t *settings, const char *model)
{
	const json_t *layers = json_object_get(settings, "num_layers");

	if (layers == NULL) {
		import_checkpoint(im, model, "model");
		return;
	}
	if (!import_known(im, model, "model"))
		return;
	plan_resolve(im->plan, im->catalog);
	if (json_is_integer(layers) && json_integer_value(layers) != im->plan->model.layers)
		import_set_int(im, FIELD_LAYERS, json_integer_value(layers), "num_layers");
}

/* ---- the experiment --------------------------------------------------------------------------- */

/* The trainer among the modules. */
static const json_t *
find_trainer(const json_t *root)
{
	const json_t *modules = json_object_get(root, "modules");
	const json_t *trainer = json_object_get(modules, "pre_trainer");

	return trainer != NULL ? trainer : json_object_get(modules, "post_trainer");
}

/* Without the ending of its file. */
static void
put_plain(char *buf, size_t size, const char *name)
{
	const char *end = strstr(name, ".y");

	text_put(buf, size, "%.*s", end != NULL ? (int)(end - name) : (int)strlen(name), name);
}

/* Experiments lie in directories by the name of the GPU. */
static void
take_gpu(struct import *im)
{
	const char *at = im->path != NULL ? strstr(im->path, "/MI") : NULL;

	if (at == NULL || !isdigit((unsigned char)at[3]))
		return;
	machines_gpu(im, TEXT_OF(16, "%.*s", (int)strcspn(at + 1, "/"), at + 1), "the directory");
}

static void
read_trainer(struct import *im, const json_t *trainer)
{
	const char *framework = json_string_value(json_object_get(trainer, "framework"));
	const char *named_file = json_string_value(json_object_get(trainer, "model"));
	char model[192] = "", plain[192];
	json_t *settings;
	struct jsonin j = { .texts = 1, .file = im->name, .text = im->text, .errors = im->errors };
	bool named;

	if (named_file != NULL)
		expand_variables(model, sizeof model, named_file);
	put_plain(plain, sizeof plain, model);
	settings = framework != NULL && model[0] != '\0' ? read_model(im, framework, model) : NULL;
	named = settings == NULL;
	settings = named ? json_object() : settings;
	put_over(settings, json_object_get(trainer, "overrides"));
	if (named && plain[0] != '\0')
		take_named(im, settings, plain);
	take_gpu(im);
	if (im->errors->count > 0) {
		json_decref(settings);
		return;
	}
	if (framework != NULL && text_equal(framework, "megatron")) {
		read_megatron(im, settings, plain);
	} else if (framework != NULL && text_equal(framework, "torchtitan")) {
		if (im->world == 0)
			import_assume_int(im, FIELD_NODES, 1, "Primus runs on one node unless told (--world)");
		im->world = im->world > 0 ? im->world : 8;
		j.root = json_incref(settings);
		jsonin_watch(&j);
		torchtitan_take(im, &j);
		jsonin_free(&j);
	} else {
		import_error(im, "framework", "is none of those that are read: megatron, torchtitan");
	}
	json_decref(settings);
}

void
primus_read(struct import *im)
{
	struct jsonin j;

	if (yamlin_parse(&j, im->text, im->size, im->name, im->errors)) {
		const json_t *trainer = find_trainer(j.root);

		if (trainer != NULL)
			read_trainer(im, trainer);
		else
			import_error(im, "modules", "has no pre_trainer and no post_trainer");
	}
	jsonin_free(&j);
}
