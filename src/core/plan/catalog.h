/*
 * catalog.h - named models, GPUs and clusters, as data in memory.
 *
 * An entry is a plan of which only one section is set: "model" entries give values to
 * fields under model., "gpu" entries to fields under cluster. So a preset needs no type
 * of its own, and whoever can read a plan can read the catalogue. file/catalog_file.h
 * fills it.
 */
#ifndef CORE_CATALOG_H
#define CORE_CATALOG_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/plan/plan.h"

struct catalog_entry {
	char id[PLAN_ID_SIZE];      /* "llama-3.1-70b" */
	char title[PLAN_NAME_SIZE]; /* "Llama-3.1-70B" */
	char aliases[256];          /* other names that a user may type, joined by '|' */
	char names[512];            /* what drivers call a GPU, joined by '|' */
	char checkpoint[96];        /* models: OWNER/NAME of the base model on Hugging Face, "" unknown */
	char source[256];           /* where the numbers come from */
	char file[256];             /* the file it was read from, for messages */
	int64_t total_params;       /* models: published or recomputed total, 0 unknown */
	int64_t published;          /* models: the month, such as 202504, 0 unknown */
	struct plan values;         /* the section's values, marked as set */
};

struct catalog_list {
	struct catalog_entry *entry; /* in the order of the files */
	size_t count;
};

struct catalog {
	struct catalog_list models, gpus, clusters;
	struct plan defaults; /* of plan_defaults while has_defaults: spares parsing them anew */
	bool has_defaults;
};

/* Of "meta-llama/Llama-3.1-8B", as Hugging Face names it, what follows the owner. */
const char *catalog_bare_name(const char *id);

/* The entry of that name or alias (letters compare without case, OWNER/ before it does not
 * count), or NULL. A name goes before an alias, an entry that was read later before an
 * earlier one. */
const struct catalog_entry *catalog_find(const struct catalog_list *list, const char *id);

/* The name of the entry that a misspelt name or alias is nearest to, else of one that it has all
 * words of, or that has all of its words; or NULL. */
const char *catalog_near(const struct catalog_list *list, const char *id);

/*
 * The GPU that a driver or Slurm calls so, with or without its maker: "NVIDIA H100 80GB HBM3",
 * "nvidia_a100-sxm4-80gb". *exact is false when only the beginning is known, in whole words.
 * NULL when nothing is.
 */
const struct catalog_entry *catalog_of_driver(const struct catalog_list *gpus, const char *name,
    bool *exact);

/* The i-th (from 0) alias of an entry into buf; false past the end. */
bool catalog_alias(const struct catalog_entry *entry, int64_t i, char *buf, size_t size);
#endif
