/* Which entry of the catalogue the name of a checkpoint means. */
#include "core/plan/naming.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "core/base/text.h"
#include "core/plan/field.h"

void
naming_plain(char out[NAMING_SIZE], const char *name, size_t length)
{
	size_t n = 0, letters = 0;

	for (size_t i = 0; i < length && n + 2 < NAMING_SIZE; i++) {
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
    "lora qlora converted merged safeguard 1m fp32 alpha beta abliterated terminus";

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
	{ "int-4 int4 4bit 4bits awq gptq nf4 w4a16 autoround", "int4" }, { "int-8 int8 8bit 8bits w8a8", "int8" },
};

bool
naming_is_finish(const char *word)
{
	char plain[NAMING_SIZE];

	naming_plain(plain, word, strlen(word));
	return text_index(finishes, plain, strlen(plain)) >= 0;
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
		if (text_index(formats[i].words, at, n) >= 0)
			return formats[i].format;
	return NULL;
}

/* "aqlm", "2bit", "1x16"; 4bit is as well, and a format of which a plan knows. */
static bool
is_packing(const char *at, size_t n)
{
	const size_t digits = strspn(at, "0123456789");

	if (text_index(packings, at, n) >= 0)
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
	return text_index(reshaped, at, n) < 0;
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
	if (format_of(at, *n) != NULL || is_packing(at, *n) || text_index(finishes, at, *n) >= 0)
		return OPEN_FINISH;
	return text_index(kinds, at, *n) >= 0 ? OPEN_KIND : is_other(at, *n) ? OPEN_OTHER : 0;
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
	char alias[PLAN_ID_SIZE], plain[NAMING_SIZE];
	size_t least, open;

	naming_plain(plain, entry->id, strlen(entry->id));
	least = left_open(name, plain);
	for (int64_t i = 0; catalog_alias(entry, i, alias, sizeof alias); i++) {
		naming_plain(plain, alias, strlen(alias));
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

/* The format that the words of a name speak of, NULL: none; of bnb-nf4-bf16 the narrower. */
static const char *
format_in(const char *plain)
{
	const char *format = NULL;

	for (const char *at = plain; *at != '\0'; at += *at == '-') {
		size_t n = strcspn(at, "-");

		if (openness(at, &n) > 0 && format_of(at, n) != NULL &&
		    (format == NULL || !text_equal(format_of(at, n), "bf16")))
			format = format_of(at, n);
		at += n;
	}
	return format;
}

static bool
is_packed(const char *plain)
{
	bool packed = false;

	for (size_t n; *plain != '\0'; plain += n + (plain[n] == '-')) {
		n = strcspn(plain, "-");
		packed = packed || (is_packing(plain, n) && format_of(plain, n) == NULL);
	}
	return packed;
}

bool
naming_read(struct naming *n, const struct catalog_list *models, const char *plain)
{
	char usual[24];

	n->entry = find_entry(models, plain, &n->open);
	if (n->entry == NULL)
		return false;
	field_format(FIELD_CHECKPOINT_DTYPE, &n->entry->values, usual, sizeof usual);
	n->format = format_in(plain);
	if (n->format != NULL && text_equal(n->format, usual))
		n->format = NULL;
	/* AWQ, GPTQ and W4A16 take all linear layers. */
	n->dense = n->format != NULL && text_equal(n->format, "int4") && n->entry->values.model.experts > 1;
	n->packed = is_packed(plain);
	return true;
}

/* OWNER/NAME, as Hugging Face has it, and no file: plans/my-llama-3-8b.cfg. */
static bool
is_owned(const char *name)
{
	const char *slash = strchr(name, '/'), *dot = strrchr(name, '.');

	return slash != NULL && slash != name && slash[1] != '\0' && strchr(slash + 1, '/') == NULL && *name != '.' &&
	    *name != '~' && (dot == NULL || !is_other(dot + 1, strlen(dot + 1)));
}

/* The model that a name says, as words have it: one that other words stand in belongs to somebody. */
static bool
read_named(struct naming *n, const struct catalog_list *models, const char *name)
{
	char plain[NAMING_SIZE];
	const char *bare = catalog_bare_name(name);

	naming_plain(plain, bare, strlen(bare));
	return naming_read(n, models, plain) && !n->packed && (n->open < OPEN_OTHER || is_owned(name));
}

const struct catalog_entry *
naming_assumed(const struct catalog_list *models, const char *name)
{
	struct naming n;

	return catalog_find(models, name) == NULL && read_named(&n, models, name) && n.open >= OPEN_OTHER ? n.entry : NULL;
}

bool
naming_settings(const struct catalog_list *models, const char *name, char *out, size_t size)
{
	struct naming n;

	if (!read_named(&n, models, name))
		return false;
	text_put(out, size, "%s=%s", field_table[FIELD_PRESET].path, n.entry->id);
	if (n.format != NULL)
		text_add(out, size, " %s=%s", field_table[FIELD_CHECKPOINT_DTYPE].path, n.format);
	if (n.dense)
		text_add(out, size, " %s=%s", field_table[FIELD_DENSE_DTYPE].path, n.format);
	return true;
}
