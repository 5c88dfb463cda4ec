#include "core/rate/rate_tally.h"

#include <math.h>

#define TALLY_LEAST 1e-6 /* seconds */
#define TALLY_RATIO .0062 /* log of a bin's width: up to a day */

void
tally_add(struct rate_tally *t, double seconds, double weight)
{
	int i = seconds > TALLY_LEAST ? (int)(log(seconds / TALLY_LEAST) / TALLY_RATIO) : 0;

	if (i >= TALLY_BINS)
		i = TALLY_BINS - 1;
	t->bin[i] += weight;
	t->weight += weight;
	t->sum += seconds * weight;
}

double
tally_within(const struct rate_tally *t, double p)
{
	double left = p * t->weight;
	int i = 0;

	if (!(t->weight > 0))
		return 0;
	while (i < TALLY_BINS - 1 && (t->bin[i] < left || !(t->bin[i] > 0)))
		left -= t->bin[i++];
	return TALLY_LEAST * exp((i + left / t->bin[i]) * TALLY_RATIO);
}

double
tally_mean(const struct rate_tally *t)
{
	return t->weight > 0 ? t->sum / t->weight : 0;
}
