#include "core/model/mixer.h"

/* Share of the compute rate that a gated delta rule reaches; with a decay for each channel, as
 * Kimi's, a tenth of it (ai-dynamo/aiconfigurator, kernels of chunked GDN and KDA on H100, B200
 * and GB200). That of Mamba's scan was chosen on Nemotron 3 Nano's three rows of NVIDIA-NeMo/
 * Megatron-Bridge docs/performance-summary.md, on GB300, GB200 and B300. */
#define DELTA_SHARE 0.3
#define SCAN_SHARE 0.03
#define CHANNEL_SHARE 0.03

/* Tokens of a chunk, which the scans work out as small attention: of Mamba-2 (Megatron-LM
 * megatron/core/ssm/mamba_mixer.py, chunk_size) and lightning attention (MiniMax-01
 * modeling_minimax_text_01.py, BLOCK). */
#define MAMBA_CHUNK 128
#define LIGHTNING_BLOCK 256

/* Projections: q, k, v, gate, decay a, and b of each head; the output. */
static void
delta(struct mixer *x, double h, double dk)
{
	x->weights = h * (2 * x->key + 3 * x->value + 2 * x->heads);
	x->scan = 8 * x->value * dk;
	x->share = DELTA_SHARE;
}

/* A decay for each channel and, unless it has one wide projection, the gate go through projections
 * as narrow as a head, whose first half every TP rank has. */
static void
kimi(struct mixer *x, double h, double dk, double dv, bool wide_gate)
{
	x->in = 2 * x->key + (wide_gate ? 2 : 1) * x->value;
	x->narrow = x->key + (wide_gate ? 0 : x->value);
	x->whole = (wide_gate ? 1 : 2) * h * dv;
	x->weights = h * (x->in + x->value + x->heads) + x->whole + dv * x->narrow;
	x->scan = 8 * x->value * dk;
	x->share = CHANNEL_SHARE;
}

/* Queries, keys, values and gate; a fixed decay, no convolution. */
static void
lightning(struct mixer *x, double h, double dk)
{
	x->weights = h * (2 * x->key + 3 * x->value);
	x->conv = x->taps = 0;
	x->scan = 4 * x->value * dk + 4 * LIGHTNING_BLOCK * x->value;
	x->share = DELTA_SHARE;
}

struct mixer
mixer_linear(const struct model *m)
{
	const double h = (double)m->hidden_size, dk = (double)m->linear_key_head_dim;
	const double dv = (double)m->linear_value_head_dim;
	struct mixer x = { .heads = (double)m->linear_value_heads };

	x.key = (double)m->linear_key_heads * dk;
	x.value = x.heads * dv;
	x.in = 2 * (x.key + x.value);
	x.conv = 2 * x.key + x.value;
	x.taps = (double)m->linear_conv_kernel;
	x.state = x.value * dk;
	if (m->linear_kind == LINEAR_KDA)
		kimi(&x, h, dk, dv, m->linear_wide_gate);
	else if (m->linear_kind == LINEAR_LIGHTNING)
		lightning(&x, h, dk);
	else
		delta(&x, h, dk);
	return x;
}

/* One projection to z, x, B, C and dt. */
struct mixer
mixer_mamba(const struct model *m)
{
	const double h = (double)m->hidden_size, n = (double)m->mamba_state;
	struct mixer x = { .heads = (double)m->mamba_heads, .share = SCAN_SHARE };

	x.key = (double)m->mamba_groups * n;
	x.value = x.heads * (double)m->mamba_head_dim;
	x.in = 2 * x.value + 2 * x.key + x.heads;
	x.weights = h * x.in + x.value * h;
	x.conv = x.value + 2 * x.key;
	x.taps = mixer_mamba_taps(m);
	x.state = x.value * n;
	x.scan = 2 * (MAMBA_CHUNK * x.key + MAMBA_CHUNK * x.value + 2 * x.state);
	x.kept = x.in + 2 * x.value;
	return x;
}

double
mixer_state_bytes(const struct mixer *x)
{
	return 4 * x->state + (x->taps > 1 ? 2 * x->conv * (x->taps - 1) : 0);
}
