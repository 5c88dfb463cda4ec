#include "file/import/tomlin.h"

#include <jansson.h>
#include <string.h>

#include "core/base/text.h"
#include "file/plan/errors.h"

enum { NAME_SIZE = 128, VALUE_SIZE = 1024 };

struct reader {
	struct jsonin *j;
	unsigned line;
	const char *at;
	json_t *table; /* that keys go to; of j->root */
};

static bool
complain(struct reader *r, const char *message)
{
	errors_add(r->j->errors, r->j->file, r->line, "", "%s", message);
	return false;
}

static void
skip_blanks(struct reader *r)
{
	r->at += strspn(r->at, " \t\r");
}

/* One part of a key: bare, or in quotes. */
static bool
read_name(struct reader *r, char *name)
{
	const bool quoted = *r->at == '"' || *r->at == '\'';
	const char end[] = { *r->at, '\n', '\0' };
	const char *from = r->at + quoted;
	const size_t n = quoted ? strcspn(from, end) :
	    strspn(from, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");

	if (n == 0 || n >= NAME_SIZE || (quoted && from[n] != *r->at))
		return complain(r, "a key is expected here");
	text_put(name, NAME_SIZE, "%.*s", (int)n, from);
	r->at = from + n + quoted;
	return true;
}

/* The table of a name in another one, made where it is not there. */
static json_t *
table_of(json_t *in, const char *name)
{
	json_t *table = json_object_get(in, name);

	if (table == NULL && json_object_set_new(in, name, json_object()) == 0)
		table = json_object_get(in, name);
	return json_is_object(table) ? table : NULL;
}

/* "a.b.c": into the tables a and b; name is the last part. */
static bool
read_path(struct reader *r, json_t **table, char *name)
{
	for (int depth = 0; depth < JSONIN_DEPTH_MAX; depth++) {
		skip_blanks(r);
		if (!read_name(r, name))
			return false;
		skip_blanks(r);
		if (*r->at != '.')
			return true;
		r->at++;
		if ((*table = table_of(*table, name)) == NULL)
			return complain(r, "a value stands where this needs a table");
	}
	return complain(r, "nested deeper than 64 levels");
}

static json_t *
read_text(struct reader *r)
{
	const char quote = *r->at++;
	char text[VALUE_SIZE];
	size_t n = 0;

	for (; *r->at != quote; r->at++) {
		if (*r->at == '\0' || *r->at == '\n' || n + 1 >= sizeof text) {
			complain(r, "a text does not end on its line, or is too long");
			return NULL;
		}
		if (quote == '"' && *r->at == '\\' && strchr("\"\\", r->at[1]) != NULL && r->at[1] != '\0')
			r->at++;
		text[n++] = *r->at;
	}
	r->at++;
	text[n] = '\0';
	return json_string(text);
}

static json_t *
read_plain(struct reader *r)
{
	char text[64], digits[64];
	const size_t n = strcspn(r->at, " \t\r\n,]#");
	size_t k = 0;
	double real;
	int64_t whole;

	text_put(text, sizeof text, "%.*s", (int)n, r->at);
	r->at += n;
	if (text_equal(text, "true") || text_equal(text, "false"))
		return json_boolean(text[0] == 't');
	for (size_t i = 0; text[i] != '\0'; i++) /* 1_000 */
		if (text[i] != '_')
			digits[k++] = text[i];
	digits[k] = '\0';
	if (text_to_int(digits, &whole))
		return json_integer(whole);
	if (text_to_real(digits, &real))
		return json_real(real);
	complain(r, "a value is expected here: a text in quotes, a number, true, false or a list");
	return NULL;
}

static json_t *
read_value(struct reader *r)
{
	json_t *list, *value;

	skip_blanks(r);
	if (*r->at == '"' || *r->at == '\'')
		return read_text(r);
	if (*r->at != '[')
		return read_plain(r);
	list = json_array();
	r->at++;
	for (;;) {
		r->at += strspn(r->at, " \t\r,");
		if (*r->at == ']') {
			r->at++;
			return list;
		}
		value = *r->at == '[' || *r->at == '\0' || *r->at == '\n' ? NULL :
		    *r->at == '"' || *r->at == '\'' ? read_text(r) : read_plain(r);
		if (value == NULL || json_array_append_new(list, value) != 0)
			break;
	}
	complain(r, "a list of plain values on one line is expected here");
	json_decref(list);
	return NULL;
}

static bool
read_table(struct reader *r)
{
	char name[NAME_SIZE];
	json_t *table = r->j->root;

	r->at++;
	if (*r->at == '[')
		return complain(r, "lists of tables are not read");
	if (!read_path(r, &table, name))
		return false;
	if (*r->at++ != ']')
		return complain(r, "']' is expected here");
	r->table = table_of(table, name);
	return r->table != NULL || complain(r, "a value stands where this needs a table");
}

static bool
read_pair(struct reader *r)
{
	char name[NAME_SIZE];
	json_t *table = r->table, *value;

	if (!read_path(r, &table, name))
		return false;
	if (*r->at++ != '=')
		return complain(r, "'=' is expected here");
	if (json_object_get(table, name) != NULL)
		return complain(r, "a key stands here twice");
	value = read_value(r);
	return value != NULL && json_object_set_new(table, name, value) == 0;
}

bool
tomlin_parse(struct jsonin *j, const char *text, const char *file, struct file_errors *errors)
{
	struct reader r = { .j = j, .line = 1, .at = text };

	*j = (struct jsonin){ .root = json_object(), .texts = 1, .file = file, .text = text, .errors = errors };
	r.table = j->root;
	if (j->root == NULL)
		return complain(&r, "out of memory");
	for (; *r.at != '\0'; r.line++) {
		skip_blanks(&r);
		if (*r.at != '\n' && *r.at != '#' && *r.at != '\0' &&
		    !(*r.at == '[' ? read_table(&r) : read_pair(&r)))
			return false;
		skip_blanks(&r);
		if (*r.at == '#')
			r.at += strcspn(r.at, "\n");
		if (*r.at != '\n' && *r.at != '\0')
			return complain(&r, "the line goes on where it should end");
		r.at += *r.at == '\n';
	}
	return true;
}
