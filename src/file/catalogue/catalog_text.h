/*
 * catalog_text.h - an entry of a shipped file of the catalogue, found in its text without reading the rest.
 */
#ifndef FILE_CATALOG_TEXT_H
#define FILE_CATALOG_TEXT_H
#include <stdbool.h>
#include <stddef.h>

/* Where the entry that catalog_find would find begins in the text, and how long it is; NULL without.
 * Of a part of the file those count alone that have the name itself: of others there may be a better one. */
const char *catalog_text_entry(const char *text, bool part, const char *name, size_t *size);
#endif
