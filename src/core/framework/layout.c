#include <string.h>

#include "core/base/text.h"
#include "core/framework/layout.h"

/* ---- arithmetic on one grid ----------------------------------------------------- */

static int64_t
axis_index(const struct grid *g, int axis, int64_t rank)
{
	return rank / g->axis[axis].stride % g->axis[axis].size;
}

/* Product of the sizes of the axes in the mask, or of those outside it. */
static int64_t
span(const struct grid *g, uint32_t mask)
{
	int64_t n = 1;

	for (int i = 0; i < g->axes; i++)
		if (mask >> i & 1)
			n *= g->axis[i].size;
	return n;
}

static uint32_t
axes_left(const struct grid *g, uint32_t mask)
{
	return ~mask & ((UINT32_C(1) << g->axes) - 1);
}

/* Number n as indices on the axes of the mask, fastest first: what it adds to a rank. */
static int64_t
spread_over(const struct grid *g, uint32_t mask, int64_t n)
{
	int64_t rank = 0;

	for (int i = 0; i < g->axes; i++)
		if (mask >> i & 1) {
			rank += n % g->axis[i].size * g->axis[i].stride;
			n /= g->axis[i].size;
		}
	return rank;
}

/* The reverse: the indices of a rank on the axes of the mask as one number. */
static int64_t
gather(const struct grid *g, uint32_t mask, int64_t rank)
{
	int64_t n = 0, scale = 1;

	for (int i = 0; i < g->axes; i++)
		if (mask >> i & 1) {
			n += axis_index(g, i, rank) * scale;
			scale *= g->axis[i].size;
		}
	return n;
}

/* ---- questions about groups -------------------------------------------------------- */

static const struct grid *
grid_of(const struct layout *l, int kind)
{
	return &l->grid[l->kind[kind].grid];
}

static int64_t
mask_size(const struct layout *l, int kind)
{
	return span(grid_of(l, kind), l->kind[kind].mask);
}

static int64_t
mask_count(const struct layout *l, int kind)
{
	const struct grid *g = grid_of(l, kind);

	return span(g, axes_left(g, l->kind[kind].mask));
}

static int64_t
mask_group_of(const struct layout *l, int kind, int64_t rank)
{
	const struct grid *g = grid_of(l, kind);
	const uint32_t inner = l->kind[kind].inner;

	return gather(g, inner, rank) +
	    span(g, inner) * gather(g, axes_left(g, l->kind[kind].mask | inner), rank);
}

static int64_t
mask_position(const struct layout *l, int kind, int64_t rank)
{
	return gather(grid_of(l, kind), l->kind[kind].mask, rank);
}

static int64_t
mask_member(const struct layout *l, int kind, int64_t group, int64_t k)
{
	const struct grid *g = grid_of(l, kind);
	const uint32_t mask = l->kind[kind].mask, inner = l->kind[kind].inner;

	return spread_over(g, inner, group % span(g, inner)) +
	    spread_over(g, axes_left(g, mask | inner), group / span(g, inner)) + spread_over(g, mask, k);
}

int
layout_kind(const struct layout *l, const char *name)
{
	for (int i = 0; i < l->kinds; i++)
		if (text_equal(l->kind[i].name, name))
			return i;
	return -1;
}

/* Index of an axis by name, -1 without it. */
static int
layout_axis(const struct layout *l, int grid, const char *name)
{
	for (int i = 0; i < l->grid[grid].axes; i++)
		if (text_equal(l->grid[grid].axis[i].name, name))
			return i;
	return -1;
}

bool
layout_axis_again(const struct layout *l, int grid, const char *name)
{
	for (int earlier = 0; earlier < grid; earlier++)
		if (layout_axis(l, earlier, name) >= 0)
			return true;
	return false;
}

int64_t
layout_coord(const struct layout *l, int grid, int axis, int64_t rank)
{
	return axis_index(&l->grid[grid], axis, rank);
}

int
layout_pipeline_axis(const struct layout *l)
{
	const int axis = layout_axis(l, 0, "pp");

	return axis >= 0 ? axis : layout_axis(l, 0, "pipe"); /* DeepSpeed's name */
}

int64_t
layout_pipeline_rank(const struct layout *l, int64_t rank)
{
	const int axis = layout_pipeline_axis(l);

	return axis < 0 ? 0 : layout_coord(l, 0, axis, rank);
}

int64_t
layout_group_count(const struct layout *l, int kind)
{
	switch (l->kind[kind].shape) {
	case GROUP_CHUNK:
		return mask_count(l, kind) * l->kind[kind].chunks;
	case GROUP_RING:
		return l->world;
	case GROUP_MASK:
	case GROUP_ENDS:
	case GROUP_FIRST:
		break;
	}
	return mask_count(l, kind);
}

int64_t
layout_group_size(const struct layout *l, int kind)
{
	switch (l->kind[kind].shape) {
	case GROUP_CHUNK:
		return mask_size(l, kind) / l->kind[kind].chunks;
	case GROUP_ENDS:
		return mask_size(l, kind) > 1 ? 2 : 1;
	case GROUP_FIRST:
		return 1;
	case GROUP_RING:
		return 2;
	case GROUP_MASK:
		break;
	}
	return mask_size(l, kind);
}

int64_t
layout_group_of(const struct layout *l, int kind, int64_t rank)
{
	int64_t group, position;

	if (l->kind[kind].shape == GROUP_RING)
		return rank;
	group = mask_group_of(l, kind, rank);
	position = mask_position(l, kind, rank);
	switch (l->kind[kind].shape) {
	case GROUP_CHUNK:
		return group * l->kind[kind].chunks + position / layout_group_size(l, kind);
	case GROUP_ENDS:
		return position == 0 || position == mask_size(l, kind) - 1 ? group : -1;
	case GROUP_FIRST:
		return position == 0 ? group : -1;
	case GROUP_MASK:
	case GROUP_RING:
		break;
	}
	return group;
}

int64_t
layout_position(const struct layout *l, int kind, int64_t rank)
{
	int64_t position;

	if (l->kind[kind].shape == GROUP_RING)
		return 0;
	position = mask_position(l, kind, rank);
	switch (l->kind[kind].shape) {
	case GROUP_CHUNK:
		return position % layout_group_size(l, kind);
	case GROUP_ENDS:
		if (position == 0)
			return 0;
		return position == mask_size(l, kind) - 1 ? 1 : -1;
	case GROUP_FIRST:
		return position == 0 ? 0 : -1;
	case GROUP_MASK:
	case GROUP_RING:
		break;
	}
	return position;
}

int64_t
layout_member(const struct layout *l, int kind, int64_t group, int64_t k)
{
	int64_t position;

	switch (l->kind[kind].shape) {
	case GROUP_CHUNK:
		return mask_member(l, kind, group / l->kind[kind].chunks,
		    group % l->kind[kind].chunks * layout_group_size(l, kind) + k);
	case GROUP_ENDS:
		return mask_member(l, kind, group, k == 0 ? 0 : mask_size(l, kind) - 1);
	case GROUP_RING:
		position = mask_position(l, kind, group);
		if (k == 0)
			return group;
		return mask_member(l, kind, mask_group_of(l, kind, group),
		    (position + 1) % mask_size(l, kind));
	case GROUP_MASK:
	case GROUP_FIRST:
		break;
	}
	return mask_member(l, kind, group, k);
}

/* ---- walking a group ------------------------------------------------------------------ */

void
group_walk_start(struct group_walk *w, const struct layout *l, int kind, int64_t group)
{
	memset(w, 0, sizeof *w);
	w->layout = l;
	w->kind = kind;
	w->group = group;
	w->count = layout_group_size(l, kind);
	w->rank = layout_member(l, kind, group, 0);
}

/* Count the masked axes up by one, like an odometer, without a division. */
static void
turn_axes(struct group_walk *w)
{
	const struct grid *g = grid_of(w->layout, w->kind);
	const uint32_t mask = w->layout->kind[w->kind].mask;

	for (int i = 0; i < g->axes; i++) {
		if (!(mask >> i & 1))
			continue;
		w->rank += g->axis[i].stride;
		if (++w->index[i] < g->axis[i].size)
			return;
		w->rank -= g->axis[i].stride * g->axis[i].size;
		w->index[i] = 0;
	}
}

bool
group_walk_next(struct group_walk *w, int64_t *rank)
{
	if (w->next == w->count)
		return false;
	if (w->layout->kind[w->kind].shape == GROUP_MASK) {
		*rank = w->rank;
		turn_axes(w);
	} else {
		*rank = layout_member(w->layout, w->kind, w->group, w->next);
	}
	w->next++;
	return true;
}

/* ---- hash ------------------------------------------------------------------------------ */

#define FNV_BASIS UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

static uint64_t
hash_rank(uint64_t h, int64_t rank, char after)
{
	char digits[24];
	int n = 0;

	do {
		digits[n++] = (char)('0' + rank % 10);
		rank /= 10;
	} while (rank > 0);
	while (n > 0)
		h = (h ^ (unsigned char)digits[--n]) * FNV_PRIME;
	return (h ^ (unsigned char)after) * FNV_PRIME;
}

static uint64_t
hash_group(uint64_t h, const struct layout *l, int kind, int64_t group)
{
	struct group_walk w;
	int64_t rank;

	group_walk_start(&w, l, kind, group);
	while (group_walk_next(&w, &rank))
		h = hash_rank(h, rank, w.next == w.count ? '\n' : ' ');
	return h;
}

static uint64_t
hash_pair(uint64_t h, int64_t low, int64_t high)
{
	return hash_rank(hash_rank(h, low, ' '), high, '\n');
}

/*
 * Pairs of a ring, low rank first. A rank is the low one of the pair with its successor,
 * except the last of the ring, whose pair with the first belongs to the first: that one
 * has two pairs, which come in the order of their high ranks.
 */
static uint64_t
hash_ring(const struct layout *l, int kind)
{
	uint64_t h = FNV_BASIS;
	const int64_t size = mask_size(l, kind);

	for (int64_t r = 0; r < l->world; r++) {
		const int64_t position = mask_position(l, kind, r);
		const int64_t group = mask_group_of(l, kind, r);

		if (size == 1 || position + 1 < size)
			h = hash_pair(h, r, layout_member(l, kind, r, 1));
		if (size > 1 && position == 0)
			h = hash_pair(h, r, mask_member(l, kind, group, size - 1));
	}
	return h;
}

uint64_t
layout_hash(const struct layout *l, int kind)
{
	uint64_t h = FNV_BASIS;

	if (l->kind[kind].shape == GROUP_RING)
		return hash_ring(l, kind);
	if (l->kind[kind].shape == GROUP_CHUNK || l->kind[kind].inner != 0) {
		/* Listed by the groups that they are parts of; sorted, parts interleave. */
		for (int64_t r = 0; r < l->world; r++)
			if (layout_position(l, kind, r) == 0)
				h = hash_group(h, l, kind, layout_group_of(l, kind, r));
		return h;
	}
	/* Listing order is ascending order here: strides grow from axis to axis. */
	for (int64_t g = 0; g < layout_group_count(l, kind); g++)
		h = hash_group(h, l, kind, g);
	return h;
}
