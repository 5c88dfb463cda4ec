/*
 * Process groups of NVIDIA/Megatron-LM: megatron/core/parallel_state.py,
 * initialize_model_parallel and RankGenerator. Two grids over the same ranks: the dense
 * one (tp, cp, dp, pp) and the expert one (etp, ep, edp, pp), both in the order that
 * parallel.order gives, fastest first. Checks come in Megatron's own order.
 */
#include <ctype.h>
#include <string.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/framework/framework.h"
#include "core/framework/layout_build.h"
#include "core/framework/megatron.h"

/* What an order names. The dense grid has no axis of experts, the expert one none of CP. */
enum token { TOKEN_TP, TOKEN_CP, TOKEN_EP, TOKEN_DP, TOKEN_PP, TOKENS, TOKEN_UNKNOWN = TOKENS };

enum { ORDER_TOKENS_MAX = 16, TOKEN_SIZE = 8, HCP_LEVELS_MAX = 8 };

struct order {
	int count;
	enum token token[ORDER_TOKENS_MAX];
	unsigned named; /* bit t: token t is among them */
};

static enum token
token_of(const char *text, size_t length)
{
	static const char letters[TOKENS] = { 't', 'c', 'e', 'd', 'p' };
	const int first = tolower((unsigned char)text[0]);

	if (length == 2 && tolower((unsigned char)text[1]) == 'p')
		for (int t = 0; t < TOKENS; t++)
			if (letters[t] == first)
				return (enum token)t;
	return TOKEN_UNKNOWN;
}

/* The tokens of "tp-cp-ep-dp-pp"; RankGenerator lowercases them. */
static void
order_split(struct order *o, const char *text)
{
	o->count = 0;
	o->named = 0;
	while (o->count < ORDER_TOKENS_MAX) {
		size_t length = 0;

		while (text[length] != '-' && text[length] != '\0')
			length++;
		o->named |= 1U << (o->token[o->count++] = token_of(text, length));
		if (text[length] == '\0')
			return;
		text += length + 1;
	}
}

/* The i-th token as it stands in the order, in lower case and cut where it is too long to be
 * an axis. */
static void
order_word(const char *order, int i, char word[TOKEN_SIZE])
{
	size_t n = 0;

	for (; i > 0; i--)
		order += strcspn(order, "-") + 1;
	for (; order[n] != '-' && order[n] != '\0' && n + 1 < TOKEN_SIZE; n++)
		word[n] = (char)tolower((unsigned char)order[n]);
	word[n] = '\0';
}

static bool
order_has(const struct order *o, enum token t)
{
	return (o->named >> t & 1) != 0;
}

/* The axes of one grid by the tokens that stand for them; without a name where it has none. */
struct axes {
	const char *name[TOKENS];
	int64_t size[TOKENS];
};

static struct axes
dense_axes(const struct layout *l, const struct parallel *par)
{
	return (struct axes){ { "tp", "cp", NULL, "dp", "pp" },
		{ par->tp, par->cp, 1, l->dp, par->pp } };
}

static struct axes
expert_axes(const struct layout *l, const struct parallel *par)
{
	return (struct axes){ { "etp", NULL, "ep", "edp", "pp" },
		{ par->etp, 1, par->ep, l->edp, par->pp } };
}

static void
fix_order(struct diag *d)
{
	if (d == NULL)
		return;
	d->fix_field = FIELD_ORDER;
	text_put(d->fix_value, sizeof d->fix_value, "tp-cp-ep-dp-pp");
}

/* RankGenerator.__init__: an axis that the order leaves out must have size 1. Leaving out
 * tp never works: the test for it finds "tp" inside the injected "gtp_remat" and fails
 * later. */
static bool
order_covers(const struct order *o, const struct axes *a, const char *text,
    struct diag_list *diags)
{
	for (int t = 0; t < TOKENS; t++) {
		if (a->name[t] == NULL || order_has(o, (enum token)t) ||
		    (a->size[t] == 1 && t != TOKEN_TP))
			continue;
		fix_order(diag_add(diags, SEVERITY_ERROR, FIELD_ORDER, "order_missing_axis",
		    PARALLEL_STATE, "%s is %lld, but the order (%s) does not name it", a->name[t],
		    (long long)a->size[t], text));
		return false;
	}
	return true;
}

static bool
order_known(const struct order *o, const char *text, struct diag_list *diags)
{
	unsigned before = 0;

	for (int i = 0; i < o->count; i++) {
		const enum token t = o->token[i];
		char word[TOKEN_SIZE];

		if (t != TOKEN_UNKNOWN && (before >> t & 1) == 0) {
			before |= 1U << t;
			continue;
		}
		order_word(text, i, word);
		/* Megatron takes a repeated axis and then makes ranks beyond the world. */
		fix_order(diag_add(diags, SEVERITY_ERROR, FIELD_ORDER,
		    t != TOKEN_UNKNOWN ? "order_repeated_axis" : "order_unknown_axis", PARALLEL_STATE,
		    t != TOKEN_UNKNOWN ? "the order (%s) names %s twice" :
		    "the order (%s) names %s, which is none of tp, cp, ep, dp, pp", text, word));
		return false;
	}
	return true;
}

/* How far apart the ranks of a pipeline are: all that stands before it in the order. */
static int64_t
pipeline_stride(const struct order *o, const struct axes *a)
{
	int64_t stride = 1;

	for (int i = 0; i < o->count && o->token[i] != TOKEN_PP; i++)
		stride *= a->size[o->token[i]];
	return stride;
}

/* One grid in the layout: the bit that stands for the axis of each token. */
struct ordered {
	int grid;
	uint32_t bit[TOKENS];
};

static void
add_ordered_axis(struct layout *l, struct ordered *g, const struct axes *a, enum token t)
{
	if (a->name[t] != NULL)
		g->bit[t] = UINT32_C(1) << layout_add_axis(l, g->grid, a->name[t], a->size[t]);
}

/* Add the axes in the order of the tokens; those of size 1 that it leaves out come last. */
static struct ordered
add_ordered(struct layout *l, const struct order *o, const struct axes *a)
{
	struct ordered g = { .grid = layout_add_grid(l) };

	for (int i = 0; i < o->count; i++)
		add_ordered_axis(l, &g, a, o->token[i]);
	for (int t = 0; t < TOKENS; t++)
		if (!order_has(o, (enum token)t))
			add_ordered_axis(l, &g, a, (enum token)t);
	return g;
}

/*
 * The grid again with one axis cut into parts, fastest first, and a kind for each part.
 * Megatron lists them by the groups that they are parts of (create_hierarchical_groups).
 */
static void
add_parts(struct layout *l, const struct ordered *g, enum token cut, const char *const kinds[],
    const int64_t sizes[], int parts)
{
	const int copy = layout_add_grid(l);
	int first = 0;
	uint32_t all;

	for (int i = 0; i < l->grid[g->grid].axes; i++) {
		const struct axis *a = &l->grid[g->grid].axis[i];

		if (g->bit[cut] != UINT32_C(1) << i) {
			layout_add_axis(l, copy, a->name, a->size);
			continue;
		}
		first = i;
		for (int k = 0; k < parts; k++)
			layout_add_axis(l, copy, kinds[k], sizes[k]);
	}
	all = ((UINT32_C(1) << parts) - 1) << first;
	for (int k = 0; k < parts; k++) {
		struct group_kind *kind = layout_add_kind(l, copy, kinds[k], UINT32_C(1) << (first + k));

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
	if (!hierarchy_parse(h, par->hierarchical_cp))
		return DIAG_REFUSE(diags, FIELD_HIERARCHICAL_CP, "hcp_syntax", PARALLEL_STATE,
		    "write up to %d sizes joined by x, innermost first, such as 2x4", HCP_LEVELS_MAX);
	for (int i = 0; i < h->levels; i++)
		cp = product_of(cp, h->size[i]);
	if (cp == par->cp)
		return true;
	return DIAG_REFUSE(diags, FIELD_HIERARCHICAL_CP, "hcp_product", PARALLEL_STATE,
	    "the sizes %s multiply to %lld, not to CP %lld", par->hierarchical_cp, (long long)cp,
	    (long long)par->cp);
}

static void
add_dense_kinds(struct layout *l, const struct ordered *g, int64_t instances)
{
	const uint32_t tp = g->bit[TOKEN_TP], cp = g->bit[TOKEN_CP], dp = g->bit[TOKEN_DP];
	const uint32_t pp = g->bit[TOKEN_PP];

	layout_add_kinds(l, (const struct kind_row[]){ { "tp", tp, 0 }, { "cp", cp, 0 },
	    { "pp", pp, 0 }, { "dp", dp, 0 }, { "dp_cp", dp | cp, 0 }, { NULL, 0, 0 } });
	if (instances > 1) {
		struct group_kind *k = layout_add_kind(l, 0, "dp_cp_intra", dp | cp);

		k->shape = GROUP_CHUNK;
		k->chunks = instances;
	}
	layout_add_kinds(l, (const struct kind_row[]){ { "mp", tp | pp, 0 }, { "tp_cp", tp | cp, 0 },
	    { "tp_dp", tp | dp, 0 }, { "tp_dp_cp", tp | dp | cp, 0 }, { NULL, 0, 0 } });
	layout_add_kind(l, 0, "embd", pp)->shape = GROUP_ENDS;
	layout_add_kind(l, 0, "pos_embd", pp)->shape = GROUP_FIRST;
}

static void
add_expert_kinds(struct layout *l, const struct ordered *g, int64_t instances)
{
	static const char *const parts[] = { "edp_intra", "edp_inter" };
	const uint32_t etp = g->bit[TOKEN_TP], ep = g->bit[TOKEN_EP], edp = g->bit[TOKEN_DP];

	layout_add_kinds(l, (const struct kind_row[]){ { "ep", ep, g->grid }, { "etp", etp, g->grid },
	    { "edp", edp, g->grid }, { "etp_ep", etp | ep, g->grid },
	    { "etp_ep_pp", etp | ep | g->bit[TOKEN_PP], g->grid }, { NULL, 0, 0 } });
	if (instances > 1)
		add_parts(l, g, TOKEN_DP, parts, (const int64_t[]){ l->edp / instances, instances }, 2);
}

/* Sizes that do not divide the world: RuntimeErrors of initialize_model_parallel. */
static bool
divides(struct layout *l, const struct parallel *par, struct diag_list *diags)
{
	const int64_t model = product_of(product_of(par->tp, par->pp), par->cp);

	if (l->world % model != 0)
		return LAYOUT_REFUSE(l, model, diags, FIELD_TP, "world_not_divisible", PARALLEL_STATE,
		    "TP %lld x PP %lld x CP %lld", (long long)par->tp, (long long)par->pp, (long long)par->cp);
	l->dp = l->world / model;
	if (par->vpp > 1 && par->pp == 1)
		return DIAG_REFUSE(diags, FIELD_VPP, "vpp_needs_pp", PARALLEL_STATE,
		    "VPP %lld interleaves pipeline stages, and PP is 1", (long long)par->vpp);
	return true;
}

static bool
expert_divides(struct layout *l, const struct parallel *par, struct diag_list *diags)
{
	const int64_t model = product_of(product_of(par->etp, par->ep), par->pp);

	if (l->world % model != 0)
		return LAYOUT_REFUSE(l, model, diags, FIELD_EP, "expert_world_not_divisible", PARALLEL_STATE,
		    "ETP %lld x EP %lld x PP %lld", (long long)par->etp, (long long)par->ep, (long long)par->pp);
	l->edp = l->world / model;
	return true;
}

/* Dense and expert part must agree on who is in which pipeline. */
static bool
pipelines_agree(const struct layout *l, const struct parallel *par, const struct order *o,
    struct diag_list *diags)
{
	const size_t length = strlen(par->order);
	/* Megatron compares the text as given, before it lowercases it. */
	const bool pp_last = length >= 2 && text_equal(par->order + length - 2, "pp");
	const struct axes dense = dense_axes(l, par), experts = expert_axes(l, par);
	const int64_t stride = pipeline_stride(o, &dense), other = pipeline_stride(o, &experts);

	if (par->pp == 1)
		return true;
	if (!pp_last && l->edp != l->dp)
		return DIAG_REFUSE(diags, FIELD_ORDER, "dp_mismatch_non_pp_last", PARALLEL_STATE,
		    "the order %s does not end in pp: then DP %lld and expert DP %lld must be equal",
		    par->order, (long long)l->dp, (long long)l->edp);
	if (stride != other)
		return DIAG_REFUSE(diags, FIELD_ORDER, "pp_groups_differ", PARALLEL_STATE,
		    "with the order %s the dense part has pipelines of stride %lld, the experts of stride %lld",
		    par->order, (long long)stride, (long long)other);
	return true;
}

static bool
instances_divide(const struct layout *l, const struct parallel *par, struct diag_list *diags)
{
	if (product_of(l->dp, par->cp) % par->dp_replicate == 0)
		return true;
	return DIAG_REFUSE(diags, FIELD_DP_REPLICATE, "doi_dp_cp", PARALLEL_STATE,
	    "DP %lld x CP %lld is not divisible by %lld distributed optimizer instances",
	    (long long)l->dp, (long long)par->cp, (long long)par->dp_replicate);
}

static bool
expert_instances_divide(const struct layout *l, const struct parallel *par, struct diag_list *diags)
{
	if (l->edp % par->dp_replicate == 0)
		return true;
	return DIAG_REFUSE(diags, FIELD_DP_REPLICATE, "doi_edp", PARALLEL_STATE,
	    "expert DP %lld is not divisible by %lld distributed optimizer instances",
	    (long long)l->edp, (long long)par->dp_replicate);
}

static bool
megatron_size(struct layout *l, const struct plan *p, struct diag_list *diags)
{
	const struct parallel *par = &p->parallel;
	struct hierarchy hierarchy;
	struct order order;
	struct axes axes;

	if (!divides(l, par, diags))
		return false;
	order_split(&order, par->order);
	axes = dense_axes(l, par);
	if (!order_covers(&order, &axes, par->order, diags) ||
	    !order_known(&order, par->order, diags) || !expert_divides(l, par, diags))
		return false;
	axes = expert_axes(l, par);
	return order_covers(&order, &axes, par->order, diags) &&
	    pipelines_agree(l, par, &order, diags) && instances_divide(l, par, diags) &&
	    hierarchy_fits(&hierarchy, par, diags) && expert_instances_divide(l, par, diags);
}

static void
megatron_group(struct layout *l, const struct plan *p)
{
	static const char *const levels[HCP_LEVELS_MAX] = {
		"hcp_l0", "hcp_l1", "hcp_l2", "hcp_l3", "hcp_l4", "hcp_l5", "hcp_l6", "hcp_l7"
	};
	const struct parallel *par = &p->parallel;
	const struct axes dense_sizes = dense_axes(l, par), expert_sizes = expert_axes(l, par);
	struct ordered dense, experts;
	struct hierarchy hierarchy;
	struct order order;

	order_split(&order, par->order);
	dense = add_ordered(l, &order, &dense_sizes);
	experts = add_ordered(l, &order, &expert_sizes);
	add_dense_kinds(l, &dense, par->dp_replicate);
	add_expert_kinds(l, &experts, par->dp_replicate);
	if (par->hierarchical_cp[0] != '\0' && hierarchy_parse(&hierarchy, par->hierarchical_cp))
		add_parts(l, &dense, TOKEN_CP, levels, hierarchy.size, hierarchy.levels);
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
	r->step_copy += r->gradient_copy; /* zero_grad frees it before the next forward pass */
	r->gradient_copy = 0;
	if (p->training.optimizer == OPTIMIZER_MUON) {
		/* whole matrices are handed out to ranks, the rest is left to plain Adam */
		r->whole_rest = true;
		r->optimizer_source = "Megatron-LM megatron/core/optimizer/layer_wise_optimizer.py";
	}
	recipe_offload(r, p, false, false);
}

const struct framework framework_megatron = {
	.size = megatron_size,
	.group = megatron_group,
	.each_layer = { "tp", "cp", "ep", "etp" },
	.place = megatron_place,
	.states_splits = true,
	.state = megatron_state,
	.etp_follows_tp = true,
	.decreases_batch = true,
	.vocab = VOCAB_TO_MULTIPLE,
	.packed_since = 202608, /* megatron/core/models/common/embeddings/rope_utils.py, e4ba3a30f2 */
	.latent_since = 202506, /* megatron/core/fusions/fused_mla_yarn_rope_apply.py, 23e6471569 */
	.fuses_since = 202203, /* megatron/model/language_model.py, 83b1e42f30 and release 3.0 */
	.transformer_engine = true,
	.tp_beside_since = 202111, /* --no-async-tensor-model-parallel-allreduce, 3f65246911 */
	.sends_batch = "Megatron-LM megatron/training/utils.py, get_batch_on_this_tp_rank",
	.working = MEGATRON_FSDP,
	.bucket = MEGATRON_BUCKET,
	.loss = CE_TE,
};
