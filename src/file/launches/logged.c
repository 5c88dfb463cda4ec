#include "file/launches/logged.h"

#include <jansson.h>
#include <string.h>

#include "file/base/textbuf.h"
#include "file/notation/pyin.h"

static void
drop_none(json_t *of)
{
	json_t *value;
	const char *key;
	void *next;

	json_object_foreach_safe(of, next, key, value) {
		if (json_is_null(value))
			json_object_del(of, key);
		else
			drop_none(value);
	}
}

/* A line as a log has it holds no more than literals. */
static void
pass_over(MAYBE void *to, MAYBE const char *path, MAYBE const char *why)
{
}

/* The call among those of its arguments. */
static json_t *
find_call(const json_t *calls)
{
	json_t *call;
	size_t i;

	json_array_foreach(calls, i, call) {
		const char *name = json_string_value(json_object_get(call, PYIN_CALLEE));

		if (name != NULL && text_equal(name, LOGGED_CALL))
			return call;
	}
	return NULL;
}

bool
logged_read(struct jsonin *j, struct import *im, const char *call)
{
	const struct pyin_unknown unknown = { pass_over, NULL };
	struct jsonin made;
	json_t *said = NULL, *mapping;

	*j = (struct jsonin){ .root = NULL, .texts = 1, .file = im->name, .errors = im->errors };
	if (pyin_script(&made, call, im->name, NULL, &unknown, im->errors))
		said = find_call(made.root);
	mapping = json_object_get(said, LOGGED_MAPPING);
	j->root = json_incref(json_is_object(mapping) ? mapping : said);
	jsonin_free(&made);
	if (j->root == NULL && im->errors->count == 0)
		import_error(im, "", "the settings that the log prints are cut off");
	if (j->root == NULL)
		return false;
	json_object_del(j->root, PYIN_CALLEE);
	drop_none(j->root);
	jsonin_watch(j);
	return true;
}

/* Brackets that a line opens more than it closes, outside of texts. */
static int
opened_by(const char *line, size_t length)
{
	char quote = '\0';
	int depth = 0;

	for (size_t i = 0; i < length; i++) {
		if (quote != '\0') {
			i += line[i] == '\\';
			quote = i < length && line[i] == quote ? '\0' : quote;
		} else if (line[i] == '\'' || line[i] == '"') {
			quote = line[i];
		} else {
			depth += (line[i] == '{' || line[i] == '[' || line[i] == '(') - (line[i] == '}' || line[i] == ']' || line[i] == ')');
		}
	}
	return depth;
}

char *
logged_verl(const char *text)
{
	const char *at = strstr(text, LOGGED_VERL), *before = at;
	struct textbuf out = { 0 };
	size_t prefix, length;
	int depth = 0;

	if (at == NULL)
		return NULL;
	while (before > text && before[-1] != '\n')
		before--;
	prefix = (size_t)(at - before);
	textbuf_add(&out, LOGGED_CALL "(" LOGGED_MAPPING "=");
	for (const char *line = before; *line != '\0'; line += length + (line[length] == '\n')) {
		length = strcspn(line, "\n");
		if (length < prefix || strncmp(line, before, prefix) != 0)
			continue;
		textbuf_bytes(&out, line + prefix, length - prefix);
		textbuf_bytes(&out, "\n", 1);
		if ((depth += opened_by(line + prefix, length - prefix)) <= 0)
			break;
	}
	textbuf_bytes(&out, ")", 1);
	return textbuf_take(&out);
}
