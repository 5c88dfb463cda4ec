#include "core/serve/serve_engine.h"

#include <math.h>

#include "core/base/number.h"
#include "core/serve/serve_loop.h"
#include "core/serve/serve_work.h"

/* Batches and passes of the table: powers of two, and batches between them. */
static const double table_batches[] = { 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256,
	384, 512, 768, 1024, 1536, 2048, 3072, 4096, 8192 };
static const double table_tokens[] = { 16, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768,
	65536 };

double
serve_ranks_in_step(const struct serve_work *w)
{
	return w->in_step > 1 ? w->setup->dp : 1;
}

/* The rank with most to read decides: the largest of so many sums of b/ranks lengths (extreme
 * values of a normal distribution). */
static double
longest_mean(const struct serve_work *w, double ranks, double b)
{
	const struct arrivals *t = &w->p->traffic;
	const double spread = larger(t->prompt_spread, t->generate_spread);

	return 1 + (ranks > 1 ? spread * sqrt(2 * log(ranks)) / sqrt(larger(1, b / ranks)) : 0);
}

static void
put_steps(struct rate_table *t, const struct serve_work *w, double scale)
{
	const struct serving *v = &w->p->serving;
	const double usual = (double)v->prompt_tokens + (double)v->generate_tokens / 2;
	const double ranks = serve_ranks_in_step(w);

	t->batches = (int)(sizeof table_batches / sizeof *table_batches);
	for (t->lengths = 0; t->lengths < RATE_LENGTHS; t->lengths++) {
		const double length = usual * (t->lengths == 0 ? .5 : t->lengths);

		t->length[t->lengths] = larger(length, t->lengths + 1);
		for (int i = 0; i < t->batches; i++) {
			const double b = table_batches[i];

			t->batch[i] = b;
			t->step[t->lengths][i] = scale * serve_step_at(w, b / ranks,
			    t->length[t->lengths] * longest_mean(w, ranks, b), NULL);
		}
	}
}

/* One prompt is on one rank; more of them spread. */
static void
put_passes(struct rate_table *t, const struct serve_work *w, double scale)
{
	const double prompt = larger(1, (double)w->p->serving.prompt_tokens), ranks = serve_ranks_in_step(w);

	for (t->passes = 0; t->passes < (int)(sizeof table_tokens / sizeof *table_tokens); t->passes++) {
		const double tokens = table_tokens[t->passes];
		const double mine = larger(smaller(tokens, prompt), tokens / ranks);

		t->tokens[t->passes] = tokens;
		t->pass[t->passes] = scale * serve_pass(w, mine, mine / 2, 1, mine < tokens, NULL) /
		    w->setup->pp;
	}
	rate_table_finish(t);
}

static double
scale_or_one(double scale)
{
	return scale > 0 ? scale : 1;
}

struct rate_engine
serve_engine_of(const struct serve_work *w, double kv_tokens, double fetch)
{
	const struct plan *p = w->p;
	const struct engine *row = engine_of(p);
	const double ranks = serve_ranks_in_step(w);
	const double first = scale_or_one(p->calibration.ttft_scale);
	struct rate_engine e = { .first = !row->mixes, .graphs = row->mixes_in_graphs && !p->serving.eager,
		.ahead = w->rates.ahead,
		.budget = w->setup->tokens * ranks, .held = w->setup->held, .enough = w->setup->enough, .slots = w->setup->seqs * ranks,
		.kv_tokens = kv_tokens * ranks, .answer = first * w->rates.arrival,
		.prompt_token = first * w->rates.prompt_token, .fetch = fetch, .stages = w->setup->pp,
		.tokens = serve_tokens_a_step(p), .verified = 1 + (double)p->serving.draft_tokens };

	e.tokens_sd = e.tokens > 1 ? .15 * e.tokens : 0; /* between texts */
	put_steps(&e.table, w, scale_or_one(p->calibration.tpot_scale));
	put_passes(&e.table, w, first);
	return e;
}
