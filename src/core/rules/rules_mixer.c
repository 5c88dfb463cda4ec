/* What a layer pattern and its mixers ask of the model and of the parallel sizes. */
#include <string.h>

#include "core/model/params.h"
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

bool
rule_pattern_unreadable(const struct facts *f, char *message, size_t size)
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

bool
rule_pattern_mixes_attention(const struct facts *f, char *message, size_t size)
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

bool
rule_pattern_without_index(const struct facts *f, char *message, size_t size)
{
	if (!has_letter(f, "DC") || f->plan->model.index_heads > 0)
		return false;
	return BROKEN("D and C need the heads of a sparse index");
}

bool
rule_pattern_without_linear(const struct facts *f, char *message, size_t size)
{
	if (!has_letter(f, "G") || f->plan->model.linear_attention)
		return false;
	return BROKEN("G needs linear attention");
}

bool
rule_pattern_without_experts(const struct facts *f, char *message, size_t size)
{
	if (!has_letter(f, PATTERN_EXPERTS) || plan_has_experts(f->plan))
		return false;
	return BROKEN("E and S need a model with experts");
}

bool
rule_compressed_size_missing(const struct facts *f, char *message, size_t size)
{
	const struct model *m = &f->plan->model;

	if (m->attention != ATTENTION_CSA || (m->q_lora_rank > 0 && m->output_lora_rank > 0 &&
	    m->output_groups > 0 && m->sliding_window > 0))
		return false;
	return BROKEN("compressed attention needs the ranks of its queries and outputs, groups, a window");
}

bool
rule_all_layers_borrow(const struct facts *f, char *message, size_t size)
{
	const struct model *m = &f->plan->model;

	if (m->borrowing_layers < m->layers)
		return false;
	return BROKEN("all of %lld layers take keys and values of an earlier one: none makes them",
	    N(m->layers));
}

bool
rule_compressed_trains(const struct facts *f, char *message, size_t size)
{
	if (f->plan->model.attention != ATTENTION_CSA)
		return false;
	return BROKEN("compressed sparse attention is planned where it is served, not trained");
}

/* Each rank has whole groups of heads (vLLM vllm/model_executor/models/deepseek_v4.py). */
bool
rule_output_groups_do_not_divide(const struct facts *f, char *message, size_t size)
{
	const int64_t groups = f->plan->model.output_groups, tp = f->plan->parallel.tp;

	if (f->plan->model.attention != ATTENTION_CSA || tp < 1 || f->plan->serving.dp_attention ||
	    groups % tp == 0)
		return false;
	return BROKEN("%lld groups of the output are not divisible by TP %lld", N(groups), N(tp));
}

bool
rule_mamba_size_missing(const struct facts *f, char *message, size_t size)
{
	const struct model *m = &f->plan->model;

	if (!has_letter(f, "M") || (m->mamba_heads > 0 && m->mamba_head_dim > 0 &&
	    m->mamba_state > 0 && m->mamba_groups > 0))
		return false;
	return BROKEN("Mamba needs its heads, their size, its state and its groups");
}

/* Megatron-LM divides heads and groups over TP; vLLM repeats a single group. */
bool
rule_mamba_does_not_divide(const struct facts *f, char *message, size_t size)
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

bool
rule_mamba_groups(const struct facts *f, char *message, size_t size)
{
	const struct model *m = &f->plan->model;

	if (!has_letter(f, "M") || m->mamba_groups < 1 || m->mamba_heads % m->mamba_groups == 0)
		return false;
	return BROKEN("%lld Mamba heads can not share %lld groups evenly", N(m->mamba_heads),
	    N(m->mamba_groups));
}

/* Context parallelism gives each rank whole heads of all tokens
 * (Megatron-LM megatron/core/ssm/mamba_context_parallel.py). */
bool
rule_mamba_cp(const struct facts *f, char *message, size_t size)
{
	const struct model *m = &f->plan->model;
	const int64_t tp = f->plan->parallel.tp, cp = f->plan->parallel.cp;

	if (!has_letter(f, "M") || tp < 1 || cp <= 1 || m->mamba_heads / tp % cp == 0)
		return false;
	return BROKEN("%lld Mamba heads over TP %lld are not divisible by CP %lld", N(m->mamba_heads),
	    N(tp), N(cp));
}

bool
rule_linear_heads_do_not_divide(const struct facts *f, char *message, size_t size)
{
	const struct plan *p = f->plan;
	const struct model *m = &p->model;
	const int64_t keys = m->linear_key_heads, values = m->linear_value_heads;
	/* with CP each rank has whole heads of all tokens */
	const int64_t ranks = p->parallel.tp * (p->mode == MODE_TRAIN ? p->parallel.cp : 1);

	if (!has_linear(f) || ranks < 1)
		return false;
	if (keys % ranks != 0 || values % ranks != 0)
		return BROKEN("linear attention heads (%lld keys, %lld values) are not divisible by TP x CP = %lld",
		    N(keys), N(values), N(ranks));
	return keys > 0 && values % keys != 0 &&
	       BROKEN("%lld value heads can not share %lld key heads of linear attention evenly",
	           N(values), N(keys));
}
