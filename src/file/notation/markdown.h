/*
 * markdown.h - what pages in Markdown fence as code (CommonMark 0.31, Fenced code blocks).
 */
#ifndef FILE_MARKDOWN_H
#define FILE_MARKDOWN_H
#include <stdbool.h>

/* By its name. */
bool markdown_is(const char *path);

/*
 * A copy of a page where all but some fences is blank, so that lines keep their numbers: for 0 those of commands, which go
 * together, else the one of another kind with that number, from 1. For free(); NULL: there is none, or no memory.
 */
char *markdown_code(const char *page, int number);
#endif
