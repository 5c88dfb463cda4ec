#include "core/rate/rate_kept.h"

#include <stddef.h>
#include <string.h>

/* Of an engine, from its budget on: they lie without gaps. */
enum { ENGINE_NUMBERS = (offsetof(struct rate_engine, verified) - offsetof(struct rate_engine, budget)) /
	sizeof(double) + 1 };

/* Numbers without gaps between them. */
static bool
same(const double *a, const double *b, size_t count)
{
	return memcmp(a, b, count * sizeof *a) == 0;
}

static bool
same_table(const struct rate_table *a, const struct rate_table *b)
{
	if (a->batches != b->batches || a->lengths != b->lengths || a->passes != b->passes)
		return false;
	for (int i = 0; i < a->lengths; i++)
		if (!same(a->step[i], b->step[i], (size_t)a->batches))
			return false;
	return same(a->batch, b->batch, (size_t)a->batches) && same(a->length, b->length, (size_t)a->lengths) &&
	    same(a->tokens, b->tokens, (size_t)a->passes) && same(a->pass, b->pass, (size_t)a->passes) &&
	    same(&a->fixed, &b->fixed, 1) && same(&a->quadratic, &b->quadratic, 1);
}

static bool
same_engine(const struct rate_engine *a, const struct rate_engine *b)
{
	return a->first == b->first && a->graphs == b->graphs && a->ahead == b->ahead &&
	    same(&a->budget, &b->budget, ENGINE_NUMBERS) && same_table(&a->table, &b->table);
}

static bool
same_length(const struct rate_length *a, const struct rate_length *b)
{
	return a->spread == b->spread && same(&a->mean, &b->mean, 1) && same(&a->sd, &b->sd, 1) &&
	    same(&a->most, &b->most, 1);
}

static bool
same_load(const struct rate_load *a, const struct rate_load *b)
{
	return same(&a->rate, &b->rate, 1) && same(&a->shape, &b->shape, 1) && same_length(&a->prompt, &b->prompt) &&
	    same_length(&a->answer, &b->answer) && same(&a->hit, &b->hit, 1) && same(&a->found, &b->found, 1) &&
	    same(&a->ramp, &b->ramp, 1) && a->engines == b->engines && a->routing == b->routing &&
	    a->requests == b->requests;
}

uint64_t
rate_kept_numbers(uint64_t of, const double *x, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t bits;

		memcpy(&bits, &x[i], sizeof bits);
		of = rate_mix(of ^ bits);
	}
	return of;
}

uint64_t
rate_kept_engine(uint64_t of, const struct rate_engine *e)
{
	const struct rate_table *const t = &e->table;

	of = rate_mix(of ^ (uint64_t)(e->first + 2 * e->graphs + 4 * e->ahead));
	of = rate_kept_numbers(of, &e->budget, ENGINE_NUMBERS);
	for (int i = 0; i < t->lengths; i++)
		of = rate_kept_numbers(of, t->step[i], (size_t)t->batches);
	of = rate_kept_numbers(of, t->length, (size_t)t->lengths);
	of = rate_kept_numbers(of, t->pass, (size_t)t->passes);
	of = rate_kept_numbers(of, &t->fixed, 1);
	return rate_kept_numbers(of, &t->quadratic, 1);
}

static uint64_t
of_length(uint64_t of, const struct rate_length *n)
{
	const double all[] = { n->spread, n->mean, n->sd, n->most };

	return rate_kept_numbers(of, all, sizeof all / sizeof *all);
}

uint64_t
rate_kept_load(uint64_t of, const struct rate_load *l)
{
	const double all[] = { l->shape, l->hit, l->found, l->ramp, l->engines, l->routing };

	return of_length(of_length(rate_kept_numbers(of, all, sizeof all / sizeof *all), &l->prompt), &l->answer);
}

void
rate_loop_kept(struct rate_served *out, const struct rate_engine *e, const struct rate_load *l,
    double percentile, const struct rate_limits *until, struct rate_room *room, struct rate_kept *kept)
{
	struct rate_run *run;

	for (int i = 0; kept != NULL && i < kept->count; i++) {
		run = &kept->run[i];
		if (same(&run->percentile, &percentile, 1) && same_load(&run->load, l) && same_engine(&run->engine, e)) {
			*out = run->served;
			return;
		}
	}
	rate_loop_until(out, e, l, percentile, until, room);
	if (kept == NULL || (until != NULL && !out->whole))
		return;
	run = &kept->run[kept->next];
	*run = (struct rate_run){ *e, *l, percentile, *out };
	kept->next = (kept->next + 1) % RATE_KEPT;
	if (kept->count < RATE_KEPT)
		kept->count++;
}
