#include "core/model/mixer.h"

/* Share of an H100's compute rate that a gated delta rule reaches, 290 TFLOP/s with 32 heads; with a decay for
 * each channel, as Kimi's, a tenth of it (ai-dynamo/aiconfigurator, kernels of chunked GDN and KDA; other
 * GPUs: struct generation, recurrent). That of Mamba's scan was chosen on Nemotron 3 Nano's three rows of
 * NVIDIA-NeMo/Megatron-Bridge docs/performance-summary.md, on GB300, GB200 and B300. */
#define DELTA_SHARE 0.41
#define SCAN_SHARE 0.041
#define CHANNEL_SHARE 0.041

/* FLOP of Mamba-1's scan for each number of the state (state-spaces/mamba issue 110). */
#define SELECTIVE_FLOP 9

/* Tokens of a chunk, which the scans work out as small attention: of Mamba-2 (Megatron-LM
 * megatron/core/ssm/mamba_mixer.py, chunk_size) and lightning attention (MiniMax-01
 * modeling_minimax_text_01.py, BLOCK). */
#define MAMBA_CHUNK 128
#define LIGHTNING_BLOCK 256

struct mixer
mixer_linear(const struct model *m)
{
	const double dk = (double)m->linear_key_head_dim;
	struct mixer x = { .heads = (double)m->linear_value_heads };

	x.key = (double)m->linear_key_heads * dk;
	x.value = x.heads * (double)m->linear_value_head_dim;
	x.conv = 2 * x.key + x.value;
	x.taps = (double)m->linear_conv_kernel;
	x.state = x.value * dk;
	x.scan = 8 * x.value * dk;
	x.share = m->linear_kind == LINEAR_KDA ? CHANNEL_SHARE : DELTA_SHARE;
	if (m->linear_kind == LINEAR_LIGHTNING) { /* a fixed decay, no convolution */
		x.conv = x.taps = 0;
		x.scan = 4 * x.value * dk + 4 * LIGHTNING_BLOCK * x.value;
	}
	if (m->linear_kind == LINEAR_CONV) { /* of the gated input, with no state behind it */
		x.conv = x.value;
		x.state = x.scan = 0;
	}
	return x;
}

struct mixer
mixer_mamba(const struct model *m)
{
	const double n = (double)m->mamba_state;
	struct mixer x = { .heads = (double)m->mamba_heads, .share = SCAN_SHARE };

	x.key = (double)m->mamba_groups * n;
	x.value = x.heads * (double)m->mamba_head_dim;
	x.conv = x.value + 2 * x.key;
	x.taps = mixer_mamba_taps(m);
	x.state = x.value * n;
	x.scan = 2 * (MAMBA_CHUNK * x.key + MAMBA_CHUNK * x.value + 2 * x.state);
	if (m->mamba_dt_rank > 0) {
		x.heads = (double)m->mamba_dt_rank; /* of which it has step sizes */
		x.conv = x.value;
		x.scan = SELECTIVE_FLOP * x.state;
		x.share *= MIXER_SELECTIVE;
	}
	return x;
}

double
mixer_state_bytes(const struct mixer *x, double bytes)
{
	return bytes * x->state + (x->taps > 1 ? 2 * x->conv * (x->taps - 1) : 0);
}
