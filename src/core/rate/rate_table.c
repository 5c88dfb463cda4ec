#include "core/rate/rate_table.h"

#include "core/base/number.h"

static double
slope(const double *x, const double *y, int i)
{
	return (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
}

void
rate_table_finish(struct rate_table *t)
{
	const int n = t->passes;
	const double rise = slope(t->tokens, t->pass, 0);

	t->fixed = rise > 0 ? larger(0, t->pass[0] - rise * t->tokens[0]) : t->pass[0];
	t->quadratic = n < 3 ? 0 : larger(0, (slope(t->tokens, t->pass, n - 2) -
	    slope(t->tokens, t->pass, n - 3)) / (t->tokens[n - 1] - t->tokens[n - 3]));
}

/* The line of the two points around x, of the outermost two outside of them. */
static double
line(const double *x, const double *y, int n, double at)
{
	int i = 1;

	while (i < n - 1 && x[i] < at)
		i++;
	return y[i - 1] + slope(x, y, i - 1) * (at - x[i - 1]);
}

double
rate_step(const struct rate_table *t, double b, double l)
{
	double near, far;
	int i = 1;

	if (t->lengths < 2)
		return larger(0, line(t->batch, t->step[0], t->batches, b));
	while (i < t->lengths - 1 && t->length[i] < l)
		i++;
	near = larger(0, line(t->batch, t->step[i - 1], t->batches, b));
	far = larger(0, line(t->batch, t->step[i], t->batches, b));
	return larger(near * .2, near + (far - near) * (larger(0, l) - t->length[i - 1]) /
	    (t->length[i] - t->length[i - 1]));
}

double
rate_pass(const struct rate_table *t, double m, double squares)
{
	return larger(t->fixed, line(t->tokens, t->pass, t->passes, m) +
	    t->quadratic * (squares - m * m));
}

double
rate_saved(const struct rate_table *t, bool graphs, double l)
{
	return graphs ? t->fixed : smaller(rate_step(t, 1, l), t->fixed);
}
