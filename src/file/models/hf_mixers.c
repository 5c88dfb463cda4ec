/* Mixers of tokens that no kind of layer in a plan stands for: how many parameters the plan lacks. */
#include "core/base/text.h"
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

/* The type of what Mamba and gated delta networks carry on. */
static void
take_state(struct hf *h)
{
	const struct model *m = &h->im->plan->model;
	const bool linear = m->linear_attention && (m->linear_kind == LINEAR_GDN || m->linear_kind == LINEAR_LIGHTNING);
	char path[HF_PATH_SIZE];
	const char *name;

	if (!linear && m->mamba_heads == 0)
		return;
	if (hf_find(h, "mamba_ssm_dtype mamba_ssm_cache_dtype", path) &&
	    (name = jsonin_text(&h->json, path)) != NULL)
		import_set(h->im, FIELD_STATE_FP32, text_equal(name, "float32") ? "true" : "false", path);
	else
		import_assume(h->im, FIELD_STATE_FP32, "false", "no type of the state is named: it is the model's");
}

void
hf_mixers(struct hf *h)
{
	const double layers = (double)h->im->plan->model.layers;
	char path[HF_PATH_SIZE];

	take_state(h);
	if (hf_find(h, "mamba_d_ssm", path))
		notes_add(&h->im->assumed, "%s: the model has %.3f billion parameters more than the plan", path,
		    layers * beside_attention(h) / 1e9);
}
