#include "ui/state/summary.h"

#include "core/base/text.h"
#include "ui/screen/change.h"

static const struct {
	enum result_id id, phases; /* of a plan with phases another; RESULT_COUNT: none */
	bool named; /* its unit does not tell which number it is */
} part_table[SUMMARY_PARTS] = {
	[SUMMARY_MEMORY] = { RESULT_PEAK_TOTAL, RESULT_RL_PEAK, false },
	[SUMMARY_STEP] = { RESULT_STEP, RESULT_RL_STEP, false },
	[SUMMARY_MFU] = { RESULT_MFU, RESULT_COUNT, true },
	[SUMMARY_TRAFFIC] = { RESULT_FLOW_BYTES, RESULT_FLOW_BYTES, false },
	[SUMMARY_KV_TOKENS] = { RESULT_KV_TOKENS, RESULT_KV_TOKENS, true },
	[SUMMARY_TPOT] = { RESULT_TPOT, RESULT_TPOT, true },
	[SUMMARY_TOKENS_PER_SECOND] = { RESULT_GENERATED, RESULT_RL_TOKENS, true },
};

static const enum result_id held_table[SUMMARY_HELD] = {
	RESULT_PARAMETERS, RESULT_GRADIENTS, RESULT_OPTIMIZER, RESULT_ACTIVATIONS, RESULT_LOGITS,
	RESULT_KV_CACHE, RESULT_BUFFERS, RESULT_OVERHEAD,
};

struct summary
summary_of(const struct estimate *e)
{
	struct summary s = { .part = { 0 } };

	for (int i = 0; i < SUMMARY_HELD; i++)
		result_value(held_table[i], e, e->peak_stage, &s.held[i]);
	for (enum summary_part i = 0; i < SUMMARY_PARTS; i++) {
		const enum result_id id = e->reinforced ? part_table[i].phases : part_table[i].id;

		if (id != RESULT_COUNT)
			result_value(id, e, 0, &s.part[i]);
	}
	return s;
}

static const struct result *
row_of(enum summary_part part)
{
	return &result_table[part_table[part].id];
}

/* One number, when both plans have it and it reads differently. */
static void
add_change(const struct result *r, double was, double is, char *buf, size_t size)
{
	char a[UNITS_SIZE], b[UNITS_SIZE], both[2 * UNITS_SIZE + 8];

	if (was <= 0 || is <= 0 || text_equal(units_short(a, sizeof a, r->measure, was),
	    units_short(b, sizeof b, r->measure, is)))
		return;
	units_from_to(a, b, both, sizeof both);
	text_add(buf, size, "%s%s %s", buf[0] != '\0' ? ", " : "", r->brief, both);
}

/* As much memory as before may be made of other things: "buffers -1.20 GiB, ..." */
static void
add_held(const struct summary *was, const struct summary *is, char *buf, size_t size)
{
	char change[CHANGE_SIZE];

	for (int i = 0; i < SUMMARY_HELD; i++)
		if (change_put_unit(MEASURE_BYTES, was->held[i], is->held[i], change, sizeof change))
			text_add(buf, size, "%s%s %s", buf[0] != '\0' ? ", " : "",
			    result_table[held_table[i]].brief, change);
}

static void
put_unchanged(const struct summary *was, const struct summary *is, char *buf, size_t size)
{
	const char *memory = UNITS_SHORT(BYTES, is->part[SUMMARY_MEMORY]);

	add_held(was, is, buf, size);
	if (buf[0] != '\0')
		text_add(buf, size, ", %s in all as before", memory);
	else
		text_put(buf, size, "memory stays at %s%s", memory,
		    is->part[SUMMARY_STEP] > 0 ? ", so does the step time" : "");
}

void
summary_delta(const struct summary *was, const struct summary *is, char *buf, size_t size)
{
	buf[0] = '\0';
	if (was->part[SUMMARY_MEMORY] <= 0 || is->part[SUMMARY_MEMORY] <= 0)
		return;
	for (enum summary_part i = 0; i < SUMMARY_PARTS; i++)
		add_change(row_of(i), was->part[i], is->part[i], buf, size);
	if (buf[0] == '\0')
		put_unchanged(was, is, buf, size);
}

bool
summary_change(const struct summary *was, const struct summary *is, enum summary_part part,
    bool named, char *buf, size_t size, enum role *role)
{
	const double a = was->part[part], b = is->part[part];
	char text[CHANGE_SIZE];

	buf[0] = '\0';
	if (a <= 0 || b <= 0 || !change_put_unit(row_of(part)->measure, a, b, text, sizeof text))
		return false;
	if (named || part_table[part].named)
		text_put(buf, size, "%s ", row_of(part)->brief);
	text_add(buf, size, "%s", text);
	*role = change_role(part_table[part].id, a, b);
	return true;
}

void
summary_changes(const struct summary *was, const struct summary *is, char *buf, size_t size)
{
	char change[CHANGE_SIZE + 16];
	enum role role;

	buf[0] = '\0';
	if (was->part[SUMMARY_MEMORY] <= 0 || is->part[SUMMARY_MEMORY] <= 0)
		return;
	for (enum summary_part i = 0; i < SUMMARY_PARTS; i++)
		if (i != SUMMARY_TRAFFIC &&
		    summary_change(was, is, i, true, change, sizeof change, &role))
			text_add(buf, size, "%s%s", buf[0] != '\0' ? ", " : "", change);
	if (buf[0] == '\0')
		put_unchanged(was, is, buf, size);
}

void
summary_pace(const struct summary *s, char *buf, size_t size)
{
	buf[0] = '\0';
	if (s->part[SUMMARY_STEP] > 0) {
		units_short(buf, size, MEASURE_SECONDS, s->part[SUMMARY_STEP]);
		text_add(buf, size, "/step");
	} else if (s->part[SUMMARY_TPOT] > 0) {
		units_short(buf, size, MEASURE_SECONDS, s->part[SUMMARY_TPOT]);
		text_add(buf, size, "/token");
	}
}

void
summary_rate(const struct summary *s, char *buf, size_t size)
{
	buf[0] = '\0';
	if (s->part[SUMMARY_MFU] > 0)
		text_put(buf, size, "MFU %.0f %%", s->part[SUMMARY_MFU] * 100);
	else if (s->part[SUMMARY_TOKENS_PER_SECOND] > 0) {
		text_put(buf, size, "%s tokens/s", UNITS_SHORT(COUNT, s->part[SUMMARY_TOKENS_PER_SECOND]));
	}
}
