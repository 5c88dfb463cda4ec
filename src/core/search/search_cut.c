#include "core/search/search_cut.h"

#include <string.h>

#include "core/rules/check_rules.h"
#include "core/framework/framework.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/plan/pool.h"

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

/* A refusal that one condition on facts f and their plan p tells; nobody is told why. */
#define REFUSED_IF(name, condition) \
	static bool \
	name(const struct facts *f, char *message, size_t size) \
	{ \
		const struct plan *p = f->plan; \
\
		(void)p, (void)message, (void)size; \
		return condition; \
	}

/* Every layout_init refuses sizes that do not divide the world. */
REFUSED_IF(world_does_not_divide, !divides_world(p, model_size(p)))

/* vllm_lay_out: nor does a world that the engines can not share. */
REFUSED_IF(engines_do_not_divide, !divides_world(p, product_of(model_size(p), p->serving.replicas)))

/* megatron_lay_out, expert_divides. */
REFUSED_IF(experts_do_not_divide_world,
    !divides_world(p, product_of(product_of(p->parallel.etp, p->parallel.ep), p->parallel.pp)))

/* rule_batch_does_not_divide, with the DP of every layout but vLLM's. */
REFUSED_IF(batch_does_not_divide, !divides_world(p, model_size(p)) ||
    check_microbatches(p, pool_rest(p) / model_size(p)) == 0)

/* megatron_lay_out, pipelines_agree: an order that does not end in pp. */
static bool
pipelines_differ(const struct facts *f, MAYBE char *message, MAYBE size_t size)
{
	const struct parallel *par = &f->plan->parallel;
	const size_t length = strlen(par->order);

	return par->pp > 1 && (length < 2 || !text_equal(par->order + length - 2, "pp")) &&
	    product_of(par->tp, par->cp) != product_of(par->etp, par->ep);
}

/* What else a framework asks of its sizes: copies of sharded state that divide their ranks. */
static bool
layout_refuses(const struct facts *f, MAYBE char *message, MAYBE size_t size)
{
	struct layout layout;

	return !layout_size(&layout, f->plan, NULL);
}

REFUSED_IF(layers_have_no_place, f->placement == NULL)

#define WITHOUT_VLLM (RULES_ALL & ~(unsigned)RULES_VLLM)

bool
cuts_sizes(const struct plan *p)
{
	const struct facts f = { .plan = p };
	const unsigned sets = framework_rules(p);

	return world_does_not_divide(&f, NULL, 0) || ((sets & RULES_MEGATRON) != 0 &&
	    (experts_do_not_divide_world(&f, NULL, 0) || pipelines_differ(&f, NULL, 0)));
}

/*
 * What is told early beside the errors of check_rules.def: refusals of layouts and placement,
 * and a warning. The cheapest come first.
 */
static const struct rule early_rules[] = {
	{ .sets = RULES_ALL, .modes = MODES_BOTH, .broken = world_does_not_divide,
	  .reads = READS(FIELD_TP, FIELD_CP, FIELD_PP) },
	{ .sets = RULES_VLLM, .modes = MODES_BOTH, .broken = engines_do_not_divide,
	  .reads = READS(FIELD_TP, FIELD_CP, FIELD_PP, FIELD_REPLICAS) },
	{ .sets = RULES_MEGATRON, .modes = MODES_BOTH, .broken = experts_do_not_divide_world,
	  .reads = READS(FIELD_ETP, FIELD_EP, FIELD_PP) },
	{ .sets = RULES_MEGATRON, .modes = MODES_BOTH, .broken = pipelines_differ,
	  .reads = READS(FIELD_TP, FIELD_CP, FIELD_ETP, FIELD_EP, FIELD_PP) },
	{ .sets = WITHOUT_VLLM, .modes = MODES_TRAIN, .broken = batch_does_not_divide,
	  .reads = READS(FIELD_TP, FIELD_CP, FIELD_PP, FIELD_MICRO_BATCH_SIZE) },
	{ .sets = RULES_COPIES, .modes = MODES_TRAIN, .broken = layout_refuses,
	  .reads = READS(FIELD_TP, FIELD_CP, FIELD_PP, FIELD_VPP, FIELD_PIPELINE_LAYOUT, FIELD_EP,
	    FIELD_ETP, FIELD_DP_REPLICATE, FIELD_ROLLOUT_GPUS) },
	{ .sets = RULES_ALL, .modes = MODES_BOTH, .broken = layers_have_no_place,
	  .reads = READS(READS_PLACEMENT) },
	{ .sets = RULES_ALL, .modes = MODES_TRAIN, .broken = rule_rl_pool_unused,
	  .reads = READS(FIELD_ROLLOUT_GPUS, FIELD_RL_PLACEMENT) },
};
enum { EARLY = sizeof early_rules / sizeof *early_rules };
_Static_assert((int)EARLY + (int)CHECK_RULES_MAX <= (int)CUTS_MAX, "struct cuts has room for each");

/* The last field that a rule reads, or the last outer one: then it is known. */
static int
known_after(const struct rule *r, const struct search_space *s)
{
	int last = s->outer > 0 ? s->outer - 1 : 0;

	for (int i = s->outer; i < s->count; i++)
		if (rule_reads(r, s->field[i].field))
			last = i;
	return last;
}

/* A pool that nobody uses is none: where the same plan is looked at without it. */
static bool
is_without_pool(const struct search_space *s)
{
	for (int i = 0; i < s->count; i++)
		if (s->field[i].field == FIELD_ROLLOUT_GPUS)
			return !(s->value[s->field[i].first] > 0);
	return false;
}

static bool
does_cut(const struct rule *r, const struct search_space *s)
{
	return r->severity == SEVERITY_ERROR && !rule_reads_fact(r, READS_LAYOUT) &&
	    (r->broken != rule_rl_pool_unused || is_without_pool(s));
}

static bool
needs_facts(const struct rule *r)
{
	return rule_reads_fact(r, READS_PLACEMENT) || rule_reads_fact(r, READS_MICROBATCHES);
}

/* Rules that are known after a field, with facts or without. */
static void
add_rules(struct cuts *c, const struct search_space *s, int field, bool facts)
{
	for (size_t i = 0; i < EARLY + check_rule_count; i++) {
		const struct rule *r = i < EARLY ? &early_rules[i] : &check_rules[i - EARLY];

		if (!does_cut(r, s) || needs_facts(r) != facts || known_after(r, s) != field)
			continue;
		c->after[field].places |= rule_reads_fact(r, READS_PLACEMENT);
		c->rule[c->count++] = r;
	}
}

void
cuts_plan(struct cuts *c, const struct search_space *s)
{
	memset(c, 0, sizeof *c);
	for (int field = 0; field < s->count; field++) {
		c->after[field].first = c->count;
		add_rules(c, s, field, false);
		c->after[field].facts = c->count;
		add_rules(c, s, field, true);
		c->after[field].end = c->count;
	}
}

/* Micro-batches, 0 as long as nobody knows: vLLM's layout counts engines as well. */
static int64_t
microbatches(const struct plan *p)
{
	const int64_t size = model_size(p);

	if (!divides_world(p, size) || (framework_rules(p) & RULES_VLLM) != 0)
		return 0;
	return check_microbatches(p, pool_rest(p) / size);
}

bool
cuts_all(const struct cuts *c, int field, const struct plan *p)
{
	const unsigned sets = framework_rules(p);
	const unsigned mode = p->mode == MODE_SERVE ? MODES_SERVE : MODES_TRAIN;
	const struct cuts_after *after = &c->after[field];
	struct facts facts = { .plan = p };
	struct placement placement;

	for (int i = after->first; i < after->end; i++) {
		const struct rule *r = c->rule[i];

		if (i == after->facts) {
			facts.microbatches = microbatches(p);
			facts.placement = after->places && placement_init(&placement, p, NULL) ?
			    &placement : NULL;
		}
		if ((r->sets & sets) != 0 && ((unsigned)r->modes & mode) != 0 &&
		    r->broken(&facts, NULL, 0))
			return true;
	}
	return false;
}
