#include "core/model/saved.h"

#include "core/base/number.h"
#include "core/framework/framework.h"
#include "core/model/modules.h"

bool
saved_by_operation(const struct plan *p)
{
	return p->training.recompute == RECOMPUTE_SELECTIVE && framework_of(p)->by_operation != NULL &&
	    !modules_eager(p) && p->model.layer_pattern[0] == '\0' && !p->model.linear_attention;
}

bool
saved_product(int product)
{
	return product % 2 == 0;
}

/* Of a layer, counted as far as one is. */
struct operations {
	int count;
	double kept; /* bytes */
};

static void
add_product(struct operations *o, double bytes)
{
	o->kept += saved_product(o->count++) ? bytes : 0;
}

/* A product whose inputs TP splits: what it gives is a part of a sum on each rank. */
static void
add_sum(struct operations *o, const struct activation *c)
{
	const double h = (double)c->p->model.hidden_size;

	add_product(o, c->a * c->tokens * h);
	o->kept += c->tp > 1 ? c->a * c->local * h : 0;
}

static struct operations
attention_operations(const struct sink *s, bool local)
{
	const struct activation *c = s->c;
	const struct model *m = s->m;
	const bool mla = m->attention == ATTENTION_MLA;
	const double n = params_query_heads(m, local) / c->tp, k = larger(1, params_kv_heads(m, local) / c->tp);
	const double d = params_key_dim(m, local), v = params_value_dim(m, local), byte = c->a * c->tokens;
	const double ql = (double)m->q_lora_rank, kl = (double)m->kv_lora_rank, rope = (double)m->qk_rope_head_dim;
	struct operations o = { 0 };

	if (mla && ql > 0)
		add_product(&o, byte * ql);
	add_product(&o, byte * n * d);
	add_product(&o, byte * (mla ? kl + rope : k * d));
	add_product(&o, byte * (mla ? n * (d - rope + v) : k * v));
	o.kept += byte * n * v + 4 * c->tokens * n;
	add_sum(&o, c);
	return o;
}

/* Gate, up and down. */
static void
add_mlp_products(struct operations *o, const struct sink *s, double width)
{
	add_product(o, s->c->a * s->c->tokens * width / s->c->tp);
	if (s->m->gated_mlp)
		add_product(o, s->c->a * s->c->tokens * width / s->c->tp);
	add_sum(o, s->c);
}

#define SAVED(s, name, layers, bytes) \
	KEPT(s, name, framework_of((s)->c->p)->by_operation, (layers) * (bytes), AS("L", layers), AS("bytes of a layer", bytes))

void
saved_add_attention(const struct sink *s, const struct layer_kinds *k)
{
	const double h = (double)s->m->hidden_size, input = s->c->a * s->c->local * h;
	const bool mla = s->m->attention == ATTENTION_MLA;
	const double global = attention_operations(s, false).kept, local = attention_operations(s, !mla).kept;

	if (k->all > 0)
		SAVED(s, "inputs of layers", k->all, input);
	if (k->global > 0)
		SAVED(s, "each second product, and attention", k->global, global);
	if (k->local > 0)
		SAVED(s, "each second product, and local attention", k->local, local);
}

void
saved_add_mlps(const struct sink *s, const struct layer_kinds *k)
{
	const struct activation *c = s->c;
	struct operations dense = { .count = attention_operations(s, false).count }, moe = dense;

	add_mlp_products(&dense, s, (double)s->m->ffn_hidden_size);
	if (s->m->shared_expert_ffn_hidden_size > 0)
		add_mlp_products(&moe, s, (double)s->m->shared_expert_ffn_hidden_size);
	if (c->p->parallel.ep > 1)
		moe.kept += 2 * c->a * c->routed * params_expert_width(s->m);
	if (k->dense > 0)
		SAVED(s, "each second product of MLPs", k->dense, dense.kept);
	if (k->moe > 0 && moe.kept > 0)
		SAVED(s, "each second product of shared experts, and what goes to routed ones and back", k->moe, moe.kept);
}
