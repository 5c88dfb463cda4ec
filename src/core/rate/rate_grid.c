#include "core/rate/rate_grid.h"

#include <math.h>

#include "core/base/number.h"

enum { SERIES_MOST = 4000, NEWTON_MOST = 40 };

uint64_t
rate_mix(uint64_t x)
{
	x += UINT64_C(0x9E3779B97F4A7C15);
	x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
	return x ^ (x >> 31);
}

void
rate_shuffle(int32_t *v, int n, uint64_t seed)
{
	for (int i = 0; i < n; i++)
		v[i] = i;
	for (int i = n - 1; i > 0; i--) {
		const int32_t was = v[i];
		int j;

		seed = rate_mix(seed);
		j = (int)(seed % (uint64_t)(i + 1));
		v[i] = v[j];
		v[j] = was;
	}
}

/* Middle of the i-th of n equal parts. */
static double
middle(int i, int n)
{
	return (i + .5) / n;
}

static void
scale_to_mean(double *v, int n, double mean)
{
	double sum = 0;

	for (int i = 0; i < n; i++)
		sum += v[i];
	for (int i = 0; i < n; i++)
		v[i] *= mean * n / sum;
}

/* ---- gamma ------------------------------------------------------------------------------ */

/* Stirling's series eight further on, and back: no state of the C library. */
static double
log_gamma(double k)
{
	const double x = k + 8;
	double sum = (x - .5) * log(x) - x + .91893853320467274 + 1 / (12 * x) - 1 / (360 * x * x * x);

	for (int i = 0; i < 8; i++)
		sum -= log(k + i);
	return sum;
}

/* Press et al., Numerical Recipes, section 6.2: a series below the mean, a continued fraction
 * above it; front: x^k*e^-x/gamma(k). */
static double
gamma_share(double k, double x, double front)
{
	double sum = 1 / k, term = sum, b = x + 1 - k, c = 1e300, d = 1 / b, h = d;

	if (x < k + 1) {
		for (int i = 1; i < SERIES_MOST && term > sum * 1e-12; i++)
			sum += term *= x / (k + i);
		return sum * front;
	}
	for (int i = 1; i < SERIES_MOST; i++) {
		const double a = -i * (i - k);

		b += 2;
		d = 1 / (a * d + b);
		c = b + a / c;
		h *= d * c;
		if (fabs(d * c - 1) < 1e-12)
			break;
	}
	return 1 - front * h;
}

/* Newton's steps inside a bracket that only narrows, from the quantile before on. */
static double
gamma_quantile(double k, double log_of_gamma, double p, double before)
{
	double low = before, high = INFINITY, x = before > 0 ? before : exp((log(p * k) + log_of_gamma) / k);

	for (int i = 0; i < NEWTON_MOST; i++) {
		const double front = exp(k * log(x) - x - log_of_gamma);
		const double miss = gamma_share(k, x, front) - p, density = front / x;
		double next;

		if (miss < 0)
			low = x;
		else
			high = x;
		next = density > 0 ? x - miss / density : 2 * x;
		if (!(next > low) || !(next < high))
			next = isinf(high) ? 2 * x + 1e-9 : (low + high) / 2;
		if (fabs(next - x) <= 1e-10 * x)
			return next;
		x = next;
	}
	return x;
}

void
rate_gaps(double *gap, int n, double shape)
{
	const double log_of_gamma = shape < RATE_EVEN_SHAPE ? log_gamma(shape) : 0;

	for (int i = 0; i < n; i++) {
		if (!(shape < RATE_EVEN_SHAPE))
			gap[i] = 1;
		else if (shape >= 1 && shape <= 1)
			gap[i] = -log(1 - middle(i, n));
		else
			gap[i] = gamma_quantile(shape, log_of_gamma, middle(i, n), i > 0 ? gap[i - 1] : 0);
	}
	scale_to_mean(gap, n, 1);
}

/* ---- lengths ---------------------------------------------------------------------------- */

/* A polynomial over another one, both from the highest power down. */
static double
quotient(const double *above, int n, const double *below, int m, double x)
{
	double a = 0, b = 0;

	for (int i = 0; i < n; i++)
		a = a * x + above[i];
	for (int i = 0; i < m; i++)
		b = b * x + below[i];
	return a / b;
}

/* Acklam 2003, an algorithm for computing the inverse normal cumulative distribution function. */
double
rate_normal(double p)
{
	static const double a[] = { -39.69683028665376, 220.9460984245205, -275.9285104469687,
		138.3577518672690, -30.66479806614716, 2.506628277459239 };
	static const double b[] = { -54.47609879822406, 161.5858368580409, -155.6989798598866,
		66.80131188771972, -13.28068155288572, 1 };
	static const double c[] = { -.007784894002430293, -.3223964580411365, -2.400758277161838,
		-2.549732539343734, 4.374664141464968, 2.938163982698783 };
	static const double d[] = { .007784695709041462, .3224671290700398, 2.445134137142996,
		3.754408661907416, 1 };
	const double q = p - .5;

	if (p < .02425)
		return quotient(c, 6, d, 5, sqrt(-2 * log(p)));
	if (p > 1 - .02425)
		return -rate_normal(1 - p);
	return q * quotient(a, 6, b, 6, q * q);
}

static void
put_lognormal(double *length, int n, double mean, double sd)
{
	const double spread = log(1 + sd / mean * (sd / mean)), middle_log = log(mean) - spread / 2;

	for (int i = 0; i < n; i++)
		length[i] = exp(middle_log + sqrt(spread) * rate_normal(middle(i, n)));
	scale_to_mean(length, n, mean);
}

/* No longer than the longest, and the others longer for it: the mean stays. */
static void
cut_long(double *length, int n, double mean, double most)
{
	double sum = 0;

	for (int i = 0; i < n; i++)
		sum += length[i] = smaller(length[i], most);
	for (int i = 0; i < n; i++)
		length[i] = smaller(length[i] * mean * n / sum, most);
}

double
rate_whole(double length)
{
	return larger(1, floor(length + .5));
}

void
rate_lengths(double *length, int n, const struct rate_length *of)
{
	const double half = of->sd * sqrt(3);

	for (int i = 0; i < n; i++)
		length[i] = of->spread == SPREAD_UNIFORM ?
		    of->mean - half + 2 * half * middle(i, n) : of->mean;
	if (of->spread == SPREAD_LOGNORMAL && of->sd > 0 && of->mean > 0)
		put_lognormal(length, n, of->mean, of->sd);
	if (of->most > 0 && of->sd > 0)
		cut_long(length, n, of->mean, of->most);
}
