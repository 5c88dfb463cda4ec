/*
 * shorthand.h - words that say values without naming their fields: "tp8", "8x8", "64xh100",
 * "h200", "llama-3.1-70b" or any part of a name that no other name has, "serve", "qlora" or
 * what else is the choice of one field alone.
 */
#ifndef CORE_SHORTHAND_H
#define CORE_SHORTHAND_H
#include <stddef.h>

#include "core/plan/catalog.h"
#include "core/plan/plan.h"

enum shorthand {
	SHORTHAND_NONE,    /* the word says nothing */
	SHORTHAND_SAYS,    /* settings: "cluster.nodes=8 cluster.gpus_per_node=8" */
	SHORTHAND_UNCLEAR, /* several things, or nothing whole: the reason */
};

/* Read a word, which ends at a blank, about plan p; what it says, or why not, goes to out. */
enum shorthand shorthand_read(const char *word, const struct plan *p, const struct catalog *catalog,
    char *out, size_t size);

/* "64gpus" or "gpus=64", all GPUs of the job, as nodes of resolved plan p, which has its GPU and what else they depend on:
 * hence no word among others. */
enum shorthand shorthand_gpus(const char *word, const struct plan *p, char *out, size_t size);

/* The entry whose name has the text in it, from the beginning or after a dash, where there is but
 * one, or that a checkpoint's name means; else NULL, with the names that have it in err, "" for none. */
const struct catalog_entry *shorthand_entry(const struct catalog_list *list, const char *text,
    char *err, size_t size);
#endif
