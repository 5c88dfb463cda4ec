#include "core/train/compute_products.h"

#include <math.h>
#include <string.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/model/saved.h"
#include "core/plan/batch.h"

double
compute_routed(const struct plan *p)
{
	const double even = batch_tokens(p) / at_least_one(p->parallel.tp) *
	    at_least_one(p->parallel.etp) * params_experts_met(&p->model);

	if (p->training.moe_capacity_factor > 0)
		return even * p->training.moe_capacity_factor;
	return even * fmax(1, p->training.moe_imbalance);
}

double
compute_experts_here(const struct plan *p)
{
	return fmax(1, (double)p->model.experts / at_least_one(p->parallel.ep));
}

/* A layer of a kind, in the mean of those that the model has. */
static struct layer_kinds
mean_of(const struct model *m, int kind)
{
	struct layer_kinds one = params_kinds_one(kind);
	struct layer_kinds k;

	if (m->index_heads <= 0 && m->borrowing_layers <= 0)
		return one;
	k = params_kinds(m, 0, m->layers);
	one.indexed = one.global * k.indexed / fmax(1, k.global);
	one.borrowing_global = one.global * k.borrowing_global / fmax(1, k.global);
	one.borrowing_local = one.local * k.borrowing_local / fmax(1, k.local);
	return one;
}

void
compute_rows(struct layer_rows *out, const struct plan *p, int kind)
{
	const struct layer_kinds one = mean_of(&p->model, kind);
	const struct matrix_of of = { &p->model, &one, 0, 1 };
	const unsigned blocks = kind == COMPUTE_MTP ? MATRIX_BLOCK(MTP) : MATRIX_LAYERS;
	const int count = matrix_list(&of, blocks | MATRIX_NO_VECTORS, out->row);

	out->count = 0;
	for (int i = 0; i < count; i++)
		if (out->row[i].row->product.name[0] != '\0')
			out->row[out->count++] = out->row[i];
}

/* Ranks that divide a side of a row. */
static double
ranks_of(const struct plan *p, const struct matrix *x, enum module_split side)
{
	return x->row->split != side ? 1 :
	    at_least_one(x->row->traits & MATRIX_EXPERT ? p->parallel.etp : p->parallel.tp);
}

/* Each rank has one head of keys and values at least. */
static double
copies_of(const struct plan *p, const struct matrix *x)
{
	const double heads = params_kv_heads(&p->model, x->block == BLOCK_LOCAL);

	return x->row->traits & MATRIX_KV ? fmax(1, at_least_one(p->parallel.tp) / heads) : 1;
}

/* Tokens of a row's products, and their name; experts' dispatchers split them over TP. */
static double
tokens_of(const struct plan *p, const struct matrix *x, const char **name)
{
	const bool split = x->row->split == MODULE_WHOLE, experts = x->block == BLOCK_MOE;

	if (x->row->traits & MATRIX_EXPERT) {
		*name = "routed/experts";
		return compute_routed(p) / compute_experts_here(p);
	}
	*name = !split ? "T" : experts ? "T/TP" : "Ts";
	return !split ? batch_tokens(p) : experts ? batch_tokens(p) / at_least_one(p->parallel.tp) :
	    batch_tokens_split(p);
}

/* Sizes in symbols, as the rows say them. */
static void
describe_product(const struct plan *p, const struct matrix *x, int rows, const char *tokens, char *text,
    size_t size)
{
	const char *ranks = x->row->traits & MATRIX_EXPERT ? "/ETP" : "/TP";

	text_put(text, size, "m x n x k: %s x %s", tokens, rows > 1 ? "(" : "");
	for (int i = 0; i < rows; i++) {
		text_add(text, size, strchr(x[i].row->out, ' ') != NULL && rows == 1 ? "%s(%s)" : "%s%s",
		    i > 0 ? " + " : "", x[i].row->out);
		if (copies_of(p, &x[i]) > 1)
			text_add(text, size, "*TP/kv");
	}
	text_add(text, size, "%s%s x %s%s", rows > 1 ? ")" : "",
	    x->row->split == MODULE_COLUMNS ? ranks : "", x->row->in,
	    x->row->split == MODULE_ROWS ? ranks : "");
}

/* Rows from one on that are its product. */
static int
rows_of(const struct layer_rows *l, int first)
{
	const struct matrix *x = &l->row[first];
	int n = 1;

	while (first + n < l->count && x[n].block == x->block &&
	    text_equal(x[n].row->product.name, x->row->product.name))
		n++;
	return n;
}

/*
 * Of the matrices of a product the share of those that are not kept, where recompute is of operations. What gives a
 * result that a collective or the layer passes on and nobody reads is left out by a compiler (PyTorch
 * torch/_functorch/partitioners.py).
 */
static double
share_again(struct layer_job *j, const struct matrix *x, int rows)
{
	const bool last = x->row->split == MODULE_ROWS && (j->p->parallel.tp > 1 || !(MATRIX_MIXERS >> x->block & 1));
	double again = 0, all = 0;

	if (x->row->traits & MATRIX_EXPERT)
		return 1;
	for (int i = 0; i < rows; i++) {
		const double size = x[i].in * x[i].out * x[i].layers;

		all += size;
		again += saved_product(j->products++) ? 0 : size;
	}
	return all > 0 && !(last && machine_compiles(j->p)) ? again / all : 0;
}

double
compute_flops_again(const struct plan *p, int kind)
{
	struct layer_job j = { .p = p };
	struct layer_rows l;
	double sum = 0;

	compute_rows(&l, p, kind);
	for (int i = 0, rows; i < l.count; i += rows) {
		const struct matrix *x = &l.row[i];
		const double met = x->row->traits & MATRIX_EXPERT ? params_experts_met(&p->model) : 1;
		double weights = 0;

		rows = rows_of(&l, i);
		for (int k = 0; k < rows; k++)
			weights += x[k].in * x[k].out * x[k].layers;
		sum += 2 * met * weights * share_again(&j, x, rows);
	}
	return sum;
}

int
compute_product(struct layer_job *j, const struct layer_rows *l, int first, const struct lot *lot)
{
	const struct machine *g = j->g;
	const struct matrix *x = &l->row[first];
	const struct lot dense = { g->linear, g->linear, x->layers, g->cast, g->cast, 1, 1 };
	const double in = x->in / ranks_of(j->p, x, MODULE_ROWS);
	const int rows = rows_of(l, first);
	const double again = j->again;
	const char *of;
	const double tokens = tokens_of(j->p, x, &of);
	struct operation noted;
	char text[160];
	double out = 0;

	for (int i = 0; i < rows; i++)
		out += x[i].out * x[i].layers / x->layers * copies_of(j->p, &x[i]);
	if (j->tally != NULL) {
		noted = x->row->product;
		noted.size = text;
		describe_product(j->p, x, rows, of, text, sizeof text);
	}
	if (j->by_operation)
		j->again = share_again(j, x, rows);
	job_linear(j, j->tally != NULL ? &noted : &x->row->product, lot != NULL ? lot : &dense,
	    tokens, out / ranks_of(j->p, x, MODULE_COLUMNS), in);
	j->again = again;
	return rows;
}

void
compute_products(struct layer_job *j, const struct layer_rows *l, unsigned blocks,
    unsigned traits, unsigned without)
{
	for (int i = 0; i < l->count; ) {
		const struct matrix *x = &l->row[i];
		const unsigned has = x->row->traits;

		if ((blocks >> x->block & 1) && (traits == 0 || (has & traits)) && !(has & without))
			i += compute_product(j, l, i, NULL);
		else
			i++;
	}
}
