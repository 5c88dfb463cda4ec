#include <stdlib.h>
#include <string.h>

#include "core/base/show.h"
#include "core/estimate/result.h"
#include "file/plan/errors.h"
#include "file/plan/cfg.h"

enum { PATH_SIZE = 160, SHOWN_SIZE = 48, FORMAT = 1 };

/* ---- parsing ----------------------------------------------------------------------- */

/* libconfig 1.5 takes a comment that ends with the file for a syntax error: it sees a
 * copy with a line end. False without memory, of which there has to be what a file of so many bytes
 * takes at most: libconfig uses what it did not get. */
static bool
parse_copy(config_t *config, const char *text, size_t size, int *result)
{
	enum { SETTING_OF_BYTE = 40, BUFFERS = 65536 };
	void *room = malloc(size * SETTING_OF_BYTE + BUFFERS);
	char *copy = room != NULL ? malloc(size + 2) : NULL;

	free(room);
	if (copy == NULL)
		return false;
	memcpy(copy, text, size);
	memcpy(copy + size, "\n", 2);
	*result = config_read_string(config, copy);
	free(copy);
	return true;
}

/* The line of an error, which libconfig puts behind the last one when something is not closed. */
static unsigned
error_line(const config_t *config, const char *text, size_t size)
{
	const unsigned line = (unsigned)config_error_line(config);
	unsigned last = 1;

	for (size_t i = 0; i + 1 < size; i++)
		last += text[i] == '\n';
	return line < last ? line : last;
}

bool
cfg_parse(struct cfg *cfg, const struct cfg_reader *r, const char *text, size_t size)
{
	const char *message;
	unsigned line;
	int result;

	cfg->parsed = false;
	if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		text += 3;
		size -= 3;
	}
	if (!scan_text(text, size, r->file, r->errors, &cfg->found))
		return false;
	config_init(&cfg->config);
	cfg->parsed = true;
	/* The scan refused @include; should one slip through, 1.5 finds nothing there. */
	config_set_include_dir(&cfg->config, "/nonexistent");
	if (!parse_copy(&cfg->config, text, size, &result)) {
		errors_add(r->errors, r->file, 0, "", "out of memory");
		return false;
	}
	if (result == CONFIG_TRUE)
		return true;
	message = config_error_text(&cfg->config);
	line = error_line(&cfg->config, text, size);
	if (message == NULL)
		message = "syntax error";
	if (strncmp(message, "duplicate", 9) == 0)
		errors_add(r->errors, r->file, line, "", "%s (fix: keep one of the two)",
		    message);
	else if (strcmp(message, "syntax error") == 0)
		errors_add(r->errors, r->file, line, "",
		    "syntax error here or just before (fix: write settings as tp = 8; "
		    "and groups as parallel: { ... };)");
	else
		errors_add(r->errors, r->file, line, "", "%s", message);
	return false;
}

void
cfg_close(struct cfg *cfg)
{
	if (cfg->parsed)
		config_destroy(&cfg->config);
	cfg->parsed = false;
}

void
cfg_error(const struct cfg_reader *r, const config_setting_t *s, const char *path,
    const char *fmt, ...)
{
	char message[400];
	va_list args;

	va_start(args, fmt);
	text_vput(message, sizeof message, fmt, args);
	va_end(args);
	errors_add(r->errors, r->file, config_setting_source_line(s), path, "%s", message);
}

bool
cfg_unknown(const struct cfg_reader *r, const config_setting_t *s, const char *path)
{
	const enum result_id result = result_find(path);
	const char *near = field_near(path);

	if (result != RESULT_COUNT)
		cfg_error(r, s, path, "not a field but a result: %s (fix: leave it out)",
		    result_table[result].help);
	else if (near != NULL)
		cfg_error(r, s, path, "unknown key (fix: did you mean %s?)", near);
	else
		cfg_error(r, s, path, "unknown key (fix: shardplan fields lists all)");
	return false;
}

/* ---- single values ----------------------------------------------------------------- */

static const char *
type_name(const config_setting_t *s)
{
	switch (config_setting_type(s)) {
	case CONFIG_TYPE_INT:
	case CONFIG_TYPE_INT64:
		return "a whole number";
	case CONFIG_TYPE_FLOAT:
		return "a number with a point";
	case CONFIG_TYPE_STRING:
		return "text in quotation marks";
	case CONFIG_TYPE_BOOL:
		return "true or false";
	case CONFIG_TYPE_GROUP:
		return "a group";
	default:
		return "a list";
	}
}

static bool
is_int(const config_setting_t *s)
{
	int type = config_setting_type(s);

	return type == CONFIG_TYPE_INT || type == CONFIG_TYPE_INT64;
}

/* The value of a single setting as plain text, cut and fit for a terminal. */
static void
show_value(const config_setting_t *s, char *buf, size_t size)
{
	const char *text;

	buf[0] = '\0';
	switch (config_setting_type(s)) {
	case CONFIG_TYPE_INT:
	case CONFIG_TYPE_INT64:
		text_put(buf, size, "%lld", (long long)config_setting_get_int64(s));
		break;
	case CONFIG_TYPE_FLOAT:
		text_real(buf, size, config_setting_get_float(s));
		break;
	case CONFIG_TYPE_BOOL:
		text_put(buf, size, "%s", config_setting_get_bool(s) ? "true" : "false");
		break;
	case CONFIG_TYPE_STRING:
		if ((text = config_setting_get_string(s)) != NULL)
			show_text(buf, size, text);
		break;
	default:
		break;
	}
}

bool
cfg_text(const struct cfg_reader *r, const config_setting_t *s, const char *path, char *buf,
    size_t size)
{
	const char *text = config_setting_get_string(s);
	const char *key = config_setting_name(s);
	char shown[SHOWN_SIZE];

	if (config_setting_type(s) != CONFIG_TYPE_STRING || text == NULL) {
		show_value(s, shown, sizeof shown);
		cfg_error(r, s, path, "needs text in quotation marks, not %s (fix: %s = \"%s\")",
		    type_name(s), key != NULL ? key : "", shown);
	} else if (!utf8_valid(text)) {
		cfg_error(r, s, path, "this text is not UTF-8 (fix: save the file as UTF-8)");
	} else if (!text_copy(buf, size, text)) {
		cfg_error(r, s, path, "too long: %zu bytes (fix: at most %zu)", strlen(text),
		    size - 1);
	} else {
		return true;
	}
	return false;
}

bool
cfg_int(const struct cfg_reader *r, const config_setting_t *s, const char *path, int64_t *v)
{
	if (!is_int(s)) {
		cfg_error(r, s, path, "needs a whole number, not %s", type_name(s));
		return false;
	}
	*v = config_setting_get_int64(s);
	return true;
}

bool
cfg_format(const struct cfg_reader *r, const config_setting_t *root)
{
	const config_setting_t *s = config_setting_get_member(root, "format");
	int64_t v;

	if (s == NULL)
		return true;
	if (!is_int(s)) {
		cfg_error(r, s, "format", "needs a whole number, not %s (fix: format = 1)", type_name(s));
		return false;
	}
	v = config_setting_get_int64(s);
	if (v > FORMAT)
		cfg_error(r, s, "format", "%lld was written by a newer shardplan; this one "
		    "reads 1 (fix: use that version)", (long long)v);
	else if (v < FORMAT)
		cfg_error(r, s, "format", "%lld is no format (fix: format = 1)", (long long)v);
	return v == FORMAT;
}

/* ---- fields ------------------------------------------------------------------------ */

static const char *
needed(enum field_id f)
{
	switch (field_table[f].type) {
	case FIELD_INT:
		return "a whole number";
	case FIELD_REAL:
		return "a number";
	case FIELD_BOOL:
		return "true or false";
	case FIELD_CHOICE:
	case FIELD_TEXT:
		break;
	}
	return "text in quotation marks";
}

/* What to write instead: the value that was meant where it can be told, else the
 * default, as the file would spell it. */
static void
show_meant(const config_setting_t *s, enum field_id f, char *buf, size_t size)
{
	const struct field *row = &field_table[f];
	char value[SHOWN_SIZE], err[128];
	struct plan p;

	show_value(s, value, sizeof value);
	memset(&p, 0, sizeof p);
	if (value[0] == '\0' || !field_parse(f, &p, value, err, sizeof err))
		text_put(value, sizeof value, "%s", row->default_text);
	else
		field_format(f, &p, value, sizeof value);
	if (row->type == FIELD_TEXT || row->type == FIELD_CHOICE)
		text_put(buf, size, "%s = \"%s\"", field_key(f), value);
	else
		text_put(buf, size, "%s = %s", field_key(f), value);
}

static bool
wrong_type(const struct cfg_reader *r, const config_setting_t *s, const char *path,
    enum field_id f)
{
	char meant[2 * PATH_SIZE];

	show_meant(s, f, meant, sizeof meant);
	cfg_error(r, s, path, "needs %s, not %s (fix: %s)", needed(f), type_name(s), meant);
	return false;
}

static bool
put_number(const struct cfg_reader *r, const config_setting_t *s, const char *path,
    enum field_id f, struct plan *p)
{
	const struct field *row = &field_table[f];
	char err[160], range[96], *bound = range, *most, *least;
	double v = is_int(s) ? (double)config_setting_get_int64(s) : config_setting_get_float(s);

	if (row->type == FIELD_INT) {
		if (field_put_int(f, p, config_setting_get_int64(s), err, sizeof err))
			return true;
	} else if (field_put_real(f, p, v, err, sizeof err)) {
		return true;
	}
	/* "1 to 4096", "0 or 0.1 to 65536": the end of the range that it is beyond. */
	field_range(f, range, sizeof range);
	if ((least = strstr(range, " or ")) != NULL)
		bound = least + strlen(" or ");
	if ((most = strstr(range, " to ")) != NULL) {
		*most = '\0';
		if (v > row->least)
			bound = most + strlen(" to ");
	}
	cfg_error(r, s, path, "%s (fix: %s = %s)", err, field_key(f), bound);
	return false;
}

/* The name of the list nearest to a misspelt one, the default where none is near. */
static void
near_choice(enum field_id f, const char *text, char *buf, size_t size)
{
	char choice[SHOWN_SIZE];
	size_t least = 3;

	text_put(buf, size, "%s", field_table[f].default_text);
	for (int64_t i = 0; field_choice(f, i, choice, sizeof choice); i++) {
		size_t d = text_distance(text, choice);

		if (d < least && d < strlen(choice)) {
			least = d;
			text_put(buf, size, "%s", choice);
		}
	}
}

static bool
put_choice(const struct cfg_reader *r, const config_setting_t *s, const char *path,
    enum field_id f, struct plan *p)
{
	char text[256], err[256], shown[SHOWN_SIZE], close[SHOWN_SIZE], names[256];

	if (!cfg_text(r, s, path, text, sizeof text))
		return false;
	if (field_put_text(f, p, text, err, sizeof err))
		return true;
	show_text(shown, sizeof shown, text);
	near_choice(f, text, close, sizeof close);
	field_range(f, names, sizeof names);
	cfg_error(r, s, path, "\"%s\" is not %s (fix: %s = \"%s\")", shown, names, field_key(f), close);
	return false;
}

/* GPUs and models are held against the catalogue; an empty name asks for no entry. */
static bool
known_name(const struct cfg_reader *r, const config_setting_t *s, const char *path,
    enum field_id f, const char *text)
{
	const struct catalog_list *list;
	const char *close, *command = f == FIELD_GPU ? "gpus" : "models";
	char shown[SHOWN_SIZE];

	if (r->catalog == NULL || (f != FIELD_GPU && f != FIELD_PRESET) || text[0] == '\0')
		return true;
	list = f == FIELD_GPU ? &r->catalog->gpus : &r->catalog->models;
	if (catalog_find(list, text) != NULL)
		return true;
	show_text(shown, sizeof shown, text);
	if ((close = catalog_near(list, text)) != NULL)
		cfg_error(r, s, path, "the catalogue has no \"%s\" (fix: %s = \"%s\")", shown,
		    field_key(f), close);
	else
		cfg_error(r, s, path, "the catalogue has no \"%s\" (fix: a name from "
		    "shardplan %s)", shown, command);
	return false;
}

static bool
put_text(const struct cfg_reader *r, const config_setting_t *s, const char *path,
    enum field_id f, struct plan *p)
{
	char text[PLAN_NOTES_SIZE], err[128];

	if (!cfg_text(r, s, path, text,
	    field_table[f].size < sizeof text ? field_table[f].size : sizeof text) ||
	    !known_name(r, s, path, f, text))
		return false;
	if (field_put_text(f, p, text, err, sizeof err))
		return true;
	cfg_error(r, s, path, "%s", err);
	return false;
}

bool
cfg_put(const struct cfg_reader *r, const config_setting_t *s, const char *path,
    enum field_id f, struct plan *p)
{
	int type = config_setting_type(s);
	char err[128];

	switch (field_table[f].type) {
	case FIELD_INT:
		return is_int(s) ? put_number(r, s, path, f, p) : wrong_type(r, s, path, f);
	case FIELD_REAL:
		return is_int(s) || type == CONFIG_TYPE_FLOAT ? put_number(r, s, path, f, p) :
		    wrong_type(r, s, path, f);
	case FIELD_BOOL:
		return type == CONFIG_TYPE_BOOL ?
		    field_put_int(f, p, config_setting_get_bool(s) != 0, err, sizeof err) :
		    wrong_type(r, s, path, f);
	case FIELD_CHOICE:
		return type == CONFIG_TYPE_STRING ? put_choice(r, s, path, f, p) :
		    wrong_type(r, s, path, f);
	case FIELD_TEXT:
		break;
	}
	return type == CONFIG_TYPE_STRING ? put_text(r, s, path, f, p) : wrong_type(r, s, path, f);
}

enum field_id
cfg_field(const char *section, const char *key, char *path, size_t size, int *last)
{
	size_t n = text_put(path, size, "%s.%s", section, key);
	int next = *last + 1;
	enum field_id f;

	if (next < FIELD_COUNT && strcmp(field_table[next].path, path) == 0)
		f = (enum field_id)next;
	else
		f = field_by_path(path, n);
	if (f != FIELD_COUNT)
		*last = (int)f;
	return f;
}

bool
cfg_put_section(const struct cfg_reader *r, const config_setting_t *group,
    const char *section, struct plan *p)
{
	int count = config_setting_length(group), last = 0;
	bool ok = true;

	for (int i = 0; i < count; i++) {
		const config_setting_t *s = config_setting_get_elem(group, (unsigned)i);
		char path[PATH_SIZE];
		const enum field_id f = cfg_field(section, config_setting_name(s), path, sizeof path,
		    &last);

		ok = (f != FIELD_COUNT ? cfg_put(r, s, path, f, p) : cfg_unknown(r, s, path)) && ok;
	}
	return ok;
}
