#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/show.h"
#include "core/base/text.h"
#include "file/plan/errors.h"
#include "file/plan/emit.h"
#include "file/plan/scan.h"

struct scanner {
	const char *at, *end; /* *end is NUL */
	unsigned line;
	const char *file;
	struct file_errors *errors;
	int depth;
	unsigned keys[SCAN_DEPTH_MAX + 1];
	struct scanned found;
	bool ok, stopped;
};

static void
refuse_line(struct scanner *s, unsigned line, const char *message)
{
	errors_add(s->errors, s->file, line, "", "%s", message);
	s->ok = false;
}

/* For what leaves the scanner without a clue where it is. */
static void
stop(struct scanner *s, unsigned line, const char *message)
{
	refuse_line(s, line, message);
	s->stopped = true;
}

static void
line_comment(struct scanner *s)
{
	const char *start = s->at;

	while (s->at < s->end && *s->at != '\n')
		s->at++;
	if (!emit_is_own_comment(start, (size_t)(s->at - start)))
		s->found.comments = true;
}

static void
block_comment(struct scanner *s)
{
	unsigned line = s->line;

	s->found.comments = true;
	for (s->at += 2; s->at < s->end; s->at++) {
		if (*s->at == '\n')
			s->line++;
		if (s->at[0] == '*' && s->at[1] == '/') {
			s->at += 2;
			return;
		}
	}
	stop(s, line, "this comment never ends (fix: close it with */)");
}

/* An escape in a string; the versions disagree on all but these. */
static void
escape(struct scanner *s)
{
	const char *p = s->at + 1;

	if (*p != '\0' && strchr("nrtf\\\"", *p) != NULL) {
		s->at += 2;
		return;
	}
	if ((*p == 'x' || *p == 'X') && isxdigit((unsigned char)p[1]) &&
	    isxdigit((unsigned char)p[2])) {
		if (p[1] == '0' && p[2] == '0')
			refuse_line(s, s->line,
			    "a text can not hold the byte zero (fix: leave \\x00 out)");
		s->at += 4;
		return;
	}
	refuse_line(s, s->line, "unknown escape in a text (fix: write \\\\ for one backslash)");
	s->at++;
}

static void
string(struct scanner *s)
{
	unsigned line = s->line;

	s->at++;
	while (s->at < s->end) {
		if (*s->at == '"') {
			s->at++;
			return;
		}
		if (*s->at == '\\') {
			escape(s);
			continue;
		}
		if (*s->at == '\n')
			s->line++;
		s->at++;
	}
	stop(s, line, "this text never ends (fix: close it with a quotation mark)");
}

/* ---- numbers -------------------------------------------------------------------- */

static size_t
digits(const char *p)
{
	return strspn(p, "0123456789");
}

static bool
goes_on(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static void
bad_number(struct scanner *s, const char *number, const char *message)
{
	char shown[48];

	show_text(shown, sizeof shown, number);
	errors_add(s->errors, s->file, s->line, "", "%s %s", shown, message);
	s->ok = false;
}

static void
needs_long(struct scanner *s, const char *number)
{
	errors_add(s->errors, s->file, s->line, "",
	    "%s needs an L, or libconfig 1.5 reads another number (fix: write %sL)", number,
	    number);
	s->ok = false;
}

/* A whole number: sign, n digits, L or not. */
static void
check_int(struct scanner *s, const char *number, size_t n, bool is_long)
{
	size_t sign = *number == '+' || *number == '-';
	const char *first = number + sign;
	int64_t v;
	char plain[128];

	if (n > 1 && *first == '0') {
		while (n > 1 && *first == '0')
			first++, n--;
		errors_add(s->errors, s->file, s->line, "",
		    "leading zeros, which libconfig 1.7 reads as octal (fix: write %.*s%.*s)",
		    (int)sign, number, n > 40 ? 40 : (int)n, first);
		s->ok = false;
		return;
	}
	text_put(plain, sizeof plain, "%.*s", (int)(sign + n), number);
	if (!text_to_int(plain, &v))
		bad_number(s, plain,
		    "is too large (fix: whole numbers go up to 9223372036854775807L)");
	else if (!is_long && (v > INT32_MAX || v < -INT32_MAX))
		needs_long(s, plain);
}

static void
check_hex(struct scanner *s, const char *number, size_t n, bool is_long)
{
	char plain[128];
	uint64_t v;

	text_put(plain, sizeof plain, "%.*s", (int)n, number);
	errno = 0;
	v = strtoull(plain, NULL, 16);
	if (errno == ERANGE || v > INT64_MAX)
		bad_number(s, plain,
		    "is too large (fix: whole numbers go up to 0x7FFFFFFFFFFFFFFFL)");
	else if (!is_long && v > INT32_MAX)
		needs_long(s, plain);
}

static void
check_real(struct scanner *s, const char *number, size_t n)
{
	char plain[128];
	double v;

	text_put(plain, sizeof plain, "%.*s", (int)n, number);
	errno = 0;
	v = strtod(plain, NULL);
	if (!isfinite(v))
		bad_number(s, plain, "is too large (fix: numbers go up to 1.79e308)");
	else if (errno == ERANGE && fabs(v) <= 0)
		bad_number(s, plain, "is too small (fix: write 0.0)");
}

/* Length of a real at p (after its sign), 0 when it has neither point nor exponent. */
static size_t
real_length(const char *p)
{
	size_t whole = digits(p), n = whole, tail = 0;
	bool point = p[n] == '.';

	if (point)
		n += 1 + (tail = digits(p + n + 1));
	if (whole + tail == 0)
		return 0;
	if (p[n] == 'e' || p[n] == 'E') {
		size_t sign = p[n + 1] == '+' || p[n + 1] == '-';
		size_t power = digits(p + n + 1 + sign);

		if (power > 0)
			return n + 1 + sign + power;
	}
	return point ? n : 0;
}

static void
scan_number(struct scanner *s)
{
	const char *start = s->at, *p = start + (*start == '+' || *start == '-');
	size_t n = real_length(p), l;
	enum { REAL_NUMBER, HEX_NUMBER, WHOLE_NUMBER } kind = REAL_NUMBER;

	if (n == 0 && p == start && p[0] == '0' && (p[1] == 'x' || p[1] == 'X') &&
	    isxdigit((unsigned char)p[2])) {
		kind = HEX_NUMBER;
		n = 2 + strspn(p + 2, "0123456789abcdefABCDEF");
	} else if (n == 0) {
		kind = WHOLE_NUMBER;
		n = digits(p);
	}
	l = kind == REAL_NUMBER ? 0 : strspn(p + n, "L");
	s->at = p + n + l;
	if (n == 0 || n > 100 || l > 2 || goes_on(*s->at)) {
		while (s->at < s->end && goes_on(*s->at))
			s->at++;
		s->at += s->at == start;
		/* It is not shown: a base may name any file, a key to be kept secret as well. */
		refuse_line(s, s->line, "this is not a number (fix: write digits, such as 8 or 0.5)");
	} else if (kind == REAL_NUMBER) {
		check_real(s, start, (size_t)(s->at - start));
	} else if (kind == HEX_NUMBER) {
		check_hex(s, start, n, l > 0);
	} else {
		check_int(s, start, n, l > 0);
	}
}

/* ---- the rest ------------------------------------------------------------------- */

static void
name(struct scanner *s)
{
	while (isalnum((unsigned char)*s->at) || (*s->at != '\0' && strchr("-_*", *s->at) != NULL))
		s->at++;
}

static void
count_value(struct scanner *s)
{
	if (++s->found.values > SCAN_VALUES_MAX)
		stop(s, s->line, "more than 20000 settings and members of lists: no plan needs so many");
}

static void
open_bracket(struct scanner *s)
{
	if (*s->at++ != '{')
		count_value(s); /* the first member of a list; commas count the others */
	if (++s->depth > SCAN_DEPTH_MAX)
		stop(s, s->line, "more than 64 groups and lists inside one another");
	else
		s->keys[s->depth] = 0;
}

static void
count_key(struct scanner *s)
{
	s->at++;
	if (++s->keys[s->depth] > SCAN_KEYS_MAX)
		stop(s, s->line, "more than 2000 settings in one group: no plan needs so many");
	else
		count_value(s);
}

static void
token(struct scanner *s)
{
	unsigned char c = (unsigned char)*s->at;

	if (c == '\n') {
		s->line++;
		s->at++;
	} else if (c == '#' || (c == '/' && s->at[1] == '/')) {
		line_comment(s);
	} else if (c == '/' && s->at[1] == '*') {
		block_comment(s);
	} else if (c == '"') {
		string(s);
	} else if (isdigit(c) || c == '+' || c == '-' || c == '.') {
		scan_number(s);
	} else if (isalpha(c) || c == '*') {
		name(s);
	} else if (c == '{' || c == '(' || c == '[') {
		open_bracket(s);
	} else if (c == '}' || c == ')' || c == ']') {
		s->at++;
		s->depth -= s->depth > 0;
	} else if (c == '=' || c == ':') {
		count_key(s);
	} else if (c == ',') {
		s->at++;
		count_value(s);
	} else if (c == '@') {
		stop(s, s->line, "@include is not supported (fix: base = \"other.cfg\";)");
	} else {
		s->at++; /* blanks; what is no libconfig it says itself */
	}
}

bool
scan_text(const char *text, size_t size, const char *file, struct file_errors *errors,
    struct scanned *found)
{
	struct scanner s = { .at = text, .end = text + size, .line = 1, .file = file,
	    .errors = errors, .ok = true };
	const char *nul = memchr(text, '\0', size);

	*found = (struct scanned){ .comments = true };
	if (nul != NULL) {
		for (const char *p = text; p < nul; p++)
			s.line += *p == '\n';
		refuse_line(&s, s.line, "a zero byte: this is no text file");
		return false;
	}
	while (s.at < s.end && !s.stopped)
		token(&s);
	*found = s.found;
	found->comments = found->comments || !s.ok;
	return s.ok;
}
