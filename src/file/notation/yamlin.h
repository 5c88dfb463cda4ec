/*
 * yamlin.h - YAML read into the tree that jsonin.h asks. By libyaml, which may be absent.
 */
#ifndef FILE_YAMLIN_H
#define FILE_YAMLIN_H
#include "file/log/jsonin.h"

/*
 * One document of mappings, lists and plain values as YAML 1.1 has them: true, false, null and
 * numbers, unless quoted. Aliases of up to 256 anchors and merge keys are put in; with them it
 * has at most 65,536 values. Tags are refused, and so is what jsonin.h refuses. False
 * with a complaint; jsonin_free in either case.
 */
bool yamlin_parse(struct jsonin *j, const char *text, size_t size, const char *file,
    struct file_errors *errors);

/* A value without quotes, as YAML 1.1 means it: a text, a number, true, false or null. */
struct json_t *yamlin_plain(const char *text);
#endif
