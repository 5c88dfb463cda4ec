#include "core/train/machine.h"

#include <math.h>

#include "core/base/number.h"
#include "core/framework/framework.h"
#include "core/model/modules.h"
#include "core/plan/format.h"
#include "core/plan/hardware.h"

/*
 * Bytes that memory-bound operations move without fused kernels: norms, rotation, activations
 * and residual additions in two kernels and more where one would do. torch.compile fuses them
 * (pytorch/torchtitan benchmarks/llama3_h100_202412_torchtitan.md, 1.16 times as fast with it;
 * NVIDIA/cudnn-frontend benchmark/norms: eager RMSNorm at 0.61 of the memory rate, fused at
 * 0.78); what they come to is found on 112 rows of llm-foundry.
 */
#define EAGER_MOVES 1.55

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

/*
 * LLM.int8: each product quantises its input by rows, picks outliers to multiply them in 16 bits
 * (Dettmers et al. 2022, arXiv 2208.07339, section 3), and is cast back to 16 bits for backward:
 * a step of Llama 2 13B on an A100 takes 52.3 s where 16 bits take 21.8 (h2oai/h2ogpt issue 128).
 */
#define INT8_SLOWER 3.1

/* What products reach of the FP32 units, which tensor cores do not help: torch.matmul of 8192 x 8192
 * matrices makes 52 of the 66.9 TFLOP/s of an H100 SXM (in TF32 414 of 494.7). */
#define SINGLE_REACHED 0.78

/* Share of the memory rate that memory-bound operations reach. */
#define MOVES_REACHED 0.8

bool
machine_compiles(const struct plan *p)
{
	return p->training.torch_compile || format_of(p).quantised;
}

/* RMSNorm is single operations in fp32 in the modules of Hugging Face
 * (transformers/models/llama/modeling_llama.py, LlamaRMSNorm), in which Liger, Unsloth and
 * torchtune put kernels of their own, and in frameworks that say so before PyTorch 2.9. */
static bool
norms_in_parts(const struct plan *p)
{
	if (p->model.norm != NORM_RMS || machine_compiles(p))
		return false;
	if (modules_eager(p))
		return p->finetune.kernels == KERNELS_EAGER;
	return framework_of(p)->norms_in_parts && !framework_runs(p, framework_of(p)->torch29_since);
}

/* Where no product adds to a gradient, it is read, and its sum read and written; cast first, it is
 * written in fp32 and read once more. Added to others
 * apart, it first is to zeros. */
static double
added_bytes(const struct plan *p)
{
	const struct framework *f = framework_of(p);
	const bool single = p->training.grad_dtype == GRAD_FP32;

	if (p->training.gradient_accumulation_fusion && framework_runs(p, f->fuses_since))
		return 0;
	return 2 + 2 * (single ? 4 : 2) + (single && f->casts_gradients ? 2 * 4 : 0) +
	    (framework_adds_apart(p) ? 4 * 2 : 0);
}

struct machine
machine_of(const struct plan *p)
{
	const struct generation *r = generation_of(p);
	const struct format f = format_of(p);
	const double fitted = p->calibration.compute_efficiency > 0 ?
	    p->calibration.compute_efficiency : 1;
	const double scale = fitted * clock_share(&p->cluster) * p->cluster.rate_scale;
	const double eight = p->cluster.fp8_tflops * 1e12;
	const double rate = p->cluster.bf16_tflops * 1e12, memory = p->cluster.hbm_gbps * 1e9;
	const bool quantised = f.quantised && eight > 0;
	const double slowed = hardware_slowed(p);
	struct rate all = { rate * hardware_share(slowed, r->matrix, 1) * scale, rate }; /* but for power */
	struct machine g = { .known = hardware_lacks(p) == FIELD_NONE };

	g.peak = format_peak(p);
	g.scale = scale;
	g.plain = (struct rate){ all.reached * p->cluster.bf16_scale, rate };
	/* Units that are no faster in 8 bits (Intel Gaudi 3 white paper; TPU v5p) keep their rate. */
	g.linear = quantised ? (struct rate){
		fmax(eight * hardware_share(slowed, r->fp8 * f.share, 1) * scale, g.plain.reached), g.peak } : g.plain;
	if (p->training.precision == PRECISION_FP32)
		all = g.linear = g.plain = (struct rate){ g.peak * scale * (g.peak < rate / 2 ? SINGLE_REACHED :
		    r->matrix), g.peak };
	g.grouped = quantised && !r->experts_in_bf16 ? g.linear : all;
	g.grouped.reached *= quantised && r->grouped_quantised > 0 ? r->grouped_quantised : r->grouped;
	g.faster = g.grouped.reached / (r->grouped * all.reached);
	if (p->finetune.quantization == QUANT_INT8) {
		g.linear.reached /= INT8_SLOWER;
		g.grouped.reached /= r->experts_in_bf16 ? 1 : INT8_SLOWER;
	}
	g.hbm = (struct rate){ memory * r->memory, memory };
	g.vector = (struct rate){ memory * MOVES_REACHED * fitted, memory };
	g.launch = r->launch;
	g.kernel = 3e-6;
	g.power = r->power;
	g.moves = framework_of(p)->eager && !machine_compiles(p) ? EAGER_MOVES : 1;
	g.recurrent = (struct rate){ all.reached * (r->recurrent > 0 ? r->recurrent : 1), rate };
	g.permuting = r->permutes > 0 ? MOVES_REACHED / r->permutes : 1;
	g.norms_in_parts = norms_in_parts(p);
	g.unaligned = larger(1, r->unaligned);
	g.added = added_bytes(p);
	g.cast = quantised ? f.cast : 0;
	g.width = quantised || !f.quantised ? f.bytes : 2;
	return g;
}

double
machine_memory(const struct machine *g, double bytes)
{
	return bytes > 0 ? bytes / g->vector.reached + g->kernel : 0;
}
