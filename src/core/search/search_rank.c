#include "core/search/search_rank.h"

#include <string.h>

#include "core/estimate/result.h"

/* -1, 0 or 1: a scores less, as much or more, by `count` scores from the first that differs. */
static int
compare_scores(const struct search_key *a, const struct search_key *b, int count)
{
	for (int i = 0; i < count; i++) {
		if (a->score[i] < b->score[i])
			return -1;
		if (a->score[i] > b->score[i])
			return 1;
	}
	return 0;
}

static bool
simpler(const struct search *s, const struct search_key *a, const struct search_key *b)
{
	const int sizes_a = space_sizes(s->space, a->index), sizes_b = space_sizes(s->space, b->index);

	return sizes_a < sizes_b || (sizes_a == sizes_b && a->index < b->index);
}

/* By what was asked for, then by time and tokens. */
static int
compare_keys(const struct search *s, const struct search_key *a, const struct search_key *b)
{
	const int order = compare_scores(a, b, s->objectives);

	for (int i = 0; order == 0 && i < TIES_RANKED; i++)
		if (a->tie[i] < b->tie[i] || a->tie[i] > b->tie[i])
			return a->tie[i] < b->tie[i] ? -1 : 1;
	return order;
}

/* A total order: scores one after the other, then time and tokens, then the simpler plan, then the
 * index. */
static bool
is_before(const struct search *s, const struct search_key *a, const struct search_key *b)
{
	const int order = compare_keys(s, a, b);

	return order < 0 || (order == 0 && simpler(s, a, b));
}

/* They differ in nothing but names. */
static bool
alike(const struct search *s, const struct search_key *a, const struct search_key *b)
{
	return compare_keys(s, a, b) == 0 && !(a->tie[TIE_MEMORY] < b->tie[TIE_MEMORY]) &&
	    !(a->tie[TIE_MEMORY] > b->tie[TIE_MEMORY]);
}

/* The simpler of two that are alike, for both. */
static struct search_key
joined_keys(const struct search *s, const struct search_key *a, const struct search_key *b)
{
	struct search_key key = simpler(s, a, b) ? *a : *b;

	key.like = a->like + b->like + 1;
	return key;
}

static bool
is_nowhere_worse(const struct search *s, const struct search_key *a, const struct search_key *b)
{
	for (int i = 0; i < s->objectives; i++)
		if (a->score[i] > b->score[i])
			return false;
	return true;
}

/* a makes b needless on a front: nowhere worse, and better somewhere. Not by being simpler alone: one that is as good
 * may be like another, simpler one that comes yet. */
static bool
outdoes(const struct search *s, const struct search_key *a, const struct search_key *b)
{
	return is_nowhere_worse(s, a, b) && compare_keys(s, a, b) < 0;
}

/* The one that stood in the way comes first: it will stand in the way of the next one too. */
static void
keep_front(const struct search *s, struct search_worker *w, const struct search_key *key)
{
	size_t left = 0;

	for (size_t i = 0; i < w->kept; i++)
		if (alike(s, &w->key[i], key)) {
			w->key[i] = joined_keys(s, &w->key[i], key);
			return;
		}
	for (size_t i = 0; i < w->kept; i++)
		if (outdoes(s, &w->key[i], key)) {
			const struct search_key first = w->key[0];

			w->key[0] = w->key[i];
			w->key[i] = first;
			return;
		}
	for (size_t i = 0; i < w->kept; i++)
		if (!outdoes(s, key, &w->key[i]))
			w->key[left++] = w->key[i];
	w->kept = left;
	if (w->kept < w->room)
		w->key[w->kept++] = *key;
	else
		w->full = true;
}

static void
take_out(struct search_worker *w, size_t i)
{
	memmove(&w->key[i], &w->key[i + 1], (--w->kept - i) * sizeof *w->key);
}

/* One that is as good as the last that was kept, but not as simple: a simpler one that is alike may
 * come yet, and stands for it too. */
static void
keep_spare(const struct search *s, struct search_worker *w, const struct search_key *key)
{
	const struct search_key *last = &w->key[w->kept - 1];

	if (w->spares > 0 && compare_keys(s, last, &w->spare[0]) != 0)
		w->spares = 0;
	if (w->spares < SEARCH_SPARES && compare_keys(s, last, key) == 0)
		w->spare[w->spares++] = *key;
}

/* The key for itself and for the one that is alike, which is taken out. */
static struct search_key
gathered(const struct search *s, struct search_worker *w, const struct search_key *key)
{
	struct search_key all = *key;

	for (size_t i = w->kept; i > 0 && compare_keys(s, &w->key[i - 1], key) >= 0; i--)
		if (alike(s, &w->key[i - 1], key)) {
			all = joined_keys(s, &w->key[i - 1], key);
			take_out(w, i - 1);
			return all;
		}
	for (size_t i = 0; i < w->spares; i++)
		if (alike(s, &w->spare[i], key)) {
			all = joined_keys(s, &w->spare[i], key);
			w->spare[i] = w->spare[--w->spares];
			break;
		}
	return all;
}

static void
keep_best(const struct search *s, struct search_worker *w, const struct search_key *found)
{
	const struct search_key key = gathered(s, w, found);
	const bool full = w->kept == w->room;
	struct search_key out = key;
	size_t i = w->kept;

	if (w->room == 0)
		return;
	if (!full)
		w->kept++;
	else if (is_before(s, &key, &w->key[i - 1]))
		out = w->key[--i];
	for (; i < w->room && i > 0 && is_before(s, &key, &w->key[i - 1]); i--)
		w->key[i] = w->key[i - 1];
	if (i < w->room)
		w->key[i] = key;
	if (full)
		keep_spare(s, w, &out);
}

bool
rank_is_of_sizes(const struct search *s)
{
	const struct search_target *t = &s->objective[0];

	return !s->front && t->kind == TARGET_RESULT && t->id == RESULT_PARAMS_TOTAL &&
	    space_field(s->space, FIELD_PRESET) != NULL;
}

const struct search_key *
rank_of_size(const struct search_worker *w, double score)
{
	for (size_t i = 0; i < w->kept; i++)
		if (!(w->key[i].score[0] < score) && !(w->key[i].score[0] > score))
			return &w->key[i];
	return NULL;
}

/* The best of each size: a worse one of its size goes. */
static void
keep_size(const struct search *s, struct search_worker *w, const struct search_key *key)
{
	const struct search_key *other = rank_of_size(w, key->score[0]);
	size_t i;

	if (other != NULL && !is_before(s, key, other))
		return;
	if (other != NULL)
		take_out(w, (size_t)(other - w->key));
	for (i = w->kept; i > 0 && is_before(s, key, &w->key[i - 1]); i--)
		continue;
	if (i == w->room)
		return;
	w->kept += w->kept < w->room;
	memmove(&w->key[i + 1], &w->key[i], (w->kept - 1 - i) * sizeof *w->key);
	w->key[i] = *key;
}

void
rank_keep(const struct search *s, struct search_worker *w, const struct search_key *key)
{
	if (s->front)
		keep_front(s, w, key);
	else if (rank_is_of_sizes(s))
		keep_size(s, w, key);
	else
		keep_best(s, w, key);
}

bool
rank_may_keep(const struct search *s, const struct search_worker *w, const struct search_key *best)
{
	if (rank_is_of_sizes(s))
		return w->kept < w->room || w->kept == 0 || compare_scores(&w->key[w->kept - 1], best, 1) >= 0;
	if (!s->front)
		return w->kept < w->room || w->kept == 0 || compare_keys(s, &w->key[w->kept - 1], best) >= 0;
	for (size_t i = 0; i < w->kept; i++)
		if (is_nowhere_worse(s, &w->key[i], best) && compare_keys(s, &w->key[i], best) < 0)
			return false;
	return true;
}

void
rank_nearest(const struct search *s, struct search_worker *w, const struct search_key *key)
{
	const int order = w->has_nearest ? compare_scores(key, &w->nearest, 2) : -1;

	if (order < 0 || (order == 0 && simpler(s, key, &w->nearest))) {
		w->nearest = *key;
		w->has_nearest = true;
	}
}

static void
add_counts(struct search_counts *to, const struct search_counts *from)
{
	to->cut += from->cut;
	to->decided += from->decided;
	to->illegal += from->illegal;
	to->over_memory += from->over_memory;
	to->evaluated += from->evaluated;
	to->tight += from->tight;
	to->qualified += from->qualified;
	to->unknown += from->unknown;
	for (int i = 0; i < SEARCH_CONDITIONS_MAX; i++)
		to->failed[i] += from->failed[i];
}

void
rank_merge(const struct search *s, struct search_worker *w, const struct search_worker *from)
{
	add_counts(&w->counts, &from->counts);
	w->full |= from->full;
	for (size_t i = 0; i < from->kept; i++)
		rank_keep(s, w, &from->key[i]);
	for (size_t i = 0; i < from->spares; i++)
		rank_keep(s, w, &from->spare[i]);
	if (from->has_nearest)
		rank_nearest(s, w, &from->nearest);
}

/* All keys of a front are in, in order: of those that are as good the simplest stays. */
static void
thin_front(const struct search *s, struct search_worker *w)
{
	size_t left = 0;

	for (size_t i = 0; i < w->kept; i++)
		if (left == 0 || compare_keys(s, &w->key[left - 1], &w->key[i]) != 0)
			w->key[left++] = w->key[i];
	w->kept = left;
}

void
rank_sort(const struct search *s, struct search_worker *w)
{
	for (size_t i = 1; i < w->kept; i++) {
		const struct search_key key = w->key[i];
		size_t k = i;

		for (; k > 0 && is_before(s, &key, &w->key[k - 1]); k--)
			w->key[k] = w->key[k - 1];
		w->key[k] = key;
	}
	if (s->front)
		thin_front(s, w);
}
