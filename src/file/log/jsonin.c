#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "core/base/show.h"
#include "core/base/text.h"
#include "file/plan/errors.h"
#include "file/log/jsonin.h"

/* ---- the text ---------------------------------------------------------------------- */

/* A complaint about the byte at an offset; errors_add knows no columns, so the line goes
 * with the file name. */
static void
complain_at(const struct jsonin *j, const char *text, size_t at, const char *message)
{
	char place[PLANFILE_PATH_SIZE + 32], shown[300];
	unsigned line = 1, column = 1;

	for (size_t i = 0; i < at; i++) {
		column = text[i] == '\n' ? 1 : column + 1;
		line += text[i] == '\n';
	}
	text_put(place, sizeof place, "%s:%u", j->file, line);
	show_text(shown, sizeof shown, message);
	errors_add(j->errors, place, column, "", "%s", shown);
}

/* A literal of Python's that JSON lacks, and what stands for it in settings. */
static const struct foreign {
	const char *name, *stand_in;
} foreigners[] = { { "NaN", "nan" }, { "Infinity", "inf" }, { "-Infinity", "-inf" } };

/* The one that begins here, NULL where none does. */
static const struct foreign *
foreign_literal(const char *text)
{
	for (size_t i = 0; i < sizeof foreigners / sizeof foreigners[0]; i++)
		if (*text == foreigners[i].name[0] &&
		    strncmp(text, foreigners[i].name, strlen(foreigners[i].name)) == 0)
			return &foreigners[i];
	return NULL;
}

/*
 * Copy text, which a NUL follows, with something else for what JSON lacks, as long as that literal
 * where it can be; out has room for 5/3 of it. Refuses what is nested too deep for a parser that
 * calls itself, and more parts than fit in the memory that a file may take: an empty object is
 * 100 times its text.
 */
static bool
make_plain(const struct jsonin *j, const char *text, char *out, size_t *length)
{
	const bool log = j->text == NULL;
	bool quoted = false;
	int depth = 0, parts = 0;
	size_t n = 0;

	for (size_t i = 0; text[i] != '\0'; i++) {
		const struct foreign *foreign = quoted ? NULL : foreign_literal(text + i);

		if (foreign != NULL) {
			const size_t end = n + strlen(foreign->name);

			i += end - n - 1;
			n += (size_t)sprintf(out + n, log ? "null" : "\"%s\"", foreign->stand_in);
			while (n < end)
				out[n++] = ' ';
			continue;
		}
		out[n++] = text[i];
		if (quoted && text[i] == '\\' && text[i + 1] != '\0')
			out[n++] = text[++i];
		else if (text[i] == '"')
			quoted = !quoted;
		else if (!quoted && (text[i] == '{' || text[i] == '[')) {
			parts = depth == 0 ? 1 : parts + 1;
			depth++;
		} else if (!quoted && (text[i] == '}' || text[i] == ']'))
			depth--;
		if (depth > JSONIN_DEPTH_MAX) {
			complain_at(j, text, i, "nested deeper than 64 levels");
			return false;
		}
		if (parts > JSONIN_PARTS_MAX) {
			complain_at(j, text, i, "more than 65536 objects and lists");
			return false;
		}
	}
	*length = n;
	return true;
}

static bool
parse(struct jsonin *j, const char *text, size_t size)
{
	size_t at = strspn(text, " \t\r\n");

	while (at < size) {
		json_error_t error;
		json_t *root = json_loadb(text + at, size - at,
		    JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK, &error);

		if (root == NULL) {
			complain_at(j, text, at + (size_t)(error.position > 0 ? error.position - 1 : 0),
			    error.text);
			return false;
		}
		json_decref(j->root);
		j->root = root;
		j->texts++;
		at += (size_t)error.position;
		at += strspn(text + at, " \t\r\n");
	}
	if (j->texts == 0)
		errors_add(j->errors, j->file, 0, "", "is empty");
	return j->texts > 0;
}

/* Text of `size` bytes, which a NUL follows. */
static bool
parse_text(struct jsonin *j, const char *text, size_t size)
{
	char *plain;
	bool ok;

	if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		text += 3;
		size -= 3;
	}
	if (strlen(text) < size) {
		complain_at(j, text, strlen(text), "NUL byte: this is no text");
		return false;
	}
	if ((plain = malloc(size + size * 2 / 3 + 4)) == NULL) {
		errors_add(j->errors, j->file, 0, "", "out of memory");
		return false;
	}
	ok = make_plain(j, text, plain, &size);
	if (ok) {
		plain[size] = '\0';
		ok = parse(j, plain, size);
	}
	free(plain);
	return ok;
}

bool
jsonin_parse(struct jsonin *j, const char *text, size_t size, const char *file,
    struct file_errors *errors)
{
	*j = (struct jsonin){ .file = file, .text = text, .errors = errors };
	return parse_text(j, text, size);
}

bool
jsonin_load(struct jsonin *j, FILE *in, const char *file, struct file_errors *errors)
{
	char *text = malloc(PLANFILE_SIZE_MAX + 2);
	bool ok = false;
	size_t size;

	*j = (struct jsonin){ .file = file, .errors = errors };
	if (text == NULL) {
		errors_add(errors, file, 0, "", "out of memory");
		return false;
	}
	size = fread(text, 1, PLANFILE_SIZE_MAX + 1, in);
	text[size] = '\0';
	if (ferror(in))
		errors_add(errors, file, 0, "", "can not be read: %s", strerror(errno));
	else if (size > PLANFILE_SIZE_MAX)
		errors_add(errors, file, 0, "", "is JSON of more than 1 MiB");
	else
		ok = parse_text(j, text, size);
	free(text);
	return ok;
}

void
jsonin_free(struct jsonin *j)
{
	json_decref(j->root);
	json_decref(j->asked);
	j->root = j->asked = NULL;
}

/* ---- lines ------------------------------------------------------------------------- */

static bool
is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* A key of that name, in quotes or bare: a colon, an equals sign, a dot or the end of a section's
 * brackets follows. */
static bool
is_key(const char *at, const char *name, size_t n)
{
	const bool quoted = *at == '"';

	at += quoted;
	if (strncmp(at, name, n) != 0 || (quoted ? at[n] != '"' : is_word(at[n])))
		return false;
	at += n + quoted;
	at += strspn(at, " \t");
	return *at != '\0' && strchr(":=.]", *at) != NULL;
}

/* The last byte of the text in quotes, or of the word, that begins here. */
static const char *
skip_word(const char *at)
{
	if (*at == '"') {
		while (*++at != '"' && *at != '\0')
			at += *at == '\\' && at[1] != '\0';
		return *at != '\0' ? at : at - 1;
	}
	while (is_word(at[1]))
		at++;
	return at;
}

unsigned
jsonin_line(const char *text, const char *path)
{
	const char *at = text != NULL ? text : "";
	const bool braces = at[strspn(at, " \t\r\n")] == '{'; /* JSON: each object is one deeper */
	unsigned line = 1, found = 0;
	int depth = 0, keys = 0;
	size_t n = strcspn(path, ".");

	for (; *at != '\0'; at++) {
		line += *at == '\n';
		depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
		if (*at != '"' && !is_word(*at))
			continue;
		if ((!braces || depth == keys + 1) && is_key(at, path, n)) {
			found = line;
			keys++;
			path += n + (path[n] == '.');
			if (*path == '\0')
				return found;
			n = strcspn(path, ".");
		}
		if (braces || *at != '"')
			at = skip_word(at);
	}
	return found;
}

/* ---- members ----------------------------------------------------------------------- */

const json_t *
jsonin_at(const json_t *at, const char *path)
{
	char name[128];
	int64_t place;

	while (at != NULL && *path != '\0') {
		const size_t n = strcspn(path, ".");

		text_put(name, sizeof name, "%.*s", (int)n, path);
		if (json_is_object(at))
			at = json_object_get(at, name);
		else if (json_is_array(at) && text_to_int(name, &place) && place >= 0)
			at = json_array_get(at, (size_t)place);
		else
			at = NULL;
		path += n + (path[n] == '.');
	}
	return at;
}

static const json_t *
find_member(const struct jsonin *j, const char *path)
{
	const json_t *at = jsonin_at(j->root, path);

	if (j->asked != NULL)
		json_object_set_new(j->asked, path, json_true());
	return json_is_null(at) ? NULL : at;
}

static void
refuse_type(const struct jsonin *j, const char *path, const json_t *v, const char *wanted)
{
	static const char *const names[] = {
		[JSON_OBJECT] = "an object", [JSON_ARRAY] = "a list", [JSON_STRING] = "text",
		[JSON_INTEGER] = "a whole number", [JSON_REAL] = "a number with a fraction",
		[JSON_TRUE] = "true", [JSON_FALSE] = "false", [JSON_NULL] = "null",
	};

	const char *text = json_string_value(v), *what = names[json_typeof(v)];

	for (size_t i = 0; text != NULL && i < sizeof foreigners / sizeof foreigners[0]; i++)
		what = text_equal(text, foreigners[i].stand_in) ? text : what;
	errors_add(j->errors, j->file, jsonin_line(j->text, path), path, "must be %s, not %s", wanted,
	    what);
}

bool
jsonin_int(const struct jsonin *j, const char *path, int64_t low, int64_t high, int64_t *out)
{
	const double exact = 9007199254740992.0; /* 2^53: whole numbers a double can tell apart */
	const json_t *v = find_member(j, path);
	int64_t n;

	if (v == NULL)
		return false;
	if (json_is_integer(v)) {
		n = json_integer_value(v);
	} else if (json_is_real(v) && fabs(json_real_value(v)) <= exact &&
	    !(floor(json_real_value(v)) < json_real_value(v))) {
		n = (int64_t)json_real_value(v);
	} else {
		refuse_type(j, path, v, "a whole number");
		return false;
	}
	if (n < low || n > high) {
		errors_add(j->errors, j->file, jsonin_line(j->text, path), path,
		    "must be %" PRId64 " to %" PRId64 ", not %" PRId64, low, high, n);
		return false;
	}
	*out = n;
	return true;
}

bool
jsonin_real(const struct jsonin *j, const char *path, double low, double high, double *out)
{
	const json_t *v = find_member(j, path);
	double x;

	if (v == NULL)
		return false;
	if (!json_is_number(v)) {
		refuse_type(j, path, v, "a number");
		return false;
	}
	x = json_number_value(v);
	if (!(x >= low && x <= high)) {
		errors_add(j->errors, j->file, jsonin_line(j->text, path), path,
		    "must be %.10g to %.10g, not %.10g", low, high, x);
		return false;
	}
	*out = x;
	return true;
}

bool
jsonin_has(const struct jsonin *j, const char *path)
{
	return find_member(j, path) != NULL;
}

const char *
jsonin_text(const struct jsonin *j, const char *path)
{
	return json_string_value(find_member(j, path));
}

bool
jsonin_bool(const struct jsonin *j, const char *path, bool *out)
{
	const json_t *v = find_member(j, path);

	if (json_is_boolean(v))
		*out = json_is_true(v);
	return json_is_boolean(v);
}

bool
jsonin_list(const struct jsonin *j, const char *path, size_t *count)
{
	const json_t *v = find_member(j, path);

	if (json_is_array(v))
		*count = json_array_size(v);
	return json_is_array(v);
}

const char *
jsonin_name(const struct jsonin *j, const char *path, size_t i)
{
	json_t *object = (json_t *)find_member(j, path); /* iterators take no const one */
	void *at = json_object_iter(object);

	for (; at != NULL && i > 0; i--)
		at = json_object_iter_next(object, at);
	return at != NULL ? json_object_iter_key(at) : NULL;
}

/* ---- what nobody asked for ----------------------------------------------------------- */

void
jsonin_watch(struct jsonin *j)
{
	if (j->asked == NULL)
		j->asked = json_object();
}

struct listener {
	void (*tell)(void *to, const char *path);
	void *to;
	char path[256];
};

static void
unasked_in(const struct jsonin *j, json_t *object, struct listener *l)
{
	const size_t length = strlen(l->path);
	const char *name;
	json_t *value;

	json_object_foreach(object, name, value) {
		text_add(l->path, sizeof l->path, "%s%s", length > 0 ? "." : "", name);
		if (json_is_object(value))
			unasked_in(j, value, l);
		else if (!json_is_null(value) && json_object_get(j->asked, l->path) == NULL)
			l->tell(l->to, l->path);
		l->path[length] = '\0';
	}
}

void
jsonin_unasked(const struct jsonin *j, void (*tell)(void *to, const char *path), void *to)
{
	struct listener l = { tell, to, "" };

	unasked_in(j, j->root, &l);
}

bool
jsonin_put(json_t *root, const char *path, json_t *value)
{
	json_t *at = root;
	char name[128];

	for (int depth = 0; depth < JSONIN_DEPTH_MAX; depth++) {
		const size_t n = strcspn(path, ".");
		json_t *next;

		if (path[n] == '\0')
			return json_object_set_new(at, path, value) == 0;
		text_put(name, sizeof name, "%.*s", (int)n, path);
		next = json_object_get(at, name);
		if (next == NULL && json_object_set_new(at, name, json_object()) == 0)
			next = json_object_get(at, name);
		at = next;
		path += n + 1;
	}
	json_decref(value);
	return false;
}
