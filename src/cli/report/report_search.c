/* What a search found, as text, and why it found nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/output.h"
#include "cli/report/report_search.h"
#include "cli/session/room.h"
#include "core/base/text.h"
#include "core/estimate/result.h"
#include "core/search/search_ahead.h"
#include "core/search/search_score.h"
#include "core/search/search_why.h"
#include "out/out.h"

enum { CELL = 64, CELLS = 24, WHY = 256, SETTINGS = SEARCH_SETTINGS };

/* ---- text --------------------------------------------------------------------------- */

/* Results beside each plan, in training, in training with phases and in serving. */
static const enum result_id train_columns[] = {
	RESULT_STEP, RESULT_MFU, RESULT_TOKENS_GPU, RESULT_WORLD, RESULT_PEAK_TOTAL, RESULT_BUBBLE,
	RESULT_EXPOSED
};
static const enum result_id phase_columns[] = {
	RESULT_RL_STEP, RESULT_RL_ROLLOUT, RESULT_RL_TRAIN, RESULT_RL_TOKENS_GPU, RESULT_WORLD,
	RESULT_RL_PEAK
};
static const enum result_id serve_columns[] = {
	RESULT_TPOT, RESULT_TTFT, RESULT_GENERATED_GPU, RESULT_WORLD, RESULT_PEAK_TOTAL,
	RESULT_REQUESTS
};

static size_t
columns_of(const struct search_job *job, const enum result_id **columns)
{
	static const struct {
		const enum result_id *column;
		size_t count;
	} of[] = {
		{ train_columns, sizeof train_columns / sizeof *train_columns },
		{ phase_columns, sizeof phase_columns / sizeof *phase_columns },
		{ serve_columns, sizeof serve_columns / sizeof *serve_columns },
	};
	const struct plan *p = &job->session.plan;
	const int kind = p->mode == MODE_SERVE ? 2 : plan_has_rl(p);

	*columns = of[kind].column;
	return of[kind].count;
}

/* What a plan is called by, which a row tells though it be the plan's own: sizes that split it. */
static bool
is_size(enum field_id f)
{
	return f == FIELD_TP || f == FIELD_CP || f == FIELD_PP || f == FIELD_EP;
}

/* What work is done and on what is told wherever several of it are asked for. */
static bool
is_job(const struct free_field *f)
{
	return f->count > 1 && (f->field == FIELD_PRESET || f->field == FIELD_GPU || f->field == FIELD_NODES ||
	    f->field == FIELD_GPUS_PER_NODE);
}

/* Not every listed plan has the same value of free field i, or it is not the plan's own, or splits the work. What the
 * question itself sets is the same in all rows. */
static bool
tells_column(const struct search_job *job, int i)
{
	const struct search_space *s = job->space;
	const struct free_field *f = &s->field[i];

	if (f->count == 1 && !is_size(f->field))
		return false;
	for (size_t k = 0; k < search_listed(job); k++) {
		const int digit = space_digit(s, i, job->worker->key[k].index);

		if (digit != f->own || is_job(f) || (is_size(f->field) && s->value[f->first + digit] > 1))
			return true;
	}
	return false;
}

/* One that is none of the columns gets one of its own. */
static bool
is_column(const struct search_job *job, const struct search_target *t)
{
	const enum result_id *columns;
	const size_t n = columns_of(job, &columns);

	for (size_t i = 0; i < n; i++)
		if (t->kind == TARGET_RESULT && t->id == (int)columns[i])
			return true;
	for (int i = 0; i < job->space->count; i++)
		if (t->kind == TARGET_FIELD && t->id == (int)job->space->field[i].field && tells_column(job, i))
			return true;
	return false;
}

static void
put_head(const struct search_job *job, struct table *t)
{
	const enum result_id *columns;
	const size_t n = columns_of(job, &columns);

	table_cell(t, ">rank");
	for (int i = 0; i < job->space->count; i++)
		if (tells_column(job, i))
			table_put(t, ">%s", field_table[job->space->field[i].field].label);
	for (int i = 0; search_asked(job, i) != NULL; i++)
		if (!is_column(job, search_asked(job, i)))
			table_put(t, ">%s", target_name(search_asked(job, i)));
	for (size_t i = 0; i < n; i++)
		table_put(t, ">%s", result_table[columns[i]].brief);
	table_cell(t, "binds");
	t->columns = t->cells;
}

/* As good in every objective as the plan before it. */
static bool
is_tied(const struct search_job *job, size_t rank)
{
	const struct search_key *key = &job->worker->key[rank];

	return rank > 0 && memcmp(key[-1].score, key->score,
	    (size_t)job->search.objectives * sizeof key->score[0]) == 0;
}

/* What is printed of a plan beside its settings. */
struct row {
	int cells;
	char cell[CELLS][CELL];
};

static void
add_result(struct row *row, const struct plan *p, const struct estimate *e, enum result_id id)
{
	char *text = row->cell[row->cells++];
	double v;

	text[0] = '\0';
	if (result_value(id, e, e->peak_stage, &v))
		units_short(text, CELL, result_table[id].measure, v);
	if (id == result_main(MAIN_MEMORY, p))
		text_add(text, CELL, " of %s%s", UNITS_SHORT(BYTES, e->capacity), e->tight ? ", tight" : "");
}

static void
fill_row(struct row *row, const struct search_job *job, size_t rank, struct plan *p)
{
	struct estimate *e = job->estimate[0];
	const enum result_id *columns;
	const size_t n = columns_of(job, &columns);
	double v;

	search_look(&job->search, job->worker->key[rank].index, p, e);
	row->cells = 0;
	for (int i = 0; search_asked(job, i) != NULL; i++) {
		const struct search_target *t = search_asked(job, i);

		if (is_column(job, t))
			continue;
		row->cell[row->cells][0] = '\0';
		if (target_value(t, p, e, &v))
			target_format(t, v, row->cell[row->cells], CELL);
		row->cells++;
	}
	for (size_t i = 0; i < n; i++)
		add_result(row, p, e, columns[i]);
	text_put(row->cell[row->cells++], CELL, "%s", search_binds(p, e));
}

static bool
same_row(const struct row *a, const struct row *b)
{
	for (int i = 0; i < a->cells; i++)
		if (!text_equal(a->cell[i], b->cell[i]))
			return false;
	return true;
}

/* The place of one among the first n of which all that is printed is the same, and whose kind; n: there is
 * none. */
static size_t
place_of(const struct search_job *job, const struct row *row, size_t n, const struct plan *p)
{
	struct plan q;

	for (size_t k = 0; k < n; k++) {
		if (!same_row(&row[k], &row[n]))
			continue;
		space_plan(job->space, job->worker->key[k].index, &q);
		if (search_same_kind(p, &q))
			return k;
	}
	return n;
}

/* Make one of those that differ in nothing that is printed but their finer settings: the first. */
static void
fold_rows(struct search_job *job)
{
	struct search_worker *w = job->worker;
	struct row *row = job->search.front ? NULL : calloc(w->kept, sizeof *row);
	struct plan p;
	size_t n = 0;

	if (row == NULL)
		return;
	for (size_t i = 0; i < w->kept; i++) {
		size_t k;

		fill_row(&row[n], job, i, &p);
		k = place_of(job, row, n, &p);
		if (k < n) {
			w->key[k].like += w->key[i].like + 1;
			continue;
		}
		w->key[n++] = w->key[i];
	}
	w->kept = n;
	free(row);
}

static void
put_plan(const struct search_job *job, size_t rank, struct table *t)
{
	const struct search_key *key = &job->worker->key[rank];
	char text[CELL];
	struct row row;
	struct plan p;

	fill_row(&row, job, rank, &p);
	table_put(t, "%s%zu", is_tied(job, rank) ? "= " : "", rank + 1);
	for (int i = 0; i < job->space->count; i++)
		if (tells_column(job, i)) {
			space_format(job->space, i, key->index, text, sizeof text);
			table_cell(t, text);
		}
	for (int i = 0; i < row.cells - 1; i++)
		table_cell(t, row.cell[i]);
	text_put(text, sizeof text, "%s", row.cell[row.cells - 1]);
	if (key->like > 0)
		text_add(text, sizeof text, ", and %llu like it", (unsigned long long)key->like);
	table_cell(t, text);
}

/* How often the first plan is ahead of those behind it, where measured pairs tell: as far as that
 * changes. */
static void
print_ahead(const struct search_job *job)
{
	const struct search_key *key = job->worker->key;
	struct ahead ahead;
	char text[SETTINGS] = "";
	double share = 0;

	for (size_t i = 1; i < search_listed(job); i++) {
		if (!search_ahead(&job->search.objective[0], &job->session.plan, key[0].score[0],
		    key[i].score[0], &ahead) || ahead.share <= share)
			continue;
		share = ahead.share;
		text_add(text, sizeof text, "%s of %zu in %.0f %%", *text != '\0' ? "," : "", i + 1, 100 * share);
	}
	if (*text != '\0')
		out_line(stdout, "Certainty: 1 is ahead%s of measured pairs that were predicted to differ as "
		    "much", text);
}

/* What check warns of in a plan, and did not in the one that the search began with. */
static bool
has_warning(const struct search_job *job, size_t rank, char *text, size_t size)
{
	struct diag_list own, found;
	struct plan p;

	diag_clear(&own);
	diag_clear(&found);
	plan_check(&job->session.plan, &job->session.catalog, &own);
	space_plan(job->space, job->worker->key[rank].index, &p);
	plan_check(&p, &job->session.catalog, &found);
	for (size_t i = 0; i < found.count; i++) {
		const struct diag *d = &found.item[i];

		if (d->severity != SEVERITY_WARNING || diag_has(&own, d->reason))
			continue;
		text_put(text, size, "%s", d->message);
		return true;
	}
	return false;
}

/* What is fastest by the estimate may be what nobody would run. */
static void
print_warning(const struct search_job *job)
{
	char text[DIAG_MESSAGE_SIZE], other[DIAG_MESSAGE_SIZE];
	size_t n = 1;

	if (!has_warning(job, 0, text, sizeof text))
		return;
	while (n < search_listed(job) && has_warning(job, n, other, sizeof other))
		n++;
	if (n < search_listed(job))
		out_line(stdout, "check warns of 1: %s; %zu is the first without a warning", text, n + 1);
	else
		out_line(stdout, "check warns of 1: %s; none that is listed is without a warning", text);
}

/* How far the best one is from the plan that the search began with. */
static void
print_gain(const struct search_job *job)
{
	const struct search_key *best = &job->worker->key[0];
	const struct search_target *t = &job->search.objective[0];
	struct search_key own;
	char was[UNITS_SIZE], is[UNITS_SIZE], terms[WHY];
	struct plan p;

	estimate_run(job->estimate[1], &job->session.plan, &job->session.catalog, NULL);
	if (!score_verdict(&job->search, &job->session.plan, job->estimate[1], &own)) {
		out_line(stdout, "The plan itself does not qualify: %s",
		    !job->estimate[1]->legal ? "it is not legal" :
		    !job->estimate[1]->fits ? "it does not fit" :
		    job->estimate[1]->tight && !job->search.tight ? "it is tight, --tight lists such plans" :
		    "a condition does not hold");
		return;
	}
	search_look(&job->search, best->index, &p, job->estimate[0]);
	target_format(t, t->more ? -own.score[0] : own.score[0], was, sizeof was);
	target_format(t, t->more ? -best->score[0] : best->score[0], is, sizeof is);
	search_why(t, &p, job->estimate[0], &job->session.plan, job->estimate[1], terms, sizeof terms);
	out_line(stdout, "From the plan: %s %s -> %s%s%s", target_name(t), was, is,
	    *terms != '\0' ? ": " : "", terms);
}

static void
print_space(const struct search_job *job)
{
	const struct search_counts *n = &job->worker->counts;
	const uint64_t all = search_size(&job->search), left = search_left(&job->search, n, job->whole);
	char missed[UNITS_SIZE] = "";

	if (left > 0)
		text_put(missed, sizeof missed, "%s not come to, ", UNITS_EXACT(COUNT, (double)left));
	out_line(stdout, "%s combinations: %s%s cut and %s found illegal, %s do not fit, %s fit; %s on %d thread%s",
	    UNITS_EXACT(COUNT, (double)all), missed, UNITS_EXACT(COUNT, (double)(all - left - n->decided)),
	    UNITS_EXACT(COUNT, (double)n->illegal), UNITS_EXACT(COUNT, (double)n->over_memory),
	    UNITS_EXACT(COUNT, (double)n->evaluated), UNITS_SHORT(SECONDS, job->seconds),
	    job->threads, TEXT_S(job->threads));
}

/* The question, and the search that it is. */
static void
print_question(const struct search_job *job)
{
	char text[QUESTION_SIZE];

	if (*job->question == '\0')
		return;
	text_put(text, sizeof text, "%s", job->options);
	out_part(stdout, "%s:", job->question);
	for (char *rest = text, *word; (word = strsep(&rest, " ")) != NULL;)
		if (*word != '\0')
			out_part(stdout, strchr(word, '<') != NULL ? " --where='%s'" : " --%s", strchr(word, '<') != NULL ?
			    word + strlen("where=") : word);
	out_end(stdout);
	out_end(stdout);
}

/* What times are of: nobody reads them without. */
static void
put_workload(const struct plan *p, char *buf, size_t size)
{
	const char *in = UNITS_EXACT(COUNT, (double)p->serving.prompt_tokens);
	const char *out = UNITS_EXACT(COUNT, (double)p->serving.generate_tokens);

	if (p->mode == MODE_SERVE && p->traffic.rate > 0)
		text_put(buf, size, "%s, %.6g requests a second, %s tokens in and %s out", p->model.preset, p->traffic.rate,
		    in, out);
	else if (p->mode == MODE_SERVE)
		text_put(buf, size, "%s, %lld request%s at once, %s tokens in and %s out", p->model.preset,
		    (long long)p->serving.concurrency, TEXT_S(p->serving.concurrency), in, out);
	else if (plan_has_rl(p))
		text_put(buf, size, "%s, %lld prompts with %lld responses a step", p->model.preset, (long long)p->rl.prompts,
		    (long long)p->rl.responses);
	else
		text_put(buf, size, "%s, %s sequences of %s tokens a step, %s tokens", p->model.preset,
		    UNITS_EXACT(COUNT, (double)p->training.global_batch_size),
		    UNITS_EXACT(COUNT, (double)p->training.sequence_length), UNITS_EXACT(COUNT,
		    (double)(p->training.global_batch_size * p->training.sequence_length)));
}

/* The GPUs are as many as the built-in plan has, and no question asks how many. */
static bool
is_builtin_cluster(const struct search_job *job)
{
	const struct field_set *asked = &job->session.asked;

	return job->session.file.path[0] == '\0' && !field_set_has(asked, FIELD_NODES) && !field_set_has(asked, FIELD_GPUS_PER_NODE) &&
	    space_field(job->space, FIELD_NODES) == NULL && space_field(job->space, FIELD_GPUS_PER_NODE) == NULL;
}

static void
print_workload(const struct search_job *job)
{
	struct plan p;
	char text[256];

	space_plan(job->space, job->worker->key[0].index, &p);
	put_workload(&p, text, sizeof text);
	if (is_builtin_cluster(job))
		text_add(text, sizeof text, ", on %lld GPUs: nobody said how many (such as 1x%s)", (long long)plan_world(&p),
		    p.cluster.gpu);
	for (int i = 0; i < job->search.objectives && !plan_has_run(&p); i++)
		if (job->search.objective[i].kind == TARGET_COST || job->search.objective[i].kind == TARGET_GPU_HOURS)
			text_add(text, sizeof text, "; %s: of a billion tokens%s", target_name(&job->search.objective[i]),
			    p.mode == MODE_SERVE ? " that are generated" : "");
	out_line(stdout, "Workload: %s", text);
}

bool
search_print(struct search_job *job)
{
	const struct search_key *key = job->worker->key;
	char text[SETTINGS];
	struct table t;

	fold_rows(job);
	print_question(job);
	table_init(&t, 1);
	put_head(job, &t);
	for (size_t i = 0; i < search_listed(job); i++)
		put_plan(job, i, &t);
	if (!table_print(&t))
		return false;
	out_end(stdout);
	search_settings(job->space, key[0].index, text, sizeof text);
	out_line(stdout, "Options of 1:%s", *text != '\0' ? text : " none, it is the plan itself");
	if (job->worker->kept > 1 && !job->search.front) {
		search_before(job, key[0].index, key[1].index, text, sizeof text);
		out_line(stdout, "1 before 2: %s", text);
	}
	if (!job->search.front)
		print_ahead(job);
	print_warning(job);
	print_gain(job);
	print_workload(job);
	if (job->worker->counts.unknown > 0) {
		search_unknown(&job->search, &job->worker->counts, text, sizeof text);
		out_line(stdout, "Not ranked: %s", text);
	}
	search_print_tries(job);
	print_space(job);
	return true;
}

/* ---- nothing found --------------------------------------------------------------------------- */

/* The nearest plan, and what it misses: memory or a condition. */
static void
complain_nearest(const struct search_job *job)
{
	const uint64_t index = job->worker->nearest.index;
	struct estimate *e = job->estimate[0];
	char settings[SETTINGS], missed[CELL * 3];
	struct plan p;

	search_look(&job->search, index, &p, e);
	search_missed(&job->search, &p, e, missed, sizeof missed);
	search_settings(job->space, index, settings, sizeof settings);
	complain("nearest:%s (%s)", *settings != '\0' ? settings : " the plan itself", missed);
}

/* Where no combination fits, what else does, as check says: adapters, more nodes. These know no conditions. */
static void
complain_room(const struct search_job *job)
{
	const struct search_counts *n = &job->worker->counts;
	char text[ROOM_TEXT];
	struct room_found *room;

	if (!job->whole || job->search.conditions > 0 || n->over_memory == 0 || n->evaluated + n->tight + n->unknown > 0)
		return;
	room = room_new(&job->space->plan, &job->session.catalog, false, job->estimate[0]);
	for (enum room_kind i = 0; room != NULL && i < ROOM_KINDS; i++)
		if (room_text(room, i, text, sizeof text))
			complain("%s", text);
	room_free(room);
}

void
search_complain(const struct search_job *job)
{
	const struct search_counts *n = &job->worker->counts;
	char text[DIAG_MESSAGE_SIZE + WHY];

	if (strstr(job->options, "free=model.preset=") != NULL)
		complain("these are the models of two years: --free=model.preset tries all");
	for (int i = 0; search_nothing(&job->search, n, i, text, sizeof text); i++) {
		complain(i == 0 ? "no plan found: %s" : "%s", text);
		if (i == 0 && n->tight > 0)
			complain("%llu of them may fit: --tight lists them", (unsigned long long)n->tight);
	}
	if (n->unknown == 0 && job->worker->has_nearest)
		complain_nearest(job);
	complain_room(job);
	if (job->search.conditions == 0 || n->over_memory + n->evaluated == 0)
		return;
	put_workload(&job->space->plan, text, sizeof text);
	if (job->space->plan.mode == MODE_TRAIN && !field_is_said(FIELD_GLOBAL_BATCH_SIZE, &job->space->plan))
		text_add(text, sizeof text, ": nobody said how many (fix: --global-batch-size), and so few keep few GPUs busy");
	complain("that is of %s", text);
}
