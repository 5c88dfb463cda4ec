/*
 * layout_build.h - what the layouts of the frameworks are built from. Private to core.
 */
#ifndef CORE_LAYOUT_BUILD_H
#define CORE_LAYOUT_BUILD_H
#include "core/framework/layout.h"
#include "core/plan/diag.h"

/* Add an empty grid; returns its index. */
int layout_add_grid(struct layout *l);

/* Add the next slower axis to a grid; returns its index. */
int layout_add_axis(struct layout *l, int grid, const char *name, int64_t size);

/* Add a grid of axes, the fastest first; ended by an axis without a name. */
struct axis_row {
	const char *name;
	int64_t size;
};
int layout_add_axes(struct layout *l, const struct axis_row *row);

/* Add a kind of that mask. */
struct group_kind *layout_add_kind(struct layout *l, int grid, const char *name, uint32_t mask);

/* Add kinds of plain masks; ended by a kind without a name. */
struct kind_row {
	const char *name;
	uint32_t mask; /* bit i: axis i of the grid */
	int grid;
};
void layout_add_kinds(struct layout *l, const struct kind_row *row);

/* Refuse a world that the product of sizes, "TP %lld x PP %lld" and their values, does not divide. */
#define LAYOUT_REFUSE(l, product, diags, field, reason, source, sizes, ...) \
	DIAG_REFUSE(diags, field, reason, source, "%lld GPU%s not divisible by " sizes " = %lld", (long long)(l)->world, \
	    (l)->world == 1 ? " is" : "s are", __VA_ARGS__, (long long)(product))
#endif
