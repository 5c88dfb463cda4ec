/*
 * expression.h - the value of an expression in numbers, as the ledger's formulas have them:
 * + - * / ^, brackets, max(a, b), min(a, b) and norm4(a, b).
 */
#ifndef TESTS_EXPRESSION_H
#define TESTS_EXPRESSION_H
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline double expression_sum(const char **at);

static inline void
expression_blanks(const char **at)
{
	*at += strspn(*at, " ");
}

/* A number or what is in brackets; NAN, and *at stays, where neither is. */
static inline double
expression_atom(const char **at)
{
	const bool larger = strncmp(*at, "max(", 4) == 0, smaller = strncmp(*at, "min(", 4) == 0;
	const bool norm = strncmp(*at, "norm4(", 6) == 0;
	double v, other;
	char *end;

	if (**at == '(' || larger || smaller || norm) {
		*at += norm ? 6 : larger || smaller ? 4 : 1;
		v = expression_sum(at);
		expression_blanks(at);
		if ((larger || smaller || norm) && **at == ',') {
			++*at;
			other = expression_sum(at);
			v = isnan(v) || isnan(other) ? NAN : norm ? pow(pow(v, 4) + pow(other, 4), 0.25) : larger ? fmax(v, other) : fmin(v, other);
			expression_blanks(at);
		}
		if (**at != ')')
			return NAN;
		++*at;
		return v;
	}
	if (strchr("0123456789.-", **at) == NULL || **at == '\0')
		return NAN;
	v = strtod(*at, &end);
	*at = end;
	return v;
}

static inline double
expression_product(const char **at)
{
	double product = 1;
	char op = '*';

	for (;;) {
		double v;

		expression_blanks(at);
		v = expression_atom(at);
		if (**at == '^') {
			++*at;
			v = pow(v, expression_atom(at));
		}
		product = op == '/' ? product / v : product * v;
		if (**at != '*' && **at != '/')
			return product;
		op = *(*at)++;
	}
}

/* Blanks stand round + and - alone: "5 s, n=2" ends at the 5. */
static inline double
expression_sum(const char **at)
{
	double sum = expression_product(at);

	for (;;) {
		const char *op = *at + strspn(*at, " ");
		double v;

		if (*op != '+' && *op != '-')
			return sum;
		*at = op + 1;
		v = expression_product(at);
		sum += *op == '+' ? v : -v;
	}
}
#endif
