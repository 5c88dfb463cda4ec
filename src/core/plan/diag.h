/*
 * diag.h - what is wrong with a plan, as data. Only the edges print it.
 */
#ifndef CORE_DIAG_H
#define CORE_DIAG_H
#include <stdbool.h>
#include <stddef.h>

#include "core/base/text.h"
#include "core/plan/field.h"

enum severity { SEVERITY_ERROR, SEVERITY_WARNING, SEVERITY_HINT };

enum { DIAG_MAX = 48, DIAG_MESSAGE_SIZE = 320, DIAG_FIX_SIZE = 96 };

struct diag {
	enum severity severity;
	enum field_id field;      /* FIELD_NONE: the plan as a whole */
	const char *reason;       /* fixed code such as "world_not_divisible" */
	const char *source;       /* where the rule stands: paper, or repository and file */
	char message[DIAG_MESSAGE_SIZE];
	enum field_id fix_field;  /* the change that mends it, FIELD_NONE without one */
	char fix_value[DIAG_FIX_SIZE]; /* as one would type it */
	enum field_id also_field; /* a second change that the first one needs, FIELD_NONE without */
	char also_value[DIAG_FIX_SIZE];
};

/* The first DIAG_MAX diagnostics; `dropped` counts the rest. */
struct diag_list {
	size_t count, dropped;
	struct diag item[DIAG_MAX];
};

void diag_clear(struct diag_list *list);

/* Append one; list may be NULL (then nothing happens). Returns it, or NULL when it was
 * dropped, so that a fix can be filled in. reason and source must outlive the list. */
struct diag *diag_add(struct diag_list *list, enum severity severity, enum field_id field,
    const char *reason, const char *source, const char *fmt, ...) TEXT_FORMAT(6, 7);

/* Append an error; false, which a function returns that refuses a plan. */
#define DIAG_REFUSE(list, ...) ((void)diag_add(list, SEVERITY_ERROR, __VA_ARGS__), false)

size_t diag_count(const struct diag_list *list, enum severity severity);
bool diag_has(const struct diag_list *list, const char *reason);

/* The first error on this field, or NULL. */
const struct diag *diag_of_field(const struct diag_list *list, enum field_id field);

const char *severity_name(enum severity severity); /* "error", "warning", "hint" */

/* "error parallel.tp heads_not_divisible: message (fix: parallel.tp=8)", "(fix: A=1 B=2)" */
size_t diag_format(const struct diag *d, char *buf, size_t size);
#endif
