/*
 * candidates.h - plans as a search walks them: random ones of a job.
 */
#ifndef BENCH_CANDIDATES_H
#define BENCH_CANDIDATES_H
#include "core/plan.h"

/* What a search varies. */
struct candidate {
	int32_t tp, cp, ep, micro_batch, recompute, pp, vpp, zero;
};

/* A job whose plan is searched for. */
struct job {
	const char *name, *settings; /* "cluster.nodes=128 ..." */
	struct candidate most;       /* of each size: powers of two up to it, any recompute */
	int32_t stages[12];          /* values of PP */
};
extern const struct job jobs[];
extern const int job_count;

struct plan job_plan(const struct job *j);

/* n random candidates, legal or not, the same each time. They come in the order in which a
 * search walks them: what most depends on changes last. */
void candidates_draw(const struct job *j, struct candidate *c, int n);

/* Put one into the plan of its job. */
void candidate_put(const struct candidate *c, struct plan *p);
#endif
