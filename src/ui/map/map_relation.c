#include "ui/map/map_relation.h"

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/framework/link.h"
#include "core/train/traffic.h"

const char *
map_set_same(const struct layout *l, const char *name)
{
	static const char *const other[][5] = {
		{ "dp", "data", "dp_shard", NULL, NULL },
		{ "dp_cp", "loss", "dp", "data", NULL },
		{ "tp", "model", NULL, NULL, NULL },
		{ "pp", "pipe", NULL, NULL, NULL },
		{ "cp", "pcp", "sequence_parallel", NULL, NULL },
	};

	if (layout_kind(l, name) >= 0)
		return name;
	for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
		bool named = false;

		for (int j = 0; j < 5 && other[i][j] != NULL; j++)
			named = named || text_equal(other[i][j], name);
		for (int j = 0; named && j < 5 && other[i][j] != NULL; j++)
			if (layout_kind(l, other[i][j]) >= 0)
				return other[i][j];
	}
	return NULL;
}

/* Two kinds whose groups are the same ranks. Groups of a kind are all alike: the first tells. */
static bool
same_groups(const struct layout *l, int a, int b)
{
	const int64_t size = layout_group_size(l, a);

	if (size != layout_group_size(l, b) || layout_group_count(l, a) != layout_group_count(l, b))
		return false;
	for (int64_t k = 0; k < size; k++)
		if (layout_member(l, a, 0, k) != layout_member(l, b, 0, k))
			return false;
	return true;
}

/* As traffic names them, in the order in which they are told. */
static const struct { const char *name; char letter; } dimensions[RELATIONS_MAX] = {
	{ "tp", 'T' }, { "pp", 'P' }, { "dp", 'D' }, { "cp", 'C' }, { "ep", 'E' }
};

/* Add a dimension, where it is one of several ranks and, if partitions count once, another one than
 * those before. */
static void
add_dimension(const struct layout *l, int dimension, bool once, struct map_relation *r)
{
	const char *same = map_set_same(l, dimensions[dimension].name);
	const int kind = same != NULL ? layout_kind(l, same) : -1;

	if (kind < 0 || layout_group_size(l, kind) == 1)
		return;
	for (int i = 0; i < r->count && once; i++)
		if (same_groups(l, r->kind[i], kind))
			return;
	r->dimension[r->count] = dimension;
	r->kind[r->count++] = kind;
}

void
map_relation_init(struct map_relation *r, const struct layout *l, int64_t cursor, bool once)
{
	*r = (struct map_relation){ .cursor = cursor < l->world ? cursor : -1 };
	for (int i = 0; i < RELATIONS_MAX; i++)
		add_dimension(l, i, once, r);
}

char
map_relation_letter(const struct map_relation *r, int i)
{
	return dimensions[r->dimension[i]].letter;
}

/* The lowest rank from `from` on that is in the group of `like`: their coordinates outside
 * the mask are the same. INT64_MAX when there is none. */
static int64_t
next_of_group(const struct grid *g, uint32_t mask, int64_t like, int64_t from)
{
	int64_t at;
	int raise = -1, free = -1;

	/* From the slowest axis on, as far as `from` itself could be it. */
	for (int i = g->axes - 1; i >= 0 && raise < 0; i--) {
		const struct axis *a = &g->axis[i];
		const int64_t have = from / a->stride % a->size, want = like / a->stride % a->size;

		if ((mask >> i & 1) != 0)
			free = have + 1 < a->size ? i : free;
		else if (want > have)
			raise = i;
		else if (want < have && free < 0)
			return INT64_MAX;
		else if (want < have)
			raise = free;
	}
	if (raise < 0)
		return from;
	/* That axis goes up, those above stay, those below are as low as they can be. */
	at = from - from % g->axis[raise].stride + g->axis[raise].stride;
	if ((mask >> raise & 1) == 0)
		at += (like / g->axis[raise].stride % g->axis[raise].size -
		    from / g->axis[raise].stride % g->axis[raise].size - 1) * g->axis[raise].stride;
	for (int i = 0; i < raise; i++)
		if ((mask >> i & 1) == 0)
			at += like / g->axis[i].stride % g->axis[i].size * g->axis[i].stride;
	return at;
}

bool
map_group_meets(const struct layout *l, int kind, int64_t first, int64_t count, int64_t like)
{
	const struct group_kind *k = &l->kind[kind];
	const int64_t end = first + count < l->world ? first + count : l->world;
	const int64_t group = layout_group_of(l, kind, like);

	if (group < 0)
		return false;
	if (k->shape == GROUP_MASK)
		return next_of_group(&l->grid[k->grid], k->mask, like, first) < end;
	for (int64_t rank = first; rank < end; rank++)
		if (layout_group_of(l, kind, rank) == group)
			return true;
	return false;
}

unsigned
map_relation_of(const struct map_relation *r, const struct layout *l, int64_t first, int64_t count)
{
	unsigned kinds = 0;

	for (int i = 0; i < r->count && r->cursor >= 0; i++)
		if (map_group_meets(l, r->kind[i], first, count, r->cursor))
			kinds |= 1U << i;
	return kinds;
}

/* What a GPU sends in a step in groups of that name, of the dimensions that traffic knows. */
static double
bytes_of(const struct traffic *t, const char *name)
{
	double bytes = 0;

	for (size_t i = 0; i < t->count; i++)
		if (text_equal(traffic_dim_name(t->row[i].dim), name))
			bytes += t->row[i].bytes;
	return bytes;
}

void
map_relation_text(const struct map_relation *r, int i, enum relation_words words, const struct plan *p,
    const struct estimate *e, char *buf, size_t size)
{
	const struct layout *l = &e->layout;
	const int kind = r->kind[i];
	const int64_t group = r->cursor >= 0 ? layout_group_of(l, kind, r->cursor) : 0;
	const double bytes = e->timed ? bytes_of(&e->traffic, dimensions[r->dimension[i]].name) : 0;

	text_put(buf, size, "%s %lld", l->kind[kind].name, (long long)layout_group_size(l, kind));
	if (words == RELATION_WHOLE)
		text_add(buf, size, " %s", group >= 0 ? link_name(p, l, kind, group) : "-");
	if (bytes > 0 && words != RELATION_SIZE)
		text_add(buf, size, " %s", UNITS_SHORT(WIRE, bytes));
}
