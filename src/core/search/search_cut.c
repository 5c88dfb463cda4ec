#include "core/search/search_cut.h"

#include <string.h>

#include "core/rules/check.h"
#include "core/rules/check_rules.h"
#include "core/framework/framework.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/plan/pool.h"

enum { READS_MAX = 6 };

/* A size of 0 divides nothing, and every layout refuses it. */
static bool
divides_world(const struct plan *p, int64_t size)
{
	return size > 0 && pool_rest(p) % size == 0;
}

static int64_t
model_size(const struct plan *p)
{
	return product_of(product_of(p->parallel.tp, p->parallel.cp), p->parallel.pp);
}

/* Every layout_init refuses sizes that do not divide the world. */
static bool
world_does_not_divide(const struct facts *f, char *message, size_t size)
{
	(void)message;
	(void)size;
	return !divides_world(f->plan, model_size(f->plan));
}

/* vllm_lay_out: nor does a world that the engines can not share. */
static bool
engines_do_not_divide(const struct facts *f, char *message, size_t size)
{
	(void)message;
	(void)size;
	return !divides_world(f->plan, product_of(model_size(f->plan), f->plan->serving.replicas));
}

/* megatron_lay_out, expert_divides. */
static bool
experts_do_not_divide_world(const struct facts *f, char *message, size_t size)
{
	const struct parallel *par = &f->plan->parallel;

	(void)message;
	(void)size;
	return !divides_world(f->plan, product_of(product_of(par->etp, par->ep), par->pp));
}

/* rule_batch_does_not_divide, with the DP of every layout but vLLM's. */
static bool
batch_does_not_divide(const struct facts *f, char *message, size_t size)
{
	(void)message;
	(void)size;
	return !divides_world(f->plan, model_size(f->plan)) ||
	    check_microbatches(f->plan, pool_rest(f->plan) / model_size(f->plan)) == 0;
}

/* megatron_lay_out, pipelines_agree: an order that does not end in pp. */
static bool
pipelines_differ(const struct facts *f, char *message, size_t size)
{
	const struct parallel *par = &f->plan->parallel;
	const size_t length = strlen(par->order);

	(void)message;
	(void)size;
	return par->pp > 1 && (length < 2 || !text_equal(par->order + length - 2, "pp")) &&
	    product_of(par->tp, par->cp) != product_of(par->etp, par->ep);
}

static bool
layers_have_no_place(const struct facts *f, char *message, size_t size)
{
	(void)message;
	(void)size;
	return f->placement == NULL;
}

/* Where layers are placed all sizes stand before them in the walk: rules of the schedule may
 * look at micro-batches too. */
#define PLACEMENT { FIELD_TP, FIELD_CP, FIELD_MICRO_BATCH_SIZE, FIELD_PP, FIELD_VPP }

#define M RULES_MEGATRON
#define D RULES_DEEPSPEED
#define T RULES_TORCHTITAN
#define O RULES_NANOTRON
#define V RULES_VLLM
#define S RULES_SEED
#define ALL (M | D | T | O | V | S)
#define TRAINERS (M | D | T | O)

/*
 * Errors of check_rules.def, layouts and placement that can be told early. Each reads what
 * never changes in a walk, outer fields, and these inner ones; those that follow them (ETP,
 * sequence parallel) stand by them. The cheapest come first.
 */
static const struct cut {
	rule_function *broken;
	unsigned sets;                     /* enum rule_set */
	enum field_modes modes;
	enum field_id reads[READS_MAX];    /* FIELD_NAME, which is 0, ends them */
} cut_table[] = {
	{ world_does_not_divide, ALL, MODES_BOTH, { FIELD_TP, FIELD_CP, FIELD_PP } },
	{ engines_do_not_divide, V, MODES_BOTH, { FIELD_TP, FIELD_CP, FIELD_PP, FIELD_REPLICAS } },
	{ experts_do_not_divide_world, M, MODES_BOTH, { FIELD_TP, FIELD_ETP, FIELD_EP, FIELD_PP } },
	{ pipelines_differ, M, MODES_BOTH,
	  { FIELD_TP, FIELD_CP, FIELD_ETP, FIELD_EP, FIELD_PP } },
	{ batch_does_not_divide, ALL & ~(unsigned)V, MODES_TRAIN,
	  { FIELD_TP, FIELD_CP, FIELD_PP, FIELD_MICRO_BATCH_SIZE } },
	{ rule_heads_do_not_divide, TRAINERS | V, MODES_BOTH, { FIELD_TP } },
	{ rule_kv_heads_do_not_divide, M, MODES_BOTH, { FIELD_TP } },
	{ rule_kv_heads_not_whole, T | O, MODES_TRAIN, { FIELD_TP } },
	{ rule_ffn_does_not_divide, TRAINERS, MODES_TRAIN, { FIELD_TP } },
	{ rule_shared_ffn_does_not_divide, M, MODES_TRAIN, { FIELD_TP } },
	{ rule_expert_ffn_does_not_divide, M | D, MODES_TRAIN, { FIELD_TP, FIELD_ETP } },
	{ rule_etp_has_no_meaning, T | O, MODES_TRAIN, { FIELD_TP, FIELD_ETP } },
	{ rule_moe_bias_with_etp, M, MODES_TRAIN, { FIELD_TP, FIELD_ETP } },
	{ rule_ep_without_experts, M | T, MODES_BOTH, { FIELD_EP } },
	{ rule_experts_do_not_divide, M | D | T, MODES_BOTH, { FIELD_EP } },
	{ rule_sequence_does_not_divide_by_cp, M, MODES_TRAIN, { FIELD_CP } },
	{ rule_sequence_does_not_divide_by_tp, M | D | O, MODES_TRAIN, { FIELD_TP, FIELD_CP } },
	{ rule_torchtitan_sequence, T, MODES_TRAIN, { FIELD_TP, FIELD_CP } },
	{ rule_a2a_heads_do_not_divide, M, MODES_TRAIN, { FIELD_TP, FIELD_CP } },
	{ rule_cp_without_flash, M, MODES_TRAIN, { FIELD_CP } },
	{ rule_cp_before_ampere, M, MODES_TRAIN, { FIELD_CP } },
	{ rule_sequence_too_long, M, MODES_TRAIN, { FIELD_NAME } },
	{ rule_zero_with_pipeline, D, MODES_TRAIN, { FIELD_PP, FIELD_ZERO_STAGE } },
	{ rule_moe_with_zero3, D, MODES_TRAIN,
	  { FIELD_TP, FIELD_CP, FIELD_EP, FIELD_ZERO_STAGE, FIELD_DP_REPLICATE } },
	{ rule_dualpipe_odd, TRAINERS, MODES_TRAIN, { FIELD_PP } },
	{ layers_have_no_place, ALL, MODES_BOTH, PLACEMENT },
	{ rule_fork_chunks, M | D | O, MODES_TRAIN, PLACEMENT },
	{ rule_torchtitan_chunks, T, MODES_TRAIN, PLACEMENT },
	{ rule_dualpipe_microbatches, TRAINERS, MODES_TRAIN, PLACEMENT },
	{ rule_group_out_of_range, M, MODES_TRAIN, PLACEMENT },
	{ rule_group_leaves_bubble, M, MODES_TRAIN, PLACEMENT },
	{ rule_rounds_uneven, T, MODES_TRAIN, PLACEMENT },
	{ rule_rl_pool_unused, ALL, MODES_TRAIN, { FIELD_ROLLOUT_GPUS, FIELD_RL_PLACEMENT } },
	{ rule_dcp_without_copies, V, MODES_SERVE,
	  { FIELD_TP, FIELD_CP, FIELD_DP_ATTENTION, FIELD_DCP } },
};
enum { CUTS = sizeof cut_table / sizeof *cut_table };
_Static_assert((int)CUTS <= (int)CUTS_MAX, "struct cuts has a bit for each");

/* The last field that has to be in: of those that it reads, or the last outer one. */
static int
known_after(const enum field_id reads[READS_MAX], const struct search_space *s)
{
	int last = s->outer - 1;

	for (int i = s->outer; i < s->count; i++)
		for (int k = 0; k < READS_MAX && reads[k] != FIELD_NAME; k++)
			if (s->field[i].field == reads[k])
				last = i;
	return last > 0 ? last : 0;
}

/* Rules that warn cut where the same plan is looked at without what they warn of: a pool that
 * nobody uses is none. */
static bool
does_cut(const struct cut *cut, const struct search_space *s)
{
	if (cut->broken != rule_rl_pool_unused)
		return true;
	for (int i = 0; i < s->count; i++)
		if (s->field[i].field == FIELD_ROLLOUT_GPUS)
			return !(s->value[s->field[i].first] > 0);
	return false;
}

void
cuts_plan(struct cuts *c, const struct search_space *s)
{
	*c = (struct cuts){ .placed_after = known_after((enum field_id[READS_MAX])PLACEMENT, s) };
	for (int i = 0; i < CUTS; i++)
		if (does_cut(&cut_table[i], s))
			c->after[known_after(cut_table[i].reads, s)] |= UINT64_C(1) << i;
}

/* Micro-batches, 0 as long as nobody knows: vLLM's layout counts engines as well. */
static int64_t
microbatches(const struct plan *p)
{
	const int64_t size = model_size(p);

	if (!divides_world(p, size) || (framework_of(p)->rules & V) != 0)
		return 0;
	return check_microbatches(p, pool_rest(p) / size);
}

bool
cuts_all(const struct cuts *c, int field, const struct plan *p)
{
	const unsigned sets = framework_of(p)->rules;
	const unsigned mode = p->mode == MODE_SERVE ? MODES_SERVE : MODES_TRAIN;
	struct facts facts = { .plan = p };
	struct placement placement;

	if (c->placed_after == field) {
		facts.microbatches = microbatches(p);
		facts.placement = placement_init(&placement, p, NULL) ? &placement : NULL;
	}
	for (int i = 0; i < CUTS && c->after[field] >> i != 0; i++) {
		const struct cut *cut = &cut_table[i];

		if ((c->after[field] >> i & 1) != 0 && (cut->sets & sets) != 0 &&
		    ((unsigned)cut->modes & mode) != 0 && cut->broken(&facts, NULL, 0))
			return true;
	}
	return false;
}
