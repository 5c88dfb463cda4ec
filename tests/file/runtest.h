/* What was measured of a run, for tests of what reads it; they run with setup and teardown. */
#ifndef RUNTEST_H
#define RUNTEST_H
#include "filetest.h"

#include "file/log/run.h"

static struct measured *run;
static struct file_errors errors;

static void
near(double v, double expected)
{
	if (!(v >= expected * (1 - 1e-6) && v <= expected * (1 + 1e-6)))
		fail_msg("%.10g, not %.10g", v, expected);
}

static double
median(enum measured_id id)
{
	return measured_steady(run, id).median;
}

static const char *
fact(int id)
{
	const struct fact *f = measured_find(run, id);

	return f != NULL ? f->text : "";
}

static int
setup(void **state)
{
	(void)state;
	run = calloc(1, sizeof *run);
	return run == NULL;
}

static int
teardown(void **state)
{
	(void)state;
	free(run);
	return 0;
}
#endif
