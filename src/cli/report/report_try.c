/* Which plans to measure, how each is launched, and what its measurement decides. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/report/report_search.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/search/search_why.h"
#include "file/export/export.h"
#include "out/out.h"

enum { WHY = 256 };

size_t
search_tries(const struct search_job *job, size_t at[TRIES_MAX])
{
	return search_try(&job->search, job->worker->key, job->worker->kept, at);
}

void
search_try_why(const struct search_job *job, size_t rank, char *buf, size_t size)
{
	const struct search_key *key = job->worker->key;
	const double best = key[0].score[0], own = key[rank].score[0];
	char terms[WHY], behind[32] = "as good as 1";
	struct plan p, first;

	if (rank == 0) {
		text_put(buf, size, "the best by the estimate: calibrate fits the others to its log");
		return;
	}
	search_look(&job->search, key[rank].index, &p, job->estimate[1]);
	search_look(&job->search, key[0].index, &first, job->estimate[0]);
	search_why(&job->search.objective[0], &p, job->estimate[1], &first, job->estimate[0], terms,
	    sizeof terms);
	if (own > best || own < best)
		text_put(behind, sizeof behind, "%s %% behind 1", UNITS_DIGITS(2, 100 * fabs(own / best - 1)));
	text_put(buf, size, "%s, if it is so: %s", behind, *terms != '\0' ? terms : "no term differs");
}

/* The script among the files that an export writes to `path`: what is run, by a shell. Of several, as pools have,
 * each has nodes of its own: the export tells how often which is run. */
static void
put_launch(const struct exporter *by, const struct export *e, const char *path, char *buf,
    size_t size)
{
	const char *end = e->rehearsal[0] != '\0' || by->rehearsal == NULL ? e->rehearsal : by->rehearsal, *script = NULL;
	int scripts = 0;

	for (size_t i = 0; i < e->files; i++)
		if (strstr(e->file[i].name, ".sh") != NULL) {
			script = e->file[i].name;
			scripts++;
		}
	if (e->files == 1)
		text_put(buf, size, " && bash %s", path);
	else if (scripts == 1)
		text_put(buf, size, " && cd %s && sh %s", path, script);
	else
		return;
	text_add(buf, size, "%s%s", *end != '\0' ? " " : "", end);
}

/* The command that writes and starts a plan, or why no target does; "" where none is for such plans. */
static void
put_command(const struct search_job *job, uint64_t index, size_t n, char *buf, size_t size)
{
	char options[SEARCH_SETTINGS], path[16], launch[WHY] = "";
	struct plan p;
	struct export e = { .plan = &p, .catalog = &job->session.catalog, .source = "" };
	const struct exporter *by;

	space_plan(job->space, index, &p);
	by = export_any(&e);
	if (by != NULL) {
		search_command_line(job, index, options, sizeof options);
		text_put(path, sizeof path, e.files > 1 ? "try%zu" : "try%zu.sh", n);
		put_launch(by, &e, path, launch, sizeof launch);
		text_put(buf, size, "shardplan export%s --to=%s -o %s%s", options, by->name, path, launch);
	}
	for (size_t i = 0; by == NULL && *buf == '\0' && i < e.diags.count; i++)
		if (e.diags.item[i].severity == SEVERITY_ERROR)
			text_put(buf, size, "no target of export launches it: %s", e.diags.item[i].message);
	export_free(&e);
}

void
search_print_tries(const struct search_job *job)
{
	size_t at[TRIES_MAX];
	const size_t n = search_tries(job, at);
	char text[SEARCH_SETTINGS + WHY];

	if (n > 0)
		out_line(stdout, job->session.plan.mode == MODE_SERVE ?
		    "Try these, of different kinds, with the benchmark of the engine (export --to=vllm-bench, sglang-bench):" :
		    "Try these, of different kinds, for " EXPORT_REHEARSAL " steps:");
	for (size_t i = 0; i < n; i++) {
		search_try_why(job, at[i], text, sizeof text);
		out_line(stdout, "%4zu  %s", at[i] + 1, text);
		text[0] = '\0';
		put_command(job, job->worker->key[at[i]].index, i + 1, text, sizeof text);
		if (*text != '\0')
			out_line(stdout, "      %s", text);
	}
}
