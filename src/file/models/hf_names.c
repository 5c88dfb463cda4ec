#include "file/models/hf_names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"

enum { PATTERN_MAX = 256 };

/* What stands before "layers.0" in checkpoints. */
static const char *const prefixes[] = { "model.language_model.", "language_model.model.", "model.", "backbone.",
	"transformer.", "" };

static const char *
without_prefix(const char *pattern)
{
	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (strncmp(pattern, prefixes[i], strlen(prefixes[i])) == 0 &&
		    strncmp(pattern + strlen(prefixes[i]), "layers.", 7) == 0)
			return pattern + strlen(prefixes[i]);
	return pattern;
}

/* ---- regular expressions of Python: what lists of modules have of them ------------- */

/* What is to match after the end of a group. */
struct after {
	const char *at, *end;
	const struct after *next;
};

static bool either(struct hf_look *look, const char *at, const char *end, const char *s, const struct after *after);

/* Behind the letter, class, or group that begins here. */
static const char *
atom_end(const char *at, const char *end)
{
	int depth = 0;

	for (const char *p = at; p < end; p++) {
		if (*p == '\\' && p + 1 < end) {
			p++;
		} else if (*p == '[') {
			for (p += p + 1 < end && p[1] == ']' ? 2 : 1; p < end && *p != ']'; p++)
				p += *p == '\\';
		} else {
			depth += *p == '(' ? 1 : *p == ')' ? -1 : 0;
		}
		if (depth <= 0)
			return p < end ? p + 1 : end;
	}
	return end;
}

static bool
in_class(const char *at, const char *end, char c)
{
	const bool negated = *at == '^';
	bool found = false;

	for (at += negated; at < end; at++)
		if (at + 2 < end && at[1] == '-') {
			found |= c >= at[0] && c <= at[2];
			at += 2;
		} else if (*at == '\\' && at + 1 < end) {
			at++;
			found |= *at == 'd' ? isdigit((unsigned char)c) != 0 : c == *at;
		} else {
			found |= c == *at;
		}
	return found != negated;
}

static bool
one_matches(const char *at, const char *end, char c)
{
	if (c == '\0')
		return false;
	if (*at == '[')
		return in_class(at + 1, end - 1, c);
	if (*at != '\\' || at + 1 >= end)
		return *at == '.' || *at == c;
	return at[1] == 'd' ? isdigit((unsigned char)c) != 0 :
	    at[1] == 'w' ? isalnum((unsigned char)c) != 0 || c == '_' : at[1] == c;
}

static bool here(struct hf_look *look, const char *at, const char *end, const char *s, const struct after *after);

/* A group, once or at most once; (?: and what must, or must not, follow. */
static bool
group(struct hf_look *look, const char *at, const char *close, const char *rest, const char *end, const char *s,
    const struct after *after)
{
	const struct after then = { rest, end, after };
	const char *inner = at + 1;
	const bool optional = rest > close && close[0] == '?';

	if (close - at < 2 || (rest > close && !optional)) {
		look->steps = 0; /* repeated */
		return false;
	}
	if (inner[0] != '?')
		return either(look, inner, close - 1, s, &then) || (optional && here(look, rest, end, s, after));
	if (close - inner > 2 && (inner[1] == '!' || inner[1] == '='))
		return either(look, inner + 2, close - 1, s, NULL) == (inner[1] == '=') && here(look, rest, end, s, after);
	if (close - inner > 2 && inner[1] == ':')
		return either(look, inner + 2, close - 1, s, &then) || (optional && here(look, rest, end, s, after));
	look->steps = 0;
	return false;
}

static bool
here(struct hf_look *look, const char *at, const char *end, const char *s, const struct after *after)
{
	const char *close, *rest;
	size_t least, n = 0;

	if (look->steps <= 0)
		return false;
	look->steps--;
	if (at == end)
		return after == NULL || here(look, after->at, after->end, s, after->next);
	if (*at == '$')
		return *s == '\0' && here(look, at + 1, end, s, after);
	if (*at == '^') /* at the beginning, where all matching begins */
		return here(look, at + 1, end, s, after);
	rest = close = atom_end(at, end);
	if (close < end && *close == '{')
		look->steps = 0;
	rest += close < end && strchr("*+?", *close) != NULL;
	if (*at == '(')
		return group(look, at, close, rest, end, s, after);
	if (rest == close)
		return one_matches(at, close, *s) && here(look, rest, end, s + 1, after);
	least = *close == '+' ? 1 : 0;
	while (one_matches(at, close, s[n]) && (*close != '?' || n == 0))
		n++;
	rest += rest < end && *rest == '?'; /* reluctant: the same names match */
	for (; n + 1 > least; n--)
		if (here(look, rest, end, s + n, after))
			return true;
		else if (n == 0)
			break;
	return false;
}

/* One of the alternatives. */
static bool
either(struct hf_look *look, const char *at, const char *end, const char *s, const struct after *after)
{
	for (const char *p = at;; p = atom_end(p, end)) {
		if (p < end && *p != '|')
			continue;
		if (here(look, at, p, s, after))
			return true;
		if (p >= end)
			return false;
		at = p + 1;
	}
}

/* ---- names ------------------------------------------------------------------------- */

/* The pattern is all of the text, or all of it before a dot. */
static bool
pattern_begins(struct hf_look *look, const char *pattern, const char *text)
{
	const char *star = NULL, *from = NULL;

	for (; look->steps > 0; look->steps--)
		if (*pattern == '\0' && (*text == '\0' || *text == '.')) {
			return true;
		} else if (*pattern == '*') {
			star = ++pattern;
			from = text;
		} else if (*text != '\0' && (*pattern == '?' || *pattern == *text)) {
			pattern++;
			text++;
		} else if (star != NULL && *from != '\0') {
			pattern = star;
			text = ++from;
		} else {
			return false;
		}
	return false;
}

bool
hf_name_meant(struct hf_look *look, const char *pattern, const char *name)
{
	if (strlen(pattern) >= PATTERN_MAX || strlen(name) >= PATTERN_MAX) {
		look->steps = 0;
		return false;
	}
	if (strncmp(pattern, "re:", 3) == 0 || strncmp(pattern, "-:", 2) == 0) {
		const char *expression = strchr(pattern, ':') + 1;

		for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
			if (either(look, expression, expression + strlen(expression), TEXT_OF(2 * PATTERN_MAX, "%s%s",
			    prefixes[i], name), NULL))
				return true;
		return false;
	}
	pattern = without_prefix(pattern);
	for (const char *at = name; *pattern != '\0'; at++) {
		if (pattern_begins(look, pattern, at))
			return true;
		if ((at = strchr(at, '.')) == NULL)
			return false;
	}
	return false;
}

int64_t
hf_name_layer(const char *pattern)
{
	pattern = without_prefix(pattern);
	return strncmp(pattern, "layers.", 7) == 0 && isdigit((unsigned char)pattern[7]) &&
	    pattern[7 + strspn(pattern + 7, "0123456789")] == '.' && strlen(pattern) < PATTERN_MAX ?
	    strtoll(pattern + 7, NULL, 10) : -1;
}
