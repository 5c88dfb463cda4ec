/*
 * rate_tally.h - how often which time was, in bins of a constant ratio: percentiles of any number
 * of times to within a few in a thousand, in a fixed room.
 */
#ifndef CORE_RATE_TALLY_H
#define CORE_RATE_TALLY_H

enum { TALLY_BINS = 4096 };

/* All zero: empty. */
struct rate_tally {
	double weight, sum;
	double bin[TALLY_BINS]; /* of TALLY_LEAST seconds on */
};

/* Seconds, as often as weight says. */
void tally_add(struct rate_tally *t, double seconds, double weight);

/* Seconds that a share p of all stays within, their mean; 0 of none. */
double tally_within(const struct rate_tally *t, double p);
double tally_mean(const struct rate_tally *t);
#endif
