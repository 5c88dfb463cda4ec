/*
 * option.h - fields as options of this program, as a shell takes them.
 */
#ifndef CORE_OPTION_H
#define CORE_OPTION_H
#include <stddef.h>

#include "core/plan/field.h"

/* Add a word, quoted where a shell would make something else of it. */
void option_add_word(const char *text, char *buf, size_t size);

/* Add " --tp=8", or " --set=PATH=VALUE" where the field has no option of its own; quoted where
 * the value means something to a shell. */
void option_add(enum field_id f, const struct plan *p, char *buf, size_t size);

/* Add those of the fields that the user set and that differ from *base (NULL: all that are set). */
void options_add(const struct plan *p, const struct plan *base, char *buf, size_t size);
#endif
