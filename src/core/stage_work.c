#include "core/stage_work.h"

#include "core/batch.h"
#include "core/framework/framework.h"

static int
kind_of(const struct model *m, int64_t layer)
{
	int kind = 0;

	if (params_is_moe_layer(m, layer))
		kind |= LAYER_MOE;
	if (!params_is_global_layer(m, layer))
		kind |= LAYER_LOCAL;
	return kind;
}

void
stage_count(struct stage *s, const struct plan *p, const struct chunk *chunk, int64_t n,
    int usual)
{
	const struct model *m = &p->model;
	const bool alike = m->experts <= 0 && !params_has_local_layers(m);

	*s = (struct stage){ .layers = 0 };
	for (const struct chunk *c = chunk; c < chunk + n; c++) {
		const int64_t again = batch_layers_again(p, c->count);

		s->layers += c->count;
		s->mtp += c->mtp;
		s->embedding |= c->embedding;
		s->loss |= c->loss;
		if (alike) {
			s->kind[0] += c->count;
			s->again[0] += (double)again;
		}
		for (int32_t i = 0; i < c->count && !alike; i++) {
			const int kind = kind_of(m, c->first + i);

			s->kind[kind]++;
			s->again[kind] += i < again;
		}
	}
	s->kind[usual] += s->mtp; /* an MTP layer is like the last one */
	s->again[usual] += p->training.recompute != RECOMPUTE_NONE ? s->mtp : 0;
	s->layers += s->mtp;
	s->heads = s->loss + s->mtp;
}

void
parts_init(struct parts *parts, const struct plan *p, const struct machine *g)
{
	*parts = (struct parts){ .usual = kind_of(&p->model, p->model.layers - 1) };
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

static void
stage_add(struct stage *s, const struct work *w, double times, double again)
{
	s->forward += times * w->forward;
	s->backward += times * w->backward;
	s->weight += times * w->weight;
	s->recompute += again * w->recompute;
}

/* Traffic of the forward pass that recompute repeats. */
static void
stage_again(struct stage *s, const struct plan *p, bool split)
{
	const unsigned again = batch_again(p);
	const bool moe = (again & AGAIN_MOE) != 0;
	const bool shared = moe || (again & AGAIN_SHARED_EXPERTS) != 0;
	double layers = 0, experts = 0;

	for (int k = 0; k < LAYER_KINDS; k++) {
		layers += s->again[k];
		experts += k & LAYER_MOE ? s->again[k] : 0;
	}
	if (p->training.recompute == RECOMPUTE_FULL) {
		s->units[UNIT_HALF_AGAIN] = 2 * layers - (split ? 0 : experts);
		s->units[UNIT_ATTENTION_AGAIN] = layers;
		s->units[UNIT_MOE_AGAIN] = experts;
	} else {
		s->units[UNIT_HALF_AGAIN] = ((again & AGAIN_MLP) ? layers - experts : 0) +
		    (split && shared ? experts : 0);
		s->units[UNIT_ATTENTION_AGAIN] = (again & AGAIN_CORE_ATTN) ? layers : 0;
		s->units[UNIT_MOE_AGAIN] = moe ? experts : 0;
	}
}

void
stage_time(struct stage *s, struct parts *parts, const struct plan *p, const struct machine *g)
{
	/* TP splits experts too where a framework has no expert TP and EP does not. */
	const bool split = p->model.shared_expert_ffn_hidden_size > 0 ||
	    (framework_of(p)->tp_splits_experts && p->parallel.ep <= 1);
	double moe = 0;

	for (int k = 0; k < LAYER_KINDS; k++) {
		if (s->kind[k] <= 0)
			continue;
		if (!parts->done[k]) {
			parts->layer[k] = compute_layer(p, g, k, NULL);
			parts->done[k] = true;
		}
		stage_add(s, &parts->layer[k], s->kind[k], s->again[k]);
		moe += k & LAYER_MOE ? s->kind[k] : 0;
	}
	if (s->embedding)
		stage_add(s, &parts->embedding, 1, 0);
	stage_add(s, &parts->head, s->heads, 0);
	stage_add(s, &parts->mtp, s->mtp, 0);
	s->units[UNIT_HALF] = 2 * s->layers - (split ? 0 : moe);
	s->units[UNIT_ATTENTION] = s->layers;
	s->units[UNIT_MOE] = moe;
	s->units[UNIT_EMBEDDING] = s->embedding;
	s->units[UNIT_HEAD] = s->heads;
	stage_again(s, p, split);
}

double
stage_total(const struct stage *s)
{
	return s->forward + s->backward + s->recompute + s->exposed;
}

void
stage_note(const struct stage *s, const struct plan *p, const struct machine *g,
    struct ledger *ledger)
{
	static const char *const units[LAYER_KINDS] = {
		[0] = "layers", [LAYER_MOE] = "MoE layers", [LAYER_LOCAL] = "local layers",
		[LAYER_MOE | LAYER_LOCAL] = "local MoE layers"
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
