/*
 * search_make.h - makes the space of a search: its free fields in the order of a walk, and the
 * values of each.
 */
#ifndef CORE_SEARCH_MAKE_H
#define CORE_SEARCH_MAKE_H
#include "core/search/search_space.h"

/* False with the reason in err: a value that the field does not take, a text without values,
 * too many of them. p is resolved; the catalogue and the values of texts outlive the space. */
bool space_make(struct search_space *s, const struct plan *p, const struct catalog *catalog,
    const struct wishes *w, char *err, size_t size);
#endif
