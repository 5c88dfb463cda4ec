#include "file/notation/shell.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "file/notation/sbatch.h"
#include "file/notation/shell_reader.h"

enum { PATTERN_SIZE = 256 }; /* of a case; a longer word is none that one would compare */

/* ---- commands ----------------------------------------------------------------------- */

static bool
is_active(const struct reader *r)
{
	return r->branches == 0 || r->branch[r->branches - 1].active;
}

/* Whether the command in hand would run. */
static bool
would_run(const struct reader *r)
{
	return is_active(r) && !(r->connector == AFTER_YES && r->previous == SHELL_NO) &&
	    !(r->connector == AFTER_NO && r->previous == SHELL_YES);
}

/* NAME=value or NAME+=value; false when the word is none. */
static bool
assign_word(struct shell *s, const struct shell_word *word)
{
	char name[128];
	size_t n = 0;
	bool append;
	struct shell_word value = *word;
	const struct shell_list list = { 1, 1, &value };
	const char *kept;

	if (!shell_is_name_char(word->text[0], true))
		return false;
	while (shell_is_name_char(word->text[n], false))
		n++;
	append = word->text[n] == '+';
	if (word->text[n + append] != '=' || n >= sizeof name)
		return false;
	text_put(name, sizeof name, "%.*s", (int)n, word->text);
	value.text = word->text + n + append + 1;
	if ((kept = shell_copy(s, name, n, word->line)) != NULL)
		shell_assign(s, kept, &list, false, append, word->line);
	return true;
}

static bool
is_declaration(const char *word)
{
	return text_index("export declare local readonly typeset", word, strlen(word)) >= 0;
}

/* Takes both lists over; false when there is no room for them. */
static bool
keep_command(struct shell *s, struct shell_list words, struct shell_list before)
{
	if (s->commands == s->commands_room) {
		const size_t room = s->commands_room > 0 ? 2 * s->commands_room : 64;
		struct shell_list *grown = realloc(s->command, room * sizeof *grown);

		if (grown == NULL)
			return false;
		s->command = grown;
		if ((grown = realloc(s->environment, room * sizeof *grown)) == NULL)
			return false;
		s->environment = grown;
		s->commands_room = room;
	}
	s->command[s->commands] = words;
	s->environment[s->commands++] = before;
	return true;
}

/* A command of options alone behind one that has some too: the rest of that, which its line's end cut off. */
static bool
is_rest(const struct shell *s, const struct shell_word *word)
{
	const struct shell_list *last = s->commands > 0 ? &s->command[s->commands - 1] : NULL;

	return last != NULL && shell_is_flag(word->text) && !shell_is_flag(last->word[0].text) && last->count > 1 &&
	    shell_is_flag(last->word[last->count - 2].text);
}

/* Assignments are made; what is left is a command. */
static bool
run_words(struct reader *r, const struct shell_list *list)
{
	struct shell *s = r->s;
	struct shell_list kept = { 0, 0, NULL }, before = { 0, 0, NULL };
	size_t i = 0, assigned;
	bool ok = true;

	while (i < list->count && (assign_word(s, &list->word[i]) ||
	    text_equal(list->word[i].text, "env") || text_equal(list->word[i].text, "exec")))
		i++;
	assigned = i;
	if (i < list->count && is_declaration(list->word[i].text)) {
		while (++i < list->count)
			assign_word(s, &list->word[i]);
	} else if (i < list->count && text_equal(list->word[i].text, "unset")) {
		while (++i < list->count)
			shell_unset(s, list->word[i].text);
	}
	s->sources |= i < list->count && text_index("source .", list->word[i].text, strlen(list->word[i].text)) >= 0;
	for (; i < list->count; i++)
		if (!shell_push(s, &kept, list->word[i]))
			break;
	for (i = 0; i < assigned && kept.count > 0; i++)
		if (!shell_push(s, &before, list->word[i]))
			break;
	if (kept.count > 0 && is_rest(s, &kept.word[0]))
		ok = shell_fail(s, s->command_end, "a command ends in this line, and the next begins with an option (fix: a \\ at its end)");
	if (!ok || (kept.count > 0 && shell_call(r, &kept, &ok))) {
		free(kept.word);
		free(before.word);
		return ok;
	}
	if (kept.count > 0 && !keep_command(s, kept, before)) {
		free(kept.word);
		free(before.word);
		return shell_fail(s, r->line, "out of memory");
	}
	s->command_end = r->line;
	return s->error == NULL;
}

static bool
open_branch(struct reader *r, const struct shell_word *word)
{
	struct branch b = { .outer = would_run(r), .in_condition = true, .fresh = true,
		.is_case = word != NULL };

	if (r->branches == SHELL_NEST_MAX)
		return shell_fail(r->s, r->line, "it is nested too deeply");
	if (word != NULL) {
		b.word = *word;
		b.word.unknown |= strnlen(word->text, PATTERN_SIZE) == PATTERN_SIZE;
	}
	r->branch[r->branches++] = b;
	return true;
}

/* The case that is open last, NULL without one. */
static struct branch *
open_case(struct reader *r)
{
	struct branch *b = r->branches > 0 ? &r->branch[r->branches - 1] : NULL;

	return b != NULL && b->is_case ? b : NULL;
}

/* '*' and '?' of patterns, in time that their lengths bound (a pattern of fnmatch can make it
 * try without end). */
static bool
pattern_matches(const char *pattern, const char *text)
{
	const char *star = NULL, *from = NULL;

	while (*text != '\0') {
		if (*pattern == '*') {
			star = ++pattern;
			from = text;
		} else if (*pattern == '?' || *pattern == *text) {
			pattern++;
			text++;
		} else if (star != NULL) {
			pattern = star;
			text = ++from;
		} else {
			return false;
		}
	}
	return pattern[strspn(pattern, "*")] == '\0';
}

/* "a" or "a|b*" of a case: whether its word is meant. */
static void
match_pattern(struct branch *b, const struct shell_word *pattern)
{
	const char *at = pattern->text;
	char one[PATTERN_SIZE];

	if (b->word.unknown && b->condition == SHELL_NO)
		b->condition = SHELL_MAYBE;
	for (; !b->word.unknown; at++) {
		const size_t n = strcspn(at, "|");

		text_put(one, sizeof one, "%.*s", n < sizeof one ? (int)n : 0, at);
		if (pattern_matches(one, b->word.text))
			b->condition = SHELL_YES;
		at += n;
		if (*at == '\0')
			break;
	}
}

/* After the parenthesis that ends a pattern, and after the ;; that ends its commands. */
static void
begin_case(struct branch *b)
{
	b->in_condition = false;
	b->active = b->outer && !b->taken && b->condition != SHELL_NO;
	b->taken |= b->active;
}

static void
end_case(struct branch *b)
{
	b->in_condition = true;
	b->active = false;
	b->condition = SHELL_NO;
}

/* if, then, elif, else, fi, esac; false for any other word. */
static bool
take_keyword(struct reader *r, const char *word)
{
	struct branch *b = r->branches > 0 ? &r->branch[r->branches - 1] : NULL;

	if (text_equal(word, "if"))
		return open_branch(r, NULL);
	if (b != NULL && text_equal(word, "then")) {
		b->in_condition = false;
		b->active = b->outer && !b->taken && b->condition != SHELL_NO;
		b->taken |= b->active;
	} else if (b != NULL && text_equal(word, "elif")) {
		b->in_condition = b->fresh = true;
		b->active = false;
	} else if (b != NULL && text_equal(word, "else")) {
		b->active = b->outer && !b->taken;
		b->taken = true;
	} else if (b != NULL && (text_equal(word, "fi") || text_equal(word, "esac"))) {
		r->branches--;
	} else {
		return text_index("do done while until time { } ! ;;", word, strlen(word)) >= 0;
	}
	r->connector = AFTER_ANY;
	return true;
}

/* One more part of a condition, joined to the others as && and || do. */
static void
join_condition(struct branch *b, enum connector by, enum shell_truth part)
{
	if (b->fresh || by == AFTER_ANY)
		b->condition = part;
	else if (by == AFTER_YES && (b->condition == SHELL_NO || part == SHELL_NO))
		b->condition = SHELL_NO;
	else if (by == AFTER_NO && (b->condition == SHELL_YES || part == SHELL_YES))
		b->condition = SHELL_YES;
	else if (b->condition != part)
		b->condition = SHELL_MAYBE;
	b->fresh = false;
}

static void
drop_first(struct shell_list *list, size_t n)
{
	list->word += n;
	list->count -= n;
}

/* The first round of a loop over words is what is read. */
static bool
begin_loop(struct reader *r, const struct shell_list *list)
{
	struct shell_word first = list->word[3];
	const struct shell_list value = { 1, 1, &first };
	const char *name = list->word[1].text;
	size_t n = 0;

	while (shell_is_name_char(name[n], n == 0))
		n++;
	if (n == 0 || name[n] != '\0')
		return true;
	r->s->loop_line = list->count > 4 && r->s->loop_line == 0 ? list->word[0].line : r->s->loop_line;
	return shell_assign(r->s, name, &value, false, false, first.line);
}

/* What words gave a value they did not where the command does not run. */
static void
keep_defaults(struct reader *r, bool ran)
{
	for (size_t i = 0; i < r->defaults && !ran; i++)
		if (r->defaulted[i] != NULL)
			shell_unset(r->s, r->defaulted[i]);
	r->defaults = 0;
}

static bool
end_command(struct reader *r, enum connector next)
{
	bool ok = shell_end_word(r);
	struct shell_list list = r->command; /* what is left of it: its words stay where they are */

	while (ok && list.count > 0) {
		if (list.count >= 3 && text_equal(list.word[0].text, "case") &&
		    text_equal(list.word[2].text, "in")) {
			ok = open_branch(r, &list.word[1]);
			end_case(&r->branch[r->branches - 1]);
			drop_first(&list, 3);
		} else if (list.count > 3 && text_equal(list.word[0].text, "for") && text_equal(list.word[2].text, "in")) {
			ok = !would_run(r) || begin_loop(r, &list);
			drop_first(&list, list.count);
		} else if (take_keyword(r, list.word[0].text)) {
			drop_first(&list, 1);
		} else {
			break;
		}
	}
	if (ok && list.count > 0) {
		struct branch *b = r->branches > 0 ? &r->branch[r->branches - 1] : NULL;
		const enum shell_truth part = shell_test(&list);

		keep_defaults(r, b != NULL && b->in_condition ? b->outer : would_run(r));
		if (b != NULL && b->in_condition && b->is_case)
			match_pattern(b, &list.word[0]);
		else if (b != NULL && b->in_condition)
			join_condition(b, r->connector, part);
		else if (would_run(r))
			ok = run_words(r, &list);
		r->previous = part;
	}
	if (list.count > 0) /* behind || and && lines may end */
		r->connector = next;
	keep_defaults(r, would_run(r));
	r->command.count = 0;
	r->drop_next = false;
	return ok && r->s->error == NULL;
}

static void
skip_comment(struct reader *r)
{
	while (r->at < r->end && *r->at != '\n')
		r->at++;
}

/* Blanks and comments end words in lists and commands alike, and what fences code in Markdown counts as one; false for
 * all else. */
static bool
read_blank(struct reader *r, bool *ok)
{
	const char c = *r->at;

	if (!r->started && (c == '#' || (r->end - r->at >= 3 && memcmp(r->at, "```", 3) == 0))) {
		skip_comment(r);
		return true;
	}
	if (c != ' ' && c != '\t' && c != '\r')
		return false;
	*ok = shell_end_word(r);
	r->at++;
	return true;
}

/* NAME=( words ), from the parenthesis on. */
static bool
read_array(struct reader *r)
{
	struct shell_list list = { 0, 0, NULL }, *outer = r->words;
	const char *equals = strchr(r->word.text, '=');
	const bool append = equals[-1] == '+';
	const unsigned line = r->line;
	const char *name = shell_copy(r->s, r->word.text,
	    (size_t)(equals - r->word.text) - append, line);
	bool ok = name != NULL;

	shell_clear_word(r);
	r->words = &list;
	for (r->at++; ok && r->at < r->end && (*r->at != ')' || r->parens > 0);) {
		if (*r->at == '\n') {
			ok = shell_end_word(r);
			r->line++;
			r->at++;
		} else if (!read_blank(r, &ok)) {
			r->parens += *r->at == '(' ? 1 : *r->at == ')' ? -1 : 0;
			ok = shell_read_part(r);
		}
	}
	ok = ok && shell_end_word(r);
	r->words = outer;
	if (ok && r->at >= r->end)
		ok = shell_fail(r->s, line, "the list that ( opens is never closed");
	if (ok && would_run(r))
		ok = shell_assign(r->s, name, &list, true, append, line);
	r->at++;
	free(list.word);
	return ok;
}

/* <, > and what follows them: the next word is a file. */
static bool
read_redirection(struct reader *r)
{
	if (r->end - r->at > 2 && memcmp(r->at, "<<", 2) == 0 && r->at[2] != '<')
		shell_begin_here(r);
	r->drop_file = *r->at == '>';
	if (r->started && strspn(r->word.text, "0123456789") == r->word.used)
		r->started = false;
	if (!shell_end_word(r))
		return false;
	shell_clear_word(r);
	while (r->at < r->end && strchr("<>&|-", *r->at) != NULL)
		r->at++;
	r->drop_next = true;
	return true;
}

static bool
is_glued(const struct reader *r)
{
	return r->started && r->at + 1 < r->end && strchr(" \t\r\n|&;", r->at[1]) == NULL &&
	    r->at[-1] != '|';
}

/* What ends a command or does more to it; false for all else. */
static bool
read_operator(struct reader *r, bool *ok)
{
	const char c = *r->at, next = r->at + 1 < r->end ? r->at[1] : '\0';

	switch (c) {
	case '\n':
		*ok = end_command(r, AFTER_ANY);
		r->line++;
		r->at++;
		*ok = *ok && shell_read_here(r);
		return true;
	case ';':
		*ok = end_command(r, AFTER_ANY);
		if (next == ';' && open_case(r) != NULL)
			end_case(open_case(r));
		break;
	case '&':
		if (next == '>')
			break;
		*ok = end_command(r, next == '&' ? AFTER_YES : AFTER_ANY);
		r->at += next == '&';
		break;
	case '|':
		/* Et*8|t*8: nobody pipes so, but layouts are pasted without their quotes. */
		if (next != '|' && is_glued(r))
			return false;
		*ok = end_command(r, next == '|' ? AFTER_NO : AFTER_ANY);
		r->at += next == '|';
		break;
	case '(':
		if (shell_is_assignment(r, true)) {
			*ok = read_array(r);
			return true;
		}
		if (next == ')' && r->started && would_run(r))
			shell_define(r);
		if (r->started || r->command.count > 0) {
			r->parens++;
			return false;
		}
		break;
	case ')':
		if (r->parens > 0) {
			r->parens--;
			return false;
		}
		*ok = end_command(r, AFTER_ANY);
		if (open_case(r) != NULL && open_case(r)->in_condition)
			begin_case(open_case(r));
		break;
	case '<':
	case '>':
		*ok = read_redirection(r);
		return true;
	default:
		return false;
	}
	r->at++;
	return true;
}

/* Read a text, or a part of it. */
static bool
read_body(struct shell *s, const char *text, const char *end, unsigned line)
{
	struct reader r = { .s = s, .read_body = read_body, .expand = shell_expand, .at = text, .end = end,
		.line = line, .expands = true, .previous = SHELL_MAYBE };
	bool ok = true;

	r.words = &r.command;
	while (ok && r.at < r.end)
		if (!read_blank(&r, &ok) && !read_operator(&r, &ok))
			ok = shell_read_part(&r);
	ok = ok && end_command(&r, AFTER_ANY);
	free(r.word.text);
	free(r.command.word);
	return ok;
}

/* What Slurm sets of what the script asks it for (sbatch(1), OUTPUT ENVIRONMENT VARIABLES). */
static bool
set_by_slurm(struct shell *s, const char *text)
{
	struct sbatch b;

	sbatch_read(&b, text);
	const struct {
		const char *name;
		int64_t value;
	} rows[] = {
		{ "SLURM_NNODES", b.nodes }, { "SLURM_JOB_NUM_NODES", b.nodes }, { "SLURM_GPUS_ON_NODE", b.gpus },
		{ "SLURM_GPUS_PER_NODE", b.gpus }, { "SLURM_NTASKS_PER_NODE", b.tasks }, { "SLURM_NTASKS", b.nodes * b.tasks },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char digits[24];
		const size_t n = text_put(digits, sizeof digits, "%lld", (long long)rows[i].value);
		struct shell_word word = { .line = 1 };
		const struct shell_list list = { 1, 1, &word };

		if (rows[i].value <= 0)
			continue;
		word.text = shell_copy(s, digits, n, 1);
		if (word.text == NULL || !shell_assign(s, rows[i].name, &list, false, false, 1))
			return false;
	}
	return true;
}

bool
shell_read(struct shell *s, const char *text, size_t size)
{
	return set_by_slurm(s, text) && read_body(s, text, text + size, 1);
}

bool
shell_split(struct shell *s, const char *text, unsigned line, struct shell_list *out)
{
	struct reader r = { .s = s, .at = text, .end = text + strlen(text), .line = line,
		.words = out };
	bool ok = true;

	while (ok && r.at < r.end)
		if (*r.at == '\n') {
			ok = shell_end_word(&r);
			r.line++;
			r.at++;
		} else if (!read_blank(&r, &ok)) {
			ok = shell_read_part(&r);
		}
	ok = ok && shell_end_word(&r);
	free(r.word.text);
	return ok;
}

/* ---- flags ------------------------------------------------------------------------------ */

bool
shell_adds(const struct shell_word *word)
{
	return word->unknown && word->text[0] == '$' && strpbrk(word->text, "/ \t\n") == NULL;
}

bool
shell_is_flag(const char *word)
{
	return word[0] == '-' && word[1] == '-' && isalpha((unsigned char)word[2]);
}

/* "--fp8-format hybrid" in one word, or a command handed to bash -c. */
static bool
holds_flags(const char *word)
{
	return strpbrk(word, " \t\n") != NULL && (shell_is_flag(word) || strstr(word, " --") != NULL);
}

/* Add words to a list, those apart that stand in one. */
bool
shell_flatten(struct shell *s, const struct shell_list *words, struct shell_list *out)
{
	for (size_t i = 0; i < words->count; i++) {
		const struct shell_word *w = &words->word[i];

		const size_t from = out->count;

		if (holds_flags(w->text) ? !shell_split(s, w->text, w->line, out) :
		    !shell_push(s, out, *w))
			return false;
		for (size_t k = from; k < out->count; k++)
			out->word[k].unknown = w->unknown && strchr(out->word[k].text, '$') != NULL;
	}
	return true;
}
