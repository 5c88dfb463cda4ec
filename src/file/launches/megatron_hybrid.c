/* Models of Megatron-LM whose layers a pattern says, letter by letter: --hybrid-layer-pattern,
 * in older releases --hybrid-override-pattern, and the sizes of Mamba-2. */
#include <string.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/plan/pattern.h"
#include "file/launches/megatron_hybrid.h"

static const char older[] = "--hybrid-override-pattern", newer[] = "--hybrid-layer-pattern";

static void
put_number(struct megatron_args *a, enum field_id f, int64_t n, const char *flag)
{
	if (megatron_has(a, flag))
		import_set_int(a->im, f, n, flag);
	else
		import_assume_int(a->im, f, n, flag);
}

/* As TransformerConfig has them where no argument says. */
static void
put_mamba(struct megatron_args *a)
{
	const struct model *m = &a->im->plan->model;

	put_number(a, FIELD_MAMBA_HEAD_DIM, megatron_int(a, "--mamba-head-dim", 64), "--mamba-head-dim");
	put_number(a, FIELD_MAMBA_STATE, megatron_int(a, "--mamba-state-dim", 128),
	    "--mamba-state-dim");
	put_number(a, FIELD_MAMBA_GROUPS, megatron_int(a, "--mamba-num-groups", 8),
	    "--mamba-num-groups");
	import_fill(a->im, FIELD_LINEAR_CONV_KERNEL, "4"); /* no argument: d_conv of mamba_mixer.py */
	/* a width of twice the hidden size */
	put_number(a, FIELD_MAMBA_HEADS, megatron_int(a, "--mamba-num-heads",
	    2 * m->hidden_size / most_of(1, m->mamba_head_dim)), "--mamba-num-heads");
}

bool
megatron_is_hybrid(const struct megatron_args *a)
{
	return megatron_has(a, newer) || megatron_has(a, older);
}

/* Layers of Mamba that a ratio places, or all of them are (NVIDIA/Megatron-LM megatron/core/ssm/mamba_hybrid_layer_allocation.py):
 * without their pattern they would count as layers with attention. */
static void
refuse_unsaid(struct megatron_args *a)
{
	static const char *const flags[] = { "--hybrid-attention-ratio", "--hybrid-mlp-ratio", "--is-hybrid-model" };
	const struct megatron_arg *spec = megatron_arg(a, "--spec");
	const char *found = NULL;

	for (size_t i = 0; spec != NULL && i < spec->values; i++)
		if (strstr(spec->value[i].text, "mamba") != NULL)
			found = spec->flag;
	for (size_t i = 0; i < sizeof flags / sizeof *flags && found == NULL; i++)
		if (megatron_has(a, flags[i]))
			found = flags[i];
	for (size_t i = 0; i < a->words.count && found == NULL; i++)
		if (strstr(a->words.word[i].text, "pretrain_mamba.py") != NULL)
			found = "pretrain_mamba.py";
	if (found != NULL)
		import_error(a->im, found, "layers of Mamba, and no pattern says which (fix: --hybrid-override-pattern)");
}

void
megatron_hybrid(struct megatron_args *a)
{
	struct model *m = &a->im->plan->model;
	const char *flag = megatron_has(a, newer) ? newer : older, *text, *depth;
	char pattern[2 * PLAN_PATTERN_SIZE];

	if (!megatron_is_hybrid(a)) {
		refuse_unsaid(a);
		return;
	}
	if ((text = megatron_text(a, flag, "")) == NULL)
		return;
	text_put(pattern, sizeof pattern, "%s", text);
	depth = megatron_text(a, "--mtp-hybrid-override-pattern", "");
	for (int64_t i = 0; depth != NULL && *depth != '\0' && i < m->mtp_layers &&
	    strchr(text, '/') == NULL; i++)
		text_add(pattern, sizeof pattern, "/%s", depth);
	a->im->line = megatron_arg(a, flag)->line;
	if (pattern_fault(pattern) != '\0' || strpbrk(pattern, PATTERN_OWN) != NULL ||
	    pattern_layers(pattern) == 0) {
		import_error(a->im, flag, "holds letters that no layer pattern of Megatron-LM has");
		return;
	}
	if (!import_set(a->im, FIELD_LAYER_PATTERN, pattern, flag))
		return;
	if (megatron_has(a, "--num-layers") && m->layers != pattern_layers(pattern))
		import_refuse(a->im, "--num-layers", "is %lld, and the pattern has %lld layers",
		    (long long)m->layers, (long long)pattern_layers(pattern));
	pattern_settle(m);
	if (strchr(pattern, 'M') != NULL)
		put_mamba(a);
}
