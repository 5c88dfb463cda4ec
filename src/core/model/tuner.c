#include "core/model/tuner.h"

/* The divisor of n that is nearest to its root from below (lokr/layer.py, factorization). */
static double
lesser(double n)
{
	const int64_t whole = (int64_t)n;
	int64_t best = 1;

	for (int64_t m = 2; m * m <= whole; m++)
		if (whole % m == 0)
			best = m;
	return (double)best;
}

/* A Kronecker product of two weights, the larger one in factors where that is less. */
static double
lokr(double in, double out, double r)
{
	const double in_1 = lesser(in), out_1 = lesser(out), in_2 = in / in_1, out_2 = out / out_1;
	const double most = in_2 > out_2 ? in_2 : out_2;

	return out_1 * in_1 + (r < most / 2 ? r * (in_2 + out_2) : out_2 * in_2);
}

double
tuner_params(const struct plan *p, double in, double out, bool inside)
{
	const double r = (double)p->finetune.rank;

	switch (p->finetune.tuner) {
	case TUNER_ADALORA:
		return r * (in + out + 1);
	case TUNER_LOHA:
		return 2 * r * (in + out);
	case TUNER_LOKR:
		return lokr(in, out, r);
	case TUNER_OFT:
		return in * (r - 1) / 2; /* of each block what is above its diagonal */
	case TUNER_VERA:
		return r + out;
	case TUNER_IA3:
		return inside ? in : out;
	case TUNER_MISS:
		return r * out;
	default:
		return r * (in + out);
	}
}

struct tuner_kept
tuner_keeps(const struct plan *p)
{
	static const struct tuner_kept kept[] = {
		[TUNER_LOHA] = { .in = true, .delta = true }, [TUNER_LOKR] = { .in = true, .delta = true },
		[TUNER_OFT] = { .in = true }, [TUNER_VERA] = { .out = true, .ranks = true },
		[TUNER_IA3] = { .out = true }, [TUNER_MISS] = { .ranks = true },
	};

	return kept[p->finetune.tuner];
}
