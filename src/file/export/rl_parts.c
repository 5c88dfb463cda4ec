#include "file/export/rl_parts.h"

#include <stdlib.h>

#include "core/estimate/estimate.h"
#include "core/plan/field.h"

/* As the plan says, or as its estimate has found. */
static int64_t
engine_gpus(struct export *e)
{
	int64_t gpus = e->plan->rl.rollout_tp;
	struct estimate *found;

	if (gpus > 0 || !plan_has_rollouts(e->plan))
		return gpus;
	found = malloc(sizeof *found);
	if (found == NULL) {
		export_refuse(e, FIELD_NONE, "out_of_memory", "shardplan export", "out of memory");
		return 1;
	}
	estimate_run(found, e->plan, e->catalog, NULL);
	gpus = found->reinforced && found->rl.engine_gpus > 0 ? found->rl.engine_gpus : 1;
	free(found);
	return gpus;
}

bool
rl_pools_of(struct rl_pools *out, struct export *e)
{
	const struct plan *p = e->plan;
	const int64_t nodes = p->cluster.nodes, gpus = p->cluster.gpus_per_node;
	const int64_t rollout = p->rl.rollout_gpus;

	*out = (struct rl_pools){ .nodes = nodes, .gpus = gpus, .rollout_nodes = nodes,
		.rollout_gpus = gpus, .engine_gpus = engine_gpus(e) };
	out->split = plan_has_rollouts(p) && p->rl.placement == RL_SPLIT;
	if (!out->split)
		return true;
	if (nodes == 1) {
		out->gpus = gpus - rollout;
		out->rollout_gpus = rollout;
	} else if (rollout % gpus == 0) {
		out->rollout_nodes = rollout / gpus;
		out->nodes = nodes - out->rollout_nodes;
	} else {
		export_refuse(e, FIELD_ROLLOUT_GPUS, "target_lacks", e->target,
		    "%lld GPUs for rollouts are no whole nodes of %lld, which pools are made of",
		    (long long)rollout, (long long)gpus);
		return false;
	}
	return true;
}

void
rl_refuse(struct export *e, enum field_id f, const char *source, const char *why)
{
	export_refuse(e, f, "target_lacks", source, "%s %s: %s", field_table[f].label, FIELD_SHOWN(f, e->plan), why);
}

void
rl_say(struct export *e)
{
	EXPORT_SAY(e, FIELD_RL_PROMPTS, FIELD_RL_RESPONSES, FIELD_RL_PLACEMENT, FIELD_ROLLOUT_GPUS, FIELD_ROLLOUT_TP, FIELD_RL_REFERENCE,
	    FIELD_RL_OLD_LOGPROB, FIELD_ENGINE_LOGPROBS, FIELD_RL_OFFLOAD, FIELD_ENGINE_SLEEP, FIELD_STALENESS, FIELD_ENGINE,
	    FIELD_CONTEXT_LENGTH);
	export_tell_rest(e);
}

struct textbuf *
rl_begin_script(struct export *e, const char *name, const struct textbuf *first, struct tree *t,
    enum tree_words form)
{
	struct textbuf *out = export_begin(e, name);

	rl_say(e);
	textbuf_add(out, "#!/bin/bash\n");
	export_head(e, out, "# ");
	export_put_model(e, out);
	if (export_network(e->plan, e->plan->cluster.nodes) != NULL && plan_has_rollouts(e->plan))
		textbuf_add(out, "# Ray hands these on only to nodes that it was started on with them: set them there too\n");
	export_put_network(out, e->plan, e->plan->cluster.nodes);
	if (e->plan->rl.algorithm == RL_PPO)
		textbuf_add(out, "CRITIC=${CRITIC:-$MODEL}\n");
	if (e->plan->rl.reward_preset[0] != '\0')
		textbuf_add(out, ": \"${REWARD:?name or directory of the reward model}\"\n");
	if (first != NULL)
		textbuf_bytes(out, first->text, first->used);
	textbuf_add(out, "args=(\n");
	tree_words(t, out, form);
	tree_end(t);
	textbuf_add(out, ")\n");
	return out;
}

bool
rl_has_reference(const struct plan *p)
{
	return p->rl.reference && p->rl.algorithm != RL_DAPO;
}

bool
rl_with_megatron(const struct plan *p)
{
	return export_layout_is(p, "megatron");
}
