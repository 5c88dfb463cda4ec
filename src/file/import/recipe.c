/*
 * recipe.c - recipes of vLLM: a model, the arguments that it is served with, and variants of its weights
 * (vllm-project/recipes models, CONTRIBUTING.md: 2026-08). --part names a variant.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "core/framework/resolve.h"
#include "file/base/textbuf.h"
#include "file/import/served.h"
#include "file/import/wrapped.h"
#include "file/launches/settings.h"
#include "file/notation/yamlin.h"

static void
put_args(struct textbuf *out, const json_t *list)
{
	const json_t *word;
	size_t i;

	json_array_foreach(list, i, word)
		served_word(out, json_is_integer(word) ? TEXT_OF(24, "%" JSON_INTEGER_FORMAT, json_integer_value(word)) :
		    json_string_value(word));
}

/* As many GPUs as the user or the recipe says, or as have its memory between them. */
static int64_t
take_gpus(struct import *im, const struct jsonin *j, const json_t *variant)
{
	const int64_t need = served_number(json_object_get(variant, "vram_minimum_gb"));
	int64_t gpus = served_number(jsonin_at(j->root, "strategy_overrides.single_node_tp.tp")); /* may be told by hardware */

	if (im->world > 0 || gpus > 0)
		return im->world > 0 ? im->world : gpus;
	for (gpus = 1; gpus < 8 && gpus * 80 < need; gpus *= 2)
		;
	notes_add(&im->assumed, "TP %lld: vram_minimum_gb on GPUs of 80 GB; the recipe leaves it to who starts it (fix: --world)",
	    (long long)gpus);
	return gpus;
}

/* Of a model that the catalogue knows in BF16 alone. */
static void
take_weights(struct import *im, const json_t *variant)
{
	const char *format = json_string_value(json_object_get(variant, "precision"));
	const bool known = format != NULL && text_choice_index("bf16|fp16|fp8|int8|int4|mxfp4|nvfp4", format) >= 0;

	if (im->errors->count > 0 || !known || field_is_set(FIELD_WEIGHT_DTYPE, im->plan))
		return;
	plan_resolve(im->plan, im->catalog);
	if (im->plan->model.checkpoint_dtype == WEIGHT_BF16)
		import_set(im, FIELD_WEIGHT_DTYPE, format, "precision");
}

static void
read_recipe(struct import *im, const struct jsonin *j)
{
	const char *name = im->part != NULL ? im->part : "default", *model = jsonin_text(j, "model.model_id");
	const json_t *variant = json_object_get(json_object_get(j->root, "variants"), name);
	const char *own = json_string_value(json_object_get(variant, "model_id")), *part = im->part;
	const json_t *args = json_object_get(json_object_get(j->root, "model"), "base_args");
	struct textbuf text = { 0 };

	if (im->part != NULL && variant == NULL) {
		import_error(im, "--part", "'%s' is none of the variants", im->part);
		return;
	}
	textbuf_add(&text, "vllm serve ");
	served_word(&text, own != NULL ? own : model);
	put_args(&text, args);
	put_args(&text, json_object_get(variant, "extra_args"));
	if (text.text != NULL && strstr(text.text, "--tensor-parallel-size") == NULL)
		textbuf_add(&text, " --tensor-parallel-size %lld", (long long)take_gpus(im, j, variant));
	textbuf_add(&text, "\n");
	im->part = NULL;
	if (text.text == NULL || !wrapped_launch(im, text.text, text.used, name, 0))
		import_error(im, "model", "is served by nothing that is known");
	im->part = part;
	take_weights(im, variant);
	free(text.text);
}

void
recipe_read(struct import *im)
{
	struct jsonin j;

	if (yamlin_parse(&j, im->text, im->size, im->name, im->errors))
		read_recipe(im, &j);
	jsonin_free(&j);
}
