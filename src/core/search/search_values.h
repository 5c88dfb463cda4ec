/*
 * search_values.h - the values that a free field takes in a search: those asked for ("8,16",
 * "1..64", "1..64:2"), or every one that can be legal, each once and in ascending order.
 */
#ifndef CORE_SEARCH_VALUES_H
#define CORE_SEARCH_VALUES_H
#include <stdbool.h>
#include <stddef.h>

#include "core/search/search_space.h"

/* Put the values of one of the space's fields behind those of the fields before it, which are
 * known by then, and say which of them is the plan's own; values is NULL where none are asked
 * for. False with the reason in err: a value that the field does not take, a text without values,
 * none in its steps, more than SPACE_VALUES_MAX in all. */
bool space_find_values(struct search_space *s, struct free_field *field, const char *values,
    char *err, size_t size);
#endif
