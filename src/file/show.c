#include <string.h>

#include "file/show.h"

size_t
utf8_length(const char *s, size_t n)
{
	const unsigned char *p = (const unsigned char *)s;
	unsigned long v;
	size_t need;

	if (n == 0)
		return 0;
	if (p[0] < 0x80)
		return 1;
	if (p[0] >= 0xc2 && p[0] <= 0xdf)
		need = 2, v = p[0] & 0x1fUL;
	else if (p[0] >= 0xe0 && p[0] <= 0xef)
		need = 3, v = p[0] & 0x0fUL;
	else if (p[0] >= 0xf0 && p[0] <= 0xf4)
		need = 4, v = p[0] & 0x07UL;
	else
		return 0;
	if (n < need)
		return 0;
	for (size_t i = 1; i < need; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		v = v << 6 | (p[i] & 0x3fUL);
	}
	if ((need == 3 && v < 0x800) || (need == 4 && (v < 0x10000 || v > 0x10ffff)) ||
	    (v >= 0xd800 && v <= 0xdfff))
		return 0;
	return need;
}

bool
utf8_valid(const char *s)
{
	size_t n = strlen(s);

	while (n > 0) {
		size_t step = utf8_length(s, n);

		if (step == 0)
			return false;
		s += step;
		n -= step;
	}
	return true;
}

/* Control characters of ASCII and of the C1 set, which some terminals obey too. */
static bool
is_control(const char *s, size_t length)
{
	const unsigned char *p = (const unsigned char *)s;

	if (length == 1)
		return p[0] < 0x20 || p[0] == 0x7f;
	return length == 2 && p[0] == 0xc2 && p[1] < 0xa0;
}

size_t
show_text(char *buf, size_t size, const char *text)
{
	size_t left = strlen(text), used = 0;

	if (size == 0)
		return 0;
	while (left > 0) {
		size_t step = utf8_length(text, left), room = size - 1 - used;
		bool bad = step == 0 || is_control(text, step);
		size_t put = bad ? 1 : step;

		if (step == 0)
			step = 1;
		if (put > room || (left > room && room - put < 3)) {
			for (int i = 0; i < 3 && used + 1 < size; i++)
				buf[used++] = '.';
			break;
		}
		if (bad)
			buf[used] = '?';
		else
			memcpy(buf + used, text, step);
		used += put;
		text += step;
		left -= step;
	}
	buf[used] = '\0';
	return used;
}

size_t
show_path(char *buf, size_t size, const char *path)
{
	size_t n = strlen(path);

	if (n < size || size < 8)
		return show_text(buf, size, path);
	memcpy(buf, "...", 3);
	path += n - (size - 4);
	while (((unsigned char)*path & 0xc0) == 0x80)
		path++;
	return 3 + show_text(buf + 3, size - 3, path);
}
