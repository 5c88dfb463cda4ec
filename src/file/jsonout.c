#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <jansson.h>

#include "core/text.h"
#include "file/jsonout.h"
#include "file/show.h"

/* Quotation marks and escapes are the library's; bytes that are no UTF-8 become '?'. */
static void
put_text(struct jsonout *j, const char *v)
{
	char shown[2048];
	json_t *text = json_string(v);

	if (text == NULL) {
		show_text(shown, sizeof shown, v);
		text = json_string(shown);
	}
	if (text == NULL || json_dumpf(text, j->out, JSON_ENCODE_ANY) != 0)
		fputs("null", j->out);
	json_decref(text);
}

/* Comma, line end, indentation and key: all that stands before a value. */
static void
before(struct jsonout *j, const char *key)
{
	if (j->depth > 0) {
		bool *begun = &j->begun[j->depth - 1];

		if (*begun)
			putc(',', j->out);
		if (j->line > 0) {
			if (*begun)
				putc(' ', j->out);
		} else {
			putc('\n', j->out);
			for (int i = 0; i < j->depth; i++)
				fputs("  ", j->out);
		}
		*begun = true;
	}
	if (key != NULL) {
		put_text(j, key);
		fputs(": ", j->out);
	}
}

static void
open_container(struct jsonout *j, const char *key, char begin, char end, bool row)
{
	before(j, key);
	putc(begin, j->out);
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
	if (!row && j->begun[j->depth]) {
		putc('\n', j->out);
		for (int i = 0; i < j->depth; i++)
			fputs("  ", j->out);
	}
	putc(j->end[j->depth], j->out);
	if (j->depth == 0)
		putc('\n', j->out);
}

void
jsonout_int(struct jsonout *j, const char *key, int64_t v)
{
	before(j, key);
	fprintf(j->out, "%" PRId64, v);
}

void
jsonout_real(struct jsonout *j, const char *key, double v)
{
	char text[64];

	if (!isfinite(v)) { /* JSON has no word for it */
		jsonout_null(j, key);
		return;
	}
	before(j, key);
	text_real(text, sizeof text, v);
	fputs(text, j->out);
	if (strpbrk(text, ".e") == NULL)
		fputs(".0", j->out);
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
jsonout_bool(struct jsonout *j, const char *key, bool v)
{
	before(j, key);
	fputs(v ? "true" : "false", j->out);
}

void
jsonout_text(struct jsonout *j, const char *key, const char *v)
{
	if (v == NULL) {
		jsonout_null(j, key);
		return;
	}
	before(j, key);
	put_text(j, v);
}

void
jsonout_null(struct jsonout *j, const char *key)
{
	before(j, key);
	fputs("null", j->out);
}
