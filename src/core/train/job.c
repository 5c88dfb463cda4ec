#include "core/train/job.h"

#include <math.h>

#include "core/base/number.h"
#include "core/base/text.h"

#define GEMM_SOURCE "ai-dynamo/aiconfigurator systems/data (GEMM tables)"
#define MEMORY_SOURCE                                                                         \
	"Williams et al. 2009, doi 10.1145/1498765.1498785; share of the memory rate assumed"

/* Bytes that the backward pass of a memory-bound operation moves, over those of its forward
 * pass. */
#define MOVED_BACKWARD 1.8

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

double
job_product_seconds(const struct machine *g, const struct product *x)
{
	const double often = smaller(1, x->times);

	return often * g->launch + x->times * join(2 * x->m * x->n * x->k / x->rate->reached,
	    product_bytes(g, x) / g->hbm.reached, g->power);
}

static void
note_in(const struct layer_job *j, enum quantity q, double times, double seconds,
    const struct remark *r)
{
	if (times > 0 && seconds > 0)
		ledger_note(j->tally->ledger, q, times * seconds, r->name, r->source,
		    "%s*%s = %.10g*%s s, %s", j->tally->unit, r->symbols, times, r->numbers,
		    r->size);
}

void
job_note(const struct layer_job *j, bool backward, double seconds, const struct remark *r)
{
	const struct tally *t = j->tally;

	if (!j->only_again)
		note_in(
		    j, backward ? QUANTITY_BACKWARD : QUANTITY_FORWARD, t->times, seconds, r);
	if (j->again && !backward)
		note_in(j, QUANTITY_RECOMPUTE, t->again, seconds, r);
}

void
job_note_product(const struct layer_job *j, bool backward, const struct product *x,
    const char *name, const char *size)
{
	const struct machine *g = j->g;
	const int q = g->power;
	struct remark r = { .name = name, .source = GEMM_SOURCE, .size = size };

	text_put(r.symbols, sizeof r.symbols,
	    "(t0 + %s((2*m*n*k/rate)^%d + (bytes/memory rate)^%d)^(1/%d))",
	    x->times < 1 || x->times > 1 ? "products*" : "", q, q, q);
	text_put(r.numbers, sizeof r.numbers, "(%.10g + ", smaller(1, x->times) * g->launch);
	if (x->times < 1 || x->times > 1)
		text_add(r.numbers, sizeof r.numbers, "%.10g*", x->times);
	text_add(r.numbers, sizeof r.numbers,
	    "((2*%.10g*%.10g*%.10g/(%.7g*%.7g))^%d + (%.10g/(%.7g*%.7g))^%d)^(1/%d))", x->m,
	    x->n, x->k, x->rate->reached / x->rate->peak, x->rate->peak, q,
	    product_bytes(g, x), g->hbm.reached / g->hbm.peak, g->hbm.peak, q, q);
	job_note(j, backward, job_product_seconds(g, x), &r);
}

void
job_note_memory(const struct layer_job *j, bool backward, double factor, double bytes,
    const char *name, const char *size)
{
	const struct rate *v = &j->g->vector;
	struct remark r = { .name = name, .source = MEMORY_SOURCE, .size = size };

	if (factor > 1)
		text_put(r.numbers, sizeof r.numbers, "%.10g*", factor);
	text_put(r.symbols, sizeof r.symbols, "%s(bytes/memory rate + t0)", r.numbers);
	text_add(r.numbers, sizeof r.numbers, "(%.10g/(%.7g*%.7g) + %.7g)", bytes,
	    v->reached / v->peak, v->peak, j->g->kernel);
	job_note(j, backward, factor * machine_memory(j->g, bytes), &r);
}

void
job_forward(struct layer_job *j, double seconds)
{
	j->w.forward += seconds;
	if (j->again)
		j->w.recompute += seconds;
}

/* Weight gradients that no product adds up. */
static void
add_gradients(struct layer_job *j, const struct operation *op, double weights)
{
	const double bytes = j->g->added * weights, seconds = machine_memory(j->g, bytes);

	if (j->frozen)
		return;
	j->w.backward += seconds;
	j->w.weight += seconds;
	if (j->tally != NULL)
		job_note_memory(j, true, 1, bytes, op->added, "bytes: added*n*k");
}

/* The three products of a layer, of which frozen weights need no own gradient; that is added
 * up in fp32, by the product or after it. */
static void
job_products(struct layer_job *j, const struct operation *op, const struct lot *lot,
    double tokens, double out, double in)
{
	const struct product forward = { &lot->rate, lot->times, tokens, out, in, 0 };
	const struct product input = { &lot->rate, lot->times, tokens, in, out, 0 };
	const struct product gradient = { &lot->weight, lot->times, in, out, tokens,
		j->g->added > 0 ? 0 : 6 * in * out };
	const double weight = j->frozen ? 0 : job_product_seconds(j->g, &gradient);

	job_forward(j, job_product_seconds(j->g, &forward));
	j->w.backward += job_product_seconds(j->g, &input) + weight;
	j->w.weight += weight;
	if (j->tally != NULL) {
		job_note_product(j, false, &forward, op->name, op->size);
		job_note_product(j, true, &input, op->input, op->size);
		if (!j->frozen)
			job_note_product(j, true, &gradient, op->weight, op->size);
	}
	if (j->g->added > 0)
		add_gradients(j, op, lot->times * in * out);
}

void
job_linear(struct layer_job *j, const struct operation *op, const struct lot *lot,
    double tokens, double out, double in)
{
	const double kernels = lot->casts, values = lot->times * tokens / kernels;

	job_products(j, op, lot, tokens, out, in);
	job_forward(j, kernels * machine_memory(j->g, lot->cast * values * in));
	j->w.backward += kernels * machine_memory(j->g, lot->cast_back * values * out);
	if (j->tally != NULL) {
		job_note_memory(j, false, kernels, lot->cast * values * in, op->cast,
		    "bytes: cast*products*m*k/casts");
		job_note_memory(j, true, kernels, lot->cast_back * values * out, op->cast_back,
		    "bytes: cast*products*m*n/casts");
	}
}

void
job_dense(
    struct layer_job *j, const struct operation *op, double tokens, double out, double in)
{
	const struct machine *g = j->g;
	const struct lot lot = { g->linear, g->linear, 1, g->cast, g->cast, 1 };

	job_linear(j, op, &lot, tokens, out, in);
}

void
job_plain(
    struct layer_job *j, const struct operation *op, double tokens, double out, double in)
{
	const struct lot lot = { j->g->plain, j->g->plain, 1, 0, 0, 1 };

	job_products(j, op, &lot, tokens, out, in);
}

void
job_move(struct layer_job *j, const struct operation *op, double forward, double backward)
{
	job_forward(j, machine_memory(j->g, forward));
	j->w.backward += machine_memory(j->g, backward);
	if (j->tally != NULL) {
		job_note_memory(j, false, 1, forward, op->name, op->size);
		job_note_memory(j, true, 1, backward, op->name, op->size);
	}
}

void
job_unfused(struct layer_job *j, const struct operation *op, double bytes)
{
	const double t = machine_memory(j->g, bytes);

	job_forward(j, t);
	j->w.backward += MOVED_BACKWARD * t;
	if (j->tally != NULL) {
		job_note_memory(j, false, 1, bytes, op->name, op->size);
		job_note_memory(j, true, MOVED_BACKWARD, bytes, op->name, op->size);
	}
}

void
job_vector(struct layer_job *j, const struct operation *op, double bytes)
{
	job_unfused(j, op, j->g->moves * bytes);
}
