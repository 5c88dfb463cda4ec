#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "file/notation/shell_reader.h"

enum { SUM_MOST = 256 }; /* bytes */

static bool read_text(struct reader *r, const char *text, const char *end, bool quoted);

/* ---- words -------------------------------------------------------------------------- */

static bool
add_bytes(struct reader *r, const char *bytes, size_t n)
{
	if (!shell_spend(r->s, n, r->line))
		return false;
	r->started = true;
	textbuf_bytes(&r->word, bytes, n);
	return true;
}

void
shell_clear_word(struct reader *r)
{
	r->word.used = r->name = 0;
	if (r->word.text != NULL)
		r->word.text[0] = '\0';
	r->started = r->unknown = false;
}

bool
shell_end_word(struct reader *r)
{
	struct shell_word word = { .line = r->word_line > 0 ? r->word_line : r->line,
		.unknown = r->unknown };
	const bool wanted = r->started && !r->drop_next, file = r->drop_next && r->drop_file;

	if (!r->started)
		return true;
	if (r->word.failed)
		return shell_fail(r->s, r->line, "out of memory");
	if ((wanted || file) && (word.text = shell_copy(r->s, r->word.text != NULL ? r->word.text : "",
	    r->word.used, r->line)) == NULL)
		return false;
	shell_clear_word(r);
	r->drop_next = false;
	if (file)
		r->file = word.text;
	r->parens = 0;
	r->word_line = 0;
	return !wanted || shell_push(r->s, r->words, word);
}

bool
shell_is_assignment(struct reader *r, bool alone)
{
	const char *text = r->word.text;
	size_t n;

	if (!r->started || text == NULL)
		return false;
	while (shell_is_name_char(text[r->name], r->name == 0))
		r->name++;
	n = r->name + (text[r->name] == '+');
	return r->name > 0 && text[n] == '=' && (!alone || text[n + 1] == '\0');
}

/* ---- expansions --------------------------------------------------------------------- */

/* As it is written, for what only a run could tell. */
static bool
add_unknown(struct reader *r, const char *from, const char *end)
{
	r->unknown = true;
	return add_bytes(r, from, (size_t)(end - from));
}

static bool
add_split(struct reader *r, const struct shell_word *value)
{
	const char *text = value->text;

	for (;;) {
		size_t n;

		if (*text != '\0' && strchr(" \t\r\n", *text) != NULL && !shell_end_word(r))
			return false;
		text += strspn(text, " \t\r\n");
		if (*text == '\0')
			return true;
		n = strcspn(text, " \t\r\n");
		if (!r->started)
			r->word_line = value->line;
		/* Of a text that holds many, those words that are left as written. */
		r->unknown |= value->unknown && memchr(text, '$', n) != NULL;
		if (!add_bytes(r, text, n))
			return false;
		text += n;
	}
}

static bool
add_value(struct reader *r, const struct shell_list *list, bool quoted)
{
	r->nothing |= list->count == 0;
	for (size_t i = 0; i < list->count; i++) {
		/* A copy: the list may be that which the words go to. */
		const struct shell_word value = list->word[i];
		const size_t n = strlen(value.text);

		if (!shell_spend(r->s, n + 1, r->line) || (i > 0 && !shell_end_word(r)))
			return false;
		if (!quoted && !add_split(r, &value))
			return false;
		if (quoted && !r->started)
			r->word_line = value.line;
		if (quoted) {
			r->unknown |= value.unknown;
			if (!add_bytes(r, value.text, n))
				return false;
		}
	}
	return true;
}

const char *
shell_close(const char *at, const char *end, char open, char close)
{
	int depth = 0;

	for (; at < end; at++) {
		if (*at == '\\' && at + 1 < end)
			at++;
		else if (*at == '\'' && (at = memchr(at + 1, '\'', (size_t)(end - at - 1))) == NULL)
			return NULL;
		else if (*at == open)
			depth++;
		else if (*at == close && --depth == 0)
			return at;
	}
	return NULL;
}

char *
shell_expand(struct reader *r, const char *text, const char *end, bool here)
{
	struct shell_list words = { 0, 0, NULL }; /* of arrays, all but the last one */
	struct reader inner = { .s = r->s, .read_body = r->read_body, .expand = r->expand, .expands = true, .in_here = here, .depth = r->depth, .line = r->line,
		.words = &words };
	const bool ok = read_text(&inner, text, end, true) && words.count == 0;

	free(words.word);
	textbuf_bytes(&inner.word, ok ? "" : "$", !ok); /* no number */
	return textbuf_take(&inner.word);
}

/* A sum as it stands between from and to, and as written where only a run could tell it. */
static bool
add_sum(struct reader *r, const char *from, const char *to, const char *written, const char *end)
{
	char digits[24], *sum;
	int64_t value;
	bool ok;

	if (to - from > SUM_MOST)
		return add_unknown(r, written, end);
	if ((sum = shell_expand(r, from, to, false)) == NULL)
		return shell_fail(r->s, r->line, "out of memory");
	ok = r->s->error == NULL && shell_arithmetic(r->s, sum, &value) ?
	    add_bytes(r, digits, text_put(digits, sizeof digits, "%lld", (long long)value)) :
	    add_unknown(r, written, end);
	free(sum);
	return ok;
}

/* What expr(1) or bc(1) would work out: $(expr 16 \* $N), $(echo "$A / $B" | bc). */
static bool
add_command(struct reader *r, const char *from, const char *close)
{
	const char *at = from + 2, *end = close, *pipe, *text;

	while (at < end && strchr(" \t", *at) != NULL)
		at++;
	while (end > at && strchr(" \t", end[-1]) != NULL)
		end--;
	if (end - at > 5 && memcmp(at, "expr ", 5) == 0)
		return add_sum(r, at + 5, end, from, close + 1);
	if (end - at > 6 && memcmp(at, "cat <<", 6) == 0 && (text = shell_cat_here(r, at + 4, close)) != NULL) {
		r->unknown |= strchr(text, '$') != NULL;
		return add_bytes(r, text, strlen(text));
	}
	if (end - at > 5 && memcmp(at, "echo ", 5) == 0 && end[-2] == 'b' && end[-1] == 'c' &&
	    (pipe = memchr(at, '|', (size_t)(end - at))) != NULL &&
	    (size_t)(end - pipe) == 3 + strspn(pipe + 1, " \t"))
		return add_sum(r, at + 5, pipe, from, close + 1);
	return add_unknown(r, from, close + 1);
}

/* ${NAME:=text}: the variable has that text from here on, where the command runs. */
static bool
keep_default(struct reader *r, const char *name, const char *from, const char *close, bool quoted)
{
	char *text = shell_expand(r, from, close, false);
	const char *kept = shell_copy(r->s, name, strlen(name), r->line);
	struct shell_word word = { .line = r->line };
	const struct shell_list value = { 1, 1, &word };

	word.text = text != NULL ? shell_copy(r->s, text, strlen(text), r->line) : NULL;
	word.unknown = text != NULL && strchr(text, '$') != NULL;
	free(text);
	r->defaulted[r->defaults++] = kept;
	return word.text != NULL && kept != NULL && shell_assign(r->s, kept, &value, false, false, r->line) && add_value(r, &value, quoted);
}

/* ${NAME}, ${NAME[@]}, ${NAME:-text} and the like, from '$' to '}'. */
static bool
add_parameter(struct reader *r, const char *from, const char *close, bool quoted)
{
	const struct shell_variable *v;
	const char *at = from + 2;
	char name[128];
	size_t n = 0;
	bool empty, list;

	while (at + n < close && (shell_is_name_char(at[n], false) || (n == 0 && strchr("@*", *at))))
		n++;
	if (n == 0 || n >= sizeof name)
		return add_unknown(r, from, close + 1);
	text_put(name, sizeof name, "%.*s", (int)n, at);
	at += n;
	list = close - at >= 3 && (memcmp(at, "[@]", 3) == 0 || memcmp(at, "[*]", 3) == 0);
	at += list ? 3 : 0;
	v = shell_variable(r->s, name);
	if (at == close && v == NULL && list && !r->s->sources)
		return r->nothing = true; /* no environment has lists */
	if (at == close && v != NULL)
		return add_value(r, &v->value, quoted);
	if (strchr("@*", name[0]) != NULL)
		return r->nothing = true; /* no argument was given */
	empty = v == NULL || v->value.count == 0 || v->value.word[0].text[0] == '\0';
	if (*at == ':')
		at++;
	else
		empty = v == NULL;
	if (*at == '+')
		return empty || read_text(r, at + 1, close, quoted);
	if (*at == '-' || *at == '=' || *at == '?') {
		if (!empty)
			return add_value(r, &v->value, quoted);
		if (*at == '=' && r->defaults < sizeof r->defaulted / sizeof *r->defaulted)
			return keep_default(r, name, at + 1, close, quoted);
		if (*at != '?')
			return read_text(r, at + 1, close, quoted);
	}
	return add_unknown(r, from, close + 1);
}

/* What a '$' begins, at r->at. */
static bool
read_dollar(struct reader *r, bool quoted)
{
	const char *from = r->at, *next = from + 1, *close;
	const struct shell_variable *v;
	char name[128];
	size_t n = 0;

	if (next < r->end && (*next == '(' || *next == '{')) {
		close = shell_close(next, r->end, *next, *next == '(' ? ')' : '}');
		if (close == NULL)
			return shell_fail(r->s, r->line, "what ${ or $( opens is never closed");
		r->at = close + 1;
		for (const char *c = from; c < close; c++)
			r->line += *c == '\n';
		if (*next == '{')
			return add_parameter(r, from, close, quoted);
		if (next + 1 < close && next[1] == '(' && close[-1] == ')')
			return add_sum(r, from + 3, close - 1, from, close + 1);
		return add_command(r, from, close);
	}
	if (next < r->end && (*next == '@' || *next == '*')) {
		r->at = next + 1;
		v = shell_variable(r->s, "@");
		return v != NULL ? add_value(r, &v->value, quoted) : (r->nothing = true);
	}
	while (next + n < r->end && shell_is_name_char(next[n], n == 0))
		n++;
	if (n == 0 && next < r->end && strchr("0123456789#?!$-", *next) != NULL) {
		r->at = next + 1;
		text_put(name, sizeof name, "%c", *next);
		v = shell_variable(r->s, name);
		return v != NULL ? add_value(r, &v->value, quoted) : add_unknown(r, from, r->at);
	}
	r->at = next + n;
	text_put(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : 0), next);
	if (n == 0)
		return add_bytes(r, "$", 1);
	if ((v = shell_variable(r->s, name)) == NULL)
		return add_unknown(r, from, r->at);
	return add_value(r, &v->value, quoted);
}

/* ---- quotes ------------------------------------------------------------------------- */

static bool
read_single(struct reader *r)
{
	const char *from = r->at + 1;
	const char *close = memchr(from, '\'', (size_t)(r->end - from));

	if (close == NULL)
		return shell_fail(r->s, r->line, "a quotation mark is never closed");
	for (const char *c = from; c < close; c++)
		r->line += *c == '\n';
	r->at = close + 1;
	return add_bytes(r, from, (size_t)(close - from));
}

static bool
read_backquote(struct reader *r)
{
	const char *from = r->at;
	const char *close = memchr(from + 1, '`', (size_t)(r->end - from - 1));

	if (close == NULL)
		return shell_fail(r->s, r->line, "a backquote is never closed");
	r->at = close + 1;
	if (close - from > 6 && memcmp(from, "`expr ", 6) == 0)
		return add_sum(r, from + 6, close, from, close + 1);
	return add_unknown(r, from, r->at);
}

/* A backslash whose line has but blanks behind it: it takes away one of these, not the line's end, which none sees. */
static bool
is_cut_off(const struct reader *r)
{
	const char *at = r->at + 1;

	while (at < r->end && (*at == ' ' || *at == '\t'))
		at++;
	return at > r->at + 1 && at < r->end && *at == '\n';
}

/* One character of a word, or what it begins. */
static bool
read_part(struct reader *r, bool quoted)
{
	const char c = *r->at;
	size_t n = 1;

	if (c == '\\' && r->at + 1 < r->end) {
		if (!quoted && is_cut_off(r))
			return shell_fail(r->s, r->line, "there are blanks behind the \\ at the end of this line, so that a shell ends the command here");
		if (quoted && strchr("$`\"\\\n", r->at[1]) == NULL && !add_bytes(r, r->at, 1))
			return false;
		r->at += 2;
		if (r->at[-1] != '\n')
			return add_bytes(r, r->at - 1, 1);
		r->line++;
		return true;
	}
	if (c == '$' && r->expands)
		return read_dollar(r, quoted || shell_is_assignment(r, false));
	if (c == '`' && r->expands)
		return read_backquote(r);
	r->line += c == '\n';
	while (r->at + n < r->end && isalnum((unsigned char)r->at[n])) /* means nothing anywhere */
		n++;
	r->at += n;
	return add_bytes(r, r->at - n, n);
}

static bool
read_double(struct reader *r)
{
	const unsigned line = r->line;

	r->nothing = false;
	for (r->at++; r->at < r->end && *r->at != '"';)
		if (!read_part(r, true))
			return false;
	r->started |= !r->nothing;
	if (r->at >= r->end)
		return shell_fail(r->s, line, "a quotation mark is never closed");
	r->at++;
	return true;
}

/* A text inside another: the default of a variable. */
static bool
read_text(struct reader *r, const char *text, const char *end, bool quoted)
{
	const char *at = r->at, *old_end = r->end;
	const unsigned line = r->line;
	bool ok = true;

	if (++r->depth > SHELL_NEST_MAX)
		return shell_fail(r->s, r->line, "it is nested too deeply");
	r->at = text;
	r->end = end;
	while (ok && r->at < end)
		if (*r->at == '"' && !r->in_here)
			ok = read_double(r);
		else if (*r->at == '\'' && !quoted)
			ok = read_single(r);
		else if (!quoted && !shell_is_assignment(r, false) && strchr(" \t\n", *r->at) != NULL)
			ok = shell_end_word(r), r->at++;
		else
			ok = read_part(r, quoted);
	r->at = at;
	r->end = old_end;
	r->line = line;
	r->depth--;
	return ok;
}

bool
shell_read_part(struct reader *r)
{
	if (*r->at == '\'')
		return read_single(r);
	return *r->at == '"' ? read_double(r) : read_part(r, false);
}
