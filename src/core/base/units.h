/*
 * units.h - amounts for people: the one place that knows how many digits each has.
 */
#ifndef CORE_UNITS_H
#define CORE_UNITS_H
#include <stdbool.h>
#include <stddef.h>

enum { UNITS_SIZE = 64 };

/* The kind of an amount, which decides the units it is told in. */
enum measure {
	MEASURE_ANSWER,   /* 1 and 0: yes, no */
	MEASURE_NUMBER,   /* a small whole number */
	MEASURE_COUNT,    /* things that are counted: 123k, 123,456 */
	MEASURE_REAL,     /* a rate or a mean: 123k, 40.25 */
	MEASURE_PARAMS,   /* parameters: 8030261248, 8.03 billion */
	MEASURE_BYTES,    /* of memory, in binary units: 61.2 GiB */
	MEASURE_WIRE,     /* over a link, in the decimal units of its rate: 118 GB */
	MEASURE_SECONDS,
	MEASURE_DAYS,     /* seconds of something that takes days */
	MEASURE_RUN_DAYS, /* days of a run, counted in days */
	MEASURE_MONEY,
	MEASURE_MWH,
	MEASURE_SHARE,    /* of 1: 41.2 %; its changes are points */
	MEASURE_FLOP,
};

/* For the screen: "VALUE UNIT", three digits or four, no wider than nine columns below a
 * thousand of its largest unit. Returns buf. */
const char *units_short(char *buf, size_t size, enum measure m, double v);

/* For reports, where columns are not short. Returns buf. */
const char *units_exact(char *buf, size_t size, enum measure m, double v);

/* An amount as an argument: such a text lasts as long as the block that it stands in. */
#define UNITS_SHORT(m, v) units_short((char[UNITS_SIZE]){ 0 }, UNITS_SIZE, MEASURE_##m, v)
#define UNITS_EXACT(m, v) units_exact((char[UNITS_SIZE]){ 0 }, UNITS_SIZE, MEASURE_##m, v)

/* A number without a unit of that many digits, as %g has them, but never with an exponent: 13,336, 0.0000120.
 * Returns buf. */
const char *units_digits(char *buf, size_t size, int digits, double v);
#define UNITS_DIGITS(digits, v) units_digits((char[UNITS_SIZE]){ 0 }, UNITS_SIZE, digits, v)

/* A change with its sign, by either of the two: "+1.40 GiB", "-2.8 points". */
const char *units_change(char *buf, size_t size,
    const char *(*style)(char *, size_t, enum measure, double), enum measure m, double change);

/* How many of one unit the other is: 0.001 for "ms" in "s". False where they do not count one
 * thing. Units of fields, "" of a bare number or a share among them, and those that people type. */
bool units_factor(const char *unit, const char *in, double *factor);

/* The unit that amounts of a measure are kept in. */
const char *units_base(enum measure m);

/* "12.7 -> 9.52 GiB" of two such amounts: the unit once when it is the same. */
void units_from_to(const char *was, const char *is, char *buf, size_t size);
#endif
