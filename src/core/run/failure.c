#include "core/run/failure.h"

#include <math.h>

#include "core/base/number.h"

#define SHORT_SHARE 0.01 /* of the time, in which no spare node is left */

double
failure_mean(double nodes, double per_1000_node_days)
{
	return per_1000_node_days > 0 && nodes > 0 ? 1000 * DAY / (nodes * per_1000_node_days) : INFINITY;
}

/* Lambert's W on [-1/e, 0], the principal branch: Newton's steps from the series at -1/e, or
 * from that at 0. Corless et al. 1996, doi 10.1007/BF02124750. */
static double
lambert(double z)
{
	const double at = sqrt(larger(0, 2 * (exp(1) * z + 1)));
	double w = z < -0.2 ? -1 + at - at * at / 3 + 11 * at * at * at / 72 : z * (1 - z);

	for (int i = 0; i < 60 && fabs(w + 1) > 1e-9; i++) {
		const double e = exp(w), f = w * e - z;
		const double step = f / (e * (w + 1) - (w + 2) * f / (2 * w + 2));

		w -= step;
		if (fabs(step) < 1e-15)
			break;
	}
	return w;
}

double
failure_interval(double blocking, double mean)
{
	const double part = blocking / mean;

	if (isinf(mean))
		return INFINITY;
	if (!(blocking > 0))
		return 0;
	/* Where W cancels itself out: the first two terms of its series. */
	if (part < 1e-7)
		return sqrt(2 * blocking * mean) - 2 * blocking / 3;
	return mean * (1 + lambert(-exp(-(1 + part))));
}

double
failure_goodput(const struct failures *f, double interval)
{
	const double m = f->mean;

	if (isinf(interval))
		return isinf(m) ? 1 : 0;
	if (isinf(m))
		return interval > 0 ? interval / (interval + f->blocking) : 1;
	if (!(interval + f->blocking > 0))
		return exp(-(f->restart + f->writing) / m);
	return interval / m * exp(-(f->restart + f->writing) / m) /
	    expm1((interval + f->blocking) / m);
}

int64_t
failure_spares(int64_t nodes, double per_1000_node_days, double repair_hours)
{
	const double mean = (double)nodes * per_1000_node_days / 1000 * repair_hours / 24;
	double share = exp(-mean), sum = share;
	int64_t spares = 0;

	/* e^-mean is no number where many are broken: the normal distribution then. */
	if (mean > 500) {
		const double most = ceil(mean + 2.326 * sqrt(mean));

		return most < (double)nodes ? (int64_t)most : nodes;
	}
	while (1 - sum > SHORT_SHARE && spares < nodes) {
		spares++;
		share *= mean / (double)spares;
		sum += share;
	}
	return spares;
}
