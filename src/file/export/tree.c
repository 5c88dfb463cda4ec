#include "file/export/tree.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "file/base/quote.h"
#include "file/log/jsonin.h"

/* Takes the value over, in every case. */
static void
put_value(struct tree *t, const char *key, json_t *value)
{
	if (t->root == NULL)
		t->root = json_object();
	t->failed |= !jsonin_put(t->root, key, value);
}

void
tree_int(struct tree *t, const char *key, int64_t v)
{
	put_value(t, key, json_integer(v));
}

void
tree_real(struct tree *t, const char *key, double v)
{
	put_value(t, key, json_real(v));
}

void
tree_bool(struct tree *t, const char *key, bool v)
{
	put_value(t, key, json_boolean(v));
}

void
tree_text(struct tree *t, const char *key, const char *v)
{
	put_value(t, key, json_string(v));
}

void
tree_list(struct tree *t, const char *key, const char *texts)
{
	json_t *list = *texts != '\0' ? json_array() : NULL;

	if (list == NULL)
		return;
	for (size_t n; *texts != '\0'; texts += n + (texts[n] == ',')) {
		n = strcspn(texts, ",");
		t->failed |= json_array_append_new(list, json_stringn(texts, n)) != 0;
	}
	put_value(t, key, list);
}

bool
tree_has(const struct tree *t, const char *key)
{
	return jsonin_at(t->root, key) != NULL;
}

void
tree_drop(struct tree *t, const char *key)
{
	json_object_del(t->root, key);
}

/* ---- fields --------------------------------------------------------------------------- */

/* Fields that mean nothing in this plan. */
static bool
is_idle(enum field_id f, const struct plan *p)
{
	return (f == FIELD_CP_COMM && p->parallel.cp == 1) || (f == FIELD_ETP && !plan_has_experts(p));
}

/* False where they have no word for the value. */
static bool
put_field(struct tree *t, const struct settings_key *row, const struct plan *p)
{
	char value[PLAN_LAYOUT_SIZE], theirs[64];

	field_format(row->field, p, value, sizeof value);
	if (is_idle(row->field, p) || (row->absent != NULL && text_equal(value, row->absent)))
		return true;
	if (row->words != NULL) {
		if (!settings_theirs(row->words, value, theirs, sizeof theirs))
			return false;
		if (text_equal(theirs, "true") || text_equal(theirs, "false"))
			tree_bool(t, row->path, text_equal(theirs, "true"));
		else
			tree_text(t, row->path, theirs);
		return true;
	}
	switch (field_table[row->field].type) {
	case FIELD_INT:
		tree_int(t, row->path, field_int(row->field, p));
		break;
	case FIELD_BOOL:
		tree_bool(t, row->path, field_int(row->field, p) != 0);
		break;
	case FIELD_REAL:
		tree_real(t, row->path, field_real(row->field, p));
		break;
	case FIELD_CHOICE:
	case FIELD_TEXT:
		tree_text(t, row->path, value);
		break;
	}
	return true;
}

const struct settings_key *
tree_fields(struct tree *t, const struct settings_key rows[], const struct plan *p)
{
	const struct settings_key *without = NULL;

	for (; rows->path != NULL; rows++)
		if (!put_field(t, rows, p) && without == NULL)
			without = rows;
	return without;
}

/* ---- languages ------------------------------------------------------------------------ */

void
tree_json(struct tree *t, struct textbuf *out)
{
	char *text = json_dumps(t->root, JSON_INDENT(2) | JSON_PRESERVE_ORDER);

	out->failed |= text == NULL || t->failed;
	if (text != NULL) {
		textbuf_bytes(out, text, strlen(text));
		textbuf_bytes(out, "\n", 1);
	}
	free(text);
}

/* A number, yes or no, a text in quotes, or a list of them: the same in YAML and TOML. */
static void
put_scalar(struct textbuf *out, const json_t *v)
{
	char number[64];

	if (json_is_array(v)) {
		for (size_t i = 0; i < json_array_size(v); i++) {
			textbuf_add(out, "%s", i > 0 ? ", " : "[");
			put_scalar(out, json_array_get(v, i));
		}
		textbuf_add(out, "]");
	} else if (json_is_string(v)) {
		quote_double(out, json_string_value(v));
	} else if (json_is_real(v)) {
		text_real(number, sizeof number, json_real_value(v));
		/* Without a point a reader takes it for a whole number. */
		textbuf_add(out, "%s%s", number, strpbrk(number, ".e") == NULL ? ".0" : "");
	} else if (json_is_boolean(v)) {
		textbuf_add(out, "%s", json_is_true(v) ? "true" : "false");
	} else {
		textbuf_add(out, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
	}
}

static void
put_yaml(struct textbuf *out, json_t *object, int indent)
{
	const char *key;
	json_t *v;

	json_object_foreach(object, key, v) {
		textbuf_add(out, "%*s%s:", indent, "", key);
		if (json_is_object(v)) {
			textbuf_add(out, "\n");
			put_yaml(out, v, indent + 2);
			continue;
		}
		textbuf_add(out, " ");
		put_scalar(out, v);
		textbuf_add(out, "\n");
	}
}

void
tree_yaml(struct tree *t, struct textbuf *out)
{
	out->failed |= t->failed;
	put_yaml(out, t->root, 0);
}

/* A section's own keys come before the sections in it. */
static void
put_toml(struct textbuf *out, json_t *object, const char *name)
{
	char inner[128];
	const char *key;
	json_t *v;

	json_object_foreach(object, key, v) {
		if (json_is_object(v))
			continue;
		textbuf_add(out, "%s = ", key);
		put_scalar(out, v);
		textbuf_add(out, "\n");
	}
	json_object_foreach(object, key, v) {
		if (!json_is_object(v))
			continue;
		text_put(inner, sizeof inner, "%s%s%s", name, name[0] != '\0' ? "." : "", key);
		textbuf_add(out, "\n[%s]\n", inner);
		put_toml(out, v, inner);
	}
}

void
tree_toml(struct tree *t, struct textbuf *out)
{
	out->failed |= t->failed;
	put_toml(out, t->root, "");
}

/* ---- words of a command line ------------------------------------------------------------ */

/* One value as the program's own parser wants it, not yet as a word of the shell. A text of
 * Hydra's is in single quotes where its grammar gives a character a meaning. */
static void
word_of(const json_t *v, enum tree_words form, char *out, size_t size)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./";

	if (json_is_string(v)) {
		const char *text = json_string_value(v);
		const bool bare = form != WORDS_OVERRIDES || text[strspn(text, plain)] == '\0';

		text_put(out, size, bare ? "%s" : "'%s'", text);
	} else if (json_is_real(v)) {
		text_real(out, size, json_real_value(v));
	} else if (json_is_boolean(v)) {
		text_put(out, size, "%s", json_is_true(v) ? "true" : "false");
	} else {
		text_put(out, size, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
	}
}

static void
put_flag(struct textbuf *out, const char *key, const json_t *v)
{
	const size_t count = json_is_array(v) ? json_array_size(v) : 1;
	char word[PLAN_LAYOUT_SIZE];

	if (json_is_false(v))
		return;
	textbuf_add(out, "\t--%s", key);
	for (size_t i = 0; i < count && !json_is_true(v); i++) {
		word_of(json_is_array(v) ? json_array_get(v, i) : v, WORDS_FLAGS, word, sizeof word);
		textbuf_bytes(out, " ", 1);
		quote_shell(out, word);
	}
	textbuf_bytes(out, "\n", 1);
}

static void
put_override(struct textbuf *out, const char *key, const json_t *v)
{
	char word[PLAN_LAYOUT_SIZE + 192], value[PLAN_LAYOUT_SIZE];

	text_put(word, sizeof word, "%s=%s", key, json_is_array(v) ? "[" : "");
	for (size_t i = 0; json_is_array(v) && i < json_array_size(v); i++) {
		word_of(json_array_get(v, i), WORDS_OVERRIDES, value, sizeof value);
		text_add(word, sizeof word, "%s%s", i > 0 ? "," : "", value);
	}
	if (!json_is_array(v)) {
		word_of(v, WORDS_OVERRIDES, value, sizeof value);
		text_add(word, sizeof word, "%s", value);
	} else {
		text_add(word, sizeof word, "]");
	}
	textbuf_bytes(out, "\t", 1);
	quote_shell(out, word);
	textbuf_bytes(out, "\n", 1);
}

/* Texts have neither quotes nor backslashes: words of tables. */
static void
put_statement(struct textbuf *out, const char *key, const json_t *v)
{
	char value[PLAN_LAYOUT_SIZE];

	word_of(v, WORDS_PYTHON, value, sizeof value);
	if (json_is_string(v))
		textbuf_add(out, "    config.%s = \"%s\"\n", key, value);
	else
		textbuf_add(out, "    config.%s = %s\n", key, json_is_true(v) ? "True" : json_is_false(v) ? "False" : value);
}

static void
put_words(struct textbuf *out, json_t *object, const char *name, enum tree_words form)
{
	char path[192];
	const char *key;
	json_t *v;

	json_object_foreach(object, key, v) {
		text_put(path, sizeof path, "%s%s%s", name, name[0] != '\0' ? "." : "", key);
		if (json_is_object(v))
			put_words(out, v, path, form);
		else if (form == WORDS_OVERRIDES)
			put_override(out, path, v);
		else if (form == WORDS_PYTHON)
			put_statement(out, path, v);
		else
			put_flag(out, path, v);
	}
}

void
tree_words(struct tree *t, struct textbuf *out, enum tree_words form)
{
	out->failed |= t->failed;
	put_words(out, t->root, "", form);
}

void
tree_end(struct tree *t)
{
	json_decref(t->root);
	t->root = NULL;
}
