#include "file/import/words.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "file/import/shell.h"
#include "file/import/yamlin.h"

/* Takes the value over. */
static void
put_word(struct jsonin *j, struct import *im, const char *path, json_t *value, bool unknown)
{
	if (unknown)
		import_ignore(im, path, "only a run would tell its value");
	if (unknown)
		json_decref(value);
	else if (!jsonin_put(j->root, path, value))
		import_ignore(im, path, "another key stands in its way");
}

/* A text without the quotes that Hydra takes off, or what it means without. */
static json_t *
value_of(const char *text, size_t n)
{
	char plain[512];

	if (n >= 2 && (*text == '\'' || *text == '"') && text[n - 1] == *text)
		return json_stringn(text + 1, n - 2);
	if (n >= sizeof plain)
		return json_stringn(text, n);
	text_put(plain, sizeof plain, "%.*s", (int)n, text);
	return yamlin_plain(plain);
}

/* [a,b]: plain values alone. */
static json_t *
list_of(const char *text)
{
	json_t *list = json_array();

	for (text++; *text != ']' && *text != '\0'; text += *text == ',') {
		const size_t n = strcspn(text, ",]");

		json_array_append_new(list, value_of(text, n));
		text += n;
	}
	return list;
}

/* A name, a point, more of them, and an equals sign; NULL for other words. */
static const char *
equals_of(const char *word)
{
	const size_t name = strspn(word, "abcdefghijklmnopqrstuvwxyz_");
	const size_t all = name > 0 ? strcspn(word, "= \t\n") : 0;

	return all > 0 && word[all] == '=' && (word[name] == '.' || all == name) ? word + all : NULL;
}

static void
take_override(struct jsonin *j, struct import *im, const struct shell_word *w)
{
	const char *key = w->text + strspn(w->text, "+"), *equals = equals_of(key);
	char path[256];

	if (equals == NULL)
		return;
	im->line = w->line;
	text_put(path, sizeof path, "%.*s", (int)(equals - key), key);
	put_word(j, im, path, equals[1] == '[' ? list_of(equals + 1) : value_of(equals + 1,
	    strlen(equals + 1)), w->unknown);
}

static void
take_flag(struct jsonin *j, struct import *im, const struct shell_word *w, size_t count)
{
	size_t values = 0;
	bool unknown = w[0].unknown;
	json_t *value;

	while (values + 1 < count && strncmp(w[values + 1].text, "--", 2) != 0)
		unknown |= w[++values].unknown;
	im->line = w->line;
	if (values < 2) {
		value = values == 0 ? json_true() : yamlin_plain(w[1].text);
	} else {
		value = json_array();
		for (size_t i = 1; i <= values; i++)
			json_array_append_new(value, yamlin_plain(w[i].text));
	}
	put_word(j, im, w->text + 2, value, unknown);
}

static bool
runs(const struct shell_list *command, const char *program)
{
	for (size_t i = 0; i < command->count; i++)
		if (strncmp(command->word[i].text, program, strlen(program)) == 0)
			return true;
	return false;
}

static void
take_flags(struct jsonin *j, struct import *im, const struct shell_list *command)
{
	for (size_t i = 0; i < command->count; i++)
		if (shell_is_flag(command->word[i].text))
			take_flag(j, im, &command->word[i], command->count - i);
}

/* All words of the script's commands: overrides, or flags of a program. */
static bool
read_words(struct jsonin *j, struct import *im, const char *program)
{
	struct shell_list list = { 0, 0, NULL };
	struct shell s = { 0 };
	bool ok = shell_read(&s, im->text, im->size);

	*j = (struct jsonin){ .root = json_object(), .texts = 1, .file = im->name, .text = im->text,
		.errors = im->errors };
	jsonin_watch(j);
	for (size_t i = 0; i < s.commands && ok; i++) {
		list.count = 0;
		ok = shell_flatten(&s, &s.command[i], &list);
		if (program != NULL && runs(&list, program))
			take_flags(j, im, &list);
		for (size_t k = 0; program == NULL && k < list.count; k++)
			take_override(j, im, &list.word[k]);
	}
	free(list.word);
	im->line = ok ? 0 : s.error_line;
	if (!ok)
		import_error(im, "", "%s", s.error);
	shell_free(&s);
	return ok;
}

bool
words_overrides(struct jsonin *j, struct import *im)
{
	return read_words(j, im, NULL);
}

bool
words_flags(struct jsonin *j, struct import *im, const char *program)
{
	return read_words(j, im, program);
}
