/*
 * tomlin.h - TOML 1.0 read into the tree that jsonin.h asks, as no C library of it is packaged.
 *
 * Dates and times become texts, infinities and what is no number null. Refused though TOML has
 * it: numbers beyond int64 or double, and the character NUL.
 */
#ifndef FILE_TOMLIN_H
#define FILE_TOMLIN_H
#include "file/log/jsonin.h"

/* text ends with a NUL. False with complaints, "FILE:LINE: error: ..."; jsonin_free in either
 * case. */
bool tomlin_parse(struct jsonin *j, const char *text, const char *file,
    struct file_errors *errors);
#endif
