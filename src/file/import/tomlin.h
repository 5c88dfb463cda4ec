/*
 * tomlin.h - TOML read into the tree that jsonin.h asks: the part of it that job files use, as no
 * C library of it is packaged. Tables, keys with points, texts in one kind of quotes or the
 * other, numbers, true and false, lists on one line; no dates, no lists of tables, no text over
 * several lines.
 */
#ifndef FILE_TOMLIN_H
#define FILE_TOMLIN_H
#include "file/log/jsonin.h"

/* text ends with a NUL. False with complaints, "FILE:LINE: error: ..."; jsonin_free in either
 * case. */
bool tomlin_parse(struct jsonin *j, const char *text, const char *file,
    struct file_errors *errors);
#endif
