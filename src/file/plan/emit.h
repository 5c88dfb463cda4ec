/*
 * emit.h - plans as libconfig text. The library's own writer is not used: it gives
 * reals six digits (1.7) or fifteen (1.5) and knows no comments.
 */
#ifndef FILE_EMIT_H
#define FILE_EMIT_H
#include <stdbool.h>
#include <stddef.h>

#include "core/plan/plan.h"

/* The sections of a plan in their order, NULL past the last. */
const char *emit_section_name(size_t i);

/* A comment (from its first character on, without the line end) that planfile_text
 * writes itself, so that nothing of a user is lost with it. */
bool emit_is_own_comment(const char *text, size_t length);

/* True when the plan can only be told without its base: the base sets a field that the
 * plan leaves absent, or to follow others, and the format has no word for that. */
bool emit_needs_flat(const struct plan *inherited, const struct plan *p);
#endif
