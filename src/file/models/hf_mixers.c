/* Mixers of tokens that no kind of layer in a plan stands for: how many parameters the plan lacks. */
#include "file/models/hf_read.h"

static double
number_of(struct hf *h, const char *keys, double absent)
{
	char path[HF_PATH_SIZE];
	int64_t v;

	return hf_int(h, keys, &v, path) ? (double)v : absent;
}

/* FalconH1Mixer, Mamba-2 beside the attention of each layer. */
static double
beside_attention(struct hf *h)
{
	const double hidden = (double)h->im->plan->model.hidden_size;
	const double inner = number_of(h, "mamba_d_ssm", 0), heads = number_of(h, "mamba_n_heads", 0);
	const double states = 2 * number_of(h, "mamba_n_groups", 1) * number_of(h, "mamba_d_state", 0);

	return hidden * (2 * inner + states + heads) + (inner + states) *
	    (number_of(h, "mamba_d_conv", 4) + 1) + 3 * heads + inner * hidden;
}

void
hf_mixers(struct hf *h)
{
	const double layers = (double)h->im->plan->model.layers;
	char path[HF_PATH_SIZE];

	if (hf_find(h, "mamba_d_ssm", path))
		notes_add(&h->im->assumed, "%s: the model has %.3f billion parameters more than the plan", path,
		    layers * beside_attention(h) / 1e9);
}
