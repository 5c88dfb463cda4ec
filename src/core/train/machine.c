#include "core/train/machine.h"

#include <math.h>

#include "core/framework/framework.h"
#include "core/plan/hardware.h"

/* Bytes moved to cast a value to FP8: 2 read, 1 written, 1 written transposed (Transformer
 * Engine transformer_engine/common/cast, cast_transpose). */
#define FP8_CAST 4.0

/* Power that does not go with the clock (memory, links, leakage): a share of the design
 * power; an H100 SXM at rest takes 70 to 90 of 700 W. */
#define STEADY_POWER 0.125

/*
 * Clock under a power limit. Dense products take all the power there is: what is above the
 * steady part goes with clock times voltage squared, and voltage about linearly with clock
 * (Mei, Wang, Chu 2016, A Survey and Measurement Study of GPU DVFS, section 2, doi
 * 10.1016/j.dcan.2016.10.001), so the clock goes with its cube root. An H100 at 500 of 700 W
 * keeps 0.876. Memory keeps its own clock.
 */
static double
clock_share(const struct cluster *c)
{
	const double share = c->gpu_power_watts / c->tdp_watts;

	if (c->gpu_power_watts <= 0 || c->tdp_watts <= 0 || share >= 1)
		return 1;
	return cbrt(fmax(0.05, (share - STEADY_POWER) / (1 - STEADY_POWER)));
}

struct machine
machine_of(const struct plan *p)
{
	const struct generation *r = generation_of(p);
	const double measured = p->calibration.compute_efficiency;
	const bool eager = framework_of(p)->eager;
	const double fitted = (measured > 0 ? measured : 1) * (eager ? r->eager : 1);
	const double scale = fitted * clock_share(&p->cluster);
	const bool fp8 = p->training.precision == PRECISION_FP8 && p->cluster.fp8_tflops > 0;
	const double rate = p->cluster.bf16_tflops * 1e12, memory = p->cluster.hbm_gbps * 1e9;
	struct machine g = { .known = rate > 0 && p->cluster.hbm_gbps > 0 };

	g.peak = fp8 ? p->cluster.fp8_tflops * 1e12 : rate;
	g.plain = (struct rate){ rate * r->matrix * scale, rate };
	g.linear = fp8 ? (struct rate){ g.peak * r->fp8 * scale, g.peak } : g.plain;
	if (p->training.precision == PRECISION_FP32) {
		g.peak = rate / 2; /* TF32 */
		g.linear = g.plain = (struct rate){ g.plain.reached / 2, g.peak };
	}
	g.grouped = r->experts_in_bf16 ? g.plain : g.linear;
	g.grouped.reached *= r->grouped;
	g.hbm = (struct rate){ memory * r->memory, memory };
	g.vector = (struct rate){ memory * 0.8 * fitted, memory };
	g.launch = r->launch;
	g.kernel = 3e-6;
	g.power = r->power;
	g.attention = (struct rate){ rate * r->attention * scale, rate };
	g.attention_backward = (struct rate){ rate * r->attention_backward * scale, rate };
	g.cast = fp8 ? FP8_CAST : 0;
	g.width = fp8 ? 1 : p->training.precision == PRECISION_FP32 ? 4 : 2;
	g.error = r->error;
	return g;
}
