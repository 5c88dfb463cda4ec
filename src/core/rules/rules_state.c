/*
 * rules_state.c - rules of sharded state: ZeRO stages, its copies, optimizers and offload.
 */
#include "core/framework/framework.h"
#include "core/plan/format.h"
#include "core/rules/check_rules.h"

bool
rule_fp8_gather_without_zero(const struct facts *f, char *message, size_t size)
{
	if (!f->plan->training.fp8_param_gather || f->plan->parallel.zero_stage > 0)
		return false;
	return BROKEN("FP8 parameters need the distributed optimizer or FSDP");
}

bool
rule_fp8_gather_without_fp8(const struct facts *f, char *message, size_t size)
{
	if (!f->plan->training.fp8_param_gather || format_of(f->plan).quantised)
		return false;
	return BROKEN("FP8 parameters need precision fp8, fp8-block, mxfp8 or nvfp4");
}

/* ZeRO-Offload is of ZeRO; FSDP2 moves all or nothing; nanotron moves nothing. */
bool
rule_offload_not_supported(const struct facts *f, char *message, size_t size)
{
	const struct parallel *par = &f->plan->parallel;
	const unsigned rules = framework_of(f->plan)->rules;

	if (par->offload == OFFLOAD_NONE)
		return false;
	if ((rules & RULES_NANOTRON) != 0)
		return BROKEN("nanotron keeps all state on the GPU");
	if (par->zero_stage == 0)
		return BROKEN("what goes to the host is the sharded state, and ZeRO-0 shards nothing");
	return (rules & RULES_TORCHTITAN) != 0 && par->offload == OFFLOAD_OPTIMIZER &&
	       BROKEN("FSDP2 offloads parameters with their optimizer or nothing");
}

bool
rule_precision_without_adam(const struct facts *f, char *message, size_t size)
{
	const struct training *t = &f->plan->training;

	if (!t->precision_aware_optimizer || t->optimizer == OPTIMIZER_ADAM)
		return false;
	return BROKEN("the precision-aware optimizer is Adam");
}

bool
rule_offload_with_fp8_params(const struct facts *f, char *message, size_t size)
{
	const struct plan *p = f->plan;

	if (p->parallel.offload == OFFLOAD_NONE || !p->training.fp8_param_gather ||
	    p->training.precision <= PRECISION_FP8)
		return false;
	return BROKEN("FP8 parameters go with an offloaded optimizer in precision fp8 alone (delayed scaling)");
}

bool
rule_instances_without_shards(const struct facts *f, char *message, size_t size)
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

bool
rule_fsdp_optimizer(const struct facts *f, char *message, size_t size)
{
	const int64_t optimizer = f->plan->training.optimizer;

	if (f->plan->parallel.zero_stage < 2 || optimizer == OPTIMIZER_ADAM || optimizer == OPTIMIZER_SGD)
		return false;
	return BROKEN("Megatron-FSDP (ZeRO 2 and 3) takes adam or sgd");
}

bool
rule_offload_without_precision(const struct facts *f, char *message, size_t size)
{
	if (f->plan->parallel.offload == OFFLOAD_NONE || f->plan->training.precision_aware_optimizer)
		return false;
	return BROKEN("offloading the optimizer needs the precision-aware optimizer");
}

bool
rule_zero_with_pipeline(const struct facts *f, char *message, size_t size)
{
	if (f->plan->parallel.pp <= 1 || f->plan->parallel.zero_stage < 2)
		return false;
	return BROKEN("ZeRO-2 and ZeRO-3 are incompatible with pipeline parallelism");
}

bool
rule_moe_with_zero3(const struct facts *f, char *message, size_t size)
{
	const struct parallel *par = &f->plan->parallel;

	/* without EP experts are parameters like others; AutoEP splits them over plain ranks */
	if (!plan_has_experts(f->plan) || par->zero_stage < 3 || par->ep <= 1 ||
	    (par->tp <= 1 && par->cp <= 1 && par->dp_replicate <= 1))
		return false;
	return BROKEN("EP with ZeRO-3 goes with neither TP (%lld), sequence parallel (%lld) nor MiCS (%lld)",
	    N(par->tp), N(par->cp), N(par->dp_replicate));
}

/* MiCS shards within groups of the data parallel ranks. */
bool
rule_copies_do_not_divide(const struct facts *f, char *message, size_t size)
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

bool
rule_copies_without_zero3(const struct facts *f, char *message, size_t size)
{
	const struct parallel *par = &f->plan->parallel;

	if (par->dp_replicate <= 1 || par->zero_stage == 3)
		return false;
	return BROKEN("DeepSpeed keeps copies of the sharded state (MiCS) with ZeRO-3 alone, not with ZeRO-%lld",
	    N(par->zero_stage));
}

bool
rule_copies_offloaded(const struct facts *f, char *message, size_t size)
{
	if (f->plan->parallel.dp_replicate <= 1 || f->plan->parallel.offload == OFFLOAD_NONE)
		return false;
	return BROKEN("copies of the sharded state (MiCS) go without offload to host memory");
}

bool
rule_copies_have_no_meaning(const struct facts *f, char *message, size_t size)
{
	if (f->plan->parallel.dp_replicate <= 1)
		return false;
	return BROKEN("this layout shards over all data parallel ranks, without copies of what is sharded");
}

bool
rule_nanotron_zero(const struct facts *f, char *message, size_t size)
{
	if (f->plan->parallel.zero_stage <= 1)
		return false;
	return BROKEN("nanotron builds ZeRO-1 whatever the stage");
}
