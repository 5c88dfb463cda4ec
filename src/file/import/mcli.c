/*
 * mcli.c - jobs of Databricks' mcli: a command on so many GPUs, with settings that it finds in /mnt/config/parameters.yaml
 * (mosaicml/llm-foundry mcli).
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "file/base/textbuf.h"
#include "file/import/wrapped.h"
#include "file/launches/settings.h"
#include "file/machines/machines.h"
#include "file/notation/yamlin.h"

/* A line for each setting, whose value YAML takes as JSON has it. */
static void
put_settings(struct textbuf *out, const json_t *settings)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)(uintptr_t)settings, key, v) {
		char *text = json_dumps(v, JSON_ENCODE_ANY);

		textbuf_add(out, "%s: %s\n", key, text != NULL ? text : "");
		free(text);
	}
}

static void
read_job(struct import *im, const struct jsonin *j)
{
	static const char given[] = "parameters.yaml";
	const char *command = jsonin_text(j, "command"), *gpu = jsonin_text(j, "compute.gpu_type");
	const json_t *settings = json_object_get(j->root, "parameters");
	const bool takes = command != NULL && (strstr(command, given) != NULL || strstr(command, "$PARAMETERS") != NULL);
	const char *name = takes && json_is_object(settings) ? "parameters" : "command";
	const int64_t world = im->world;
	struct textbuf text = { 0 };

	if (text_equal(name, "parameters"))
		put_settings(&text, settings);
	else if (command != NULL)
		textbuf_add(&text, "%s\n", command);
	im->world = world > 0 ? world : settings_number(j, "compute.gpus", settings_number(j, "gpu_num", 0)); /* on nodes of 8 */
	if (text.text == NULL || !wrapped_launch(im, text.text, text.used, name, 0))
		import_error(im, name, "is no launch that is known (fix: import what it runs)");
	im->world = world;
	free(text.text);
	gpu = gpu != NULL ? gpu : jsonin_text(j, "gpu_type");
	if (gpu != NULL && im->errors->count == 0)
		machines_gpu(im, gpu, "compute.gpu_type");
}

void
mcli_read(struct import *im)
{
	struct jsonin j;

	if (yamlin_parse(&j, im->text, im->size, im->name, im->errors))
		read_job(im, &j);
	jsonin_free(&j);
}
