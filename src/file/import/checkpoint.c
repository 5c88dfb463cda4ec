/* Which entry of the catalogue the name of a checkpoint means. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/framework/resolve.h"
#include "core/plan/catalog.h"
#include "file/import/named.h"
#include "file/import/readers.h"

enum { NAME_SIZE = 128 };

/* Small letters; hyphens for what else parts words and between a word and its number, so that
 * llama3_1_8b and Llama-3.1-8B are one. */
static void
put_plain(char out[NAME_SIZE], const char *name, size_t length)
{
	size_t n = 0, letters = 0;

	for (size_t i = 0; i < length && n + 2 < NAME_SIZE; i++) {
		const unsigned char c = (unsigned char)name[i];

		if (isdigit(c) && letters > 2)
			out[n++] = '-';
		letters = isalpha(c) ? letters + 1 : 0;
		out[n++] = isalnum(c) ? (char)tolower(c) : '-';
	}
	out[n] = '\0';
}

/* ---- what a name says beside the shape ---------------------------------------------------- */

/* Words of how it was trained, packed or repacked, and of the makers. */
static const char finishes[] = "instruct chat base hf it pt sft dpo rl grpo zero thinking preview text "
    "reasoning mixture deduped source linearized dynamic dequantized bnb unsloth gguf mlx ct kv a16 a8 w8a16 only meta nvidia "
    "lora qlora";

/* Same decoder, other texts or other heads; what sees and hears stands beside it. */
static const char kinds[] = "math coder code embedding reranker guard prm rm vl omni audio";

static const struct {
	const char *words, *format;
} formats[] = {
	{ "bf16", "bf16" }, { "fp16", "fp16" }, { "fp-8 fp8 w8a8fp8", "fp8" }, { "nvfp-4", "nvfp4" }, { "mxfp-4", "mxfp4" },
	{ "int-4 int4 4bit awq gptq nf4 w4a16 autoround", "int4" }, { "int-8 int8 8bit w8a8", "int8" },
};

static bool
is_word(const char *words, const char *at, size_t n)
{
	return text_index(words, at, n) >= 0;
}

/* The format that this word stands for, NULL: none. */
static const char *
format_of(const char *at, size_t n)
{
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (is_word(formats[i].words, at, n))
			return formats[i].format;
	return NULL;
}

/* "v0", "0613", "2507": versions and dates. */
static bool
is_version(const char *at, size_t n)
{
	const size_t from = n > 0 && *at == 'v', digits = strspn(at + from, "0123456789");

	return digits > 0 && from + digits == n && (from > 0 || digits == 4 || digits == 6 || digits == 8);
}

/* How much a word at the place leaves open of what a model is: 1 for its finish, 10 for its kind;
 * 0: it is a word of the shape. *n are its bytes, with the number that belongs to it. */
static size_t
openness(const char *at, size_t *n)
{
	size_t two;

	if (is_version(at, *n)) { /* v0-1 was v0.1 */
		if (*at == 'v' && at[*n] == '-' && isdigit((unsigned char)at[*n + 1]) &&
		    (at[*n + 2] == '-' || at[*n + 2] == '\0'))
			*n += 2;
		return 1;
	}
	two = *n + (at[*n] == '-' ? 1 + strcspn(at + *n + 1, "-") : 0);
	if (format_of(at, two) != NULL) {
		*n = two;
		return 1;
	}
	return format_of(at, *n) != NULL || is_word(finishes, at, *n) ? 1 : is_word(kinds, at, *n) ? 10 : 0;
}

/* ---- the entry ---------------------------------------------------------------------------- */

/* How much of a name is left open by that of an entry, both plain; SIZE_MAX where it has words of a
 * shape that the entry lacks, or lacks some of its. */
static size_t
left_open(const char *name, const char *entry)
{
	size_t open = 0;

	while (*name != '\0') {
		size_t n = strcspn(name, "-"), more;

		if (n > 0 && strncmp(entry, name, n) == 0 && (entry[n] == '-' || entry[n] == '\0'))
			entry += n + (entry[n] == '-');
		else if (n > 0 && (more = openness(name, &n)) > 0)
			open += more;
		else if (n > 0)
			return SIZE_MAX;
		name += n + (name[n] == '-');
	}
	return *entry == '\0' ? open : SIZE_MAX;
}

/* The least that the entry's name and aliases leave open. */
static size_t
entry_open(const struct catalog_entry *entry, const char *name)
{
	char alias[PLAN_ID_SIZE], plain[NAME_SIZE];
	size_t least, open;

	put_plain(plain, entry->id, strlen(entry->id));
	least = left_open(name, plain);
	for (int64_t i = 0; catalog_alias(entry, i, alias, sizeof alias); i++) {
		put_plain(plain, alias, strlen(alias));
		if ((open = left_open(name, plain)) < least)
			least = open;
	}
	return least;
}

/* The entry that leaves the least open, *open of it; NULL without one. */
static const struct catalog_entry *
find_entry(const struct catalog_list *models, const char *plain, size_t *open)
{
	const struct catalog_entry *best = NULL;

	*open = SIZE_MAX;
	for (size_t i = 0; i < models->count; i++) {
		const size_t n = entry_open(&models->entry[i], plain);

		if (n < *open) {
			*open = n;
			best = &models->entry[i];
		}
	}
	return best;
}

/* The last name of a path. */
static void
put_last(char plain[NAME_SIZE], const char *path)
{
	size_t end = strlen(path), from;

	while (end > 0 && path[end - 1] == '/')
		end--;
	for (from = end; from > 0 && path[from - 1] != '/'; from--)
		;
	put_plain(plain, path + from, end - from);
}

/* What the name says of the numbers that it is published in. */
static void
take_format(struct import *im, const struct catalog_entry *entry, const char *plain, const char *source)
{
	const char *format = NULL;
	char usual[24];

	field_format(FIELD_CHECKPOINT_DTYPE, &entry->values, usual, sizeof usual);
	for (const char *at = plain; *at != '\0'; at += *at == '-') {
		size_t n = strcspn(at, "-");

		if (openness(at, &n) > 0 && format_of(at, n) != NULL &&
		    (format == NULL || !text_equal(format_of(at, n), "bf16"))) /* bnb-nf4-bf16 */
			format = format_of(at, n);
		at += n;
	}
	if (format != NULL && !text_equal(format, usual))
		import_set(im, FIELD_CHECKPOINT_DTYPE, format, source);
}

bool
import_known(struct import *im, const char *name, const char *source)
{
	char plain[NAME_SIZE], why[128];
	const struct catalog_entry *entry;
	size_t open;

	put_last(plain, name);
	entry = im->catalog != NULL ? find_entry(&im->catalog->models, plain, &open) : NULL;
	if (entry == NULL)
		return false;
	import_set(im, FIELD_PRESET, entry->id, source);
	take_format(im, entry, plain, source);
	text_put(why, sizeof why, "by name a %s in another kind: what sees, hears or scores beside the decoder is "
	    "not counted", entry->id);
	if (open >= 10)
		import_ignore(im, source, why);
	return true;
}

/* The shape of the config.json at a path beside the launch; false where there is none. What is wrong
 * in it is complained about. */
static bool
take_config(struct import *im, const char *path, const char *source)
{
	struct plan plan;
	struct import model = { .name = path, .catalog = im->catalog, .plan = &plan, .errors = im->errors,
		.section = "model" };
	char *text = named_text(im, path, &model.size);

	if (text == NULL)
		return false;
	model.text = text;
	plan_defaults(&plan);
	hf_read(&model);
	if (im->errors->count == 0) {
		plan_resolve(&plan, im->catalog);
		import_into(&model, im->plan);
		notes_add(&im->taken, "%s -> the model of %s", source, path);
	}
	notes_free(&model.taken);
	notes_free(&model.assumed);
	notes_free(&model.ignored);
	free(text);
	return true;
}

void
import_checkpoint(struct import *im, const char *name, const char *source)
{
	char path[PLANFILE_PATH_SIZE];
	const char *near;

	text_put(path, sizeof path, "%s/config.json", name);
	if (im->catalog == NULL || import_known(im, name, source))
		return;
	if (im->has_model) {
		import_ignore(im, source, "no model of the catalogue");
		return;
	}
	if (take_config(im, path, source) || take_config(im, "config.json", source))
		return;
	near = catalog_near(&im->catalog->models, name);
	import_error(im, source, "the catalogue has no model '%s'%s%s (fix: --model=NAME, its config.json beside this "
	    "file, or --set model.*)", name, near != NULL ? ", the nearest is " : "", near != NULL ? near : "");
}
