#include "cli/session/room.h"

#include <stdlib.h>

#include "cli/session/search_job.h"
#include "core/base/text.h"
#include "core/estimate/scope.h"
#include "core/framework/resolve.h"
#include "core/rules/check.h"
#include "core/search/search_make.h"

enum { STEPS_MOST = 1000000, STEPS_FEWER = 300000, NODES_EACH = 64, NODES_DOUBLED = 8, HALVES_MOST = 8, FIX_SIZE = 192 };

/* A search that ends after so many steps, of which each room has enough: less where it is one of several. */
struct patience {
	struct search_control control;
	uint64_t steps;
};

static void
stop_late(void *context, const struct search_worker *w)
{
	struct patience *p = context;

	if (w->steps > p->steps)
		atomic_store(&p->control.cancel, true);
}

/* The best plan of a space, whose estimate goes to work. */
static bool
best_of(struct room_answer *a, const char *objective, bool soon, struct estimate *work)
{
	struct search_worker *worker = calloc(1, sizeof *worker);
	struct search s = { .space = a->space, .objectives = 1 };
	struct patience patience = { { .tell = stop_late, .context = &patience }, soon ? STEPS_FEWER : STEPS_MOST };
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
	a->whole = search_run(&s, worker, 1, &patience.control);
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

/* Names that the catalogue lacks, and rates without which no time is known, are the same in every plan of a space:
 * none of them would be found, and only after all were looked at. */
static bool
can_find(const struct plan *p, const struct catalog *catalog)
{
	static const char *const hopeless[] = { "unknown_gpu", "unknown_model", "rate_not_known" };
	struct diag_list diags = { 0 };

	plan_check(p, catalog, &diags);
	for (size_t i = 0; i < diags.count; i++)
		for (size_t j = 0; j < sizeof hopeless / sizeof *hopeless; j++)
			if (text_equal(diags.item[i].reason, hopeless[j]))
				return false;
	return true;
}

/* On p's GPUs, or on nodes as `nodes` says. */
static bool
search_plans(struct room_answer *a, const struct plan *p, const struct catalog *catalog,
    const char *nodes, bool soon, struct estimate *work)
{
	struct wishes w;
	char err[256];

	wishes_usual(&w, p);
	if (!can_find(p, catalog) || (nodes != NULL && !wishes_free(&w, FIELD_NODES, nodes)))
		return false;
	if (a->space == NULL)
		a->space = malloc(sizeof *a->space);
	return a->space != NULL && space_make(a->space, p, catalog, &w, err, sizeof err) &&
	    best_of(a, nodes != NULL ? "gpus" : "time", soon, work);
}

/* With another value of one field, which the options name first. */
static bool
search_changed(struct room_answer *a, const struct plan *p, const struct catalog *catalog,
    enum field_id f, const char *value, struct estimate *work)
{
	struct plan q = *p;
	char err[256], options[sizeof a->options];

	if (!field_parse(f, &q, value, err, sizeof err))
		return false;
	plan_resolve_field(&q, f, catalog);
	if (!search_plans(a, &q, catalog, NULL, true, work))
		return false;
	text_put(options, sizeof options, "%s", a->options);
	text_put(a->options, sizeof a->options, " --set=%s=%s%s", field_table[f].path, value, options);
	return true;
}

/* What the rules propose first for a field that a search leaves alone, such as prompts that no batch of updates divides, or
 * a framework: without it nothing is legal. NULL where there is no such proposal. */
static const struct diag *
find_proposal(const struct plan *p, const struct catalog *catalog, struct diag_list *diags)
{
	struct wishes w;

	diag_clear(diags);
	plan_check(p, catalog, diags);
	check_fixes(p, catalog, NULL, diags);
	wishes_usual(&w, p);
	for (size_t i = 0; i < diags->count; i++)
		if (diags->item[i].severity == SEVERITY_ERROR && diags->item[i].fix_field != FIELD_NONE &&
		    wishes_find(&w, diags->item[i].fix_field) == w.count)
			return &diags->item[i];
	return NULL;
}

/* *q: the plan with that proposal, which `fix` writes as options. */
static bool
take_proposal(const struct plan *p, const struct catalog *catalog, struct plan *q, char *fix, size_t size)
{
	struct diag_list diags;
	const struct diag *d = find_proposal(p, catalog, &diags);
	char err[256];

	*q = *p;
	if (d == NULL || !field_parse(d->fix_field, q, d->fix_value, err, sizeof err))
		return false;
	plan_resolve_field(q, d->fix_field, catalog);
	text_put(fix, size, " --set=%s=%s", field_table[d->fix_field].path, d->fix_value);
	return true;
}

/* Adapters in place of all weights, and where those do not fit either, of weights in 4 bits. */
static bool
search_adapters(struct room_answer *a, const struct plan *p, const struct catalog *catalog,
    struct estimate *work)
{
	const int64_t method = p->finetune.method;
	const bool tunes = method == FINETUNE_FULL ||
	    (method == FINETUNE_NONE && p->cluster.nodes == 1);
	const bool adapts = method == FINETUNE_LORA || method == FINETUNE_DORA;

	return (tunes && search_changed(a, p, catalog, FIELD_FINETUNE, "lora", work)) ||
	    ((tunes || adapts) && search_changed(a, p, catalog, FIELD_FINETUNE, "qlora", work));
}

/* What the model takes, else half of it and so on. */
static bool
search_shorter(struct room_answer *a, const struct plan *p, const struct catalog *catalog,
    struct estimate *work)
{
	const int64_t own = p->training.sequence_length, takes = p->model.max_position;
	int64_t length = takes > 0 && takes < own ? takes : own / 2;

	for (int i = 0; i < HALVES_MOST && length > 0; i++, length /= 2)
		if (search_changed(a, p, catalog, FIELD_SEQUENCE_LENGTH, TEXT_OF(32, "%lld", (long long)length),
		    work))
			return true;
	return false;
}

/* On double the nodes until something fits; then on each number between, where that is soon done. */
static bool
search_more(struct room_answer *a, const struct plan *p, const struct catalog *catalog,
    struct estimate *work)
{
	struct room_answer fewer = { .space = NULL };
	int64_t below = p->cluster.nodes, nodes = 1;
	bool found = false;

	while (nodes <= below)
		nodes *= 2;
	for (int i = 0; i < NODES_DOUBLED && !found; i++) {
		found = search_changed(a, p, catalog, FIELD_NODES, TEXT_OF(64, "%lld", (long long)nodes), work);
		if (!found) {
			below = nodes;
			nodes *= 2;
		}
	}
	if (!found || nodes - below < 2 || nodes > NODES_EACH || plan_has_experts(p))
		return found;
	if (search_plans(&fewer, p, catalog, TEXT_OF(64, "%lld..%lld", (long long)below + 1, (long long)nodes - 1),
	    false, work)) {
		free(a->space);
		*a = fewer;
	} else
		free(fewer.space);
	return true;
}

struct room_found *
room_new(const struct plan *p, const struct catalog *catalog, bool same_alone,
    struct estimate *work)
{
	static bool (*const others[ROOM_KINDS])(struct room_answer *, const struct plan *,
	    const struct catalog *, struct estimate *) = {
		[ROOM_ADAPTERS] = search_adapters, [ROOM_SHORTER] = search_shorter, [ROOM_MORE] = search_more
	};
	struct room_found *room = calloc(1, sizeof *room);
	char fix[FIX_SIZE] = "", options[sizeof room->answer[0].options];
	struct plan fixed;

	if (room == NULL)
		return NULL;
	room->found[ROOM_SAME] = search_plans(&room->answer[ROOM_SAME], p, catalog, NULL, false, work);
	if (!room->found[ROOM_SAME] && take_proposal(p, catalog, &fixed, fix, sizeof fix)) {
		p = &fixed;
		room->found[ROOM_SAME] = search_plans(&room->answer[ROOM_SAME], p, catalog, NULL, true, work);
	}
	for (int i = 0; i < ROOM_KINDS && !room->found[ROOM_SAME] && !same_alone; i++)
		if (others[i] != NULL && (i == ROOM_MORE || (p->mode == MODE_TRAIN && (i == ROOM_ADAPTERS || !plan_has_rl(p)))))
			room->found[i] = others[i](&room->answer[i], p, catalog, work);
	for (int i = 0; i < ROOM_KINDS && *fix != '\0'; i++) {
		text_put(options, sizeof options, "%s%s", fix, room->answer[i].options);
		text_put(room->answer[i].options, sizeof options, "%s", options);
	}
	return room;
}

void
room_free(struct room_found *room)
{
	if (room == NULL)
		return;
	for (int i = 0; i < ROOM_KINDS; i++)
		free(room->answer[i].space);
	free(room);
}

bool
room_text(const struct room_found *room, enum room_kind kind, char *buf, size_t size)
{
	static const char *const leads[ROOM_KINDS] = {
		[ROOM_SAME] = "search on these GPUs", [ROOM_ADAPTERS] = "nothing on these GPUs fits; adapters do",
		[ROOM_SHORTER] = "a shorter sequence fits"
	};
	const struct room_answer *a = &room->answer[kind];
	char what[ADVICE_TEXT_SIZE];

	if (!room->found[kind])
		return false;
	outlook_text(&a->outlook, what, sizeof what);
	text_put(buf, size, "%s", kind == ROOM_MORE ?
	    TEXT_OF(64, "needs at least %lld nodes of these", (long long)a->plan.cluster.nodes) : leads[kind]);
	text_add(buf, size, ":%s: %s", *a->options != '\0' ? a->options : " the plan itself", what);
	return true;
}
