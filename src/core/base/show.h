/*
 * show.h - foreign text as it may be shown, and whether bytes are UTF-8.
 *
 * What a file, a name or an argument says may hold orders to a terminal, or characters that
 * nobody sees: control characters (ASCII and C1), those that turn the direction of text,
 * separators of lines, characters without width. These, and bytes that are no UTF-8, are
 * shown as \xNN, a byte each, as a plan file and the $'' of a shell write them too.
 *
 * Source of the set: the Unicode Character Database, DerivedGeneralCategory.txt, categories
 * Cc, Zl, Zp, and those of Cf that have no glyph (unicode.org/reports/tr9 for the direction).
 */
#ifndef CORE_SHOW_H
#define CORE_SHOW_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether a character may be shown as it is. */
bool show_is_plain(uint32_t ch);

/* Bytes at the start of n that may be shown as they are: whole characters of UTF-8. */
size_t show_plain(const char *s, size_t n);

/* Bytes that are shown as \xNN where the plain ones end: those of one character, or one
 * byte that is no UTF-8. 0 at the end, or where plain ones follow. */
size_t show_foreign(const char *s, size_t n);

/* Copy text for a message; what does not fit ends in "...". Returns the length. */
size_t show_text(char *buf, size_t size, const char *text);

/* Show a file name, of which the end tells most: "...plans/a.cfg". */
size_t show_path(char *buf, size_t size, const char *path);

/* Bytes that show_text would take for the whole text, without the end. */
size_t show_length(const char *text);

/* Bytes of the UTF-8 character at s, of which n bytes are there; 0 when it is none
 * (overlong forms, surrogates and values past U+10FFFF are none). */
size_t utf8_length(const char *s, size_t n);
bool utf8_valid(const char *s);

/* The character of these bytes, which are one (utf8_length); and back, not ended. Returns how
 * many bytes it has. */
uint32_t utf8_char(const char *s, size_t length);
size_t utf8_put(char out[4], uint32_t ch);
#endif
