#include "core/plan/shorthand.h"

#include <string.h>
#include <strings.h>

#include "core/base/text.h"
#include "core/plan/field.h"
#include "core/plan/naming.h"

#define DIGITS "0123456789"

enum { PART_LEAST = 3, TOLD = 4 }; /* letters that are no accident; names told one by one */

/* Whether a name has the text at its beginning or after a dash. */
static bool
has_part(const char *name, const char *text)
{
	const size_t n = strlen(text);

	for (; name != NULL; name = strchr(name, '-')) {
		name += *name == '-';
		if (strncasecmp(name, text, n) == 0)
			return true;
	}
	return false;
}

static bool
entry_has_part(const struct catalog_entry *entry, const char *text)
{
	char alias[PLAN_ID_SIZE];
	bool has = has_part(entry->id, text);

	for (int64_t i = 0; !has && catalog_alias(entry, i, alias, sizeof alias); i++)
		has = has_part(alias, text);
	return has;
}

/* The entry of a checkpoint's name that says no more than which model it is. */
static const struct catalog_entry *
named_entry(const struct catalog_list *list, const char *text)
{
	char said[NAMING_SIZE + 32];

	return naming_settings(list, text, said, sizeof said) && strchr(said, ' ') == NULL ?
	    catalog_find(list, strchr(said, '=') + 1) : NULL;
}

const struct catalog_entry *
shorthand_entry(const struct catalog_list *list, const char *text, char *err, size_t size)
{
	const struct catalog_entry *found = catalog_find(list, text);
	size_t n = 0;

	err[0] = '\0';
	if (found == NULL)
		found = named_entry(list, text);
	if (found != NULL || strlen(text) < PART_LEAST || naming_is_finish(text))
		return found;
	for (size_t i = 0; i < list->count; i++) {
		if (!entry_has_part(&list->entry[i], text))
			continue;
		found = &list->entry[i];
		if (n++ < TOLD)
			text_add(err, size, "%s%s", n > 1 ? ", " : "", found->id);
	}
	if (n > TOLD)
		text_add(err, size, " and %zu more", n - TOLD);
	if (n == 1)
		err[0] = '\0';
	return n == 1 ? found : NULL;
}

static void
say_field(enum field_id f, const char *value, char *out, size_t size)
{
	text_add(out, size, "%s%s=%s", out[0] != '\0' ? " " : "", field_table[f].path, value);
}

/* "tp8": a number right after the name of its field. */
static bool
read_number(const char *word, char *out, size_t size)
{
	const size_t n = strcspn(word, DIGITS);
	char name[64];
	enum field_id f;

	if (n == 0 || n >= sizeof name || word[n] == '\0')
		return false;
	text_put(name, sizeof name, "%.*s", (int)n, word);
	f = field_find(name);
	if (f == FIELD_NONE || (field_table[f].type != FIELD_INT && field_table[f].type != FIELD_REAL))
		return false;
	say_field(f, word + n, out, size);
	return true;
}

/* So many GPUs in whole nodes, or in one that has no more. */
static enum shorthand
read_total(int64_t gpus, int64_t per_node, char *out, size_t size)
{
	if (gpus % per_node != 0 && gpus > per_node) {
		text_put(out, size, "%lld GPUs are no whole nodes of %lld: write NODESxGPUS",
		    (long long)gpus, (long long)per_node);
		return SHORTHAND_UNCLEAR;
	}
	say_field(FIELD_NODES, TEXT_OF(24, "%lld", (long long)(gpus < per_node ? 1 : gpus / per_node)), out, size);
	if (gpus < per_node)
		say_field(FIELD_GPUS_PER_NODE, TEXT_OF(24, "%lld", (long long)(gpus < per_node ? gpus : per_node)),
		    out, size);
	return SHORTHAND_SAYS;
}

/* Digits of the GPUs that a node has; 0 for a kind that is called by a number which no node has, or that goes on:
 * 4060ti. */
static size_t
node_digits(const char *text)
{
	const size_t n = strspn(text, DIGITS);
	int64_t gpus;

	if (text[n] != '\0')
		return text[n] == 'x' ? n : 0;
	return text_to_int(text, &gpus) && (double)gpus > field_table[FIELD_GPUS_PER_NODE].most ? 0 : n;
}

/* "h100x8": as 8xh100. */
static void
turn(char word[PLAN_ID_SIZE])
{
	const char *x = strrchr(word, 'x');

	if (x == NULL || x == word || x[1] == '\0' || x[1 + strspn(x + 1, DIGITS)] != '\0' || strspn(word, DIGITS) > 0)
		return;
	text_put(word, PLAN_ID_SIZE, "%s", TEXT_OF(PLAN_ID_SIZE, "%sx%.*s", x + 1, (int)(x - word), word));
}

/* "8x8", "8x8xh100", nodes by GPUs of each; "64xh100", "1x4090", GPUs of a kind. */
static enum shorthand
read_shape(const char *word, const struct plan *p, const struct catalog *catalog, char *out,
    size_t size)
{
	const size_t n = strspn(word, DIGITS);
	const char *rest = word + n + 1;
	const size_t per_node = word[n] == 'x' ? node_digits(rest) : 0;
	const char *name = rest + per_node + (per_node > 0);
	const struct catalog_entry *gpu;
	char first[24], second[24], several[256];
	int64_t gpus;

	if (n == 0 || word[n] != 'x' || n >= sizeof first || per_node >= sizeof second)
		return SHORTHAND_NONE;
	text_put(first, sizeof first, "%.*s", (int)n, word);
	text_put(second, sizeof second, "%.*s", (int)per_node, rest);
	if (per_node > 0 && rest[per_node] == '\0') {
		say_field(FIELD_NODES, first, out, size);
		say_field(FIELD_GPUS_PER_NODE, second, out, size);
		return SHORTHAND_SAYS;
	}
	if ((gpu = shorthand_entry(&catalog->gpus, name, several, sizeof several)) == NULL) {
		if (several[0] != '\0')
			text_put(out, size, "%s is part of several names: %s", name, several);
		return several[0] != '\0' ? SHORTHAND_UNCLEAR : SHORTHAND_NONE;
	}
	say_field(FIELD_GPU, gpu->id, out, size);
	if (per_node > 0) {
		say_field(FIELD_NODES, first, out, size);
		say_field(FIELD_GPUS_PER_NODE, second, out, size);
		return SHORTHAND_SAYS;
	}
	if (!text_to_int(first, &gpus) || gpus == 0)
		return SHORTHAND_NONE;
	return read_total(gpus, !field_is_set(FIELD_GPUS_PER_NODE, p) &&
	    field_is_set(FIELD_GPUS_PER_NODE, &gpu->values) ? gpu->values.cluster.gpus_per_node :
	    p->cluster.gpus_per_node, out, size);
}

/* A whole name of the catalogue, a GPU's as its driver says it too, or of a checkpoint. */
static bool
read_name(const char *word, const struct catalog *catalog, char *out, size_t size)
{
	const struct catalog_entry *model = catalog_find(&catalog->models, word);
	const struct catalog_entry *gpu = catalog_find(&catalog->gpus, word);
	bool exact = true;

	if (gpu == NULL && model == NULL)
		gpu = catalog_of_driver(&catalog->gpus, word, &exact);
	gpu = exact ? gpu : NULL;
	if (model != NULL)
		say_field(FIELD_PRESET, model->id, out, size);
	else if (gpu != NULL)
		say_field(FIELD_GPU, gpu->id, out, size);
	return model != NULL || gpu != NULL || naming_settings(&catalog->models, word, out, size);
}

/* What nobody means who says a format, a method or an engine alone. */
static bool
is_meant(enum field_id f, const struct plan *p)
{
	switch (f) {
	case FIELD_TUNER:
	case FIELD_ADAPTER_DTYPE:
	case FIELD_QUANTIZATION:
	case FIELD_CHECKPOINT_DTYPE:
	case FIELD_GRAD_DTYPE:
	case FIELD_MOMENTS_DTYPE:
	case FIELD_DENSE_DTYPE:
	case FIELD_KV_DTYPE:
		return false;
	case FIELD_ENGINE: /* vllm is a layout, too */
		return true;
	case FIELD_WEIGHT_DTYPE:
		return p->mode == MODE_SERVE;
	case FIELD_LAYOUT:
		return p->mode == MODE_TRAIN;
	default:
		return field_in_mode(f, p->mode);
	}
}

static bool
has_choice(enum field_id f, const char *word)
{
	return field_table[f].type == FIELD_CHOICE && field_choice_index(f, word) >= 0;
}

/* "serve", "qlora", "torchtitan": a choice that one field alone has, of those that are meant. */
static enum shorthand
read_choice(const char *word, const struct plan *p, char *out, size_t size)
{
	char fields[256] = "";
	enum field_id found = FIELD_NONE;
	int n = 0, meant = 0;

	for (enum field_id f = 0; f < FIELD_COUNT; f++)
		meant += has_choice(f, word) && is_meant(f, p);
	for (enum field_id f = 0; f < FIELD_COUNT; f++)
		if (has_choice(f, word) && (meant == 0 || is_meant(f, p))) {
			text_add(fields, sizeof fields, "%s%s", n++ > 0 ? ", " : "", field_short(f));
			found = f;
		}
	if (n == 1)
		say_field(found, word, out, size);
	else if (n > 1)
		text_put(out, size, "%s is a value of several fields: %s", word, fields);
	return n == 0 ? SHORTHAND_NONE : n == 1 ? SHORTHAND_SAYS : SHORTHAND_UNCLEAR;
}

/* "15T": the tokens of a run; no model has so many parameters of whole trillions in its name. */
static bool
read_tokens(const char *word, char *out, size_t size)
{
	const size_t n = strlen(word);
	double trillions;

	if (n < 2 || (word[n - 1] != 'T' && word[n - 1] != 't') || strspn(word, DIGITS ".") != n - 1 ||
	    !text_to_real(TEXT_OF(24, "%.*s", (int)n - 1, word), &trillions) || !(trillions > 0))
		return false;
	say_field(FIELD_TOKEN_BUDGET, TEXT_OF(32, "%.10g", 1e3 * trillions), out, size);
	return true;
}

/* What a field's values are called by everybody but it. */
static bool
read_usual(const char *word, char *out, size_t size)
{
	static const struct {
		const char *word;
		enum field_id field;
		const char *value;
	} usual[] = {
		{ "fsdp", FIELD_ZERO_STAGE, "3" }, { "ddp", FIELD_ZERO_STAGE, "0" }, { "recompute", FIELD_RECOMPUTE, "full" },
		{ "sft", FIELD_FINETUNE, "full" }, { "finetune", FIELD_FINETUNE, "full" }, { "fine-tune", FIELD_FINETUNE, "full" },
		{ "finetuning", FIELD_FINETUNE, "full" }, { "fine-tuning", FIELD_FINETUNE, "full" },
		{ "pretrain", FIELD_FINETUNE, "none" }, { "pretraining", FIELD_FINETUNE, "none" },
		{ "awq", FIELD_WEIGHT_DTYPE, "int4" }, { "gptq", FIELD_WEIGHT_DTYPE, "int4" }, { "w4a16", FIELD_WEIGHT_DTYPE, "int4" },
	};

	for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
		if (strcasecmp(usual[i].word, word) == 0)
			say_field(usual[i].field, usual[i].value, out, size);
	return out[0] != '\0';
}

/* A part of a name. */
static enum shorthand
read_part(const char *word, const struct catalog *catalog, char *out, size_t size)
{
	char models[256], gpus[256];
	const struct catalog_entry *model, *gpu;

	model = shorthand_entry(&catalog->models, word, models, sizeof models);
	gpu = shorthand_entry(&catalog->gpus, word, gpus, sizeof gpus);
	if (model != NULL)
		text_put(models, sizeof models, "%s", model->id);
	if (gpu != NULL)
		text_put(gpus, sizeof gpus, "%s", gpu->id);
	if (models[0] == '\0' && gpus[0] == '\0')
		return SHORTHAND_NONE;
	if (model != NULL && gpus[0] == '\0')
		say_field(FIELD_PRESET, models, out, size);
	else if (gpu != NULL && models[0] == '\0')
		say_field(FIELD_GPU, gpus, out, size);
	else {
		text_put(out, size, "%s is part of several names: %s%s%s", word, models,
		    models[0] != '\0' && gpus[0] != '\0' ? ", " : "", gpus);
		return SHORTHAND_UNCLEAR;
	}
	return SHORTHAND_SAYS;
}

enum shorthand
shorthand_read(const char *word, const struct plan *p, const struct catalog *catalog, char *out,
    size_t size)
{
	char text[PLAN_ID_SIZE];
	const size_t n = strcspn(word, " \t");
	enum shorthand is;

	out[0] = '\0';
	if (n == 0 || n >= sizeof text)
		return SHORTHAND_NONE;
	text_put(text, sizeof text, "%.*s", (int)n, word);
	if (read_name(text, catalog, out, size) || read_number(text, out, size))
		return SHORTHAND_SAYS;
	if (read_usual(text, out, size) || read_tokens(text, out, size))
		return SHORTHAND_SAYS;
	if ((is = read_choice(text, p, out, size)) != SHORTHAND_NONE)
		return is;
	if ((is = read_part(text, catalog, out, size)) != SHORTHAND_NONE)
		return is;
	turn(text);
	return read_shape(text, p, catalog, out, size);
}

enum shorthand
shorthand_gpus(const char *word, const struct plan *p, char *out, size_t size)
{
	static const char name[] = "gpus=";
	const size_t digits = strspn(word, DIGITS);
	char text[24];
	int64_t gpus;

	out[0] = '\0';
	if (strncmp(word, name, sizeof name - 1) == 0)
		text_put(text, sizeof text, "%s", word + sizeof name - 1);
	else if (digits > 0 && (strcasecmp(word + digits, "gpus") == 0 || strcasecmp(word + digits, "gpu") == 0))
		text_put(text, sizeof text, "%.*s", (int)digits, word);
	else
		return SHORTHAND_NONE;
	if (text_to_int(text, &gpus) && gpus > 0)
		return read_total(gpus, p->cluster.gpus_per_node, out, size);
	text_put(out, size, "'%s' is no number of GPUs", text);
	return SHORTHAND_UNCLEAR;
}
