#include <errno.h>
#include <math.h>
#include <stdio.h> /* vsnprintf alone: see text.h */
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"

/* How many of n bytes are whole characters of UTF-8. */
static size_t
whole_characters(const char *buf, size_t n)
{
	size_t at = n, bytes;

	while (at > 0 && n - at < 3 && (buf[at - 1] & 0xc0) == 0x80)
		at--;
	if (at == 0 || (buf[at - 1] & 0xc0) != 0xc0)
		return n;
	bytes = (buf[at - 1] & 0xf0) == 0xf0 ? 4 : (buf[at - 1] & 0xe0) == 0xe0 ? 3 : 2;
	return n - at + 1 < bytes ? at - 1 : n;
}

size_t
text_vput(char *buf, size_t size, const char *fmt, va_list args)
{
	size_t used;
	int n;

	if (size == 0)
		return 0;
	n = vsnprintf(buf, size, fmt, args);
	if (n < 0) {
		buf[0] = '\0';
		return 0;
	}
	if ((size_t)n < size)
		return (size_t)n;
	used = whole_characters(buf, size - 1);
	buf[used] = '\0';
	return used;
}

size_t
text_put(char *buf, size_t size, const char *fmt, ...)
{
	va_list args;
	size_t n;

	va_start(args, fmt);
	n = text_vput(buf, size, fmt, args);
	va_end(args);
	return n;
}

char *
text_made(char *buf, size_t size, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	text_vput(buf, size, fmt, args);
	va_end(args);
	return buf;
}

size_t
text_add(char *buf, size_t size, const char *fmt, ...)
{
	size_t used = strlen(buf);
	va_list args;

	if (used >= size)
		return used;
	va_start(args, fmt);
	used += text_vput(buf + used, size - used, fmt, args);
	va_end(args);
	return used;
}

bool
text_copy(char *buf, size_t size, const char *src)
{
	size_t n = strlen(src);

	if (n >= size)
		return false;
	memcpy(buf, src, n + 1);
	return true;
}

size_t
text_part(char *buf, size_t size, const char *src, size_t n)
{
	if (size == 0)
		return 0;
	if (n >= size)
		n = whole_characters(src, size - 1);
	memcpy(buf, src, n);
	buf[n] = '\0';
	return n;
}

size_t
text_real(char *buf, size_t size, double v)
{
	const double magnitude = v < 0 ? -v : v;
	int digits = 1;
	size_t n = 0;

	/* "400", not "4e+02": no exponent where the plain number is exact. */
	for (double power = 10; power <= magnitude && digits < 15; power *= 10)
		digits++;
	for (; digits <= 17; digits++) {
		n = text_put(buf, size, "%.*g", digits, v);
		if (!(strtod(buf, NULL) < v) && !(strtod(buf, NULL) > v))
			break;
	}
	return n;
}

/* True when only blanks follow. */
static bool
ends(const char *p)
{
	return p[strspn(p, " \t")] == '\0';
}

bool
text_to_int(const char *text, int64_t *out)
{
	const int before = errno; /* of whoever reads the text: the reason of an error to come */
	char *end;
	long long v;
	bool ok;

	errno = 0;
	v = strtoll(text, &end, 10);
	ok = end != text && ends(end) && errno != ERANGE;
	errno = before;
	if (ok)
		*out = v;
	return ok;
}

bool
text_to_real(const char *text, double *out)
{
	const int before = errno;
	char *end;
	double v;

	v = strtod(text, &end);
	errno = before;
	if (end == text || !ends(end) || !isfinite(v))
		return false;
	*out = v;
	return true;
}

int
text_index(const char *list, const char *word, size_t length)
{
	for (int i = 0; *list != '\0'; i++) {
		const size_t n = strcspn(list, ", ");

		if (n == length && strncmp(list, word, n) == 0)
			return i;
		list += n;
		list += strspn(list, ", ");
	}
	return -1;
}

bool
text_choice(const char *names, int64_t i, char *buf, size_t size)
{
	for (; i > 0; i--) {
		names += strcspn(names, "|");
		if (*names++ == '\0')
			return false;
	}
	text_part(buf, size, names, strcspn(names, "|"));
	return true;
}

int64_t
text_choice_index(const char *names, const char *name)
{
	const size_t n = strlen(name);

	for (int64_t i = 0;; i++) {
		const size_t length = strcspn(names, "|");

		if (length == n && memcmp(names, name, n) == 0)
			return i;
		if (names[length] == '\0')
			return -1;
		names += length + 1;
	}
}

static int
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

/* What it takes to insert or delete a character. */
static size_t
cost(char c)
{
	return c >= '0' && c <= '9' ? 2 : 1;
}

static size_t
replacing(char a, char b)
{
	return lower(a) == lower(b) ? 0 : cost(a) > cost(b) ? cost(a) : cost(b);
}

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Neighbours that were typed in the other order. */
static bool
are_swapped(const char *a, const char *b)
{
	return lower(a[0]) == lower(b[1]) && lower(a[1]) == lower(b[0]);
}

size_t
text_distance(const char *a, const char *b)
{
	enum { LONGEST = 64 };
	size_t d[LONGEST][LONGEST]; /* of the beginnings of both */
	const size_t la = strlen(a), lb = strlen(b);

	if (la >= LONGEST || lb >= LONGEST)
		return LONGEST;
	d[0][0] = 0;
	for (size_t j = 0; j < lb; j++)
		d[0][j + 1] = d[0][j] + cost(b[j]);
	for (size_t i = 0; i < la; i++) {
		d[i + 1][0] = d[i][0] + cost(a[i]);
		for (size_t j = 0; j < lb; j++) {
			d[i + 1][j + 1] = least(d[i][j] + replacing(a[i], b[j]),
			    least(d[i][j + 1] + cost(a[i]), d[i + 1][j] + cost(b[j])));
			if (i > 0 && j > 0 && are_swapped(a + i - 1, b + j - 1))
				d[i + 1][j + 1] = least(d[i + 1][j + 1], d[i - 1][j - 1] + replacing(a[i], b[j]));
		}
	}
	return d[la][lb];
}

size_t
text_of_count(char *buf, size_t size, const char *unit, int64_t n)
{
	const size_t length = strlen(unit);

	if (n != 1 || length == 0 || unit[length - 1] != 's' || strchr(unit, '/') != NULL)
		return text_put(buf, size, "%s", unit);
	if (length > 3 && strcmp(unit + length - 3, "ies") == 0)
		return text_put(buf, size, "%.*sy", (int)length - 3, unit);
	return text_put(buf, size, "%.*s", (int)length - 1, unit);
}

const char *
text_nearer(const char *name, const char *best, const char *other)
{
	const size_t d = text_distance(name, other), least = best != NULL ? text_distance(name, best) : 3;

	return d < least && 2 * d <= strlen(name) ? other : best;
}

size_t
text_add_near(char *buf, size_t size, const char *near)
{
	return near != NULL ? text_add(buf, size, " (did you mean %s?)", near) : strlen(buf);
}
