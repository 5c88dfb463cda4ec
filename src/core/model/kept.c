#include "core/model/kept.h"

#include <string.h>

#include "core/base/text.h"

/* Why a number is kept. */
enum role { ROLE_GIVEN, ROLE_READ, ROLE_BESIDE, ROLE_FP32, ROLES };

/* Rows of a model; those of one term are among them. */
struct kept_rows {
	struct matrix row[MATRIX_MAX];
	int count;
};

static enum role
role_of(const struct matrix *x)
{
	const unsigned traits = x->row->traits;

	return traits & MATRIX_FP32 ? ROLE_FP32 : traits & MATRIX_BESIDE ? ROLE_BESIDE :
	    traits & MATRIX_READ ? ROLE_READ : ROLE_GIVEN;
}

/* Numbers of a token, of which TP leaves a rank its part, but what each rank works out whole. */
static double
width_of(const struct matrix *x, double ranks)
{
	return (role_of(x) == ROLE_READ ? x->in : x->out) *
	    (x->row->split == MODULE_REPEATED ? ranks : 1);
}

/* Rows that are meant by a term. */
static bool
is_of(const struct kept *of, const struct matrix *x)
{
	const unsigned groups = MATRIX_EXPERT | MATRIX_SHARED | MATRIX_ROUTER;

	return x->block == of->block && (x->row->traits & groups) == of->traits;
}

/* Bytes of a number of one. */
static double
bytes_of(const struct kept *of, enum role role)
{
	const double bytes[ROLES] = { of->given, of->read, of->beside, 4 };

	return bytes[role];
}

static void
list_rows(struct kept_rows *rows, const struct model *m, const struct layer_kinds *k, unsigned blocks)
{
	const struct matrix_of of = { m, k, 0, 0 };

	rows->count = matrix_list(&of, blocks | MATRIX_NO_VECTORS | MATRIX_WITH_BESIDE, rows->row);
}

double
kept_numbers(const struct model *m, const struct layer_kinds *k, unsigned blocks)
{
	struct kept_rows rows;
	double sum = 0;

	list_rows(&rows, m, k, blocks);
	for (const struct matrix *x = rows.row; x < rows.row + rows.count; x++)
		sum += x->layers * width_of(x, 1);
	return sum;
}

/* The widths of rows that are kept in so many bytes, as a sum in symbols. */
static void
add_widths(char *text, size_t size, const struct kept *of, const struct kept_rows *rows,
    double bytes)
{
	const char *between = "";

	for (const struct matrix *x = rows->row; x < rows->row + rows->count; x++) {
		const enum role role = role_of(x);

		if (!is_of(of, x) || bytes_of(of, role) != bytes)
			continue;
		text_add(text, size, "%s%s%s", between,
		    x->row->split == MODULE_REPEATED ? "ranks*" : "",
		    role == ROLE_READ ? x->row->in : x->row->out);
		between = " + ";
	}
}

/* Bytes that an earlier role has as well are told once. */
static bool
is_told(const struct kept *of, enum role role)
{
	for (enum role i = 0; i < role; i++)
		if (bytes_of(of, i) == bytes_of(of, role))
			return true;
	return bytes_of(of, role) <= 0;
}

/* "layers*T/TP*(a*(widths) + ...)": a sum for each size of number. */
static void
explain_rows(const struct sink *s, const struct layer_kinds *k, const struct kept *of,
    const struct kept_rows *rows, double value)
{
	const struct matrix_of model = { s->m, k, 0, 0 };
	const bool experts = of->traits & MATRIX_EXPERT;
	const struct ledger_symbol symbols[] = { { "b0=a", of->given }, { "b1=a of inputs", of->read },
		{ "b2=a of the rest", of->beside }, { "b3=4", 4 },
		{ experts ? "tokens=routed" : of->tokens < s->c->tokens ? "tokens=Ts" : "tokens=T",
		    of->tokens }, { experts ? "ranks=ETP" : "ranks=TP", of->ranks }, { NULL, 0 } };
	const struct matrix *first = rows->row;
	char text[256] = "layers*tokens/ranks*(", widths[160];
	const char *between = "";

	while (!is_of(of, first))
		first++;
	for (enum role i = 0; i < ROLES; i++) {
		widths[0] = '\0';
		if (!is_told(of, i))
			add_widths(widths, sizeof widths, of, rows, bytes_of(of, i));
		if (widths[0] == '\0')
			continue;
		text_add(text, sizeof text, strchr(widths, ' ') != NULL ? "%sb%d*(%s)" : "%sb%d*%s", between, i,
		    widths);
		between = " + ";
	}
	text_add(text, sizeof text, ")");
	matrix_explain(s->ledger, QUANTITY_ACTIVATIONS, value,
	    of->name != NULL ? of->name : first->row->inside, &model, first, text, symbols);
}

/* Of rows that are listed. */
static void
add_rows(const struct sink *s, const struct layer_kinds *k, const struct kept *of,
    const struct kept_rows *rows)
{
	double sum = 0;

	for (const struct matrix *x = rows->row; x < rows->row + rows->count; x++)
		if (is_of(of, x))
			sum += bytes_of(of, role_of(x)) * width_of(x, of->ranks) * x->layers;
	sum *= of->tokens / of->ranks;
	*s->sum += sum;
	if (s->ledger != NULL && sum > 0)
		explain_rows(s, k, of, rows, sum);
}

void
kept_add(const struct sink *s, const struct layer_kinds *k, const struct kept *of)
{
	struct kept_rows rows;

	list_rows(&rows, s->m, k, 1U << of->block);
	add_rows(s, k, of, &rows);
}

void
kept_add_mixers(const struct sink *s, const struct layer_kinds *k, double read)
{
	const struct activation *c = s->c;
	struct kept of = { NULL, BLOCK_DELTA, 0, c->a, read, c->a, c->tokens, c->tp };
	struct kept_rows rows;

	if (k->mamba <= 0 && (k->local <= 0 || !s->m->linear_attention))
		return;
	list_rows(&rows, s->m, k, MATRIX_MIXERS);
	for (; of.block < BLOCK_MIXERS; of.block++)
		add_rows(s, k, &of, &rows);
}
