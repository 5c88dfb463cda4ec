/*
 * hint_rows.h - what a plan that runs may be poor in, and the fields of which a change may mend it.
 */
#ifndef CORE_HINT_ROWS_H
#define CORE_HINT_ROWS_H
#include <stdbool.h>
#include <stddef.h>

#include "core/estimate/estimate.h"
#include "core/plan/field.h"
#include "core/plan/plan.h"

/* Gains of a change, in the order in which hints are given. */
enum hint_gain {
	HINT_TIME,    /* of a step, or of a request from its sending to its last token */
	HINT_FIRST,   /* time to the first token */
	HINT_MEMORY,  /* bytes on the fullest GPU */
	HINT_ROOM,    /* requests that the KV cache holds */
	HINT_TOKENS,  /* tokens a second, at the time that a request takes now */
};

enum { HINT_FIELDS = 5, HINT_ROWS_MAX = 16 };

struct hint_row {
	const char *reason;
	enum field_id field;
	const char *source;
	enum hint_gain gain;
	int way;                           /* only smaller values (-1), only larger ones (1), any (0) */
	enum field_id change[HINT_FIELDS]; /* FIELD_NONE ends it */
	/* Whether the plan is poor, with the number that tells it. */
	bool (*poor)(const struct plan *p, const struct estimate *e, char *text, size_t size);
};

/* Rows of training and of serving plans, at most HINT_ROWS_MAX. One that comes first takes a
 * change away from the others. */
const struct hint_row *hint_rows_train(size_t *count);
const struct hint_row *hint_rows_serve(size_t *count);

/* For a row that holds: true with the text; and a whole number in it. */
#define HINT_SAY(...) (text_put(text, size, __VA_ARGS__), true)
#define N(value) ((long long)(value))

/* A row's function of one condition on a plan p and its estimate e, and what it then says. */
#define HINT(name) static bool name(MAYBE const struct plan *p, MAYBE const struct estimate *e, char *text, size_t size)
#define HINT_IF(name, condition, ...) \
	HINT(name) \
	{ \
		return (condition) && HINT_SAY(__VA_ARGS__); \
	}
#endif
