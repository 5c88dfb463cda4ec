/*
 * memory_state.c - the framework's recipe (framework/recipe.h) says how many bytes each parameter
 * takes in each role and over how many ranks each role is sharded; the terms follow from it.
 */
#include "core/train/memory_state.h"

#include "core/base/number.h"
#include "core/framework/framework.h"
#include "core/model/modules.h"

/* One term: parameters x bytes / ranks. */
static inline void
term(struct ledger *ledger, enum quantity q, double *sum, double params, double bytes,
    double ranks, const char *name, const char *source)
{
	if (params <= 0 || bytes <= 0)
		return;
	LEDGER_TERM(ledger, *sum, q, name, source, params * bytes / ranks,
	    AS("parameters", params), IS(bytes), IS(ranks));
}

static void
add_parameters(const struct holding *h, const struct recipe *r, double *sum)
{
	const struct stage_params *n = &h->params;
	const struct shards over = shards_over(r->shard_weights, h->shards);
	const double d = over.dense, e = over.expert;
	const enum quantity q = QUANTITY_PARAMETERS;

	term(h->ledger, q, sum, n->linear, r->linear, d, "weights of linear layers",
	    r->weight_source);
	term(h->ledger, q, sum, n->dense - n->linear, r->weight, d,
	    "other weights", r->weight_source);
	term(h->ledger, q, sum, n->expert_linear, r->experts_plain ? r->weight : r->experts > 0 ? r->experts : r->linear, e,
	    "weights of routed experts", r->weight_source);
	term(h->ledger, q, sum, n->expert - n->expert_linear, r->weight, e,
	    "biases of routed experts", r->weight_source);
	term(h->ledger, q, sum, n->linear, r->copy, d, "FP8 copies of linear weights",
	    r->weight_source);
	term(h->ledger, q, sum, n->expert_linear, r->copy, e, "FP8 copies of expert weights",
	    r->weight_source);
	term(h->ledger, q, sum, n->dense, r->gathered, 1, "gathered weights", r->weight_source);
	term(h->ledger, q, sum, n->expert, r->gathered, 1, "gathered weights of routed experts",
	    r->weight_source);
}

static void
add_gradients(const struct holding *h, const struct recipe *r, double *sum)
{
	const struct shards over = shards_over(r->shard_gradients, h->shards);

	term(h->ledger, QUANTITY_GRADIENTS, sum, h->params.dense, r->gradient, over.dense, "gradients",
	    r->gradient_source);
	term(h->ledger, QUANTITY_GRADIENTS, sum, h->params.expert, r->gradient, over.expert,
	    "gradients of routed experts", r->gradient_source);
}

/* State that takes `matrix` bytes for the weights of linear layers and router, `rest`
 * bytes for everything else. */
static void
add_state(const struct holding *h, const struct recipe *r, double *sum, double matrix,
    double rest, const char *const name[3])
{
	const struct stage_params *n = &h->params;
	const double matrices = n->linear + n->router;
	const struct shards over = shards_over(r->shard_optimizer, h->shards);
	const double d = over.dense, e = over.expert;
	const enum quantity q = QUANTITY_OPTIMIZER;
	const char *source = r->optimizer_source;

	if (r->whole_rest || matrix < rest || rest < matrix) {
		term(h->ledger, q, sum, matrices, matrix, d, name[0], source);
		term(h->ledger, q, sum, n->dense - matrices, rest, r->whole_rest ? 1 : d, name[2],
		    source);
	} else {
		term(h->ledger, q, sum, n->dense, matrix, d, name[0], source);
	}
	term(h->ledger, q, sum, n->expert, matrix, e, name[1], source);
}

static void
add_optimizer(const struct holding *h, const struct recipe *r, double *sum)
{
	static const char *const masters[3] = { "master weights",
		"master weights of routed experts", "master weights of embedding, head and norms" };
	static const char *const copies[3] = { "fp32 copy of gradients",
		"fp32 copy of gradients of routed experts",
		"fp32 copy of gradients of embedding, head and norms" };
	static const char *const moments[3] = { "optimizer moments",
		"optimizer moments of routed experts",
		"optimizer moments of embedding, head and norms" };

	add_state(h, r, sum, r->master, r->master, masters);
	add_state(h, r, sum, r->gradient_copy, r->gradient_copy, copies);
	add_state(h, r, sum, r->matrix_moments, r->moments, moments);
}

void
state_add(const struct holding *h, const struct recipe *r, struct memory *out)
{
	add_parameters(h, r, &out->parameters);
	add_gradients(h, r, &out->gradients);
	add_optimizer(h, r, &out->optimizer);
}

void
state_add_step(const struct holding *h, const struct recipe *r, double blocks, double transients,
    struct memory *out)
{
	const struct shards over = shards_over(r->shard_optimizer, h->shards);
	const double all = h->params.dense / over.dense + h->params.expert / over.expert;
	const double n = r->shard_weights ? smaller(all, 1e9) : all;
	const double freed = out->activations + out->logits + transients;

	if (n * r->step_copy + blocks > freed)
		LEDGER_TERM(h->ledger, out->buffers, QUANTITY_BUFFERS,
		    "fp32 copies in the step", r->optimizer_source,
		    n * r->step_copy + blocks - freed, AS("parameters", n), AS("bytes", r->step_copy),
		    AS("blocks beside them", blocks), AS("(activations + logits + transients)", freed));
}

/*
 * PyTorch's AdamW for GPUs, where nobody asks for another, steps by foreach: since 2.0 (pytorch pull
 * request 95415). A loop of one's own has that; the Trainer had it from transformers 4.32, before
 * which AdamW was its own (25109), to 4.54 with PyTorch 2.8, which take the fused one (37358).
 * Measured on an H100 with PyTorch 2.11: 4.19 bytes of each parameter that is trained in fp32, 2.1
 * in bf16, which is the denominator of all (torch/optim/adam.py, _multi_tensor_adam).
 */
#define FOREACH_COPIES 1.05

static bool
steps_by_foreach(const struct plan *p)
{
	if (framework_of(p)->gradients_in_precision && (plan_has_rl(p) || !modules_autocast(p)))
		return false; /* DeepSpeed's, which its trainers of rollouts and loops of one's own take */
	return modules_autocast(p) ? !framework_before(p, 202308) && framework_before(p, 202508) :
	    !framework_before(p, 202303);
}

/*
 * DeepSpeed steps over sub-groups, of 1e9 parameters on a rank under ZeRO-3 (deepspeed/runtime/zero/config.py,
 * sub_group_size), all of them else. It flattens the gradients of one and makes an fp32 copy of that, which
 * stays while the optimizer steps (stage3.py, _prepare_fp32_grad_for_sub_group; stage_1_and_2.py, step): the
 * Trainer's own where the settings of DeepSpeed name none (transformers integrations/deepspeed.py,
 * deepspeed_optim_sched). What fp32 masters were made through at the start is one block of an fp32 sub-group,
 * which activations find free (_create_fp32_partitions, initialize_optimizer_states).
 */
#define SUB_GROUP 1e9

static struct step_bytes
step_of_groups(const struct plan *p, const struct recipe *r, double all)
{
	const double n = framework_zero(p) >= 3 ? smaller(all, SUB_GROUP) : all;
	const double foreach = steps_by_foreach(p) ? 4 * FOREACH_COPIES : 0;

	if (r->step_copy <= 0)
		return (struct step_bytes){ 0, 0 };
	return (struct step_bytes){ n * (r->step_copy + larger(r->gradient, foreach)), n * 4 };
}

struct step_bytes
state_step_bytes(const struct memory_setup *s, const struct holding *h, const struct rank_view *v)
{
	const struct recipe *r = adapters_only(s->p) ? &s->adapters : &s->recipe;
	const struct shards over = shards_over(r->shard_optimizer, &s->shards);
	const struct model *m = &s->p->model;
	const double width = (double)m->hidden_size;
	const double table = (double)params_padded_vocab(s->p) * width;
	const double experts = (double)m->experts * 2 * (double)m->moe_ffn_hidden_size * width;
	const double all = h->params.dense / over.dense + h->params.expert / over.expert;

	if (adapters_only(s->p))
		return (struct step_bytes){ r->step_copy * (v->trained.dense / over.dense +
		    v->trained.expert / over.expert) + s->saved.step_copy * v->trained.saved / over.dense, 0 };
	if (framework_of(s->p)->gradients_in_precision)
		return step_of_groups(s->p, r, all);
	if (steps_by_foreach(s->p))
		return (struct step_bytes){ r->step_copy * FOREACH_COPIES * all, 0 };
	return (struct step_bytes){ r->step_copy * smaller(
	    2 * larger(table / over.dense, experts / params_expert_ranks(s->p) / over.expert), all), 0 };
}
