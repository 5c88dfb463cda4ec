#include "core/search/search.h"

#include <math.h>
#include <pthread.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/estimate/result.h"
#include "core/search/search_cut.h"
#include "core/search/search_rank.h"
#include "core/search/search_room.h"
#include "core/search/search_score.h"
#include "core/search/search_walk.h"
#include "core/serve/serve_open.h"

enum {
	TELL_EVERY = 8192,   /* steps of a walk: some thirty times a second */
	SCOUT_BATCHES = 2,   /* micro-batch sizes that a scout looks at, */
	SCOUT_SPLITS = 3,    /* and splits of layers, */
	SCOUT_LEAST = 10000,   /* in spaces of so many combinations or more */
};

/* ---- deciding one plan ----------------------------------------------------------------- */

/* Tell the other threads how slow a plan may be. */
static void
share_worst(const struct walk *w)
{
	const struct search_worker *worker = w->worker;
	_Atomic double *shared = &w->control->worst;
	double worst = atomic_load_explicit(shared, memory_order_relaxed), mine;

	if ((!w->by_time && !w->by_memory && !w->by_phases && w->known < 0) || worker->kept < worker->room)
		return;
	mine = worker->key[worker->kept - 1].score[0];
	while (mine < worst && !atomic_compare_exchange_weak(shared, &worst, mine))
		continue;
}

/* A legal plan, worked out: keep it, or say by how much it misses. */
static void
judge_combination(const struct walk *w, uint64_t index)
{
	const struct search *s = w->search;
	struct search_worker *worker = w->worker;
	const struct estimate *e = &worker->estimate;
	struct search_key key = { .index = index };
	double miss;

	miss = !score_has_room(s, e) ? score_memory_miss(&worker->plan, e) :
	    score_conditions_miss(s, &worker->plan, e, &worker->counts);
	if (miss > 0) {
		/* A plan that has room is nearer than any that has not. */
		key.score[0] = score_has_room(s, e) ? 0 : e->fits ? 1 : 2;
		key.score[1] = miss;
		rank_nearest(s, worker, &key);
	} else if (score_plan(s, &worker->plan, e, &key)) {
		worker->counts.qualified++;
		rank_keep(s, worker, &key);
		share_worst(w);
	} else {
		worker->counts.unknown++;
	}
}

/* Say how far this thread is, and what it has. */
static void
tell_walk(const struct walk *w)
{
	struct search_worker *worker = w->worker;
	struct search_control *control = w->control;

	atomic_fetch_add(&control->decided, worker->counts.decided - worker->told);
	worker->told = worker->counts.decided;
	worker->steps_told = worker->steps;
	if (control->tell != NULL)
		control->tell(control->context, worker);
}

/* What is known without the time of a step does not keep a plan from the best ones. */
static bool
may_rank(const struct walk *w)
{
	const struct search *s = w->search;
	const struct search_worker *worker = w->worker;
	struct search_key key = { .index = 0 };

	if (s->front || worker->kept < worker->room)
		return true;
	return worker->room > 0 && score_plan(s, &worker->plan, &worker->estimate, &key) &&
	    key.score[0] <= worker->key[worker->kept - 1].score[0];
}

/* All that is asked of a plan; what decides soonest first. */
static enum verdict
look_at(const struct walk *w)
{
	struct search_worker *worker = w->worker;
	struct estimate *e = &worker->estimate;
	struct enough enough = walk_enough(w, w->space->count);
	enum verdict verdict = estimate_peak(e, &worker->scope, &worker->plan, &enough);

	if (verdict == VERDICT_TOO_SLOW && !w->times && (w->whole || may_rank(w))) { /* time decides ties */
		enough.seconds = walk_tied_seconds(w, w->space->count);
		verdict = estimate_peak(e, &worker->scope, &worker->plan, &enough);
	}
	if (w->whole && (verdict == VERDICT_ESTIMATED || w->search->explains > 0))
		estimate_run_to(e, &worker->plan, w->space->catalog, w->events, NULL);
	return verdict;
}

/* A rate inside limits that is no more keeps a plan from the best ones; 0: none is known. */
static double
rate_wanted(const struct walk *w)
{
	const struct search *s = w->search;
	const struct search_worker *worker = w->worker;
	const struct search_target *first = &s->objective[0];

	if (s->front || s->exhaustive || rank_is_of_sizes(s) || worker->room == 0 || worker->kept < worker->room ||
	    first->kind != TARGET_RESULT || first->id != RESULT_INSIDE)
		return 0;
	return larger(0, -worker->key[worker->kept - 1].score[0]);
}

/* The events of an open loop, where conditions or objectives ask for them: they take a hundred times what all else
 * does. False where the plan is not among the best whatever they say. */
static bool
follow_events(const struct walk *w)
{
	const struct search *s = w->search;
	struct search_worker *worker = w->worker;
	struct estimate *e = &worker->estimate;
	struct search_key best = { .index = 0 };

	if (w->whole || w->events == FOLLOW_MEANS || !score_has_room(s, e))
		return true;
	score_least(s, &worker->plan, e, &best);
	if (!s->exhaustive && !rank_may_keep(s, worker, &best))
		return false;
	serve_follow(&e->serve, &worker->plan, w->events, rate_wanted(w), &e->room, &worker->kept_runs);
	return true;
}

/* Of a front whose objectives the plan alone says, such as GPUs and a rate, one that is kept is better already. */
static bool
is_outdone(const struct walk *w)
{
	const struct search *s = w->search;
	struct search_key best = { .tie = { -INFINITY } };

	for (int i = 0; i < s->objectives; i++) {
		if (!target_of_plan(&s->objective[i], &w->worker->plan, &best.score[i]))
			return false;
		best.score[i] *= s->objective[i].more ? -1 : 1;
	}
	return s->front && !s->exhaustive && !rank_may_keep(s, w->worker, &best);
}

static void
decide(const struct walk *w, uint64_t index)
{
	struct search_worker *worker = w->worker;
	struct estimate *e = &worker->estimate;
	enum verdict verdict;

	if (is_outdone(w)) {
		worker->counts.cut++;
		return;
	}
	scope_lend(&worker->scope, &worker->plan,
	    rollouts_engine(&worker->rollouts, w->space, index));
	verdict = look_at(w);
	worker->counts.decided++;
	if (!e->legal)
		worker->counts.illegal++;
	else if (!score_has_room(w->search, e)) {
		worker->counts.over_memory++;
		worker->counts.tight += e->tight;
	} else
		worker->counts.evaluated++;
	if (e->legal && verdict == VERDICT_ESTIMATED && follow_events(w))
		judge_combination(w, index);
}

/* ---- the walk ---------------------------------------------------------------------------- */

/* What follows from a field that was put in; the outer ones are put in and resolved together. */
static void
put_field(const struct walk *w, int field, uint64_t index)
{
	const struct search_space *s = w->space;
	struct plan *p = &w->worker->plan;

	if (s->field[field].splits && w->bounds->vpp >= 0) /* of which a layout took the place */
		space_put(s, w->bounds->vpp, space_digit(s, w->bounds->vpp, index), p);
	if (field >= s->outer)
		space_step(s, field, space_digit(s, field, index), p);
	else if (field == s->outer - 1) {
		space_outer(s, index, p);
		bounds_rest(w->bounds, s, 0, p);
	}
	if (field >= s->outer - 1)
		walk_roll(w, field, index);
}

/* The score is known, and worse than so many that are kept. */
static bool
is_worse(const struct walk *w, int field)
{
	double score;

	return walk_known_score(w, field, &score) &&
	    score > atomic_load_explicit(&w->control->worst, memory_order_relaxed);
}

/* No combination that begins like index does up to `field` is among the best. */
static bool
is_cut(const struct walk *w, int field, uint64_t index)
{
	struct search_worker *worker = w->worker;
	struct enough enough;

	if (field < w->space->outer - 1 || w->search->exhaustive)
		return false;
	if (cuts_all(w->cuts, field, &worker->plan))
		return true;
	if (!walk_narrows(w))
		return false;
	if (is_worse(w, field) || !walk_rolls_out(w, field))
		return true;
	enough = walk_enough_for_all(w, field);
	return bounds_all(w->bounds, w->space, field, index, &worker->plan, &worker->scope,
	    &worker->bound, &enough);
}

/* No combination that begins like index places the layers. */
static bool
is_unplaced(const struct walk *w, int field, uint64_t index)
{
	struct search_worker *worker = w->worker;

	return field >= w->space->outer && !w->search->exhaustive &&
	    room_unplaced(w->bounds, w->space, field, index, &worker->plan, &worker->bound);
}

/* No combination that begins so has a layout and room, as is known of the sizes before. What comes nearest may have
 * neither room nor a better one beside it. */
static bool
is_skipped(const struct walk *w, int field, int digit, uint64_t index)
{
	return field >= w->space->outer && !w->search->exhaustive && w->worker->plan.mode == MODE_TRAIN &&
	    w->search->explains == 0 && bounds_skips(w->bounds, w->space, field, digit, index, &w->worker->bound);
}

/* Where room is what is missing, the values that make most of it stand for all: engines sleep as deep, and
 * as much leaves for the host, as may be. Neither takes time. */
static bool
makes_less_room(const struct walk *w, const struct free_field *f, int digit)
{
	return walk_narrows(w) && w->worker->nearest.score[0] > 0 && digit < f->count - 1 &&
	    (f->field == FIELD_ENGINE_SLEEP || f->field == FIELD_RL_OFFLOAD);
}

/* A scout passes by what is seldom among the best: large micro-batches, split experts, uneven layers.
 * What nobody asked for is not looked at with switches turned, which say no more of why. */
static bool
passes_by(const struct walk *w, int field, int digit)
{
	const struct free_field *f = &w->space->field[field];

	if (w->search->explains > 0 && field >= w->space->rollouts && makes_less_room(w, f, digit))
		return true;
	if (w->search->explains > 0 && !w->search->exhaustive && f->own >= 0 &&
	    (f->row != NULL || f->field == FIELD_DP_REPLICATE))
		return digit != f->own && !space_idles(w->space, field, f->own, &w->worker->plan);
	return w->scouts && ((f->field == FIELD_MICRO_BATCH_SIZE && digit >= SCOUT_BATCHES) ||
	    (f->field == FIELD_ETP && digit > 0) || (f->splits && digit >= SCOUT_SPLITS));
}

/* All combinations that begin like index does before `field`; `changes` of these differ from
 * the plan's. */
static void
walk_from(const struct walk *w, int field, uint64_t index, int changes)
{
	const struct search_space *s = w->space;
	const int around = w->search->around;
	const struct free_field *f = &s->field[field];

	if (atomic_load_explicit(&w->control->cancel, memory_order_relaxed))
		return;
	if (field == s->count) {
		if (around > 0 || !space_repeats(s, index, &w->worker->plan))
			decide(w, index);
		else
			w->worker->counts.cut++;
		return;
	}
	for (int digit = 0; digit < f->count; digit++) {
		const struct plan *p = &w->worker->plan;
		const int changed = changes + (digit != f->own);
		const uint64_t next = index + (uint64_t)digit * f->stride;

		if (is_skipped(w, field, digit, next) ||
		    (around > 0 ? changed > around : space_idles(s, field, digit, p)) ||
		    passes_by(w, field, digit) || is_unplaced(w, field, next)) {
			w->worker->counts.cut += f->stride;
			continue;
		}
		if (++w->worker->steps - w->worker->steps_told >= TELL_EVERY)
			tell_walk(w);
		put_field(w, field, next);
		if (is_cut(w, field, next))
			w->worker->counts.cut += f->stride;
		else
			walk_from(w, field + 1, next, changed);
	}
	if (field >= w->bounds->tail || field == w->bounds->copies)
		bounds_rest(w->bounds, s, field, &w->worker->plan);
}

/* Put the first `shared` fields in as a part says, whose first combination is index. So many of them differ from the
 * plan's; -1 where nothing that begins so is looked at. */
static int
enter_part(const struct walk *w, uint64_t index)
{
	const struct search_space *s = w->space;
	const int around = w->search->around;
	int changes = 0;

	bounds_rest(w->bounds, s, 0, &w->worker->plan);
	for (int i = 0; i < w->shared; i++) {
		if (passes_by(w, i, space_digit(s, i, index)))
			return -1;
		changes += space_digit(s, i, index) != s->field[i].own;
		if (around == 0 && space_idles(s, i, space_digit(s, i, index), &w->worker->plan))
			return -1;
		put_field(w, i, index);
		if (is_cut(w, i, index))
			return -1;
	}
	return around == 0 || changes <= around ? changes : -1;
}

/* One part: all combinations of the rest. */
static void
walk_part(const struct walk *w, uint64_t part)
{
	const uint64_t size = w->space->size / w->parts, index = (w->backward ? w->parts - 1 - part : part) * size;
	const int changes = enter_part(w, index);

	if (changes < 0)
		w->worker->counts.cut += size;
	else
		walk_from(w, w->shared, index, changes);
}

static void
walk_parts(const struct walk *w)
{
	uint64_t part;

	space_outer(w->space, 0, &w->worker->plan);
	walk_roll(w, -1, 0);
	while ((part = atomic_fetch_add(&w->control->next, 1)) < w->parts &&
	    !atomic_load_explicit(&w->control->cancel, memory_order_relaxed)) {
		walk_part(w, part);
		tell_walk(w);
	}
}

/* ---- threads -------------------------------------------------------------------------------- */

static void
begin_worker(struct search_worker *w, const struct catalog *catalog)
{
	w->counts = (struct search_counts){ .decided = 0 };
	w->told = w->steps = w->steps_told = 0;
	w->kept = w->spares = 0;
	w->full = w->has_nearest = false;
	w->kept_runs.count = w->kept_runs.next = 0;
	w->bound.outer = w->bound.weighed_sizes = w->bound.shards = 0;
	scope_init(&w->scope, catalog);
	scope_init(&w->bound.rows, catalog);
}

static void *
run_thread(void *walk)
{
	walk_parts(walk);
	return NULL;
}

/* Enough parts that no thread waits long for the last one. */
static void
plan_parts(struct walk *w, int threads)
{
	w->parts = 1;
	for (w->shared = 0; w->shared < w->space->count && w->parts < 64 * (uint64_t)threads;)
		w->parts *= (uint64_t)w->space->field[w->shared++].count;
}

/* The free field after which the one objective is known of a plan; -1: its estimate says it. */
static int
known_after(const struct search *s)
{
	const struct search_target *t = &s->objective[0];
	double v;

	if (!target_of_plan(t, &s->space->plan, &v))
		return -1;
	if (t->kind == TARGET_RESULT) /* GPUs and model are in with the outer fields */
		return s->space->outer > 0 ? s->space->outer - 1 : 0;
	return t->id != FIELD_VPP ? /* whose place a layout takes */
	    space_place(s->space, (enum field_id)t->id) : -1;
}

/* What has more comes last: it is looked at first where more is better, or where more GPUs are faster. */
static bool
more_is_first(const struct walk *w)
{
	const struct search_space *s = w->space;

	return w->known >= 0 ? w->search->objective[0].more :
	    w->by_time && s->outer > 0 && s->field[0].field == FIELD_NODES;
}

/* Which numbers plans are judged by. */
static void
plan_estimates(struct walk *w)
{
	const struct search *s = w->search;

	for (int i = 0; i < s->objectives; i++) {
		w->whole |= s->objective[i].whole;
		w->times |= s->objective[i].timed;
	}
	for (int i = 0; i < s->conditions; i++) {
		w->whole |= s->condition[i].target.whole;
		w->times |= s->condition[i].target.timed;
	}
	w->events = search_depth(s);
	w->by_time = !s->front && target_follows_step(&s->objective[0], &s->space->plan);
	w->by_memory = !s->front && target_is_memory(&s->objective[0]);
	w->by_phases = !s->front && target_phase_weight(&s->objective[0], &s->space->plan) > 0;
	w->known = !s->front ? known_after(s) : -1;
	w->backward = more_is_first(w);
}

/* Walk all parts, each walk in a thread of its own. */
static void
run_walks(struct walk *walk, int threads)
{
	pthread_t thread[SEARCH_THREADS_MAX];
	bool runs[SEARCH_THREADS_MAX] = { false };

	for (int i = 1; i < threads; i++) /* where no thread can be had, the others do its parts */
		runs[i] = pthread_create(&thread[i], NULL, run_thread, &walk[i]) == 0;
	walk_parts(&walk[0]);
	for (int i = 1; i < threads; i++)
		if (runs[i])
			pthread_join(thread[i], NULL);
}

/* Look at some of the plans first: that as many good ones are among them as are kept leaves fewer of
 * all to look at. True when it found any, of which *best is the best. */
static bool
scout(struct walk *walk, int threads, struct search_key *best)
{
	const struct search *s = walk->search;
	struct search_control *control = walk->control;
	bool found = false;

	if ((!walk->by_time && !walk->by_phases) || s->exhaustive || s->explains > 0 || s->around > 0 ||
	    s->space->size < SCOUT_LEAST)
		return false;
	for (int i = 0; i < threads; i++)
		walk[i].scouts = true;
	run_walks(walk, threads);
	if (atomic_load(&control->cancel))
		return false;
	for (int i = 0; i < threads; i++) {
		const struct search_worker *worker = walk[i].worker;

		if (worker->kept > 0 && (!found || worker->key[0].score[0] < best->score[0])) {
			*best = worker->key[0];
			found = true;
		}
		walk[i].scouts = false;
		begin_worker(walk[i].worker, s->space->catalog);
	}
	atomic_store(&control->next, 0);
	atomic_store(&control->decided, 0);
	return found;
}

bool
search_run(const struct search *s, struct search_worker *worker, int threads,
    struct search_control *control)
{
	struct walk walk[SEARCH_THREADS_MAX];
	struct search_key first;
	struct bounds bounds;
	struct cuts cuts;
	bool found;

	if (threads > SEARCH_THREADS_MAX)
		threads = SEARCH_THREADS_MAX;
	cuts_plan(&cuts, s->space);
	bounds_plan(&bounds, s->space);
	walk[0] = (struct walk){ .search = s, .space = s->space, .cuts = &cuts, .worker = worker,
		.bounds = &bounds, .control = control };
	plan_estimates(&walk[0]);
	plan_parts(&walk[0], threads);
	for (int i = 0; i < threads; i++) {
		walk[i] = walk[0];
		walk[i].worker = &worker[i];
		begin_worker(&worker[i], s->space->catalog);
		worker[i].rollouts.outer = 0;
		worker[i].rollouts.known = false;
	}
	atomic_store(&control->worst, INFINITY);
	found = scout(walk, threads, &first);
	if (!atomic_load(&control->cancel)) {
		atomic_store(&control->parts, walk[0].parts);
		run_walks(walk, threads);
	}
	for (int i = 1; i < threads; i++)
		rank_merge(s, worker, &worker[i]);
	rank_sort(s, worker);
	if (found && worker->kept == 0 && worker->room > 0 && atomic_load(&control->cancel))
		worker->key[worker->kept++] = first; /* all that is known so far */
	return !atomic_load(&control->cancel);
}

/* Combinations of the fields from `field` on, of which at most `changes` are not the plan's. */
static uint64_t
size_around(const struct search_space *s, int field, int changes)
{
	const struct free_field *f = &s->field[field];
	uint64_t n = 0;

	if (field == s->count)
		return 1;
	if (f->own >= 0)
		n += size_around(s, field + 1, changes);
	if (changes > 0)
		n += (uint64_t)(f->count - (f->own >= 0)) * size_around(s, field + 1, changes - 1);
	return n;
}

uint64_t
search_size(const struct search *s)
{
	return s->around > 0 ? size_around(s->space, 0, s->around) : s->space->size;
}

uint64_t
search_left(const struct search *s, const struct search_counts *n, bool whole)
{
	return whole ? 0 : search_size(s) - n->decided - (s->around > 0 ? 0 : n->cut);
}

/* Some GPU of those that are free brings a price. */
static bool
has_price(const struct search_space *s)
{
	const struct free_field *gpu = space_field(s, FIELD_GPU);
	const struct catalog_list *list = gpu != NULL ? space_entries(s, FIELD_GPU) : NULL;

	for (int i = 0; list != NULL && i < gpu->count; i++)
		if (list->entry[(size_t)s->value[gpu->first + i]].values.cluster.gpu_hour_price > 0)
			return true;
	return false;
}

static bool
is_free(const struct search *s, enum field_id f)
{
	return space_field(s->space, f) != NULL || (f == FIELD_GPU_HOUR_PRICE && has_price(s->space));
}

bool
search_is_known(const struct search *s, const struct plan *p, char *err, size_t size)
{
	for (int i = 0; i < s->objectives + s->conditions; i++) {
		const struct search_target *t = i < s->objectives ? &s->objective[i] :
		    &s->condition[i - s->objectives].target;
		const enum field_id f = target_lacks(t, p);

		if (f == FIELD_COUNT || is_free(s, f))
			continue;
		text_put(err, size, "nobody knows %s: set %s%s", target_name(t), field_table[f].path,
		    f == FIELD_GPU_HOUR_PRICE ? ", or --price=GPU=MONEY" : "");
		return false;
	}
	return true;
}
