#include "core/serve/serve_lora.h"

#include "core/base/text.h"
#include "core/model/adapters.h"

static const double lora_kernels = 4; /* of a mixer or an MLP: into the rank and out of it, before it and behind it */

/* Its layers with adapters, as training counts them. */
static struct plan
with_adapters(const struct plan *p, const char *target)
{
	struct plan q = *p;

	q.mode = MODE_TRAIN;
	q.finetune.method = FINETUNE_LORA;
	q.finetune.rank = p->serving.max_lora_rank;
	q.finetune.expert_adapters = ADAPTERS_SEPARATE;
	text_put(q.finetune.target, sizeof q.finetune.target, "%s", target);
	q.finetune.modules_to_save[0] = '\0';
	return q;
}

/* Of routed experts, of a token on one GPU. */
static double
expert_bytes(const struct plan *p)
{
	const struct model *m = &p->model;

	return 2 * params_experts_met(m) * (3 * params_expert_width(m) + 5 * (double)m->moe_ffn_hidden_size) /
	    params_expert_ranks(p);
}

struct serve_lora
serve_lora_of(const struct plan *p, const struct rank_layers *r)
{
	const struct layer_kinds *k = &r->kinds;
	struct serve_lora out = { .slot = 0 };
	struct adapter_params held;
	struct adapter_sums sums;
	struct plan q;

	if (p->serving.max_loras == 0)
		return out;
	q = with_adapters(p, plan_has_experts(p) ? "all-linear+experts" : "all-linear");
	held = adapters_held(&q, r);
	q = with_adapters(p, "all-linear");
	sums = adapters_sums(&q, k, false);
	out.slot = 2 * (held.dense + held.expert);
	out.token = 2 * (sums.in + 2 * sums.out) + (k->moe > 0 ? k->moe * expert_bytes(p) : 0);
	out.kernels = lora_kernels * (params_mixers(k) + k->dense + k->moe *
	    (p->model.shared_expert_ffn_hidden_size > 0 ? 2 : 1));
	return out;
}
