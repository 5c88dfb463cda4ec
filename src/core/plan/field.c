#include <math.h>
#include <string.h>

#include "core/base/units.h"
#include "core/plan/field.h"

#define MEMBER(member) \
	.path = #member, .length = sizeof #member - 1, .offset = offsetof(struct plan, member), \
	.size = sizeof(((struct plan *)NULL)->member)
#define STRINGIFY(x) #x
#define EXPAND(x) STRINGIFY(x)
#define ORIGIN_FOLLOWS(a, b) ORIGIN_FOLLOWS_ALL(a, b, NONE, NONE)
#define ORIGIN_FOLLOWS_ALL(a, b, c, d) ORIGIN_DERIVED, .follows = { FIELD_##a, FIELD_##b, FIELD_##c, FIELD_##d }

#define INT(id, member, flag_, label_, unit_, least_, most_, def, step_, origin_, modes_, help_) \
	[FIELD_##id] = { MEMBER(member), .flag = flag_, .label = label_, .unit = unit_, \
	    .default_text = EXPAND(def), .help = help_, .type = FIELD_INT, .step = STEP_##step_, \
	    .origin = ORIGIN_##origin_, .modes = MODES_##modes_, \
	    .least = (double)(least_), .most = (double)(most_) },
#define NUMBER(id, member, flag_, label_, unit_, least_, most_, zero_, def, by_, origin_, modes_, help_) \
	[FIELD_##id] = { MEMBER(member), .flag = flag_, .label = label_, .unit = unit_, \
	    .default_text = #def, .help = help_, .type = FIELD_REAL, .step = STEP_BY, \
	    .origin = ORIGIN_##origin_, .modes = MODES_##modes_, .zero = (zero_), \
	    .least = (double)(least_), .most = (double)(most_), .by = (by_) },
#define REAL(id, member, flag_, label_, unit_, least_, most_, def, by_, origin_, modes_, help_) \
	NUMBER(id, member, flag_, label_, unit_, least_, most_, false, def, by_, origin_, modes_, help_)
#define AMOUNT(id, member, flag_, label_, unit_, least_, most_, def, by_, origin_, modes_, help_) \
	NUMBER(id, member, flag_, label_, unit_, least_, most_, true, def, by_, origin_, modes_, help_)
#define BOOL(id, member, flag_, label_, def, origin_, modes_, help_) \
	[FIELD_##id] = { MEMBER(member), .flag = flag_, .label = label_, .unit = "", \
	    .choices = "false|true", .default_text = (def) ? "true" : "false", .help = help_, \
	    .type = FIELD_BOOL, .step = STEP_CHOICE, .origin = ORIGIN_##origin_, \
	    .modes = MODES_##modes_, .most = 1 },
#define CHOICE(id, member, flag_, label_, choices_, def, origin_, modes_, help_) \
	[FIELD_##id] = { MEMBER(member), .flag = flag_, .label = label_, .unit = "", \
	    .choices = choices_, .default_text = def, .help = help_, .type = FIELD_CHOICE, \
	    .step = STEP_CHOICE, .origin = ORIGIN_##origin_, .modes = MODES_##modes_ },
#define TEXT(id, member, flag_, label_, def, step_, origin_, modes_, help_) \
	[FIELD_##id] = { MEMBER(member), .flag = flag_, .label = label_, .unit = "", \
	    .default_text = def, .help = help_, .type = FIELD_TEXT, .step = STEP_##step_, \
	    .origin = ORIGIN_##origin_, .modes = MODES_##modes_ },

/* "|megatron|deepspeed|...": names joined by '|' but for the first one. */
static const char layouts[] =
#define FRAMEWORK(id, name) "|" #name
#include "core/plan/frameworks.def"
#undef FRAMEWORK
    ;
#define LAYOUT_NAMES (layouts + 1)

static const char engines[] =
#define ENGINE(id, name) "|" #name
#include "core/plan/engines.def"
#undef ENGINE
    ;
#define ENGINE_NAMES (engines + 1)

const struct field field_table[FIELD_COUNT] = {
#include "core/plan/fields.def"
};

/* Short names, from the same rows. */
#define FIELD(id)
#define SHORT(id, name) [FIELD_##id] = (name),
static const char *const abbreviations[FIELD_COUNT] = {
#include "core/plan/fields.def"
};

/* The member of a field; the table says that it has the right type. */
static int64_t *
int_member(enum field_id f, struct plan *p)
{
	return (int64_t *)(void *)((char *)p + field_table[f].offset);
}

static double *
real_member(enum field_id f, struct plan *p)
{
	return (double *)(void *)((char *)p + field_table[f].offset);
}

int64_t
field_int(enum field_id f, const struct plan *p)
{
	return *(const int64_t *)(const void *)((const char *)p + field_table[f].offset);
}

double
field_real(enum field_id f, const struct plan *p)
{
	return *(const double *)(const void *)((const char *)p + field_table[f].offset);
}

const char *
field_text(enum field_id f, const struct plan *p)
{
	return (const char *)p + field_table[f].offset;
}

bool
field_is_set(enum field_id f, const struct plan *p)
{
	return (p->set[f / 64] >> (f % 64) & 1) != 0;
}

void
field_mark(enum field_id f, struct plan *p, bool set)
{
	const uint64_t bit = UINT64_C(1) << (f % 64);

	if (set)
		p->set[f / 64] |= bit;
	else
		p->set[f / 64] &= ~bit;
	p->offered[f / 64] &= ~bit;
}

void
field_offer(enum field_id f, struct plan *p)
{
	p->offered[f / 64] |= UINT64_C(1) << (f % 64);
}

bool
field_is_said(enum field_id f, const struct plan *p)
{
	return field_is_set(f, p) && !field_is_offered(f, p);
}

bool
field_is_offered(enum field_id f, const struct plan *p)
{
	return (p->offered[f / 64] >> (f % 64) & 1) != 0;
}

enum field_id
field_by_path(const char *path, size_t length)
{
	for (int f = 0; f < FIELD_COUNT; f++)
		if (field_table[f].length == length && memcmp(field_table[f].path, path, length) == 0)
			return (enum field_id)f;
	return FIELD_COUNT;
}

const char *
field_key(enum field_id f)
{
	const char *dot = strchr(field_table[f].path, '.');

	return dot != NULL ? dot + 1 : field_table[f].path;
}

const char *
field_abbreviation(enum field_id f)
{
	return abbreviations[f];
}

const char *
field_short(enum field_id f)
{
	const char *key = field_key(f), *flag = field_table[f].flag;

	if (abbreviations[f] != NULL)
		return abbreviations[f];
	if (flag != NULL && strlen(flag) < strlen(key))
		return flag;
	return field_find(key) == f ? key : field_table[f].path;
}

size_t
field_section(enum field_id f, char *buf, size_t size)
{
	const char *path = field_table[f].path;
	const char *dot = strchr(path, '.');

	return text_part(buf, size, path, dot != NULL ? (size_t)(dot - path) : 0);
}

bool
field_is_of(enum field_id f, const char *sections)
{
	const char *path = field_table[f].path, *dot = strchr(path, '.');

	return dot != NULL && text_index(sections, path, (size_t)(dot - path)) >= 0;
}

bool
field_same_section(enum field_id a, enum field_id b)
{
	const char *x = field_table[a].path, *y = field_table[b].path;

	for (; *x == *y && *x != '.' && *x != '\0'; x++)
		y++;
	return *x == *y || strchr(x, '.') == strchr(y, '.');
}

/* Whether a path is this name after its section. */
static bool
has_key(enum field_id f, const char *name, size_t length)
{
	const struct field *row = &field_table[f];

	return length < row->length && row->path[row->length - length - 1] == '.' &&
	    memcmp(row->path + row->length - length, name, length) == 0;
}

enum field_id
field_find(const char *name)
{
	const size_t length = strlen(name);
	enum field_id found = field_by_path(name, length);
	int matches = 0;

	if (found != FIELD_COUNT)
		return found;
	for (int f = 0; f < FIELD_COUNT; f++)
		if ((field_table[f].flag != NULL && text_equal(field_table[f].flag, name)) ||
		    (abbreviations[f] != NULL && text_equal(abbreviations[f], name)))
			return (enum field_id)f;
	for (int f = 0; f < FIELD_COUNT; f++)
		if (has_key((enum field_id)f, name, length) &&
		    !(matches > 0 && field_is_of((enum field_id)f, "rl"))) {
			found = (enum field_id)f;
			matches++;
		}
	return matches == 1 ? found : FIELD_COUNT;
}

const char *
field_near(const char *path)
{
	const char *best = NULL;
	const char *dot = strrchr(path, '.');
	const char *key = dot != NULL ? dot + 1 : path;
	/* A third of the letters wrong is a slip, more is another word. */
	size_t least = strlen(key) < 6 ? 1 : strlen(key) / 3;

	for (int f = 0; f < FIELD_COUNT; f++) {
		const char *candidate = field_table[f].path;
		const bool begins = strlen(key) > 2 && strncmp(field_key((enum field_id)f), key, strlen(key)) == 0;
		size_t d = begins ? 1 : text_distance(key, field_key((enum field_id)f));

		/* The section counts where two keys are as near, and may be wrong altogether. */
		if (dot != NULL && text_distance(path, candidate) <= d)
			d = text_distance(path, candidate);
		else if (dot != NULL)
			d++;
		if (d <= least && (best == NULL || d < least)) {
			least = d;
			best = candidate;
		}
	}
	return best;
}

bool
field_in_mode(enum field_id f, int64_t mode)
{
	return ((unsigned)field_table[f].modes & (mode == MODE_SERVE ? MODES_SERVE : MODES_TRAIN)) != 0;
}

bool
field_applies(enum field_id f, const struct plan *p)
{
	return field_in_mode(f, p->mode) || (plan_has_rollouts(p) && field_is_of(f, "serving") &&
	    f != FIELD_CONCURRENCY && f != FIELD_PROMPT_TOKENS && f != FIELD_GENERATE_TOKENS &&
	    f != FIELD_REPLICAS && f != FIELD_PREFILL_WORKERS && f != FIELD_FFN_GPUS);
}

bool
field_in_use(enum field_id f, const struct plan *p)
{
	return field_applies(f, p) && (!field_is_of(f, "rl") || plan_has_rl(p)) &&
	    (!field_is_of(f, "finetune") || p->finetune.method != FINETUNE_NONE) &&
	    (!field_is_of(f, "run") || plan_has_run(p));
}

/* ---- choices ---------------------------------------------------------------- */

bool
field_choice(enum field_id f, int64_t i, char *buf, size_t size)
{
	const char *names = field_table[f].choices;

	return names != NULL && i >= 0 && text_choice(names, i, buf, size);
}

int64_t
field_choice_index(enum field_id f, const char *name)
{
	const char *names = field_table[f].choices;

	return names != NULL ? text_choice_index(names, name) : -1;
}

size_t
field_range(enum field_id f, char *buf, size_t size)
{
	const struct field *row = &field_table[f];
	char choice[PLAN_ID_SIZE], least[32], most[32];

	switch (row->type) {
	case FIELD_INT:
		return text_put(buf, size, "%lld to %.0f", (long long)field_least(f), row->most);
	case FIELD_REAL:
		text_real(least, sizeof least, row->least);
		text_real(most, sizeof most, row->most);
		return text_put(buf, size, "%s%s to %s", row->zero ? "0 or " : "", least, most);
	case FIELD_BOOL:
		return text_put(buf, size, "true or false");
	case FIELD_CHOICE:
		text_put(buf, size, "one of");
		for (int64_t i = 0; field_choice(f, i, choice, sizeof choice); i++)
			text_add(buf, size, "%s %s", i > 0 ? "," : "", choice);
		return strlen(buf);
	case FIELD_TEXT:
		break;
	}
	return text_put(buf, size, "up to %zu bytes of text", row->size - 1);
}

/* ---- putting values in ---------------------------------------------------------- */

bool
field_put_int(enum field_id f, struct plan *p, int64_t v, char *err, size_t size)
{
	const struct field *row = &field_table[f];
	char range[256], choice[PLAN_ID_SIZE];

	if (row->type == FIELD_CHOICE ? !field_choice(f, v, choice, sizeof choice) :
	    v < (int64_t)row->least || v > (int64_t)row->most) {
		field_range(f, range, sizeof range);
		text_put(err, size, "%lld is out of range: %s", (long long)v, range);
		return false;
	}
	field_store_int(f, p, v);
	return true;
}

void
field_store_int(enum field_id f, struct plan *p, int64_t v)
{
	*int_member(f, p) = v;
	field_mark(f, p, true);
}

bool
field_put_real(enum field_id f, struct plan *p, double v, char *err, size_t size)
{
	const struct field *row = &field_table[f];
	char range[256], text[32];

	const bool none = row->zero && v <= 0 && v >= 0;

	if (!none && (!isfinite(v) || v < row->least || v > row->most)) {
		field_range(f, range, sizeof range);
		text_real(text, sizeof text, v);
		text_put(err, size, "%s is out of range: %s", text, range);
		return false;
	}
	*real_member(f, p) = v;
	field_mark(f, p, true);
	return true;
}

bool
field_put_text(enum field_id f, struct plan *p, const char *v, char *err, size_t size)
{
	const struct field *row = &field_table[f];
	char range[512];
	int64_t i;

	if (row->type == FIELD_CHOICE) {
		i = field_choice_index(f, *v != '\0' ? v : "none"); /* nothing of what can be none */
		if (i < 0) {
			field_range(f, range, sizeof range);
			text_put(err, size, "unknown name: %s", range);
			return false;
		}
		field_store_int(f, p, i);
		return true;
	}
	if (strlen(v) >= row->size) {
		text_put(err, size, "too long: at most %zu bytes", row->size - 1);
		return false;
	}
	/* All of the member is written, so that equal plans are equal byte by byte. */
	memset((char *)p + row->offset, 0, row->size);
	memcpy((char *)p + row->offset, v, strlen(v));
	field_mark(f, p, true);
	return true;
}

/*
 * Cut "128 k", "500ms" and the like into a plain number in *number and what follows: k, M and G
 * of what is counted are 1024 each (Ki), and amounts take the units of their kind.
 */
static bool
cut_unit(enum field_id f, const char *text, char *number, size_t size, double *factor)
{
	const char *unit = field_table[f].unit;
	size_t digits = strspn(text, " \t");
	size_t length;

	text += digits;
	length = strspn(text, "+-0123456789.eE");
	/* "1e" of "1exa" is no number: the exponent needs a digit. */
	while (length > 0 && strchr("eE+-", text[length - 1]) != NULL)
		length--;
	if (length == 0 || length >= size)
		return false;
	memcpy(number, text, length);
	number[length] = '\0';
	text += length;
	text += strspn(text, " \t");
	if (field_table[f].type == FIELD_REAL)
		return *text == '\0' ? (*factor = 1) > 0 : units_factor(text, unit, factor);
	*factor = 1;
	if (*unit != '\0' && text_equal(text, unit))
		return true;
	if (*text == 'k' || *text == 'K')
		*factor = 0x1p10;
	else if (*text == 'M' || *text == 'm')
		*factor = 0x1p20;
	else if (*text == 'G' || *text == 'g')
		*factor = 0x1p30;
	if (*factor > 1)
		text += text[1] == 'i' ? 2 : 1;
	text += strspn(text, " \t");
	return *text == '\0' || (*unit != '\0' && text_equal(text, unit));
}

bool
field_amount(enum field_id f, const char *text, double *v)
{
	char number[64];
	double factor;

	if (!cut_unit(f, text, number, sizeof number, &factor) || !text_to_real(number, v))
		return false;
	*v *= factor;
	return true;
}

static bool
parse_int(enum field_id f, struct plan *p, const char *text, char *err, size_t size)
{
	char number[64];
	double factor = 1, real;
	int64_t v;

	if (!cut_unit(f, text, number, sizeof number, &factor)) {
		text_put(err, size, "not a whole number");
		return false;
	}
	if (!text_to_int(number, &v)) {
		if (!text_to_real(number, &real) || fabs(real * factor) >= 9e18 ||
		    real * factor < floor(real * factor) || real * factor > floor(real * factor)) {
			text_put(err, size, "not a whole number");
			return false;
		}
		return field_put_int(f, p, (int64_t)(real * factor), err, size);
	}
	if (fabs((double)v) > 9e18 / factor) {
		text_put(err, size, "too large");
		return false;
	}
	return field_put_int(f, p, v * (int64_t)factor, err, size);
}

static bool
parse_real(enum field_id f, struct plan *p, const char *text, char *err, size_t size)
{
	double v;

	if (!field_amount(f, text, &v)) {
		text_put(err, size, *field_table[f].unit != '\0' ? "not a number, alone or with a unit like %s" : "not a number",
		    field_table[f].unit);
		return false;
	}
	return field_put_real(f, p, v, err, size);
}

static bool
parse_bool(enum field_id f, struct plan *p, const char *text, char *err, size_t size)
{
	static const char *const names[2][5] = {
		{ "false", "off", "no", "0", "n" }, { "true", "on", "yes", "1", "y" }
	};

	for (int v = 0; v < 2; v++)
		for (size_t i = 0; i < 5; i++)
			if (text_equal(text, names[v][i]))
				return field_put_int(f, p, v, err, size);
	text_put(err, size, "write true or false");
	return false;
}

bool
field_parse(enum field_id f, struct plan *p, const char *text, char *err, size_t size)
{
	if (*text == '\0' && (field_table[f].type != FIELD_TEXT || field_table[f].origin == ORIGIN_OPTIONAL)) {
		field_mark(f, p, false);
		return true;
	}
	switch (field_table[f].type) {
	case FIELD_INT:
		return parse_int(f, p, text, err, size);
	case FIELD_REAL:
		return parse_real(f, p, text, err, size);
	case FIELD_BOOL:
		return parse_bool(f, p, text, err, size);
	case FIELD_CHOICE:
	case FIELD_TEXT:
		break;
	}
	return field_put_text(f, p, text, err, size);
}

/* ---- reading values out ----------------------------------------------------------- */

void
field_copy(enum field_id f, struct plan *to, const struct plan *from)
{
	memcpy((char *)to + field_table[f].offset, (const char *)from + field_table[f].offset,
	    field_table[f].size);
	field_mark(f, to, field_is_set(f, from));
	if (field_is_offered(f, from))
		field_offer(f, to);
}

bool
field_same(enum field_id f, const struct plan *a, const struct plan *b)
{
	const struct field *row = &field_table[f];

	if (row->origin == ORIGIN_OPTIONAL && field_is_set(f, a) != field_is_set(f, b))
		return false;
	if (row->type == FIELD_TEXT)
		return text_equal(field_text(f, a), field_text(f, b));
	return memcmp((const char *)a + row->offset, (const char *)b + row->offset, row->size) == 0;
}

size_t
field_format(enum field_id f, const struct plan *p, char *buf, size_t size)
{
	const struct field *row = &field_table[f];

	if (size == 0)
		return 0;
	buf[0] = '\0';
	if (row->origin == ORIGIN_OPTIONAL && !field_is_set(f, p))
		return 0;
	switch (row->type) {
	case FIELD_INT:
		return text_put(buf, size, "%lld", (long long)field_int(f, p));
	case FIELD_REAL:
		return text_real(buf, size, field_real(f, p));
	case FIELD_BOOL:
	case FIELD_CHOICE:
		field_choice(f, field_int(f, p), buf, size);
		return strlen(buf);
	case FIELD_TEXT:
		break;
	}
	return text_put(buf, size, "%s", field_text(f, p));
}

const char *
field_shown(char buf[PLAN_NOTES_SIZE], enum field_id f, const struct plan *p)
{
	field_format(f, p, buf, PLAN_NOTES_SIZE);
	return buf;
}

/* ---- where values are from --------------------------------------------------------- */

enum field_id
field_entry(enum field_id f)
{
	const enum field_origin origin = field_table[f].origin;

	if (origin != ORIGIN_CATALOG && origin != ORIGIN_NODE && origin != ORIGIN_DERIVED)
		return FIELD_NONE;
	if (field_table[f].offset < offsetof(struct plan, model))
		return FIELD_GPU;
	return field_table[f].offset < offsetof(struct plan, parallel) ? FIELD_PRESET : FIELD_NONE;
}

bool
field_is_chosen(enum field_id f, const struct plan *p)
{
	char text[PLAN_NOTES_SIZE];

	if (!field_is_set(f, p) || field_table[f].origin != ORIGIN_DEFAULT)
		return field_is_set(f, p);
	field_format(f, p, text, sizeof text);
	return !text_equal(text, field_table[f].default_text);
}
