#include "core/base/text.h"
#include "core/framework/resolve.h"
#include "core/plan/override.h"
#include "core/plan/pool.h"
#include "core/rules/check.h"
#include "core/rules/settle.h"
#include "core/rules/step.h"

/* Put a value in and say whether the range took it. */
static bool
put_int(enum field_id f, struct plan *p, int64_t v)
{
	char err[256];

	return field_put_int(f, p, v, err, sizeof err);
}

/* The next power of two above or below; 0 lies below 1. */
static int64_t
next_power(int64_t v, int way)
{
	int64_t power = 1;

	if (way < 0 && v <= 1)
		return v - 1;
	while (power <= v && way > 0)
		power *= 2;
	while (way < 0 && power * 2 < v)
		power *= 2;
	return power;
}

/* The next divisor of the world; beyond it the next power of two, so that a walk can go on. */
static int64_t
next_divisor(int64_t v, int way, int64_t world)
{
	for (int64_t d = v + way; d >= 1 && d <= world; d += way)
		if (world % d == 0)
			return d;
	return way > 0 ? next_power(v, way) : world < v ? world : 0;
}

static int64_t
next_multiple(int64_t v, int way, int64_t of)
{
	return way > 0 ? (v / of + 1) * of : (v - 1) / of * of;
}

/* The neighbour in a catalogue list; the first or last one for an unknown name. */
static const char *
next_entry(const struct catalog_list *list, const char *id, int way)
{
	const struct catalog_entry *here = catalog_find(list, id);
	int64_t i;

	if (list->count == 0)
		return NULL;
	if (here == NULL)
		return list->entry[way > 0 ? 0 : list->count - 1].id;
	i = (here - list->entry) + way;
	return i < 0 || i >= (int64_t)list->count ? NULL : list->entry[i].id;
}

static bool
step_entry(struct plan *next, const struct catalog_list *list, enum field_id f, int way)
{
	const struct plan before = *next;
	const char *id = next_entry(list, field_text(f, next), way);
	struct overrides dropped;
	char err[256];

	if (id == NULL || !field_put_text(f, next, id, err, sizeof err))
		return false;
	overrides_drop(&before, next, &dropped);
	return true;
}

static bool
step_order(struct plan *next, int way)
{
	/* The default, --use-tp-pp-dp-mapping, and context parallel first. */
	static const char *const orders[] = { "tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp", "cp-tp-ep-dp-pp" };
	enum { COUNT = sizeof orders / sizeof *orders };
	char err[256];
	int i = 0;

	while (i < COUNT && !text_equal(orders[i], next->parallel.order))
		i++;
	i = i == COUNT ? 0 : i + way;
	return i >= 0 && i < COUNT && field_put_text(FIELD_ORDER, next, orders[i], err, sizeof err);
}

int64_t
step_number(enum field_id f, int64_t v, int way, int64_t world)
{
	switch (field_table[f].step) {
	case STEP_POWER:
		return next_power(v, way);
	case STEP_DIVISOR:
		return next_divisor(v, way, world);
	case STEP_MULTIPLE_16:
		return next_multiple(v, way, 16);
	case STEP_MULTIPLE_128:
		return next_multiple(v, way, 128);
	default:
		return v + way;
	}
}

bool
step_plain(const struct plan *p, const struct catalog *catalog, enum field_id f, int way,
    struct plan *next)
{
	const struct field *row = &field_table[f];
	char err[256];
	bool moved = false;
	int64_t v;

	*next = *p;
	way = way < 0 ? -1 : 1;
	switch (row->step) {
	case STEP_NONE:
		break;
	case STEP_ONE:
	case STEP_CHOICE:
	case STEP_POWER:
	case STEP_DIVISOR:
	case STEP_MULTIPLE_16:
	case STEP_MULTIPLE_128:
		v = step_number(f, field_int(f, p), way, pool_rest(p));
		moved = (v >= field_least(f) || row->type != FIELD_INT) && put_int(f, next, v);
		break;
	case STEP_BY:
		moved = field_put_real(f, next, field_real(f, next) + way * row->by, err, sizeof err);
		break;
	case STEP_GPU:
		moved = catalog != NULL && step_entry(next, &catalog->gpus, f, way);
		break;
	case STEP_MODEL:
		moved = catalog != NULL && step_entry(next, &catalog->models, f, way);
		break;
	case STEP_ORDER:
		moved = step_order(next, way);
		break;
	}
	plan_resolve(next, catalog);
	return moved;
}

bool
step_legal(const struct plan *p, const struct catalog *catalog, enum field_id f, int way,
    struct plan *next)
{
	enum { LOOKED_AT = 128 }; /* a walk over a whole catalogue, or 2^128 */
	const struct plan from = *p; /* next may be p */
	struct plan here = from;

	for (int i = 0; i < LOOKED_AT && step_plain(&here, catalog, f, way, next); i++) {
		here = *next;
		sizes_settle(next, catalog);
		if (plan_is_legal(next, catalog))
			return true;
	}
	return step_plain(&from, catalog, f, way, next);
}
