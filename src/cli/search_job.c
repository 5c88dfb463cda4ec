#include "cli/search_job.h"

size_t
search_listed(const struct search_job *job)
{
	return job->worker->kept < job->top ? job->worker->kept : job->top;
}

void
search_look(const struct search_job *job, uint64_t index, struct plan *p, struct estimate *e)
{
	space_plan(job->space, index, p);
	estimate_run(e, p, &job->session.catalog, NULL);
}
