#include "ui/change.h"

#include <math.h>
#include <string.h>

#include "core/text.h"
#include "ui/units.h"

static bool
is_same(double was, double is)
{
	return fabs(is - was) <= 1e-4 * fmax(fabs(is), fabs(was));
}

bool
change_put_unit(void (*format)(double, char *, size_t), double was, double is, char *buf,
    size_t size)
{
	char amount[UNITS_SIZE];

	buf[0] = '\0';
	if (is_same(was, is))
		return false;
	format(fabs(is - was), amount, sizeof amount);
	text_put(buf, size, "%c%s", is > was ? '+' : '-', amount);
	return true;
}

bool
change_put(void (*format)(double, char *, size_t), double was, double is, char *buf, size_t size)
{
	char now[UNITS_SIZE];
	const char *unit;
	char *own;

	if (!change_put_unit(format, was, is, buf, size))
		return false;
	format(is, now, sizeof now);
	unit = strchr(now, ' ');
	own = strchr(buf, ' ');
	if (unit != NULL && own != NULL && text_equal(unit, own))
		*own = '\0';
	return true;
}

enum role
change_role(double was, double is, enum better better)
{
	if (better == BETTER_NEITHER)
		return ROLE_DIM;
	return (is > was) == (better == BETTER_MORE) ? ROLE_GOOD : ROLE_WARNING;
}
