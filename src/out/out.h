/*
 * out.h - the one door to standard output and standard error.
 *
 * Plans, catalogues, logs, arguments and the environment hold text of others. Whatever goes
 * through here is shown as core/show.h says, line ends too: so such text stays within its
 * line, and is never an order to the terminal. Only the screen (ui/term.c) writes elsewhere.
 * Errors are left to ferror(to).
 */
#ifndef OUT_OUT_H
#define OUT_OUT_H
#include <stdarg.h>
#include <stdio.h>

#include "core/base/text.h"

/* Part of a line, and a line (or its rest) with its end. There is no line end in fmt. */
void out_part(FILE *to, const char *fmt, ...) TEXT_FORMAT(2, 3);
void out_vpart(FILE *to, const char *fmt, va_list args) TEXT_FORMAT(2, 0);
void out_line(FILE *to, const char *fmt, ...) TEXT_FORMAT(2, 3);
/* A line of a terminal whose place the next one takes; an empty one clears it. */
void out_over(FILE *to, const char *fmt, ...) TEXT_FORMAT(2, 3);
void out_end(FILE *to); /* an empty line, or the end of one */

/* Several lines of the program's own making, such as a section of a plan: line ends and tabs
 * stay. */
void out_text(FILE *to, const char *text);
void out_bytes(FILE *to, const char *text, size_t n);

/* The look of what follows: the parameters of ECMA-48's SGR ("1;38;5;4"), digits and ';'. */
void out_look(FILE *to, const char *parameters);
#endif
