#include "core/rules/settle.h"

#include <string.h>

#include "core/base/text.h"
#include "core/framework/resolve.h"
#include "core/plan/field_source.h"
#include "core/rules/check.h"

/* The last one gives way first. */
static const enum field_id sizes[] = { FIELD_TP, FIELD_PP };
enum { SIZES = sizeof sizes / sizeof *sizes, BATCH_MOST = 1 << 20 }; /* sequences: more are no offer */

/* How far a plan is from running; less is nearer. */
struct standing {
	bool unplaced;    /* ranks or layers have no place: other rules are not even looked at */
	size_t errors;
	int64_t less;     /* how many times smaller its sizes are */
};

static bool
is_nearer(const struct standing *a, const struct standing *b)
{
	if (a->unplaced != b->unplaced)
		return b->unplaced;
	if (a->errors != b->errors)
		return a->errors < b->errors;
	return a->less < b->less;
}

static struct standing
standing_of(const struct plan *p, const struct catalog *catalog, int64_t less)
{
	struct standing s = { .less = less };
	struct placement placement;
	struct layout layout;
	struct diag_list diags;

	diag_clear(&diags);
	plan_check(p, catalog, &diags);
	s.errors = diag_count(&diags, SEVERITY_ERROR);
	s.unplaced = s.errors > 0 &&
	    (!layout_size(&layout, p, NULL) || !placement_init(&placement, p, NULL));
	return s;
}

/* An offered batch goes up to what all data parallel ranks share evenly. */
static void
fit_batch(struct plan *p)
{
	const enum field_id f = FIELD_GLOBAL_BATCH_SIZE;
	const int64_t batch = p->training.global_batch_size;
	struct layout layout;
	int64_t unit;

	if (!field_is_offered(f, p) || !layout_size(&layout, p, NULL) || p->training.micro_batch_size > BATCH_MOST)
		return;
	unit = layout.dp * p->training.micro_batch_size;
	if (unit <= 0 || unit > BATCH_MOST || batch % unit == 0)
		return;
	field_store_int(f, p, (batch + unit - 1) / unit * unit);
	field_offer(f, p);
}

/* The offered sizes from the i-th on, each at all divisors of its value. */
static void
try_sizes(const struct plan *p, const struct catalog *catalog, int i, int64_t less,
    struct plan *best, struct standing *nearest)
{
	const enum field_id f = i < SIZES ? sizes[i] : FIELD_NONE;
	const int64_t most = f == FIELD_NONE ? 0 : field_int(f, p);
	struct plan next = *p;

	if (f == FIELD_NONE) {
		struct standing s;

		plan_resolve(&next, catalog);
		fit_batch(&next);
		s = standing_of(&next, catalog, less);
		if (!is_nearer(&s, nearest))
			return;
		*best = next;
		*nearest = s;
		return;
	}
	try_sizes(p, catalog, i + 1, less, best, nearest);
	for (int64_t v = most / 2; v >= 1 && field_is_offered(f, p); v--) {
		if (most % v != 0)
			continue;
		field_store_int(f, &next, v);
		field_offer(f, &next);
		try_sizes(&next, catalog, i + 1, less * (most / v), best, nearest);
	}
}

bool
sizes_settle(struct plan *p, const struct catalog *catalog)
{
	struct standing as_is, nearest;
	struct plan best = *p;
	bool offered = field_is_offered(FIELD_GLOBAL_BATCH_SIZE, p);

	for (int i = 0; i < SIZES; i++)
		offered |= field_is_offered(sizes[i], p);
	if (!offered || plan_is_legal(p, catalog))
		return false;
	as_is = nearest = standing_of(p, catalog, 1);
	try_sizes(p, catalog, 0, 1, &best, &nearest);
	if (!is_nearer(&nearest, &as_is))
		return false;
	*p = best;
	return true;
}

/* resolve.c makes it as short as the model's longest context. */
static bool
is_shortened(const struct plan *before, const struct plan *after)
{
	return field_source_context(before) && field_source_context(after) &&
	    after->training.sequence_length == after->model.max_position &&
	    after->training.sequence_length < before->training.sequence_length;
}

static void
tell_step(enum field_id f, const struct plan *before, const struct plan *after, char *buf,
    size_t size)
{
	const char *comma = *buf != '\0' ? ", " : "";
	const long long from = (long long)field_int(f, before), to = (long long)field_int(f, after);

	if (to < from)
		text_add(buf, size, "%s%s steps back from %lld to %lld", comma, field_table[f].label, from, to);
	else
		text_add(buf, size, "%s%s steps up from %lld to %lld", comma, field_table[f].label, from, to);
}

size_t
settle_text(const struct plan *before, const struct plan *after, char *buf, size_t size)
{
	*buf = '\0';
	for (int i = 0; i < SIZES; i++)
		if (field_is_offered(sizes[i], before) && field_is_offered(sizes[i], after) &&
		    !field_same(sizes[i], before, after))
			tell_step(sizes[i], before, after, buf, size);
	if (field_is_offered(FIELD_GLOBAL_BATCH_SIZE, after) && !field_same(FIELD_GLOBAL_BATCH_SIZE, before, after))
		tell_step(FIELD_GLOBAL_BATCH_SIZE, before, after, buf, size);
	if (is_shortened(before, after))
		tell_step(FIELD_SEQUENCE_LENGTH, before, after, buf, size);
	return strlen(buf);
}
