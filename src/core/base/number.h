/*
 * number.h - small arithmetic that formulas share, and the sizes of memory. For .c files.
 *
 * fmax and fmin also tell NaN apart, at the price of a call: those formulas that run for
 * every plan of a walk use these.
 */
#ifndef CORE_NUMBER_H
#define CORE_NUMBER_H
#include <math.h>
#include <stdint.h>

/* Seconds. */
#define HOUR 3600.0
#define DAY 86400.0

/* Bytes. */
#define MIB 1048576.0
#define GIB 1073741824.0

/* A sum that is to be no more than the same one in another order. */
#define ROUNDED(sum) ((sum) * (1 - 1e-9))

static inline double
larger(double a, double b)
{
	return a > b ? a : b;
}

static inline double
smaller(double a, double b)
{
	return a < b ? a : b;
}

/* (a^4 + b^4)^(1/4): the longer of two times that overlap, and a fifth more where they are equal. */
static inline double
norm4(double a, double b)
{
	return sqrt(sqrt(a * a * a * a + b * b * b * b));
}

/* A count that may be 0, such as a size of the plan, to divide by. */
static inline double
at_least_one(int64_t n)
{
	return n > 1 ? (double)n : 1;
}

static inline int64_t
least_of(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline int64_t
most_of(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* How many of `size` hold n, the last one perhaps not full; and what they have room for. */
static inline int64_t
holders_of(int64_t n, int64_t size)
{
	return (n + size - 1) / size;
}

static inline int64_t
rounded_up(int64_t n, int64_t to)
{
	return holders_of(n, to) * to;
}

/* Decimal digits of a count. */
static inline int
digits_of(int64_t n)
{
	int digits = 1;

	for (; n >= 10; n /= 10)
		digits++;
	return digits;
}

/* For qsort() of doubles. */
static inline int
ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Of counts, none negative, INT64_MAX where it is more. */
static inline int64_t
product_of(int64_t a, int64_t b)
{
	return a > 0 && b > INT64_MAX / a ? INT64_MAX : a * b;
}
#endif
