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

BROKEN_IF(rule_target_unknown, (adapters_targets(p) & TARGET_UNKNOWN) != 0,
    "the target names a module that is none of all-linear, attention, qv, mlp, q, k, v, qkv, o, proj, gate, up, fc1, down, fc2, in_proj (_qkvz, _ba, _qkv, _z, _b, _a), out_proj, experts, router, head, embedding")

BROKEN_IF(rule_saved_unknown, (adapters_saved(p) & TARGET_UNKNOWN) != 0,
    "trained copies are made of embedding, head or embedding+head")

BROKEN_IF(rule_rank_does_not_divide,
    adapters_only(p) && p->parallel.tp >= 1 && p->finetune.rank % p->parallel.tp != 0,
    "rank %lld of the adapters is not divisible by TP %lld, which splits it",
    N(p->finetune.rank), N(p->parallel.tp))

BROKEN_IF(rule_adapters_missing,
    adapters_only(p) && (adapters_targets(p) & TARGET_UNKNOWN) == 0 &&
    !(adapters_total(p, 0, NULL) > 0),
    "no module of this model has an adapter or a trained copy: nothing is trained")

BROKEN_IF(rule_quantized_with_tp, quantized(p) && p->parallel.tp > 1,
    "quantised weights are not split over TP (%lld): their blocks of scales run across rows",
    N(p->parallel.tp))

BROKEN_IF(rule_quantized_in_megatron, quantized(p),
    "Megatron and nanotron have no linear layer that keeps frozen weights in 4 or 8 bits")

BROKEN_IF(rule_quantized_trained,
    p->finetune.method == FINETUNE_FULL && p->finetune.quantization != QUANT_NONE,
    "quantised weights can not be trained: full fine-tuning needs them in 16 bits or more")

BROKEN_IF(rule_qlora_not_quantized, p->finetune.method == FINETUNE_QLORA && !quantized(p),
    "QLoRA is LoRA beside quantised weights, and these are not")

BROKEN_IF(rule_kernels_of_others,
    p->finetune.method != FINETUNE_NONE && p->finetune.kernels != KERNELS_TE,
    "Megatron builds its layers of Transformer Engine modules, not of Hugging Face's")

BROKEN_IF(rule_quantized_not_sharded,
    quantized(p) && (p->parallel.zero_stage == 1 || p->parallel.zero_stage == 2) &&
    f->layout != NULL && f->layout->dp > 1,
    "ZeRO-%lld shards what is trained, and the quantised weights are whole on each of %lld GPUs: ZeRO-3 (FSDP) shards them",
    N(p->parallel.zero_stage), N(f->layout->dp))

BROKEN_IF(rule_experts_not_reached,
    plan_has_experts(p) && (adapters_targets(p) & TARGET_MLP) != 0 &&
    (adapters_targets(p) & TARGET_EXPERTS) == 0,
    "%s does not reach routed experts, whose weights are stacked in one parameter: they have no adapters",
    p->finetune.target)

BROKEN_IF(rule_tuner_of_peft,
    adapters_only(p) && p->finetune.tuner != TUNER_LORA &&
    ((p->finetune.kernels != KERNELS_EAGER && p->finetune.kernels != KERNELS_LIGER) ||
    p->finetune.method == FINETUNE_DORA || p->parallel.tp > 1),
    "other adapters than LoRA's are PEFT's, beside whole weights of Hugging Face's modules or Liger's, and DoRA is a kind of LoRA")

BROKEN_IF(rule_optimizer_not_offered, plan_has_bitsandbytes(p),
    "Megatron has no optimizer of bitsandbytes: Adam with moments in fewer bits there is precision-aware")

BROKEN_IF(rule_trainer_without_pipeline,
    p->parallel.pp > 1 && (modules_eager(p) || plan_has_rl(p)),
    "PP %lld: %s split no layers over a pipeline", N(p->parallel.pp),
    modules_eager(p) ? "trainers of Hugging Face's modules" : "trainers of rollouts on FSDP or ZeRO")

BROKEN_IF(rule_out_proj_refused,
    pattern_count(p->model.layer_pattern, 0, p->model.layers, "M") != 0 &&
    (adapters_targets(p) & TARGET_OUT_PROJ) != 0,
    "PEFT refuses adapters of Mamba's out_proj, whose weight the kernel reads by itself: name the others, in_proj among them")

BROKEN_IF(rule_saved_sharded, adapters_saved(p) != 0 && p->parallel.zero_stage >= 3,
    "embedding or head is held twice, as it was and as it is trained, and ZeRO-3 gathers both")

BREAKS(rule_tuning_off)
{
	const struct plan *p = f->plan;

	if (p->finetune.method != FINETUNE_NONE)
		return false;
	for (enum field_id id = FIELD_FINETUNE; id <= FIELD_PACKING; id++)
		if (field_is_chosen(id, p))
			return BROKEN("%s has no effect: nothing is fine-tuned", field_table[id].path);
	return false;
}
