#include "core/run/checkpoint.h"

#include "core/base/ledger.h"
#include "core/base/number.h"
#include "core/framework/checkpoints.h"
#include "core/framework/framework.h"
#include "core/framework/recipe.h"
#include "core/model/adapters.h"
#include "core/train/finetune.h"

/* ---- bytes -------------------------------------------------------------------------------- */

double
checkpoint_params(const struct plan *p, const struct model_params *model, double trained)
{
	const double padding = (double)((params_padded_vocab(p) - p->model.vocab_size) *
	    p->model.hidden_size * (p->model.tied_embeddings ? 1 : 2));

	if (adapters_only(p))
		return trained;
	return model->total + padding + (framework_mtp_layers(p) > 0 ? model->mtp : 0);
}

/* Shares of all parameters: of the stage that holds most; of matrices, whose moments may differ. */
struct shares {
	double stage, matrices;
};

static struct shares
find_shares(const struct plan *p, const struct placement *pl)
{
	const double tp = (double)p->parallel.tp, experts = params_expert_ranks(p);
	double sum = 0, most = 0, matrices = 0, on = 0, matrix = 0;

	for (int64_t s = 0; s < pl->pp; s++) {
		if (!params_as_before(p, pl, s)) {
			const struct rank_layers layers = params_rank(p, pl, s);
			const struct stage_params held = params_held(p, &layers, NULL);

			on = held.dense * tp + held.expert * experts;
			matrix = (held.linear + held.router) * tp + held.expert * experts;
		}
		sum += on;
		matrices += matrix;
		most = larger(most, on);
	}
	return sum > 0 ? (struct shares){ most / sum, matrices / sum } : (struct shares){ 1, 1 };
}

/* Bytes of a parameter. */
struct saved {
	double weight, master, moments, matrix_moments;
};

/* As in memory, wherever that is: what is offloaded is saved too, and an optimizer that keeps the
 * lower half of its copy saves the whole. Hugging Face's Trainer alone has no copy. */
static struct saved
saved_of(const struct plan *p, const struct checkpoint_format *f)
{
	struct recipe framework = { .weight = 0 }, r;
	struct finetune_recipes tuned;
	struct plan here = *p;
	struct saved s;

	here.parallel.offload = OFFLOAD_NONE;
	framework_of(p)->state(&framework, &here);
	tuned = finetune_recipes(&here, &framework);
	r = adapters_only(p) ? tuned.adapters : tuned.base;
	s = (struct saved){ r.weight, r.master > 0 ? 4 : 0, r.moments, r.matrix_moments };
	if (f->writes == WRITER_FIRST && s.master > 0) {
		s.master = 0;
		s.moments *= s.weight / 4;
		s.matrix_moments *= s.weight / 4;
	}
	if ((f->sets & RULES_MEGATRON) != 0 && !(s.master > 0) && p->parallel.zero_stage > 0)
		s.master = 4; /* of its own, also in fp32 */
	return s;
}

/* Ranks that write a part of the state, on each stage and from each node. */
struct writers {
	double stage, node;
};

static struct writers
writers_of(const struct plan *p, const struct checkpoint_format *f, bool sharded, double gpus)
{
	const double pp = at_least_one(p->parallel.pp), stage = gpus / pp;
	const double tp = at_least_one(p->parallel.tp), node = (double)p->cluster.gpus_per_node;

	if (f->writes == WRITER_EVERY || (sharded && !f->gathers))
		return (struct writers){ stage, smaller(node, gpus) };
	if (f->writes == WRITER_REPLICA)
		return (struct writers){ tp, smaller(node, tp) };
	return (struct writers){ 1, 1 };
}

static void
put_writers(struct checkpoint *c, const struct plan *p, const struct checkpoint_format *f,
    double share, double gpus)
{
	const bool first = f->writes == WRITER_FIRST;
	const struct writers w = writers_of(p, f, p->parallel.zero_stage >= 3, gpus);
	const struct writers o = writers_of(p, f, framework_zero(p) >= 1, gpus);
	const double of_stage = first ? 1 : share;

	c->rank = of_stage * (c->weights / w.stage + c->optimizer / o.stage);
	c->node = of_stage * (c->weights / w.stage * w.node + c->optimizer / o.stage * o.node);
	c->writers = first ? 1 : larger(w.stage, o.stage) * at_least_one(p->parallel.pp);
	c->host = f->staged || checkpoint_is_async(p) ? c->node : 0;
}

/* All weights once more, which the first rank has in its host's memory before it writes them. */
static void
add_gathered(struct checkpoint *c, double params, struct ledger *ledger)
{
	double whole = 0;

	LEDGER_TERM(ledger, whole, QUANTITY_CHECKPOINT, "whole weights in 16 bits",
	    "DeepSpeed deepspeed/runtime/engine.py, save_16bit_model", 2 * params,
	    AS("parameters", params));
	c->weights += whole;
	c->all += whole;
	c->rank += whole;
	c->node += whole;
	c->host += whole;
}

struct checkpoint
checkpoint_of(const struct plan *p, const struct placement *pl, double gpus, double params,
    struct ledger *ledger)
{
	const struct checkpoint_format *f = checkpoint_format_of(p);
	const enum quantity q = QUANTITY_CHECKPOINT;
	struct checkpoint c = { .all = 0 };
	struct shares shares;
	double matrices, rest;
	struct saved s;

	if (f == NULL)
		return c;
	s = saved_of(p, f);
	shares = find_shares(p, pl);
	matrices = params * (adapters_only(p) ? 1 : shares.matrices);
	rest = params - matrices;
	LEDGER_TERM(ledger, c.weights, q, "weights", f->source, params * s.weight,
	    AS("parameters", params), AS("bytes", s.weight));
	if (s.master > 0)
		LEDGER_TERM(ledger, c.optimizer, q, "fp32 copy of weights", f->source, params * s.master,
		    AS("parameters", params), AS("bytes", s.master));
	LEDGER_TERM(ledger, c.optimizer, q, "optimizer moments", f->source,
	    matrices * s.matrix_moments + rest * s.moments, AS("parameters of matrices", matrices),
	    AS("bytes", s.matrix_moments), AS("others", rest), AS("bytes", s.moments));
	c.all = c.weights + c.optimizer;
	put_writers(&c, p, f, shares.stage, gpus);
	if (p->run.gather_16bit && checkpoint_can_gather(p))
		add_gathered(&c, params, ledger);
	return c;
}
