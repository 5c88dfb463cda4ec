#include "cli/session/room.h"

#include <stdlib.h>

#include "cli/session/search_job.h"
#include "core/base/text.h"
#include "core/estimate/scope.h"
#include "core/framework/resolve.h"
#include "core/search/search_make.h"

enum { STEPS_MOST = 1000000, NODES_EACH = 64, NODES_TIMES = 16 };

/* Enough was looked at. */
static void
stop_late(void *context, const struct search_worker *w)
{
	struct search_control *control = context;

	if (w->steps > STEPS_MOST)
		atomic_store(&control->cancel, true);
}

/* The best plan of a space, whose estimate goes to work. */
static bool
best_of(struct room_answer *a, const char *objective, struct estimate *work)
{
	struct search_worker *worker = calloc(1, sizeof *worker);
	struct search s = { .space = a->space, .objectives = 1 };
	struct search_control control = { .tell = stop_late, .context = &control };
	struct search_key key;
	struct scope scope;
	char err[256];
	bool found;

	if (worker == NULL || !target_find(&s.objective[0], objective, &a->space->plan, err, sizeof err)) {
		free(worker);
		return false;
	}
	worker->key = &key;
	worker->room = 1;
	a->whole = search_run(&s, worker, 1, &control);
	found = worker->kept > 0;
	free(worker);
	if (!found)
		return false;
	a->index = key.index;
	space_plan(a->space, a->index, &a->plan);
	scope_init(&scope, a->space->catalog);
	search_settings(a->space, a->index, a->options, sizeof a->options);
	return outlook_of(&a->outlook, &a->plan, &scope, work);
}

/* On p's GPUs, or on nodes as `nodes` says. */
static bool
search_plans(struct room_answer *a, const struct plan *p, const struct catalog *catalog,
    const char *nodes, struct estimate *work)
{
	struct wishes w;
	char err[256];

	wishes_usual(&w, p);
	if (nodes != NULL && !wishes_free(&w, FIELD_NODES, nodes))
		return false;
	if (a->space == NULL)
		a->space = malloc(sizeof *a->space);
	return a->space != NULL && space_make(a->space, p, catalog, &w, err, sizeof err) &&
	    best_of(a, nodes != NULL ? "gpus" : "time", work);
}

/* Adapters in place of all weights; the options name the method first. */
static bool
search_adapters(struct room_answer *a, const struct plan *p, const struct catalog *catalog,
    struct estimate *work)
{
	static const char *const methods[] = { "lora", "qlora" };
	char err[256], options[sizeof a->options];

	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
		struct plan q = *p;

		if (!field_parse(FIELD_FINETUNE, &q, methods[i], err, sizeof err))
			continue;
		plan_resolve(&q, catalog);
		if (!search_plans(a, &q, catalog, NULL, work))
			continue;
		text_put(options, sizeof options, "%s", a->options);
		text_put(a->options, sizeof a->options, " --set=finetune.method=%s%s", methods[i], options);
		return true;
	}
	return false;
}

struct room *
room_new(const struct plan *p, const struct catalog *catalog, bool same_alone,
    struct estimate *work)
{
	struct room *room = calloc(1, sizeof *room);
	const int64_t least = p->cluster.nodes + 1;
	const bool each = least < NODES_EACH / 2 && !plan_has_experts(p);
	const bool tunes = p->finetune.method == FINETUNE_FULL ||
	    (p->finetune.method == FINETUNE_NONE && p->cluster.nodes == 1);
	char nodes[64];

	if (room == NULL)
		return NULL;
	room->found[ROOM_SAME] = search_plans(&room->answer[ROOM_SAME], p, catalog, NULL, work);
	if (room->found[ROOM_SAME] || same_alone || plan_has_rl(p))
		return room;
	if (p->mode == MODE_TRAIN && tunes)
		room->found[ROOM_ADAPTERS] = search_adapters(&room->answer[ROOM_ADAPTERS], p, catalog, work);
	text_put(nodes, sizeof nodes, each ? "%lld..%lld" : "%lld..%lld:2", (long long)least,
	    (long long)(each ? NODES_EACH : NODES_TIMES * least));
	room->found[ROOM_MORE] = search_plans(&room->answer[ROOM_MORE], p, catalog, nodes, work);
	return room;
}

void
room_free(struct room *room)
{
	if (room == NULL)
		return;
	for (int i = 0; i < ROOM_KINDS; i++)
		free(room->answer[i].space);
	free(room);
}
