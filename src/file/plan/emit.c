#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/show.h"
#include "core/framework/resolve.h"
#include "core/plan/field_source.h"
#include "core/plan/mix.h"
#include "file/base/textbuf.h"
#include "file/plan/emit.h"
#include "file/plan/planfile.h"

#define HEAD "# shardplan plan; shardplan-plan(5) explains every line"

static const struct section {
	const char *name, *comment;
} sections[] = {
	{ "cluster", "# the machines: GPUs, nodes and what joins them" },
	{ "model", "# the model; what is not here comes from the catalogue" },
	{ "parallel", "# how the model is split over the GPUs" },
	{ "finetune", "# what is trained of the model, and whose modules run" },
	{ "training", "# one training step" },
	{ "serving", "# the engine and its load" },
	{ "traffic", "# what comes to it: so many requests a second, how long they may take" },
	{ "rl", "# rollouts and updates; section serving is of the engine that generates" },
	{ "run", "# the run from its first step to its last: checkpoints, failures, data" },
	{ "calibration", "# measured against estimated" },
};

enum { SECTIONS = sizeof sections / sizeof sections[0] };

const char *
emit_section_name(size_t i)
{
	return i < SECTIONS ? sections[i].name : NULL;
}

/* ---- values ------------------------------------------------------------------------ */

static void
emit_int(struct textbuf *out, int64_t v)
{
	/* Without the L, libconfig 1.5 reads the low 32 bits. */
	textbuf_add(out, "%lld%s", (long long)v, v > INT32_MAX || v < -INT32_MAX ? "L" : "");
}

static void
emit_real(struct textbuf *out, double v)
{
	char text[48];

	text_real(text, sizeof text, v);
	/* Whole numbers without an exponent: 100000.0 is read more easily than 1e+05. */
	if (strchr(text, 'e') != NULL && fabs(v) >= 1 && fabs(v) < 1e15 && !(v > floor(v)))
		text_put(text, sizeof text, "%.1f", v);
	textbuf_add(out, "%s%s", text, strpbrk(text, ".e") == NULL ? ".0" : "");
}

/* A text with its quotation marks; every byte is read back as it was. */
static void
emit_string(struct textbuf *out, const char *text)
{
	size_t left = strlen(text);

	textbuf_bytes(out, "\"", 1);
	while (left > 0) {
		unsigned char c = (unsigned char)*text;
		size_t step = utf8_length(text, left);

		if (c == '"' || c == '\\')
			textbuf_add(out, "\\%c", c);
		else if (c == '\n')
			textbuf_bytes(out, "\\n", 2);
		else if (c == '\t')
			textbuf_bytes(out, "\\t", 2);
		else if (step == 0)
			textbuf_bytes(out, "?", 1); /* no UTF-8: would be refused when read */
		else if (show_foreign(text, left) > 0)
			for (size_t i = 0; i < step; i++)
				textbuf_add(out, "\\x%02X", (unsigned)(unsigned char)text[i]);
		else
			textbuf_bytes(out, text, step);
		step += step == 0;
		text += step;
		left -= step;
	}
	textbuf_bytes(out, "\"", 1);
}

/* The value of a field as libconfig writes it: 8, 70000000000L, 0.5, true, "bf16". */
static void
emit_value(struct textbuf *out, enum field_id f, const struct plan *p)
{
	char choice[64] = "";

	switch (field_table[f].type) {
	case FIELD_INT:
		emit_int(out, field_int(f, p));
		break;
	case FIELD_REAL:
		emit_real(out, field_real(f, p));
		break;
	case FIELD_BOOL:
		textbuf_add(out, "%s", field_int(f, p) != 0 ? "true" : "false");
		break;
	case FIELD_CHOICE:
		field_choice(f, field_int(f, p), choice, sizeof choice);
		emit_string(out, choice);
		break;
	case FIELD_TEXT:
		emit_string(out, field_text(f, p));
		break;
	}
}

/* "etp = 4;" */
static void
emit_line(struct textbuf *out, enum field_id f, const struct plan *p)
{
	textbuf_add(out, "%s = ", field_key(f));
	emit_value(out, f, p);
	textbuf_add(out, ";\n");
}

/* ---- comments ---------------------------------------------------------------------- */

/* A field that follows others, and not the catalogue entry of its section alone, which the section's comment tells of.
 * Its value stands in a comment while it follows. */
static bool
is_told(enum field_id f, const struct plan *p)
{
	const enum field_origin origin = field_table[f].origin;

	return origin == ORIGIN_DERIVED || origin == ORIGIN_NODE ||
	    (origin == ORIGIN_DEFAULT && field_source(f, p).from == FROM_FIELDS);
}

/* "# follows layout and TP: etp = 4;" */
static void
emit_told(struct textbuf *out, enum field_id f, const struct plan *p)
{
	char source[128];

	field_source_text(f, p, source, sizeof source);
	textbuf_add(out, "# %s: ", source);
	emit_line(out, f, p);
}

/* Whether a comment tells of a field that follows, and of nothing else. */
static bool
is_told_comment(const char *text, size_t length)
{
	static const char value[] = "abcdefghijklmnopqrstuvwxyz0123456789_.+-\"";
	static const char start[] = "# follows ";
	const char *end = text + length, *key, *equals;

	if (length < sizeof start || memcmp(text, start, sizeof start - 1) != 0)
		return false; /* soon: a file may hold half a million comments */
	key = memchr(text, ':', length);
	equals = key != NULL ? memchr(key, '=', (size_t)(end - key)) : NULL;
	if (equals == NULL || equals - key < 4 || key[1] != ' ' || equals[-1] != ' ' || end - equals < 4 || equals[1] != ' ' ||
	    equals + 2 + strspn(equals + 2, value) + 1 != end || end[-1] != ';')
		return false;
	for (enum field_id f = 0; f < FIELD_COUNT; f++)
		if (strlen(field_key(f)) == (size_t)(equals - key) - 3 &&
		    memcmp(field_key(f), key + 2, (size_t)(equals - key) - 3) == 0)
			return true;
	return false;
}

bool
emit_is_own_comment(const char *text, size_t length)
{
	while (length > 0 && (text[length - 1] == '\r' || text[length - 1] == ' '))
		length--;
	if (length == strlen(HEAD) && memcmp(text, HEAD, length) == 0)
		return true;
	for (size_t i = 0; i < SECTIONS; i++)
		if (length == strlen(sections[i].comment) &&
		    memcmp(text, sections[i].comment, length) == 0)
			return true;
	return is_told_comment(text, length);
}

/* ---- plans ------------------------------------------------------------------------- */

/* What is set, and defaults, so that a plan means the same when those of a later version
 * differ; not what the base says as well, and not what follows other fields or would follow a mix. */
static bool
is_written(enum field_id f, const struct plan *p, const struct plan *base)
{
	if (field_is_set(f, base))
		return !field_same(f, p, base);
	return field_is_set(f, p) ||
	    (field_in_use(f, p) && !mix_fills(f) && field_source(f, p).from == FROM_DEFAULT);
}

bool
emit_needs_flat(const struct plan *inherited, const struct plan *p)
{
	for (enum field_id f = 0; f < FIELD_COUNT; f++)
		if (field_source(f, p).from != FROM_DEFAULT && field_is_set(f, inherited) &&
		    !field_is_set(f, p))
			return true;
	return false;
}

static void
emit_section(struct textbuf *out, const struct section *section, const struct plan *p,
    const struct plan *base)
{
	bool open = false;

	for (enum field_id f = 0; f < FIELD_COUNT && !open; f++)
		open = field_is_of(f, section->name) && is_written(f, p, base);
	if (!open)
		return;
	textbuf_add(out, "\n%s\n%s: {\n", section->comment, section->name);
	for (enum field_id f = 0; f < FIELD_COUNT; f++) {
		if (!field_is_of(f, section->name))
			continue;
		if (is_written(f, p, base)) {
			textbuf_bytes(out, "\t", 1);
			emit_line(out, f, p);
		} else if (is_told(f, p) && !field_is_set(f, p) && field_in_use(f, p)) {
			textbuf_bytes(out, "\t", 1);
			emit_told(out, f, p);
		}
	}
	textbuf_add(out, "};\n");
}

char *
planfile_text(const struct planfile *file, const struct plan *plan,
    const struct catalog *catalog)
{
	struct textbuf out = { NULL, 0, 0, false };
	struct plan base = file->inherited;
	const bool flat = file->base[0] == '\0' || emit_needs_flat(&file->inherited, plan);

	(void)catalog; /* what it gives is never written */
	if (flat)
		plan_defaults(&base);
	textbuf_add(&out, "%s\nformat = 1;\n", HEAD);
	if (!flat) {
		textbuf_add(&out, "base = ");
		emit_string(&out, file->base);
		textbuf_add(&out, ";\n");
	}
	for (enum field_id f = 0; f < FIELD_COUNT; f++)
		if (strchr(field_table[f].path, '.') == NULL && is_written(f, plan, &base))
			emit_line(&out, f, plan);
	for (size_t i = 0; i < SECTIONS; i++)
		emit_section(&out, &sections[i], plan, &base);
	return textbuf_take(&out);
}

char *
planfile_text_alone(const struct plan *plan, const struct catalog *catalog)
{
	struct planfile *alone = calloc(1, sizeof *alone);
	char *text = NULL;

	if (alone != NULL) {
		plan_defaults(&alone->inherited);
		text = planfile_text(alone, plan, catalog);
	}
	free(alone);
	return text;
}

char *
planfile_section_text(const struct plan *plan, const char *section)
{
	struct textbuf out = { NULL, 0, 0, false };

	textbuf_add(&out, "%s: {\n", section);
	for (enum field_id f = 0; f < FIELD_COUNT; f++) {
		if (!field_is_of(f, section) || !field_is_set(f, plan))
			continue;
		textbuf_bytes(&out, "\t", 1);
		emit_line(&out, f, plan);
	}
	textbuf_add(&out, "};\n");
	return textbuf_take(&out);
}

/* "id = "..."; " */
static void
emit_text(struct textbuf *out, const char *key, const char *text)
{
	textbuf_add(out, "%s = ", key);
	emit_string(out, text);
	textbuf_add(out, ";");
}

char *
planfile_model_text(const struct plan *plan, const char *id, const char *title,
    const char *source, int64_t total_params)
{
	struct textbuf out = { NULL, 0, 0, false };
	struct plan defaults;
	char list[PLAN_ID_SIZE];

	plan_defaults(&defaults);
	text_put(list, sizeof list, "%s", id);
	for (char *c = list; *c != '\0'; c++)
		if (strchr(".+", *c) != NULL) /* what a name of libconfig can not hold */
			*c = '-';
	textbuf_add(&out, "models_%s = (\n  { ", list);
	emit_text(&out, "id", id);
	textbuf_add(&out, " ");
	emit_text(&out, "title", title);
	textbuf_add(&out, "\n    total_params = ");
	emit_int(&out, total_params);
	textbuf_add(&out, ";\n    ");
	emit_text(&out, "source", source);
	for (enum field_id f = 0; f < FIELD_COUNT; f++)
		if (field_is_of(f, "model") && f != FIELD_PRESET && !field_same(f, plan, &defaults)) {
			textbuf_add(&out, "\n    %s = ", field_key(f));
			emit_value(&out, f, plan);
			textbuf_add(&out, ";");
		}
	textbuf_add(&out, " }\n);\n");
	return textbuf_take(&out);
}
