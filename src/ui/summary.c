#include "ui/summary.h"

#include "core/text.h"
#include "ui/change.h"
#include "ui/units.h"

#define AT(member) offsetof(struct summary, member)

static const struct {
	const char *name;
	size_t offset;
	void (*format)(double value, char *buf, size_t size);
	enum better better;
	bool named; /* its unit does not tell which number it is */
} part_table[SUMMARY_PARTS] = {
	[SUMMARY_MEMORY] = { "memory", AT(memory), units_memory, BETTER_LESS, false },
	[SUMMARY_STEP] = { "step", AT(step), units_seconds, BETTER_LESS, false },
	[SUMMARY_MFU] = { "MFU", AT(mfu), units_share, BETTER_MORE, true },
	[SUMMARY_TRAFFIC] = { "traffic", AT(traffic), units_wire, BETTER_LESS, false },
	[SUMMARY_KV_TOKENS] = { "KV tokens", AT(kv_tokens), units_count, BETTER_MORE, true },
	[SUMMARY_TPOT] = { "TPOT", AT(tpot), units_seconds, BETTER_LESS, true },
	[SUMMARY_TOKENS_PER_SECOND] = { "tokens/s", AT(tokens_per_second), units_count,
	    BETTER_MORE, true },
};

static double
part_of(const struct summary *s, enum summary_part part)
{
	return *(const double *)(const void *)((const char *)s + part_table[part].offset);
}

struct summary
summary_of(const struct estimate *e)
{
	struct summary s = { .memory = e->stages > 0 ? e->peak_total : 0 };

	if (e->timed) {
		s.step = e->step.seconds;
		s.mfu = e->step.mfu;
		for (size_t i = 0; i < e->traffic.count; i++)
			s.traffic += e->traffic.row[i].bytes;
	}
	if (e->served) {
		s.kv_tokens = e->serve.kv_tokens;
		s.tpot = e->serve.tpot_seconds;
		s.tokens_per_second = e->serve.tokens_per_second;
	}
	return s;
}

/* One quantity, when both plans have it and it reads differently. */
static void
add_change(const char *name, void (*format)(double, char *, size_t), double was, double is,
    char *buf, size_t size)
{
	char a[UNITS_SIZE], b[UNITS_SIZE], both[2 * UNITS_SIZE + 8];

	if (was <= 0 || is <= 0)
		return;
	format(was, a, sizeof a);
	format(is, b, sizeof b);
	if (text_equal(a, b))
		return;
	units_change(a, b, both, sizeof both);
	text_add(buf, size, "%s%s %s", buf[0] != '\0' ? ", " : "", name, both);
}

static void
put_unchanged(const struct summary *s, char *buf, size_t size)
{
	char memory[UNITS_SIZE];

	units_memory(s->memory, memory, sizeof memory);
	text_put(buf, size, "memory stays at %s%s", memory,
	    s->step > 0 ? ", so does the step time" : "");
}

void
summary_delta(const struct summary *was, const struct summary *is, char *buf, size_t size)
{
	buf[0] = '\0';
	if (was->memory <= 0 || is->memory <= 0)
		return;
	for (enum summary_part i = 0; i < SUMMARY_PARTS; i++)
		add_change(part_table[i].name, part_table[i].format, part_of(was, i), part_of(is, i),
		    buf, size);
	if (buf[0] == '\0')
		put_unchanged(is, buf, size);
}

bool
summary_change(const struct summary *was, const struct summary *is, enum summary_part part,
    bool named, char *buf, size_t size, enum role *role)
{
	const double a = part_of(was, part), b = part_of(is, part);
	char text[CHANGE_SIZE];

	buf[0] = '\0';
	if (a <= 0 || b <= 0 || !change_put_unit(part_table[part].format, a, b, text, sizeof text))
		return false;
	if (named || part_table[part].named)
		text_put(buf, size, "%s ", part_table[part].name);
	text_add(buf, size, "%s", text);
	*role = change_role(a, b, part_table[part].better);
	return true;
}

void
summary_changes(const struct summary *was, const struct summary *is, char *buf, size_t size)
{
	char change[CHANGE_SIZE + 16];
	enum role role;

	buf[0] = '\0';
	if (was->memory <= 0 || is->memory <= 0)
		return;
	for (enum summary_part i = 0; i < SUMMARY_PARTS; i++)
		if (i != SUMMARY_TRAFFIC &&
		    summary_change(was, is, i, true, change, sizeof change, &role))
			text_add(buf, size, "%s%s", buf[0] != '\0' ? ", " : "", change);
	if (buf[0] == '\0')
		put_unchanged(is, buf, size);
}

void
summary_pace(const struct summary *s, char *buf, size_t size)
{
	buf[0] = '\0';
	if (s->step > 0) {
		units_seconds(s->step, buf, size);
		text_add(buf, size, "/step");
	} else if (s->tpot > 0) {
		units_seconds(s->tpot, buf, size);
		text_add(buf, size, "/token");
	}
}

void
summary_rate(const struct summary *s, char *buf, size_t size)
{
	char count[UNITS_SIZE];

	buf[0] = '\0';
	if (s->mfu > 0)
		text_put(buf, size, "MFU %.0f %%", s->mfu * 100);
	else if (s->tokens_per_second > 0) {
		units_count(s->tokens_per_second, count, sizeof count);
		text_put(buf, size, "%s tokens/s", count);
	}
}
