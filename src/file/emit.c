#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/field.h"
#include "file/emit.h"
#include "file/planfile.h"
#include "core/show.h"
#include "file/textbuf.h"

#define HEAD "# shardplan plan; shardplan-plan(5) explains every line"

static const struct section {
	const char *name, *comment;
} sections[] = {
	{ "cluster", "# the machines: GPUs, nodes and what joins them" },
	{ "model", "# the model; what is not here comes from the catalogue" },
	{ "parallel", "# how the model is split over the GPUs" },
	{ "training", "# one training step" },
	{ "serving", "# the engine and its load" },
	{ "calibration", "# measured against estimated" },
};

enum { SECTIONS = sizeof sections / sizeof sections[0] };

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
	return false;
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

/* ---- plans ------------------------------------------------------------------------- */

/* What decides which fields a saved plan says. */
struct saving {
	const struct plan *plan;
	struct plan base;                 /* what it inherits, marked */
	const struct catalog_entry *gpu;  /* its GPU's entry, or NULL */
};

/*
 * Fields of the machines that the entry of the GPU leaves to the default: unlike the shape
 * of a model, which an entry gives whole, they are nobody's but the plan's.
 */
static bool
is_machine_default(enum field_id f, const struct saving *s)
{
	return (f == FIELD_GPUS_PER_NODE || f == FIELD_NICS_PER_NODE || f == FIELD_NIC_GBPS) &&
	    (s->gpu == NULL || !field_is_set(f, &s->gpu->values));
}

static bool
is_written(enum field_id f, const struct saving *s)
{
	const struct plan *p = s->plan, *base = &s->base;
	bool set = field_is_set(f, p);

	if (field_is_set(f, base))
		return !field_same(f, p, base);
	if (set)
		return true;
	if (!field_in_mode(f, p->mode))
		return false;
	switch (field_table[f].origin) {
	case ORIGIN_DEFAULT:
		return true;
	case ORIGIN_DERIVED:
		return f != FIELD_NVLINK_DOMAIN; /* the catalogue's, else one node */
	case ORIGIN_CATALOG:
		return is_machine_default(f, s);
	case ORIGIN_OPTIONAL:
		break;
	}
	return false;
}

bool
emit_needs_flat(const struct plan *inherited, const struct plan *p)
{
	for (int i = 0; i < FIELD_COUNT; i++) {
		enum field_id f = (enum field_id)i;

		if (field_table[f].origin == ORIGIN_OPTIONAL && field_is_set(f, inherited) &&
		    !field_is_set(f, p))
			return true;
	}
	return false;
}

static bool
in_section(enum field_id f, const char *section)
{
	size_t n = strlen(section);

	return strncmp(field_table[f].path, section, n) == 0 && field_table[f].path[n] == '.';
}

static void
emit_section(struct textbuf *out, const struct section *section, const struct saving *s)
{
	bool open = false;

	for (int i = 0; i < FIELD_COUNT; i++) {
		enum field_id f = (enum field_id)i;

		if (!in_section(f, section->name) || !is_written(f, s))
			continue;
		if (!open)
			textbuf_add(out, "\n%s\n%s: {\n", section->comment, section->name);
		open = true;
		textbuf_add(out, "\t%s = ", field_key(f));
		emit_value(out, f, s->plan);
		textbuf_add(out, ";\n");
	}
	if (open)
		textbuf_add(out, "};\n");
}

char *
planfile_text(const struct planfile *file, const struct plan *plan,
    const struct catalog *catalog)
{
	struct textbuf out = { NULL, 0, 0, false };
	struct saving s = { .plan = plan, .base = file->inherited };
	bool flat = file->base[0] == '\0' || emit_needs_flat(&file->inherited, plan);

	if (catalog != NULL)
		s.gpu = catalog_find(&catalog->gpus, plan->cluster.gpu);
	if (flat)
		plan_defaults(&s.base);
	textbuf_add(&out, "%s\nformat = 1;\n", HEAD);
	if (!flat) {
		textbuf_add(&out, "base = ");
		emit_string(&out, file->base);
		textbuf_add(&out, ";\n");
	}
	for (int i = 0; i < FIELD_COUNT; i++) {
		enum field_id f = (enum field_id)i;

		if (strchr(field_table[f].path, '.') != NULL || !is_written(f, &s))
			continue;
		textbuf_add(&out, "%s = ", field_key(f));
		emit_value(&out, f, plan);
		textbuf_add(&out, ";\n");
	}
	for (size_t i = 0; i < SECTIONS; i++)
		emit_section(&out, &sections[i], &s);
	return textbuf_take(&out);
}

char *
planfile_section_text(const struct plan *plan, const char *section)
{
	struct textbuf out = { NULL, 0, 0, false };

	textbuf_add(&out, "%s: {\n", section);
	for (int i = 0; i < FIELD_COUNT; i++) {
		enum field_id f = (enum field_id)i;

		if (!in_section(f, section) || !field_is_set(f, plan))
			continue;
		textbuf_add(&out, "\t%s = ", field_key(f));
		emit_value(&out, f, plan);
		textbuf_add(&out, ";\n");
	}
	textbuf_add(&out, "};\n");
	return textbuf_take(&out);
}
