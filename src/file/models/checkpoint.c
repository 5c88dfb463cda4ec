/* Which entry of the catalogue the name of a checkpoint means. */
#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "core/framework/resolve.h"
#include "core/plan/catalog.h"
#include "file/models/checkpoint.h"
#include "file/models/hf.h"
#include "file/plan/pathname.h"
#include "file/source/named.h"

enum { NAME_SIZE = 128, PLACES_MAX = 6 }; /* directories within that of a model */

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
    "lora qlora converted merged safeguard";

/* Same decoder, other texts or other heads; what sees and hears stands beside it. */
static const char kinds[] = "math coder code embedding reranker guard prm rm vl omni audio";

/* What is none of the shape that the rest of the name says. */
static const char reshaped[] = "pro eagle medusa draft drafter speculator moe pruned slim upscaled expanded depth width "
    "tiny random dummy";

/* Packings of weights that no plan has. */
static const char packings[] = "aqlm hqq eetq exl quip vptq higgs";

static const struct {
	const char *words, *format;
} formats[] = {
	{ "bf16", "bf16" }, { "fp16", "fp16" }, { "fp-8 fp8 w8a8fp8 mxfp-8", "fp8" }, { "nvfp-4 fp4", "nvfp4" }, { "mxfp-4", "mxfp4" },
	{ "int-4 int4 4bit awq gptq nf4 w4a16 autoround", "int4" }, { "int-8 int8 8bit w8a8", "int8" },
};

/* How much a word leaves open of what a model is; what any other word does, only a name with its size
 * may have. */
enum { OPEN_FINISH = 1, OPEN_KIND = 10, OPEN_OTHER = 100 };

static bool
is_word(const char *words, const char *at, size_t n)
{
	return text_index(words, at, n) >= 0;
}

/* Digits and then one of the letters, and nothing else. */
static bool
is_count(const char *at, size_t n, const char *letters)
{
	const size_t digits = strspn(at, "0123456789");

	return digits > 0 && digits + 1 == n && strchr(letters, at[digits]) != NULL;
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

/* "aqlm", "2bit", "1x16" */
static bool
is_packing(const char *at, size_t n)
{
	const size_t digits = strspn(at, "0123456789");

	if (is_word(packings, at, n))
		return true;
	return digits > 0 && digits < n && ((n == digits + 3 && memcmp(at + digits, "bit", 3) == 0) ||
	    (at[digits] == 'x' && digits + 1 + strspn(at + digits + 1, "0123456789") == n));
}

/* "v0", "0613", "2507", "1431k": versions, dates, steps and tokens. */
static bool
is_version(const char *at, size_t n)
{
	const size_t from = n > 0 && *at == 'v', digits = strspn(at + from, "0123456789");

	if (is_count(at, n, "kt"))
		return true;
	return digits > 0 && from + digits == n && (from > 0 || digits == 4 || digits == 6 || digits == 8);
}

/* Letters alone that do not speak of another shape. */
static bool
is_other(const char *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isalpha((unsigned char)at[i]))
			return false;
	return !is_word(reshaped, at, n);
}

/* How much a word at the place leaves open of what a model is; 0: it is a word of the shape. *n are
 * its bytes, with the number that belongs to it. */
static size_t
openness(const char *at, size_t *n)
{
	size_t two;

	if (is_version(at, *n)) { /* v0-1 was v0.1 */
		if (*at == 'v' && at[*n] == '-' && isdigit((unsigned char)at[*n + 1]) &&
		    (at[*n + 2] == '-' || at[*n + 2] == '\0'))
			*n += 2;
		return OPEN_FINISH;
	}
	two = *n + (at[*n] == '-' ? 1 + strcspn(at + *n + 1, "-") : 0);
	if (format_of(at, two) != NULL) {
		*n = two;
		return OPEN_FINISH;
	}
	if (format_of(at, *n) != NULL || is_packing(at, *n) || is_word(finishes, at, *n))
		return OPEN_FINISH;
	return is_word(kinds, at, *n) ? OPEN_KIND : is_other(at, *n) ? OPEN_OTHER : 0;
}

/* ---- the entry ---------------------------------------------------------------------------- */

/* A word that is a size: 8b, 270m. */
static bool
has_size(const char *entry)
{
	for (size_t n; *entry != '\0'; entry += n + (entry[n] == '-')) {
		n = strcspn(entry, "-");
		if (is_count(entry, n, "bm"))
			return true;
	}
	return false;
}

/* How much of a name is left open by that of an entry, both plain; SIZE_MAX where it has words of a
 * shape that the entry lacks, or lacks some of its. */
static size_t
left_open(const char *name, const char *entry)
{
	const char *whole = entry;
	size_t open = 0;

	while (*name != '\0') {
		size_t n = strcspn(name, "-"), more;

		if (n > 0 && strncmp(entry, name, n) == 0 && (entry[n] == '-' || entry[n] == '\0'))
			entry += n + (entry[n] == '-');
		else if (n > 0 && (more = openness(name, &n)) > 0)
			open += more;
		else if (n > 0 && (entry != whole || open < OPEN_OTHER || strspn(name, "0123456789") < n))
			return SIZE_MAX; /* behind a name of its own a number is its version: dolphin-2-9-llama-3-8b */
		name += n + (name[n] == '-');
	}
	return *entry == '\0' && (open < OPEN_OTHER || has_size(whole)) ? open : SIZE_MAX;
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

/* A directory within that of a model: a step, a format, a stage of training. */
static bool
is_place(const char *plain)
{
	static const char places[] = "checkpoint checkpoints global step iter epoch hf huggingface original merged full final best "
	    "last latest model models weights snapshots main actor sft dpo grpo lora rl export output v vx x xx xxx";

	if (plain[strspn(plain, "0123456789abcdef-")] == '\0' && strlen(plain) >= 40) /* a commit */
		return true;
	for (size_t n; *plain != '\0'; plain += n + (plain[n] == '-')) {
		n = strcspn(plain, "-");
		if (!is_word(places, plain, n) && strspn(plain, "0123456789") < n)
			return false;
	}
	return true;
}

/* The last name of a path, *end bytes of it; of a cache's directory models--OWNER--NAME the last as
 * well. *end goes before it. */
static void
put_last(char plain[NAME_SIZE], const char *path, size_t *end)
{
	size_t from;

	while (*end > 0 && path[*end - 1] == '/')
		--*end;
	for (from = *end; from > 0 && path[from - 1] != '/' &&
	    (from < 2 || path[from - 1] != '-' || path[from - 2] != '-'); from--)
		;
	put_plain(plain, path + from, *end - from);
	while (from > 0 && path[from - 1] != '/')
		from--;
	*end = from;
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
	if (format == NULL || text_equal(format, usual))
		return;
	import_set(im, FIELD_CHECKPOINT_DTYPE, format, source);
	if (text_equal(format, "int4") && entry->values.model.experts > 1) /* AWQ, GPTQ and W4A16 take all linear layers */
		import_set(im, FIELD_DENSE_DTYPE, format, source);
}

/* What else stands in a name, or beside the decoder, and does not count. */
static void
tell_open(struct import *im, const struct catalog_entry *entry, const char *plain, size_t open, const char *source)
{
	char why[192];
	bool packed = false;

	for (size_t n; *plain != '\0'; plain += n + (plain[n] == '-')) {
		n = strcspn(plain, "-");
		packed = packed || is_packing(plain, n);
	}
	if (packed)
		import_ignore(im, source, "a packing of weights that no plan has: they count as published");
	if (open >= OPEN_OTHER)
		notes_add(&im->assumed, "model.preset = %s: the name has other words too (fix: its config.json beside this file, "
		    "if its shape is another)", entry->id);
	if (open % OPEN_OTHER < OPEN_KIND && strstr(entry->title, "(text)") == NULL)
		return;
	text_put(why, sizeof why, "by name a %s%s: %s", entry->id,
	    open % OPEN_OTHER < OPEN_KIND ? "" : " in another kind", entry->values.model.vision_params > 0 ?
	    "the tower that sees counts to serve, not to train" :
	    "what sees, hears or scores beside the decoder is not counted");
	import_ignore(im, source, why);
}

/* The entry that a checkpoint's name or directory means, with what that leaves open; NULL without one. */
static const struct catalog_entry *
entry_of(const struct import *im, const char *name, char plain[NAME_SIZE], size_t *open)
{
	const struct catalog_entry *entry = NULL;
	size_t end = strlen(name);
	int places = 0;

	if (im->catalog == NULL)
		return NULL;
	do {
		put_last(plain, name, &end);
		entry = find_entry(&im->catalog->models, plain, open);
	} while (entry == NULL && end > 0 && ++places < PLACES_MAX && is_place(plain));
	return entry;
}

bool
import_known(struct import *im, const char *name, const char *source)
{
	char plain[NAME_SIZE];
	size_t open;
	const struct catalog_entry *entry = entry_of(im, name, plain, &open);

	if (entry == NULL)
		return false;
	import_set(im, FIELD_PRESET, entry->id, source);
	take_format(im, entry, plain, source);
	tell_open(im, entry, plain, open, source);
	return true;
}

void
import_second(struct import *im, enum field_id f, const char *name, const char *source)
{
	char plain[NAME_SIZE];
	size_t open;
	const struct catalog_entry *entry = entry_of(im, name, plain, &open);

	if (entry != NULL)
		import_set(im, f, entry->id, source);
	else
		notes_add(&im->ignored, "%s: the catalogue has no model '%s' (fix: --set %s)", source, name, field_table[f].path);
}

/* The shape that the text of a config.json says. */
static void
take_shape(struct import *im, const char *text, size_t size, const char *name, const char *source)
{
	struct plan plan;
	struct import model = { .name = name, .text = text, .size = size, .catalog = im->catalog, .plan = &plan,
		.errors = im->errors, .section = "model" };

	plan_defaults(&plan);
	hf_read(&model);
	if (im->errors->count == 0) {
		plan_resolve(&plan, im->catalog);
		import_into(&model, im->plan);
		notes_add(&im->taken, "%s -> the model of %s", source, text_equal(name, im->name) ? "its sizes" : name);
	}
	notes_free(&model.taken);
	notes_free(&model.assumed);
	notes_free(&model.ignored);
}

/* The shape of the config.json at a path beside the launch; false where there is none. What is wrong
 * in it is complained about. */
static bool
take_config(struct import *im, const char *path, const char *source)
{
	size_t size;
	char *text = named_text(im, path, &size);

	if (text == NULL)
		return false;
	take_shape(im, text, size, path, source);
	free(text);
	return true;
}

void
import_shape(struct import *im, struct json_t *config, const char *source)
{
	char *text = json_dumps(config, JSON_COMPACT);

	if (text != NULL)
		take_shape(im, text, strlen(text), im->name, source);
	free(text);
}

/* With the entry that is nearest to one of the names, and what else would say it. */
static void
tell_no_model(struct import *im, const char *source, const char *const names[2], const char *what)
{
	const char *near = NULL;

	for (int i = 0; i < 2 && near == NULL; i++)
		if (names[i] != NULL && strlen(names[i]) < NAME_SIZE)
			near = catalog_near(&im->catalog->models, names[i]);
	import_error(im, source, "%s%s%s (fix: --model=NAME, its config.json beside this file, or --set model.*)", what,
	    near != NULL ? ", the nearest is " : "", near != NULL ? near : "");
}

void
import_checkpoint(struct import *im, const char *name, const char *source)
{
	char path[PLANFILE_PATH_SIZE], what[256];

	text_put(path, sizeof path, "%s/config.json", name);
	if (im->catalog == NULL || import_known(im, name, source))
		return;
	if (im->has_model) {
		import_ignore(im, source, "no model of the catalogue");
		return;
	}
	if (take_config(im, path, source) || take_config(im, "config.json", source))
		return;
	text_put(what, sizeof what, "the catalogue has no model '%s'", name);
	tell_no_model(im, source, (const char *const[]){ name, NULL }, what);
}

void
import_unnamed(struct import *im)
{
	const bool unread = im->unread[0] != '\0';
	const char *const names[] = { im->path != NULL ? pathname_last(im->path) : NULL, unread ? im->unread : NULL };
	char what[192];

	if (im->catalog == NULL || im->has_model || take_config(im, "config.json", "the model"))
		return;
	if (unread)
		text_put(what, sizeof what, "the file does not say, and %s is not read", im->unread);
	else
		text_put(what, sizeof what, "the file does not say, where %s would", im->unsaid);
	tell_no_model(im, "model", names, what);
}
