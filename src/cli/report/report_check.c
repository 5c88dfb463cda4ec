/* `check`: is the plan legal, does it fit, and what would mend it. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/base/run.h"
#include "cli/report/report.h"
#include "cli/session/room.h"
#include "core/base/text.h"
#include "core/estimate/estimate.h"
#include "core/estimate/scope.h"
#include "core/search/advice.h"
#include "core/search/advice_hints.h"
#include "out/out.h"

enum { MENDS_SHOWN = 4 };

#define GAIN_LEAST 1.1 /* that a search is worth a word about a plan that runs */

static void
json_diag(struct jsonout *j, const struct diag *d)
{
	const bool fix = d->fix_field != FIELD_NONE;

	jsonout_object(j, NULL);
	jsonout_text(j, "severity", severity_name(d->severity));
	jsonout_text(j, "path", d->field != FIELD_NONE ? field_table[d->field].path : NULL);
	jsonout_text(j, "reason", d->reason);
	jsonout_text(j, "message", d->message);
	jsonout_text(j, "source", d->source);
	if (fix) {
		jsonout_object_row(j, "fix");
		jsonout_text(j, "path", field_table[d->fix_field].path);
		jsonout_text(j, "value", d->fix_value);
		if (d->also_field != FIELD_NONE) {
			jsonout_object_row(j, "also");
			jsonout_text(j, "path", field_table[d->also_field].path);
			jsonout_text(j, "value", d->also_value);
			jsonout_close(j);
		}
		jsonout_close(j);
	} else
		jsonout_null(j, "fix");
	jsonout_close(j);
}

/* As search writes it: numbers as numbers. */
static void
json_change(struct jsonout *j, const struct field_change *c)
{
	const struct field *row = &field_table[c->field];
	int64_t whole;
	double real;

	if (c->value[0] == '\0')
		jsonout_null(j, row->path);
	else if (row->type == FIELD_INT && text_to_int(c->value, &whole))
		jsonout_int(j, row->path, whole);
	else if (row->type == FIELD_REAL && text_to_real(c->value, &real))
		jsonout_real(j, row->path, real);
	else if (row->type == FIELD_BOOL)
		jsonout_bool(j, row->path, text_equal(c->value, "true"));
	else
		jsonout_text(j, row->path, c->value);
}

static void
json_mend(struct jsonout *j, const struct mend *m)
{
	const struct outlook *o = &m->outlook;

	jsonout_object_row(j, NULL);
	jsonout_object_row(j, "set");
	for (int i = 0; i < m->changes; i++)
		json_change(j, &m->change[i]);
	jsonout_close(j);
	jsonout_bool(j, "asked", m->loss == LOSS_ASKED || m->loss == LOSS_ABOUT);
	jsonout_bool(j, "fits", o->fits);
	jsonout_bool(j, "tight", o->tight);
	jsonout_bytes(j, "peak_bytes", o->memory);
	jsonout_bytes(j, "capacity", o->capacity);
	if (o->serves) {
		jsonout_real(j, "ttft_seconds", o->ttft);
		jsonout_real(j, "tpot_seconds", o->seconds);
		jsonout_real(j, "kv_tokens", o->kv_tokens);
	} else
		jsonout_real(j, "seconds", o->seconds);
	jsonout_close(j);
}

static const char *const room_names[ROOM_KINDS] = {
	[ROOM_SAME] = "same_gpus", [ROOM_ADAPTERS] = "adapters",
	[ROOM_SHORTER] = "shorter", [ROOM_MORE] = "more_nodes"
};

static void
json_room(struct jsonout *j, const struct room_found *room)
{
	jsonout_list(j, "search");
	for (int i = 0; room != NULL && i < ROOM_KINDS; i++) {
		const struct room_answer *a = &room->answer[i];

		if (!room->found[i])
			continue;
		jsonout_object_row(j, NULL);
		jsonout_text(j, "room", room_names[i]);
		jsonout_text(j, "options", a->options + (*a->options == ' '));
		jsonout_int(j, "nodes", a->plan.cluster.nodes);
		jsonout_real(j, a->outlook.serves ? "tpot_seconds" : "seconds", a->outlook.seconds);
		jsonout_bytes(j, "peak_bytes", a->outlook.memory);
		jsonout_close(j);
	}
	jsonout_close(j);
}

/* What a search would do in the same room comes last. */
static void
print_room(const struct room_found *room)
{
	char text[ROOM_TEXT];

	for (enum room_kind i = 0; room != NULL && i < ROOM_KINDS; i++)
		if (room_text(room, i, text, sizeof text))
			out_line(stdout, "%s", text);
}

static void
json_check(const struct estimate *e, const struct advice *advice, const struct room_found *room)
{
	struct jsonout j = { .out = stdout };

	jsonout_object(&j, NULL);
	jsonout_bool(&j, "legal", diag_count(&e->diags, SEVERITY_ERROR) == 0);
	json_results(&j, RESULT_FITS, RESULT_TIGHT, e, e->peak_stage);
	jsonout_list(&j, "diagnostics");
	for (size_t i = 0; i < e->diags.count; i++)
		json_diag(&j, &e->diags.item[i]);
	jsonout_close(&j);
	jsonout_int(&j, "dropped", (int64_t)e->diags.dropped);
	jsonout_list(&j, "mends");
	for (size_t i = 0; i < advice->count; i++)
		json_mend(&j, &advice->mend[i]);
	jsonout_close(&j);
	json_room(&j, room);
	jsonout_close(&j);
}

static void
print_check(const struct estimate *e)
{
	char line[SESSION_LINE_SIZE];

	for (size_t i = 0; i < e->diags.count; i++)
		out_line(stdout, "%s", session_line(&e->diags.item[i], line));
	if (e->diags.dropped > 0) /* errors come first: the status holds without these */
		complain("%zu more diagnostics", e->diags.dropped);
}

/* Seconds of a step; in serve mode of a request, from its sending to its last token. */
static double
time_of(const struct outlook *o, const struct plan *p)
{
	return o->serves ? o->ttft + o->seconds * (double)p->serving.generate_tokens : o->seconds;
}

/* What was found takes so much less time than the plan that it is worth a word. */
static bool
gains(const struct room_found *room, const struct session *s, struct estimate *work)
{
	const struct room_answer *found = &room->answer[ROOM_SAME];
	struct scope scope;
	struct outlook now;

	scope_init(&scope, &s->catalog);
	return room->found[ROOM_SAME] && outlook_of(&now, &s->plan, &scope, work) &&
	    time_of(&found->outlook, &found->plan) * GAIN_LEAST <= time_of(&now, &s->plan);
}

/* A change that leaves the work as it is makes room on these GPUs. */
static bool
is_mended(const struct advice *a)
{
	for (size_t i = 0; i < a->count; i++)
		if (a->mend[i].loss <= LOSS_SPLIT && a->mend[i].outlook.fits && !a->mend[i].outlook.tight)
			return true;
	return false;
}

/* Of a plan that does not run as it is; of one that does the better one, if it is much better:
 * hints change one field each, and the best plan may be several changes away. */
static struct room_found *
search_room(const struct session *s, const struct estimate *e, const struct advice *advice, struct estimate *work)
{
	const bool runs = e->legal && e->fits && !e->tight;
	struct room_found *room;

	if (e->legal && !estimate_has_fit(e))
		return NULL;
	room = room_new(&s->plan, &s->catalog, runs || is_mended(advice), work);
	if (room != NULL && runs && !gains(room, s, work)) {
		room_free(room);
		room = NULL;
	}
	return room;
}

/* Mends of a plan that does not run as it is, what a search does in the same room, and hints. Nobody is sent for more GPUs
 * where those that are there do. False after a message. */
static bool
advise(const struct session *s, struct estimate *e, struct advice *advice, struct room_found **room)
{
	struct estimate *work = malloc(sizeof *work);

	if (work == NULL) {
		out_of_memory();
		return false;
	}
	advice_run(advice, &s->plan, &s->catalog, &s->asked, work);
	*room = search_room(s, e, advice, work);
	for (int i = 0; *room != NULL && i < ROOM_KINDS; i++)
		if ((*room)->found[i] && (i == ROOM_SAME || i == ROOM_MORE))
			advice_outdone(advice, plan_world(&(*room)->answer[i].plan), i == ROOM_SAME,
			    e->legal && i == ROOM_SAME ? (*room)->answer[i].outlook.cost : 0);
	advice_note(advice, MENDS_SHOWN, &e->diags);
	check_fixes(&s->plan, &s->catalog, &s->asked, &e->diags);
	advice_hints(&s->plan, &s->catalog, e, work, &e->diags);
	free(work);
	return true;
}

int
check_work(struct session *s, const struct options *o)
{
	struct estimate *e = session_run(s, NULL);
	struct advice advice;
	struct room_found *room;
	int status = STATUS_OK;

	if (e == NULL || !advise(s, e, &advice, &room)) {
		free(e);
		return STATUS_ERROR;
	}
	for (size_t i = 0; i < e->diags.count; i++) {
		struct diag *d = &e->diags.item[i];

		if (o->strict && d->severity == SEVERITY_WARNING)
			d->severity = SEVERITY_ERROR;
		if (d->severity == SEVERITY_ERROR)
			status = STATUS_NO;
	}
	if (o->json)
		json_check(e, &advice, room);
	else
		print_check(e);
	if (!o->json)
		print_room(room);
	room_free(room);
	free(e);
	return status;
}
