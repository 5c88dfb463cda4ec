#include "core/diagnose/ending.h"

#include "core/base/text.h"
#include "core/base/units.h"

static const struct ending table[] = {
#include "core/diagnose/endings.def"
};
enum { ENDINGS = sizeof table / sizeof *table };
_Static_assert((int)ENDINGS <= (int)ENDINGS_MOST, "room for all");

static bool
said_before(const struct measured *m, const struct ending *a, const struct ending *b)
{
	const struct place x = m->evidence[a->says].place, y = m->evidence[b->says].place;

	return x.file < y.file || (x.file == y.file && x.line < y.line);
}

size_t
endings_of(const struct measured *m, const struct ending *out[ENDINGS_MOST])
{
	size_t n = 0;

	for (size_t i = 0; i < ENDINGS; i++) {
		size_t k = n;

		if (!measured_says(m, table[i].says))
			continue;
		for (n++; k > 0 && said_before(m, &table[i], out[k - 1]); k--)
			out[k] = out[k - 1];
		out[k] = &table[i];
	}
	return n;
}

void
ending_plan(const struct ending *of, const struct estimate *e, char *buf, size_t size)
{
	double v;

	buf[0] = '\0';
	if (of->tells != RESULT_COUNT && result_value(of->tells, e, e->peak_stage, &v) && v > 0)
		text_put(buf, size, "%s %s%s", result_table[of->tells].label,
		    units_exact((char[UNITS_SIZE]){ 0 }, UNITS_SIZE, result_table[of->tells].measure, v),
		    result_table[of->tells].scope == SCOPE_STAGE ? " of a GPU" : "");
}
