/* The web application that this project grew from: its five functions equal Megatron's default
 * order, and it says nothing of memory or time, which are Megatron's. */
#include "core/framework/framework.h"
#include "core/framework/megatron.h"
#include "core/layout_build.h"

static bool
seed_lay_out(struct layout *l, const struct plan *p, struct diag_list *diags)
{
	static const struct kind_row kinds[] = {
		{ "dp", "dp", 0 }, { "dp_cp", "dp cp", 0 }, { "tp", "tp", 0 }, { "pp", "pp", 0 },
		{ "cp", "cp", 0 }, { "mp", "tp pp", 0 }, { NULL, NULL, 0 }
	};
	const struct parallel *par = &p->parallel;
	const int64_t model = product(product(par->tp, par->pp), par->cp);

	if (l->world % model != 0) {
		diag_add(diags, SEVERITY_ERROR, FIELD_TP, "world_not_divisible",
		    "Megatron-LM megatron/core/parallel_state.py",
		    "%lld GPUs are not divisible by PP %lld x TP %lld x CP %lld = %lld", (long long)l->world,
		    (long long)par->pp, (long long)par->tp, (long long)par->cp, (long long)model);
		return false;
	}
	if (par->ep > 1) {
		diag_add(diags, SEVERITY_ERROR, FIELD_EP, "ep_not_supported",
		    "Megatron-LM megatron/core/parallel_state.py",
		    "the seed layout has no expert parallel groups: choose another layout");
		return false;
	}
	l->dp = l->world / model;
	layout_add_axes(l, (const struct axis_row[]){ { "tp", par->tp }, { "cp", par->cp },
	    { "dp", l->dp }, { "pp", par->pp }, { NULL, 0 } });
	layout_add_kinds(l, kinds);
	return true;
}

const struct framework framework_seed = {
	.rules = RULES_SEED,
	.lay_out = seed_lay_out,
	.place = megatron_place,
	.state = megatron_state,
	.working = MEGATRON_FSDP,
};
