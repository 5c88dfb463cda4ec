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
	char source[256];           /* where the numbers come from */
	char file[256];             /* the file it was read from, for messages */
	int64_t total_params;       /* models: published or recomputed total, 0 unknown */
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

/* The entry of that name (letters compare without case), or NULL. */
const struct catalog_entry *catalog_find(const struct catalog_list *list, const char *id);

/* The name nearest to a misspelt one, or NULL. */
const char *catalog_near(const struct catalog_list *list, const char *id);
#endif
