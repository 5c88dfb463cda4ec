/* What a search found, as text and JSON, and why it found nothing. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/report.h"
#include "cli/report_search.h"
#include "core/estimate/result.h"
#include "core/search/search_why.h"
#include "core/base/text.h"
#include "core/framework/resolve.h"
#include "out/out.h"

enum { CELL = 64, WHY = 256, SETTINGS = 1024 };

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

/* Not every listed plan has the same value of free field i, or it is not the plan's own. */
static bool
tells(const struct search_job *job, int i)
{
	const struct free_field *f = &job->space->field[i];

	for (size_t k = 0; k < search_listed(job); k++)
		if (space_digit(job->space, i, job->worker->key[k].index) != f->own)
			return true;
	return false;
}

/* What is asked for, objectives and then conditions, the i-th; NULL past the last. */
static const struct search_target *
asked(const struct search_job *job, int i)
{
	const struct search *s = &job->search;

	return i < s->objectives ? &s->objective[i] :
	    i < s->objectives + s->conditions ? &s->condition[i - s->objectives].target : NULL;
}

/* It is asked for once more. */
static bool
is_again(const struct search_job *job, int i)
{
	const struct search_target *t = asked(job, i);

	for (int k = 0; k < i; k++)
		if (asked(job, k)->kind == t->kind && asked(job, k)->id == t->id)
			return true;
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
		if (t->kind == TARGET_FIELD && t->id == (int)job->space->field[i].field && tells(job, i))
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
		if (tells(job, i))
			table_put(t, ">%s", field_table[job->space->field[i].field].label);
	for (int i = 0; asked(job, i) != NULL; i++)
		if (!is_column(job, asked(job, i)) && !is_again(job, i))
			table_put(t, ">%s", target_name(asked(job, i)));
	for (size_t i = 0; i < n; i++)
		table_put(t, ">%s", columns[i] == RESULT_WORLD ? "GPUs" : result_table[columns[i]].brief);
	table_cell(t, "binds");
	t->columns = t->cells;
}

static void
format_target(const struct search_target *t, double v, char *buf, size_t size)
{
	if (t->kind == TARGET_RESULT)
		units_short(buf, size, result_table[t->id].measure, v);
	else
		units_short(buf, size, MEASURE_REAL, v);
}

/* As good in every objective as the plan before it. */
static bool
is_tied(const struct search_job *job, size_t rank)
{
	const struct search_key *key = &job->worker->key[rank];

	return rank > 0 && memcmp(key[-1].score, key->score,
	    (size_t)job->search.objectives * sizeof key->score[0]) == 0;
}

static void
put_plan(const struct search_job *job, size_t rank, struct table *t)
{
	const struct search_key *key = &job->worker->key[rank];
	struct estimate *e = job->estimate[0];
	const enum result_id *columns;
	const size_t n = columns_of(job, &columns);
	char text[CELL];
	struct plan p;
	double v;

	search_look(job, key->index, &p, e);
	table_put(t, "%s%zu", is_tied(job, rank) ? "= " : "", rank + 1);
	for (int i = 0; i < job->space->count; i++)
		if (tells(job, i)) {
			space_format(job->space, i, key->index, text, sizeof text);
			table_cell(t, text);
		}
	for (int i = 0; asked(job, i) != NULL; i++) {
		if (is_column(job, asked(job, i)) || is_again(job, i))
			continue;
		text[0] = '\0';
		if (target_value(asked(job, i), &p, e, &v))
			format_target(asked(job, i), v, text, sizeof text);
		table_cell(t, text);
	}
	for (size_t i = 0; i < n; i++) {
		if (!result_value(columns[i], e, e->peak_stage, &v))
			text[0] = '\0';
		else
			units_short(text, sizeof text, result_table[columns[i]].measure, v);
		if (columns[i] == result_main(MAIN_MEMORY, &p))
			text_add(text, sizeof text, " of %s%s", UNITS_SHORT(BYTES, e->capacity),
			    e->tight ? ", tight" : "");
		table_cell(t, text);
	}
	text_put(text, sizeof text, "%s", search_binds(&p, e));
	if (key->like > 0)
		text_add(text, sizeof text, ", and %llu like it", (unsigned long long)key->like);
	table_cell(t, text);
}

/* The fields of free field i that differ from q, as options of this program; q then has them. */
static void
put_settings(const struct search_space *s, int i, const struct plan *p, struct plan *q, char *buf,
    size_t size)
{
	const enum field_id *fields;
	const int n = space_fields(s, i, &fields);
	char value[PLAN_LAYOUT_SIZE];

	for (int k = 0; k < n; k++) {
		const struct field *f = &field_table[fields[k]];

		if (field_same(fields[k], p, q))
			continue;
		field_copy(fields[k], q, p);
		field_format(fields[k], p, value, sizeof value);
		/* Letters of a layout mean something to a shell. */
		if (strpbrk(value, "|*() ") != NULL)
			text_add(buf, size, " --set='%s=%s'", f->path, value);
		else if (f->flag != NULL)
			text_add(buf, size, " --%s=%s", f->flag, value);
		else
			text_add(buf, size, " --set=%s=%s", f->path, value);
	}
}

/* What is set in a combination, as options of this program. */
static void
settings_of(const struct search_space *s, uint64_t index, char *buf, size_t size)
{
	struct plan p, q = s->plan;

	*buf = '\0';
	space_plan(s, index, &p);
	for (int i = 0; i < s->count; i++)
		if (space_digit(s, i, index) != s->field[i].own)
			put_settings(s, i, &p, &q, buf, size);
	/* What follows these, and does not in the combination. */
	plan_resolve(&q, s->catalog);
	for (int i = 0; i < s->count; i++)
		if (space_digit(s, i, index) == s->field[i].own)
			put_settings(s, i, &p, &q, buf, size);
}

/* Why one combination is better than another. */
static void
why(const struct search_job *job, uint64_t index, uint64_t next, char *buf, size_t size)
{
	struct plan p, q;

	search_look(job, index, &p, job->estimate[0]);
	search_look(job, next, &q, job->estimate[1]);
	search_why(&job->search.objective[0], &p, job->estimate[0], &q, job->estimate[1], buf, size);
	if (*buf == '\0')
		text_put(buf, size, "as good, and simpler");
}

/* How far values of a target may be off, as a share; 0 where they are counted, not estimated. */
static double
target_error(const struct search_target *t, const struct estimate *e)
{
	if (t->kind == TARGET_RESULT && t->id == RESULT_TTFT)
		return e->serve.ttft_error;
	if (t->kind == TARGET_RESULT && (t->id == RESULT_TPOT || t->id == RESULT_GENERATED ||
	    t->id == RESULT_GENERATED_GPU || t->id == RESULT_GENERATED_USER))
		return e->serve.tpot_error;
	return t->timed ? e->step.error : 0;
}

/* How far values of each objective may be off, by the estimate of the best plan. */
static void
errors_of(const struct search_job *job, double error[SEARCH_OBJECTIVES_MAX])
{
	struct plan p;

	search_look(job, job->worker->key[0].index, &p, job->estimate[0]);
	for (int i = 0; i < job->search.objectives; i++)
		error[i] = target_error(&job->search.objective[i], job->estimate[0]);
}

/* No worse than the best one in any objective, as far as the estimate can tell. */
static bool
is_within(const struct search_job *job, size_t rank, const double error[SEARCH_OBJECTIVES_MAX])
{
	const struct search_key *best = &job->worker->key[0], *key = &job->worker->key[rank];

	for (int i = 0; i < job->search.objectives; i++)
		if (key->score[i] > best->score[i] + error[i] * fabs(best->score[i]))
			return false;
	return true;
}

static void
print_equals(const struct search_job *job)
{
	double error[SEARCH_OBJECTIVES_MAX];
	size_t n = 1;

	errors_of(job, error);
	while (n < search_listed(job) && is_within(job, n, error))
		n++;
	if (error[0] > 0 && n > 1)
		out_line(stdout, "1 to %zu are within the error of the estimate, %.0f %%: equal as far "
		    "as it can tell", n, 100 * error[0]);
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
	if (!search_scores(&job->search, &job->session.plan, job->estimate[1], &own)) {
		out_line(stdout, "The plan itself does not qualify: %s",
		    !job->estimate[1]->legal ? "it is not legal" :
		    !job->estimate[1]->fits ? "it does not fit" :
		    job->estimate[1]->tight && !job->search.tight ? "it is tight, --tight lists such plans" :
		    "a condition does not hold");
		return;
	}
	search_look(job, best->index, &p, job->estimate[0]);
	format_target(t, t->more ? -own.score[0] : own.score[0], was, sizeof was);
	format_target(t, t->more ? -best->score[0] : best->score[0], is, sizeof is);
	search_why(t, &p, job->estimate[0], &job->session.plan, job->estimate[1], terms, sizeof terms);
	out_line(stdout, "From the plan: %s %s -> %s%s%s", target_name(t), was, is,
	    *terms != '\0' ? ": " : "", terms);
}

/* Plans without a value of an objective have no rank. */
static void
put_unknown(const struct search_job *job, char *buf, size_t size)
{
	const struct search_target *t = &job->search.objective[0];

	text_put(buf, size, "of %llu nobody knows %s%s", (unsigned long long)job->worker->counts.unknown,
	    target_name(t), t->kind == TARGET_COST ? ": set cluster.gpu_hour_price, of several GPU "
	    "types in a catalogue of your own" : "");
}

static void
print_space(const struct search_job *job)
{
	const struct search_counts *n = &job->worker->counts;
	const uint64_t all = search_size(&job->search);

	out_line(stdout, "%s combinations: %s cut and %s found illegal, %s do not fit, %s fit; %s on %d thread%s",
	    UNITS_EXACT(COUNT, (double)all), UNITS_EXACT(COUNT, (double)(all - n->decided)),
	    UNITS_EXACT(COUNT, (double)n->illegal), UNITS_EXACT(COUNT, (double)n->over_memory),
	    UNITS_EXACT(COUNT, (double)n->evaluated), UNITS_SHORT(SECONDS, job->seconds),
	    job->threads, TEXT_S(job->threads));
}

bool
search_print(const struct search_job *job)
{
	const struct search_key *key = job->worker->key;
	char text[SETTINGS];
	struct table t;

	table_init(&t, 1);
	put_head(job, &t);
	for (size_t i = 0; i < search_listed(job); i++)
		put_plan(job, i, &t);
	if (!table_print(&t))
		return false;
	out_end(stdout);
	settings_of(job->space, key[0].index, text, sizeof text);
	out_line(stdout, "Options of 1:%s", *text != '\0' ? text : " none, it is the plan itself");
	if (job->worker->kept > 1 && job->search.objectives == 1) {
		why(job, key[0].index, key[1].index, text, sizeof text);
		out_line(stdout, "1 before 2: %s", text);
	}
	if (job->search.objectives == 1)
		print_equals(job);
	print_warning(job);
	print_gain(job);
	if (job->worker->counts.unknown > 0) {
		put_unknown(job, text, sizeof text);
		out_line(stdout, "Not ranked: %s", text);
	}
	print_space(job);
	return true;
}

/* ---- JSON --------------------------------------------------------------------------------- */

static void
json_set(struct jsonout *j, const struct search_space *s, uint64_t index)
{
	struct plan p;

	space_plan(s, index, &p);
	jsonout_object(j, "set");
	for (int i = 0; i < s->count; i++) {
		const enum field_id *fields;
		const int n = space_fields(s, i, &fields);

		for (int k = 0; k < n; k++)
			if (n == 1 || !field_same(fields[k], &p, &s->plan))
				json_field(j, field_table[fields[k]].path, fields[k], &p);
	}
	jsonout_close(j);
}

static void
json_plan(struct jsonout *j, const struct search_job *job, size_t rank,
    const double error[SEARCH_OBJECTIVES_MAX])
{
	const struct search_worker *w = job->worker;
	const uint64_t index = w->key[rank].index;
	const struct estimate *e = job->estimate[0];
	const bool serves = job->session.plan.mode == MODE_SERVE;
	char text[WHY] = "";
	struct plan p;

	if (rank + 1 < w->kept)
		why(job, index, w->key[rank + 1].index, text, sizeof text);
	search_look(job, index, &p, job->estimate[0]);
	jsonout_object_row(j, NULL);
	jsonout_int(j, "rank", (int64_t)rank + 1);
	json_set(j, job->space, index);
	jsonout_object(j, "objective");
	for (int i = 0; i < job->search.objectives; i++) {
		const struct search_target *t = &job->search.objective[i];

		jsonout_count(j, job->objective[i], t->more ? -w->key[rank].score[i] : w->key[rank].score[i]);
	}
	jsonout_close(j);
	jsonout_object(j, "asked");
	for (int i = 0; asked(job, i) != NULL; i++) {
		double v;

		if (is_again(job, i))
			continue;
		if (target_value(asked(job, i), &p, e, &v))
			jsonout_count(j, target_name(asked(job, i)), v);
		else
			jsonout_null(j, target_name(asked(job, i)));
	}
	jsonout_close(j);
	jsonout_int(j, "like", (int64_t)w->key[rank].like);
	jsonout_bool(j, "within_error", is_within(job, rank, error));
	json_result(j, "seconds", result_main(MAIN_TIME, &p), e, e->peak_stage);
	json_result(j, "mfu", RESULT_MFU, e, e->peak_stage);
	json_result(j, NULL, result_main(MAIN_TOKENS_GPU, &p), e, e->peak_stage);
	json_result(j, "gpus", RESULT_WORLD, e, e->peak_stage);
	json_result(j, "peak_bytes", result_main(MAIN_MEMORY, &p), e, e->peak_stage);
	json_result(j, NULL, RESULT_CAPACITY, e, e->peak_stage);
	json_result(j, NULL, RESULT_TIGHT, e, e->peak_stage);
	json_result(j, NULL, RESULT_BUBBLE, e, e->peak_stage);
	json_result(j, NULL, RESULT_EXPOSED, e, e->peak_stage);
	if (serves)
		json_result(j, NULL, RESULT_TTFT, e, e->peak_stage);
	jsonout_text(j, "binds", search_binds(&p, e));
	jsonout_text(j, "why", text);
	jsonout_close(j);
}

void
search_json(const struct search_job *job)
{
	const struct search_counts *n = &job->worker->counts;
	const uint64_t all = search_size(&job->search);
	double error[SEARCH_OBJECTIVES_MAX] = { 0 };
	struct jsonout j = { .out = stdout };

	jsonout_object(&j, NULL);
	jsonout_list_row(&j, "objective");
	for (int i = 0; i < job->search.objectives; i++)
		jsonout_text(&j, NULL, job->objective[i]);
	jsonout_close(&j);
	jsonout_list_row(&j, "free");
	for (int i = 0; i < job->space->count; i++)
		jsonout_text(&j, NULL, field_table[job->space->field[i].field].path);
	jsonout_close(&j);
	jsonout_bool(&j, "complete", job->whole && !job->worker->full);
	jsonout_int(&j, "threads", job->threads);
	jsonout_real(&j, "seconds", job->seconds);
	jsonout_int(&j, "space", (int64_t)all);
	jsonout_int(&j, "cut", (int64_t)(all - n->decided));
	jsonout_int(&j, "decided", (int64_t)n->decided);
	jsonout_int(&j, "illegal", (int64_t)n->illegal);
	jsonout_int(&j, "over_memory", (int64_t)n->over_memory);
	jsonout_int(&j, "evaluated", (int64_t)n->evaluated);
	jsonout_list(&j, "results");
	if (job->worker->kept > 0)
		errors_of(job, error);
	for (size_t i = 0; i < search_listed(job); i++)
		json_plan(&j, job, i, error);
	jsonout_close(&j);
	jsonout_close(&j);
}

/* ---- nothing found --------------------------------------------------------------------------- */

/* What the nearest plan misses most: memory or a condition. */
static void
complain_nearest(const struct search_job *job)
{
	const uint64_t index = job->worker->nearest.index;
	struct estimate *e = job->estimate[0];
	char settings[SETTINGS], has[UNITS_SIZE], missed[CELL * 3] = "";
	struct plan p;

	search_look(job, index, &p, e);
	if (!e->fits || (e->tight && !job->search.tight)) {
		if (e->peak_high > e->capacity)
			text_put(missed, sizeof missed, "%s%s of %s", e->served ? "" : "up to ",
			    UNITS_SHORT(BYTES, e->peak_high), UNITS_SHORT(BYTES, e->capacity));
		else
			text_put(missed, sizeof missed, "a KV cache for %.1f requests of the %lld on an engine",
			    e->serve.max_concurrency, (long long)p.serving.concurrency);
	}
	for (int i = 0; i < job->search.conditions; i++) {
		const struct search_condition *c = &job->search.condition[i];
		double v;

		if (!(condition_miss(c, &p, e) > 0))
			continue;
		text_add(missed, sizeof missed, "%s%s ", *missed != '\0' ? ", " : "", target_name(&c->target));
		if (target_value(&c->target, &p, e, &v))
			format_target(&c->target, v, has, sizeof has);
		else
			text_put(has, sizeof has, "not known");
		text_add(missed, sizeof missed, "%s", has);
	}
	settings_of(job->space, index, settings, sizeof settings);
	complain("nearest:%s (%s)", *settings != '\0' ? settings : " the plan itself", missed);
}

void
search_complain(const struct search_job *job)
{
	const struct search_counts *n = &job->worker->counts;
	const uint64_t legal = n->over_memory + n->evaluated;
	char unknown[WHY];

	if (legal == 0) {
		search_obstacle(job->space, unknown, sizeof unknown);
		complain("no plan found: no combination is legal: %s", unknown);
		return;
	}
	complain("no plan found: of %llu legal ones %llu do not fit in memory",
	    (unsigned long long)legal, (unsigned long long)n->over_memory);
	if (n->tight > 0)
		complain("%llu of them may fit: --tight lists them", (unsigned long long)n->tight);
	for (int i = 0; i < job->search.conditions; i++)
		if (n->failed[i] > 0)
			complain("%llu of those that fit do not have %s", (unsigned long long)n->failed[i],
			    job->search.condition[i].text);
	if (n->unknown > 0) {
		put_unknown(job, unknown, sizeof unknown);
		complain("%s", unknown);
	} else if (job->worker->has_nearest)
		complain_nearest(job);
}
