#include "core/train/step_setup.h"

#include <math.h>

#include "core/framework/framework.h"
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
	s->again = batch_again(p);
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
	for (int k = 0; k < LAYER_KINDS; k++) {
		s->mixers += layer_has_mixer(k) ? s->kind[k] : 0;
		s->halves += (layer_has_mixer(k) + layer_has_mlp(k)) * s->kind[k];
	}
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

/* What the host takes for layers of a kind beyond the GPU's own work and the traffic that
 * nothing hides. */
static void
stage_host(struct stage *s, const struct step_setup *set, const struct plan *p, int kind)
{
	const struct work *w = &set->parts.layer[kind];
	const double *open = set->flows.exposed, again = s->again[kind] / s->kind[kind];
	const double halves = layer_has_mixer(kind) + layer_has_mlp(kind);
	const double gpu = w->forward + w->backward + again * w->recompute +
	    (layer_has_mixer(kind) ? open[UNIT_ATTENTION] : 0) + halves * open[UNIT_HALF] + (kind & LAYER_MOE ? open[UNIT_MOE] : 0);
	const double repeated = p->training.recompute == RECOMPUTE_FULL ? again : 0;
	const double host = (1 + repeated) * host_forward(p, kind) + host_backward(p, kind);

	s->host += s->kind[kind] * fmax(0, host - gpu);
}

/* Traffic of the forward pass that recompute repeats. */
static void
stage_again(struct stage *s, const struct plan *p, unsigned again, bool split)
{
	const bool moe = (again & AGAIN_MOE) != 0;
	const bool shared = moe || (again & AGAIN_SHARED_EXPERTS) != 0;
	double mixers = 0, halves = 0, mlps = 0, experts = 0;

	for (int k = 0; k < LAYER_KINDS; k++) {
		mixers += layer_has_mixer(k) ? s->again[k] : 0;
		halves += (layer_has_mixer(k) + layer_has_mlp(k)) * s->again[k];
		mlps += layer_has_mlp(k) ? s->again[k] : 0;
		experts += k & LAYER_MOE ? s->again[k] : 0;
	}
	if (p->training.recompute == RECOMPUTE_FULL) {
		s->units[UNIT_HALF_AGAIN] = halves - (split ? 0 : experts);
		s->units[UNIT_ATTENTION_AGAIN] = mixers;
		s->units[UNIT_MOE_AGAIN] = experts;
	} else {
		s->units[UNIT_HALF_AGAIN] = ((again & AGAIN_MLP) ? mlps - experts : 0) +
		    (split && shared ? experts : 0);
		s->units[UNIT_ATTENTION_AGAIN] = (again & AGAIN_CORE_ATTN) ? mixers : 0;
		s->units[UNIT_MOE_AGAIN] = moe ? experts : 0;
	}
}

void
stage_time(struct stage *s, struct step_setup *set, const struct plan *p)
{
	struct parts *parts = &set->parts;
	/* TP splits experts too where a framework has no expert TP and EP does not. */
	const bool split = p->model.shared_expert_ffn_hidden_size > 0 ||
	    (framework_of(p)->tp_splits_experts && p->parallel.ep <= 1);
	double moe = 0;

	for (int k = 0; k < LAYER_KINDS; k++) {
		if (s->kind[k] <= 0)
			continue;
		if (!parts->done[k]) {
			parts->layer[k] = compute_layer(p, &set->machine, k, NULL);
			parts->done[k] = true;
		}
		stage_add(s, &parts->layer[k], s->kind[k], s->again[k]);
		stage_host(s, set, p, k);
		moe += k & LAYER_MOE ? s->kind[k] : 0;
	}
	if (s->embedding)
		stage_add(s, &parts->embedding, 1, 0);
	stage_add(s, &parts->head, s->heads, 0);
	stage_add(s, &parts->mtp, s->mtp, 0);
	s->units[UNIT_HALF] = s->halves - (split ? 0 : moe);
	s->units[UNIT_ATTENTION] = s->mixers;
	s->units[UNIT_MOE] = moe;
	s->units[UNIT_EMBEDDING] = s->embedding;
	s->units[UNIT_HEAD] = s->heads;
	stage_again(s, p, set->again, split);
	for (int u = 0; u < UNIT_COUNT; u++)
		s->exposed += s->units[u] * set->flows.exposed[u];
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
