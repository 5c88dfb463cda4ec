/* What a layer pattern and its mixers ask of the model and of the parallel sizes. */
#include <string.h>

#include "core/plan/pattern.h"
#include "core/rules/check_rules.h"

static bool
has_letter(const struct facts *f, const char *letters)
{
	return strpbrk(f->plan->model.layer_pattern, letters) != NULL;
}

/* True where some layers are linear attention. */
static bool
has_linear(const struct facts *f)
{
	const struct model *m = &f->plan->model;

	return m->linear_attention && (m->layer_pattern[0] == '\0' || has_letter(f, "G"));
}

BREAKS(rule_pattern_unreadable)
{
	const char *pattern = f->plan->model.layer_pattern, *depth = pattern_depth(pattern);

	if (pattern[0] == '\0')
		return false;
	if (pattern_fault(pattern) != '\0')
		return BROKEN("character %lld of the layer pattern is none of M G * + D C H W - E S | /",
		    N(strspn(pattern, "MG*D+CHW-ES|/") + 1));
	if (pattern_layers(pattern) == 0 || (depth != NULL && pattern_layers(depth) == 0))
		return BROKEN("the layer pattern has no layers");
	if (depth != NULL && strchr(depth, '|') != NULL)
		return BROKEN("a pipeline stage can not end within an MTP layer");
	return false;
}

BREAKS(rule_pattern_mixes_attention)
{
	const bool plain = has_letter(f, "*"), latent = has_letter(f, "+D");
	const bool mla = f->plan->model.attention == ATTENTION_MLA;

	const bool compressed = has_letter(f, "CHW");
	const bool csa = f->plan->model.attention == ATTENTION_CSA;

	if (compressed != csa || (compressed && (plain || latent)))
		return BROKEN("C, H and W are compressed attention, which has no other letters of attention");
	if (plain && latent)
		return BROKEN("* and + or D do not stand in one pattern");
	return latent && !mla ? BROKEN("+ and D are multi-head latent attention") : false;
}

BROKEN_IF(rule_pattern_without_index, has_letter(f, "DC") && p->model.index_heads <= 0,
    "D and C need the heads of a sparse index")

BROKEN_IF(rule_pattern_without_linear, has_letter(f, "G") && !p->model.linear_attention,
    "G needs linear attention")

BROKEN_IF(rule_pattern_without_experts, has_letter(f, PATTERN_EXPERTS) && !plan_has_experts(p),
    "E and S need a model with experts")

BROKEN_IF(rule_compressed_size_missing,
    p->model.attention == ATTENTION_CSA && (p->model.q_lora_rank <= 0 ||
    p->model.output_lora_rank <= 0 || p->model.output_groups <= 0 ||
    p->model.sliding_window <= 0),
    "compressed attention needs the ranks of its queries and outputs, groups, a window")

BROKEN_IF(rule_all_layers_borrow, p->model.borrowing_layers >= p->model.layers,
    "all of %lld layers take keys and values of an earlier one: none makes them",
    N(p->model.layers))

BROKEN_IF(rule_compressed_trains, p->model.attention == ATTENTION_CSA,
    "compressed sparse attention is planned where it is served, not trained")

/* Each rank has whole groups of heads (vLLM vllm/model_executor/models/deepseek_v4.py). */
BROKEN_IF(rule_output_groups_do_not_divide,
    p->model.attention == ATTENTION_CSA && p->parallel.tp >= 1 &&
    !p->serving.dp_attention && p->model.output_groups % p->parallel.tp != 0,
    "%lld groups of the output are not divisible by TP %lld", N(p->model.output_groups),
    N(p->parallel.tp))

BROKEN_IF(rule_mamba_size_missing,
    has_letter(f, "M") && (p->model.mamba_heads <= 0 || p->model.mamba_head_dim <= 0 ||
    p->model.mamba_state <= 0 || p->model.mamba_groups <= 0),
    "Mamba needs its heads, their size, its state and its groups")

/* Megatron-LM divides heads and groups over TP; vLLM repeats a single group. */
BREAKS(rule_mamba_does_not_divide)
{
	const struct model *m = &f->plan->model;
	const int64_t tp = f->plan->parallel.tp;
	const bool repeats = f->plan->mode == MODE_SERVE && m->mamba_groups == 1;

	if (!has_letter(f, "M") || tp < 1)
		return false;
	if (m->mamba_heads % tp != 0)
		return BROKEN("%lld Mamba heads are not divisible by TP %lld", N(m->mamba_heads), N(tp));
	if (m->mamba_groups % tp != 0 && !repeats)
		return BROKEN("%lld Mamba groups are not divisible by TP %lld", N(m->mamba_groups), N(tp));
	return false;
}

BROKEN_IF(rule_selective_scan_missing, has_letter(f, "M") && p->model.mamba_dt_rank > 0,
    "Megatron has no Mamba-1 layers: its M is Mamba-2")

BROKEN_IF(rule_short_convolution_missing, has_linear(f) && p->model.linear_kind == LINEAR_CONV,
    "Megatron has no short convolutions: its G is a gated delta network")

BROKEN_IF(rule_mamba_groups,
    has_letter(f, "M") && p->model.mamba_groups >= 1 &&
    p->model.mamba_heads % p->model.mamba_groups != 0,
    "%lld Mamba heads can not share %lld groups evenly", N(p->model.mamba_heads),
    N(p->model.mamba_groups))

/* Context parallelism gives each rank whole heads of all tokens
 * (Megatron-LM megatron/core/ssm/mamba_context_parallel.py). */
BROKEN_IF(rule_mamba_cp,
    has_letter(f, "M") && p->parallel.tp >= 1 && p->parallel.cp > 1 &&
    p->model.mamba_heads / p->parallel.tp % p->parallel.cp != 0,
    "%lld Mamba heads over TP %lld are not divisible by CP %lld", N(p->model.mamba_heads),
    N(p->parallel.tp), N(p->parallel.cp))

BREAKS(rule_linear_heads_do_not_divide)
{
	const struct plan *p = f->plan;
	const struct model *m = &p->model;
	const int64_t keys = m->linear_key_heads, values = m->linear_value_heads;
	/* with CP each rank has whole heads of all tokens */
	const int64_t ranks = p->parallel.tp * (p->mode == MODE_TRAIN ? p->parallel.cp : 1);

	if (!has_linear(f) || ranks < 1 || (p->mode == MODE_SERVE && p->serving.dp_attention))
		return false;
	if (keys % ranks != 0 || values % ranks != 0)
		return BROKEN("linear attention heads (%lld keys, %lld values) are not divisible by TP x CP = %lld",
		    N(keys), N(values), N(ranks));
	return keys > 0 && values % keys != 0 &&
	       BROKEN("%lld value heads can not share %lld key heads of linear attention evenly",
	           N(values), N(keys));
}
