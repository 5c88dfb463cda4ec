/*
 * overlay.h - lists over the panes: one row of a table each.
 */
#ifndef UI_OVERLAY_H
#define UI_OVERLAY_H
#include <stdbool.h>
#include <stddef.h>

#include "ui/rows.h"
#include "ui/state.h"

struct overlay_type {
	const char *title;
	/* What changes of the title, added to it; NULL: nothing. */
	void (*add_title)(const struct state *s, char *buf, size_t size);
	void (*rows)(struct rows *rows, const struct state *s);  /* its entries */
	unsigned (*accept)(struct state *s, int target);  /* Enter on an entry; NULL: nothing */
	unsigned (*aside)(struct state *s, int way);      /* left (-1), right (1); NULL: nothing */
	bool types;                                       /* typing filters, without '/' */
};

extern const struct overlay_type overlay_table[OVERLAY_COUNT]; /* by enum overlay */
#endif
