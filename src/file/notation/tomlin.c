#include "file/notation/tomlin.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "core/base/text.h"
#include "file/base/textbuf.h"
#include "file/plan/errors.h"

#define DIGITS "0123456789"

/*
 * How a table came to be decides what may be added to it later. While the file is read that
 * stands in the table itself, under a name that no text in UTF-8 has.
 */
enum made { ON_THE_WAY, BY_HEADER, BY_KEY, INLINE };
#define MARK "\xff"

struct reader {
	struct jsonin *j;
	unsigned line;
	const char *at;
	json_t *table; /* that keys go to; of j->root */
	size_t parts;  /* values and tables so far */
};

static json_t *read_value(struct reader *r, int depth);

static bool
complain_here(struct reader *r, const char *message)
{
	errors_add(r->j->errors, r->j->file, r->line, "", "%s", message);
	return false;
}

/* A complaint for functions that make values. */
static json_t *
refuse_here(struct reader *r, const char *message)
{
	complain_here(r, message);
	return NULL;
}

/* ---- lines ------------------------------------------------------------------------------ */

static bool
is_control(char c)
{
	return ((unsigned char)c < 0x20 && c != '\t') || c == 0x7f;
}

static void
skip_blanks(struct reader *r)
{
	r->at += strspn(r->at, " \t");
}

/* The end of a line, if this is one. */
static bool
skip_end(struct reader *r)
{
	const size_t n = *r->at == '\r' ? 2 : 1;

	if (r->at[n - 1] != '\n')
		return false;
	r->at += n;
	r->line++;
	return true;
}

/* Blanks, a comment and the end of the line. */
static bool
skip_rest(struct reader *r)
{
	skip_blanks(r);
	if (*r->at == '#')
		while (*r->at != '\0' && !is_control(*r->at))
			r->at++;
	return *r->at == '\0' || skip_end(r) || complain_here(r, "the line goes on where it should end");
}

/* All that may part the values of a list. */
static bool
skip_lines(struct reader *r)
{
	for (;;) {
		skip_blanks(r);
		if (*r->at != '#' && *r->at != '\n' && *r->at != '\r')
			return true;
		if (!skip_rest(r))
			return false;
	}
}

/* ---- texts ------------------------------------------------------------------------------ */

/* The character of this number, as JSON escapes it. */
static bool
put_char(struct reader *r, struct textbuf *out, unsigned long c)
{
	char escape[16];
	json_t *text = NULL;

	if (c < 0x10000)
		text_put(escape, sizeof escape, "\"\\u%04lx\"", c);
	else
		text_put(escape, sizeof escape, "\"\\u%04lx\\u%04lx\"", 0xd7c0 + (c >> 10),
		    0xdc00 + (c & 0x3ff));
	if (c <= 0x10ffff)
		text = json_loads(escape, JSON_DECODE_ANY, NULL);
	if (text == NULL)
		return complain_here(r, "no character has this number");
	textbuf_bytes(out, json_string_value(text), json_string_length(text));
	json_decref(text);
	return true;
}

/* What follows a backslash. At the end of a line of several it takes the blanks and ends of
 * lines up to the next word. */
static bool
read_escape(struct reader *r, struct textbuf *out, bool lines)
{
	static const char names[] = "btnfr\"\\", means[] = "\b\t\n\f\r\"\\";
	const char c = *r->at;
	const char *name = c != '\0' ? strchr(names, c) : NULL;
	const size_t digits = c == 'u' ? 4 : c == 'U' ? 8 : 0;
	char number[9];

	if (name != NULL) {
		textbuf_bytes(out, &means[name - names], 1);
		r->at++;
		return true;
	}
	if (digits > 0 && strspn(r->at + 1, DIGITS "abcdefABCDEF") >= digits) {
		text_put(number, sizeof number, "%.*s", (int)digits, r->at + 1);
		r->at += 1 + digits;
		return put_char(r, out, strtoul(number, NULL, 16));
	}
	if (lines && (c == ' ' || c == '\t' || c == '\n' || c == '\r')) {
		skip_blanks(r);
		if (skip_end(r)) {
			do
				skip_blanks(r);
			while (skip_end(r));
			return true;
		}
	}
	return complain_here(r, "a backslash stands before what needs none");
}

/* A text of one line in one quote of either kind, of several in three. In single ones a
 * backslash is itself. */
static json_t *
read_text(struct reader *r, bool may_be_lines)
{
	const char quote[] = { *r->at, '\0' };
	const bool lines = may_be_lines && r->at[1] == *quote && r->at[2] == *quote;
	const size_t ends = lines ? 3 : 1;
	struct textbuf out = { 0 };
	json_t *text = NULL;
	size_t quotes = 0;
	bool ok = true;

	r->at += ends;
	if (lines)
		skip_end(r);
	while (ok && (quotes = strspn(r->at, quote)) < ends) {
		const char c = *r->at;

		if (lines && skip_end(r)) {
			textbuf_bytes(&out, "\n", 1);
		} else if (is_control(c)) {
			ok = complain_here(r, c == '\0' || c == '\n' || c == '\r' ? "a text does not end" :
			    "a control character stands in a text");
		} else if (c == '\\' && *quote == '"') {
			r->at++;
			ok = read_escape(r, &out, lines);
		} else {
			textbuf_bytes(&out, r->at++, 1);
		}
	}
	if (ok && lines && quotes > 5)
		ok = complain_here(r, "too many quotes at the end of a text");
	if (ok && lines) /* the first two may belong to it */
		textbuf_bytes(&out, r->at, quotes - ends);
	if (ok)
		r->at += lines ? quotes : ends;
	if (ok && !out.failed)
		text = json_stringn(out.used > 0 ? out.text : "", out.used);
	free(out.text);
	return text;
}

/* ---- numbers and dates -------------------------------------------------------------------- */

/* Digits with single underscores between them, into out; their count, 0 when it is none. */
static size_t
take_digits(const char **at, const char *digits, char *out, size_t size)
{
	size_t n = 0;

	for (const char *c = *at; n + 1 < size; c++) {
		if (*c != '\0' && strchr(digits, *c) != NULL)
			out[n++] = *c;
		else if (*c != '_' || n == 0 || c[-1] == '_' || c[1] == '\0' || strchr(digits, c[1]) == NULL)
			break;
		*at = c + 1;
	}
	out[n] = '\0';
	return n;
}

static json_t *
number_of(const char *text)
{
	static const struct { const char *prefix, *digits; int base; } bases[] = {
		{ "0x", DIGITS "abcdefABCDEF", 16 }, { "0o", "01234567", 8 }, { "0b", "01", 2 } };
	char plain[128], digits[96];
	unsigned long long whole;
	double real;
	int64_t n;

	for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
		if (strncmp(text, bases[i].prefix, 2) == 0) {
			text += 2;
			if (take_digits(&text, bases[i].digits, digits, 65) == 0 || *text != '\0')
				return NULL;
			whole = strtoull(digits, NULL, bases[i].base);
			return whole <= INT64_MAX ? json_integer((json_int_t)whole) : NULL;
		}
	text_put(plain, sizeof plain, "%s", *text == '-' ? "-" : "");
	text += *text == '-' || *text == '+';
	if (text_equal(text, "inf") || text_equal(text, "nan"))
		return json_null();
	if (take_digits(&text, DIGITS, digits, sizeof digits) == 0 ||
	    (digits[0] == '0' && digits[1] != '\0'))
		return NULL;
	text_add(plain, sizeof plain, "%s", digits);
	if (*text == '\0')
		return text_to_int(plain, &n) ? json_integer(n) : NULL;
	if (*text == '.') {
		text++;
		if (take_digits(&text, DIGITS, digits, sizeof digits / 4) == 0)
			return NULL;
		text_add(plain, sizeof plain, ".%s", digits);
	}
	if (*text == 'e' || *text == 'E') {
		const char sign = text[1] == '-' ? '-' : '+';

		text += text[1] == '-' || text[1] == '+' ? 2 : 1;
		if (take_digits(&text, DIGITS, digits, 8) == 0)
			return NULL;
		text_add(plain, sizeof plain, "e%c%s", sign, digits);
	}
	return *text == '\0' && text_to_real(plain, &real) ? json_real(real) : NULL;
}

/* Over what has this shape: d is a digit. */
static bool
take_shape(const char **at, const char *shape)
{
	const char *c = *at;

	for (; *shape != '\0'; shape++, c++)
		if (*shape == 'd' ? *c < '0' || *c > '9' : *c != *shape)
			return false;
	*at = c;
	return true;
}

/* RFC 3339: a date, a time, or both, then with an offset or without. */
static bool
is_date(const char *text)
{
	if (take_shape(&text, "dddd-dd-dd")) {
		if (*text == '\0')
			return true;
		if (strchr("Tt ", *text++) == NULL)
			return false;
	}
	if (!take_shape(&text, "dd:dd:dd") || (*text == '.' && !take_shape(&text, ".d")))
		return false;
	text += text[-2] == '.' ? strspn(text, DIGITS) : 0;
	if (*text == '+' || *text == '-')
		return text++, take_shape(&text, "dd:dd") && *text == '\0';
	return *text == '\0' || text_equal(text, "Z") || text_equal(text, "z");
}

/* What stands without quotes: a date may have a blank in it. */
static json_t *
read_plain(struct reader *r)
{
	static const char letters[] = DIGITS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-_.:";
	char text[256];
	size_t n = strspn(r->at, letters);
	json_t *value = NULL;

	if (n == strlen("2026-01-01") && r->at[4] == '-' && r->at[n] == ' ' &&
	    strspn(r->at + n + 1, DIGITS) == 2)
		n += 1 + strspn(r->at + n + 1, letters);
	if (n > 0 && n < sizeof text) {
		text_put(text, sizeof text, "%.*s", (int)n, r->at);
		if (text_equal(text, "true") || text_equal(text, "false"))
			value = json_boolean(text[0] == 't');
		else if (strchr(text, ':') != NULL || (strspn(text, DIGITS) == 4 && text[4] == '-'))
			value = is_date(text) ? json_string(text) : NULL;
		else
			value = number_of(text);
		r->at += n;
	}
	return value != NULL ? value : refuse_here(r, "a value is expected here: a text in quotes, a number "
	    "that fits, a date, true, false, a list or a table");
}

/* ---- keys and tables ------------------------------------------------------------------- */

static enum made
made_of(const json_t *table)
{
	return (enum made)json_integer_value(json_object_get(table, MARK));
}

static void
mark(json_t *table, enum made made)
{
	json_object_set_new_nocheck(table, MARK, json_integer(made));
}

/* Take the marks off, once all is read. */
static void
take_off(json_t *value)
{
	const char *name;
	json_t *inner;
	size_t i;

	json_object_del(value, MARK);
	json_object_foreach(value, name, inner)
		take_off(inner);
	json_array_foreach(value, i, inner)
		take_off(inner);
}

/* One more value or table: a file has no more of them than fit in the memory that it may take. */
static bool
count_part(struct reader *r)
{
	return ++r->parts <= JSONIN_PARTS_MAX || complain_here(r, "too much for a settings file");
}

/* A new table in another one. */
static json_t *
add_table(struct reader *r, json_t *in, const char *name, enum made made)
{
	json_t *table = count_part(r) ? json_object() : NULL;

	if (table == NULL || json_object_set_new(in, name, table) != 0)
		return NULL;
	mark(table, made);
	return table;
}

/* One part of a key: bare, or a text in quotes. */
static json_t *
read_name(struct reader *r)
{
	size_t n = 0;

	if (*r->at == '"' || *r->at == '\'')
		return read_text(r, false);
	while (isalnum((unsigned char)r->at[n]) || r->at[n] == '_' || r->at[n] == '-')
		n++;
	if (n == 0)
		return refuse_here(r, "a key is expected here");
	r->at += n;
	return json_stringn(r->at - n, n);
}

/* The table that a part of a key leads to: of a list of tables the last one. Keys with points
 * add only to tables that such keys made, headers to all but those in braces. */
static json_t *
step_into(struct reader *r, json_t *in, const char *name, bool header)
{
	json_t *table = json_object_get(in, name);
	enum made made;

	if (table == NULL)
		return add_table(r, in, name, header ? ON_THE_WAY : BY_KEY);
	if (header && json_is_array(table))
		table = json_array_get(table, json_array_size(table) - 1);
	if (!json_is_object(table))
		return refuse_here(r, "a value stands where this needs a table");
	made = made_of(table);
	if (made == INLINE || (!header && made == BY_HEADER))
		return refuse_here(r, "nothing can be added to this table here");
	if (!header)
		mark(table, BY_KEY);
	return table;
}

/* "a.b.c": into the tables a and b; the last part is returned, NULL after a complaint. */
static json_t *
read_path(struct reader *r, json_t **table, bool header)
{
	for (int depth = 0; depth < JSONIN_DEPTH_MAX; depth++) {
		json_t *name;

		skip_blanks(r);
		name = read_name(r);
		skip_blanks(r);
		if (name == NULL || *r->at != '.')
			return name;
		r->at++;
		*table = step_into(r, *table, json_string_value(name), header);
		json_decref(name);
		if (*table == NULL)
			return NULL;
	}
	return refuse_here(r, "nested deeper than 64 levels");
}

/* KEY = VALUE into a table. */
static bool
read_pair(struct reader *r, json_t *table, int depth)
{
	json_t *name = read_path(r, &table, false), *value = NULL;
	bool ok = name != NULL;

	if (ok && *r->at++ != '=')
		ok = complain_here(r, "'=' is expected here");
	if (ok && json_object_get(table, json_string_value(name)) != NULL)
		ok = complain_here(r, "a key stands here twice");
	if (ok) {
		skip_blanks(r);
		value = read_value(r, depth);
		ok = value != NULL && json_object_set(table, json_string_value(name), value) == 0;
	}
	json_decref(value);
	json_decref(name);
	return ok;
}

static bool
read_list(struct reader *r, json_t *list, int depth)
{
	for (;;) {
		if (!skip_lines(r))
			return false;
		if (*r->at == ']')
			break;
		if (json_array_append_new(list, read_value(r, depth)) != 0 || !skip_lines(r))
			return false;
		if (*r->at == ']')
			break;
		if (*r->at++ != ',')
			return complain_here(r, "',' or ']' is expected here");
	}
	r->at++;
	return true;
}

/* { a = 1, b.c = 2 }, on one line. */
static bool
read_inline(struct reader *r, json_t *table, int depth)
{
	skip_blanks(r);
	for (bool first = true; first || *r->at == ','; first = false) {
		if (first && *r->at == '}')
			break;
		r->at += !first;
		if (!read_pair(r, table, depth))
			return false;
		skip_blanks(r);
	}
	if (*r->at++ != '}')
		return complain_here(r, "',' or '}' is expected here");
	mark(table, INLINE);
	return true;
}

static json_t *
read_value(struct reader *r, int depth)
{
	const bool list = *r->at == '[';
	json_t *value;

	if (!count_part(r))
		return NULL;
	if (*r->at == '"' || *r->at == '\'')
		return read_text(r, true);
	if (!list && *r->at != '{')
		return read_plain(r);
	if (depth == JSONIN_DEPTH_MAX)
		return refuse_here(r, "nested deeper than 64 levels");
	value = list ? json_array() : json_object();
	r->at++;
	if (value != NULL && (list ? read_list(r, value, depth + 1) : read_inline(r, value, depth + 1)))
		return value;
	json_decref(value);
	return NULL;
}

/* [a.b]: a table that no header has named; [[a.b]]: one more of a list. */
static json_t *
open_table(struct reader *r, json_t *in, const char *name, bool listed)
{
	json_t *there = json_object_get(in, name), *table;

	if (!listed && there == NULL)
		return add_table(r, in, name, BY_HEADER);
	if (!listed && json_is_object(there) && made_of(there) == ON_THE_WAY) {
		mark(there, BY_HEADER);
		return there;
	}
	table = json_array_get(there, json_array_size(there) - 1);
	if (!listed || (there != NULL && made_of(table) != BY_HEADER))
		return refuse_here(r, "this name has a value, or a table, already");
	if (there == NULL) {
		json_object_set_new(in, name, json_array());
		there = json_object_get(in, name);
	}
	table = count_part(r) ? json_object() : NULL;
	if (json_array_append_new(there, table) != 0)
		return NULL;
	mark(table, BY_HEADER);
	return table;
}

static bool
read_header(struct reader *r)
{
	const bool listed = r->at[1] == '[';
	json_t *in = r->j->root, *name;

	r->at += listed ? 2 : 1;
	if ((name = read_path(r, &in, true)) == NULL)
		return false;
	r->table = NULL;
	if (strncmp(r->at, "]]", listed ? 2 : 1) != 0)
		complain_here(r, listed ? "']]' is expected here" : "']' is expected here");
	else
		r->table = open_table(r, in, json_string_value(name), listed);
	json_decref(name);
	r->at += listed ? 2 : 1;
	return r->table != NULL;
}

bool
tomlin_parse(struct jsonin *j, const char *text, const char *file, struct file_errors *errors)
{
	struct reader r = { .j = j, .line = 1, .at = text };
	const size_t complaints = errors->count;
	bool ok = true;

	*j = (struct jsonin){ .root = json_object(), .texts = 1, .file = file, .text = text, .errors = errors };
	jsonin_watch(j);
	r.table = j->root;
	while (ok && skip_lines(&r) && *r.at != '\0')
		ok = (*r.at == '[' ? read_header(&r) : read_pair(&r, r.table, 0)) && skip_rest(&r);
	if (!ok && errors->count == complaints)
		complain_here(&r, "out of memory");
	take_off(j->root);
	return errors->count == complaints;
}
