/*
 * params.c - parameter counts: the rows of matrix.def, read three ways.
 *
 * A counter divides each row by the ranks that share it, so the same rows count a whole model
 * (everything divided by 1), what one token meets (top-k experts instead of all) and what one GPU
 * of a stage holds.
 */
#include "core/model/params.h"

#include <math.h>
#include <string.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/engine/engine.h"
#include "core/framework/framework.h"
#include "core/model/matrix.h"
#include "core/plan/pool.h"

/* Who shares a row: all have it whole, TP, the TP of attention, or the ranks of an expert. */
enum share { SHARE_WHOLE, SHARE_TP, SHARE_ATTENTION, SHARE_EXPERT, SHARE_COUNT };

struct counter {
	struct matrix_of of;
	struct ledger *ledger;
	enum quantity quantity;
	double ranks[SHARE_COUNT];
	double experts;            /* routed experts of a layer that count here */
	double rest[SHARE_COUNT], linear[SHARE_COUNT], router; /* undivided, of one expert */
	double whole_inputs, inputs[SHARE_COUNT]; /* those that TP does not divide, and those of a share */
};

static enum share
share_of(const struct matrix *x)
{
	return x->row->traits & MATRIX_EXPERT ? SHARE_EXPERT :
	    x->row->split >= MODULE_WHOLE ? SHARE_WHOLE :
	    x->block < BLOCK_ATTENTION ? SHARE_ATTENTION : SHARE_TP;
}

/* A factor of a product, in brackets where it is a sum; nothing where it is 1. */
static void
add_factor(char *text, size_t size, const char *factor)
{
	if (!text_equal(factor, "1"))
		text_add(text, size, strchr(factor, ' ') != NULL ? "*(%s)" : "*%s", factor);
}

static void
explain(const struct counter *c, const struct matrix *x, enum share share)
{
	const double ranks = c->ranks[share], experts = share == SHARE_EXPERT ? c->experts : 1;
	const struct ledger_symbol extra[] = { { "TP=TP", ranks }, { "ETP=ETP", ranks },
		{ "experts=experts", c->experts }, { NULL, 0 } };
	char text[256] = "layers";

	add_factor(text, sizeof text, x->row->in);
	add_factor(text, sizeof text, x->row->out);
	text_add(text, sizeof text, "%s",
	    share == SHARE_EXPERT ? "*experts/ETP" : share == SHARE_WHOLE ? "" : "/TP");
	matrix_explain(c->ledger, c->quantity, x->all * experts / ranks,
	    x->block == BLOCK_LOCAL ? x->row->local : x->row->term, &c->of, x, text, extra);
}

/* Queries, keys and values read one input, and so do gate and up. */
static bool
reads_again(const struct matrix *x, const struct matrix *first)
{
	return x > first && x->block == x[-1].block && x->row->fusion != FUSION_APART &&
	    x->row->fusion == x[-1].row->fusion;
}

static void
count_inputs(struct counter *c, const struct matrix *x, const struct matrix *first)
{
	const double read = x->layers * x->in;

	if ((x->row->traits & (MATRIX_LINEAR | MATRIX_ROUTER)) == MATRIX_LINEAR && !reads_again(x, first))
		*(x->row->split == MODULE_ROWS ? &c->inputs[share_of(x)] : &c->whole_inputs) +=
		    share_of(x) == SHARE_EXPERT ? 0 : read;
}

static void
count(struct counter *c, unsigned blocks)
{
	struct matrix row[MATRIX_MAX];
	const int rows = matrix_list(&c->of, blocks, row);

	for (const struct matrix *x = row; x < row + rows; x++) {
		const unsigned traits = x->row->traits;
		const enum share share = share_of(x);

		if (traits & MATRIX_ROUTER)
			c->router += x->all;
		else
			*(traits & MATRIX_LINEAR ? &c->linear[share] : &c->rest[share]) += x->all;
		count_inputs(c, x, row);
		if (c->ledger != NULL)
			explain(c, x, share);
	}
}

static struct stage_params
counted(const struct counter *c)
{
	const double experts = c->experts / c->ranks[SHARE_EXPERT];
	struct stage_params n = { .router = c->router, .inputs = c->whole_inputs };

	n.dense = c->router;
	for (int i = 0; i < SHARE_EXPERT; i++) {
		n.inputs += c->inputs[i] / c->ranks[i];
		n.linear += c->linear[i] / c->ranks[i];
		n.dense += (c->linear[i] + c->rest[i]) / c->ranks[i];
	}
	n.tp_linear = c->linear[SHARE_TP] / c->ranks[SHARE_TP];
	n.expert_linear = c->linear[SHARE_EXPERT] * experts;
	n.expert = (c->linear[SHARE_EXPERT] + c->rest[SHARE_EXPERT]) * experts;
	return n;
}

static struct counter
counter_whole(const struct model *m, const struct layer_kinds *kinds, struct ledger *ledger,
    enum quantity q)
{
	return (struct counter){
		.of = { m, kinds, (double)m->vocab_size, 0 }, .ledger = ledger, .quantity = q,
		.ranks = { 1, 1, 1, 1 }, .experts = (double)m->experts,
	};
}

static double
counter_sum(const struct counter *c)
{
	const struct stage_params n = counted(c);

	return n.dense + n.expert;
}

int64_t
params_padded_vocab(const struct plan *p)
{
	const enum vocab_padding padding = framework_of(p)->vocab;
	int64_t to = 1;

	if (p->mode == MODE_TRAIN && padding != VOCAB_AS_IS)
		to = padding == VOCAB_TO_TP ? p->parallel.tp : p->model.vocab_multiple * p->parallel.tp;
	if (to < 1)
		return p->model.vocab_size;
	return rounded_up(p->model.vocab_size, to);
}

struct layer_params
params_layer(const struct model *m, int64_t layer)
{
	const struct layer_kinds k = params_kinds(m, layer, 1);
	struct counter c = counter_whole(m, &k, NULL, QUANTITY_PARAMS_TOTAL);
	struct stage_params n;
	double whole;

	count(&c, MATRIX_LAYERS);
	n = counted(&c);
	whole = c.router + c.linear[SHARE_WHOLE] + c.rest[SHARE_WHOLE];
	return (struct layer_params){ .sharded = n.dense - whole, .replicated = whole,
		.expert = n.expert };
}

static double
count_model(struct counter *c)
{
	count(c, MATRIX_LAYERS | MATRIX_BLOCK(EMBEDDING) | MATRIX_BLOCK(LOSS) |
	    (c->of.m->tied_embeddings ? 0 : MATRIX_BLOCK(HEAD)));
	return counter_sum(c);
}

static double
count_active(const struct model *m, struct ledger *ledger)
{
	const struct layer_kinds k = params_kinds(m, 0, m->layers);
	struct counter c = counter_whole(m, &k, ledger, QUANTITY_PARAMS_ACTIVE);

	c.experts = params_experts_met(m);
	return count_model(&c);
}

double
params_active(const struct model *m)
{
	return count_active(m, NULL);
}

struct model_params
params_model(const struct plan *p, struct ledger *ledger)
{
	const struct model *m = &p->model;
	const struct layer_kinds k = params_kinds(m, 0, m->layers), depth = params_mtp_kinds(m);
	struct counter all = counter_whole(m, &k, ledger, QUANTITY_PARAMS_TOTAL);
	struct counter mtp = counter_whole(m, &depth, NULL, QUANTITY_PARAMS_TOTAL);
	struct model_params out;

	if (ledger != NULL)
		ledger->stage = -1;
	out.total = count_model(&all);
	out.active = count_active(m, ledger);
	out.embedding = (double)m->vocab_size * (double)m->hidden_size;
	mtp.of.mtp = 1;
	count(&mtp, MATRIX_LAYERS | MATRIX_BLOCK(MTP));
	out.mtp = (double)m->mtp_layers * counter_sum(&mtp);
	return out;
}

/* Ranks that split an expert. Where no expert TP exists it is TP that splits them unless EP does;
 * in vLLM with its data parallel ranks. */
static double
expert_tp(const struct plan *p)
{
	const double tp = at_least_one(p->parallel.tp);

	if (p->parallel.ep <= 1 && p->mode == MODE_SERVE)
		return engine_of(p)->experts_over_all ? tp * pool_engine_dp(p) : tp;
	return p->parallel.ep <= 1 && framework_of(p)->tp_splits_experts ? tp :
	    at_least_one(p->parallel.etp);
}

double
params_expert_slots(const struct plan *p)
{
	return at_least_one(p->model.experts) +
	    (p->mode == MODE_SERVE ? (double)p->serving.redundant_experts : 0);
}

double
params_expert_ranks(const struct plan *p)
{
	return at_least_one(p->parallel.ep) * expert_tp(p);
}

/*
 * How a serving engine splits differently (vLLM model_executor/layers/linear.py,
 * QKVParallelLinear): every GPU holds whole KV heads, at least one; whole experts with
 * EP; and all of the attention where that runs data parallel, in vLLM all but the experts.
 */
static void
split_for_serving(struct counter *c, const struct plan *p, struct model *m)
{
	*m = p->model;
	c->of.m = m;
	if (p->serving.dp_attention)
		c->ranks[SHARE_ATTENTION] = 1;
	if (engine_dense_is_whole(p))
		c->ranks[SHARE_TP] = 1;
	m->kv_heads = rounded_up(m->kv_heads, (int64_t)c->ranks[SHARE_ATTENTION]);
	m->local_kv_heads = rounded_up(m->local_kv_heads, (int64_t)c->ranks[SHARE_ATTENTION]);
	c->experts = ceil(c->experts + (double)p->serving.redundant_experts / at_least_one(p->parallel.ep));
}

/* Blocks of a rank: with tied embeddings another rank than the first has a copy for its head. */
static unsigned
blocks_of(const struct model *m, const struct rank_layers *r)
{
	unsigned blocks = MATRIX_LAYERS;

	if (r->embedding)
		blocks |= MATRIX_BLOCK(EMBEDDING);
	if (r->loss)
		blocks |= MATRIX_BLOCK(LOSS) | (!m->tied_embeddings ? MATRIX_BLOCK(HEAD) :
		    r->embedding ? 0 : MATRIX_BLOCK(HEAD_COPY));
	if (r->mtp > 0)
		blocks |= MATRIX_BLOCK(MTP) | (r->pipelined && !r->embedding ? MATRIX_BLOCK(MTP_COPY) : 0);
	return blocks;
}

struct stage_params
params_held(const struct plan *p, const struct rank_layers *r, struct ledger *ledger)
{
	struct counter c = counter_whole(&p->model, &r->kinds, ledger, QUANTITY_PARAMS_GPU);
	struct model serving;

	c.ranks[SHARE_TP] = c.ranks[SHARE_ATTENTION] = at_least_one(p->parallel.tp);
	c.ranks[SHARE_EXPERT] = expert_tp(p);
	c.experts /= at_least_one(p->parallel.ep);
	c.of.vocab = (double)params_padded_vocab(p);
	c.of.mtp = (double)r->mtp;
	if (p->mode == MODE_SERVE)
		split_for_serving(&c, p, &serving);
	if (ledger != NULL)
		ledger->stage = (int32_t)r->rank;
	count(&c, blocks_of(&p->model, r));
	return counted(&c);
}

double
params_of_stage(const struct plan *p, const struct stage_params *held)
{
	return held->dense * at_least_one(p->parallel.tp) + held->expert * params_expert_ranks(p);
}

struct stage_params
params_stage(const struct plan *p, const struct placement *pl, int64_t pp_rank,
    struct ledger *ledger)
{
	const struct rank_layers r = params_rank(p, pl, pp_rank);

	return params_held(p, &r, ledger);
}
