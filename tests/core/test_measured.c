/* test_measured.c - what a series of steps comes to: steady state, period of peaks, drift. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <math.h>

#include "core/diagnose/measured.h"

static struct measured run;

/* Steps 0 to n - 1; the first is that of the warm-up. */
static void
take(int n, double (*seconds)(int step))
{
	memset(&run, 0, sizeof run);
	for (int i = 0; i < n; i++)
		measured_add(&run, MEASURED_STEP, i, seconds(i), (struct place){ 0 });
}

static double
even(int step)
{
	return step < 3 ? 9 : 2;
}

/* 1.00, 1.01, ...: the median of the first quarter is known. */
static double
rising(int step)
{
	return 1 + step / 100.;
}

static double
saving(int step)
{
	return step % 10 == 7 ? 8 : 2;
}

static double
uneven(int step)
{
	return step == 17 || step == 27 || step == 45 || step == 61 ? 8 : 2;
}

static void
near(double a, double b)
{
	if (!(fabs(a - b) <= 1e-12 * fabs(b)))
		fail_msg("%.17g is not %.17g", a, b);
}

static void
test_steady(void **state)
{
	struct steady s;

	(void)state;
	take(40, even);
	s = measured_steady(&run, MEASURED_STEP);
	assert_true(s.samples > 20 && !s.first_alone);
	near(s.median, 2);
	near(s.low, 2);
	near(s.high, 2);
	take(1, even);
	s = measured_steady(&run, MEASURED_STEP);
	assert_true(s.first_alone == (s.samples == 1) && s.median > 0);
	take(0, even);
	assert_int_equal(measured_steady(&run, MEASURED_STEP).samples, 0);
}

/* Medians of the first and the last quarter, whatever lies between. */
static void
test_drift(void **state)
{
	(void)state;
	take(4, rising);
	near(series_drift(&run.series[MEASURED_STEP]), 1);
	take(60, even);
	near(series_drift(&run.series[MEASURED_STEP]), 1);
	for (int n = 60; n < 64; n++) { /* n samples, of which the first ones are of the warm-up */
		const struct series *s = &run.series[MEASURED_STEP];
		size_t left, quarter;
		double first;

		take(n, rising);
		left = s->kept - s->warm;
		quarter = left / 4;
		first = s->sample[s->warm];
		near(series_drift(&run.series[MEASURED_STEP]), (first + ((double)(left - quarter) +
		    (double)(quarter - 1) / 2) / 100) / (first + (double)(quarter - 1) / 200));
	}
}

static void
test_period(void **state)
{
	double mean = 0;

	(void)state;
	take(80, saving);
	assert_int_equal(series_period(&run.series[MEASURED_STEP], &mean), 10);
	assert_true(mean > 1.5 * measured_steady(&run, MEASURED_STEP).median);
	take(80, uneven);
	assert_int_equal(series_period(&run.series[MEASURED_STEP], &mean), 0);
	take(80, even);
	assert_int_equal(series_period(&run.series[MEASURED_STEP], &mean), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steady), cmocka_unit_test(test_drift),
		cmocka_unit_test(test_period),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
