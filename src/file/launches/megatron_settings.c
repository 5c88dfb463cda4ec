#include "file/launches/megatron_settings.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/framework/resolve.h"
#include "file/launches/megatron_args.h"
#include "file/launches/megatron_flags.h"
#include "file/models/checkpoint.h"

/* Arguments whose names, or whose truth, are others than those of the settings. */
static const char *
flag_of(const char *key, const json_t *v)
{
	static const struct {
		const char *key, *flag;
		bool off; /* where the setting is false */
	} others[] = {
		{ "add_bias_linear", "disable-bias-linear", true },
		{ "gradient_accumulation_fusion", "no-gradient-accumulation-fusion", true },
		{ "fp8", "fp8-format", false }, { "fp4", "fp4-format", false },
		{ "virtual_pipeline_model_parallel_size", "num-virtual-stages-per-pipeline-rank", false },
	};

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (text_equal(others[i].key, key))
			return others[i].off == json_is_false(v) ? others[i].flag : NULL;
	return json_is_false(v) ? NULL : key;
}

static void
put_argument(struct textbuf *out, const char *key, const json_t *v)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:,@%+-[]*()| ";
	const char *flag = flag_of(key, v), *text = json_string_value(v);
	const struct megatron_flag *row;
	char name[96], word[100];

	if (flag == NULL || json_is_null(v) || json_is_object(v) || json_is_array(v) ||
	    (text != NULL && strspn(text, plain) != strlen(text)))
		return;
	text_put(name, sizeof name, "%s", flag);
	for (char *c = name; *c != '\0'; c++)
		*c = *c == '_' ? '-' : *c;
	text_put(word, sizeof word, "--%s", name);
	row = megatron_flag_find(word);
	if (row != NULL && row->kind == FLAG_SWITCH && json_is_integer(v)) { /* 1 and 0 for true and false */
		if (json_integer_value(v) != 0)
			textbuf_add(out, " %s", word);
		return;
	}
	textbuf_add(out, " %s", word);
	if (json_is_integer(v))
		textbuf_add(out, " %" JSON_INTEGER_FORMAT, json_integer_value(v));
	else if (json_is_real(v))
		textbuf_add(out, " %.17g", json_real_value(v));
	else if (text != NULL)
		textbuf_add(out, " '%s'", text);
}

static void
put_list(struct textbuf *out, const char *key, const json_t *list)
{
	char name[96];
	const json_t *v;
	size_t i;

	text_put(name, sizeof name, "%s", key);
	for (char *c = name; *c != '\0'; c++)
		*c = *c == '_' ? '-' : *c;
	textbuf_add(out, " --%s", name);
	json_array_foreach(list, i, v)
		if (json_is_string(v) && strchr(json_string_value(v), '\'') == NULL)
			textbuf_add(out, " '%s'", json_string_value(v));
		else if (json_is_integer(v))
			textbuf_add(out, " %" JSON_INTEGER_FORMAT, json_integer_value(v));
}

void
megatron_settings_add(struct textbuf *out, const json_t *settings)
{
	static const char recompute[] = "recompute_";
	const json_t *layers = json_object_get(settings, "recompute_num_layers");
	const bool no_layers = json_is_integer(layers) && json_integer_value(layers) == 0; /* nothing is computed again */
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)(uintptr_t)settings, key, v)
		if (strspn(key, "abcdefghijklmnopqrstuvwxyz0123456789_") != strlen(key) ||
		    (no_layers && strncmp(key, recompute, strlen(recompute)) == 0))
			continue;
		else if (json_is_array(v))
			put_list(out, key, v);
		else
			put_argument(out, key, v);
	textbuf_add(out, "\n");
}

/* Words of the tokenizer of a model that the catalogue knows by that name, 0: it does not. */
static int64_t
vocabulary_of(struct import *im, const char *name)
{
	const struct plan was = *im->plan;
	int64_t words = 0;

	if (import_known(im, name, "model")) {
		plan_resolve(im->plan, im->catalog);
		words = im->plan->model.vocab_size;
		notes_drop(&im->taken, field_table[FIELD_PRESET].path);
		notes_drop(&im->assumed, field_table[FIELD_PRESET].path);
	}
	*im->plan = was;
	return words;
}

/* Arguments of all sizes of the model, but perhaps for its words. */
static void
take_arguments(struct import *im, struct megatron_args *a, const char *model)
{
	const int64_t words = vocabulary_of(im, model);
	char text[24];

	if (!megatron_begin(a, im))
		return;
	text_put(text, sizeof text, "%lld", (long long)words);
	if (words > 0 && !megatron_has(a, "--vocab-size") && !megatron_has(a, "--padded-vocab-size"))
		megatron_args_add(a, "--vocab-size", text);
	megatron_take(a, &megatron_torchrun);
	megatron_args_tell_added(a, "that model");
}

void
megatron_settings_read(struct import *im, struct textbuf *command, bool sizes, const char *model)
{
	const struct import outer = *im;
	struct megatron_args a;

	if (command->text == NULL)
		return;
	im->text = command->text;
	im->size = command->used;
	im->inserts = 1;
	im->insert[0].at = 0;
	im->insert[0].lines = UINT_MAX / 2;
	if (sizes) {
		take_arguments(im, &a, model);
	} else {
		import_fill(im, FIELD_LAYOUT, "megatron");
		plan_resolve(im->plan, im->catalog); /* rules see the sizes of the model */
		if (megatron_args_read(&a, im)) {
			a.named = true;
			megatron_take(&a, &megatron_torchrun);
		}
	}
	megatron_args_free(&a);
	im->text = outer.text;
	im->size = outer.size;
	free(command->text);
}
