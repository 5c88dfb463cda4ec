#include "cli/session/search_job.h"

#include "core/base/text.h"
#include "core/framework/resolve.h"
#include "core/plan/option.h"
#include "core/search/search_why.h"

size_t
search_listed(const struct search_job *job)
{
	return job->worker->kept < job->top ? job->worker->kept : job->top;
}

/* Objectives and then conditions, the i-th. */
static const struct search_target *
target_at(const struct search *s, int i)
{
	return i < s->objectives ? &s->objective[i] : &s->condition[i - s->objectives].target;
}

static bool
is_again(const struct search *s, int i)
{
	for (int k = 0; k < i; k++)
		if (target_same(target_at(s, k), target_at(s, i)))
			return true;
	return false;
}

const struct search_target *
search_asked(const struct search_job *job, int i)
{
	const struct search *s = &job->search;

	for (int k = 0; k < s->objectives + s->conditions; k++)
		if (!is_again(s, k) && i-- == 0)
			return target_at(s, k);
	return NULL;
}

/* The fields of free field i that differ from q, as options of this program; q then has them. */
static void
put_settings(const struct search_space *s, int i, const struct plan *p, struct plan *q, char *buf,
    size_t size)
{
	const enum field_id *fields;
	const int n = space_fields(s, i, &fields);

	for (int k = 0; k < n; k++)
		if (!field_same(fields[k], p, q)) {
			field_copy(fields[k], q, p);
			option_add(fields[k], p, buf, size);
		}
}

void
search_settings(const struct search_space *s, uint64_t index, char *buf, size_t size)
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

void
search_command_line(const struct search_job *job, uint64_t index, char *buf, size_t size)
{
	const struct plan *from = &job->space->plan;
	char settings[SEARCH_SETTINGS];
	struct plan p;

	space_plan(job->space, index, &p);
	text_put(buf, size, "%s%s", job->session.file.path[0] != '\0' ? " " : "",
	    job->session.file.path);
	for (enum field_id f = 0; f < FIELD_COUNT; f++)
		if (field_set_has(&job->session.asked, f) && field_same(f, &p, from))
			option_add(f, from, buf, size);
	search_settings(job->space, index, settings, sizeof settings);
	text_add(buf, size, "%s", settings);
}

void
search_before(const struct search_job *job, uint64_t index, uint64_t next, char *buf, size_t size)
{
	struct plan p, q;

	search_look(&job->search, index, &p, job->estimate[0]);
	search_look(&job->search, next, &q, job->estimate[1]);
	search_why(&job->search.objective[0], &p, job->estimate[0], &q, job->estimate[1], buf, size);
	if (*buf == '\0')
		text_put(buf, size, "as good, and simpler");
}
