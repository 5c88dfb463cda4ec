#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/base/show.h"
#include "core/base/text.h"
#include "file/base/jsonout.h"
#include "out/out.h"

/* What core/show.h does not show, escaped, so that the value is the same; a byte that is no
 * UTF-8, which JSON can not hold, is the text \xNN. Returns the bytes that it stands for. */
static size_t
put_foreign(struct jsonout *j, const char *v, size_t left)
{
	const size_t step = utf8_length(v, left);
	const uint32_t ch = step > 0 ? utf8_char(v, step) : 0;

	if (step == 0)
		out_part(j->out, "\\\\x%02x", (unsigned)(unsigned char)*v);
	else if (ch < 0x10000)
		out_part(j->out, "\\u%04x", (unsigned)ch);
	else /* a pair of surrogates: RFC 8259, section 7 */
		out_part(j->out, "\\u%04x\\u%04x", 0xd7c0 + (unsigned)(ch >> 10),
		    0xdc00 | (unsigned)(ch & 0x3ff));
	return step > 0 ? step : 1;
}

static void
put_text(struct jsonout *j, const char *v)
{
	static const char letters[] = "\"\\\b\f\n\r\t", escapes[] = "\"\\bfnrt";
	size_t left = strlen(v);

	out_part(j->out, "\"");
	while (left > 0) {
		const char *letter = strchr(letters, *v);
		size_t step = show_plain(v, strcspn(v, letters));

		if (step > 0) {
			out_bytes(j->out, v, step);
		} else if (letter != NULL) {
			out_part(j->out, "\\%c", escapes[letter - letters]);
			step = 1;
		} else {
			step = put_foreign(j, v, left);
		}
		v += step;
		left -= step;
	}
	out_part(j->out, "\"");
}

static void
new_line(struct jsonout *j)
{
	out_end(j->out);
	out_part(j->out, "%*s", 2 * j->depth, "");
}

/* Comma, line end, indentation and key: all that stands before a value. */
static void
put_key(struct jsonout *j, const char *key)
{
	if (j->depth > 0) {
		bool *begun = &j->begun[j->depth - 1];

		if (*begun)
			out_bytes(j->out, ", ", j->line > 0 ? 2 : 1);
		if (j->line == 0)
			new_line(j);
		*begun = true;
	}
	if (key != NULL) {
		put_text(j, key);
		out_part(j->out, ": ");
	}
}

static void
open_container(struct jsonout *j, const char *key, char begin, char end, bool row)
{
	put_key(j, key);
	out_bytes(j->out, &begin, 1);
	if (j->depth == JSONOUT_DEPTH) /* deeper than any report: ends up as wrong JSON */
		return;
	j->end[j->depth] = end;
	j->begun[j->depth++] = false;
	if (row && j->line == 0)
		j->line = j->depth;
}

void
jsonout_object(struct jsonout *j, const char *key)
{
	open_container(j, key, '{', '}', false);
}

void
jsonout_list(struct jsonout *j, const char *key)
{
	open_container(j, key, '[', ']', false);
}

void
jsonout_object_row(struct jsonout *j, const char *key)
{
	open_container(j, key, '{', '}', true);
}

void
jsonout_list_row(struct jsonout *j, const char *key)
{
	open_container(j, key, '[', ']', true);
}

void
jsonout_close(struct jsonout *j)
{
	const bool row = j->line > 0;

	if (j->depth == 0)
		return;
	if (j->line == j->depth)
		j->line = 0;
	j->depth--;
	if (!row && j->begun[j->depth])
		new_line(j);
	out_bytes(j->out, &j->end[j->depth], 1);
	if (j->depth == 0)
		out_end(j->out);
}

void
jsonout_int(struct jsonout *j, const char *key, int64_t v)
{
	put_key(j, key);
	out_part(j->out, "%" PRId64, v);
}

void
jsonout_real(struct jsonout *j, const char *key, double v)
{
	char text[64];

	if (!isfinite(v)) { /* JSON has no word for it */
		jsonout_null(j, key);
		return;
	}
	put_key(j, key);
	text_real(text, sizeof text, v);
	out_part(j->out, "%s%s", text, strpbrk(text, ".e") == NULL ? ".0" : "");
}

void
jsonout_count(struct jsonout *j, const char *key, double v)
{
	const double exact = 9007199254740992.0; /* 2^53: whole numbers a double can tell apart */

	if (v >= -exact && v <= exact && !(floor(v) < v))
		jsonout_int(j, key, (int64_t)v);
	else
		jsonout_real(j, key, v);
}

void
jsonout_bytes(struct jsonout *j, const char *key, double v)
{
	const double most = 9223372036854775808.0; /* 2^63: readers take whole numbers below it */

	v = round(v);
	if (!(v >= -most && v < most)) {
		jsonout_real(j, key, v);
		return;
	}
	put_key(j, key);
	out_part(j->out, "%.0f", v);
}

void
jsonout_bool(struct jsonout *j, const char *key, bool v)
{
	put_key(j, key);
	out_part(j->out, "%s", v ? "true" : "false");
}

void
jsonout_text(struct jsonout *j, const char *key, const char *v)
{
	if (v == NULL) {
		jsonout_null(j, key);
		return;
	}
	put_key(j, key);
	put_text(j, v);
}

void
jsonout_null(struct jsonout *j, const char *key)
{
	put_key(j, key);
	out_part(j->out, "null");
}
