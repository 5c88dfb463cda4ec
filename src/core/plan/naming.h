/*
 * naming.h - the catalogue's model that the name of a checkpoint says: "meta-llama/Llama-3.1-8B-Instruct-FP8",
 * "llama3_1_8b", "Llama 3.1 8B".
 */
#ifndef CORE_NAMING_H
#define CORE_NAMING_H
#include <stdbool.h>
#include <stddef.h>

#include "core/plan/catalog.h"

enum { NAMING_SIZE = 128 };

/* How much of a name an entry's leaves open, from one word on that says how a model was finished or packed;
 * a kind (same decoder, other heads: math, vl); and words that say nothing of it, which only a name with its
 * size may have. */
enum { OPEN_FINISH = 1, OPEN_KIND = 10, OPEN_OTHER = 100 };

struct naming {
	const struct catalog_entry *entry; /* NULL: none */
	size_t open;
	const char *format; /* of the numbers, a value of model.checkpoint_dtype, where it is not the entry's own; or NULL */
	bool dense;         /* that holds of all linear layers, not of the experts alone */
	bool packed;        /* in a format that no plan has */
};

/* Small letters; hyphens for what else parts words and between a word and its number, so that
 * llama3_1_8b and Llama-3.1-8B are one. */
void naming_plain(char out[NAMING_SIZE], const char *name, size_t length);

/* Whether a word tells how a model was trained or packed and not which one it is: "sft", "instruct". */
bool naming_is_finish(const char *word);

/* Read a plain name: of the entries that have all of its words of a shape, and all of whose words it has, the
 * one that leaves the least open. False without one. */
bool naming_read(struct naming *n, const struct catalog_list *models, const char *plain);

/* What a name says as settings: "model.preset=qwen3-32b model.checkpoint_dtype=int4". False, where it says none,
 * or has words that are no part of a model's name and is not of the form OWNER/NAME. */
bool naming_settings(const struct catalog_list *models, const char *name, char *out, size_t size);

/* The entry that a name means which has other words too, of whose shape nobody knows more: NULL where it has none. */
const struct catalog_entry *naming_assumed(const struct catalog_list *models, const char *name);
#endif
