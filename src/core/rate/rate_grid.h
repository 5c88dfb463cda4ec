/*
 * rate_grid.h - gaps and lengths of requests without a random generator: quantiles of their
 * distribution, so that means are exact for any number of them, in an order of a fixed shuffle.
 * The same input gives the same numbers.
 */
#ifndef CORE_RATE_GRID_H
#define CORE_RATE_GRID_H
#include <stdint.h>

/* How lengths differ. */
enum rate_spread { SPREAD_LOGNORMAL, SPREAD_UNIFORM };

/* A length: tokens. sd 0: all are equal; most 0: no longest. */
struct rate_length {
	enum rate_spread spread;
	double mean, sd, most;
};

/* Shape of gaps from which they are as good as even. */
#define RATE_EVEN_SHAPE 1e4

/* n gaps of mean 1, gamma of that shape: 1 of a Poisson process, INFINITY all even, the less the
 * burstier. In order of size. */
void rate_gaps(double *gap, int n, double shape);

/* n lengths of at least one token, in order of size. */
void rate_lengths(double *length, int n, const struct rate_length *of);

/* Quantile of the normal distribution, 0 < p < 1. */
double rate_normal(double p);

/* Whole tokens. */
double rate_whole(double length);

/* 0 to n - 1 in an order of its own for each seed: Fisher-Yates by splitmix64 (Steele et al. 2014,
 * OOPSLA, section 6). */
void rate_shuffle(int32_t *v, int n, uint64_t seed);
uint64_t rate_mix(uint64_t x);
#endif
