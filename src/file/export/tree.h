/*
 * tree.h - settings of another program as sections, keys and values, written in the language
 * that it reads.
 */
#ifndef FILE_TREE_H
#define FILE_TREE_H
#include <stdbool.h>
#include <stdint.h>

#include "file/base/textbuf.h"
#include "file/launches/settings_keys.h"

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

/* A list of texts, which commas join here; without any nothing. */
void tree_list(struct tree *t, const char *key, const char *texts);

/* The rows of a table as far as they say something in this plan and the program does not mean
 * the same without them. The first that has no word for the plan's value, else NULL. */
const struct settings_key *tree_fields(struct tree *t, const struct settings_key rows[],
    const struct plan *p);

/* True where a value or a section stands. */
bool tree_has(const struct tree *t, const char *key);

/* Without one of the first sections or values. */
void tree_drop(struct tree *t, const char *key);

/* As JSON (RFC 8259), YAML 1.2 or TOML 1.0. */
void tree_json(struct tree *t, struct textbuf *out);
void tree_yaml(struct tree *t, struct textbuf *out);
void tree_toml(struct tree *t, struct textbuf *out);

/* How a command line says KEY is VALUE. */
enum tree_words {
	WORDS_OVERRIDES, /* key=value, lists as [a,b]: Hydra and OmegaConf */
	WORDS_FLAGS,     /* --key value value; truth is --key alone, untruth nothing: argparse */
	WORDS_PYTHON,    /* config.key = value, a statement of a function */
};

/* As elements of a bash array, or as statements, a key a line. */
void tree_words(struct tree *t, struct textbuf *out, enum tree_words form);

void tree_end(struct tree *t);
#endif
