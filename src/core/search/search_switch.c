#include "core/search/search_switch.h"

#include "core/framework/framework.h"
#include "core/rules/check_rules.h"

PLAN_IF(has_cp, p->parallel.cp > 1)
PLAN_IF(has_tp, p->parallel.tp > 1)
PLAN_IF(has_ep, p->parallel.ep > 1)
PLAN_IF(shards_state, p->parallel.zero_stage > 0)

#define M RULES_MEGATRON

/* traffic_flows.c and host.c know the first ones, and what is computed apart kernel.c (a whole sequence
 * goes faster) and compute_experts.c (one more sort); of the others memory.c knows
 * the state, host.c graphs, traffic_step.c what runs beside the passes. */
const struct switch_row switch_table[SWITCHES] = {
	{ FIELD_CP_COMM, M, .early = true, .apart = CP_COMM_A2A, .lighter = true, .matters = has_cp,
	  .idle = CP_COMM_P2P },
	{ FIELD_MOE_DISPATCHER, M, .experts = true, .early = true, .apart = DISPATCHER_ALLTOALL },
	{ FIELD_MOE_OVERLAP, M, .experts = true, .early = true, .matters = has_ep },
	{ FIELD_OFFLOAD, M, .memory = MEMORY_NOBODY_KNOWS },
	{ FIELD_PRECISION_AWARE_OPTIMIZER, M, .most = true, .memory = MEMORY_FASTEST },
	{ FIELD_TP_OVERLAP, M, .most = true, .memory = MEMORY_SLOWEST, .matters = has_tp },
	{ FIELD_CUDA_GRAPH, M, .most = true },
	{ FIELD_FUSED_EXPERTS, M, .experts = true, .most = true },
	{ FIELD_OVERLAP_GRAD_REDUCE, M, .most = true },
	{ FIELD_OVERLAP_PARAM_GATHER, M, .most = true, .matters = shards_state },
};

const struct switch_row *
switch_of(enum field_id f)
{
	for (int i = 0; i < SWITCHES; i++)
		if (switch_table[i].field == f)
			return &switch_table[i];
	return NULL;
}

/* Set in p, it breaks a rule that no size mends. */
static bool
is_refused(const struct switch_row *row, const struct plan *p)
{
	struct plan q = *p;

	if (row->field != FIELD_FUSED_EXPERTS)
		return false;
	q.training.fused_experts = 1;
	return rule_fused_experts_impossible(&(struct facts){ .plan = &q }, NULL, 0);
}

bool
switch_is_built(const struct switch_row *row, const struct plan *p)
{
	return p->mode == MODE_TRAIN && (row->sets & framework_rules(p)) != 0 &&
	    (!row->experts || plan_has_experts(p)) && !is_refused(row, p);
}
