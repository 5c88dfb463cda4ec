/*
 * jsonin.h - JSON read whole, its members fetched by path. The one reader of JSON.
 *
 * Up to 1 MiB, 64 levels deep, 65,536 objects and lists, without a member named twice. Numbers
 * are int64 or double. NaN, Infinity and -Infinity, which Python's json.dumps writes though JSON
 * lacks them, read as null in a log, which has no such figure then, and as the texts "nan", "inf"
 * and "-inf" in a file of settings, where they are no number. Texts that follow one another (JSON lines) are read one after the other;
 * the last one stays.
 */
#ifndef FILE_JSONIN_H
#define FILE_JSONIN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "file/plan/planfile.h"

struct json_t;

struct jsonin {
	struct json_t *root;        /* of the last text: an object or a list */
	size_t texts;               /* in the file */
	const char *file;           /* in complaints */
	const char *text;           /* what it was read from, for lines in complaints, or NULL */
	struct json_t *asked;       /* paths that were asked for, once somebody watches, or NULL */
	struct file_errors *errors;
};

/* Read an open stream, a log, to its end. On refusal false, with "FILE:LINE:COLUMN: error: ..." in
 * errors; jsonin_free in either case. file and errors must outlive j. */
bool jsonin_load(struct jsonin *j, FILE *in, const char *file, struct file_errors *errors);
void jsonin_free(struct jsonin *j);

/* Read settings from size bytes of text, which a NUL follows and which outlives j. */
bool jsonin_parse(struct jsonin *j, const char *text, size_t size, const char *file,
    struct file_errors *errors);

/*
 * The member at a path such as "text_config.layer_types.0": names, and places in lists from
 * 0 on. False when there is none or it is null; also, after a complaint, when it has
 * another type or lies outside low..high. *out is left alone then. A number written with
 * a point is an integer where it is whole.
 */
bool jsonin_int(const struct jsonin *j, const char *path, int64_t low, int64_t high,
    int64_t *out);
bool jsonin_real(const struct jsonin *j, const char *path, double low, double high,
    double *out);

/* What stands below a value at a path of names and places in lists, "a.0.b"; NULL: nothing. */
const struct json_t *jsonin_at(const struct json_t *at, const char *path);

/* The member there and not null; a text; true or false. Without a complaint. */
bool jsonin_has(const struct jsonin *j, const char *path);
const char *jsonin_text(const struct jsonin *j, const char *path); /* NULL: no text */
bool jsonin_bool(const struct jsonin *j, const char *path, bool *out);

/* The line of the key at a path of a text (j->text), or of the last one on the way there that has
 * a line of its own; 0 when that is not known. The text may be YAML or TOML too, or NULL. It is
 * read anew each time: for complaints. */
unsigned jsonin_line(const char *text, const char *path);

/* From here on remember what is asked for, so that jsonin_unasked can tell the path of each value
 * that nobody asked for. */
void jsonin_watch(struct jsonin *j);
void jsonin_unasked(const struct jsonin *j, void (*tell)(void *to, const char *path), void *to);

/* Put a value, which is taken over in every case, at a path below an object; objects are made on
 * the way. False where something else stands there, and for more than 64 names. */
bool jsonin_put(struct json_t *root, const char *path, struct json_t *value);

/* Members of a list, and the i-th name of an object: NULL past the end. */
bool jsonin_list(const struct jsonin *j, const char *path, size_t *count);
const char *jsonin_name(const struct jsonin *j, const char *path, size_t i);
#endif
