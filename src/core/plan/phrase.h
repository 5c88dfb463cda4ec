/*
 * phrase.h - what several words say of a plan together, as one of shorthand: "4 nodes of 8 h100" is 4x8xh100, "one
 * 4090" 1x4090, "2T tokens" 2T.
 */
#ifndef CORE_PHRASE_H
#define CORE_PHRASE_H
#include "core/plan/catalog.h"

/* What stands first of some words: into out, a line for each word of shorthand, none where they say nothing, such as
 * "on". Returns how many words it took, 0 where the first one stands for itself. */
int phrase_read(const char *const *word, int words, const struct catalog *catalog, char out[PLAN_ID_SIZE]);
#endif
