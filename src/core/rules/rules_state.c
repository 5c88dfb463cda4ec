/*
 * rules_state.c - rules of sharded state: ZeRO stages, its copies, optimizers and offload.
 */
#include "core/framework/framework.h"
#include "core/plan/format.h"
#include "core/rules/check_rules.h"

BROKEN_IF(rule_fp8_gather_without_zero,
    p->training.fp8_param_gather && p->parallel.zero_stage <= 0,
    "FP8 parameters need the distributed optimizer or FSDP")

BROKEN_IF(rule_fp8_gather_without_fp8, p->training.fp8_param_gather && !format_of(p).quantised,
    "FP8 parameters need precision fp8, fp8-block, mxfp8 or nvfp4")

BROKEN_IF(rule_offload_not_supported, p->parallel.offload != OFFLOAD_NONE,
    "nanotron keeps all state on the GPU")

BROKEN_IF(rule_precision_without_adam,
    p->training.precision_aware_optimizer && p->training.optimizer != OPTIMIZER_ADAM,
    "the precision-aware optimizer is Adam")

BROKEN_IF(rule_offload_with_fp8_params,
    p->parallel.offload != OFFLOAD_NONE && p->training.fp8_param_gather &&
    p->training.precision > PRECISION_FP8,
    "FP8 parameters go with an offloaded optimizer in precision fp8 alone (delayed scaling)")

BREAKS(rule_instances_without_shards)
{
	const struct plan *p = f->plan;

	if (p->parallel.dp_replicate <= 1)
		return false;
	if (p->parallel.zero_stage == 0)
		return BROKEN("%lld instances of the distributed optimizer, and nothing is sharded (ZeRO-0)",
		    N(p->parallel.dp_replicate));
	return p->training.optimizer == OPTIMIZER_MUON &&
	       BROKEN("Muon hands out whole layers over all data parallel ranks, not within %lld instances",
	           N(p->parallel.dp_replicate));
}

BROKEN_IF(rule_fsdp_optimizer,
    p->parallel.zero_stage >= 2 && p->training.optimizer != OPTIMIZER_ADAM &&
    p->training.optimizer != OPTIMIZER_SGD,
    "Megatron-FSDP (ZeRO 2 and 3) takes adam or sgd")

BREAKS(rule_offload_without_shards)
{
	const struct parallel *par = &f->plan->parallel;
	const bool params = par->offload == OFFLOAD_OPTIMIZER_PARAMS;
	const bool buckets = framework_of(f->plan)->working.buckets;

	if (par->offload == OFFLOAD_NONE)
		return false;
	if (!buckets && !params)
		return BROKEN("FSDP offloads parameters with the optimizer, or nothing");
	if (par->zero_stage >= (buckets && params ? 3 : 1))
		return false;
	return BROKEN("%s offloads %s that it shards: ZeRO %lld does not",
	    buckets ? "DeepSpeed" : "FSDP", params ? "parameters" : "an optimizer",
	    N(par->zero_stage));
}

BROKEN_IF(rule_drives_not_offered,
    p->parallel.offload != OFFLOAD_NONE && p->parallel.offload_to != OFFLOAD_TO_HOST,
    "offloaded state stays in host memory: DeepSpeed alone has it on NVMe drives")

BROKEN_IF(rule_drives_without_zero3,
    p->parallel.offload != OFFLOAD_NONE && p->parallel.offload_to != OFFLOAD_TO_HOST &&
    p->parallel.zero_stage < 3,
    "DeepSpeed has state on NVMe drives with ZeRO 3 alone: ZeRO %lld keeps it in host memory",
    N(p->parallel.zero_stage))

BROKEN_IF(rule_drives_hold_nothing,
    p->parallel.offload_to != OFFLOAD_TO_HOST && p->parallel.offload == OFFLOAD_NONE,
    "nothing is offloaded that could be on NVMe drives: parallel.offload says what")

BROKEN_IF(rule_drives_not_timed,
    p->parallel.offload != OFFLOAD_NONE && p->parallel.offload_to != OFFLOAD_TO_HOST &&
    p->cluster.nvme_gbps <= 0,
    "the step has no time for NVMe drives: set cluster.nvme_gbps to what those of a node read and "
    "write together")

BROKEN_IF(rule_offload_without_precision,
    p->parallel.offload != OFFLOAD_NONE && !p->training.precision_aware_optimizer,
    "offloading the optimizer needs the precision-aware optimizer")

BROKEN_IF(rule_zero_with_pipeline, p->parallel.pp > 1 && p->parallel.zero_stage >= 2,
    "ZeRO-2 and ZeRO-3 are incompatible with pipeline parallelism")

/* Without EP experts are parameters like others; AutoEP splits them over plain ranks. */
BROKEN_IF(rule_moe_with_zero3,
    plan_has_experts(p) && p->parallel.zero_stage >= 3 && p->parallel.ep > 1 &&
    (p->parallel.tp > 1 || p->parallel.cp > 1 || p->parallel.dp_replicate > 1),
    "EP with ZeRO-3 goes with neither TP (%lld), sequence parallel (%lld) nor MiCS (%lld)",
    N(p->parallel.tp), N(p->parallel.cp), N(p->parallel.dp_replicate))

/* MiCS shards within groups of the data parallel ranks. */
BREAKS(rule_copies_do_not_divide)
{
	const struct parallel *par = &f->plan->parallel;
	int64_t ranks;

	if (f->layout == NULL || par->dp_replicate < 1)
		return false;
	ranks = f->layout->dp * par->cp;
	if (ranks % par->dp_replicate == 0)
		return false;
	return BROKEN("%lld data parallel ranks are not divisible by %lld copies of the sharded state", N(ranks),
	    N(par->dp_replicate));
}

BROKEN_IF(rule_copies_without_zero3,
    p->parallel.dp_replicate > 1 && p->parallel.zero_stage != 3,
    "DeepSpeed keeps copies of the sharded state (MiCS) with ZeRO-3 alone, not with ZeRO-%lld",
    N(p->parallel.zero_stage))

BROKEN_IF(rule_copies_offloaded,
    p->parallel.dp_replicate > 1 && p->parallel.offload != OFFLOAD_NONE,
    "copies of the sharded state (MiCS) go without offload to host memory")

BROKEN_IF(rule_copies_have_no_meaning, p->parallel.dp_replicate > 1,
    "this layout shards over all data parallel ranks, without copies of what is sharded")

BROKEN_IF(rule_release_not_said,
    p->parallel.release == 0 && framework_zero(p) == 3 && framework_of(p)->prefetch_since > 0,
    "no release is named: ZeRO-3 gathers ahead as today's does; before release %lld each parameter was "
    "gathered as its layer began", N(framework_of(p)->prefetch_since))

BROKEN_IF(rule_nanotron_zero, p->parallel.zero_stage > 1,
    "nanotron builds ZeRO-1 whatever the stage")
