/*
 * layout.h - process groups: which ranks talk to which, for every framework.
 *
 * One rule covers them all. A grid is a list of axes with sizes, fastest (stride 1)
 * first: rank = sum of index(axis) x stride(axis). A group kind is a set of axes of one
 * grid (its mask): two ranks share a group when they differ in masked axes only. A
 * framework is then a row of axes and a row of kinds. Few kinds are not plain masks;
 * enum group_shape names them. Nothing is stored per rank: every question is O(1)
 * arithmetic, so a million GPUs cost nothing.
 *
 * Source of the rule: NVIDIA/Megatron-LM megatron/core/parallel_state.py,
 * generate_masked_orthogonal_rank_groups.
 */
#ifndef CORE_LAYOUT_H
#define CORE_LAYOUT_H
#include <stdbool.h>
#include <stdint.h>

#include "core/plan/diag.h"
#include "core/plan/plan.h"

enum {
	LAYOUT_NAME_SIZE = 24, /* no name is longer; names are string literals */
	LAYOUT_AXES_MAX = 12,  /* axes of one grid: 3 and up to 8 levels of CP */
	LAYOUT_GRIDS_MAX = 4,
	LAYOUT_KINDS_MAX = 32,
};

struct axis {
	const char *name;
	int64_t size, stride;
};

struct grid {
	int axes;
	struct axis axis[LAYOUT_AXES_MAX]; /* fastest first */
};

enum group_shape {
	GROUP_MASK,   /* all ranks that agree in the axes outside the mask */
	GROUP_CHUNK,  /* a mask group cut into `chunks` runs of equal length (dp_cp_intra) */
	GROUP_ENDS,   /* first and last member of a mask group (embedding group) */
	GROUP_FIRST,  /* first member of a mask group (position embedding group) */
	GROUP_RING,   /* each rank and its successor in a mask group (DeepSpeed p2p) */
};

struct group_kind {
	const char *name;            /* "tp", "dp_cp", ... as in the framework */
	enum group_shape shape;
	int grid;                    /* which grid the mask is over */
	uint32_t mask;               /* bit i: axis i of that grid */
	uint32_t inner;              /* axes outside the mask that the listing counts up first:
	                                the other parts of a split axis, 0 for most kinds */
	int64_t chunks;              /* GROUP_CHUNK only */
	bool each_layer;             /* all members wait for one another in every layer */
};

/*
 * grid[0] is the dense grid: every rank's main coordinates. Valid only after layout_init
 * returned true; the sizes alone after layout_size did.
 */
struct layout {
	int64_t world, dp, edp;   /* derived sizes; edp is 1 where there is no expert grid */
	int grids, kinds;
	struct grid grid[LAYOUT_GRIDS_MAX];
	struct group_kind kind[LAYOUT_KINDS_MAX]; /* in the order in which they are listed */
};

/*
 * Lay out the plan as its parallel.layout does, or refuse as the framework would: false,
 * with the error appended to diags (may be NULL) and its reason code. p must be resolved.
 */
bool layout_init(struct layout *l, const struct plan *p, struct diag_list *diags);

/* The two halves of it. Sizes alone decide whether a plan is refused, and what memory it
 * takes; grids and kinds come after them. */
bool layout_size(struct layout *l, const struct plan *p, struct diag_list *diags);
void layout_group(struct layout *l, const struct plan *p);

/* Index of a kind by name, -1 when this layout has no such kind. */
int layout_kind(const struct layout *l, const char *name);

/* Number of groups of a kind, and members of each. Groups of one kind are all as large. */
int64_t layout_group_count(const struct layout *l, int kind);
int64_t layout_group_size(const struct layout *l, int kind);

/* The group a rank is in, in listing order; -1 for a rank outside every group (embd of a
 * middle stage). For GROUP_RING the group that the rank leads. */
int64_t layout_group_of(const struct layout *l, int kind, int64_t rank);

/* Member k of group g; members are in the order in which the framework lists them. */
int64_t layout_member(const struct layout *l, int kind, int64_t group, int64_t k);

/* The members of one group in the same order, a few nanoseconds each. */
struct group_walk {
	const struct layout *layout;
	int kind;
	int64_t group, next, count; /* member to come, members in all */
	int64_t rank;               /* plain masks: the member to come */
	int64_t index[LAYOUT_AXES_MAX];
};
void group_walk_start(struct group_walk *w, const struct layout *l, int kind, int64_t group);
bool group_walk_next(struct group_walk *w, int64_t *rank); /* false past the last member */

/* Where a rank stands in its group (its rank inside it), -1 outside every group. */
int64_t layout_position(const struct layout *l, int kind, int64_t rank);

/* Coordinate of a rank on one axis. */
int64_t layout_coord(const struct layout *l, int grid, int axis, int64_t rank);

/* True when a grid before this one has an axis of that name: the same coordinate again. */
bool layout_axis_again(const struct layout *l, int grid, const char *name);

/* The axis of grid 0 that the stages of the pipeline are on, -1 without it. */
int layout_pipeline_axis(const struct layout *l);

/* Pipeline rank of a rank: the coordinate that says which layers it holds. */
int64_t layout_pipeline_rank(const struct layout *l, int64_t rank);

/*
 * FNV-1a 64 over the text of all groups, members ascending and groups by members: each
 * group is its ranks in decimal joined by blanks, then a newline.
 */
uint64_t layout_hash(const struct layout *l, int kind);
#endif
