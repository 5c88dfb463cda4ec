/* Functions of a script: what they are called with stands for $1, $2 and "$@", as what `set --` has behind it does. */
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "file/notation/shell_reader.h"

enum { CALLS_MOST = 256, DEEP_MOST = 8, READ_MOST = 4 << 20, /* bytes of bodies, in all */
	WORDS_MOST = 64 };

static const char all[] = "@";

void
shell_define(struct reader *r)
{
	struct shell *s = r->s;
	struct shell_function *f = &s->function[s->functions];
	const char *at = r->at + 2, *close;
	unsigned line = r->line;

	if (s->looked == SHELL_FUNCTIONS_MAX || s->called > 0 || r->word.text == NULL)
		return;
	s->looked++; /* each may be looked for to the end of the text */
	for (; at < r->end && strchr(" \t\r\n", *at) != NULL; at++)
		line += *at == '\n';
	if (at == r->end || *at != '{' || (close = shell_close(at, r->end, '{', '}')) == NULL ||
	    (f->name = shell_copy(s, r->word.text, r->word.used, line)) == NULL)
		return;
	f->body = at + 1;
	f->end = close;
	f->line = f->last = line;
	for (at = f->body; at < close; at++)
		f->last += *at == '\n';
	f->first = s->commands;
	s->functions++;
}

/* What was read of it where it stands is none of the script's commands. */
static void
forget_body(struct shell *s, const struct shell_function *f)
{
	size_t kept = f->first;

	for (size_t i = f->first; i < s->commands; i++) {
		const unsigned line = s->command[i].count > 0 ? s->command[i].word[0].line : 0;

		if (line >= f->line && line <= f->last) {
			free(s->command[i].word);
			free(s->environment[i].word);
			continue;
		}
		s->command[kept] = s->command[i];
		s->environment[kept++] = s->environment[i];
	}
	for (size_t i = 0; i < s->functions; i++)
		if (s->function[i].first > kept)
			s->function[i].first = kept;
	s->commands = kept;
}

/* $1 to ${64} and $@ */
static bool
set_words(struct shell *s, const struct shell_word *word, size_t count, unsigned line)
{
	const struct shell_variable *before = shell_variable(s, all);
	const size_t had = before != NULL ? before->value.count : 0, most = count > had ? count : had;
	struct shell_list list = { count, count, (struct shell_word *)(uintptr_t)word };
	bool ok = shell_assign(s, all, &list, true, false, line);

	list.count = 1;
	for (size_t i = 0; i < most && i < WORDS_MOST && ok; i++) {
		char digits[8];
		const char *name = shell_copy(s, digits, text_put(digits, sizeof digits, "%zu", i + 1), line);

		if (name == NULL)
			return false;
		if (i >= count) {
			shell_unset(s, name);
			continue;
		}
		list.word = (struct shell_word *)(uintptr_t)word + i;
		ok = shell_assign(s, name, &list, false, false, line);
	}
	if (count == 0 && s->called == 0)
		shell_unset(s, all);
	return ok;
}

/* A copy: setting it anew takes its memory. */
static struct shell_list
words_of(const struct shell *s)
{
	const struct shell_variable *v = shell_variable(s, all);
	struct shell_list copy = { 0, 0, NULL };

	if (v != NULL && v->value.count > 0 && (copy.word = malloc(v->value.count * sizeof *copy.word)) != NULL) {
		memcpy(copy.word, v->value.word, v->value.count * sizeof *copy.word);
		copy.count = v->value.count;
	}
	return copy;
}

static bool
shift_words(struct shell *s, const struct shell_list *command)
{
	struct shell_list words = words_of(s);
	int64_t n = 1;
	bool ok;

	if (command->count > 1 && (!text_to_int(command->word[1].text, &n) || n < 0))
		n = 1;
	n = n < (int64_t)words.count ? n : (int64_t)words.count;
	ok = set_words(s, words.word + n, words.count - (size_t)n, command->word[0].line);
	free(words.word);
	return ok;
}

/* The function of that name, the last; NULL for none, and within one: where it stands nothing is called, and nothing
 * calls itself. */
static struct shell_function *
find_function(struct reader *r, const char *name)
{
	struct shell_function *found = NULL;

	for (size_t i = 0; i < r->s->functions; i++) {
		struct shell_function *f = &r->s->function[i];
		const bool named = text_equal(f->name, name);

		if (r->at >= f->body && r->at <= f->end && (named || r->s->called == 0))
			return NULL;
		found = named ? f : found;
	}
	return found;
}

/* Where a function stands, which runs only when it is called. */
static bool
in_body(const struct reader *r)
{
	for (size_t i = 0; i < r->s->functions && r->s->called == 0; i++)
		if (r->at >= r->s->function[i].body && r->at <= r->s->function[i].end)
			return true;
	return false;
}

bool
shell_call(struct reader *r, const struct shell_list *command, bool *ok)
{
	struct shell *s = r->s;
	const char *name = command->word[0].text;
	struct shell_function *f;
	struct shell_list outer;

	/* Behind a test, [ $# -gt 0 ] ||, it is for want of what the user gives. */
	if (text_equal(name, "set") && command->count > 1 && text_equal(command->word[1].text, "--") && r->connector == AFTER_ANY &&
	    !in_body(r)) {
		*ok = set_words(s, command->word + 2, command->count - 2, command->word[0].line);
		return true;
	}
	if ((s->called > 0 || (shell_variable(s, all) != NULL && !in_body(r))) && text_equal(name, "shift")) {
		*ok = shift_words(s, command);
		return true;
	}
	f = find_function(r, name);
	if (f == NULL || s->called == DEEP_MOST || s->calls == CALLS_MOST ||
	    (s->bodies += (size_t)(f->end - f->body)) > READ_MOST)
		return false;
	if (!f->called)
		forget_body(s, f);
	f->called = true;
	outer = words_of(s);
	s->calls++;
	s->called++;
	*ok = set_words(s, command->word + 1, command->count - 1, command->word[0].line) &&
	    r->read_body(s, f->body, f->end, f->line);
	s->called--;
	*ok = *ok && set_words(s, outer.word, outer.count, command->word[0].line);
	free(outer.word);
	return true;
}
