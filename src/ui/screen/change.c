#include "ui/screen/change.h"

#include <math.h>
#include <string.h>

#include "core/base/text.h"

/* Of what is that little another nothing is said: on the screen, in reports. */
#define LEAST_SEEN 1e-4
#define LEAST_SHARE 5e-4 /* what is shown as 0.0 points */
#define LEAST_TOLD 1e-9 /* rounding alone makes it */

static bool
is_same(double was, double is, double least)
{
	return fabs(is - was) <= least * fmax(fabs(is), fabs(was));
}

bool
change_put_unit(enum measure m, double was, double is, char *buf, size_t size)
{
	buf[0] = '\0';
	if (is_same(was, is, LEAST_SEEN) || (m == MEASURE_SHARE && fabs(is - was) < LEAST_SHARE))
		return false;
	units_change(buf, size, units_short, m, is - was);
	return true;
}

bool
change_put(enum measure m, double was, double is, char *buf, size_t size)
{
	char now[UNITS_SIZE];
	const char *unit;
	char *own;

	if (!change_put_unit(m, was, is, buf, size))
		return false;
	unit = strchr(units_short(now, sizeof now, m, is), ' ');
	own = strchr(buf, ' ');
	if (own != NULL && unit != NULL && text_equal(unit, own))
		*own = '\0';
	else if (own != NULL && m == MEASURE_SHARE) /* beside "41.2 %" no percent of it */
		text_put(own, size - (size_t)(own - buf), " pts");
	return true;
}

enum role
change_role(enum result_id id, double was, double is)
{
	const int better = result_better(id, was, is);

	return better == 0 ? ROLE_DIM : better > 0 ? ROLE_GOOD : ROLE_WARNING;
}

static void
put_difference(const struct result *r, double was, double is, struct change *out)
{
	if (r->measure == MEASURE_ANSWER) {
		text_put(out->change, sizeof out->change, "changed");
		return;
	}
	units_change(out->change, sizeof out->change, units_exact, r->measure, is - was);
	/* of a share the change is in points already, of a stage's number it says nothing */
	if (was > 0 && r->measure != MEASURE_NUMBER && r->measure != MEASURE_SHARE)
		text_put(out->percent, sizeof out->percent, is >= 11 * was ? "%+.0f%%" : "%+.1f%%",
		    100 * (is - was) / was);
}

bool
change_of_result(enum result_id id, const struct estimate *was, const struct estimate *is,
    struct change *out)
{
	const struct result *r = &result_table[id];
	double a, b;
	const bool left = result_value(id, was, was->peak_stage, &a);
	const bool right = result_value(id, is, is->peak_stage, &b);

	if (r->label == NULL || (!left && !right))
		return false;
	/* of a mode that neither is in, or of a dimension that is 1 in both */
	if (r->measure != MEASURE_ANSWER && r->measure != MEASURE_NUMBER && !(fabs(a) + fabs(b) > 0))
		return false;
	*out = (struct change){ .differs = false };
	text_put(out->label, sizeof out->label, "%s%s", r->scope != SCOPE_STAGE ? "" :
	    id <= RESULT_RESERVED ? "its memory: " : "its ", r->label);
	if (left)
		units_exact(out->was, sizeof out->was, r->measure, a);
	if (right)
		units_exact(out->is, sizeof out->is, r->measure, b);
	if (!left || !right)
		return true;
	out->differs = !is_same(a, b, LEAST_TOLD);
	if (out->differs)
		put_difference(r, a, b, out);
	else
		text_put(out->change, sizeof out->change, "same");
	return true;
}

bool
change_of_field(enum field_id f, const struct plan *a, const struct plan *b, char *left,
    char *right, size_t size)
{
	if (!field_in_use(f, a) && !field_in_use(f, b))
		return false;
	field_format(f, a, left, size);
	field_format(f, b, right, size);
	return !text_equal(left, right);
}
