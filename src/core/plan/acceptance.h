/*
 * acceptance.h - drafts that are accepted, by their place: serving.acceptance, such as "0.84 0.66 0.49".
 *
 * Each is the share of steps whose draft at that place is taken, and all before it, as vLLM logs them
 * (per-position acceptance rate). Places after the last one go on as it went from the one before.
 */
#ifndef CORE_ACCEPTANCE_H
#define CORE_ACCEPTANCE_H
#include <stdint.h>

/* Tokens accepted of so many drafted, on average; 0 of an empty text, negative where it is none of
 * shares that fall. */
double acceptance_tokens(const char *text, int64_t drafted);
#endif
