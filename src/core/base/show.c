#include <string.h>

#include "core/base/show.h"

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

uint32_t
utf8_char(const char *s, size_t length)
{
	static const unsigned char first[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	const unsigned char *p = (const unsigned char *)s;
	uint32_t ch = p[0] & first[length];

	for (size_t i = 1; i < length; i++)
		ch = ch << 6 | (p[i] & 0x3fU);
	return ch;
}

size_t
utf8_put(char out[4], uint32_t ch)
{
	static const unsigned char first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	const size_t length = ch < 0x80 ? 1 : ch < 0x800 ? 2 : ch < 0x10000 ? 3 : 4;

	for (size_t i = length - 1; i > 0; i--, ch >>= 6)
		out[i] = (char)(0x80 | (ch & 0x3f));
	out[0] = (char)(first[length] | ch);
	return length;
}

bool
show_is_plain(uint32_t ch)
{
	static const struct {
		uint32_t first, last;
	} foreign[] = {
		{ 0x00, 0x1f }, { 0x7f, 0x9f },  /* controls */
		{ 0xad, 0xad },                  /* soft hyphen */
		{ 0x61c, 0x61c }, { 0x180e, 0x180e },
		{ 0x200b, 0x200f },              /* without width; marks of direction */
		{ 0x2028, 0x202e },              /* separators; embeddings and overrides */
		{ 0x2060, 0x206f },              /* word joiner; isolates */
		{ 0xfeff, 0xfeff }, { 0xfff9, 0xfffb },
		{ 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a },
		{ 0xe0000, 0xe007f },            /* tags */
	};

	for (size_t i = 0; i < sizeof foreign / sizeof *foreign && ch >= foreign[i].first; i++)
		if (ch <= foreign[i].last)
			return false;
	return true;
}

size_t
show_plain(const char *s, size_t n)
{
	size_t at = 0;

	while (at < n) {
		const size_t step = utf8_length(s + at, n - at);

		if (step == 0 || !show_is_plain(utf8_char(s + at, step)))
			break;
		at += step;
	}
	return at;
}

size_t
show_foreign(const char *s, size_t n)
{
	const size_t step = utf8_length(s, n);

	if (n == 0 || (step > 0 && show_is_plain(utf8_char(s, step))))
		return 0;
	return step > 0 ? step : 1;
}

/* The first character of text, which is not empty, as it is shown; returns its length. */
static size_t
show_first(char out[4 * 4], const char *text, size_t left, size_t *step)
{
	static const char digit[] = "0123456789abcdef";

	*step = show_foreign(text, left);
	if (*step == 0) {
		*step = utf8_length(text, left);
		memcpy(out, text, *step);
		return *step;
	}
	for (size_t i = 0; i < *step; i++) {
		const unsigned char byte = (unsigned char)text[i];

		memcpy(out + 4 * i, (const char[]){ '\\', 'x', digit[byte >> 4], digit[byte & 15] }, 4);
	}
	return 4 * *step;
}

size_t
show_length(const char *text)
{
	char one[4 * 4];
	size_t left = strlen(text), all = 0, step;

	for (; left > 0; text += step, left -= step)
		all += show_first(one, text, left, &step);
	return all;
}

size_t
show_text(char *buf, size_t size, const char *text)
{
	const bool whole = show_length(text) < size;
	size_t left = strlen(text), used = 0, step;
	char one[4 * 4];

	if (size == 0)
		return 0;
	for (; left > 0; text += step, left -= step) {
		const size_t n = show_first(one, text, left, &step);

		if (used + n + (whole ? 0 : 3) >= size)
			break;
		memcpy(buf + used, one, n);
		used += n;
	}
	for (int i = 0; i < 3 && !whole && used + 1 < size; i++)
		buf[used++] = '.';
	buf[used] = '\0';
	return used;
}

size_t
show_path(char *buf, size_t size, const char *path)
{
	size_t all = show_length(path), left = strlen(path), step;
	char one[4 * 4];

	if (all < size || size < 8)
		return show_text(buf, size, path);
	for (; all + 3 >= size; path += step, left -= step)
		all -= show_first(one, path, left, &step);
	memcpy(buf, "...", 3);
	return 3 + show_text(buf + 3, size - 3, path);
}
