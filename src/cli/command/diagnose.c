/* `diagnose`: what a run left behind against its plan's estimate. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/run.h"
#include "cli/report/report_diagnose.h"
#include "cli/session/session.h"
#include "core/base/show.h"
#include "core/base/text.h"
#include "core/diagnose/words.h"
#include "core/framework/resolve.h"
#include "core/search/search.h"
#include "core/search/search_make.h"
#include "file/import/import.h"
#include "file/log/run.h"
#include "file/plan/atomic.h"
#include "file/plan/pathname.h"
#include "out/out.h"

/* What does not save so much of the time is not told. */
#define WORTH_SAVING 0.01

/* Large: allocated once. */
struct diagnose_job {
	struct session session;
	bool planned;          /* a plan was given, or */
	bool launched;         /* a log repeats its launch */
	struct measured measured;
	struct diagnosis found;
	struct diagnose_report report;
	struct estimate estimate;
	struct search_space space;
	struct search_worker worker;
	struct search_key key[NEIGHBOURS + 1];
};

/* ---- the operands ------------------------------------------------------------------- */

/* Whether a file is a plan: by its name, else its first statement names a setting. */
static bool
is_plan(const char *path)
{
	char line[512], *c;
	FILE *f;
	bool found = false;

	if (pathname_is_plan(path))
		return true;
	if (text_equal(path, "-") || (f = fopen(path, "r")) == NULL)
		return false;
	while (!found && fgets(line, sizeof line, f) != NULL) {
		for (c = line; isspace((unsigned char)*c); c++)
			continue;
		if (*c == '\0' || *c == '#' || strncmp(c, "//", 2) == 0)
			continue;
		found = isalpha((unsigned char)*c);
		c += strcspn(c, " \t=:{\n");
		c += strspn(c, " \t");
		found = found && (*c == '=' || (*c == ':' && strchr(c, '{') != NULL));
		break;
	}
	fclose(f);
	return found;
}

/* The plan may be a launch, where the first of several files tells of no run. */
static bool
read_files(struct diagnose_job *job, const struct options *o)
{
	struct file_errors errors = { 0 };
	bool ok = true;

	job->planned = o->operands > 1 && is_plan(o->operand[0]);
	for (int i = job->planned; i < o->operands; i++) {
		if (run_read(&job->measured, o->operand[i], &errors))
			continue;
		if (i == 0 && o->operands > 1 && import_is_launch(o->operand[0])) {
			job->planned = true;
			errors.count = 0;
		} else {
			ok = false;
		}
	}
	session_print_errors(&errors);
	return ok;
}

/* The plan's file, the launch that a log repeats, or the built-in plan. */
static bool
open_plan(struct diagnose_job *job, const struct options *o)
{
	const char *launch = job->measured.launch;

	job->launched = !job->planned && launch[0] != '\0' &&
	    session_open_launch(&job->session, o, o->operand[0], launch);
	return job->launched || session_open(&job->session, o, job->planned ? o->operand[0] : NULL);
}

/* Whether anybody says a plan: the user, or the files, of which those that tell of links alone need but the GPU. */
static bool
is_told(const struct diagnose_job *job)
{
	const struct measured *m = &job->measured;
	bool links = measured_find(m, FACT_GPU_NAME) != NULL;

	for (int id = 0; links && id < MEASURED_JOB_BUS; id++)
		links = m->series[id].count == 0;
	for (int f = 0; f < FIELD_COUNT; f++)
		if (field_entry((enum field_id)f) == FIELD_PRESET && (field_set_has(&job->session.asked, (enum field_id)f) ||
		    measured_find(m, f) != NULL))
			return true;
	return job->planned || job->launched || links || field_set_has(&job->session.asked, FIELD_PRESET);
}

/* ---- what settings cost ------------------------------------------------------------------ */

static void
put_neighbour(struct diagnose_job *job, const struct search_key *key, double now)
{
	struct neighbour *out = &job->report.neighbour[job->report.neighbours];
	struct plan p;

	*out = (struct neighbour){ .saves = now - key->score[0] };
	if (out->saves < WORTH_SAVING * now)
		return;
	for (int i = 0; i < job->space.count && out->sets < DIAGNOSE_SETS; i++) {
		struct diagnosed_set *s = &out->set[out->sets];

		if (space_digit(&job->space, i, key->index) == job->space.field[i].own)
			continue;
		s->field = job->space.field[i].field;
		space_format(&job->space, i, key->index, s->value, sizeof s->value);
		out->sets++;
	}
	space_plan(&job->space, key->index, &p);
	estimate_run(&job->estimate, &p, &job->session.catalog, NULL);
	out->memory = estimate_fullest(&job->estimate);
	job->report.neighbours++;
}

/* The best plans at most two changes away from the run's. */
static void
find_neighbours(struct diagnose_job *job)
{
	struct search search = { .space = &job->space, .objectives = 1, .around = 2 };
	struct search_control control = { .next = 0 };
	const struct plan *p = &job->found.run;
	struct wishes wishes;
	char err[256];
	double now;

	wishes_usual(&wishes, p);
	estimate_run(&job->estimate, p, &job->session.catalog, NULL);
	if (!target_find(&search.objective[0], "time", p, err, sizeof err) ||
	    !target_value(&search.objective[0], p, &job->estimate, &now) ||
	    !space_make(&job->space, p, &job->session.catalog, &wishes, err, sizeof err))
		return;
	job->worker.key = job->key;
	job->worker.room = NEIGHBOURS + 1;
	search_run(&search, &job->worker, 1, &control);
	for (size_t i = 0; i < job->worker.kept && job->report.neighbours < NEIGHBOURS; i++)
		put_neighbour(job, &job->key[i], now);
}

/* ---- what the run says, into the plan ----------------------------------------------------------- */

static int
adopt(struct diagnose_job *job)
{
	const struct diagnosis *d = &job->found;
	struct session *s = &job->session;
	struct plan plan = s->read;
	char note[1024] = "", path[PLANFILE_PATH_SIZE];

	if (d->mismatches == 0) {
		out_line(stdout, "plan         is the run's as far as the files tell");
		return STATUS_OK;
	}
	if (!text_copy(path, sizeof path, s->file.path) || *path == '\0') {
		complain("--adopt: the plan has no file");
		return STATUS_ERROR;
	}
	diagnosed_adopt(&plan, d);
	plan_resolve(&plan, &s->catalog);
	if (planfile_write(&s->file, &plan, path, &s->catalog, false, note, sizeof note) !=
	    PLANFILE_SAVED) {
		complain("%s", note);
		return STATUS_ERROR;
	}
	out_line(stderr, "shardplan: %s", note);
	return STATUS_OK;
}

/* ---- what is the machines', into a file of its own ------------------------------------------- */

/* Said in any case, so that a plan need not know them. */
static bool
is_said(enum field_id f)
{
	return f == FIELD_GPU || f == FIELD_GPUS_PER_NODE || f == FIELD_NICS_PER_NODE ||
	    f == FIELD_NIC_GBPS;
}

/* The plan's machines, and what was found of them; how many there are is of a job. */
static void
take_machines(struct plan *out, const struct diagnose_job *job)
{
	const struct diagnose_report *r = &job->report;

	*out = (struct plan){ .mode = r->plan->mode };
	for (int f = 0; f < FIELD_COUNT; f++)
		if (strncmp(field_table[f].path, "cluster.", 8) == 0 && f != FIELD_NODES &&
		    (field_is_set((enum field_id)f, r->plan) || is_said((enum field_id)f))) {
			field_copy((enum field_id)f, out, r->plan);
			field_mark((enum field_id)f, out, true);
		}
	diagnosed_put(out, r->hardware, r->hardwares);
}

/* As a plan file that others build on; allocated, NULL without memory. */
static char *
machines_text(const struct plan *machines, const char *path)
{
	const bool links = machines->calibration.network_efficiency > 0 ||
	    machines->calibration.nvlink_efficiency > 0;
	char *cluster = planfile_section_text(machines, "cluster");
	char *measured = planfile_section_text(machines, "calibration");
	const size_t size = cluster != NULL && measured != NULL ?
	    strlen(cluster) + strlen(measured) + 512 : 0;
	char *text = size > 0 ? malloc(size) : NULL, shown[256];

	show_path(shown, sizeof shown, pathname_last(path));
	if (text != NULL)
		text_put(text, size, "# What a run told of its machines; a plan takes it with base = \"%s\";\n"
		    "%s%s", shown, cluster, links ? measured : "");
	free(cluster);
	free(measured);
	return text;
}

/* Into a new file: an old one may be somebody's work. */
static int
write_machines(const struct diagnose_job *job, const char *path)
{
	static const struct file_stamp none;
	enum atomic_result done;
	struct plan machines;
	char why[512], shown[512], *text;

	take_machines(&machines, job);
	if ((text = machines_text(&machines, path)) == NULL)
		return out_of_memory();
	done = atomic_write(path, text, strlen(text), NULL, &none, NULL, why, sizeof why);
	free(text);
	show_path(shown, sizeof shown, path);
	if (done == ATOMIC_DONE)
		out_line(stderr, "shardplan: wrote %s", shown);
	else
		complain("%s: %s", shown, done == ATOMIC_CHANGED ?
		    "is there already, and is left as it is (fix: another name)" : why);
	return done == ATOMIC_DONE ? STATUS_OK : STATUS_ERROR;
}

/* ---- the command -------------------------------------------------------------------------------- */

static int
print(struct diagnose_job *job, const struct options *o)
{
	if (o->json)
		diagnose_json(&job->report);
	else if (!diagnose_print(&job->report))
		return STATUS_ERROR;
	if (o->adopt && adopt(job) != STATUS_OK)
		return STATUS_ERROR;
	if (o->output != NULL && write_machines(job, o->output) != STATUS_OK)
		return STATUS_ERROR;
	return job->found.within_error ? STATUS_OK : STATUS_NO;
}

/* Without a plan of the user's it is what the files tell, as far as they do; a limit of the power is
 * what may be wrong with the run. */
static void
take_run(struct diagnose_job *job)
{
	struct session *s = &job->session;
	struct mismatch ignored[DIAGNOSE_MISMATCHES];
	struct plan run;

	diagnose_mismatches(ignored, &run, &job->measured, &s->plan, &s->catalog);
	for (int f = 0; f < FIELD_COUNT; f++)
		if (!field_set_has(&s->asked, (enum field_id)f) && f != FIELD_GPU_POWER_WATTS)
			field_copy((enum field_id)f, &s->plan, &run);
	plan_resolve(&s->plan, &s->catalog);
}

/* Without any plan. */
static int
diagnose_words(struct diagnose_job *job, const struct options *o)
{
	struct session *s = &job->session;

	diagnose_alone(&job->found, &job->measured, &s->plan);
	if (job->found.causes == 0 && s->plan.mode == MODE_TRAIN) { /* lines may speak of an engine */
		field_store_int(FIELD_MODE, &s->plan, MODE_SERVE);
		plan_resolve(&s->plan, &s->catalog);
		diagnose_alone(&job->found, &job->measured, &s->plan);
	}
	job->report = (struct diagnose_report){ .plan = &s->plan, .measured = &job->measured,
		.found = &job->found, .estimate = &job->estimate };
	if (job->measured.oom.count > 0)
		room_alone(&job->report.room, &job->measured);
	return print(job, o);
}

static int
diagnose(struct diagnose_job *job, const struct options *o)
{
	struct session *s = &job->session;
	char note[512];

	if (!session_whole_catalog(s, note, sizeof note)) {
		complain("%s", note);
		return STATUS_ERROR;
	}
	if (!is_told(job))
		return diagnose_words(job, o);
	if (!job->planned)
		take_run(job);
	diagnose_run(&job->found, &job->measured, &s->plan, &s->catalog, &job->estimate);
	if (!job->found.legal) {
		session_complain(&job->estimate.diags, SEVERITY_ERROR);
		return STATUS_NO;
	}
	if (diagnosed_nothing(&job->found, &job->measured))
		complain(DIAGNOSED_NOTHING);
	job->report = (struct diagnose_report){ .plan = &s->plan, .measured = &job->measured,
		.found = &job->found, .estimate = &job->estimate };
	job->report.hardwares = diagnose_hardware(job->report.hardware, &job->found);
	find_neighbours(job);
	if (job->measured.oom.count > 0)
		diagnose_room(&job->report.room, &job->measured, &job->found.run, &s->catalog, &job->estimate);
	estimate_run(&job->estimate, &job->found.run, &s->catalog, NULL);
	return print(job, o);
}

int
diagnose_command(const struct options *o)
{
	struct diagnose_job *job = calloc(1, sizeof *job);
	int status = STATUS_ERROR;

	if (job == NULL)
		return out_of_memory();
	if (o->output != NULL && text_equal(o->output, "-")) {
		free(job);
		return usage_error("diagnose -o writes a plan file: it needs a name, not '-'");
	}
	if (o->operands == 1 && pathname_is_plan(o->operand[0])) {
		free(job);
		return usage_error("diagnose needs what the run left behind, a log or another file, after the plan");
	}
	if (read_files(job, o) && open_plan(job, o)) {
		status = diagnose(job, o);
		session_close(&job->session);
	}
	free(job);
	return status;
}
