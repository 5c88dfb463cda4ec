/*
 * lay_out.c - layout and placement of a plan: what holds for every framework, then what the
 * row of its own says.
 */

#include "core/base/number.h"
#include "core/framework/framework.h"
#include "core/framework/layout_build.h"
#include "core/framework/layout.h"
#include "core/framework/stage.h"
#include "core/plan/pool.h"

#define ROLLOUTS "verl docs/advance/one_step_off.md; NVIDIA-NeMo/RL nemo_rl/algorithms/grpo.py"
#define POOLS "vLLM docs/features/disagg_prefill.md; SGLang docs/advanced_features/pd_disaggregation.md"
#define ARGUMENTS "Megatron-LM megatron/training/arguments.py"

/* A size below 1 stops every framework, most of them with a division by zero. */
static bool
sizes_positive(const struct plan *p, struct diag_list *diags)
{
	static const enum field_id sizes[] = {
		FIELD_TP, FIELD_CP, FIELD_PP, FIELD_VPP, FIELD_EP, FIELD_ETP, FIELD_DP_REPLICATE,
		FIELD_DCP, FIELD_REPLICAS
	};
	bool ok = true;

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		if (field_int(sizes[i], p) < 1) {
			diag_add(diags, SEVERITY_ERROR, sizes[i], "size_not_positive",
			    "Megatron-LM megatron/core/parallel_state.py; torchtitan distributed/parallel_dims.py",
			    "%s must be at least 1", field_table[sizes[i]].label);
			ok = false;
		}
	return ok;
}

/* Prefill workers, rollouts and MLPs apart from attention are on GPUs that the layout does not
 * have. */
static bool
leave_pool(struct layout *l, const struct plan *p, struct diag_list *diags)
{
	const int64_t gpus = pool_gpus(p);

	if (gpus >= l->world && p->mode == MODE_TRAIN)
		return DIAG_REFUSE(diags, FIELD_ROLLOUT_GPUS, "no_gpus_train", ROLLOUTS,
		    "rollouts take %lld of %lld GPUs: none is left to train", (long long)gpus,
		    (long long)l->world);
	if (gpus >= l->world && p->serving.ffn_gpus > 0)
		return DIAG_REFUSE(diags, FIELD_FFN_GPUS, "no_gpus_decode", POOLS,
		    "MLPs on GPUs of their own, and prefill workers, take %lld of %lld GPUs: none is left to attend",
		    (long long)gpus, (long long)l->world);
	if (gpus >= l->world)
		return DIAG_REFUSE(diags, FIELD_PREFILL_WORKERS, "no_gpus_decode", POOLS,
		    "prefill workers take %lld of %lld GPUs: none is left to decode",
		    (long long)gpus, (long long)l->world);
	l->world -= gpus;
	return true;
}

bool
layout_size(struct layout *l, const struct plan *p, struct diag_list *diags)
{
	l->dp = 0;
	l->edp = 1;
	l->grids = l->kinds = 0;
	l->world = plan_nodes_differ(p) ? plan_world(p) : product_of(p->cluster.nodes, p->cluster.gpus_per_node);
	if (l->world > PLAN_WORLD_MAX)
		return DIAG_REFUSE(diags, FIELD_NODES, "world_too_large",
		    "shardplan: sizes are kept inside 64-bit integers",
		    "%lld nodes of %lld GPUs are more than %lld GPUs", (long long)p->cluster.nodes,
		    (long long)p->cluster.gpus_per_node, (long long)PLAN_WORLD_MAX);
	if (!sizes_positive(p, diags) || !leave_pool(l, p, diags))
		return false;
	return framework_of(p)->size(l, p, diags);
}

/* GPUs of a process follow one another, whatever they do. */
static void
add_processes(struct layout *l, const struct plan *p)
{
	const int64_t gpus = p->cluster.gpus_per_process;
	struct group_kind *k;

	if (p->mode != MODE_TRAIN || gpus < 2 || l->world % gpus != 0 || l->grids == 0 || l->kinds == LAYOUT_KINDS_MAX)
		return;
	k = layout_add_kind(l, 0, "process", (1u << l->grid[0].axes) - 1);
	k->shape = GROUP_CHUNK;
	k->chunks = l->world / gpus;
}

void
layout_group(struct layout *l, const struct plan *p)
{
	const struct framework *f = framework_of(p);

	f->group(l, p);
	add_processes(l, p);
	for (int i = 0; i < FRAMEWORK_LAYERED && f->each_layer[i] != NULL; i++) {
		const int kind = layout_kind(l, f->each_layer[i]);

		if (kind >= 0)
			l->kind[kind].each_layer = true;
	}
}

bool
layout_init(struct layout *l, const struct plan *p, struct diag_list *diags)
{
	if (!layout_size(l, p, diags))
		return false;
	layout_group(l, p);
	return true;
}

int64_t
placement_group(const struct plan *p, int64_t pp, int64_t microbatches)
{
	const int64_t asked = p->training.microbatch_group_size;

	if (framework_of(p)->equal_rounds)
		return microbatches / most_of(1, microbatches / pp);
	return least_of(asked > 0 ? asked : pp, microbatches);
}

bool
placement_init(struct placement *out, const struct plan *p, struct diag_list *diags)
{
	const struct parallel *par = &p->parallel;

	out->pp = par->pp;
	out->vpp = p->mode == MODE_TRAIN ? par->vpp : 1;
	if (par->pp < 1 || out->vpp < 1)
		return DIAG_REFUSE(diags, par->pp < 1 ? FIELD_PP : FIELD_VPP, "size_not_positive", ARGUMENTS,
		    "pipeline sizes must be at least 1");
	/* Two chunks a rank are possible without VPP (V schedules). */
	if (par->pp > STAGE_CHUNKS_MAX / 2 || par->pp * out->vpp > STAGE_CHUNKS_MAX)
		return DIAG_REFUSE(diags, FIELD_PP, "too_many_stages", "shardplan",
		    "PP %lld x VPP %lld is more than %d stages", (long long)par->pp, (long long)out->vpp,
		    STAGE_CHUNKS_MAX);
	return framework_of(p)->place(out, p, diags);
}
