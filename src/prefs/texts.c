#include "prefs/texts.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"

enum { PARTS_MAX = 9, DEPTH_MOST = 4, COLUMNS_APART = 2 };

/* Parts of a text that conversions became. */
struct parts {
	int count;
	const char *at[PARTS_MAX];
	size_t length[PARTS_MAX];
};

/* ---- the table ------------------------------------------------------------------------- */

/* Bytes of the conversion at `at`, "%s" or "%-4lld"; 0 where there is none. */
static size_t
conversion(const char *at)
{
	size_t n;

	if (at[0] != '%')
		return 0;
	n = 1 + strspn(at + 1, "-+0123456789.*lhzj");
	return at[n] != '\0' && strchr("sdiucfgeE", at[n]) != NULL ? n + 1 : 0;
}

/* Where the next conversion is, or the end. */
static const char *
next_conversion(const char *at)
{
	while (*at != '\0' && conversion(at) == 0)
		at++;
	return at;
}

/* "%%" is printed as "%". */
static void
squeeze_percents(char *text)
{
	char *to = text;

	for (; *text != '\0'; text++) {
		*to++ = *text;
		text += text[0] == '%' && text[1] == '%';
	}
	*to = '\0';
}

static struct texts_line
line_of(char *english, const char *other)
{
	struct texts_line line = { .english = english, .other = other };

	squeeze_percents(english);
	line.first = conversion(english) > 0 ? '\0' : english[0];
	for (const char *at = english; *at != '\0';) {
		const char *end = next_conversion(at);

		if ((size_t)(end - at) > line.run) {
			line.piece = at;
			line.run = (size_t)(end - at);
		}
		line.weight += (size_t)(end - at);
		line.varies = line.varies || *end != '\0';
		line.last = *end != '\0' ? '\0' : end[-1];
		at = end + conversion(end);
	}
	return line;
}

/* Without conversions first, by the alphabet. Of the others those first that leave least open. */
static int
compare(const void *a, const void *b)
{
	const struct texts_line *x = a, *y = b;

	if (x->varies != y->varies)
		return x->varies ? 1 : -1;
	if (x->varies && x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return strcmp(x->english, y->english);
}

/* The line at `at`, ended; *at goes behind it. */
static char *
next_line(char **at)
{
	char *line = *at;
	const size_t n = strcspn(line, "\n");

	*at += n + (line[n] == '\n');
	line[n] = '\0';
	return line;
}

bool
texts_init(struct texts *t, char *content, char *why, size_t size)
{
	size_t lines = 1, number = 0;
	char *at = content, *english = NULL;

	for (const char *c = content; *c != '\0'; c++)
		lines += *c == '\n';
	*t = (struct texts){ .line = malloc(lines * sizeof *t->line) };
	if (t->line == NULL) {
		text_put(why, size, "out of memory");
		return false;
	}
	while (*at != '\0') {
		char *line = next_line(&at);

		number++;
		if (line[0] == '#' || line[0] == '\0')
			continue;
		if ((line[0] == '\t') != (english != NULL)) {
			text_put(why, size, "line %zu: %s", number, english != NULL ?
			    "what is said for the line above is missing" : "the English above it is missing");
			texts_free(t);
			return false;
		}
		if (english != NULL)
			t->line[t->count++] = line_of(english, line + 1);
		english = english != NULL ? NULL : line;
	}
	t->text = content;
	qsort(t->line, t->count, sizeof *t->line, compare);
	while (t->fixed < t->count && !t->line[t->fixed].varies)
		t->fixed++;
	return true;
}

void
texts_free(struct texts *t)
{
	free(t->text);
	free(t->line);
	*t = (struct texts){ 0 };
}

/* ---- a text that has conversions ------------------------------------------------------- */

static const char *
find_fixed(const struct texts *t, const char *english)
{
	const struct texts_line key = { .english = english };
	const struct texts_line *line = bsearch(&key, t->line, t->fixed, sizeof key, compare);

	return line != NULL ? line->other : NULL;
}

/* What a conversion can have become: %s anything but several clauses, or a text that is said whole;
 * the others a number. Within a clause may stand commas where that is asked for. */
static bool
can_be(const struct texts *t, char kind, const char *text, size_t length, bool commas)
{
	char part[TEXTS_SIZE];

	if (kind == 'c')
		return length == 1;
	text_part(part, sizeof part, text, length);
	if (kind == 's' && length > 0 && strchr(";,", text[length - 1]) != NULL) /* a clause has its end too */
		return false;
	if (kind == 's')
		return (strstr(part, "; ") == NULL && (commas || strstr(part, ", ") == NULL)) ||
		    find_fixed(t, part) != NULL;
	return length > 0 && strspn(part, "0123456789.,+-einfa") + (strchr("kMGT", part[length - 1]) != NULL) == length;
}

static bool
text_matches(const struct texts *t, const char *english, const char *text, bool commas,
    struct parts *parts)
{
	const char *end = next_conversion(english);
	const size_t fixed = (size_t)(end - english), n = conversion(end);
	const char *follows = end + n;
	const size_t next = (size_t)(next_conversion(follows) - follows);

	if (strncmp(english, text, fixed) != 0)
		return false;
	text += fixed;
	if (n == 0)
		return *text == '\0';
	if (parts->count == PARTS_MAX)
		return false;
	/* Each place where what follows it may begin. */
	for (const char *at = text;; at++) {
		const int i = parts->count;

		if (strncmp(follows, at, next) == 0 && can_be(t, end[n - 1], text, (size_t)(at - text), commas)) {
			parts->at[i] = text;
			parts->length[i] = (size_t)(at - text);
			parts->count = i + 1;
			if (text_matches(t, follows, at, commas, parts))
				return true;
			parts->count = i;
		}
		if (*at == '\0')
			return false;
	}
}

/* How much of a text something stands for. */
enum said { SAID_NOT, SAID_PART, SAID };

/* Say n bytes in buf, as they are where nothing stands for them. */
static enum said say(const struct texts *t, const char *english, size_t n, int depth, char *buf,
    size_t size);

/* The text in the other language with its parts, each said in turn; behind a colon one stands as it is typed. */
static void
fill(const struct texts *t, const char *other, const struct parts *parts, int depth, char *buf,
    size_t size)
{
	size_t n = 0;

	for (; *other != '\0' && n + 1 < size; other++) {
		const int i = other[0] == '%' ? other[1] - '1' : -1;

		if (i >= 0 && i < parts->count && n > 0 && buf[n - 1] == ':') {
			n += text_part(buf + n, size - n, parts->at[i], parts->length[i]);
			other++;
		} else if (i >= 0 && i < parts->count) {
			say(t, parts->at[i], parts->length[i], depth + 1, buf + n, size - n);
			n += strlen(buf + n);
			other++;
		} else
			buf[n++] = *other;
	}
	buf[n] = '\0';
}

/* By a line that has `least` bytes at least outside its conversions. */
static bool
say_pattern(const struct texts *t, const char *english, bool commas, size_t least, int depth, char *buf,
    size_t size)
{
	const size_t n = strlen(english);
	struct parts parts;

	for (size_t i = t->fixed; i < t->count && depth < DEPTH_MOST; i++) {
		const struct texts_line *line = &t->line[i];

		parts.count = 0;
		if (line->weight > n || line->weight < least || (line->first != '\0' && line->first != english[0]) ||
		    (line->last != '\0' && line->last != english[n - 1]) ||
		    (line->run > 0 && memmem(english, n, line->piece, line->run) == NULL) ||
		    !text_matches(t, line->english, english, commas, &parts))
			continue;
		fill(t, line->other, &parts, depth, buf, size);
		return true;
	}
	return false;
}

/* Columns that a text takes, near enough: its characters, those of East Asia twice. */
static size_t
width(const char *text)
{
	size_t w = 0;

	for (; *text != '\0'; text++)
		if (((unsigned char)*text & 0xc0) != 0x80)
			w += (unsigned char)*text >= 0xe3 && (unsigned char)*text < 0xf0 ? 2 : 1;
	return w;
}

/* Column by column, each beginning where it did. */
static enum said
say_columns(const struct texts *t, const char *english, int depth, char *buf, size_t size)
{
	const char *at = english;
	const bool framed = english[0] == ' '; /* a blank at the end is then that of an edge, no column */
	bool found = false;
	size_t n = 0;

	buf[0] = '\0';
	while (*at != '\0' && n + 1 < size) {
		const size_t blanks = strspn(at, " "), want = width(english) - width(at) + blanks;
		const size_t has = width(buf);
		size_t length = 0;

		at += blanks;
		while (at[length] != '\0' && strncmp(at + length, "  ", COLUMNS_APART) != 0)
			length++;
		while (length > 0 && at[length - 1] == ' ')
			length--;
		n = text_add(buf, size, "%*s",
		    (int)(has < want && (*at != '\0' || blanks > 1 || !framed) ? want - has : blanks > 0 && n > 0), "");
		found = (say(t, at, length, depth, buf + n, size - n) != SAID_NOT && length > 0) || found;
		n += strlen(buf + n);
		at += length;
	}
	return found ? SAID_PART : SAID_NOT;
}

/* The parts between signs, each by itself. */
static enum said
say_clauses(const struct texts *t, const char *english, const char *sign, const char *other,
    int depth, char *buf, size_t size)
{
	const size_t apart = strlen(sign);
	size_t found = 0, parts = 0, n = 0;

	buf[0] = '\0';
	for (const char *at = english, *end; at != NULL && n + 1 < size; parts++) {
		end = strstr(at, sign);
		found += say(t, at, end != NULL ? (size_t)(end - at) : strlen(at), depth, buf + n,
		    size - n) != SAID_NOT;
		n = text_add(buf, size, "%s", end != NULL ? other : "");
		at = end != NULL ? end + apart : NULL;
	}
	if (found == 0)
		text_put(buf, size, "%s", english);
	return found == 0 ? SAID_NOT : found == parts ? SAID : SAID_PART;
}

/* Nothing to look up: numbers, names in capitals, what is said already. */
static bool
is_said(const char *text)
{
	for (; *text != '\0'; text++)
		if (text[0] >= 'a' && text[0] <= 'z')
			return false;
	return true;
}

/* A name beside its value, or what it is marked with: "pipeline layout Et*3L", "engine 48.9 GiB", "+ the
 * plan", "-1.64 s over". */
static enum said
say_beside(const struct texts *t, const char *english, char *buf, size_t size)
{
	const char *last = strrchr(english, ' ');
	char part[TEXTS_SIZE];
	const char *other, *rest;

	text_put(buf, size, "%s", english);
	for (const char *at = strchr(english, ' '); at != NULL; at = strchr(at + 1, ' ')) {
		const size_t n = (size_t)(at - english);
		const bool numbers = strchr("0123456789+-", english[0]) != NULL;

		text_part(part, sizeof part, english, n);
		other = find_fixed(t, part);
		rest = find_fixed(t, at + 1);
		if (other != NULL && (at == last || rest != NULL || strchr("0123456789+-", at[1]) != NULL)) {
			text_put(buf, size, "%s %s", other, rest != NULL ? rest : at + 1);
			return SAID;
		}
		if (rest != NULL && (n == 1 || is_said(part) || numbers)) {
			text_put(buf, size, "%s %s", part, rest);
			return SAID;
		}
	}
	return SAID_NOT;
}

/* "1 before 2: 19.8 ms more of it, 12.6 ms less of that": each clause by itself. */
static bool
is_list(const char *text)
{
	return strstr(text, ", ") != NULL && strstr(text, "; ") == NULL && strstr(text, ": ") == NULL;
}

/* "hint: " and what a line stands for, whatever signs it has. */
static enum said
say_after_colon(const struct texts *t, const char *english, bool whole, int depth, char *buf, size_t size)
{
	const char *colon = strstr(english, ": "), *rest = colon != NULL ? colon + 2 : NULL;
	const char *other = colon != NULL ? find_fixed(t, rest) : NULL;
	char said[TEXTS_SIZE];
	enum said name;

	if (colon == NULL)
		return SAID_NOT;
	name = say(t, english, (size_t)(colon - english), depth, buf, size);
	if (other == NULL && (whole || name != SAID || !is_list(rest) ||
	    say_clauses(t, rest, ", ", "，", depth, said, sizeof said) != SAID) &&
	    !say_pattern(t, rest, true, whole ? strlen(rest) / 2 : 0, depth, said, sizeof said))
		return SAID_NOT;
	text_add(buf, size, "：%s", other != NULL ? other : said);
	return name == SAID ? SAID : SAID_PART;
}

/* A text that no line stands for, by its clauses: whichever way says all of it. */
static enum said
say_parts(const struct texts *t, const char *english, int depth, char *buf, size_t size)
{
	const char *semicolon = strstr(english, "; "), *colon = strstr(english, ": ");
	char parts[TEXTS_SIZE];
	enum said said = SAID_NOT, whole;

	/* One line may stand for several clauses, if it says most of them. */
	if (semicolon != NULL && colon != NULL && colon < semicolon)
		said = say_after_colon(t, english, true, depth, buf, size);
	if (said == SAID_NOT && semicolon != NULL && say_clauses(t, english, "; ", "；", depth, buf, size) == SAID)
		return SAID;
	if (said == SAID_NOT)
		said = say_after_colon(t, english, false, depth, buf, size);
	if (said != SAID_NOT)
		return said;
	if (semicolon != NULL)
		return say_clauses(t, english, "; ", "；", depth, buf, size);
	if (strstr(english, ", ") != NULL)
		said = say_clauses(t, english, ", ", "，", depth, parts, sizeof parts);
	if (said != SAID && say_pattern(t, english, true, 0, depth, buf, size))
		return SAID;
	if (said != SAID && strstr(english, ": ") != NULL) {
		whole = say_clauses(t, english, ": ", "：", depth, buf, size);
		if (said == SAID_NOT || whole == SAID)
			return whole;
	}
	if (said == SAID_NOT)
		return say_beside(t, english, buf, size);
	text_put(buf, size, "%s", parts);
	return said;
}

static enum said
say(const struct texts *t, const char *english, size_t n, int depth, char *buf, size_t size)
{
	char text[TEXTS_SIZE];
	const char *other;

	n = text_part(text, sizeof text, english, n);
	other = find_fixed(t, text);
	if (other != NULL || is_said(text)) {
		text_put(buf, size, "%s", other != NULL ? other : text);
		return SAID;
	}
	if (text[0] == ' ' || text[n - 1] == ' ' || strstr(text, "  ") != NULL)
		return say_columns(t, text, depth, buf, size);
	return say_pattern(t, text, false, 0, depth, buf, size) ? SAID :
	    say_parts(t, text, depth, buf, size);
}

const char *
texts_say(const struct texts *t, const char *english, char *buf, size_t size)
{
	const size_t n = strlen(english);

	if (t == NULL || t->count == 0 || n >= TEXTS_SIZE || is_said(english))
		return english;
	return say(t, english, n, 0, buf, size) != SAID_NOT ? buf : english;
}
