/*
 * mixer.h - sizes of layers that mix tokens through a state instead of keys and values: Mamba-2
 * (Dao and Gu 2024, arXiv 2405.21060), and linear attention of three kinds: gated delta networks
 * (arXiv 2412.06464), Kimi delta attention (arXiv 2510.26692), lightning attention (arXiv
 * 2501.08313).
 */
#ifndef CORE_MIXER_H
#define CORE_MIXER_H

#include "core/plan/plan.h"

/* Widths of one layer, over all heads. Of Mamba-2 `key` is what B and C have each, groups times
 * state, and `value` the inner width. */
struct mixer {
	double heads;
	double key, value;   /* widths of keys and of values */
	double conv, taps;   /* channels and length of the convolution, 0 without */
	double state;        /* numbers of the state */
	double scan;         /* FLOP of the recurrence for a token, forward, in chunks */
	double share;        /* of the compute rate that those reach in training */
	double kept;         /* of Mamba-2: numbers that a token keeps for the backward pass */
};

/* Width of Mamba's convolution: 4 where nothing says (Megatron-LM megatron/core/ssm/mamba_mixer.py,
 * d_conv). */
static inline double
mixer_mamba_taps(const struct model *m)
{
	return m->linear_conv_kernel > 0 ? (double)m->linear_conv_kernel : 4;
}

/* Of the layers that model.linear_kind names, or of Mamba-2. */
struct mixer mixer_linear(const struct model *m);
struct mixer mixer_mamba(const struct model *m);

/* Bytes of a request in a layer: the state in fp32, and what the convolution still needs in
 * 16 bits (vLLM model_executor/layers/mamba/mamba_utils.py). */
double mixer_state_bytes(const struct mixer *x);
#endif
