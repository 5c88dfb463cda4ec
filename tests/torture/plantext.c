#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/text.h"
#include "plantext.h"
#include "values.h"

/* A text under way. What does not fit is left out. */
struct draft {
	struct dice *dice;
	const struct catalog *catalog;
	bool tidy; /* by the grammar, with values of the right type: mostly a plan */
	char *text;
	size_t used;
};

static int64_t
roll(struct draft *t, int64_t n)
{
	return dice_below(t->dice, n);
}

#define ONE_OF(t, list) (list)[roll((t), (int64_t)(sizeof(list) / sizeof *(list)))]

static void
insert(struct draft *t, size_t at, const char *bytes, size_t n)
{
	if (n > PLANTEXT_SIZE - t->used)
		return;
	memmove(t->text + at + n, t->text + at, t->used - at);
	memcpy(t->text + at, bytes, n);
	t->used += n;
}

static void add(struct draft *t, const char *fmt, ...) TEXT_FORMAT(2, 3);

static void
add(struct draft *t, const char *fmt, ...)
{
	char piece[2048];
	va_list args;
	size_t n;

	va_start(args, fmt);
	n = text_vput(piece, sizeof piece, fmt, args);
	va_end(args);
	insert(t, t->used, piece, n);
}

/* ---- by the grammar ----------------------------------------------------------------- */

/* What stands between the parts of a plan, and need not. */
static const char *const blanks[] = { " ", "\t", "", "\n", "\r\n", " # note\n", " // note\n",
	" /* note */ ", "/**/", "/* no end", "\f", "\v" };
static const char *const ends[] = { ";", ";", ";", ";\n", ",", "", "\n" };

/* Bytes that must not reach a terminal, or that no text holds. */
static const char *const nasty[] = { "\x1b[31m", "\x1b]0;title\a", "\x9b", "\xc2\x9b", "\xff",
	"\xe4\xb8", "\xed\xa0\x80", "\xc0\x80", "\b\b\b", "\r", "\x7f", "\xe2\x80\xae",
	"\xf4\x90\x80\x80", "\xef\xbb\xbf", "\x01" };

/* What a tidy draft has there, and what any other may have. */
static const char *
blank(struct draft *t)
{
	return t->tidy ? " " : ONE_OF(t, blanks);
}

static const char *
end(struct draft *t)
{
	return t->tidy ? ";" : ONE_OF(t, ends);
}

static void
add_string(struct draft *t)
{
	static const char *const pieces[] = { "bf16", "h100-sxm-80gb", "a b", "\\n", "\\t", "\\\"",
		"\\\\", "\\x1b", "\\x00", "\\xZZ", "\\", "%s%n", "\xe4\xb8\xad", "\xf0\x9f\x90\x92",
		"\" \"", "\n", "'" };
	const int64_t length = dice_rarely(t->dice, 20) ? 400 : roll(t, 4);

	add(t, "\"");
	for (int64_t i = 0; i < length; i++)
		add(t, "%s", dice_rarely(t->dice, 6) ? ONE_OF(t, nasty) : ONE_OF(t, pieces));
	add(t, "%s", dice_rarely(t->dice, 30) ? "" : "\"");
}

/* A value of any type, mostly a wrong one. */
static void
add_any_value(struct draft *t, int depth)
{
	static const char *const plain[] = { "0", "1", "-1", "+1", "8", "2147483647", "2147483648",
		"-2147483649", "9223372036854775807L", "9223372036854775808L", "99999999999999999999",
		"0x7fffffff", "0xFFFFFFFFFFFFFFFFL", "0b101", "0o17", "1.5", "-0.0", "1e308", "1e999",
		"-1e999", "1e-400", "nan", "inf", ".", "1.", ".5", "true", "FALSE", "yes", "()", "[]",
		"{}", "@include \"x\"", "" };

	switch (depth > 4 ? 0 : roll(t, 12)) {
	case 0:
		add_string(t);
		break;
	case 1:
		add(t, "%c", "([{"[roll(t, 3)]);
		for (int64_t i = roll(t, 4); i >= 0; i--) {
			add_any_value(t, depth + 1);
			add(t, ",");
		}
		add(t, "%c", ")]}"[roll(t, 3)]);
		break;
	case 2:
		add(t, "{ nodes = ");
		add_any_value(t, depth + 1);
		add(t, "; }");
		break;
	default:
		add(t, "%s", ONE_OF(t, plain));
		break;
	}
}

static void
add_value(struct draft *t, enum field_id f)
{
	char value[256];

	if (!t->tidy && dice_rarely(t->dice, 10)) {
		add_any_value(t, 0);
		return;
	}
	value_extreme(t->dice, t->catalog, f, value, sizeof value);
	if (field_table[f].type == FIELD_INT || field_table[f].type == FIELD_BOOL)
		add(t, "%s", value);
	else if (field_table[f].type == FIELD_REAL)
		add(t, "%s%s", value, strpbrk(value, ".e") == NULL ? ".0" : "");
	else if (!t->tidy && dice_rarely(t->dice, 8))
		add_string(t);
	else
		add(t, "\"%s\"", value);
}

/* Fields of one section, as "SECTION: { ... };", or those without one. */
static void
add_section(struct draft *t, const char *section)
{
	char of[32];

	if (*section != '\0')
		add(t, "%s%s%s{", section, blank(t), dice_rarely(t->dice, 2) ? ":" : "=");
	for (int64_t n = roll(t, 8); n > 0; n--) {
		const enum field_id f = (enum field_id)roll(t, FIELD_COUNT);

		field_section(f, of, sizeof of);
		if (!text_equal(of, section) && !dice_rarely(t->dice, 200))
			continue;
		add(t, "%s%s = ", blank(t), field_key(f));
		add_value(t, f);
		add(t, "%s", end(t));
	}
	if (*section != '\0')
		add(t, "%s%s", t->tidy || !dice_rarely(t->dice, 60) ? "}" : "", end(t));
}

static void
make(struct draft *t, const char *base)
{
	static const char *const sections[] = { "", "cluster", "model", "parallel", "training",
		"serving", "calibration", "cluster", "nothing", "calibrations" };

	t->tidy = !dice_rarely(t->dice, 3);
	if (!t->tidy && dice_rarely(t->dice, 8))
		add(t, "%s", ONE_OF(t, nasty));
	if (!dice_rarely(t->dice, 10))
		add(t, "format = %s;\n", t->tidy || !dice_rarely(t->dice, 8) ? "1" : "2");
	if (base != NULL)
		add(t, "base = \"%s\";\n", base);
	for (int64_t n = roll(t, 9); n >= 0; n--)
		add_section(t, t->tidy ? sections[n % 7] : ONE_OF(t, sections));
	if (!t->tidy && dice_rarely(t->dice, 4)) {
		add(t, "%s = ", ONE_OF(t, nasty));
		add_any_value(t, 0);
	}
}

/* ---- by changes --------------------------------------------------------------------- */

/* Where a change begins, and how long it is. */
struct span {
	size_t at, n;
};

static struct span
any_span(struct draft *t, int64_t most)
{
	const size_t at = (size_t)roll(t, (int64_t)t->used + 1);
	const size_t n = (size_t)roll(t, most + 1);

	return (struct span){ at, n < t->used - at ? n : t->used - at };
}

static void
cut(struct draft *t, struct span s)
{
	memmove(t->text + s.at, t->text + s.at + s.n, t->used - s.at - s.n);
	t->used -= s.n;
}

static void
repeat(struct draft *t, struct span s)
{
	char piece[512];
	const size_t n = s.n < sizeof piece ? s.n : sizeof piece;
	int64_t times = dice_rarely(t->dice, 10) ? 100 : 1 + roll(t, 3);

	memcpy(piece, t->text + s.at, n);
	while (times-- > 0)
		insert(t, s.at, piece, n);
}

/* Another number in place of one. */
static void
change_number(struct draft *t)
{
	static const char *const numbers[] = { "0", "1", "-1", "3", "4096", "16777216", "65535",
		"2147483647", "4294967296L", "9223372036854775807L", "0.5", "1e-300", "1e300", "1e5",
		"0.0", "1000000000000" };
	const char *number = ONE_OF(t, numbers);
	size_t at = any_span(t, 0).at, n = 0;

	while (at < t->used && memchr("0123456789", t->text[at], 10) == NULL)
		at++;
	while (at + n < t->used && memchr("0123456789.", t->text[at + n], 11) != NULL)
		n++;
	cut(t, (struct span){ at, n });
	insert(t, at, number, strlen(number));
}

static void
change(struct draft *t, const struct corpus *corpus)
{
	static const char *const tokens[] = { "{", "}", "(", ")", "[", "]", "\"", ";", ",", "=", ":",
		"#", "/*", "*/", "//", "@include \"plan.cfg\"\n", "\\", "true", "null", "serving: {",
		"\n", "mode = \"serve\";", "base = \"plan.cfg\";" };
	const struct span s = any_span(t, 60);
	const char *token = dice_rarely(t->dice, 3) ? ONE_OF(t, nasty) : ONE_OF(t, tokens);
	const char *other;

	switch (roll(t, 8)) {
	case 0:
		if (t->used > 0)
			t->text[s.at < t->used ? s.at : 0] = (char)roll(t, 256);
		break;
	case 1:
		insert(t, s.at, token, strlen(token));
		break;
	case 2:
		cut(t, s);
		break;
	case 3:
		repeat(t, s);
		break;
	case 4:
		other = corpus->text[roll(t, (int64_t)corpus->count)];
		insert(t, s.at, other, strlen(other) / (size_t)(1 + roll(t, 4)));
		break;
	case 5:
		t->used = dice_rarely(t->dice, 4) ? s.at : t->used;
		break;
	default:
		change_number(t);
		break;
	}
}

size_t
plantext_random(struct dice *d, const struct corpus *corpus, const struct catalog *catalog,
    const char *base, char text[PLANTEXT_SIZE])
{
	struct draft t = { .dice = d, .catalog = catalog, .text = text };
	int64_t changes = 1 + dice_below(d, 3);
	const char *real = corpus->text[dice_below(d, (int64_t)corpus->count)];

	if (dice_rarely(d, 2)) {
		make(&t, base);
		changes = dice_rarely(d, 4) ? changes : 0;
	} else {
		insert(&t, 0, real, strlen(real));
	}
	while (changes-- > 0)
		change(&t, corpus);
	return t.used;
}
