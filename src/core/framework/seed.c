/* The web application that this project grew from: its five functions equal Megatron's default
 * order, and it says nothing of memory or time, which are Megatron's. */
#include "core/base/number.h"
#include "core/framework/framework.h"
#include "core/framework/layout_build.h"
#include "core/framework/megatron.h"

static bool
seed_size(struct layout *l, const struct plan *p, struct diag_list *diags)
{
	const struct parallel *par = &p->parallel;
	const int64_t model = product_of(product_of(par->tp, par->pp), par->cp);

	if (l->world % model != 0)
		return LAYOUT_REFUSE(l, model, diags, FIELD_TP, "world_not_divisible", PARALLEL_STATE,
		    "PP %lld x TP %lld x CP %lld", (long long)par->pp, (long long)par->tp, (long long)par->cp);
	if (par->ep > 1)
		return DIAG_REFUSE(diags, FIELD_EP, "ep_not_supported", PARALLEL_STATE,
		    "the seed layout has no expert parallel groups: choose another layout");
	l->dp = l->world / model;
	return true;
}

static void
seed_group(struct layout *l, const struct plan *p)
{
	enum { TP = 1, CP = 2, DP = 4, PP = 8 };
	static const struct kind_row kinds[] = {
		{ "dp", DP, 0 }, { "dp_cp", DP | CP, 0 }, { "tp", TP, 0 }, { "pp", PP, 0 },
		{ "cp", CP, 0 }, { "mp", TP | PP, 0 }, { NULL, 0, 0 }
	};
	const struct parallel *par = &p->parallel;

	layout_add_axes(l, (const struct axis_row[]){ { "tp", par->tp }, { "cp", par->cp },
	    { "dp", l->dp }, { "pp", par->pp }, { NULL, 0 } });
	layout_add_kinds(l, kinds);
}

const struct framework framework_seed = {
	.size = seed_size,
	.group = seed_group,
	.each_layer = { "tp", "cp" },
	.place = megatron_place,
	.state = megatron_state,
	.fuses_since = FRAMEWORK_EVER,
	.tp_beside_since = FRAMEWORK_EVER,
	.working = MEGATRON_FSDP,
	.bucket = MEGATRON_BUCKET,
	.loss = CE_TE,
};
