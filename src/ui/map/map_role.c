#include "ui/map/map_role.h"

#include "core/base/text.h"
#include "core/plan/pool.h"

/* "trainer+ref+critic": what the GPUs of a pool do in turn. */
void
map_role_text(const struct plan *p, enum map_role role, char *buf, size_t size)
{
	const bool trains = p->mode == MODE_TRAIN, rollouts = plan_has_rollouts(p);
	const bool alone = pool_gpus(p) == 0, apart = !trains && p->serving.ffn_gpus > 0;

	if (role == MAP_ROLE_OTHER) {
		text_put(buf, size, "%s", trains ? "rollout" : !apart ? "prefill" :
		    p->serving.prefill_workers[0] == '\0' ? "FFN" : "prefill, FFN");
		return;
	}
	text_put(buf, size, "%s", trains ? "trainer" : alone ? "engine" : apart ? "attention" : "decode");
	if (rollouts && alone)
		text_add(buf, size, "+rollout");
	if (plan_has_rl(p) && p->rl.reference && (rollouts ? p->rl.algorithm != RL_DAPO :
	    p->rl.algorithm == RL_DPO))
		text_add(buf, size, "+ref");
	if (p->rl.algorithm == RL_PPO)
		text_add(buf, size, "+critic");
	if (rollouts && p->rl.reward_preset[0] != '\0')
		text_add(buf, size, "+reward");
}

struct hue
map_role_hue(const struct map_paint *m, enum map_role role)
{
	return (struct hue){ .value = role, .color = (int)role,
		.letter = (m->plan->mode == MODE_TRAIN ? "tr" : "dp")[role] };
}

bool
map_role_entry(const struct map_paint *m, int64_t i, struct hue *hue, char *buf, size_t size)
{
	if (i >= MAP_ROLES || (i == MAP_ROLE_OTHER && pool_gpus(m->plan) == 0))
		return false;
	*hue = map_role_hue(m, (enum map_role)i);
	map_role_text(m->plan, (enum map_role)i, buf, size);
	return true;
}
