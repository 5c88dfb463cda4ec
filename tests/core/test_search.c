/*
 * A search finds what looking at every combination finds: with and without cuts, with one
 * thread and with several, for one objective and for a front. Brute force here shares nothing
 * with it but the space and what one plan scores.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/framework/resolve.h"
#include "core/search.h"
#include "settings.h"

enum { BEST = 40, FRONT = 4096, THREADS = 5, SPACE_MOST = 20000 };

static struct search_space *space;
static struct search_worker *workers;
static struct estimate *estimate;

/* ---- brute force ----------------------------------------------------------------- */

struct found {
	size_t count;
	uint64_t legal, fitting;
	struct search_key *key;
};

static const struct search *comparing;

static int
compare_keys(const void *a, const void *b)
{
	const struct search_key *x = a, *y = b;
	int sizes;

	for (int i = 0; i < comparing->objectives; i++)
		if (x->score[i] < y->score[i] || x->score[i] > y->score[i])
			return x->score[i] < y->score[i] ? -1 : 1;
	sizes = space_sizes(comparing->space, x->index) - space_sizes(comparing->space, y->index);
	return sizes != 0 ? sizes : x->index < y->index ? -1 : 1;
}

/* Is any key before i, all of which are no later in order, as good in everything? */
static bool
is_dominated(const struct search *s, const struct found *f, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		bool worse = false;

		for (int o = 0; o < s->objectives; o++)
			worse |= f->key[k].score[o] > f->key[i].score[o];
		if (!worse)
			return true;
	}
	return false;
}

static struct found
look_at_all(const struct search *s)
{
	struct found f = { 0 };
	size_t front = 0;
	struct plan p;

	f.key = malloc((size_t)s->space->size * sizeof *f.key);
	assert_non_null(f.key);
	for (uint64_t i = 0; i < s->space->size; i++) {
		if (s->around > 0 && space_changes(s->space, i) > s->around)
			continue;
		space_plan(s->space, i, &p);
		estimate_run(estimate, &p, s->space->catalog, NULL);
		f.legal += estimate->legal;
		f.fitting += estimate->legal && estimate->fits;
		memset(&f.key[f.count], 0, sizeof *f.key);
		f.key[f.count].index = i;
		f.count += search_scores(s, &p, estimate, f.key[f.count].score);
	}
	comparing = s;
	qsort(f.key, f.count, sizeof *f.key, compare_keys);
	if (s->objectives > 1) {
		struct found all = f;

		f.key = malloc((f.count + 1) * sizeof *f.key);
		assert_non_null(f.key);
		for (size_t i = 0; i < all.count; i++)
			if (!is_dominated(s, &all, i))
				f.key[front++] = all.key[i];
		f.count = front;
		free(all.key);
	} else if (f.count > BEST) {
		f.count = BEST;
	}
	return f;
}

/* ---- a search against it ------------------------------------------------------------- */

static void
run_search(const struct search *s, int threads)
{
	struct search_control control = { .next = 0 };

	for (int i = 0; i < threads; i++) {
		struct search_key *key = workers[i].key;

		memset(&workers[i].counts, 0, sizeof workers[i].counts);
		workers[i].kept = 0;
		workers[i].has_nearest = workers[i].full = false;
		workers[i].key = key;
		workers[i].room = s->objectives > 1 ? FRONT : BEST;
	}
	assert_true(search_run(s, workers, threads, &control));
}

static void
same_as(const struct search *s, const struct found *f, const char *what)
{
	const struct search_worker *w = &workers[0];

	if (w->kept != f->count)
		fail_msg("%s: %zu found, not %zu", what, w->kept, f->count);
	for (size_t i = 0; i < f->count; i++) {
		if (w->key[i].index != f->key[i].index)
			fail_msg("%s: place %zu has %llu, not %llu", what, i,
			    (unsigned long long)w->key[i].index, (unsigned long long)f->key[i].index);
		assert_memory_equal(w->key[i].score, f->key[i].score,
		    (size_t)s->objectives * sizeof f->key[i].score[0]);
	}
	assert_int_equal(w->counts.decided,
	    w->counts.illegal + w->counts.over_memory + w->counts.evaluated);
	assert_int_equal(w->counts.over_memory + w->counts.evaluated, f->legal);
	assert_int_equal(w->counts.evaluated, f->fitting);
	if (s->exhaustive)
		assert_int_equal(w->counts.decided, search_size(s));
}

static void
hold_against_all(struct search *s, const char *what)
{
	static const int threads[] = { 1, 2, 5 };
	const struct found f = look_at_all(s);

	for (int i = 0; i < 3; i++) {
		s->exhaustive = false;
		run_search(s, threads[i]);
		same_as(s, &f, what);
	}
	s->exhaustive = true;
	run_search(s, 2);
	same_as(s, &f, what);
	free(f.key);
}

static void
add_objective(struct search *s, const char *name)
{
	char err[256];

	if (!target_find(&s->objective[s->objectives++], name, &s->space->plan, err, sizeof err))
		fail_msg("%s", err);
}

/* ---- spaces ---------------------------------------------------------------------------- */

#define RATES "cluster.generation=hopper cluster.fabric=nvlink4 cluster.hbm_gbps=3350 " \
	"cluster.bf16_tflops=989 cluster.fp8_tflops=1979 cluster.nvlink_gbps=450 cluster.pcie_gbps=64 "
#define DENSE "model.layers=12 model.hidden_size=2048 model.ffn_hidden_size=8192 " \
	"model.attention_heads=16 model.kv_heads=4 model.vocab_size=32000 model.max_position=8192 "
#define MOE DENSE "model.experts=8 model.experts_per_token=2 model.moe_ffn_hidden_size=1024 "

static void
make_space(const struct plan *p, const struct catalog *catalog, const struct wishes *w)
{
	char err[256];

	if (!space_make(space, p, catalog, w, err, sizeof err))
		fail_msg("%s", err);
}

/* Small enough to look at all: fix fields at random until it is. */
static void
make_small(const struct plan *p, struct wishes *w)
{
	make_space(p, NULL, w);
	while (space->size > SPACE_MOST) {
		wishes_fix(w, w->item[rand() % w->count].field);
		make_space(p, NULL, w);
	}
}

static const char *
any(const char *const *of, int count)
{
	return of[rand() % count];
}

static void
random_plan(struct plan *p)
{
	static const char *const model[] = { DENSE, MOE, MOE "model.dense_layers=2 ",
		DENSE "model.layers=10 parallel.account_for_embedding=true parallel.account_for_loss=true " };
	static const char *const layout[] = { "megatron", "deepspeed", "torchtitan", "nanotron",
		"vllm", "seed" };
	static const char *const memory[] = { "2", "4", "8", "24", "80" };
	static const char *const nodes[] = { "1", "2", "3" };
	static const char *const batch[] = { "16", "24", "64" };
	static const char *const set[] = { "parallel.sequence_parallel=false",
		"training.precision=fp8", "parallel.etp=1", "parallel.dp_replicate=2",
		"training.schedule=zb-v", "training.optimizer=muon", "parallel.order=tp-cp-ep-pp-dp",
		"cluster.gpus_per_node=4" };
	const bool serves = rand() % 4 == 0;

	*p = settings_plan(RATES, any(model, 4));
	settings_put(p, "cluster.memory_gib", any(memory, 5));
	settings_put(p, "cluster.nodes", any(nodes, 3));
	settings_put(p, "parallel.layout", serves ? "vllm" : any(layout, 6));
	settings_put(p, "training.global_batch_size", any(batch, 3));
	settings_put(p, "training.sequence_length", "2048");
	if (serves) {
		settings_put_all(p, "mode=serve serving.concurrency=8 serving.context_length=2048 "
		    "serving.prompt_tokens=1024 serving.generate_tokens=128");
	} else {
		settings_put_all(p, any(set, 8));
	}
}

static void
random_wishes(struct wishes *w, const struct plan *p)
{
	static const struct wish more[] = {
		{ FIELD_NODES, "1..4" }, { FIELD_SEQUENCE_LENGTH, "512,1024,4096" },
		{ FIELD_GLOBAL_BATCH_SIZE, "8,32" }, { FIELD_PRECISION, NULL },
		{ FIELD_LAYOUT, NULL }, { FIELD_CP_COMM, "p2p,a2a" }, { FIELD_SCHEDULE, NULL },
		{ FIELD_GPUS_PER_NODE, "4,8" }, { FIELD_LAYERS, "8,12" },
		{ FIELD_DP_REPLICATE, NULL }, { FIELD_SEQUENCE_PARALLEL, NULL }
	};

	wishes_usual(w, p);
	if (p->mode == MODE_TRAIN)
		for (int i = rand() % 3; i > 0; i--) {
			const struct wish *add = &more[rand() % (int)(sizeof more / sizeof *more)];

			wishes_free(w, add->field, add->values);
		}
	else if (rand() % 2 == 0)
		wishes_free(w, FIELD_NODES, "1..4");
}

static void
equals_brute_force(void **state)
{
	static const char *const train[] = { "time", "memory", "tokens", "step.mfu", "gpu-hours",
		"parallel.tp", "params.per_gpu_max" };
	static const char *const serve[] = { "time", "memory", "tokens", "serving.ttft_seconds" };
	uint64_t qualified = 0;

	(void)state;
	srand(7);
	for (int round = 0; round < 60; round++) {
		struct search s = { .space = space, .around = rand() % 5 == 0 ? 1 + rand() % 2 : 0 };
		struct wishes w;
		struct plan p;
		char what[64];

		random_plan(&p);
		random_wishes(&w, &p);
		make_small(&p, &w);
		for (int n = rand() % 3; n >= 0; n--)
			add_objective(&s, p.mode == MODE_SERVE ? any(serve, 4) : any(train, 7));
		if (rand() % 4 == 0) {
			char err[256];

			assert_true(condition_parse(&s.condition[s.conditions++],
			    p.mode == MODE_SERVE ? "serving.ttft_seconds<=200ms" : "step.bubble_fraction<=10%",
			    &p, err, sizeof err));
		}
		snprintf(what, sizeof what, "round %d", round);
		hold_against_all(&s, what);
		qualified += workers[0].kept;
	}
	assert_true(qualified > 500); /* the spaces are not empty */
}

static int
allocate(void **state)
{
	(void)state;
	space = malloc(sizeof *space);
	workers = calloc(THREADS, sizeof *workers);
	estimate = calloc(1, sizeof *estimate);
	for (int i = 0; workers != NULL && i < THREADS; i++)
		if ((workers[i].key = malloc(FRONT * sizeof *workers[i].key)) == NULL)
			return 1;
	return space == NULL || workers == NULL || estimate == NULL;
}

static int
release(void **state)
{
	(void)state;
	for (int i = 0; i < THREADS; i++)
		free(workers[i].key);
	free(workers);
	free(space);
	free(estimate);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_brute_force),
	};

	return cmocka_run_group_tests(tests, allocate, release);
}
