/*
 * Process groups of NVIDIA/Megatron-LM: megatron/core/parallel_state.py,
 * initialize_model_parallel and RankGenerator. Two grids over the same ranks: the dense
 * one (tp, cp, dp, pp) and the expert one (etp, ep, edp, pp), both in the order that
 * parallel.order gives, fastest first. Checks come in Megatron's own order.
 */
#include <ctype.h>
#include <string.h>

#include "core/framework/framework.h"
#include "core/framework/megatron.h"
#include "core/framework/recipe.h"
#include "core/layout_build.h"
#include "core/text.h"

#define PARALLEL_STATE "Megatron-LM megatron/core/parallel_state.py"

enum { ORDER_TOKENS_MAX = 16, HCP_LEVELS_MAX = 8 };

struct order {
	int count;
	char token[ORDER_TOKENS_MAX][8]; /* lower case */
};

/* The tokens of "tp-cp-ep-dp-pp"; RankGenerator lowercases them. A token that is too long
 * to be an axis is cut, which leaves it unknown. */
static void
order_split(struct order *o, const char *text)
{
	o->count = 0;
	while (o->count < ORDER_TOKENS_MAX) {
		size_t length = strcspn(text, "-"), n = 0;
		char *token = o->token[o->count++];

		for (; n < length && n + 1 < sizeof o->token[0]; n++)
			token[n] = (char)tolower((unsigned char)text[n]);
		token[n] = '\0';
		if (text[length] == '\0')
			return;
		text += length + 1;
	}
}

static bool
order_has(const struct order *o, const char *axis)
{
	for (int i = 0; i < o->count; i++)
		if (text_equal(o->token[i], axis))
			return true;
	return false;
}

struct named_size {
	const char *token; /* as in the order */
	const char *axis;  /* as in the grid */
	int64_t size;
};

/* RankGenerator.__init__: an axis that the order leaves out must have size 1. Leaving out
 * tp never works: the test for it finds "tp" inside the injected "gtp_remat" and fails
 * later. */
static bool
order_covers(const struct order *o, const struct named_size *size, int n, const char *text,
    struct diag_list *diags)
{
	for (int i = 0; i < n; i++) {
		bool must = size[i].size != 1 || text_equal(size[i].token, "tp");
		struct diag *d;

		if (order_has(o, size[i].token) || !must)
			continue;
		d = diag_add(diags, SEVERITY_ERROR, FIELD_ORDER, "order_missing_axis", PARALLEL_STATE,
		    "%s is %lld, but the order (%s) does not name it", size[i].axis,
		    (long long)size[i].size, text);
		if (d != NULL) {
			d->fix_field = FIELD_ORDER;
			text_put(d->fix_value, sizeof d->fix_value, "tp-cp-ep-dp-pp");
		}
		return false;
	}
	return true;
}

static bool
order_known(const struct order *o, const char *text, struct diag_list *diags)
{
	static const char *const axes[] = { "tp", "cp", "ep", "dp", "pp" };

	for (int i = 0; i < o->count; i++) {
		bool known = false, again = false;
		struct diag *d;

		for (size_t k = 0; k < sizeof axes / sizeof *axes; k++)
			known |= text_equal(axes[k], o->token[i]);
		for (int j = 0; j < i; j++)
			again |= text_equal(o->token[j], o->token[i]);
		if (known && !again)
			continue;
		/* Megatron takes a repeated axis and then makes ranks beyond the world. */
		d = diag_add(diags, SEVERITY_ERROR, FIELD_ORDER,
		    known ? "order_repeated_axis" : "order_unknown_axis", PARALLEL_STATE,
		    known ? "the order (%s) names %s twice" : "the order (%s) names %s, which is none of tp, cp, ep, dp, pp",
		    text, o->token[i]);
		if (d != NULL) {
			d->fix_field = FIELD_ORDER;
			text_put(d->fix_value, sizeof d->fix_value, "tp-cp-ep-dp-pp");
		}
		return false;
	}
	return true;
}

/* Add the axes in the order of the tokens; those of size 1 that it leaves out come last. */
static int
add_ordered(struct layout *l, const struct order *o, const struct named_size *size, int n)
{
	const int grid = layout_add_grid(l);

	for (int t = 0; t < o->count; t++)
		for (int i = 0; i < n; i++)
			if (text_equal(o->token[t], size[i].token))
				layout_add_axis(l, grid, size[i].axis, size[i].size);
	for (int i = 0; i < n; i++)
		if (!order_has(o, size[i].token))
			layout_add_axis(l, grid, size[i].axis, size[i].size);
	return grid;
}

/*
 * The grid again with one axis cut into parts, fastest first, and a kind for each part.
 * Megatron lists them by the groups that they are parts of (create_hierarchical_groups).
 */
static void
add_parts(struct layout *l, int grid, const char *axis, const char *const kinds[],
    const int64_t sizes[], int parts)
{
	const int copy = layout_add_grid(l);
	uint32_t all = 0;

	for (int i = 0; i < l->grid[grid].axes; i++) {
		const struct axis *a = &l->grid[grid].axis[i];

		if (!text_equal(a->name, axis))
			layout_add_axis(l, copy, a->name, a->size);
		else
			for (int k = 0; k < parts; k++)
				layout_add_axis(l, copy, kinds[k], sizes[k]);
	}
	for (int k = 0; k < parts; k++)
		all |= layout_mask(l, copy, kinds[k]);
	for (int k = 0; k < parts; k++) {
		struct group_kind *kind = layout_add_kind(l, copy, kinds[k], kinds[k]);

		kind->inner = all & ~kind->mask;
	}
}

/* Two-level context parallel: sizes of the levels, innermost first. */
struct hierarchy {
	int levels; /* 0: CP has one level */
	int64_t size[HCP_LEVELS_MAX];
};

/* Parse "2x4". False when malformed. */
static bool
hierarchy_parse(struct hierarchy *h, const char *text)
{
	for (h->levels = 0; h->levels < HCP_LEVELS_MAX;) {
		size_t length = strcspn(text, "x");
		char number[24];

		if (length >= sizeof number)
			return false;
		text_put(number, sizeof number, "%.*s", (int)length, text);
		if (!text_to_int(number, &h->size[h->levels]) || h->size[h->levels] < 1)
			return false;
		h->levels++;
		if (text[length] == '\0')
			return true;
		text += length + 1;
	}
	return false;
}

static bool
hierarchy_fits(struct hierarchy *h, const struct parallel *par, struct diag_list *diags)
{
	int64_t cp = 1;

	h->levels = 0;
	if (par->hierarchical_cp[0] == '\0')
		return true;
	if (!hierarchy_parse(h, par->hierarchical_cp)) {
		diag_add(diags, SEVERITY_ERROR, FIELD_HIERARCHICAL_CP, "hcp_syntax", PARALLEL_STATE,
		    "write up to %d sizes joined by x, innermost first, such as 2x4", HCP_LEVELS_MAX);
		return false;
	}
	for (int i = 0; i < h->levels; i++)
		cp = product(cp, h->size[i]);
	if (cp == par->cp)
		return true;
	diag_add(diags, SEVERITY_ERROR, FIELD_HIERARCHICAL_CP, "hcp_product", PARALLEL_STATE,
	    "the sizes %s multiply to %lld, not to CP %lld", par->hierarchical_cp, (long long)cp,
	    (long long)par->cp);
	return false;
}

static void
add_hierarchy_kinds(struct layout *l, const struct hierarchy *h)
{
	static const char *const kinds[HCP_LEVELS_MAX] = {
		"hcp_l0", "hcp_l1", "hcp_l2", "hcp_l3", "hcp_l4", "hcp_l5", "hcp_l6", "hcp_l7"
	};

	if (h->levels > 0)
		add_parts(l, 0, "cp", kinds, h->size, h->levels);
}

static void
add_dense_kinds(struct layout *l, int64_t instances)
{
	static const struct kind_row first[] = {
		{ "tp", "tp", 0 }, { "cp", "cp", 0 }, { "pp", "pp", 0 }, { "dp", "dp", 0 },
		{ "dp_cp", "dp cp", 0 }, { NULL, NULL, 0 }
	};
	static const struct kind_row then[] = {
		{ "mp", "tp pp", 0 }, { "tp_cp", "tp cp", 0 }, { "tp_dp", "tp dp", 0 },
		{ "tp_dp_cp", "tp dp cp", 0 }, { NULL, NULL, 0 }
	};
	struct group_kind *k;

	layout_add_kinds(l, first);
	if (instances > 1) {
		k = layout_add_kind(l, 0, "dp_cp_intra", "dp cp");
		k->shape = GROUP_CHUNK;
		k->chunks = instances;
	}
	layout_add_kinds(l, then);
	k = layout_add_kind(l, 0, "embd", "pp");
	k->shape = GROUP_ENDS;
	k = layout_add_kind(l, 0, "pos_embd", "pp");
	k->shape = GROUP_FIRST;
}

static void
add_expert_kinds(struct layout *l, int grid, int64_t instances)
{
	static const char *const parts[] = { "edp_intra", "edp_inter" };

	layout_add_kind(l, grid, "ep", "ep");
	layout_add_kind(l, grid, "etp", "etp");
	layout_add_kind(l, grid, "edp", "edp");
	layout_add_kind(l, grid, "etp_ep", "etp ep");
	layout_add_kind(l, grid, "etp_ep_pp", "etp ep pp");
	if (instances > 1) {
		const int64_t sizes[] = { l->edp / instances, instances };

		add_parts(l, grid, "edp", parts, sizes, 2);
	}
}

/* Sizes that do not divide the world: RuntimeErrors of initialize_model_parallel. */
static bool
divides(struct layout *l, const struct parallel *par, struct diag_list *diags)
{
	const int64_t model = product(product(par->tp, par->pp), par->cp);

	if (l->world % model != 0) {
		diag_add(diags, SEVERITY_ERROR, FIELD_TP, "world_not_divisible", PARALLEL_STATE,
		    "%lld GPUs are not divisible by TP %lld x PP %lld x CP %lld = %lld",
		    (long long)l->world, (long long)par->tp, (long long)par->pp, (long long)par->cp,
		    (long long)model);
		return false;
	}
	l->dp = l->world / model;
	if (par->vpp > 1 && par->pp == 1) {
		diag_add(diags, SEVERITY_ERROR, FIELD_VPP, "vpp_needs_pp", PARALLEL_STATE,
		    "VPP %lld interleaves pipeline stages, and PP is 1", (long long)par->vpp);
		return false;
	}
	return true;
}

static bool
expert_divides(struct layout *l, const struct parallel *par, struct diag_list *diags)
{
	const int64_t model = product(product(par->etp, par->ep), par->pp);

	if (l->world % model != 0) {
		diag_add(diags, SEVERITY_ERROR, FIELD_EP, "expert_world_not_divisible", PARALLEL_STATE,
		    "%lld GPUs are not divisible by ETP %lld x EP %lld x PP %lld = %lld",
		    (long long)l->world, (long long)par->etp, (long long)par->ep, (long long)par->pp,
		    (long long)model);
		return false;
	}
	l->edp = l->world / model;
	return true;
}

/* Dense and expert part must agree on who is in which pipeline. */
static bool
pipelines_agree(const struct layout *l, const struct parallel *par, int expert,
    struct diag_list *diags)
{
	const size_t length = strlen(par->order);
	/* Megatron compares the text as given, before it lowercases it. */
	const bool pp_last = length >= 2 && text_equal(par->order + length - 2, "pp");
	const struct axis *dense_pp = &l->grid[0].axis[layout_axis(l, 0, "pp")];
	const struct axis *expert_pp = &l->grid[expert].axis[layout_axis(l, expert, "pp")];

	if (par->pp == 1)
		return true;
	if (!pp_last && l->edp != l->dp) {
		diag_add(diags, SEVERITY_ERROR, FIELD_ORDER, "dp_mismatch_non_pp_last", PARALLEL_STATE,
		    "the order %s does not end in pp: then DP %lld and expert DP %lld must be equal",
		    par->order, (long long)l->dp, (long long)l->edp);
		return false;
	}
	if (dense_pp->stride != expert_pp->stride) {
		diag_add(diags, SEVERITY_ERROR, FIELD_ORDER, "pp_groups_differ", PARALLEL_STATE,
		    "with the order %s the dense part has pipelines of stride %lld, the experts of stride %lld",
		    par->order, (long long)dense_pp->stride, (long long)expert_pp->stride);
		return false;
	}
	return true;
}

static bool
instances_divide(const struct layout *l, const struct parallel *par, struct diag_list *diags)
{
	if (product(l->dp, par->cp) % par->dp_replicate == 0)
		return true;
	diag_add(diags, SEVERITY_ERROR, FIELD_DP_REPLICATE, "doi_dp_cp", PARALLEL_STATE,
	    "DP %lld x CP %lld is not divisible by %lld distributed optimizer instances",
	    (long long)l->dp, (long long)par->cp, (long long)par->dp_replicate);
	return false;
}

static bool
expert_instances_divide(const struct layout *l, const struct parallel *par, struct diag_list *diags)
{
	if (l->edp % par->dp_replicate == 0)
		return true;
	diag_add(diags, SEVERITY_ERROR, FIELD_DP_REPLICATE, "doi_edp", PARALLEL_STATE,
	    "expert DP %lld is not divisible by %lld distributed optimizer instances",
	    (long long)l->edp, (long long)par->dp_replicate);
	return false;
}

static bool
megatron_lay_out(struct layout *l, const struct plan *p, struct diag_list *diags)
{
	const struct parallel *par = &p->parallel;
	struct hierarchy hierarchy;
	struct order order;
	int expert;

	if (!divides(l, par, diags))
		return false;
	order_split(&order, par->order);
	const struct named_size dense_sizes[] = {
		{ "tp", "tp", par->tp }, { "cp", "cp", par->cp },
		{ "dp", "dp", l->dp }, { "pp", "pp", par->pp },
	};
	if (!order_covers(&order, dense_sizes, 4, par->order, diags) ||
	    !order_known(&order, par->order, diags) || !expert_divides(l, par, diags))
		return false;
	const struct named_size expert_sizes[] = {
		{ "tp", "etp", par->etp }, { "ep", "ep", par->ep },
		{ "dp", "edp", l->edp }, { "pp", "pp", par->pp },
	};
	if (!order_covers(&order, expert_sizes, 4, par->order, diags))
		return false;
	add_ordered(l, &order, dense_sizes, 4);
	expert = add_ordered(l, &order, expert_sizes, 4);
	if (!pipelines_agree(l, par, expert, diags) || !instances_divide(l, par, diags) ||
	    !hierarchy_fits(&hierarchy, par, diags) || !expert_instances_divide(l, par, diags))
		return false;
	add_dense_kinds(l, par->dp_replicate);
	add_expert_kinds(l, expert, par->dp_replicate);
	add_hierarchy_kinds(l, &hierarchy);
	return true;
}

/* ---- state -------------------------------------------------------------------------- */

void
megatron_state(struct recipe *r, const struct plan *p)
{
	static const struct recipe_sources from = {
		"Megatron-LM docs/user-guide/features/dist_optimizer.md",
		"Megatron-LM megatron/core/distributed/param_and_grad_buffer.py",
		"Megatron-LM megatron/core/optimizer/distrib_optimizer.py",
	};

	recipe_mixed(r, p, &from);
	if (p->training.optimizer == OPTIMIZER_MUON) {
		/* whole matrices are handed out to ranks, the rest is left to plain Adam */
		r->whole_rest = true;
		r->optimizer_source = "Megatron-LM megatron/core/optimizer/layer_wise_optimizer.py";
	}
	recipe_offload(r, p, false, false);
}

const struct framework framework_megatron = {
	.rules = RULES_MEGATRON,
	.lay_out = megatron_lay_out,
	.place = megatron_place,
	.state = megatron_state,
	.etp_follows_tp = true,
	.vocab = VOCAB_TO_MULTIPLE,
	.transformer_engine = true,
	.working = MEGATRON_FSDP,
};
