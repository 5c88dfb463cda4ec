#include "core/train/step_setup.h"

#include <math.h>

#include "core/framework/framework.h"
#include "core/model/saved.h"
#include "core/plan/batch.h"
#include "core/train/host.h"

static void
parts_init(struct parts *parts, const struct plan *p, const struct machine *g)
{
	*parts = (struct parts){ .usual = params_kind(&p->model, p->model.layers - 1) };
	if (!g->known) { /* traffic can be told all the same, beside no work */
		for (int k = 0; k < LAYER_KINDS; k++)
			parts->done[k] = true;
		return;
	}
	parts->embedding = compute_embedding(p, g, NULL);
	parts->head = compute_head(p, g, NULL);
	if (p->model.mtp_layers > 0)
		parts->mtp = compute_mtp(p, g, NULL);
	parts->layer[parts->usual] = compute_layer(p, g, parts->usual, NULL);
	parts->done[parts->usual] = true;
}

void
step_setup_batch(struct step_setup *s, const struct plan *p)
{
	s->machine = machine_of(p);
	parts_init(&s->parts, p, &s->machine);
	s->again = saved_by_operation(p) ? 0 : batch_again(p);
	s->causal = flops_of_token(p, false);
	s->full = flops_full(p, s->causal);
	s->flowing = false;
	s->flows = (struct flows){ .count = 0 };
}

void
step_setup_plan(struct step_setup *s, const struct plan *p, const struct layout *l)
{
	const struct flow_spans spans = traffic_spans(p, l);

	if (s->flowing && flow_spans_equal(&s->spans, &spans))
		return;
	s->spans = spans;
	traffic_flows(&s->flows, p, &s->spans, &s->parts.layer[s->parts.usual]);
	s->flowing = true;
}

/* ---- one stage ---------------------------------------------------------------------- */

/* Layers of a pattern, each a mixer or an MLP alone. */
static void
add_blocks(double kind[LAYER_KINDS], const struct layer_kinds *k, double times)
{
	kind[LAYER_NO_MLP] += times * k->global;
	kind[LAYER_NO_MLP | LAYER_LOCAL] += times * k->local;
	kind[LAYER_NO_MLP | LAYER_MAMBA] += times * k->mamba;
	kind[LAYER_NO_MIXER | LAYER_MOE] += times * k->moe;
	kind[LAYER_NO_MIXER] += times * k->dense;
}

/* Layers of each kind among `count` from `first` on. */
static void
add_kinds(double kind[LAYER_KINDS], const struct model *m, int64_t first, int64_t count)
{
	struct layer_kinds k;

	if (count == 0)
		return;
	k = params_kinds(m, first, count);
	if (m->layer_pattern[0] != '\0') {
		add_blocks(kind, &k, 1);
		return;
	}
	if (m->experts > 0 && params_has_local_layers(m)) { /* layers can be both */
		for (int64_t i = first; i < first + count; i++)
			kind[params_kind(m, i)]++;
		return;
	}
	kind[LAYER_MOE] += k.moe;
	kind[LAYER_LOCAL] += k.local;
	kind[0] += k.all - k.moe - k.local;
}

/* An MTP layer is like the last one, or what the pattern says of it. */
static void
add_mtp(struct stage *s, const struct plan *p, int usual)
{
	const double again = p->training.recompute != RECOMPUTE_NONE ? s->mtp : 0;

	if (s->mtp <= 0)
		return;
	if (p->model.layer_pattern[0] != '\0') {
		const struct layer_kinds one = params_mtp_kinds(&p->model);

		add_blocks(s->kind, &one, s->mtp);
		add_blocks(s->again, &one, again);
		s->layers += s->mtp * one.all;
		return;
	}
	s->kind[usual] += s->mtp;
	s->again[usual] += again;
	s->layers += s->mtp;
}

void
stage_count(struct stage *s, const struct plan *p, const struct chunk *chunk, int64_t n,
    int usual)
{
	*s = (struct stage){ .layers = 0 };
	for (const struct chunk *c = chunk; c < chunk + n; c++) {
		s->layers += c->count;
		s->mtp += c->mtp;
		s->embedding |= c->embedding;
		s->loss |= c->loss;
		add_kinds(s->kind, &p->model, c->first, c->count);
		add_kinds(s->again, &p->model, c->first, batch_layers_again(p, c->count));
	}
	add_mtp(s, p, usual);
	s->heads = s->loss + s->mtp;
}

static void
stage_add(struct stage *s, const struct work *w, double times, double again)
{
	s->forward += times * w->forward;
	s->backward += times * w->backward;
	s->weight += times * w->weight;
	s->recompute += again * w->recompute;
}

/* Traffic of `times` layers of a kind, of which recompute runs the forward pass of `again` once
 * more. split: TP splits their experts or shared ones. */
static void
add_units(double units[UNIT_COUNT], const struct plan *p, unsigned modules, int kind, double times,
    double again, bool split)
{
	const bool mixer = layer_has_mixer(kind), experts = (kind & LAYER_MOE) != 0;
	const bool mlp = layer_has_mlp(kind) && (!experts || split);
	const bool whole = p->training.recompute == RECOMPUTE_FULL, operations = saved_by_operation(p);
	const bool moe = whole || (modules & AGAIN_MOE) != 0;
	const bool mlps = whole || operations || (experts ? moe || (modules & AGAIN_SHARED_EXPERTS) != 0 :
	    (modules & AGAIN_MLP) != 0);

	units[UNIT_HALF] += times * (mixer + mlp);
	units[UNIT_ATTENTION] += times * mixer;
	units[UNIT_MOE] += times * experts;
	units[UNIT_HALF_AGAIN] += again * ((mixer && (whole || operations)) + (mlp && mlps));
	units[UNIT_ATTENTION_AGAIN] += again * (mixer && (whole || (modules & AGAIN_CORE_ATTN) != 0));
	units[UNIT_MOE_AGAIN] += again * (experts && moe);
}

static double
exposed_of(const double units[UNIT_COUNT], const struct step_setup *set)
{
	double sum = 0;

	for (int u = 0; u < UNIT_COUNT; u++)
		sum += units[u] * set->flows.exposed[u];
	return sum;
}

/*
 * A layer whose launches run beside the GPU's work takes as long as the longer of the two. A host that
 * waits in each layer for how many tokens its experts get (Megatron-LM megatron/core/transformer/moe/
 * token_dispatcher.py, _maybe_dtoh_and_synchronize) can not run far ahead: then the shorter one counts
 * too, the less the more they differ. The eighth power was found on 24 runs of MoE: 6 does as well.
 */
static double
beside_launches(const struct plan *p, int kind, double gpu, double host)
{
	double sum = 1;

	if (!(kind & LAYER_MOE) || plan_pads_experts(p) || !(gpu > 0) || !(host > 0))
		return fmax(gpu, host);
	for (int i = 0; i < 8; i++)
		sum *= fmin(gpu, host) / fmax(gpu, host);
	return fmax(gpu, host) * sqrt(sqrt(sqrt(1 + sum)));
}

/* What the host takes for layers of a kind beyond the GPU's own work and the traffic that
 * nothing hides. */
static void
stage_host(struct stage *s, const struct step_setup *set, const struct plan *p, int kind, bool split)
{
	const struct work *w = &set->parts.layer[kind];
	const double again = s->again[kind] / s->kind[kind];
	const double repeated = p->training.recompute == RECOMPUTE_FULL ? again : 0;
	const double host = (1 + repeated) * host_forward(p, kind) + host_backward(p, kind);
	double gpu = w->forward + w->backward + again * w->recompute;
	double units[UNIT_COUNT] = { 0 };

	if (!(host > 0))
		return;
	add_units(units, p, set->again, kind, 1, again, split);
	gpu += exposed_of(units, set);
	s->host += s->kind[kind] * (beside_launches(p, kind, gpu, host) - gpu);
}

void
stage_time(struct stage *s, struct step_setup *set, const struct plan *p)
{
	struct parts *parts = &set->parts;
	/* TP splits experts too where a framework has no expert TP and EP does not. */
	const bool split = p->model.shared_expert_ffn_hidden_size > 0 ||
	    (framework_of(p)->tp_splits_experts && p->parallel.ep <= 1);

	for (int k = 0; k < LAYER_KINDS; k++) {
		if (s->kind[k] <= 0)
			continue;
		if (!parts->done[k]) {
			parts->layer[k] = compute_layer(p, &set->machine, k, NULL);
			parts->done[k] = true;
		}
		stage_add(s, &parts->layer[k], s->kind[k], s->again[k]);
		stage_host(s, set, p, k, split);
		add_units(s->units, p, set->again, k, s->kind[k], s->again[k], split);
	}
	if (s->embedding)
		stage_add(s, &parts->embedding, 1, 0);
	stage_add(s, &parts->head, s->heads, 0);
	stage_add(s, &parts->mtp, s->mtp, 0);
	s->units[UNIT_EMBEDDING] = s->embedding;
	s->units[UNIT_HEAD] = s->heads;
	s->exposed = exposed_of(s->units, set);
}

double
stage_total(const struct stage *s)
{
	return s->forward + s->backward + s->recompute + s->exposed + s->host;
}

void
stage_note(const struct stage *s, const struct plan *p, const struct machine *g,
    struct ledger *ledger)
{
	static const char *const units[LAYER_KINDS] = {
		[0] = "layers", [LAYER_MOE] = "MoE layers", [LAYER_LOCAL] = "local layers",
		[LAYER_MOE | LAYER_LOCAL] = "local MoE layers",
		[LAYER_NO_MLP] = "attention layers",
		[LAYER_NO_MLP | LAYER_LOCAL] = "linear attention layers",
		[LAYER_NO_MLP | LAYER_MAMBA] = "Mamba layers",
		[LAYER_NO_MIXER] = "MLP layers", [LAYER_NO_MIXER | LAYER_MOE] = "expert layers"
	};
	struct tally t = { .ledger = ledger };

	for (int k = 0; k < LAYER_KINDS; k++) {
		t.unit = units[k];
		t.times = s->kind[k];
		t.again = s->again[k];
		if (t.times > 0)
			compute_layer(p, g, k, &t);
	}
	t.again = 0;
	t.unit = "embeddings";
	t.times = s->units[UNIT_EMBEDDING];
	compute_embedding(p, g, &t);
	t.unit = "heads";
	t.times = s->units[UNIT_HEAD];
	compute_head(p, g, &t);
	t.unit = "MTP layers";
	t.times = s->mtp;
	if (t.times > 0)
		compute_mtp(p, g, &t);
}
