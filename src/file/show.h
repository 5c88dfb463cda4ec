/*
 * show.h - foreign bytes in messages, and whether bytes are UTF-8.
 *
 * What a file says may hold terminal escapes. No message repeats it unless it went
 * through here.
 */
#ifndef FILE_SHOW_H
#define FILE_SHOW_H
#include <stdbool.h>
#include <stddef.h>

/* Copy text for a message: what does not fit ends in "...", control characters and bytes
 * that are no UTF-8 become '?'. Returns the length. */
size_t show_text(char *buf, size_t size, const char *text);

/* The same for a file name, of which the end tells most: "...plans/a.cfg". */
size_t show_path(char *buf, size_t size, const char *path);

/* Bytes of the UTF-8 character at s, of which n bytes are there; 0 when it is none
 * (overlong forms, surrogates and values past U+10FFFF are none). */
size_t utf8_length(const char *s, size_t n);
bool utf8_valid(const char *s);
#endif
