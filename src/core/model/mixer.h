/*
 * mixer.h - sizes of layers that mix tokens through a state instead of keys and values: Mamba-1
 * (Gu and Dao 2023, arXiv 2312.00752), Mamba-2 (Dao and Gu 2024, arXiv 2405.21060), and what stands
 * for linear attention: gated delta networks (arXiv 2412.06464), Kimi delta attention (arXiv
 * 2510.26692), lightning attention (arXiv 2501.08313), gated short convolutions (arXiv 2511.23404).
 */
#ifndef CORE_MIXER_H
#define CORE_MIXER_H

#include "core/plan/plan.h"

/* Widths of one layer, over all heads. Of Mamba `key` is what B and C have each, groups times
 * state, and `value` the inner width; Mamba-1 has as many step sizes as `heads`. */
struct mixer {
	double heads;
	double key, value;   /* widths of keys and of values */
	double conv, taps;   /* channels and length of the convolution, 0 without */
	double state;        /* numbers of the state */
	double scan;         /* FLOP of the recurrence for a token, forward, in chunks */
	double share;        /* of the compute rate that those reach in training */
};

/* Width of Mamba's convolution: 4 where nothing says (Megatron-LM megatron/core/ssm/mamba_mixer.py,
 * d_conv). */
static inline double
mixer_mamba_taps(const struct model *m)
{
	return m->linear_conv_kernel > 0 ? (double)m->linear_conv_kernel : 4;
}

/* The rate of Mamba-1's scan, which has no matrix products, as a share of Mamba-2's, which is 2 to 8
 * times as fast (Dao and Gu 2024, arXiv 2405.21060, abstract). */
#define MIXER_SELECTIVE 0.25

/* Of the layers that model.linear_kind names, or of Mamba. */
struct mixer mixer_linear(const struct model *m);
struct mixer mixer_mamba(const struct model *m);

/* Bytes of a request in a layer: the state, each number of which takes so many, and what the convolution still
 * needs in 16 bits (vLLM model_executor/layers/mamba/mamba_utils.py). */
double mixer_state_bytes(const struct mixer *x, double bytes);
#endif
