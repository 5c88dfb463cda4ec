/*
 * memory_blocks.c - what blocks of PyTorch's allocator hold beyond the tensors of an optimizer.
 */
#include "core/train/memory_blocks.h"

#include "core/base/number.h"
#include "core/base/segment.h"
#include "core/framework/framework.h"
#include "core/model/matrix.h"

/* Ranks that split a weight of this row. */
static double
ranks_of(const struct rank_view *v, const struct matrix_row *row)
{
	if (row->traits & MATRIX_EXPERT)
		return params_expert_ranks(v->p) / at_least_one(v->p->parallel.ep);
	return row->split == MODULE_COLUMNS || row->split == MODULE_ROWS ? v->act->tp : 1;
}

/* How many tensors of the row a rank has whole. A shard of several ranks has parts of tensors, of sizes
 * that buckets decide: of those nothing is known. */
static double
whole_tensors(const struct rank_view *v, const struct matrix *x, const struct shards *over)
{
	const bool expert = x->row->traits & MATRIX_EXPERT;
	const double experts = (double)v->p->model.experts / at_least_one(v->p->parallel.ep);

	return (expert ? over->expert : over->dense) > 1 ? 0 : x->layers * (expert ? experts : 1);
}

/* Left of tensors with so many bytes a parameter; rows that are one linear layer have one weight. */
static double
left_of_weights(const struct rank_view *v, const struct shards *over, double bytes)
{
	const struct matrix_of of = { &v->p->model, &v->layers->kinds, 0, 0 };
	const bool any = over->dense <= 1 || (over->expert <= 1 && v->layers->kinds.moe > 0);
	struct matrix row[MATRIX_MAX];
	const int rows = bytes > 0 && any ? matrix_list(&of, MATRIX_LAYERS | MATRIX_NO_VECTORS, row) : 0;
	double sum = 0, size = 0;

	for (int i = 0; i < rows; i++) {
		const struct matrix *x = &row[i];
		const bool goes_on = i + 1 < rows && x->row->fusion != FUSION_APART &&
		    row[i + 1].row->fusion == x->row->fusion && row[i + 1].block == x->block;

		size += bytes * x->in * x->out / ranks_of(v, x->row);
		if (goes_on)
			continue;
		sum += whole_tensors(v, x, over) * segment_left(size);
		size = 0;
	}
	return sum;
}

/* Weights and gradients of these lie in buffers, one for all. */
static bool
has_tensors(const struct rank_view *v)
{
	return framework_of(v->p)->transformer_engine && !adapters_only(v->p) &&
	    framework_zero(v->p) < 2;
}

double
blocks_of_step(const struct rank_view *v, const struct recipe *r)
{
	const struct shards over = shards_over(r->shard_optimizer, v->shards);

	return has_tensors(v) ? left_of_weights(v, &over, r->step_copy) : 0;
}

void
blocks_add(const struct rank_view *v, const struct recipe *r, struct memory *out)
{
	const struct shards over = shards_over(r->shard_optimizer, v->shards);
	const double moments = v->p->training.optimizer == OPTIMIZER_ADAM ? 2 : 1;
	double masters, of_moments;

	if (!has_tensors(v))
		return;
	masters = left_of_weights(v, &over, r->master);
	of_moments = moments * left_of_weights(v, &over, r->matrix_moments / moments);
	if (masters + of_moments > 0)
		LEDGER_TERM(v->ledger, out->optimizer, QUANTITY_OPTIMIZER, "blocks larger than their tensors",
		    SEGMENT_SOURCE, masters + of_moments, AS("beside master weights", masters),
		    AS("beside moments", of_moments));
}
