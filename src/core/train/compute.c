#include "core/train/compute.h"

#include <math.h>
#include <string.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/framework/framework.h"
#include "core/model/adapters.h"
#include "core/model/params.h"
#include "core/plan/batch.h"
#include "core/plan/hardware.h"
#include "core/train/compute_job.h"

#define GEMM_SOURCE "ai-dynamo/aiconfigurator systems/data (GEMM tables)"
#define CORE_SOURCE "Dao 2023, arXiv 2307.08691; share chosen on the rows of make accuracy"
#define MEMORY_SOURCE \
	"Williams et al. 2009, doi 10.1145/1498765.1498785; share of the memory rate assumed"

/* Bytes that the backward pass of a memory-bound operation moves, over those of its forward
 * pass; share of the compute rate that a gated delta rule reaches. */
#define MOVED_BACKWARD 1.8
#define DELTA_SHARE 0.3

/* ---- parts ------------------------------------------------------------------------ */

static const struct part qkv = PRODUCT("QKV projection", "m x n x k: T x (n*d + k*(d+v))/TP x h");
static const struct part output = PRODUCT("attention output projection",
    "m x n x k: T x h x n*v/TP");
static const struct part q_down = PRODUCT("query down-projection", "m x n x k: Ts x ql x h");
static const struct part kv_down = PRODUCT("KV down-projection", "m x n x k: Ts x (kl+rope) x h");
static const struct part q_up = PRODUCT("query projection",
    "m x n x k: T x n*(nope+rope)/TP x ql or h");
static const struct part kv_up = PRODUCT("KV up-projection", "m x n x k: T x n*(nope+v)/TP x kl");
static const struct part delta_in = PRODUCT("linear attention: input projections",
    "m x n x k: T x 2*(k+v)/TP x h");
static const struct part delta_out = PRODUCT("linear attention: output projection",
    "m x n x k: T x h x v/TP");
static const struct part router = PRODUCT("router", "m x n x k: T/TP x experts x h");
static const struct part head = PRODUCT("LM head", "m x n x k: T x vocabulary/TP x h");
static const struct part mtp = PRODUCT("MTP projection", "m x n x k: T x h/TP x 2*h");

static const struct part rotary = { .name = "copies and rotation of queries and keys",
	.size = "bytes: 8*T*(n+2*k)*d/TP" };
static const struct part rotary_mla = { .name = "copies and rotation of queries and keys",
	.size = "bytes: 8*T*n*(2*(nope+rope)+v)/TP" };
static const struct part delta_copies = { .name = "linear attention: copies, convolution, norms",
	.size = "bytes: 16*T*(k+v)/TP" };
static const struct part permute = { .name = "tokens permuted to experts and back",
	.size = "bytes: 8*routed*h" };
static const struct part routing = { .name = "probabilities and choice of experts",
	.size = "bytes: 12*T/TP*experts" };
static const struct part norms = { .name = "norms and residual additions",
	.size = "bytes: 22*Ts*h" };
static const struct part layernorms = { .name = "norms", .size = "bytes: 8*Ts*h" };
static const struct part embedding = { .name = "embedding", .size = "bytes: 8*Ts*h" };
static const struct part loss = { .name = "loss", .size = "bytes: 6*T*vocabulary/TP, backward 4" };
static const struct part softmax = { .name = "softmax of attention scores",
	.size = "bytes: 13*scores, backward 20" };

/* The products of an MLP and what is between them. */
struct mlp_parts {
	struct part up, down, activation;
};

#define MLP(of, tokens, f) { \
	PRODUCT(of " up-projection", "m x n x k: " tokens " x " f " (twice if gated) x h"), \
	PRODUCT(of " down-projection", "m x n x k: " tokens " x h x " f), \
	{ .name = of " activation", .size = "bytes: (2*up+2)*" tokens "*" f ", up 2 if gated" } }

static const struct mlp_parts dense_mlp = MLP("MLP", "T", "f/TP");
static const struct mlp_parts shared_mlp = MLP("shared experts'", "T", "f/TP");
static const struct mlp_parts expert_mlp = MLP("experts'", "routed/experts", "f/ETP");

/* ---- primitives ------------------------------------------------------------------- */

/* m x n x k products, `times` one after the other (Transformer Engine transformer_engine/
 * common/gemm, multi-stream cuBLAS), `extra` bytes moved besides the operands. */
struct product {
	const struct rate *rate;
	double times, m, n, k, extra;
};

static double
join(double a, double b, int power)
{
	if (power == 2)
		return sqrt(a * a + b * b);
	a *= a;
	b *= b;
	return sqrt(cbrt(a * a * a + b * b * b));
}

static inline double
product_bytes(const struct machine *g, const struct product *x)
{
	return g->width * (x->m * x->k + x->k * x->n) + 2 * x->m * x->n + x->extra;
}

static inline double
product_seconds(const struct machine *g, const struct product *x)
{
	return x->times * (g->launch + join(2 * x->m * x->n * x->k / x->rate->reached,
	    product_bytes(g, x) / g->hbm.reached, g->power));
}

double
compute_memory(const struct machine *g, double bytes)
{
	return bytes > 0 ? bytes / g->vector.reached + g->kernel : 0;
}

/* A term: its name and source, and its formula for one part, in symbols and in numbers. */
struct remark {
	const char *name, *source, *size;
	char symbols[96], numbers[160];
};

static void
note_in(const struct job *j, enum quantity q, double times, double seconds,
    const struct remark *r)
{
	if (times > 0 && seconds > 0)
		ledger_note(j->tally->ledger, q, times * seconds, r->name, r->source,
		    "%s*%s = %.10g*%s s, %s", j->tally->unit, r->symbols, times, r->numbers, r->size);
}

static void
note(const struct job *j, bool backward, double seconds, const struct remark *r)
{
	const struct tally *t = j->tally;

	if (!j->only_again)
		note_in(j, backward ? QUANTITY_BACKWARD : QUANTITY_FORWARD, t->times, seconds, r);
	if (j->again && !backward)
		note_in(j, QUANTITY_RECOMPUTE, t->again, seconds, r);
}

static void
note_product(const struct job *j, bool backward, const struct product *x, const char *name,
    const char *size)
{
	const struct machine *g = j->g;
	const int q = g->power;
	struct remark r = { .name = name, .source = GEMM_SOURCE, .size = size };

	if (x->times > 1) {
		text_put(r.symbols, sizeof r.symbols, "products*");
		text_put(r.numbers, sizeof r.numbers, "%.10g*", x->times);
	}
	text_add(r.symbols, sizeof r.symbols,
	    "(t0 + ((2*m*n*k/rate)^%d + (bytes/memory rate)^%d)^(1/%d))", q, q, q);
	text_add(r.numbers, sizeof r.numbers,
	    "(%.7g + ((2*%.10g*%.10g*%.10g/(%.7g*%.7g))^%d + (%.10g/(%.7g*%.7g))^%d)^(1/%d))",
	    g->launch, x->m, x->n, x->k, x->rate->reached / x->rate->peak, x->rate->peak, q,
	    product_bytes(g, x), g->hbm.reached / g->hbm.peak, g->hbm.peak, q, q);
	note(j, backward, product_seconds(g, x), &r);
}

/* factor: how many times as long as those bytes take. */
static void
note_memory(const struct job *j, bool backward, double factor, double bytes, const char *name,
    const char *size)
{
	const struct rate *v = &j->g->vector;
	struct remark r = { .name = name, .source = MEMORY_SOURCE, .size = size };

	if (factor > 1)
		text_put(r.numbers, sizeof r.numbers, "%.10g*", factor);
	text_put(r.symbols, sizeof r.symbols, "%s(bytes/memory rate + t0)", r.numbers);
	text_add(r.numbers, sizeof r.numbers, "(%.10g/(%.7g*%.7g) + %.7g)", bytes,
	    v->reached / v->peak, v->peak, j->g->kernel);
	note(j, backward, factor * compute_memory(j->g, bytes), &r);
}

/* `times` kernels, each of so many times the FLOP of the forward pass. */
static void
note_core(const struct job *j, bool backward, double times, double factor, double flop,
    const struct rate *rate, const char *name, const char *size)
{
	struct remark r = { .name = name, .source = CORE_SOURCE, .size = size };

	if (times > 1)
		text_put(r.numbers, sizeof r.numbers, "%.3g*", times);
	text_put(r.symbols, sizeof r.symbols, "%s(factor*FLOP/rate + t0)", r.numbers);
	text_add(r.numbers, sizeof r.numbers, "(%.3g*%.10g/(%.7g*%.7g) + %.7g)", factor, flop,
	    rate->reached / rate->peak, rate->peak, j->g->launch);
	note(j, backward, times * (factor * flop / rate->reached + j->g->launch), &r);
}

static void
add_forward(struct job *j, double seconds)
{
	j->w.forward += seconds;
	if (j->again)
		j->w.recompute += seconds;
}

static void
add_work(struct work *sum, const struct work *w)
{
	sum->forward += w->forward;
	sum->backward += w->backward;
	sum->weight += w->weight;
	sum->recompute += w->recompute;
}

/* The three products of a layer, of which frozen weights need no own gradient; that is added
 * up in fp32. */
static void
products(struct job *j, const struct part *part, const struct rate *rate, double times,
    double tokens, double out, double in)
{
	const struct product forward = { rate, times, tokens, out, in, 0 };
	const struct product input = { rate, times, tokens, in, out, 0 };
	const struct product gradient = { rate, times, in, out, tokens, 6 * in * out };
	const double weight = j->frozen ? 0 : product_seconds(j->g, &gradient);

	add_forward(j, product_seconds(j->g, &forward));
	j->w.backward += product_seconds(j->g, &input) + weight;
	j->w.weight += weight;
	if (j->tally != NULL) {
		note_product(j, false, &forward, part->name, part->size);
		note_product(j, true, &input, part->input, part->size);
		if (!j->frozen)
			note_product(j, true, &gradient, part->weight, part->size);
	}
}

/* A linear layer. In FP8 what goes into it is cast before the products, forward its input
 * and backward the gradient of its output, and kept transposed as well. */
static void
linear(struct job *j, const struct part *part, const struct rate *rate, double times,
    double tokens, double out, double in)
{
	const double moved = j->g->cast * times * tokens;

	products(j, part, rate, times, tokens, out, in);
	add_forward(j, compute_memory(j->g, moved * in));
	j->w.backward += compute_memory(j->g, moved * out);
	if (j->tally != NULL) {
		note_memory(j, false, 1, moved * in, part->cast, "bytes: 4*products*m*k");
		note_memory(j, true, 1, moved * out, part->cast_back, "bytes: 4*products*m*n");
	}
}

/* Memory-bound operations: bytes of the forward pass; backward moves 1.8 times as much. */
static void
vector(struct job *j, const struct part *part, double bytes)
{
	const double t = compute_memory(j->g, bytes);

	add_forward(j, t);
	j->w.backward += MOVED_BACKWARD * t;
	if (j->tally != NULL) {
		note_memory(j, false, 1, bytes, part->name, part->size);
		note_memory(j, true, MOVED_BACKWARD, bytes, part->name, part->size);
	}
}

/* ---- attention -------------------------------------------------------------------- */

/* Scores stored: two batched products each way and the softmax between them, which reads
 * and writes the score matrix (13 and 20 bytes a score: mask, softmax, dropout). */
static void
core_unfused(struct job *j, double heads)
{
	const struct model *m = &j->p->model;
	const struct machine *g = j->g;
	const double s = (double)j->p->training.sequence_length;
	const double queries = s / at_least_one(j->p->parallel.cp);
	const double batch = (double)j->p->training.micro_batch_size * heads;
	const double scores = batch * queries * s;
	struct product score = { &g->plain, 1, batch * queries, s, params_key_dim(m), 0 };
	struct product value = { &g->plain, 1, batch * queries, params_value_dim(m), s, 0 };
	const double both = product_seconds(g, &score) + product_seconds(g, &value);

	j->w.core = both + compute_memory(g, 13 * scores);
	j->w.core_backward = 2 * both + compute_memory(g, 20 * scores);
	if (j->tally == NULL)
		return;
	for (int back = 0; back < 2; back++) {
		score.times = value.times = back ? 2 : 1;
		note_product(j, back, &score, "attention scores", "m x n x k: b*n/TP*s/CP x s x d");
		note_product(j, back, &value, "scores times values", "m x n x k: b*n/TP*s/CP x v x s");
		note_memory(j, back, 1, (back ? 20 : 13) * scores, softmax.name, softmax.size);
	}
}

static void
core_fused(struct job *j, bool local, double heads)
{
	const struct model *m = &j->p->model;
	const struct machine *g = j->g;
	const double flop = 2 * batch_tokens(j->p) * batch_keys(j->p, local, false) * heads *
	    (params_key_dim(m) + params_value_dim(m));
	static const char name[] = "attention core", size[] = "FLOP: 2*T*keys*n/TP*(d+v)";

	j->w.core = flop / g->attention.reached + g->launch;
	j->w.core_backward = 2.5 * flop / g->attention_backward.reached + g->launch;
	if (j->tally == NULL)
		return;
	note_core(j, false, 1, 1, flop, &g->attention, name, size);
	note_core(j, true, 1, 2.5, flop, &g->attention_backward, name, size);
}

/* Gated delta rule: state of key x value, read and updated for each token. */
static void
core_delta(struct job *j)
{
	const struct model *m = &j->p->model;
	const double flop = 8 * batch_tokens(j->p) * (double)(m->linear_value_heads *
	    m->linear_key_head_dim * m->linear_value_head_dim) / at_least_one(j->p->parallel.tp);
	const double rate = DELTA_SHARE * j->g->plain.reached;

	j->w.core = flop / rate + j->g->launch;
	j->w.core_backward = 2 * j->w.core;
	if (j->tally == NULL)
		return;
	for (int back = 0; back < 2; back++)
		note_core(j, back, back ? 2 : 1, 1, flop, &(struct rate){ rate, j->g->plain.peak },
		    "linear attention core", "FLOP: 8*T*heads*key*value/TP");
}

static void
core(struct job *j, bool local)
{
	const double heads = (double)j->p->model.attention_heads /
	    at_least_one(j->p->parallel.tp);

	if (local && j->p->model.linear_attention)
		core_delta(j);
	else if (!j->p->training.flash_attention)
		core_unfused(j, heads);
	else
		core_fused(j, local, heads);
	add_forward(j, j->w.core);
	j->w.backward += j->w.core_backward;
}

/* From the latent vectors of MLA to the heads. */
static void
projections_up(struct job *j)
{
	const struct model *m = &j->p->model;
	const struct rate *rate = &j->g->linear;
	const double tokens = batch_tokens(j->p), q = (double)m->q_lora_rank;
	const double heads = (double)m->attention_heads / at_least_one(j->p->parallel.tp);
	const double up = (double)m->qk_nope_head_dim + params_value_dim(m);

	linear(j, &q_up, rate, 1, tokens, heads * params_key_dim(m),
	    q > 0 ? q : (double)m->hidden_size);
	linear(j, &kv_up, rate, 1, tokens, heads * up, (double)m->kv_lora_rank);
}

static void
projections_mla(struct job *j)
{
	const struct model *m = &j->p->model;
	const struct rate *rate = &j->g->linear;
	const double h = (double)m->hidden_size, tokens = batch_tokens(j->p);
	const double split = batch_tokens_split(j->p), q = (double)m->q_lora_rank;
	const double heads = (double)m->attention_heads / at_least_one(j->p->parallel.tp);
	const double latent = (double)(m->kv_lora_rank + m->qk_rope_head_dim);

	if (q > 0)
		linear(j, &q_down, rate, 1, split, q, h);
	linear(j, &kv_down, rate, 1, split, latent, h);
	projections_up(j);
	linear(j, &output, rate, 1, tokens, h, heads * params_value_dim(m));
	vector(j, &rotary_mla, 8 * tokens * heads * (2 * params_key_dim(m) + params_value_dim(m)));
}

static void
projections(struct job *j, bool local)
{
	const struct model *m = &j->p->model;
	const struct rate *rate = &j->g->linear;
	const double t = at_least_one(j->p->parallel.tp), tokens = batch_tokens(j->p);
	const double h = (double)m->hidden_size, d = (double)m->head_dim;
	const double v = params_value_dim(m);
	double q = (double)m->attention_heads, out = q * v, kv;

	if (m->attention == ATTENTION_MLA) {
		projections_mla(j);
	} else if (local && m->linear_attention) {
		q = (double)(m->linear_key_heads * m->linear_key_head_dim);
		out = (double)(m->linear_value_heads * m->linear_value_head_dim);
		linear(j, &delta_in, rate, 1, tokens, 2 * (q + out) / t, h);
		linear(j, &delta_out, rate, 1, tokens, h, out / t);
		vector(j, &delta_copies, 16 * tokens * (q + out) / t);
	} else {
		kv = params_kv_heads(m, local);
		q *= m->attention_output_gate ? 2 : 1;
		linear(j, &qkv, rate, 1, tokens, (q * d + fmax(kv, t) * (d + v)) / t, h);
		linear(j, &output, rate, 1, tokens, h, out / t);
		vector(j, &rotary, 8 * tokens * (q + 2 * kv) * d / t);
	}
}

/* ---- the other halves ------------------------------------------------------------- */

static void
mlp(struct job *j, const struct mlp_parts *parts, double ffn)
{
	const double h = (double)j->p->model.hidden_size, tokens = batch_tokens(j->p);
	const double f = ffn / at_least_one(j->p->parallel.tp);
	const double up = j->p->model.gated_mlp ? 2 : 1;

	if (f <= 0)
		return;
	linear(j, &parts->up, &j->g->linear, 1, tokens, up * f, h);
	linear(j, &parts->down, &j->g->linear, 1, tokens, h, f);
	vector(j, &parts->activation, (2 * up + 2) * tokens * f);
}

/* Tokens that reach the experts of one GPU: even routing times the imbalance, or what the
 * capacity pads it to. */
static double
routed_tokens(const struct plan *p)
{
	const double even = batch_tokens(p) / at_least_one(p->parallel.tp) *
	    at_least_one(p->parallel.etp) * (double)p->model.experts_per_token;

	if (p->training.moe_capacity_factor > 0)
		return even * p->training.moe_capacity_factor;
	return even * fmax(1, p->training.moe_imbalance);
}

static void
experts(struct job *j)
{
	const struct plan *p = j->p;
	const struct machine *g = j->g;
	const struct model *m = &p->model;
	const double etp = at_least_one(p->parallel.etp), ep = at_least_one(p->parallel.ep);
	const double h = (double)m->hidden_size, f = (double)m->moe_ffn_hidden_size / etp;
	const double here = fmax(1, (double)m->experts / ep);
	const double up = m->gated_mlp ? 2 : 1, routed = routed_tokens(p);
	const double split = batch_tokens(p) / at_least_one(p->parallel.tp);

	products(j, &router, &g->plain, 1, split, (double)m->experts, h);
	linear(j, &expert_mlp.up, &g->grouped, here, routed / here, up * f, h);
	linear(j, &expert_mlp.down, &g->grouped, here, routed / here, h, f);
	vector(j, &expert_mlp.activation, (2 * up + 2) * routed * f);
	vector(j, &permute, 4 * 2 * routed * h); /* read and write, twice */
	vector(j, &routing, 12 * split * (double)m->experts);
}

/* ---- for other files (compute_job.h) ----------------------------------------------- */

void
job_products(struct job *j, const struct part *part, double tokens, double out, double in)
{
	products(j, part, &j->g->plain, 1, tokens, out, in);
}

void
job_move(struct job *j, const struct part *part, double bytes)
{
	const double t = compute_memory(j->g, bytes);

	add_forward(j, t);
	j->w.backward += t;
	if (j->tally == NULL)
		return;
	note_memory(j, false, 1, bytes, part->name, part->size);
	note_memory(j, true, 1, bytes, part->name, part->size);
}

double
job_routed(const struct job *j)
{
	return routed_tokens(j->p);
}

/* The MLP, or experts, of a layer. */
static void
half(struct job *j, int kind)
{
	const struct model *m = &j->p->model;

	if (kind & LAYER_MOE) {
		experts(j);
		mlp(j, &shared_mlp, (double)m->shared_expert_ffn_hidden_size);
	} else {
		mlp(j, &dense_mlp, (double)m->ffn_hidden_size);
	}
}

/* A memory-bound operation that counts forward alone. */
static void
move_again(struct job *j, const struct part *part, double bytes)
{
	add_forward(j, compute_memory(j->g, bytes));
	if (j->tally != NULL)
		note_memory(j, false, 1, bytes, part->name, part->size);
}

/* Modules that selective recompute names besides attention and whole halves. */
static void
recomputed_parts(struct job *j, unsigned again, int kind)
{
	const struct model *m = &j->p->model;
	const double h = (double)m->hidden_size, up = m->gated_mlp ? 2 : 1;

	if (again & AGAIN_LAYERNORM)
		move_again(j, &layernorms, 8 * batch_tokens_split(j->p) * h);
	if ((again & AGAIN_MLA_UP_PROJ) && m->attention == ATTENTION_MLA)
		projections_up(j);
	if (!(kind & LAYER_MOE) || (again & AGAIN_MOE))
		return;
	if (again & AGAIN_MOE_ACT)
		move_again(j, &expert_mlp.activation, (2 * up + 2) * routed_tokens(j->p) *
		    (double)m->moe_ffn_hidden_size / at_least_one(j->p->parallel.etp));
	if (again & AGAIN_SHARED_EXPERTS)
		mlp(j, &shared_mlp, (double)m->shared_expert_ffn_hidden_size);
}

/* ---- what a stage holds ----------------------------------------------------------- */

struct work
job_layer(const struct plan *p, const struct machine *g, int kind,
    const struct tally *tally)
{
	const bool full = p->training.recompute == RECOMPUTE_FULL;
	const unsigned again = batch_again(p);
	struct job j = { .p = p, .g = g, .tally = tally, .again = full,
		.frozen = adapters_only(p) }, inner = j;

	projections(&j, kind & LAYER_LOCAL);
	j.again = full || (again & AGAIN_CORE_ATTN);
	core(&j, kind & LAYER_LOCAL);
	inner.again = full || (again & (kind & LAYER_MOE ? AGAIN_MOE : AGAIN_MLP));
	half(&inner, kind);
	add_work(&j.w, &inner.w);
	j.again = full;
	/* Two norms (read, write) and two residual additions, dropout included. */
	vector(&j, &norms, 22 * batch_tokens_split(p) * (double)p->model.hidden_size);
	if (again != 0) {
		inner = (struct job){ .p = p, .g = g, .tally = tally, .again = true,
			.only_again = true };
		recomputed_parts(&inner, again, kind);
		j.w.recompute += inner.w.recompute;
	}
	return j.w;
}

struct work
compute_embedding(const struct plan *p, const struct machine *g, const struct tally *tally)
{
	struct job j = { .p = p, .g = g, .tally = tally };

	vector(&j, &embedding, 8 * batch_tokens_split(p) * (double)p->model.hidden_size);
	return j.w;
}

struct work
compute_head(const struct plan *p, const struct machine *g, const struct tally *tally)
{
	const double part = (double)p->model.vocab_size / at_least_one(p->parallel.tp);
	const double tokens = batch_tokens(p);
	struct job j = { .p = p, .g = g, .tally = tally,
		.frozen = adapters_only(p) && !(adapters_saved(p) & TARGET_HEAD) };

	products(&j, &head, &g->plain, 1, tokens, part, (double)p->model.hidden_size);
	add_forward(&j, compute_memory(g, 6 * tokens * part));
	j.w.backward += compute_memory(g, 4 * tokens * part);
	if (tally != NULL) {
		note_memory(&j, false, 1, 6 * tokens * part, loss.name, loss.size);
		note_memory(&j, true, 1, 4 * tokens * part, loss.name, loss.size);
	}
	return j.w;
}

struct work
compute_mtp(const struct plan *p, const struct machine *g, const struct tally *tally)
{
	const double h = (double)p->model.hidden_size;
	struct job j = { .p = p, .g = g, .tally = tally, .frozen = adapters_only(p) };

	linear(&j, &mtp, &g->linear, 1, batch_tokens(p), h / at_least_one(p->parallel.tp), 2 * h);
	return j.w;
}
