#include "core/train/job.h"

#include <math.h>
#include <string.h>

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
	struct ledger *l = j->tally->ledger;

	if (!(times > 0) || !(seconds > 0))
		return;
	l->kind = j->kind != KERNELS_NONE ? j->kind : r->kind;
	ledger_note(l, q, times * seconds, r->name, r->source, "%s*%s = %.10g*%s s%s%s", j->tally->unit,
	    r->symbols, times, r->numbers, r->size != NULL ? ", " : "", r->size != NULL ? r->size : "");
	l->kind = KERNELS_NONE;
}

void
job_note(const struct layer_job *j, bool backward, double seconds, const struct remark *r)
{
	const struct tally *t = j->tally;

	if (!j->only_again)
		note_in(
		    j, backward ? QUANTITY_BACKWARD : QUANTITY_FORWARD, t->times, seconds, r);
	if (j->again > 0 && !backward)
		note_in(j, QUANTITY_RECOMPUTE, j->again * t->again, seconds, r);
}

void
job_note_product(const struct layer_job *j, bool backward, const struct product *x,
    const char *name, const char *size)
{
	const struct machine *g = j->g;
	const int q = g->power;
	struct remark r = { .name = name, .source = GEMM_SOURCE, .size = size,
		.kind = KERNELS_PRODUCT };

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

/* Whether a formula is a sum outside of brackets. */
static bool
is_sum(const char *code)
{
	int depth = 0;

	for (; *code != '\0' && (depth > 0 || (*code != '+' && *code != '-')); code++)
		depth += (*code == '(') - (*code == ')');
	return *code != '\0';
}

/* "factor*(times*(bytes)/", of which 1 is left out. */
static void
put_bytes(char *buf, size_t size, double factor, const struct moved *m, bool numbers)
{
	char code[160];

	ledger_write(code, sizeof code, m->code, m->symbols, numbers);
	buf[0] = '\0';
	if (factor > 1)
		text_put(buf, size, "%.10g*", factor);
	text_add(buf, size, "(");
	if (m->times > 1 && numbers)
		text_add(buf, size, "%.10g*", m->times);
	else if (m->times > 1)
		text_add(buf, size, "moves*");
	text_add(buf, size, is_sum(code) ? "(%s)/" : "%s/", code);
}

void
job_note_memory(const struct layer_job *j, bool backward, double factor, const struct moved *m)
{
	const struct rate *v = &j->g->vector;
	struct remark r = { .name = m->name, .source = MEMORY_SOURCE, .kind = KERNELS_OTHER };

	put_bytes(r.symbols, sizeof r.symbols, factor, m, false);
	text_add(r.symbols, sizeof r.symbols, "memory rate + t0)");
	put_bytes(r.numbers, sizeof r.numbers, factor, m, true);
	text_add(r.numbers, sizeof r.numbers, "(%.7g*%.7g) + %.7g)", v->reached / v->peak, v->peak,
	    j->g->kernel);
	job_note(j, backward, factor * machine_memory(j->g, m->times * m->bytes), &r);
}

void
job_forward(struct layer_job *j, double seconds)
{
	j->w.forward += seconds;
	j->w.recompute += j->again * seconds;
}

/* Weight gradients that no product adds up. */
static void
add_gradients(struct layer_job *j, const struct operation *op, double weights)
{
	const double added = j->g->added, bytes = added * weights;
	const double seconds = machine_memory(j->g, bytes);

	if (j->frozen)
		return;
	j->w.backward += seconds;
	j->w.weight += seconds;
	if (j->tally != NULL)
		job_note_memory(j, true, 1, &(struct moved){ op->added, "added*weights",
		    LEDGER_SYMBOLS(IS(added), IS(weights)), bytes, 1 });
}

/* Values of a row that begins where a kernel likes it to: 16 bytes in 16 bits. A mean over layers of
 * several widths is no width. */
static bool
is_aligned(double values)
{
	return !(fmod(values, 8) > 0) || fmod(values, 1) > 0;
}

/* The three products of a layer, of which frozen weights need no own gradient; that is added
 * up in fp32, by the product or after it. Each has rows of `out` and of `in` among its operands. */
static void
job_products(struct layer_job *j, const struct operation *op, const struct lot *given,
    double tokens, double out, double in)
{
	const double slow = is_aligned(out) && is_aligned(in) ? 1 : j->g->unaligned;
	struct lot own = *given, *lot = &own;
	const struct product forward = { &lot->rate, lot->times, tokens, out, in, 0 };
	const struct product input = { &lot->rate, lot->times, tokens, in, out, 0 };
	const struct product gradient = { &lot->weight, lot->times, in, out, tokens,
		j->g->added > 0 ? 0 : 6 * in * out };
	double weight;

	lot->rate.reached /= slow;
	lot->weight.reached /= slow;
	weight = j->frozen ? 0 : job_product_seconds(j->g, &gradient);
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
	const double values = lot->times * tokens / lot->casts;
	const double values_back = lot->times * tokens / lot->casts_back;
	const struct ledger_symbol symbols[] = { { "cast=cast", lot->cast },
		{ "values=products*m/kernels", values }, { "in=k", in }, { NULL, 0 } };
	const struct ledger_symbol symbols_back[] = { { "cast=cast", lot->cast_back },
		{ "values=products*m/kernels", values_back }, { "out=n", out }, { NULL, 0 } };
	const struct moved forward = { op->cast, "cast*values*in", symbols, lot->cast * values * in, 1 };
	const struct moved back = { op->cast_back, "cast*values*out", symbols_back,
		lot->cast_back * values_back * out, 1 };

	job_products(j, op, lot, tokens, out, in);
	job_forward(j, lot->casts * machine_memory(j->g, forward.bytes));
	j->w.backward += lot->casts_back * machine_memory(j->g, back.bytes);
	if (j->tally != NULL) {
		job_note_memory(j, false, lot->casts, &forward);
		job_note_memory(j, true, lot->casts_back, &back);
	}
}

void
job_plain_sized(struct layer_job *j, const struct operation *op, const double mnk[3],
    const char *const code[3], const struct ledger_symbol *symbols)
{
	const struct lot lot = { j->g->plain, j->g->plain, 1, 0, 0, 1, 1 };
	struct operation noted = *op;
	char size[128] = "m x n x k: ";
	size_t n = strlen(size);

	for (int i = 0; i < 3 && j->tally != NULL; i++) {
		n += ledger_write(size + n, sizeof size - n, code[i], symbols, false);
		n += text_put(size + n, sizeof size - n, i < 2 ? " x " : "");
	}
	noted.size = size;
	job_products(j, &noted, &lot, mnk[0], mnk[1], mnk[2]);
}

void
job_move(struct layer_job *j, const struct moved *forward, const struct moved *backward)
{
	job_forward(j, machine_memory(j->g, forward->bytes));
	j->w.backward += machine_memory(j->g, backward->bytes);
	if (j->tally != NULL) {
		job_note_memory(j, false, 1, forward);
		job_note_memory(j, true, 1, backward);
	}
}

void
job_unfused(struct layer_job *j, const struct moved *m)
{
	const double t = machine_memory(j->g, m->times * m->bytes);

	job_forward(j, t);
	j->w.backward += MOVED_BACKWARD * t;
	if (j->tally != NULL) {
		job_note_memory(j, false, 1, m);
		job_note_memory(j, true, MOVED_BACKWARD, m);
	}
}
