/*
 * tree.h - settings of another program as sections, keys and values, written in the language
 * that it reads.
 */
#ifndef FILE_TREE_H
#define FILE_TREE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/plan/field.h"
#include "file/base/textbuf.h"

struct json_t;

/* Keys stand in the order in which they were put. tree_end in every case. */
struct tree {
	struct json_t *root;
	bool failed; /* out of memory */
};

/* key: "section.sub.name"; sections are made on the way. */
void tree_int(struct tree *t, const char *key, int64_t v);
void tree_real(struct tree *t, const char *key, double v);
void tree_bool(struct tree *t, const char *key, bool v);
void tree_text(struct tree *t, const char *key, const char *v);

/* One key of theirs that is a field of a plan. Import and export both read such rows. */
struct tree_key {
	const char *key;
	enum field_id field;
	const char *words; /* "THEIRS=ours|..."; NULL: the value as the field has it */
};

/* The rows, as far as they have a word for the plan's value. The one that has none first, or
 * n. */
size_t tree_fields(struct tree *t, const struct tree_key rows[], size_t n, const struct plan *p);
#define TREE_FIELDS(t, rows, p) tree_fields(t, rows, sizeof(rows) / sizeof *(rows), p)

/* As JSON (RFC 8259), YAML 1.2 or TOML 1.0. */
void tree_json(struct tree *t, struct textbuf *out);
void tree_yaml(struct tree *t, struct textbuf *out);
void tree_toml(struct tree *t, struct textbuf *out);

void tree_end(struct tree *t);
#endif
