#include "cli/session/search_live.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/base/text.h"
#include "core/plan/words.h"
#include "core/search/search_rank.h"
#include "ui/state/search_view.h"

struct search_live {
	struct search search;
	int threads;
	struct search_worker *worker; /* owned, one for each thread */
	struct search_key *key;       /* owned: of all workers and of `found` */
	struct search_control control;
	pthread_t thread;             /* which has the others, */
	bool joined;                  /* and has ended */

	pthread_mutex_t lock;         /* of what is below */
	struct search_worker *found;  /* owned: what all have found by now */
	bool runs, whole;
	double begun, seconds;
};

int
search_threads(void)
{
	const long cores = sysconf(_SC_NPROCESSORS_ONLN);

	return cores < 1 ? 1 : cores < SEARCH_THREADS_MAX ? (int)cores : SEARCH_THREADS_MAX;
}

double
search_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int64_t
search_today(void)
{
	const time_t now = time(NULL);
	struct tm tm;

	return localtime_r(&now, &tm) == NULL ? 0 : words_day(tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday);
}

/* ---- on its threads ---------------------------------------------------------------- */

static bool
has_key(const struct search_worker *w, uint64_t index)
{
	for (size_t i = 0; i < w->kept; i++)
		if (w->key[i].index == index)
			return true;
	return false;
}

/* A worker tells all that it keeps, time and again: take what is new. */
static void
take_found(void *context, const struct search_worker *w)
{
	struct search_live *live = context;
	struct search_worker *found = live->found;

	pthread_mutex_lock(&live->lock);
	for (size_t i = 0; i < w->kept; i++)
		if (!has_key(found, w->key[i].index))
			rank_keep(&live->search, found, &w->key[i]);
	pthread_mutex_unlock(&live->lock);
}

/* All that there is, in place of what was told on the way. */
static void
take_end(struct search_live *live, bool whole)
{
	struct search_worker *found = live->found;

	pthread_mutex_lock(&live->lock);
	found->kept = 0;
	found->counts = (struct search_counts){ .decided = 0 };
	rank_merge(&live->search, found, live->worker);
	live->whole = whole;
	live->seconds = search_clock() - live->begun;
	live->runs = false;
	pthread_mutex_unlock(&live->lock);
}

static void *
run_search(void *context)
{
	struct search_live *live = context;
	bool whole = search_run(&live->search, live->worker, live->threads, &live->control);

	/* Nothing was found: look again at what comes nearest. */
	if (whole && live->worker->kept == 0) {
		live->search.explains = SEARCH_EXPLAINED;
		atomic_store(&live->control.next, 0);
		atomic_store(&live->control.decided, 0);
		whole = search_run(&live->search, live->worker, live->threads, &live->control);
	}
	take_end(live, whole);
	return NULL;
}

/* ---- on the screen's ----------------------------------------------------------------- */

static struct search_live *
live_new(const struct search *s, size_t room)
{
	struct search_live *live = calloc(1, sizeof *live);

	if (live == NULL)
		return NULL;
	live->search = *s;
	live->threads = search_threads();
	live->joined = true;
	pthread_mutex_init(&live->lock, NULL);
	live->worker = calloc((size_t)live->threads, sizeof *live->worker);
	live->found = calloc(1, sizeof *live->found);
	live->key = calloc((size_t)(live->threads + 1) * room, sizeof *live->key);
	if (live->worker == NULL || live->found == NULL || live->key == NULL) {
		search_live_free(live);
		return NULL;
	}
	for (int i = 0; i < live->threads; i++) {
		live->worker[i].key = live->key + (size_t)i * room;
		live->worker[i].room = room;
	}
	live->found->key = live->key + (size_t)live->threads * room;
	live->found->room = room;
	live->control.tell = take_found;
	live->control.context = live;
	return live;
}

bool
search_live_begin(struct search_live **live, const struct search *s, size_t room, char *note,
    size_t size)
{
	search_live_free(*live);
	*live = live_new(s, room);
	if (*live == NULL) {
		text_put(note, size, "no memory left to search");
		return false;
	}
	(*live)->begun = search_clock();
	(*live)->runs = true;
	if (pthread_create(&(*live)->thread, NULL, run_search, *live) == 0) {
		(*live)->joined = false;
		return true;
	}
	search_live_free(*live);
	*live = NULL;
	text_put(note, size, "no thread could be had to search with");
	return false;
}

void
search_live_news(struct search_live *live, struct search_news *news, struct search_key *key)
{
	const struct search_worker *found;
	uint64_t parts, next;

	*news = (struct search_news){ .runs = false };
	if (live == NULL)
		return;
	parts = atomic_load(&live->control.parts);
	next = atomic_load(&live->control.next);
	pthread_mutex_lock(&live->lock);
	found = live->found;
	rank_sort(&live->search, live->found);
	*news = (struct search_news){ .runs = live->runs, .whole = live->whole,
		.seconds = live->runs ? search_clock() - live->begun : live->seconds,
		.share = live->whole ? 1 : parts == 0 ? 0 : next < parts ? (double)next / (double)parts : 1,
		.threads = live->threads, .counts = found->counts, .full = found->full,
		.has_nearest = found->has_nearest, .nearest = found->nearest, .kept = found->kept };
	if (live->runs)
		news->counts.decided = atomic_load(&live->control.decided);
	memcpy(key, found->key, found->kept * sizeof *key);
	pthread_mutex_unlock(&live->lock);
}

void
search_live_stop(struct search_live *live, bool wait)
{
	if (live == NULL || live->joined)
		return;
	atomic_store(&live->control.cancel, true);
	if (!wait)
		return;
	pthread_join(live->thread, NULL);
	live->joined = true;
}

void
search_live_free(struct search_live *live)
{
	if (live == NULL)
		return;
	search_live_stop(live, true);
	pthread_mutex_destroy(&live->lock);
	free(live->worker);
	free(live->found);
	free(live->key);
	free(live);
}
