#include "core/diagnose/words.h"

#include "core/base/show.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/diagnose/ending.h"

/* Seconds or bytes: the unit of all costs. */
static enum measure
diagnosed_measure(const struct diagnosis *d)
{
	return d->leading < MEASURED_COUNT && measured_measure(d->leading) == MEASURE_BYTES ? MEASURE_BYTES : MEASURE_SECONDS;
}

void
diagnosed_heading(const struct diagnosis *d, char *buf, size_t size)
{
	char amount[UNITS_SIZE];

	if (d->leading == MEASURED_COUNT)
		text_put(buf, size, "%s", d->causes > 0 && d->cause[0].certainty == CERTAINTY_EXCLUDED ?
		    "Causes that lines rule out" : "Causes that lines name; no number tells what they cost");
	else if (d->difference < 0)
		text_put(buf, size, "The run is %s than its plan says; what could still cost something",
		    diagnosed_measure(d) == MEASURE_BYTES ? "emptier" : "faster");
	else
		text_put(buf, size, "Causes, and what each explains of +%s",
		    units_exact(amount, sizeof amount, diagnosed_measure(d), d->difference));
}

void
diagnosed_amount(const struct diagnosis *d, const struct diagnosed_cause *c, char *buf, size_t size)
{
	char amount[UNITS_SIZE];

	buf[0] = '\0';
	if (d->leading == MEASURED_COUNT || c->certainty == CERTAINTY_EXCLUDED)
		return;
	text_put(buf, size, "%s", units_exact(amount, sizeof amount, diagnosed_measure(d), c->low));
	if (c->high > 1.02 * c->low)
		text_add(buf, size, " to %s",
		    units_exact(amount, sizeof amount, diagnosed_measure(d), c->high));
}

void
diagnosed_sets(const struct diagnosed_set *set, size_t n, char *buf, size_t size)
{
	buf[0] = '\0';
	for (size_t i = 0; i < n; i++)
		text_add(buf, size, "%s%s=%s", i > 0 ? " " : "", field_table[set[i].field].path,
		    set[i].value);
}

void
diagnosed_change(const struct diagnosed_term *t, char *buf, size_t size)
{
	const double times = t->estimated > 0 ? t->measured / t->estimated : 0;

	buf[0] = '\0';
	if (times >= 10)
		text_put(buf, size, "x %.3g", times);
	else if (times > 0)
		text_put(buf, size, "%+.1f %%", 100 * (times - 1));
}

/* How a number that is out of line is called. */
static const char *
verdict_word(const struct diagnosed_term *t)
{
	const bool slower = t->verdict == TERM_SLOWER;

	if (t->id == MEASURED_RUNNING || t->id == MEASURED_POOL || t->id == MEASURED_KV_TOKENS)
		return slower ? "smaller" : "larger";
	if (measured_measure(t->id) == MEASURE_BYTES)
		return slower ? "fuller" : "emptier";
	return slower ? "slower" : "faster";
}

void
diagnosed_verdict(const struct diagnosed_term *t, char *buf, size_t size)
{
	buf[0] = '\0';
	if (t->verdict == TERM_AS_ESTIMATED)
		text_put(buf, size, "as estimated (+-%.0f %%)", 100 * t->error);
	else if (t->verdict != TERM_NOT_TOLD)
		text_put(buf, size, "%s than the estimate's error, %.0f %%", verdict_word(t), 100 * t->error);
}

void
diagnosed_place(const struct measured *m, struct place place, char *buf, size_t size)
{
	buf[0] = '\0';
	if (place.file < 0 || (size_t)place.file >= m->files)
		return;
	show_path(buf, size, m->file[place.file].path);
	text_add(buf, size, ":%u", place.line);
}

bool
diagnosed_nothing(const struct diagnosis *d, const struct measured *m)
{
	const struct ending *ending[ENDINGS_MOST];

	return d->legal && d->terms == 0 && d->mismatches == 0 && d->causes == 0 && m->oom.count == 0 &&
	    endings_of(m, ending) == 0;
}

static bool
is_shown(const struct diagnosis *d, size_t possible, enum evidence_id id)
{
	for (size_t i = 0; i < d->causes; i++) {
		const struct diagnosed_cause *c = &d->cause[i];

		if (c->certainty == CERTAINTY_POSSIBLE && possible-- == 0)
			return false;
		for (int k = 0; k < 2 * CAUSE_WORDS; k++)
			if (c->evidence[k] == id)
				return true;
	}
	return false;
}

/* Whether some cause would be the more likely for it, of those that the run can have. */
static bool
speaks_against(const struct plan *run, enum evidence_id id)
{
	for (size_t i = 0; i < cause_count; i++)
		for (int k = 0; k < CAUSE_WORDS; k++)
			if ((cause_table[i].states[k] == id || cause_table[i].supports[k] == id) &&
			    (!cause_table[i].told || cause_table[i].applies(run)))
				return true;
	return false;
}

size_t
diagnosed_seen(const struct diagnosis *d, const struct measured *m, size_t possible,
    enum evidence_id *out, size_t room)
{
	size_t n = 0;

	for (int id = EVIDENCE_NONE + 1; id < EVIDENCE_COUNT && n < room; id++)
		if (measured_says(m, (enum evidence_id)id) && speaks_against(&d->run, (enum evidence_id)id) &&
		    !is_shown(d, possible, (enum evidence_id)id))
			out[n++] = (enum evidence_id)id;
	return n;
}

const char *
diagnosed_well(const struct diagnosis *d, const struct measured *m)
{
	const struct ending *ending[ENDINGS_MOST];

	if (endings_of(m, ending) > 0)
		return "The run was as fast and as full as its plan until then";
	return d->causes > 0 && d->cause[0].certainty == CERTAINTY_CERTAIN ?
	    "The run is as fast and as full as its plan within its error; yet lines name what costs it" :
	    "The run is as fast and as full as its plan: nothing is wrong with it";
}

void
diagnosed_put(struct plan *p, const struct diagnosed_set *set, size_t n)
{
	char err[256];

	for (size_t i = 0; i < n; i++)
		field_parse(set[i].field, p, set[i].value, err, sizeof err);
}

void
diagnosed_adopt(struct plan *p, const struct diagnosis *d)
{
	char err[256];

	for (size_t i = 0; i < d->mismatches; i++)
		if (d->mismatch[i].field != FIELD_NONE)
			field_parse(d->mismatch[i].field, p, d->mismatch[i].run, err, sizeof err);
}
