/*
 * test_units.c - amounts for people: short for the screen, exact for reports.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/units.h"
#include "../unit.h"

struct one {
	enum measure measure;
	double value;
	const char *text;
};

static void
check(const char *(*style)(char *, size_t, enum measure, double), const struct one *cases,
    size_t count)
{
	char buf[UNITS_SIZE];

	for (size_t i = 0; i < count; i++) {
		assert_ptr_equal(style(buf, sizeof buf, cases[i].measure, cases[i].value), buf);
		assert_string_equal(buf, cases[i].text);
	}
}

TEST(test_short)
{
	static const struct one cases[] = {
		{ MEASURE_ANSWER, 1, "yes" }, { MEASURE_ANSWER, 0, "no" },
		{ MEASURE_NUMBER, 1024, "1024" }, { MEASURE_PARAMS, 8030261248.0, "8030261248" },
		{ MEASURE_BYTES, 0, "0 B" }, { MEASURE_BYTES, 999, "999 B" },
		{ MEASURE_BYTES, 999, "999 B" }, { MEASURE_BYTES, 1000, "0.98 KiB" },
		{ MEASURE_BYTES, 1536, "1.50 KiB" }, { MEASURE_BYTES, 512 * 1048576.0, "512 MiB" },
		{ MEASURE_BYTES, 141.2 * 1073741824, "141.2 GiB" },
		{ MEASURE_BYTES, 61.2 * 1073741824, "61.2 GiB" },
		{ MEASURE_WIRE, 118e9, "118 GB" }, { MEASURE_WIRE, 2.1e9, "2.10 GB" },
		{ MEASURE_WIRE, 999.6e6, "1.00 GB" }, { MEASURE_WIRE, 99.96e6, "100 MB" },
		{ MEASURE_SECONDS, 0, "0 s" }, { MEASURE_SECONDS, 9.81, "9.81 s" },
		{ MEASURE_SECONDS, 0.213, "213 ms" }, { MEASURE_SECONDS, 4.5e-5, "45.0 us" },
		{ MEASURE_SECONDS, 0.9996, "1.00 s" }, { MEASURE_SECONDS, 1234, "1234 s" },
		{ MEASURE_DAYS, 1.25 * 86400, "1.2 days" }, { MEASURE_DAYS, 200 * 86400.0, "200 days" },
		{ MEASURE_COUNT, 7, "7" }, { MEASURE_REAL, 1.5, "1.50" }, { MEASURE_COUNT, 40.2, "40" },
		{ MEASURE_COUNT, 6670, "6.67k" }, { MEASURE_REAL, 427000, "427k" },
		{ MEASURE_COUNT, 999999, "1.00M" }, { MEASURE_FLOP, 6.74385e20, "674 EFLOP" },
		{ MEASURE_FLOP, 0, "0 FLOP" }, { MEASURE_FLOP, 1.2e24, "1200 ZFLOP" },
		{ MEASURE_SHARE, 0.412, "41.2 %" },
	};

	check(units_short, cases, sizeof cases / sizeof *cases);
}

TEST(test_exact)
{
	static const struct one cases[] = {
		{ MEASURE_ANSWER, 1, "yes" }, { MEASURE_NUMBER, 1024, "1024" },
		{ MEASURE_COUNT, 8030261248.0, "8,030,261,248" }, { MEASURE_COUNT, -1234, "-1,234" },
		{ MEASURE_COUNT, 999, "999" }, { MEASURE_REAL, 40.25, "40.25" },
		{ MEASURE_REAL, 9999.4, "9999.4" }, { MEASURE_REAL, 1e4, "10,000" }, { MEASURE_REAL, 427000.4, "427,000" },
		{ MEASURE_PARAMS, 8030261248.0, "8.03 billion" }, { MEASURE_PARAMS, 405e6, "405 million" },
		{ MEASURE_PARAMS, 1234, "1234" }, { MEASURE_BYTES, 1023, "1023 B" },
		{ MEASURE_BYTES, 1536, "1.50 KiB" }, { MEASURE_BYTES, 61.23 * 1073741824, "61.23 GiB" },
		{ MEASURE_BYTES, 2048 * 1073741824.0, "2048.00 GiB" }, { MEASURE_WIRE, 118e9, "118 GB" },
		{ MEASURE_SECONDS, 9.8123, "9.812 s" }, { MEASURE_SECONDS, 99.96, "100.0 s" },
		{ MEASURE_SECONDS, 0.412, "412 ms" }, { MEASURE_SECONDS, 35.2e-6, "35.2 us" },
		{ MEASURE_DAYS, 108000, "108000.0 s" }, { MEASURE_SHARE, 0.412, "41.2 %" },
		{ MEASURE_FLOP, 1.264821e16, "12.6482 PFLOP" },
	};

	check(units_exact, cases, sizeof cases / sizeof *cases);
}

/* Every style of a change has its sign, and shares change by points. */
TEST(test_changes)
{
	char buf[UNITS_SIZE];

	assert_string_equal(units_change(buf, sizeof buf, units_short, MEASURE_SECONDS, -0.42),
	    "-420 ms");
	assert_string_equal(units_change(buf, sizeof buf, units_exact, MEASURE_BYTES, 1610612736.0),
	    "+1.50 GiB");
	assert_string_equal(units_change(buf, sizeof buf, units_short, MEASURE_SHARE, 0.028),
	    "+2.8 points");
	assert_string_equal(units_change(buf, sizeof buf, units_exact, MEASURE_SHARE, -0.5),
	    "-50.0 points");
	units_from_to("12.7 GiB", "9.52 GiB", buf, sizeof buf);
	assert_string_equal(buf, "12.7 -> 9.52 GiB");
	units_from_to("1.20 s", "900 ms", buf, sizeof buf);
	assert_string_equal(buf, "1.20 s -> 900 ms");
}

/* Digits as they are asked for, near the number, and never an exponent, whatever the size. */
TEST(test_digits)
{
	for (int digits = 2; digits <= 10; digits++)
		for (double size = 1e-10; size < 1e14; size *= 10)
			for (double v = size; v < 10 * size; v += .7654321 * size) {
				char text[UNITS_SIZE], plain[UNITS_SIZE];
				size_t n = 0;

				units_digits(text, sizeof text, digits, v);
				assert_null(strpbrk(text, "eE"));
				for (const char *c = text; *c != '\0'; c++)
					if (*c != ',')
						plain[n++] = *c;
				plain[n] = '\0';
				assert_true(fabs(strtod(plain, NULL) - v) <=
				    .50001 * fmin(pow(10, floor(log10(v)) + 1 - digits), 1));
				assert_true(strspn(plain, "0123456789.") == n);
			}
	assert_string_equal(UNITS_DIGITS(4, 13336.07), "13,336");
	assert_string_equal(UNITS_DIGITS(3, .000012), "0.0000120");
	assert_string_equal(UNITS_DIGITS(3, 0), "0");
}

/* Of one kind alone, and M of memory is no M of money. */
TEST(test_typed)
{
	static const struct { const char *unit, *in; double factor; } row[] = {
		{ "ms", "s", 0.001 }, { "min", "h", 1.0 / 60 }, { "h", "days", 1.0 / 24 },
		{ "us", "us", 1 }, { "s", "us", 1e6 }, { "M", "GiB", 1.0 / 1024 }, { "M", "", 1e6 },
		{ "GB", "GiB", 1e9 / 1073741824 }, { "Gb/s", "GB/s", 0.125 }, { "%", "", 0.01 },
		{ "PFLOP/s", "TFLOP/s", 1000 }, { "T", "billion tokens", 1000 }, { "kW", "W", 1000 },
		{ "/min", "requests/s", 1.0 / 60 }, { "in 1,000 node-days", "in 1,000 node-days", 1 },
		{ "GiB", "s", 0 }, { "k", "s", 0 }, { "M", "s", 0 }, { "%", "GiB", 0 }, { "s", "", 0 },
	};

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		double factor;

		assert_int_equal(units_factor(row[i].unit, row[i].in, &factor), row[i].factor > 0);
		if (row[i].factor > 0)
			assert_true(fabs(factor - row[i].factor) <= 1e-12 * row[i].factor);
	}
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
