#include "core/search/search_ahead.h"

#include <math.h>

#include "core/base/number.h"
#include "core/estimate/result.h"

static const struct measured {
	int mode;
	double percent; /* that they differ by at most; 0: any */
	int pairs;
	double right;   /* percent */
} measured[] = {
#define AHEAD(mode, percent, pairs, right) { (mode), (percent), (pairs), (right) },
#include "core/search/ahead.def"
};

/* What the measured pairs were told apart by. */
static bool
is_measured(const struct search_target *t, const struct plan *p)
{
	if (p->mode == MODE_SERVE)
		return t->kind == TARGET_RESULT && (t->id == RESULT_TPOT || t->id == RESULT_GENERATED ||
		    t->id == RESULT_GENERATED_GPU || t->id == RESULT_GENERATED_USER);
	return t->timed && !plan_has_rl(p);
}

bool
search_ahead(const struct search_target *t, const struct plan *p, double a, double b,
    struct ahead *out)
{
	const double gap = larger(fabs(a), fabs(b)) / smaller(fabs(a), fabs(b)) - 1;
	double from = 0;

	if (!is_measured(t, p) || !(gap > 0))
		return false;
	for (const struct measured *m = measured; m < measured + sizeof measured / sizeof *measured; m++) {
		const double to = m->percent > 0 ? m->percent / 100 : INFINITY;

		if (m->mode != (int)p->mode)
			continue;
		if (gap <= to) {
			*out = (struct ahead){ m->right / 100, m->pairs, from, to };
			return m->right > 50; /* else chance alone decides */
		}
		from = to;
	}
	return false;
}
