/*
 * A search finds what looking at every combination finds: with and without cuts, with one
 * thread and with several, for one objective and for a front. Brute force here shares nothing
 * with it but the space and what one plan scores.
 */
#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/estimate/result.h"
#include "core/framework/resolve.h"
#include "core/search/search.h"
#include "core/search/search_make.h"
#include "core/search/search_rank.h"
#include "core/search/search_score.h"
#include "core/model/flops.h"
#include "core/search/search_split.h"
#include "core/search/question.h"
#include "core/search/search_ahead.h"
#include "core/search/search_try.h"
#include "core/search/search_why.h"
#include "settings.h"
#include "share.h"

enum { BEST = 40, FRONT = 4096, THREADS = 5, SPACE_MOST = 20000 };

static struct search_space *space;
static struct search_worker *workers;
static struct estimate *estimate;

/* ---- brute force ----------------------------------------------------------------- */

struct found {
	size_t count;
	uint64_t legal, fitting, again;
	struct search_key *key;
};

static const struct search *comparing;
static uint64_t tight_plans, folded;

static int
compare_keys(const void *a, const void *b)
{
	const struct search_key *x = a, *y = b;
	int sizes;

	for (int i = 0; i < comparing->objectives; i++)
		if (x->score[i] < y->score[i] || x->score[i] > y->score[i])
			return x->score[i] < y->score[i] ? -1 : 1;
	for (int i = TIE_TIME; i <= TIE_TOKENS; i++)
		if (x->tie[i] < y->tie[i] || x->tie[i] > y->tie[i])
			return x->tie[i] < y->tie[i] ? -1 : 1;
	sizes = space_sizes(comparing->space, x->index) - space_sizes(comparing->space, y->index);
	return sizes != 0 ? sizes : x->index < y->index ? -1 : 1;
}

/* All numbers are the same. */
static bool
is_alike(const struct search_key *a, const struct search_key *b)
{
	for (int o = 0; o < comparing->objectives; o++)
		if (a->score[o] < b->score[o] || a->score[o] > b->score[o])
			return false;
	for (int i = 0; i < SEARCH_TIES; i++)
		if (a->tie[i] < b->tie[i] || a->tie[i] > b->tie[i])
			return false;
	return true;
}

/* The first of those that are alike stands for the others. */
static size_t
fold(struct search_key *key, size_t count)
{
	size_t left = 0;

	for (size_t i = 0; i < count; i++) {
		size_t k = left;

		while (k > 0 && !is_alike(&key[k - 1], &key[i]) &&
		    !(key[k - 1].score[0] < key[i].score[0]))
			k--;
		if (k > 0 && is_alike(&key[k - 1], &key[i]))
			key[k - 1].like++;
		else
			key[left++] = key[i];
	}
	return left;
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

/* Free fields whose value is not the plan's. */
static int
changes(const struct search_space *s, uint64_t index)
{
	int n = 0;

	for (int i = 0; i < s->count; i++)
		n += space_digit(s, i, index) != s->field[i].own;
	return n;
}

/* The same plan under the name of another schedule: without a pipeline there is none, and of those
 * that are free 1F1B stands for all, else the first. */
static bool
is_again(const struct search_space *s, const struct plan *p, uint64_t index)
{
	bool listed = false;

	const struct {
		enum field_id field;
		bool idle;
	} idles[] = {
		{ FIELD_CP_COMM, p->parallel.cp == 1 }, { FIELD_MOE_OVERLAP, p->parallel.ep == 1 },
		{ FIELD_TP_OVERLAP, p->parallel.tp == 1 },
		{ FIELD_OVERLAP_PARAM_GATHER, p->parallel.zero_stage == 0 },
	};

	for (int i = 0; i < s->count; i++)
		for (int k = 0; k < 4; k++) {
			const bool lists = !(s->value[s->field[i].first] > 0); /* p2p, false */

			if (s->field[i].field == idles[k].field && idles[k].idle &&
			    (lists ? field_int(idles[k].field, p) != 0 : space_digit(s, i, index) > 0))
				return true;
		}
	for (int i = 0; i < s->count; i++) {
		const struct free_field *f = &s->field[i];

		if (f->field != FIELD_SCHEDULE || p->parallel.pp > 1)
			continue;
		for (int k = 0; k < f->count; k++)
			listed |= (int)s->value[f->first + k] == SCHEDULE_1F1B;
		return listed ? p->training.schedule != SCHEDULE_1F1B : space_digit(s, i, index) > 0;
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
		if (s->around > 0 && changes(s->space, i) > s->around)
			continue;
		space_plan(s->space, i, &p);
		if (s->around == 0 && is_again(s->space, &p, i)) {
			f.again++;
			continue;
		}
		estimate_run(estimate, &p, s->space->catalog, NULL);
		f.legal += estimate->legal;
		tight_plans += estimate->tight;
		f.fitting += estimate->legal && (s->tight ? estimate->fits : estimate_has_room(estimate));
		memset(&f.key[f.count], 0, sizeof *f.key);
		f.key[f.count].index = i;
		f.count += score_verdict(s, &p, estimate, &f.key[f.count]);
	}
	comparing = s;
	qsort(f.key, f.count, sizeof *f.key, compare_keys);
	f.count = fold(f.key, f.count);
	folded += f.count > 0 && f.key[0].like > 0;
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

	for (int i = 0; i < threads; i++)
		workers[i].room = s->objectives > 1 ? FRONT : BEST;
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
		assert_int_equal(w->key[i].like, f->key[i].like);
	}
	assert_int_equal(w->counts.decided,
	    w->counts.illegal + w->counts.over_memory + w->counts.evaluated);
	assert_true(w->counts.over_memory + w->counts.evaluated <= f->legal);
	assert_true(w->counts.evaluated <= f->fitting);
	assert_true(s->around > 0 || w->counts.cut + w->counts.decided == search_size(s));
	if (!s->exhaustive)
		return;
	assert_int_equal(w->counts.decided + f->again, search_size(s));
	assert_int_equal(w->counts.over_memory + w->counts.evaluated, f->legal);
	assert_int_equal(w->counts.evaluated, f->fitting);
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

/* The same; and how many plans qualified, and were left out without a look. */
static void
hold_and_count(struct search *s, const char *what, uint64_t *qualified, uint64_t *cut)
{
	hold_against_all(s, what);
	*qualified += workers[0].kept;
	s->exhaustive = false;
	run_search(s, 1);
	*cut += space->size - workers[0].counts.decided;
}

static void
add_objective(struct search *s, const char *name)
{
	char err[256];

	s->front = s->objectives > 0;
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
	make_space(p, defaults_catalog(), w);
	while (space->size > SPACE_MOST) {
		wishes_fix(w, w->item[rand() % w->count].field);
		make_space(p, defaults_catalog(), w);
	}
}

/* The spaces of a test; others for each $SPACES. */
static void
seed_spaces(unsigned own)
{
	const char *other = getenv("SPACES");

	srand(own + (other != NULL ? (unsigned)strtoul(other, NULL, 10) : 0));
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
		DENSE "model.layers=10 parallel.account_for_embedding=true parallel.account_for_loss=true ",
		DENSE "model.layers=11 ", MOE "model.layers=13 model.mtp_layers=1 " };
	static const char *const layout[] = { "megatron", "deepspeed", "torchtitan", "nanotron",
		"vllm", "seed" };
	static const char *const memory[] = { "2", "4", "8", "24", "80" };
	static const char *const nodes[] = { "1", "2", "3" };
	static const char *const batch[] = { "16", "24", "64" };
	static const char *const set[] = { "parallel.sequence_parallel=false",
		"training.precision=fp8", "parallel.etp=1", "parallel.dp_replicate=2",
		"training.schedule=zb-v", "training.optimizer=muon", "parallel.order=tp-cp-ep-pp-dp",
		"cluster.gpus_per_node=4", "cluster.other_gpus=0=slow-4gb" };
	const bool serves = rand() % 4 == 0;

	*p = settings_plan(RATES, any(model, 6));
	settings_put(p, "cluster.memory_gib", any(memory, 5));
	settings_put(p, "cluster.nodes", any(nodes, 3));
	settings_put(p, "parallel.layout", serves ? "vllm" : any(layout, 6));
	settings_put(p, "training.global_batch_size", any(batch, 3));
	settings_put(p, "training.sequence_length", "2048");
	settings_put(p, "training.token_budget", "1");
	settings_put(p, "cluster.gpu_hour_price", "2");
	settings_put(p, "cluster.tdp_watts", "700");
	if (serves) {
		settings_put_all(p, "mode=serve serving.concurrency=8 serving.context_length=2048 "
		    "serving.prompt_tokens=1024 serving.generate_tokens=128");
	} else {
		settings_put_all(p, any(set, 9));
	}
}

static void
random_wishes(struct wishes *w, const struct plan *p)
{
	static const struct wish more[] = {
		{ FIELD_NODES, "1..4", true }, { FIELD_SEQUENCE_LENGTH, "512,1024,4096", true },
		{ FIELD_GLOBAL_BATCH_SIZE, "8,32", true }, { FIELD_PRECISION, NULL, true },
		{ FIELD_LAYOUT, NULL, true }, { FIELD_CP_COMM, "p2p,a2a", true }, { FIELD_SCHEDULE, NULL, true },
		{ FIELD_GPUS_PER_NODE, "4,8", true }, { FIELD_LAYERS, "8,12", true },
		{ FIELD_DP_REPLICATE, NULL, true }, { FIELD_SEQUENCE_PARALLEL, NULL, true },
		{ FIELD_ORDER, "tp-cp-ep-dp-pp,tp-cp-ep-pp-dp,tp-pp-cp-ep-dp", true },
		{ FIELD_PIPELINE_LAYOUT, "Et*6|t*6L,Et*4|t*4|t*4L", true }
	};

	wishes_usual(w, p);
	if (p->mode == MODE_TRAIN && rand() % 2 == 0)
		wishes_free_group(w, WISH_SWITCHES, p);
	if (p->mode == MODE_TRAIN)
		for (int i = rand() % 3; i > 0; i--) {
			const struct wish *add = &more[rand() % (int)(sizeof more / sizeof *more)];

			wishes_free(w, add->field, add->values);
		}
	else if (rand() % 2 == 0)
		wishes_free(w, FIELD_NODES, "1..4");
}

/* So many in all rounds, in a part of them fewer; of other spaces nobody knows. */
static bool
enough(uint64_t n, uint64_t least)
{
	return getenv("SPACES") != NULL || n > (has_sanitizer() ? least / (SHARE_OF * 2) : least);
}

TEST(equals_brute_force)
{
	static const char *const train[] = { "time", "memory", "tokens", "step.mfu", "gpu-hours",
		"parallel.tp", "params.per_gpu_max", "gpus", "training.sequence_length", "run.days", "run.cost",
		"run.goodput", "energy", "run.joules_per_token" };
	static const char *const serve[] = { "time", "memory", "tokens", "serving.ttft_seconds" };
	static const char *const conditions[] = { "step.bubble_fraction<=10%", "step.seconds<=300ms",
		"step.training_seconds<=0.1d", "run.days<=0.1", "run.goodput>=99.9%" };
	uint64_t qualified = 0;

	seed_spaces(7);
	for (int round = 0; round < 80; round++) {
		struct search s = { .space = space, .around = rand() % 5 == 0 ? 1 + rand() % 2 : 0,
			.tight = rand() % 2 == 0 };
		struct wishes w;
		struct plan p;
		char what[64];

		random_plan(&p);
		random_wishes(&w, &p);
		make_small(&p, &w);
		for (int n = rand() % 3; n >= 0; n--)
			add_objective(&s, p.mode == MODE_SERVE ? any(serve, 4) : any(train, 14));
		if (rand() % 4 == 0) {
			char err[256];

			assert_true(condition_parse(&s.condition[s.conditions++],
			    p.mode == MODE_SERVE ? "serving.ttft_seconds<=200ms" : any(conditions, 5),
			    &p, err, sizeof err));
		}
		if (!in_share((size_t)round))
			continue;
		snprintf(what, sizeof what, "round %d", round);
		hold_against_all(&s, what);
		qualified += workers[0].kept;
	}
	assert_true(enough(qualified, 500) && enough(tight_plans, 500) && enough(folded, 5)); /* the spaces are not empty */
}

/* A field that is fixed at the plan's own value takes plans away: what is left is never better, and of none none is
 * left. */
TEST(fewer_fields_find_no_better)
{
	static const char *const objective[] = { "time", "memory", "tokens", "gpu-hours" };
	int fields = 0, worse = 0;

	seed_spaces(17);
	for (int round = 0; round < 32; round++) {
		struct search s = { .space = space };
		struct wishes w;
		struct plan p;
		double best = -INFINITY;

		random_plan(&p);
		if (p.mode == MODE_SERVE)
			continue;
		random_wishes(&w, &p);
		make_small(&p, &w);
		for (int i = w.count - 1; i >= 0; i--) /* lists without the plan's own value */
			if (space->field[space_place(space, w.item[i].field)].own < 0)
				wishes_fix(&w, w.item[i].field);
		add_objective(&s, objective[round % 4]);
		if (!in_share((size_t)round))
			continue;
		for (;; fields++) {
			const double was = best;

			make_space(&p, defaults_catalog(), &w);
			run_search(&s, 1);
			best = workers[0].kept > 0 ? workers[0].key[0].score[0] : INFINITY;
			assert_true(best >= was);
			worse += best > was && isfinite(was);
			if (w.count == 0)
				break;
			wishes_fix(&w, w.item[rand() % w.count].field);
		}
	}
	assert_true(enough((uint64_t)fields, 30) && enough((uint64_t)worse, 10));
}

/* Of a run in stages of several batches the plan's own step tells what its own stages take at least, and
 * nothing where there is none. */
TEST(stages_of_a_run)
{
	static const char *const schedule[] = { "1024x16k@300M",
		"1024x16k@100M,2048x64k@400M,2048x32k@600M,2048x128k", "1024x64k", "2048x16k@10M" };
	static const char *const limit[] = { "run.days<=0.02", "run.days<=0.04", "run.days<=0.08",
		"run.cost<=16", "run.net_days<=0.03" };
	static const char *const objective[] = { "gpus", "run.days", "gpu-hours", "run.cost" };
	uint64_t qualified = 0, cut = 0;

	seed_spaces(13);
	for (int round = 0; round < 24; round++) {
		struct search s = { .space = space };
		struct plan p = settings_plan(RATES, DENSE "cluster.memory_gib=80 training.global_batch_size=16 "
		    "training.sequence_length=2048 training.token_budget=1 cluster.gpu_hour_price=2");
		struct wishes w;
		char what[64], err[256];

		settings_put(&p, "run.batch_schedule", schedule[round % 4]);
		wishes_usual(&w, &p);
		wishes_free(&w, FIELD_NODES, "1..4");
		make_small(&p, &w);
		add_objective(&s, objective[round / 4 % 4]);
		if (round % 5 > 0 && !condition_parse(&s.condition[s.conditions++], any(limit, 5), &p, err, sizeof err))
			fail_msg("%s", err);
		if (!in_share((size_t)round))
			continue;
		snprintf(what, sizeof what, "stages, round %d", round);
		hold_and_count(&s, what, &qualified, &cut);
	}
	assert_true(enough(qualified, 200) && enough(cut, 1000));
}

/* Without a pipeline there is one schedule, whichever the plan names. */
TEST(schedules_of_one_stage)
{
	struct search s = { .space = space };
	struct wishes w;
	struct plan p = settings_plan(RATES, MOE "cluster.nodes=1 training.sequence_length=2048 "
	    "training.global_batch_size=16 parallel.ep=8 training.schedule=dualpipe");

	wishes_usual(&w, &p);
	wishes_free(&w, FIELD_SCHEDULE, NULL);
	for (int i = w.count - 1; i >= 0; i--)
		if (w.item[i].field != FIELD_SCHEDULE && w.item[i].field != FIELD_PP)
			wishes_fix(&w, w.item[i].field);
	make_space(&p, NULL, &w);
	add_objective(&s, "time");
	hold_against_all(&s, "schedules of one stage");
	for (size_t i = 0; i < workers[0].kept; i++) {
		space_plan(space, workers[0].key[i].index, &p);
		assert_true(p.parallel.pp > 1 || p.training.schedule == SCHEDULE_1F1B);
	}
}

/* Phases have to fit, whatever is asked for: here an engine that stays beside the trainer. */
TEST(phases_fit)
{
	struct search s = { .space = space };
	struct wishes w;
	struct plan p = settings_plan(RATES, DENSE "cluster.memory_gib=24 cluster.nodes=1 "
	    "training.sequence_length=2048 training.global_batch_size=16 rl.algorithm=grpo "
	    "rl.response_tokens=512 rl.response_limit=1024 rl.engine_sleep=0");

	wishes_usual(&w, &p);
	make_small(&p, &w);
	add_objective(&s, "gpus");
	hold_against_all(&s, "an engine beside the trainer");
}

/* Rollouts have sizes of their own: TP of their engines, GPUs of a pool, what leaves for the host. What
 * an engine takes, awake or asleep, leaves more or less to the trainer. */
TEST(rollouts)
{
	static const char *const placement[] = { "rl.placement=colocated",
		"rl.placement=split rl.rollout_gpus=4", "rl.placement=colocated parallel.layout=torchtitan",
		"rl.placement=split rl.rollout_gpus=4 rl.staleness=1" };
	static const char *const memory[] = { "80", "40", "32", "24" };
	static const char *const objective[] = { "time", "tokens", "gpu-hours", "memory", "gpus" };
	char text[64];

	seed_spaces(5);
	for (int round = 0; round < 48; round++) {
		struct search s = { .space = space, .tight = round % 3 == 0 };
		struct plan p = settings_plan(RATES, DENSE "cluster.nodes=1 "
		    "training.sequence_length=2048 training.global_batch_size=16 rl.algorithm=grpo "
		    "rl.response_tokens=512 rl.response_limit=1024");
		struct wishes w;

		if (!in_share((size_t)round))
			continue;
		text_put(text, sizeof text, "cluster.memory_gib=%s", memory[round / 4 % 4]);
		settings_put_all(&p, text);
		settings_put_all(&p, placement[round % 4]);
		wishes_usual(&w, &p);
		assert_true(wishes_find(&w, FIELD_ROLLOUT_TP) < w.count);
		assert_int_equal(wishes_find(&w, FIELD_ROLLOUT_GPUS) < w.count, round % 2);
		for (int i = w.count - 1; i >= 0; i--) /* the trainer's in part */
			if (w.item[i].field < FIELD_ROLLOUT_GPUS && rand() % 2 == 0)
				wishes_fix(&w, w.item[i].field);
		if (round >= 16) { /* what engines alone take notice of */
			wishes_free(&w, FIELD_RL_PROMPTS, "32,64,128");
			wishes_free(&w, FIELD_GPU_MEMORY_UTILIZATION, "0.5,0.7,0.9");
		}
		if (round >= 32) {
			wishes_free_group(&w, WISH_SWITCHES, &p);
		}
		make_small(&p, &w);
		add_objective(&s, objective[round % 5]);
		hold_against_all(&s, "rollouts");
		assert_true(round >= 4 || workers[0].kept > 0 || getenv("SPACES") != NULL);
	}
}

/* Pairs have an update, and passes before it, but no engine. */
TEST(pairs)
{
	static const char *const method[] = { "dpo", "rm" };
	static const char *const memory[] = { "80", "32", "24" };

	seed_spaces(6);
	for (int round = 0; round < 18; round++) {
		struct search s = { .space = space, .tight = round % 4 == 0 };
		struct plan p = settings_plan(RATES, DENSE "cluster.nodes=1 "
		    "training.sequence_length=2048 training.global_batch_size=16 "
		    "rl.prompt_tokens=200 rl.response_tokens=300 rl.response_limit=1024");
		struct wishes w;

		settings_put(&p, "rl.algorithm", method[round % 2]);
		settings_put(&p, "cluster.memory_gib", memory[round % 3]);
		settings_put(&p, "parallel.layout", round % 5 == 0 ? "torchtitan" : "megatron");
		wishes_usual(&w, &p);
		make_small(&p, &w);
		add_objective(&s, round % 6 == 5 ? "tokens" : "time");
		if (!in_share((size_t)round))
			continue;
		hold_against_all(&s, "pairs");
		assert_true(round >= 2 || workers[0].kept > 0 || getenv("SPACES") != NULL);
	}
}

/* A row is as long as the longest response, in parts that TP and CP share: the rule of its length
 * is not asked before both are in. */
TEST(rows_follow_sizes)
{
	struct search s = { .space = space };
	struct wishes w = { 0 };
	struct plan p = settings_plan(RATES, DENSE "cluster.memory_gib=80 cluster.nodes=1 "
	    "parallel.tp=4 model.max_position=1610 training.global_batch_size=16 rl.algorithm=grpo "
	    "rl.prompt_tokens=512 rl.response_tokens=512 rl.response_limit=1089");

	wishes_free(&w, FIELD_TP, NULL);
	wishes_free(&w, FIELD_CP, NULL);
	make_space(&p, NULL, &w);
	add_objective(&s, "time");
	hold_against_all(&s, "rows");
	assert_int_equal(workers[0].counts.illegal, 16 - 6); /* TP x CP up to 4: rows of 1602 to 1608 */
}

/* GPU and model are free too: what the plan set over the catalogue's numbers is dropped. */
TEST(catalogue_entries)
{
	static struct catalog_entry gpus[3], models[2];
	const struct catalog catalog = { .gpus = { gpus, 3 }, .models = { models, 2 } };
	struct search s = { .space = space };
	struct wishes w = { 0 };
	struct plan p = settings_plan("", "cluster.nodes=1 training.global_batch_size=16");

	for (int i = 0; i < 3; i++) {
		text_put(gpus[i].id, sizeof gpus[i].id, "gpu%d", i);
		gpus[i].values = settings_plan(RATES, i == 0 ? "cluster.memory_gib=4" :
		    i == 1 ? "cluster.memory_gib=24 cluster.gpus_per_node=4" : "cluster.memory_gib=90");
	}
	for (int i = 0; i < 2; i++) {
		text_put(models[i].id, sizeof models[i].id, "model%d", i);
		models[i].values = settings_plan(i == 0 ? DENSE : MOE, "");
	}
	settings_set(&p, "cluster.gpu", "gpu2");
	settings_set(&p, "model.preset", "model0");
	settings_set(&p, "cluster.memory_gib", "30");
	plan_resolve(&p, &catalog);
	wishes_free(&w, FIELD_GPU, NULL);
	wishes_free(&w, FIELD_PRESET, "model1,model0");
	wishes_free(&w, FIELD_TP, NULL);
	wishes_free(&w, FIELD_PP, NULL);
	wishes_free(&w, FIELD_EP, "1,2,3");
	make_space(&p, &catalog, &w);
	assert_int_equal(space->size, 3 * 2 * 4 * 4 * 3);
	add_objective(&s, "time");
	hold_against_all(&s, "catalogue");
	assert_true(workers[0].kept > 10);
}

/* Of models that are ranked by their size the best plan of each size alone, whichever of its models that is. */
TEST(largest_models)
{
	static struct catalog_entry gpus[1], models[4];
	const struct catalog catalog = { .gpus = { gpus, 1 }, .models = { models, 4 } };
	const char *const model[] = { DENSE, MOE, DENSE "model.max_position=4096 ", DENSE "model.layers=10 " };
	struct search s = { .space = space, .exhaustive = true };
	struct plan p = settings_plan("", "cluster.nodes=1 training.global_batch_size=16 training.sequence_length=2048");
	struct wishes w = { 0 };
	double seconds[3];

	text_put(gpus[0].id, sizeof gpus[0].id, "gpu0");
	gpus[0].values = settings_plan(RATES, "cluster.memory_gib=80");
	settings_set(&p, "cluster.gpu", "gpu0");
	for (int i = 0; i < 4; i++) {
		text_put(models[i].id, sizeof models[i].id, "model%d", i);
		models[i].values = settings_plan(model[i], "");
	}
	settings_set(&p, "model.preset", "model0");
	plan_resolve(&p, &catalog);
	wishes_free(&w, FIELD_PRESET, NULL);
	wishes_free(&w, FIELD_TP, NULL);
	wishes_free(&w, FIELD_PP, NULL);
	wishes_free(&w, FIELD_MICRO_BATCH_SIZE, NULL);
	make_space(&p, &catalog, &w);
	add_objective(&s, "params.total");
	for (int i = 0; i < 3; i++) { /* all plans, then what bounds leave, on one thread and on several */
		run_search(&s, i == 2 ? 5 : 1);
		assert_int_equal(workers[0].kept, 3);
		for (int k = 0; k < 3; k++) {
			if (i == 0)
				seconds[k] = workers[0].key[k].tie[TIE_TIME];
			assert_true(seconds[k] > 0 && !(workers[0].key[k].tie[TIE_TIME] < seconds[k]) &&
			    !(workers[0].key[k].tie[TIE_TIME] > seconds[k]));
			assert_true(k == 0 || workers[0].key[k].score[0] > workers[0].key[k - 1].score[0]);
		}
		s.exhaustive = false;
	}
	assert_true(workers[0].counts.decided < space->size);
}

/* Long rows: what is kept of micro-batches decides which PP, VPP and splits have room, and no bound
 * says more of it than there is. */
TEST(kept_activations)
{
	static const char *const model[] = { DENSE "model.layers=13 ", MOE "model.layers=14 "
		"model.dense_layers=3 ", MOE "model.layers=11 model.mtp_layers=1 ",
		DENSE "model.layers=16 model.vocab_size=256000 " };
	static const char *const schedule[] = { "training.schedule=1f1b", "training.schedule=gpipe",
		"training.schedule=zb-1p", "training.schedule=zb-2p", "training.schedule=zb-v",
		"training.schedule=dualpipe", "training.microbatch_group_size=6", "training.offload_layers=2",
		"training.recompute_layers=3", "training.recompute_method=block" };
	static const char *const memory[] = { "16", "24", "40" };
	static const enum field_id free[] = { FIELD_TP, FIELD_PP, FIELD_VPP, FIELD_PIPELINE_LAYOUT,
		FIELD_ZERO_STAGE, FIELD_MICRO_BATCH_SIZE, FIELD_RECOMPUTE };
	uint64_t qualified = 0, cut = 0;

	seed_spaces(3);
	for (int round = 0; round < 24; round++) {
		struct search s = { .space = space };
		struct plan p = settings_plan(RATES, any(model, 4));
		struct wishes w = { 0 };
		char what[64];

		settings_put_all(&p, "cluster.nodes=2 training.global_batch_size=24 "
		    "training.sequence_length=8192");
		settings_put_all(&p, schedule[round % 10]);
		settings_put(&p, "cluster.memory_gib", any(memory, 3));
		for (size_t i = 0; i < sizeof free / sizeof *free; i++)
			wishes_free(&w, free[i], free[i] == FIELD_MICRO_BATCH_SIZE ? "1,2" : NULL);
		if (round % 4 == 0)
			wishes_free(&w, FIELD_OFFLOAD, NULL);
		make_small(&p, &w);
		add_objective(&s, round % 3 == 0 ? "memory" : "time");
		if (!in_share((size_t)round))
			continue;
		snprintf(what, sizeof what, "kept, round %d", round);
		hold_and_count(&s, what, &qualified, &cut);
	}
	assert_true(enough(qualified, 300) && enough(cut, 1000));
}

/* Traffic of TP, CP and experts, which early switches send in different ways, decides: what is known
 * of it before they and PP are in is no more than the best of them takes. */
TEST(traffic_before_pipelines)
{
	static const char *const nics[] = { "25", "100", "400" };
	static const char *const schedule[] = { "1f1b", "gpipe", "dualpipe", "zb-1p" };
	static const enum field_id free[] = { FIELD_TP, FIELD_CP, FIELD_EP, FIELD_PP, FIELD_CP_COMM,
		FIELD_MOE_DISPATCHER, FIELD_MOE_OVERLAP, FIELD_MICRO_BATCH_SIZE };
	uint64_t qualified = 0, cut = 0;

	seed_spaces(11);
	for (int round = 0; round < 16; round++) {
		struct search s = { .space = space };
		struct plan p = settings_plan(RATES, MOE);
		struct wishes w = { 0 };
		char what[64];

		settings_put_all(&p, "cluster.nodes=2 cluster.memory_gib=80 parallel.etp=1 "
		    "training.global_batch_size=64 training.sequence_length=2048");
		settings_put(&p, "cluster.nic_gbps", any(nics, 3));
		settings_put(&p, "training.schedule", any(schedule, 4));
		for (size_t i = 0; i < sizeof free / sizeof *free; i++)
			wishes_free(&w, free[i], free[i] == FIELD_MICRO_BATCH_SIZE ? "1,4" : NULL);
		make_space(&p, defaults_catalog(), &w);
		add_objective(&s, "time");
		if (!in_share((size_t)round))
			continue;
		snprintf(what, sizeof what, "traffic, round %d", round);
		hold_and_count(&s, what, &qualified, &cut);
	}
	assert_true(enough(qualified, 100) && enough(cut, 1000));
}

/* What comes nearest is the same, whether all is worked out or no more than may be nearer. */
TEST(nearest_of_none)
{
	static const char *const limits[] = { "step.seconds<=0.01", "step.tokens_per_second>=1e9",
		"peak.total<=2GiB", "step.mfu>=0.99", "communication.tp.bytes<=1MB" };
	static const char *const memory[] = { "3", "12", "40" };
	uint64_t left_out = 0;

	seed_spaces(5);
	for (int round = 0; round < 30; round++) {
		struct search s = { .space = space, .explains = UINT64_MAX, .tight = round % 4 == 0 };
		struct plan p = settings_plan(RATES, DENSE);
		struct wishes w = { 0 };
		struct search_key nearest;
		char err[256];

		settings_put_all(&p, "cluster.nodes=2 training.global_batch_size=64 "
		    "training.sequence_length=8192");
		settings_put(&p, "cluster.memory_gib", any(memory, 3));
		wishes_usual(&w, &p);
		wishes_fix_group(&w, WISH_SWITCHES, &p);
		make_space(&p, defaults_catalog(), &w);
		add_objective(&s, "time");
		for (; s.conditions < 1 + round % 2; s.conditions++)
			assert_true(condition_parse(&s.condition[s.conditions], any(limits, 5), &p, err,
			    sizeof err));
		if (!in_share((size_t)round))
			continue;
		run_search(&s, 2);
		if (workers[0].kept > 0) /* no limit of this one */
			continue;
		assert_true(workers[0].has_nearest);
		nearest = workers[0].nearest;
		left_out += workers[0].counts.decided;
		s.explains = 1;
		run_search(&s, 2);
		left_out -= workers[0].counts.decided;
		assert_int_equal(workers[0].nearest.index, nearest.index);
		assert_memory_equal(workers[0].nearest.score, nearest.score, sizeof nearest.score);
	}
	assert_true(enough(left_out, 10000));
}

/* Of those as good as the last that is kept: what stands for a dropped one may come later. */
TEST(likes_of_the_last)
{
	static struct search_space none;
	const struct search s = { .space = &none, .objectives = 1 };
	const struct search_key found[] = { /* time and memory; the lower index is the simpler */
		{ .index = 5, .score = { 2 }, .tie = { [TIE_MEMORY] = 8 } },
		{ .index = 9, .score = { 2 }, .tie = { [TIE_MEMORY] = 7 } },
		{ .index = 7, .score = { 2 }, .tie = { [TIE_MEMORY] = 7 } },
		{ .index = 1, .score = { 2 }, .tie = { [TIE_MEMORY] = 7 } },
		{ .index = 3, .score = { 2 }, .tie = { [TIE_MEMORY] = 8 } },
	};
	struct search_worker *w = &workers[0];

	w->room = 1;
	w->kept = w->spares = 0;
	for (size_t i = 0; i < sizeof found / sizeof *found; i++)
		rank_keep(&s, w, &found[i]);
	assert_int_equal(w->key[0].index, 1);
	assert_int_equal(w->key[0].like, 2);
	assert_int_equal(w->spares, 1);
	assert_int_equal(w->spare[0].index, 3);
	assert_int_equal(w->spare[0].like, 1);
	rank_keep(&s, w, &(struct search_key){ .index = 20, .score = { 1 } });
	assert_int_equal(w->spares, 0);
}

/* On a front what is as good as a simpler plan of other memory may be like the simplest of all. */
TEST(likes_on_a_front)
{
	static struct search_space none;
	const struct search s = { .space = &none, .objectives = 2, .front = true };
	const struct search_key found[] = {
		{ .index = 2, .score = { 2, 3 }, .tie = { [TIE_MEMORY] = 8 } },
		{ .index = 5, .score = { 2, 3 }, .tie = { [TIE_MEMORY] = 7 } },
		{ .index = 1, .score = { 2, 3 }, .tie = { [TIE_MEMORY] = 7 } },
		{ .index = 0, .score = { 3, 2 } },
	};
	struct search_worker *w = &workers[0];

	w->room = 4;
	for (size_t turn = 0; turn < 4; turn++) {
		w->kept = w->spares = 0;
		for (size_t i = 0; i < 4; i++)
			rank_keep(&s, w, &found[(i + turn) % 4]);
		rank_sort(&s, w);
		assert_int_equal(w->kept, 2);
		assert_int_equal(w->key[0].index, 1);
		assert_int_equal(w->key[0].like, 1);
	}
}

/* A layout of its own places what its PP does not divide, and says how many chunks there are. */
TEST(layouts_place)
{
	struct search s = { .space = space };
	struct wishes w = { 0 };
	struct plan p = settings_plan(RATES, DENSE "model.layers=13 cluster.nodes=1 "
	    "cluster.memory_gib=80 training.sequence_length=2048 training.global_batch_size=16");

	wishes_free(&w, FIELD_TP, "1,2");
	wishes_free(&w, FIELD_PP, "1,2,4");
	wishes_free(&w, FIELD_PIPELINE_LAYOUT, "Et*6|t*7L,Et*3|t*3|t*4|t*3L");
	make_space(&p, NULL, &w);
	add_objective(&s, "time");
	hold_against_all(&s, "layouts");
	assert_true(workers[0].kept >= 4);
}

/* Of each PP and VPP the splits that Megatron can be told, each once. */
TEST(splits)
{
	static const struct {
		const char *settings, *words[SPLITS]; /* NULL: there is none */
	} rows[] = {
		{ "model.layers=12 parallel.pp=4", { "even", "even" } },
		{ "model.layers=126 parallel.pp=32 parallel.vpp=4",
		  { "even", "even", [SPLIT_COUNT_BOTH] = "embedding and loss counted" } },
		{ "model.layers=94 parallel.pp=4",
		  { "even", "even", [SPLIT_COUNT_BOTH] = "embedding and loss counted",
		    [SPLIT_SHORT_LAST] = "last 22", [SPLIT_SHORT_FIRST] = "first 22",
		    [SPLIT_LAYOUT_PLAIN] = "Et*23|t*23|t*24|t*24L" } },
		{ "model.layers=61 parallel.pp=16",
		  { "even", "even", [SPLIT_SHORT_LAST] = "last 1", [SPLIT_SHORT_FIRST] = "first 1",
		    [SPLIT_SHORT_ENDS] = "first 3, last 2",
		    [SPLIT_LAYOUT_PLAIN] = "Et*3|(t*3|)*2(t*4|)*12t*4L",
		    [SPLIT_LAYOUT] = "Et*3|t*3|(t*4|)*13t*3L" } },
		{ "model.layers=61 parallel.pp=8 parallel.vpp=2 model.mtp_layers=1",
		  { "even", "even", [SPLIT_LAYOUT_PLAIN] = "Et*3|(t*3|)*2(t*4|)*12t*4mL",
		    [SPLIT_LAYOUT] = "Et*4|(t*4|)*14tmL" } },
		{ "model.layers=61 parallel.pp=16 parallel.vpp=2 model.mtp_layers=1",
		  { "even", "even", [SPLIT_LAYOUT_PLAIN] = "Et|(t|)*2(t*2|)*28t*2mL",
		    [SPLIT_LAYOUT] = "Et|(t*2|)*30mL" } },
		{ "model.layers=61 parallel.pp=16 parallel.vpp=4 model.mtp_layers=1",
		  { "even", "even", [SPLIT_LAYOUT_APART] = "E|(t|)*61m|L" } },
		{ "model.layers=32 parallel.pp=4 model.vocab_size=256000",
		  { "even", "even", [SPLIT_LAYOUT] = "Et*10|(t*10|)*2t*2L" } },
		{ "model.layers=13 training.schedule=zb-v parallel.pp=4", { "even", "even" } },
		{ "model.layers=13 parallel.pp=1", { "even", "even" } },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct plan p = settings_plan("model.hidden_size=2048 model.ffn_hidden_size=8192 "
		    "model.attention_heads=16 model.kv_heads=4 model.vocab_size=32000", rows[i].settings);

		for (int k = 0; k < SPLITS; k++) {
			const char *words = rows[i].words[k] != NULL ? rows[i].words[k] : "-";
			struct placement placement;
			struct plan q = p;
			char text[PLAN_LAYOUT_SIZE];

			split_state((enum split)k, &p, &q);
			split_format(&q, text, sizeof text);
			if (!text_equal(text, words))
				fail_msg("%s: %d is %s, not %s", rows[i].settings, k, text, words);
			if (k > SPLIT_EVEN && (*words == '-') == placement_init(&placement, &q, NULL))
				fail_msg("%s: %s", rows[i].settings, text);
		}
	}
}

/* Engines that would split what they have no copies of are not even looked at. */
TEST(copies_are_cut)
{
	struct search s = { .space = space };
	struct wishes w = { 0 };
	struct plan p = settings_plan(RATES DENSE, "mode=serve parallel.layout=vllm cluster.nodes=1 "
	    "cluster.memory_gib=80 serving.concurrency=8 serving.context_length=2048 "
	    "serving.prompt_tokens=1024 serving.generate_tokens=128");

	wishes_free(&w, FIELD_TP, NULL);
	wishes_free(&w, FIELD_DP_ATTENTION, NULL);
	wishes_free(&w, FIELD_DCP, NULL);
	make_space(&p, NULL, &w);
	add_objective(&s, "time");
	hold_against_all(&s, "copies");
	assert_int_equal(workers[0].kept, 5); /* DCP 2 at TP 8, of 4 heads, and TP 1, 2, 4, 8 */
	s.exhaustive = false;
	run_search(&s, 1);
	assert_int_equal(workers[0].counts.illegal, 0);
}

/* Sizes that leave a rank no whole number of micro-batches, whatever the pipeline, are left out as one; what the field
 * behind PP may be says nothing of that. */
TEST(odd_splits_are_cut)
{
	struct search s = { .space = space };
	struct wishes w = { 0 };
	struct plan p = settings_plan(RATES DENSE, "cluster.nodes=1 cluster.gpus_per_node=8 cluster.memory_gib=80 "
	    "training.global_batch_size=7 training.micro_batch_size=1");

	wishes_free(&w, FIELD_TP, "1,2");
	wishes_free(&w, FIELD_PP, "1,2");
	wishes_free(&w, FIELD_RECOMPUTE_LAYERS, "8,4");
	make_space(&p, NULL, &w);
	add_objective(&s, "time");
	run_search(&s, 1);
	assert_int_equal(workers[0].counts.decided, 0);
	assert_int_equal(workers[0].counts.cut, search_size(&s));
}

/* Events of an open loop are followed only of plans that may be among the best: the answer is that of following
 * all, and few were. */
TEST(at_a_rate)
{
	static const char *const asked[][4] = {
		{ "gpus", "serving.tpot_within", "serving.ttft_within<=150ms" }, { "serving.tpot_within", "gpus", NULL },
		{ "gpus", "traffic.rate", "serving.ttft_within<=60ms" },
		{ "gpus", "serving.rate_in_limits", "serving.tpot_within<=9ms" }, { "serving.rate_in_limits", NULL, NULL },
		{ "gpus", NULL, "serving.ttft_within<=80ms" }, { "serving.joules_per_token", "gpus", "serving.ttft_within<=80ms" },
	};
	struct plan p = settings_plan(RATES DENSE, "mode=serve parallel.layout=vllm cluster.nodes=1 "
	    "cluster.gpus_per_node=4 cluster.tdp_watts=700 cluster.memory_gib=80 serving.context_length=4096 traffic.mix=chat "
	    "traffic.rate=40 traffic.ttft_limit=0.2 traffic.tpot_limit=0.01 traffic.requests=60");
	char err[256];

	for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
		struct search s = { .space = space };
		struct wishes w = { 0 };

		wishes_free(&w, FIELD_NODES, "1,2");
		wishes_free(&w, FIELD_TP, NULL);
		wishes_free(&w, FIELD_PREFILL_WORKERS, ",2xtp2");
		wishes_free(&w, FIELD_RATE, "20,200");
		settings_put(&p, "traffic.requests", i % 2 == 0 ? "60" : "0");
		make_space(&p, NULL, &w);
		for (int k = 0; k < 2 && asked[i][k] != NULL; k++)
			add_objective(&s, asked[i][k]);
		if (asked[i][2] != NULL)
			assert_true(condition_parse(&s.condition[s.conditions++], asked[i][2], &p, err, sizeof err));
		s.front = s.objectives > 1;
		hold_against_all(&s, asked[i][0]);
		assert_true(workers[0].kept > 0);
	}
}

TEST(values)
{
	static const struct {
		enum field_id field;
		const char *values;
		int count;
		double first, last;
	} of[] = {
		{ FIELD_TP, NULL, 5, 1, 16 }, { FIELD_TP, "2..8", 3, 2, 8 },
		{ FIELD_TP, "8, 2,8,3", 3, 2, 8 }, { FIELD_MICRO_BATCH_SIZE, NULL, 12, 1, 96 },
		{ FIELD_VPP, NULL, 4, 1, 8 }, { FIELD_SEQUENCE_LENGTH, NULL, 18, 1, 131072 },
		{ FIELD_SEQUENCE_LENGTH, "1k..8k", 4, 1024, 8192 },
		{ FIELD_NODES, "1..8", 8, 1, 8 }, { FIELD_NODES, "1..8:2", 4, 1, 8 },
		{ FIELD_GLOBAL_BATCH_SIZE, "64..96", 33, 64, 96 }, { FIELD_RECOMPUTE, NULL, 3, 0, 2 },
		{ FIELD_RECOMPUTE, "full,none", 2, 0, 2 }, { FIELD_ZERO_STAGE, NULL, 4, 0, 3 },
		{ FIELD_ORDER, "tp-cp-ep-dp-pp,tp-cp-ep-pp-dp", 2, 0, 15 },
		{ FIELD_NIC_GBPS, "100..400", 4, 100, 400 }, { FIELD_TP_OVERLAP, NULL, 2, 0, 1 },
	};
	static const struct wish wrong[] = {
		{ FIELD_TP, "two", true }, { FIELD_TP, "1,,2", true }, { FIELD_TP, "9..15", true }, { FIELD_ORDER, NULL, true },
		{ FIELD_RECOMPUTE, "some", true }, { FIELD_ZERO_STAGE, "4", true }, { FIELD_CONCURRENCY, "1..0", true },
		{ FIELD_MICROBATCH_GROUP_SIZE, NULL, true },
	};
	struct plan p;
	char err[256];

	plan_builtin(&p);
	settings_put(&p, "training.global_batch_size", "96");
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		const struct wishes w = { 1, { { of[i].field, of[i].values, true } } };

		make_space(&p, NULL, &w);
		if (space->values != of[i].count || space->value[0] < of[i].first ||
		    space->value[0] > of[i].first ||
		    space->value[of[i].count - 1] < of[i].last || space->value[of[i].count - 1] > of[i].last)
			fail_msg("%s %s: %d values, %g to %g", field_table[of[i].field].path,
			    of[i].values != NULL ? of[i].values : "", space->values, space->value[0],
			    space->value[space->values - 1]);
	}
	settings_put(&p, "parallel.layout", "nanotron"); /* which builds ZeRO-1 at most */
	make_space(&p, NULL, &(struct wishes){ 1, { { FIELD_ZERO_STAGE, NULL, true } } });
	assert_int_equal(space->values, 2);
	make_space(&p, NULL, &(struct wishes){ 1, { { FIELD_ZERO_STAGE, "0..3", true } } });
	assert_int_equal(space->values, 4);
	/* others build more */
	make_space(&p, NULL, &(struct wishes){ 2, { { FIELD_ZERO_STAGE, NULL, true },
	    { FIELD_LAYOUT, "nanotron,deepspeed", true } } });
	assert_int_equal(space->field[space_place(space, FIELD_ZERO_STAGE)].count, 4);
	settings_put(&p, "mode", "serve");
	settings_put(&p, "parallel.layout", "vllm"); /* whose dense models have no DP attention */
	make_space(&p, NULL, &(struct wishes){ 1, { { FIELD_DP_ATTENTION, NULL, true } } });
	assert_int_equal(space->values, 1);
	make_space(&p, NULL, &(struct wishes){ 2, { { FIELD_DP_ATTENTION, NULL, true },
	    { FIELD_ENGINE, "vllm,sglang", true } } });
	assert_int_equal(space->field[space_place(space, FIELD_DP_ATTENTION)].count, 2);
	settings_put(&p, "serving.engine", "sglang");
	make_space(&p, NULL, &(struct wishes){ 1, { { FIELD_DP_ATTENTION, NULL, true } } });
	assert_int_equal(space->values, 2);
	make_space(&p, NULL, &(struct wishes){ 1, { { FIELD_PREFILL_WORKERS, ",1xtp8", true } } });
	assert_int_equal(space->values, 2); /* one of them is none */
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		const struct wishes w = { 1, { wrong[i] } };

		if (space_make(space, &p, NULL, &w, err, sizeof err))
			fail_msg("%s=%s is taken", field_table[wrong[i].field].path, wrong[i].values);
	}
}

/* A name stands for what the plan has: its step, a step of all phases, a token. */
TEST(objectives)
{
	static const struct {
		const char *settings, *name;
		enum result_id id;
	} rows[] = {
		{ "", "time", RESULT_STEP }, { "rl.algorithm=grpo", "time", RESULT_RL_STEP },
		{ "rl.algorithm=dpo", "tokens", RESULT_RL_TOKENS_GPU }, { "", "tokens", RESULT_TOKENS_GPU },
		{ "mode=serve", "time", RESULT_TPOT },
	};
	struct search_target t;
	struct plan p;
	char err[128];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		p = settings_plan(rows[i].settings, "");
		assert_true(target_find(&t, rows[i].name, &p, err, sizeof err));
		assert_int_equal(t.id, rows[i].id);
	}
}

/* On a GPU of unknown rates an engine has no times: no plan is the fastest there. On others one
 * may wait for nothing, and that is a time. */
TEST(times_are_known)
{
	static const char *const rates[] = { "", RATES };
	static const char *const names[] = { "time", "serving.prompts_share_seconds" };
	struct search_target t;
	char err[128];
	double v;

	for (int known = 0; known < 2; known++) {
		const struct plan p = settings_plan(rates[known], DENSE "mode=serve parallel.layout=vllm "
		    "cluster.memory_gib=80 serving.context_length=2048 serving.concurrency=1");

		estimate_run(estimate, &p, NULL, NULL);
		assert_true(estimate->legal && estimate->served);
		for (int i = 0; i < 2; i++) {
			assert_true(target_find(&t, names[i], &p, err, sizeof err));
			assert_int_equal(target_value(&t, &p, estimate, &v), known);
		}
		assert_false(v > 0);
	}
}

/* What seconds of a step of phases add to a score comes to the score, or to the inverse of a rate, with all of them. */
TEST(phases_weigh)
{
	static const char *const names[] = { "time", "tokens", "rl.tokens_per_second", "gpu-hours", "cost" };
	const struct plan p = settings_plan(RATES, DENSE "cluster.memory_gib=80 cluster.nodes=1 cluster.gpu_hour_price=2.5 "
	    "training.sequence_length=2048 training.global_batch_size=16 rl.algorithm=grpo rl.response_tokens=512 "
	    "rl.response_limit=1024");
	struct search_target t;
	char err[128];
	double v;

	estimate_run(estimate, &p, NULL, NULL);
	assert_true(estimate->legal && estimate->reinforced);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		double weighed;

		assert_true(target_find(&t, names[i], &p, err, sizeof err) && target_value(&t, &p, estimate, &v));
		weighed = target_phase_weight(&t, &p) * estimate->rl.step_seconds;
		assert_true(fabs(weighed / target_phase_most(&t, strstr(names[i], "tokens") != NULL ? -v : v) - 1) < 1e-9);
	}
}

/* A condition is missed by how many times too much or too little there is. */
TEST(conditions_miss)
{
	static const struct {
		const char *condition;
		double miss;
	} rows[] = { { "gpus<=16", 0 }, { "gpus>=16", 0 }, { "gpus<=4", 4 }, { "gpus>=64", 4 }, { "gpus<=12", 16. / 12 } };
	const struct plan p = settings_plan(RATES DENSE, "cluster.nodes=2");
	struct search_condition c;
	char err[128];

	estimate_run(estimate, &p, NULL, NULL);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_true(condition_parse(&c, rows[i].condition, &p, err, sizeof err));
		assert_true(fabs(condition_miss(&c, &p, estimate) - rows[i].miss) < 1e-12);
	}
}

/* A request takes each further token as often as it has them, and one plan may have more GPUs. */
TEST(whys)
{
	struct search_target t;
	struct plan p, q;
	char text[256], err[256];

	plan_builtin(&p);
	settings_put(&p, "mode", "serve");
	settings_put(&p, "serving.generate_tokens", "512");
	assert_true(target_find(&t, "tokens", &p, err, sizeof err));
	memset(&workers[0].estimate, 0, sizeof workers[0].estimate);
	memset(&workers[1].estimate, 0, sizeof workers[1].estimate);
	workers[0].estimate.served = workers[1].estimate.served = true;
	workers[0].estimate.serve.ttft_seconds = 5;
	workers[0].estimate.serve.tpot_seconds = .02;
	workers[1].estimate.serve.ttft_seconds = 1;
	workers[1].estimate.serve.tpot_seconds = .04;
	workers[0].estimate.serve.tokens_per_second_per_gpu = 34;
	workers[1].estimate.serve.tokens_per_second_per_gpu = 24;
	search_why(&t, &p, &workers[0].estimate, &p, &workers[1].estimate, text, sizeof text);
	assert_string_equal(text, "20.0 ms less time for each further token, 4.00 s more time to the "
	    "first token");
	q = p;
	settings_put(&q, "cluster.nodes", "4");
	search_why(&t, &p, &workers[0].estimate, &q, &workers[0].estimate, text, sizeof text);
	assert_string_equal(text, "16 GPUs instead of 32");
	settings_put(&p, "mode", "train");
	q = p;
	settings_put(&q, "cluster.nodes", "4");
	assert_true(target_find(&t, "gpus", &p, err, sizeof err));
	workers[0].estimate = (struct estimate){ .timed = true, .legal = true, .world = 16,
		.step = { .seconds = 3, .compute_seconds = 3 } };
	workers[1].estimate = (struct estimate){ .timed = true, .legal = true, .world = 32,
		.step = { .seconds = 2, .compute_seconds = 2 } };
	/* GPUs rank them, so their times, of which the first has more, are no reason */
	search_why(&t, &p, &workers[0].estimate, &q, &workers[1].estimate, text, sizeof text);
	assert_string_equal(text, "16 GPUs instead of 32");
	assert_true(target_find(&t, "mfu", &p, err, sizeof err));
	workers[0].estimate.step.mfu = 0.5;
	workers[1].estimate.step.mfu = 0.4;
	search_why(&t, &p, &workers[0].estimate, &q, &workers[1].estimate, text, sizeof text);
	assert_string_equal(text, "16 GPUs instead of 32, of all GPUs together 16.0 s less compute");
}

/* The closer two plans, the less certain which is faster; what nothing measured has none. */
TEST(certainty)
{
	struct ahead near, far;
	struct search_target t;
	struct plan p;
	char err[256];

	plan_builtin(&p);
	assert_true(target_find(&t, "time", &p, err, sizeof err));
	assert_true(search_ahead(&t, &p, 1, 1.01, &near) && search_ahead(&t, &p, 2, 1, &far));
	assert_true(near.share < far.share && near.pairs > 100 && far.from < 1 && far.to > 1);
	assert_false(search_ahead(&t, &p, 1, 1, &near));
	assert_true(target_find(&t, "tokens", &p, err, sizeof err));
	assert_true(search_ahead(&t, &p, -100, -101, &near)); /* more is better */
	assert_true(target_find(&t, "memory", &p, err, sizeof err));
	assert_false(search_ahead(&t, &p, 1, 2, &near));
	settings_put(&p, "mode", "serve");
	assert_true(target_find(&t, "serving.ttft_seconds", &p, err, sizeof err));
	assert_false(search_ahead(&t, &p, 1, 2, &near));
	assert_true(target_find(&t, "time", &p, err, sizeof err));
	assert_true(search_ahead(&t, &p, 1, 1.3, &far));
}

/* Plans to measure are the first one and others of other kinds that may yet be ahead of it. */
TEST(tries)
{
	struct search_control control = { .next = 0 };
	struct search s = { .space = space };
	const struct search_key *key = workers[0].key;
	size_t at[TRIES_MAX], n;
	struct plan p, q;
	struct wishes w;

	plan_builtin(&p);
	settings_put_all(&p, RATES "cluster.memory_gib=80");
	wishes_usual(&w, &p);
	make_space(&p, NULL, &w);
	add_objective(&s, "time");
	workers[0].room = 32;
	assert_true(search_run(&s, workers, 1, &control));
	n = search_try(&s, key, workers[0].kept, at);
	assert_true(n >= 2 && n <= TRIES_MAX && at[0] == 0);
	for (size_t i = 1; i < n; i++) {
		assert_true(key[at[i]].score[0] <= 1.2 * key[0].score[0]);
		space_plan(space, key[at[i]].index, &p);
		for (size_t k = 0; k < i; k++) {
			space_plan(space, key[at[k]].index, &q);
			assert_true(p.parallel.tp != q.parallel.tp || p.parallel.cp != q.parallel.cp ||
			    p.parallel.pp != q.parallel.pp || p.training.recompute != q.training.recompute ||
			    p.parallel.zero_stage != q.parallel.zero_stage);
		}
	}
	assert_int_equal(search_try(&s, key, 1, at), 0); /* alone it has nothing to be held against */
	workers[0].room = FRONT;
}

enum { TODAY = 20785 }; /* 2026-11-28, a Saturday */

/* Nodes begin where no plan would be in time before, and go on in steps of a sixteenth at most. */
TEST(deadlines)
{
	const char *const words[] = { "deadline", "90d", "15T" }, *at;
	char options[QUESTION_SIZE], err[QUESTION_SIZE];
	double last = 0, nodes, least;
	struct plan p;

	plan_builtin(&p);
	settings_put_all(&p, RATES "layers=126 hidden_size=16384 ffn_hidden_size=53248 attention_heads=128 "
	    "kv_heads=8 vocab_size=128256");
	plan_resolve(&p, NULL);
	assert_int_equal(question_ask(&p, NULL, TODAY, words, 3, options, err), 3);
	least = 15e12 * flops_sum(flops_of_token(&p, false)) / (90 * 86400.0) /
	    (p.cluster.bf16_tflops * 1e12 * (double)p.cluster.gpus_per_node);
	at = strstr(options, "free=cluster.nodes=");
	assert_non_null(at);
	at += strlen("free=cluster.nodes=");
	while ((nodes = strtod(at, NULL)) > 0) {
		assert_true(last > 0 ? nodes > last && nodes <= last * 17 / 16 + 1 : nodes >= least &&
		    nodes < least + 1);
		last = nodes;
		at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : "";
	}
	assert_true(last > 3 * least);
	assert_int_equal(question_ask(&p, NULL, TODAY, words, 1, options, err), -1);
	assert_int_equal(question_ask(&p, NULL, TODAY, words + 1, 2, options, err), 0);
}

/* Limits of service in any order, "=" or a word of its own before each value, which is a time. */
TEST(limits_of_service)
{
	static const char *const orders[][6] = { { "slo", "ttft=1s", "tpot=30ms", "rate=20" },
		{ "slo", "rate=20", "tpot", "0.03", "ttft", "1000ms" }, { "slo", "tpot=30000us", "rate", "20", "ttft=1" } };
	static const char *const typed[][6] = { { "slo", "1s", "30ms" }, { "slo", "30ms", "1s" }, { "slo", "1s,30ms" },
		{ "slo", "1s/30ms" }, { "slo", "TTFT<=1s", "itl:30ms" }, { "slo", "tpot", "30ms", "1", "s" },
		{ "slo", "ttft=1s,tpot=30ms", "20", "rps" }, { "slo", "1s", "30ms", "20/s" },
		{ "slo", "p95", "1s", "30ms", "at", "20qps" } };
	static const char *const refused[][4] = { { "slo", "200ms" }, { "slo", "p95", "1s", "30ms" }, { "slo", "1s", "ttft" },
		{ "slo", "p95", "p50", "1s" } };
	static const struct { const char *asked[3], *is, *isnt; } alone[] = {
		{ { "slo", "30ms" }, "tpot_seconds<=30ms", "ttft" }, { { "slo", "2s" }, "ttft_seconds<=2s", "tpot" },
		{ { "slo", "tps", "25" }, "tpot_seconds<=40ms", "ttft" }, { { "tps", "25" }, "tpot_seconds<=40ms", "ttft" },
		{ { "slo", "tps=25" }, "tpot_seconds<=40ms", "ttft" }, { { "tpot=30ms" }, "tpot_seconds<=30ms", "ttft" },
		{ { "ttft", "1s" }, "ttft_seconds<=1s", "tpot" },
	};
	static const char *const none[] = { "1m", "1parsec", "0s", "s", "1000", "30" };
	static const char *const many[] = { "how", "many", "ttft=1s", "tpot=30ms", "rate=20", "p95" };
	char options[QUESTION_SIZE], err[QUESTION_SIZE], word[32];
	struct plan p;

	plan_builtin(&p);
	settings_put(&p, "mode", "serve");
	for (size_t i = 0; i < 3; i++) {
		const int words = i == 0 ? 4 : i == 1 ? 6 : 5;

		assert_int_equal(question_ask(&p, NULL, TODAY, orders[i], words, options, err), words);
		assert_non_null(strstr(options, " free=traffic.rate=20 "));
		assert_non_null(strstr(options, " free=traffic.ttft_limit=1 "));
		assert_non_null(strstr(options, " free=traffic.tpot_limit=0.03 "));
	}
	for (size_t i = 0; i < sizeof typed / sizeof *typed; i++) {
		int words = 0;

		while (words < 6 && typed[i][words] != NULL)
			words++;
		assert_int_equal(question_ask(&p, NULL, TODAY, typed[i], words, options, err), words);
		assert_non_null(strstr(options, i < 6 ? "ttft_seconds<=1s" : "ttft_within<=1s"));
		assert_non_null(strstr(options, i < 6 ? "tpot_seconds<=30ms" : "tpot_within<=30ms"));
		assert_int_equal(strstr(options, "traffic.percentile=95 ") != NULL, i == 8);
	}
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		assert_int_equal(question_ask(&p, NULL, TODAY, refused[i], i == 0 ? 2 : i == 2 ? 3 : 4, options, err), -1);
	assert_int_equal(question_ask(&p, NULL, TODAY, (const char *const[]){ "slo", "25", "tok/s" }, 3, options, err), 3);
	assert_non_null(strstr(options, "tpot_seconds<=40ms"));
	for (size_t i = 0; i < sizeof alone / sizeof *alone; i++) {
		const char *const words[] = { alone[i].asked[0], alone[i].asked[1], alone[i].asked[2] };
		const int count = words[1] == NULL ? 1 : words[2] == NULL ? 2 : 3;

		assert_int_equal(question_ask(&p, NULL, TODAY, words, count, options, err), count);
		assert_non_null(strstr(options, alone[i].is));
		assert_null(strstr(options, alone[i].isnt));
	}
	for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
		const char *const words[] = { "slo", word };

		snprintf(word, sizeof word, "ttft=%s", none[i]);
		assert_true(question_ask(&p, NULL, TODAY, words, 2, options, err) < 2);
	}
	assert_int_equal(question_ask(&p, NULL, TODAY, orders[0], 1, options, err), -1);
	assert_int_equal(question_ask(&p, NULL, TODAY, many, 5, options, err), 5);
	assert_non_null(strstr(options, " free=traffic.ttft_limit=1 "));
	assert_non_null(strstr(options, " free=traffic.rate=20 "));
	assert_null(strstr(options, "traffic.percentile=95")); /* a word more than there are */
}

/* Of GPUs that have a price where none are named, else of the plan's. */
TEST(cheapest)
{
	const char *const words[] = { "cheapest" };
	char options[QUESTION_SIZE], err[QUESTION_SIZE];
	struct plan p;

	plan_builtin(&p);
	assert_int_equal(question_ask(&p, NULL, TODAY, words, 1, options, err), -1);
	assert_int_equal(question_ask(&p, defaults_catalog(), TODAY, words, 1, options, err), 1);
	assert_non_null(strstr(options, "objective=cost free=cluster.gpu=slow-4gb"));
	p.cluster.gpu_hour_price = 2;
	assert_int_equal(question_ask(&p, NULL, TODAY, words, 1, options, err), 1);
	assert_non_null(strstr(options, "objective=cost"));
	assert_null(strstr(options, "cluster.gpu="));
	assert_int_equal(question_ask(&p, defaults_catalog(), TODAY, words, 1, options, err), 1);
	assert_non_null(strstr(options, "free=cluster.gpu=slow-4gb"));
}

/* What people type: units apart or written out, separators of thousands, money with its sign, either
 * order, small words between. `is` has to stand in what the question becomes; NULL: it is refused. */
TEST(questions_as_typed)
{
	static const struct { const char *asked, *is, *and; } rows[] = {
		{ "deadline 30 days 15T tokens", "where=run.days<=30d", "token_budget=15000 " },
		{ "deadline 15T 30d", "where=run.days<=30d", "token_budget=15000 " },
		{ "deadline in 4w for 1.5 trillion tokens", "where=run.days<=28d", "token_budget=1500 " },
		{ "deadline 720h 300,000,000,000", "where=run.days<=30d", "token_budget=300 " },
		{ "deadline 3 months 3e11", "where=run.days<=90d", "token_budget=300 " },
		{ "deadline 15T", NULL, NULL }, { "deadline soon 15T", NULL, NULL },
		{ "budget $2,000,000 300B", "where=cost<=2000000", "token_budget=300" },
		{ "budget 2 million dollars for 300 billion", "where=cost<=2000000", "token_budget=300" },
		{ "budget 300B 2_000_000", "where=cost<=2000000", "token_budget=300" },
		{ "budget 2M 300B", "where=cost<=2000000", "token_budget=300" },
		{ "budget much 300B", NULL, NULL },
		{ "budget 2M$ 300B", "where=cost<=2000000", "token_budget=300" },
		{ "budget \u20ac2M 300B", "where=cost<=2000000", "token_budget=300" },
		{ "budget 2000\u20ac,300B", "where=cost<=2000 ", "token_budget=300" },
		{ "budget a million 300B", "where=cost<=1000000", "token_budget=300" },
		{ "deadline two weeks 500B", "where=run.days<=14d", "token_budget=500 " },
		{ "deadline 500B in a month", "where=run.days<=30d", "token_budget=500 " },
		{ "deadline 1e12 30d", "where=run.days<=30d", "token_budget=1000 " },
		{ "min gpus", "objective=gpus", "" }, { "how many gpus", "objective=gpus", "" },
		{ "how few nodes", "objective=gpus", "" }, { "deadline=30d 15T", "where=run.days<=30d", "token_budget=15000 " },
		{ "budget=2M 300B", "where=cost<=2000000", "token_budget=300" }, { "fastest", "objective=time", "" },
		{ "biggest micro batch", "objective=training.micro_batch_size", "" },
		{ "largest model for 4 nodes", "free=model.preset free=cluster.nodes=4", "" },
		{ "longest sequence on 2 GPUs", "free=cluster.nodes=1 free=cluster.gpus_per_node=2", "" },
		{ "largest model for 12 gpus", NULL, NULL }, { "spare two", "cluster.nodes=6", "" },
		{ "fewest nodes", "objective=gpus", "" }, { "longest sequence", "sequence_length=1024..", "" },
		{ "largest sequence length", "sequence_length=1024..", "" }, { "largest wish", NULL, NULL },
		{ "spare 2 nodes", "cluster.nodes=6", "" },
		{ "deadline by 15 January 15T", "where=run.days<=48d", "token_budget=15000 " },
		{ "until Friday 20B tokens", "where=run.days<=6d", "token_budget=20 " },
		{ "before saturday 20B", "where=run.days<=7d", "" }, { "by next sunday 20B", "where=run.days<=1d", "" },
		{ "deadline 15T dec 1st", "where=run.days<=3d", "token_budget=15000 " },
		{ "deadline 1st of March 2027 1T", "where=run.days<=93d", "" }, { "by Feb 29 1T", "where=run.days<=458d", "" },
		{ "by 2027-01-15 1T", "where=run.days<=48d", "" }, { "by 2026-11-28 1T", NULL, NULL },
		{ "by 30 February 1T", NULL, NULL }, { "by 1 March 2026 1T", NULL, NULL }, { "until then 1T", NULL, NULL },
		{ "least energy", "objective=energy free=training.token_budget=1", "" },
		{ "lowest cost", "objective=cost", "" }, { "min memory", "objective=memory", "" },
		{ "highest throughput", "objective=tokens", "" }, { "max tokens", "objective=tokens", "" },
		{ "most memory", NULL, NULL },
	};
	char options[QUESTION_SIZE], err[QUESTION_SIZE], text[128], *rest;
	const char *word[QUESTION_WORDS];
	struct plan p;

	plan_builtin(&p);
	settings_put_all(&p, "cluster.nodes=8");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		int words = 0;

		snprintf(text, sizeof text, "%s", rows[i].asked);
		rest = text;
		while ((word[words] = strsep(&rest, " ")) != NULL)
			words++;
		assert_int_equal(question_ask(&p, NULL, TODAY, word, words, options, err), rows[i].is != NULL ? words : -1);
		if (rows[i].is == NULL)
			continue;
		assert_non_null(strstr(options, rows[i].is));
		assert_non_null(strstr(options, rows[i].and));
	}
}

/* On thousands of nodes not each number of them is tried, but the plan's own is: their sizes would be
 * more than a space has room for. */
TEST(budgets)
{
	static const char *const ask[][3] = { { "budget", "4e7", "15T" }, { "cheapest", "a,b" } };
	char options[QUESTION_SIZE], err[QUESTION_SIZE];
	struct plan p;

	plan_builtin(&p);
	settings_put_all(&p, "cluster.nodes=2048");
	for (int i = 0; i < 2; i++) {
		const char *at;
		size_t count = 1;

		assert_true(question_ask(&p, NULL, TODAY, ask[i], 3 - i, options, err) > 0);
		at = strstr(options, "free=cluster.nodes=1,");
		assert_non_null(at);
		for (; *at != ' ' && *at != '\0'; at++)
			count += *at == ',';
		assert_true(count < 200 && strncmp(at - 5, ",2048", 5) == 0);
	}
}

/* Nothing more is decided once it is cancelled; of what was, nothing is told as the answer. */
TEST(cancelled)
{
	struct search_control control = { .cancel = true };
	struct search s = { .space = space };
	struct wishes w;
	struct plan p;

	plan_builtin(&p);
	settings_put_all(&p, RATES "cluster.memory_gib=80");
	wishes_usual(&w, &p);
	make_space(&p, NULL, &w);
	add_objective(&s, "time");
	assert_false(search_run(&s, workers, 2, &control));
	assert_int_equal(workers[0].counts.decided, 0);
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
	return unit_run(allocate, release);
}
