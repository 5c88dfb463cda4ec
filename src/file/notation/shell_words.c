#include "file/notation/shell_words.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"

struct shell_block {
	struct shell_block *next;
	char text[];
};

bool
shell_fail(struct shell *s, unsigned line, const char *why)
{
	if (s->error == NULL) {
		s->error = why;
		s->error_line = line;
	}
	return false;
}

bool
shell_spend(struct shell *s, size_t n, unsigned line)
{
	if (n > SHELL_BYTES_MAX - s->bytes)
		return shell_fail(s, line, "its variables become too long");
	s->bytes += n;
	return true;
}

char *
shell_copy(struct shell *s, const char *text, size_t n, unsigned line)
{
	struct shell_block *block;

	if (!shell_spend(s, n + sizeof *block, line))
		return NULL;
	if ((block = malloc(sizeof *block + n + 1)) == NULL) {
		shell_fail(s, line, "out of memory");
		return NULL;
	}
	block->next = s->blocks;
	s->blocks = block;
	memcpy(block->text, text, n);
	block->text[n] = '\0';
	return block->text;
}

bool
shell_push(struct shell *s, struct shell_list *list, struct shell_word word)
{
	if (++s->words > SHELL_WORDS_MAX)
		return shell_fail(s, word.line, "it has too many words");
	if (list->count == list->room) {
		const size_t room = list->room > 0 ? 2 * list->room : 8;
		struct shell_word *grown = realloc(list->word, room * sizeof *grown);

		if (grown == NULL)
			return shell_fail(s, word.line, "out of memory");
		list->word = grown;
		list->room = room;
	}
	list->word[list->count++] = word;
	return true;
}

bool
shell_setting(const struct shell *s, size_t command, const char *name, struct shell_word *out)
{
	const struct shell_variable *v = shell_variable(s, name);
	const size_t n = strlen(name);

	for (size_t i = command < s->commands ? s->environment[command].count : 0; i > 0; i--) {
		const struct shell_word *w = &s->environment[command].word[i - 1];

		if (strncmp(w->text, name, n) != 0 || w->text[n] != '=')
			continue;
		*out = *w;
		out->text += n + 1;
		return true;
	}
	if (v == NULL || v->value.count != 1)
		return false;
	*out = v->value.word[0];
	return true;
}

void
shell_free(struct shell *s)
{
	for (size_t i = 0; i < s->commands; i++) {
		free(s->command[i].word);
		free(s->environment[i].word);
	}
	free(s->command);
	free(s->environment);
	for (size_t i = 0; i < s->variables; i++)
		free(s->variable[i].value.word);
	free(s->variable);
	for (struct shell_block *next; s->blocks != NULL; s->blocks = next) {
		next = s->blocks->next;
		free(s->blocks);
	}
	*s = (struct shell){ 0 };
}

/* ---- variables ---------------------------------------------------------------------- */

static size_t
bucket_of(const char *name)
{
	size_t sum = 0;

	for (; *name != '\0'; name++)
		sum = sum * 31 + (unsigned char)*name;
	return sum % SHELL_BUCKETS;
}

static struct shell_variable *
find_variable(const struct shell *s, const char *name)
{
	for (int i = s->bucket[bucket_of(name)]; i > 0; i = s->variable[i - 1].next)
		if (text_equal(s->variable[i - 1].name, name))
			return &s->variable[i - 1];
	return NULL;
}

const struct shell_variable *
shell_variable(const struct shell *s, const char *name)
{
	const struct shell_variable *v = find_variable(s, name);

	return v != NULL && !v->gone ? v : NULL;
}

void
shell_unset(struct shell *s, const char *name)
{
	struct shell_variable *v = find_variable(s, name);

	if (v != NULL)
		v->gone = true;
}

static struct shell_variable *
new_variable(struct shell *s, const char *name, unsigned line)
{
	int *first = &s->bucket[bucket_of(name)];

	if (s->variables == s->variables_room) {
		const size_t room = s->variables_room > 0 ? 2 * s->variables_room : 32;
		struct shell_variable *grown = realloc(s->variable, room * sizeof *grown);

		if (grown == NULL || room > SHELL_VARIABLES_MAX) {
			s->variable = grown != NULL ? grown : s->variable;
			shell_fail(s, line, "it has too many variables");
			return NULL;
		}
		s->variable = grown;
		s->variables_room = room;
	}
	s->variable[s->variables] = (struct shell_variable){ .name = name, .next = *first };
	*first = (int)s->variables + 1;
	return &s->variable[s->variables++];
}

/* "a" and "b" of NAME=a, NAME+=b. */
static bool
join_texts(struct shell *s, struct shell_word *to, const struct shell_word *more)
{
	const size_t a = strlen(to->text), b = strlen(more->text);
	char *both;

	if (a + b > SHELL_BYTES_MAX)
		return shell_fail(s, more->line, "its variables become too long");
	if ((both = malloc(a + b + 1)) == NULL)
		return shell_fail(s, more->line, "out of memory");
	memcpy(both, to->text, a);
	memcpy(both + a, more->text, b + 1);
	to->text = shell_copy(s, both, a + b, more->line);
	to->unknown |= more->unknown;
	free(both);
	return to->text != NULL;
}

bool
shell_assign(struct shell *s, const char *name, const struct shell_list *value, bool array,
    bool append, unsigned line)
{
	struct shell_variable *v = find_variable(s, name);

	if (v == NULL && (v = new_variable(s, name, line)) == NULL)
		return false;
	if (!append || v->gone)
		v->value.count = 0;
	if (!array && append && v->value.count > 0 && value->count > 0 && !v->gone)
		return join_texts(s, &v->value.word[0], &value->word[0]);
	v->gone = false;
	for (size_t i = 0; i < value->count; i++)
		if (!shell_push(s, &v->value, value->word[i]))
			return false;
	return true;
}

/* ---- arithmetic --------------------------------------------------------------------- */

enum { DIGITS_MOST = 32 };

struct sum {
	const struct shell *shell;
	const char *at;
	int depth;
	bool bad;
};

static int64_t read_sum(struct sum *e);

static void
skip_blanks(struct sum *e)
{
	e->at += strspn(e->at, " \t\r\n${}\"'\\"); /* expr's asterisk is quoted somehow */
}

static int64_t
read_variable(struct sum *e)
{
	const struct shell_variable *v;
	char name[128];
	size_t n = 0;
	int64_t value;

	while (shell_is_name_char(e->at[n], false))
		n++;
	text_put(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : 0), e->at);
	e->at += n;
	v = shell_variable(e->shell, name);
	if (v == NULL || v->value.count != 1 || strnlen(v->value.word[0].text, DIGITS_MOST) == DIGITS_MOST ||
	    !text_to_int(v->value.word[0].text, &value)) {
		e->bad = true;
		return 0;
	}
	return value;
}

static int64_t
read_operand(struct sum *e)
{
	int64_t value = 0;

	skip_blanks(e);
	if (*e->at == '(' && ++e->depth < SHELL_NEST_MAX) {
		e->at++;
		value = read_sum(e);
		skip_blanks(e);
		e->bad |= *e->at != ')';
		e->at += *e->at == ')';
		e->depth--;
	} else if (*e->at == '-' && ++e->depth < SHELL_NEST_MAX) {
		e->at++;
		value = -read_operand(e);
		e->depth--;
	} else if (*e->at >= '0' && *e->at <= '9') {
		for (; *e->at >= '0' && *e->at <= '9'; e->at++)
			e->bad |= (value = value * 10 + (*e->at - '0')) > INT32_MAX;
	} else if (shell_is_name_char(*e->at, true)) {
		value = read_variable(e);
	} else {
		e->bad = true;
	}
	if (value > INT32_MAX || value < -INT32_MAX)
		e->bad = true;
	return e->bad ? 0 : value;
}

/* Operands joined by some operators; those of what fits in 32 bits fit in 64. */
static int64_t
read_chain(struct sum *e, const char *operators, int64_t (*read)(struct sum *e))
{
	int64_t value = read(e);

	for (;;) {
		char op;
		int64_t by;

		skip_blanks(e);
		op = *e->at;
		if (op == '\0' || strchr(operators, op) == NULL || e->bad)
			return e->bad ? 0 : value;
		e->at++;
		by = read(e);
		e->bad |= (op == '/' || op == '%') && by == 0;
		if (e->bad)
			return 0;
		value = op == '+' ? value + by : op == '-' ? value - by : op == '*' ? value * by :
		    op == '/' ? value / by : value % by;
		e->bad |= value > INT32_MAX || value < -INT32_MAX;
	}
}

static int64_t
read_product(struct sum *e)
{
	return read_chain(e, "*/%", read_operand);
}

static int64_t
read_sum(struct sum *e)
{
	return read_chain(e, "+-", read_product);
}

bool
shell_arithmetic(const struct shell *s, const char *text, int64_t *value)
{
	struct sum e = { .shell = s, .at = text };

	*value = read_sum(&e);
	skip_blanks(&e);
	return !e.bad && *e.at == '\0';
}

/* ---- conditions --------------------------------------------------------------------- */

static enum shell_truth
truth(bool yes)
{
	return yes ? SHELL_YES : SHELL_NO;
}

/* Where one is no whole number [ fails, and [[ takes it for a name. */
static enum shell_truth
compare_numbers(const char *a, const char *op, const char *b, bool named)
{
	const int which = text_index("-eq -ne -gt -ge -lt -le", op, strlen(op));
	int64_t x, y;

	if (which < 0)
		return SHELL_MAYBE;
	if (!text_to_int(a, &x) || !text_to_int(b, &y))
		return named ? SHELL_MAYBE : SHELL_NO;
	switch (which) {
	case 0: return truth(x == y);
	case 1: return truth(x != y);
	case 2: return truth(x > y);
	case 3: return truth(x >= y);
	case 4: return truth(x < y);
	default: return truth(x <= y);
	}
}

static enum shell_truth
compare_words(const struct shell_word *w, bool named)
{
	const char *op = w[1].text;

	if (w[0].unknown || w[2].unknown)
		return SHELL_MAYBE;
	if (text_equal(op, "=") || text_equal(op, "=="))
		return truth(text_equal(w[0].text, w[2].text));
	if (text_equal(op, "!="))
		return truth(!text_equal(w[0].text, w[2].text));
	return compare_numbers(w[0].text, op, w[2].text, named);
}

static bool
is_bracket(const char *word)
{
	return text_equal(word, "[") || text_equal(word, "[[") || text_equal(word, "test") ||
	    text_equal(word, "]") || text_equal(word, "]]");
}

enum shell_truth
shell_test(const struct shell_list *words)
{
	const struct shell_word *w = words->word;
	size_t n = words->count;
	enum shell_truth result = SHELL_MAYBE;
	bool inverted = false, named = false;

	for (; n > 0 && (is_bracket(w->text) || text_equal(w->text, "!")); w++, n--) {
		inverted ^= text_equal(w->text, "!");
		named |= text_equal(w->text, "[[");
	}
	for (; n > 0 && is_bracket(w[n - 1].text);)
		n--;
	if (n == 3)
		result = compare_words(w, named);
	else if (n == 2 && !w[1].unknown && text_equal(w[0].text, "-n"))
		result = truth(w[1].text[0] != '\0');
	else if (n == 2 && !w[1].unknown && text_equal(w[0].text, "-z"))
		result = truth(w[1].text[0] == '\0');
	else if (n == 1 && text_equal(w[0].text, "true"))
		result = SHELL_YES;
	else if (n == 1 && text_equal(w[0].text, "false"))
		result = SHELL_NO;
	if (inverted && result != SHELL_MAYBE)
		result = result == SHELL_YES ? SHELL_NO : SHELL_YES;
	return result;
}
