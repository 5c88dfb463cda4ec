#include "file/launches/megatron_args.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "file/launches/megatron_flags.h"
#include "file/notation/shell_words.h"
#include "file/source/sourced.h"
#include "file/source/words.h"

/* ---- which words ------------------------------------------------------------------------ */

/* A list of arguments and nothing else: what a shell would read into them is left alone. */
static bool
is_bare(const char *text)
{
	for (;;) {
		text += strspn(text, " \t\r\n\\");
		if (*text != '#')
			return shell_is_flag(text);
		text += strcspn(text, "\n");
	}
}

/* How many of the words are flags that we know. */
static size_t
count_known(const struct shell_list *words)
{
	char flag[128];
	size_t n = 0;

	for (size_t i = 0; i < words->count; i++) {
		text_put(flag, sizeof flag, "%.*s", (int)strcspn(words->word[i].text, "="),
		    words->word[i].text);
		n += shell_is_flag(flag) && megatron_flag_find(flag) != NULL;
	}
	return n;
}

/* Keep the better one of two lists; `known` is what the better one has. */
static void
keep_better(struct shell_list *best, size_t *known, struct shell_list *other)
{
	const size_t others = count_known(other);

	if (others > *known) {
		const struct shell_list swap = *best;

		*best = *other;
		*other = swap;
		*known = others;
	}
	other->count = 0;
}

/* The command with most of them; or what begins with a flag, which is a list without a command;
 * or what only stands in variables, as in a file that another one sources. */
static bool
choose_words(struct megatron_args *a)
{
	struct shell *s = &a->shell;
	struct shell_list list = { 0, 0, NULL }, bare = { 0, 0, NULL };
	size_t known = 0;
	bool ok = true;

	for (size_t i = 0; i < s->commands && ok; i++) {
		if (shell_is_flag(s->command[i].word[0].text)) {
			ok = shell_flatten(s, &s->command[i], &bare);
			continue;
		}
		ok = shell_flatten(s, &s->command[i], &list);
		keep_better(&a->words, &known, &list);
	}
	keep_better(&a->words, &known, &bare);
	for (size_t i = 0; i < s->variables && ok && known == 0; i++)
		ok = shell_flatten(s, &s->variable[i].value, &list);
	keep_better(&a->words, &known, &list);
	free(list.word);
	free(bare.word);
	return ok;
}

/* ---- flags and their values ------------------------------------------------------------- */

/* "--flag=value" as two words. */
static bool
split_equals(struct megatron_args *a)
{
	struct shell_list old = a->words;
	bool ok = true;

	a->words = (struct shell_list){ 0, 0, NULL };
	for (size_t i = 0; i < old.count && ok; i++) {
		struct shell_word w = old.word[i];
		const char *equals = shell_is_flag(w.text) ? strchr(w.text, '=') : NULL;

		if (equals != NULL) {
			struct shell_word flag = w;

			flag.text = shell_copy(&a->shell, w.text, (size_t)(equals - w.text), w.line);
			flag.unknown = false;
			ok = flag.text != NULL && shell_push(&a->shell, &a->words, flag);
			w.text = equals + 1;
		}
		ok = ok && shell_push(&a->shell, &a->words, w);
	}
	free(old.word);
	return ok;
}

static bool
find_flags(struct megatron_args *a)
{
	struct megatron_arg *last = NULL;

	a->arg = calloc(a->words.count + 1 + MEGATRON_ADDED_MAX, sizeof *a->arg);
	a->added = calloc(MEGATRON_ADDED_MAX, sizeof *a->added);
	if (a->arg == NULL || a->added == NULL)
		return shell_fail(&a->shell, 0, "out of memory");
	for (size_t i = 0; i < a->words.count; i++) {
		const struct shell_word *w = &a->words.word[i];

		if (shell_is_flag(w->text)) {
			last = &a->arg[a->count++];
			*last = (struct megatron_arg){ w->text, w->line, 0, w + 1 };
		} else if (shell_adds(w) && last != NULL && last->values > 0) {
			import_ignore(a->im, w->text, WORDS_ADDED);
			last = NULL;
		} else if (last != NULL) {
			last->values++;
		}
	}
	return true;
}

bool
megatron_args_read(struct megatron_args *a, struct import *im)
{
	bool ok;

	*a = (struct megatron_args){ .im = im };
	a->bare = is_bare(im->text);
	ok = a->bare ? shell_split(&a->shell, im->text, 1, &a->words) :
	    shell_read(&a->shell, im->text, im->size) && choose_words(a);
	ok = ok && split_equals(a) && find_flags(a);
	im->line = a->shell.error_line;
	if (a->shell.loop_line > 0)
		notes_add(&im->assumed, WORDS_LOOP, sourced_line(im, a->shell.loop_line));
	if (!ok)
		import_error(im, "", "%s", a->shell.error);
	else if (count_known(&a->words) == 0)
		import_error(im, "", "it has no argument of Megatron-LM");
	else
		return true;
	return false;
}

void
megatron_args_free(struct megatron_args *a)
{
	shell_free(&a->shell);
	free(a->words.word);
	free(a->arg);
	free(a->added);
}

void
megatron_args_add(struct megatron_args *a, const char *flag, const char *value)
{
	if (a->adds == MEGATRON_ADDED_MAX)
		return;
	/* each takes a place, whether or not it has a value */
	a->added[a->adds].text = shell_copy(&a->shell, value != NULL ? value : "", value != NULL ? strlen(value) : 0, 0);
	if (a->added[a->adds].text != NULL)
		a->arg[a->count++] = (struct megatron_arg){ flag, 0, value != NULL, &a->added[a->adds++] };
}

const struct megatron_arg *
megatron_arg(const struct megatron_args *a, const char *flag)
{
	for (size_t i = a->count; i-- > 0;)
		if (text_equal(a->arg[i].flag, flag))
			return &a->arg[i];
	return NULL;
}

void
megatron_args_tell_added(struct megatron_args *a, const char *program)
{
	char head[64], what[128];

	for (size_t i = a->count - a->adds; i < a->count; i++) {
		const char *line = a->im->taken.lines.text;
		const size_t n = text_put(head, sizeof head, "%s -> ", a->arg[i].flag);

		for (; line != NULL && *line != '\0' && strncmp(line, head, n) != 0; line += strcspn(line, "\n") + 1)
			;
		if (line == NULL || *line == '\0')
			continue;
		text_put(what, sizeof what, "%.*s", (int)strcspn(line + n, "\n"), line + n);
		notes_drop(&a->im->taken, head);
		notes_add(&a->im->assumed, "%s: %s's default", what, program);
	}
}

/* ---- values ----------------------------------------------------------------------------- */

static bool
complain_value(struct megatron_args *a, const struct megatron_arg *arg, const char *why)
{
	a->im->line = arg->line;
	import_refuse(a->im, arg->flag, "%s", why);
	return false;
}

static bool
is_known(struct megatron_args *a, const struct megatron_arg *arg)
{
	for (size_t i = 0; i < arg->values; i++)
		if (arg->value[i].unknown)
			return complain_value(a, arg, "only a run would tell its value "
			    "(fix: write it there, or set the variable in the file)");
	return true;
}

const char *
megatron_text(struct megatron_args *a, const char *flag, const char *absent)
{
	const struct megatron_arg *arg = megatron_arg(a, flag);

	if (arg == NULL)
		return absent;
	if (!is_known(a, arg))
		return NULL;
	if (arg->values == 1)
		return arg->value[0].text;
	complain_value(a, arg, arg->values == 0 ? "needs a value" : "takes one value");
	return NULL;
}

/* As Python takes it: 300_000_000. */
static bool
python_int(const char *text, int64_t *n)
{
	char digits[32];
	size_t used = 0;

	for (size_t i = 0; text[i] != '\0'; i++) {
		const bool joins = text[i] == '_' && i > 0 && isdigit((unsigned char)text[i - 1]) && isdigit((unsigned char)text[i + 1]);

		if (used + 1 == sizeof digits)
			return false;
		digits[used] = text[i];
		used += !joins;
	}
	digits[used] = '\0';
	return text_to_int(digits, n);
}

int64_t
megatron_int(struct megatron_args *a, const char *flag, int64_t absent)
{
	const char *text = megatron_text(a, flag, NULL);
	int64_t n = absent;

	if (text == NULL)
		return megatron_has(a, flag) ? 0 : absent;
	if (!python_int(text, &n)) {
		complain_value(a, megatron_arg(a, flag), "takes a whole number");
		return 0;
	}
	return n;
}

bool
megatron_join(struct megatron_args *a, const char *flag, const char *joint, char *buf,
    size_t size)
{
	const struct megatron_arg *arg = megatron_arg(a, flag);
	size_t used = 0, length = 0;

	buf[0] = '\0';
	if (arg == NULL || !is_known(a, arg))
		return arg == NULL;
	if (arg->values == 0)
		return complain_value(a, arg, "needs a value");
	for (size_t i = 0; i < arg->values && used == length; i++) {
		length += strlen(arg->value[i].text) + (i > 0 ? strlen(joint) : 0);
		used = text_add(buf, size, "%s%s", i > 0 ? joint : "", arg->value[i].text);
	}
	return used == length || complain_value(a, arg, "is too long");
}

const char *
megatron_environment(const struct megatron_args *a, const char *name)
{
	const struct shell_variable *v = shell_variable(&a->shell, name);

	return v != NULL && v->value.count == 1 && !v->value.word[0].unknown ?
	    v->value.word[0].text : NULL;
}

/* ---- fields --------------------------------------------------------------------------- */

bool
megatron_is(struct megatron_args *a, const char *flag, const char *word)
{
	const char *value = megatron_text(a, flag, NULL);

	return value != NULL && text_equal(value, word);
}

void
megatron_absent(struct megatron_args *a, enum field_id f, const char *value)
{
	if (text_equal(value, field_table[f].default_text))
		import_fill(a->im, f, value);
	else
		import_assume(a->im, f, value, "Megatron-LM's default");
}

void
megatron_number(struct megatron_args *a, enum field_id f, int64_t n, const char *source)
{
	char value[24];

	text_put(value, sizeof value, "%lld", (long long)n);
	if (megatron_has(a, source))
		import_set(a->im, f, value, source);
	else
		megatron_absent(a, f, value);
}
