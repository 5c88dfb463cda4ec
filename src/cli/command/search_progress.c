#include "cli/command/search_progress.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/session/search_live.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/estimate/result.h"
#include "out/out.h"

#define FIRST_SECONDS 0.5 /* a short search says nothing */
#define EVERY_SECONDS 0.2

struct progress {
	const struct search_job *job;
	struct search_control control;
	pthread_mutex_t lock; /* of what is below */
	double begun, told, best;
	bool found, shown;
};

static struct search_control *interrupted; /* what SIGINT cancels */

static void
interrupt(MAYBE int signal)
{
	atomic_store(&interrupted->cancel, true);
}

/* "step.seconds 5.17 s", of one objective. */
static void
format_best(const struct progress *g, char *buf, size_t size)
{
	const struct search_target *t = &g->job->search.objective[0];
	char value[UNITS_SIZE];

	*buf = '\0';
	if (!g->found || g->job->search.front)
		return;
	units_short(value, sizeof value, t->kind == TARGET_RESULT ? result_table[t->id].measure :
	    MEASURE_REAL, t->more ? -g->best : g->best);
	text_put(buf, size, ", best %s %s", target_name(t), value);
}

static void
show_progress(struct progress *g, double now)
{
	const uint64_t parts = atomic_load(&g->control.parts), next = atomic_load(&g->control.next);
	const double share = parts > 0 && next < parts ? (double)next / (double)parts : 1;
	const double left = share > 0 ? (now - g->begun) * (1 - share) / share : 0;
	char best[128];

	format_best(g, best, sizeof best);
	if (parts == 0) /* search_run's scout */
		out_over(stderr, "a first look%s", best);
	else
		out_over(stderr, "%.0f %% of %llu parts%s, %s left", 100 * share, (unsigned long long)parts,
		    best, UNITS_SHORT(SECONDS, left));
	g->told = now;
	g->shown = true;
}

/* Each thread tells what it has, time and again. */
static void
tell_progress(void *context, const struct search_worker *w)
{
	struct progress *g = context;
	const double now = search_clock();

	if (now - g->begun < FIRST_SECONDS)
		return;
	pthread_mutex_lock(&g->lock);
	if (w->kept > 0 && (!g->found || w->key[0].score[0] < g->best))
		g->best = w->key[0].score[0];
	g->found |= w->kept > 0;
	if (now - g->told >= EVERY_SECONDS)
		show_progress(g, now);
	pthread_mutex_unlock(&g->lock);
}

bool
search_watched(struct search_job *job)
{
	struct progress g = { .job = job, .begun = search_clock() };
	struct sigaction action, before;
	bool whole;

	memset(&action, 0, sizeof action);
	action.sa_handler = interrupt;
	interrupted = &g.control;
	pthread_mutex_init(&g.lock, NULL);
	if (isatty(STDERR_FILENO)) {
		g.control.tell = tell_progress;
		g.control.context = &g;
	}
	sigaction(SIGINT, &action, &before);
	whole = search_run(&job->search, job->worker, job->threads, &g.control);
	/* Nothing was found: look again at what comes nearest. */
	if (whole && job->worker->kept == 0) {
		job->search.explains = SEARCH_EXPLAINED;
		atomic_store(&g.control.next, 0);
		whole = search_run(&job->search, job->worker, job->threads, &g.control);
	}
	sigaction(SIGINT, &before, NULL);
	pthread_mutex_destroy(&g.lock);
	if (g.shown)
		out_over(stderr, "%s", "");
	return whole;
}
