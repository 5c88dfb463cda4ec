/*
 * rules_finetune.c - rules of adapters and frozen weights.
 */
#include "core/model/adapters.h"
#include "core/model/modules.h"
#include "core/plan/pattern.h"
#include "core/rules/check_rules.h"

static bool
quantized(const struct plan *p)
{
	return adapters_only(p) && p->finetune.quantization != QUANT_NONE;
}

bool
rule_target_unknown(const struct facts *f, char *message, size_t size)
{
	if (!(adapters_targets(f->plan) & TARGET_UNKNOWN))
		return false;
	return BROKEN("the target names a module that is none of all-linear, attention, qv, mlp, q, k, v, qkv, o, proj, gate, up, fc1, down, fc2, in_proj (_qkvz, _ba, _qkv, _z, _b, _a), out_proj, experts, router, head, embedding");
}

bool
rule_saved_unknown(const struct facts *f, char *message, size_t size)
{
	if (!(adapters_saved(f->plan) & TARGET_UNKNOWN))
		return false;
	return BROKEN("trained copies are made of embedding, head or embedding+head");
}

bool
rule_rank_does_not_divide(const struct facts *f, char *message, size_t size)
{
	const struct plan *p = f->plan;

	if (!adapters_only(p) || p->parallel.tp < 1 || p->finetune.rank % p->parallel.tp == 0)
		return false;
	return BROKEN("rank %lld of the adapters is not divisible by TP %lld, which splits it",
	    N(p->finetune.rank), N(p->parallel.tp));
}

bool
rule_adapters_missing(const struct facts *f, char *message, size_t size)
{
	const struct plan *p = f->plan;

	if (!adapters_only(p) || (adapters_targets(p) & TARGET_UNKNOWN) ||
	    adapters_total(p, 0, NULL) > 0)
		return false;
	return BROKEN("no module of this model has an adapter or a trained copy: nothing is trained");
}

bool
rule_quantized_with_tp(const struct facts *f, char *message, size_t size)
{
	if (!quantized(f->plan) || f->plan->parallel.tp <= 1)
		return false;
	return BROKEN("quantised weights are not split over TP (%lld): their blocks of scales run across rows",
	    N(f->plan->parallel.tp));
}

bool
rule_quantized_in_megatron(const struct facts *f, char *message, size_t size)
{
	if (!quantized(f->plan))
		return false;
	return BROKEN("Megatron has no linear layer that keeps frozen weights in 4 or 8 bits");
}

bool
rule_quantized_trained(const struct facts *f, char *message, size_t size)
{
	if (f->plan->finetune.method != FINETUNE_FULL ||
	    f->plan->finetune.quantization == QUANT_NONE)
		return false;
	return BROKEN("quantised weights can not be trained: full fine-tuning needs them in 16 bits or more");
}

bool
rule_qlora_not_quantized(const struct facts *f, char *message, size_t size)
{
	if (f->plan->finetune.method != FINETUNE_QLORA || quantized(f->plan))
		return false;
	return BROKEN("QLoRA is LoRA beside quantised weights, and these are not");
}

bool
rule_optimizer_not_offered(const struct facts *f, char *message, size_t size)
{
	if (!plan_has_bitsandbytes(f->plan))
		return false;
	return BROKEN("Megatron has no optimizer of bitsandbytes: Adam with moments in fewer bits there is precision-aware");
}

bool
rule_trainer_without_pipeline(const struct facts *f, char *message, size_t size)
{
	const struct plan *p = f->plan;
	const bool tunes = modules_eager(p);

	if (p->parallel.pp <= 1 || (!tunes && !plan_has_rl(p)))
		return false;
	return BROKEN("PP %lld: %s split no layers over a pipeline", N(p->parallel.pp),
	    tunes ? "trainers of Hugging Face's modules" : "trainers of rollouts on FSDP or ZeRO");
}

bool
rule_kernels_of_others(const struct facts *f, char *message, size_t size)
{
	const struct finetune *t = &f->plan->finetune;

	if (t->method == FINETUNE_NONE || t->kernels == KERNELS_TE)
		return false;
	return BROKEN("Megatron builds its layers of Transformer Engine modules, not of Hugging Face's");
}

bool
rule_quantized_not_sharded(const struct facts *f, char *message, size_t size)
{
	const int64_t zero = f->plan->parallel.zero_stage;

	if (!quantized(f->plan) || zero < 1 || zero > 2 || f->layout == NULL || f->layout->dp <= 1)
		return false;
	return BROKEN("ZeRO-%lld shards what is trained, and the quantised weights are whole on each of %lld GPUs: ZeRO-3 (FSDP) shards them",
	    N(zero), N(f->layout->dp));
}

bool
rule_experts_not_reached(const struct facts *f, char *message, size_t size)
{
	const struct plan *p = f->plan;
	const unsigned targets = adapters_targets(p);

	if (!plan_has_experts(p) || !(targets & TARGET_MLP) || (targets & TARGET_EXPERTS))
		return false;
	return BROKEN("%s does not reach routed experts, whose weights are stacked in one parameter: they have no adapters",
	    p->finetune.target);
}

bool
rule_out_proj_refused(const struct facts *f, char *message, size_t size)
{
	const struct plan *p = f->plan;

	if (pattern_count(p->model.layer_pattern, 0, p->model.layers, "M") == 0 || !(adapters_targets(p) & TARGET_OUT_PROJ))
		return false;
	return BROKEN("PEFT refuses adapters of Mamba's out_proj, whose weight the kernel reads by itself: name the others, in_proj among them");
}

bool
rule_saved_sharded(const struct facts *f, char *message, size_t size)
{
	const struct plan *p = f->plan;

	if (adapters_saved(p) == 0 || p->parallel.zero_stage < 3)
		return false;
	return BROKEN("embedding or head is held twice, as it was and as it is trained, and ZeRO-3 gathers both");
}

bool
rule_tuning_off(const struct facts *f, char *message, size_t size)
{
	const struct plan *p = f->plan;

	if (p->finetune.method != FINETUNE_NONE)
		return false;
	for (enum field_id id = FIELD_FINETUNE; id <= FIELD_PACKING; id++)
		if (field_is_chosen(id, p))
			return BROKEN("%s has no effect: nothing is fine-tuned", field_table[id].path);
	return false;
}
