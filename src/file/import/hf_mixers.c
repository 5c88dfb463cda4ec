/* Mixers of tokens that no kind of layer in a plan stands for: how many parameters the plan lacks. */
#include <math.h>

#include "file/import/hf_read.h"

static double
number(struct hf *h, const char *keys, double absent)
{
	char path[HF_PATH_SIZE];
	int64_t v;

	return hf_int(h, keys, &v, path) ? (double)v : absent;
}

/* Layers that do not attend: by the places of those that do, or one of each period does. */
static double
mixing_layers(struct hf *h)
{
	const double layers = (double)h->im->plan->model.layers;
	const double period = number(h, "attn_layer_period", 0), offset = number(h, "attn_layer_offset", 0);
	char path[HF_PATH_SIZE];
	size_t count = 0;

	if (hf_find(h, "full_attn_idxs", path) && jsonin_list(&h->json, path, &count))
		return layers - (double)count;
	return period >= 1 && offset >= 0 ? layers - ceil((layers - offset) / period) : 0;
}

/* Lfm2ShortConv of transformers: three projections in, a convolution of each channel, one out. */
static double
convolution(struct hf *h)
{
	const double hidden = (double)h->im->plan->model.hidden_size;

	return 4 * hidden * hidden + number(h, "conv_L_cache", 3) * hidden;
}

/* JambaMambaMixer: what comes in and its gate, a convolution, step sizes of low rank, state
 * matrices, norms of these, what goes out. */
static double
selective_scan(struct hf *h)
{
	const double hidden = (double)h->im->plan->model.hidden_size;
	const double inner = number(h, "mamba_expand", 2) * hidden, state = number(h, "mamba_d_state", 16);
	char path[HF_PATH_SIZE];
	const bool automatic = hf_find(h, "mamba_dt_rank", path) && jsonin_text(&h->json, path) != NULL;
	const double rank = automatic ? ceil(hidden / 16) : number(h, "mamba_dt_rank", ceil(hidden / 16));

	return hidden * 2 * inner + inner * (number(h, "mamba_d_conv", 4) + 1) +
	    inner * (rank + 2 * state) + (rank + 1) * inner + inner * (state + 1) + rank + 2 * state +
	    inner * hidden;
}

/* FalconH1Mixer, Mamba-2 beside the attention of each layer. */
static double
beside_attention(struct hf *h)
{
	const double hidden = (double)h->im->plan->model.hidden_size;
	const double inner = number(h, "mamba_d_ssm", 0), heads = number(h, "mamba_n_heads", 0);
	const double states = 2 * number(h, "mamba_n_groups", 1) * number(h, "mamba_d_state", 0);

	return hidden * (2 * inner + states + heads) + (inner + states) *
	    (number(h, "mamba_d_conv", 4) + 1) + 3 * heads + inner * hidden;
}

void
hf_mixers(struct hf *h)
{
	const struct model *m = &h->im->plan->model;
	const double attention = 2.0 * (double)m->hidden_size * (double)(m->attention_heads + m->kv_heads) *
	    (double)m->head_dim;
	char path[HF_PATH_SIZE];
	double lack;

	if (m->layer_pattern[0] != '\0')
		return;
	if (hf_find(h, "mamba_d_ssm", path))
		lack = (double)m->layers * beside_attention(h);
	else if (hf_find(h, "conv_L_cache", path))
		lack = mixing_layers(h) * (convolution(h) - attention);
	else if (hf_find(h, "mamba_d_state", path))
		lack = mixing_layers(h) * (selective_scan(h) - attention);
	else
		return;
	if (fabs(lack) > 0)
		notes_add(&h->im->assumed, "%s: the model has %.3f billion parameters %s than the plan", path,
		    fabs(lack) / 1e9, lack > 0 ? "more" : "less");
}
