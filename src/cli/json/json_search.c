/* What a search found, as JSON. */
#include <stdio.h>

#include "cli/report/report.h"
#include "cli/report/report_search.h"
#include "core/estimate/result.h"
#include "core/search/search_ahead.h"
#include "core/search/search_why.h"

enum { WHY = 256 };

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

/* The first behind it that has another number. */
static size_t
next_number(const struct search_worker *w, size_t rank)
{
	size_t next = rank + 1;

	while (next < w->kept && !(w->key[next].score[0] > w->key[rank].score[0]) &&
	    !(w->key[next].score[0] < w->key[rank].score[0]))
		next++;
	return next;
}

static void
json_plan(struct jsonout *j, const struct search_job *job, size_t rank)
{
	const struct search_worker *w = job->worker;
	const uint64_t index = w->key[rank].index;
	const struct estimate *e = job->estimate[0];
	const bool serves = job->session.plan.mode == MODE_SERVE;
	const size_t next = next_number(w, rank);
	char text[WHY] = "";
	struct ahead ahead;
	struct plan p;

	if (rank + 1 < w->kept)
		search_before(job, index, w->key[rank + 1].index, text, sizeof text);
	search_look(&job->search, index, &p, job->estimate[0]);
	jsonout_object_row(j, NULL);
	jsonout_int(j, "rank", (int64_t)rank + 1);
	json_set(j, job->space, index);
	jsonout_object(j, "objective");
	for (int i = 0; i < job->search.objectives; i++) {
		const struct search_target *t = &job->search.objective[i];

		jsonout_count(j, t->asked, t->more ? -w->key[rank].score[i] : w->key[rank].score[i]);
	}
	jsonout_close(j);
	jsonout_object(j, "asked");
	for (int i = 0; search_asked(job, i) != NULL; i++) {
		double v;

		if (target_value(search_asked(job, i), &p, e, &v))
			jsonout_count(j, target_name(search_asked(job, i)), v);
		else
			jsonout_null(j, target_name(search_asked(job, i)));
	}
	jsonout_close(j);
	jsonout_int(j, "like", (int64_t)w->key[rank].like);
	if (next < w->kept && search_ahead(&job->search.objective[0], &p, w->key[rank].score[0],
	    w->key[next].score[0], &ahead))
		jsonout_real(j, "ahead", ahead.share);
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

static void
json_tries(struct jsonout *j, const struct search_job *job)
{
	size_t at[TRIES_MAX];
	const size_t n = search_tries(job, at);
	char text[SEARCH_SETTINGS];

	jsonout_list(j, "try");
	for (size_t i = 0; i < n; i++) {
		jsonout_object_row(j, NULL);
		jsonout_int(j, "rank", (int64_t)at[i] + 1);
		search_try_why(job, at[i], text, sizeof text);
		jsonout_text(j, "why", text);
		search_settings(job->space, job->worker->key[at[i]].index, text, sizeof text);
		jsonout_text(j, "options", *text != '\0' ? text + 1 : text);
		jsonout_close(j);
	}
	jsonout_close(j);
}

static void
json_workload(struct jsonout *j, const struct plan *p)
{
	jsonout_object(j, "workload");
	jsonout_text(j, "model", p->model.preset);
	if (p->mode == MODE_SERVE) {
		if (p->traffic.rate > 0)
			jsonout_real(j, "rate", p->traffic.rate);
		else
			jsonout_int(j, "concurrency", p->serving.concurrency);
		jsonout_int(j, "prompt_tokens", p->serving.prompt_tokens);
		jsonout_int(j, "generate_tokens", p->serving.generate_tokens);
	} else if (plan_has_rl(p)) {
		jsonout_int(j, "prompts", p->rl.prompts);
		jsonout_int(j, "responses", p->rl.responses);
	} else {
		jsonout_int(j, "sequence_length", p->training.sequence_length);
		jsonout_int(j, "global_batch_size", p->training.global_batch_size);
	}
	jsonout_close(j);
}

void
search_json(const struct search_job *job)
{
	const struct search_counts *n = &job->worker->counts;
	const uint64_t all = search_size(&job->search), left = search_left(&job->search, n, job->whole);
	struct jsonout j = { .out = stdout };

	jsonout_object(&j, NULL);
	if (*job->question != '\0') {
		jsonout_text(&j, "question", job->question);
		jsonout_text(&j, "asks", job->options);
	}
	json_workload(&j, &job->session.plan);
	jsonout_list_row(&j, "objective");
	for (int i = 0; i < job->search.objectives; i++)
		jsonout_text(&j, NULL, job->search.objective[i].asked);
	jsonout_close(&j);
	jsonout_list_row(&j, "free");
	for (int i = 0; i < job->space->count; i++)
		jsonout_text(&j, NULL, field_table[job->space->field[i].field].path);
	jsonout_close(&j);
	jsonout_bool(&j, "complete", job->whole && !job->worker->full);
	jsonout_int(&j, "threads", job->threads);
	jsonout_real(&j, "seconds", job->seconds);
	jsonout_int(&j, "space", (int64_t)all);
	jsonout_int(&j, "cut", (int64_t)(all - left - n->decided));
	jsonout_int(&j, "left", (int64_t)left);
	jsonout_int(&j, "decided", (int64_t)n->decided);
	jsonout_int(&j, "illegal", (int64_t)n->illegal);
	jsonout_int(&j, "over_memory", (int64_t)n->over_memory);
	jsonout_int(&j, "evaluated", (int64_t)n->evaluated);
	jsonout_list(&j, "results");
	for (size_t i = 0; i < search_listed(job); i++)
		json_plan(&j, job, i);
	jsonout_close(&j);
	json_tries(&j, job);
	jsonout_close(&j);
}
