/*
 * text.h - build text in fixed buffers, without the printing half of stdio.
 *
 * The one place of the core that formats. Numbers are written and read with the
 * "C" numeric locale: the program sets LC_NUMERIC to "C" before anything else.
 */
#ifndef CORE_TEXT_H
#define CORE_TEXT_H
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined __GNUC__
#define TEXT_FORMAT(fmt, args) __attribute__((format(printf, fmt, args)))
#define MAYBE __attribute__((unused)) /* what not every row of a table needs */
#else
#define TEXT_FORMAT(fmt, args)
#define MAYBE
#endif

/* Write formatted text, cut between characters to fit and always ended; returns the length
 * written. */
size_t text_put(char *buf, size_t size, const char *fmt, ...) TEXT_FORMAT(3, 4);
size_t text_vput(char *buf, size_t size, const char *fmt, va_list args) TEXT_FORMAT(3, 0);

/* Formatted text where it is needed once, in a buffer of its own that lasts as long as the block around it. */
#define TEXT_OF(size, ...) text_made((char[size]){ 0 }, size, __VA_ARGS__)
char *text_made(char *buf, size_t size, const char *fmt, ...) TEXT_FORMAT(3, 4);

/* Write after what buf holds already; returns the new length. */
size_t text_add(char *buf, size_t size, const char *fmt, ...) TEXT_FORMAT(3, 4);

/* Copy src whole, or copy nothing and return false when it does not fit. */
bool text_copy(char *buf, size_t size, const char *src);

/* The first n bytes of src, which has as many, cut between characters to fit; returns the length
 * written. */
size_t text_part(char *buf, size_t size, const char *src, size_t n);

/* The shortest decimal that reads back as exactly v ("0.1", not 0.10000000000000001). */
size_t text_real(char *buf, size_t size, double v);

/*
 * Read one whole number or real. Blanks around it are allowed, anything else after it is
 * not; errno stays as it was. text_to_int refuses what does not fit in int64_t; text_to_real
 * refuses infinities and NaN. Both return false and leave *out alone on refusal.
 */
bool text_to_int(const char *text, int64_t *out);
bool text_to_real(const char *text, double *out);

/* Which word (from 0) of a list joined by commas or blanks is that of `length` bytes, -1 when
 * none is. */
int text_index(const char *list, const char *word, size_t length);

/* The i-th (from 0) of names joined by '|', into buf; false past the end. */
bool text_choice(const char *names, int64_t i, char *buf, size_t size);

/* Which of names joined by '|' a name is, -1 when none is. */
int64_t text_choice_index(const char *names, const char *name);

/* Inline, and without a call: layouts compare hundreds of short names. */
static inline bool
text_equal(const char *a, const char *b)
{
	for (; *a == *b && *a != '\0'; a++)
		b++;
	return *a == *b;
}

/* The ending of what is counted: "GPU%s", "batch%s" with "es"; none of 1. */
#define TEXT_ENDING(n, ending) ((n) > 1 || (n) < 1 ? (ending) : "")
#define TEXT_S(n) TEXT_ENDING(n, "s")

/* The name of the things counted, as of n: "GPUs", and "GPU" of 1. Units of a rate stay as they are. */
size_t text_of_count(char *buf, size_t size, const char *unit, int64_t n);

/* Edits (insert, delete, replace, swap of neighbours) from a to b, letters
 * compared without case; for "did you mean". A digit counts as two: numbers are what names
 * of models differ by. Words beyond 63 bytes count as far away. */
size_t text_distance(const char *a, const char *b);

/* Of two names, of which the first may be NULL, the one that a misspelt name is nearer to: two slips at most, and no
 * more than in half of its letters. And " (did you mean tp?)" after what buf holds, nothing for NULL. */
const char *text_nearer(const char *name, const char *best, const char *other);
size_t text_add_near(char *buf, size_t size, const char *near);
#endif
