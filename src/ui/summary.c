#include "ui/summary.h"

#include "core/text.h"
#include "ui/units.h"

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

void
summary_delta(const struct summary *was, const struct summary *is, char *buf, size_t size)
{
	buf[0] = '\0';
	if (was->memory <= 0 || is->memory <= 0)
		return;
	add_change("memory", units_memory, was->memory, is->memory, buf, size);
	add_change("step", units_seconds, was->step, is->step, buf, size);
	add_change("MFU", units_share, was->mfu, is->mfu, buf, size);
	add_change("traffic", units_wire, was->traffic, is->traffic, buf, size);
	add_change("KV tokens", units_count, was->kv_tokens, is->kv_tokens, buf, size);
	add_change("TPOT", units_seconds, was->tpot, is->tpot, buf, size);
	add_change("tokens/s", units_count, was->tokens_per_second, is->tokens_per_second, buf, size);
	if (buf[0] == '\0') {
		char memory[UNITS_SIZE];

		units_memory(is->memory, memory, sizeof memory);
		text_put(buf, size, "memory stays at %s", memory);
		if (is->step > 0)
			text_add(buf, size, ", so does the step time");
	}
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
