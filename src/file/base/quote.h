/*
 * quote.h - values as shells, YAML, TOML and JSON write them.
 */
#ifndef FILE_QUOTE_H
#define FILE_QUOTE_H
#include "file/base/textbuf.h"

/* One word of a POSIX shell: bare where no shell looks twice at it, else in single quotes. */
void quote_shell(struct textbuf *out, const char *text);

/* A text in double quotes with JSON's escapes, which YAML and TOML read as well. text is
 * UTF-8. */
void quote_double(struct textbuf *out, const char *text);
#endif
