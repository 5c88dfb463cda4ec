/*
 * giants - texts of up to 1 MiB that are much of one thing, to every reader: whatever they hold,
 * each answers in time and memory that their size bounds. $GIANT, a part of the name of a reader
 * and a text, "" for all, takes those alone, at full length, and tells what each took.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file/catalogue/catalog_file.h"
#include "file/import/import.h"
#include "file/log/log.h"
#include "file/log/run.h"
#include "file/prefs/settings_file.h"
#include "../core/share.h"
#include "gianttext.h"
#include "torture.h"

/*
 * What 1 MiB may take; a shorter text as much less, but for what any takes. The goal is 64 MiB and
 * 100 ms; the limit of time leaves room for busy and for slow machines, and four times as much for
 * sanitizers, with which a fork alone takes a tenth of a second on some.
 */
enum { BRIEF_BYTES = 96 * 1024, MIB = 1024 * 1024, SHARE_MIB = 48, ANY_MIB = 16, SHARE_MS = 1000,
	ANY_MS = 100, STOPS_AFTER_S = 10, MEMORY_MOST_MIB = 1024 };

static struct catalog catalog;
static bool full; /* length: as long as a file may be */
static char text[MIB + 1];
static size_t length;

/* What was worst at full length, over all children. */
static struct worst {
	long ms, kib;
	char slowest[128], largest[128];
} *worst;

/* ---- readers ------------------------------------------------------------------------ */

static bool
import_as(const char *kind)
{
	static struct plan plan;
	static struct file_errors errors;
	struct import im = { .name = "file", .text = text, .size = length, .world = 8, .catalog = &catalog,
		.plan = &plan, .errors = &errors };
	const bool done = import_text(&im, kind) == IMPORT_DONE;

	import_free(&im);
	return done || errors.count > 0;
}

static bool
read_plan(void)
{
	static struct planfile file;
	static struct plan plan;
	static struct file_errors errors;

	return planfile_read_text(&file, &plan, "plan.cfg", text, length, &catalog, &errors) ||
	    errors.count > 0;
}

static void
write_text(const char *name)
{
	FILE *f = fopen(name, "wb");

	if (f == NULL || fwrite(text, 1, length, f) != length || fclose(f) != 0) {
		perror(name);
		abort();
	}
}

static bool
read_settings(void)
{
	static struct settings s;
	static struct file_errors errors;

	write_text("settings.cfg");
	return settings_file_read(&s, "settings.cfg", &errors) || errors.count > 0;
}

static bool
read_log(void)
{
	static struct log_report report;
	static struct file_errors errors;

	write_text("run.log");
	return log_read(&report, (const char *const[]){ "run.log" }, 1, &errors) || errors.count > 0;
}

static bool
read_run(void)
{
	static struct measured run;
	static struct file_errors errors;

	return run_read_text(&run, "run", text, length, &errors) || errors.count > 0;
}

static bool
has_directory(const char *name)
{
	return mkdir(name, 0700) == 0 || errno == EEXIST;
}

/* As the user's own list of models, of a user who is not the one that the other rounds work for. */
static bool
read_catalog(void)
{
	static struct catalog all;
	static struct file_errors errors;
	char here[PLANFILE_PATH_SIZE];
	bool read;

	if (!has_directory("other") || chdir("other") != 0 || !has_directory("shardplan") ||
	    getcwd(here, sizeof here) == NULL || setenv("XDG_CONFIG_HOME", here, 1) != 0)
		abort();
	write_text("shardplan/models.cfg");
	read = catalog_load(&all, &errors);
	catalog_free(&all);
	return read || errors.count > 0;
}

static const struct {
	const char *name;
	bool (*read)(void);
} others[] = {
	{ "plan", read_plan }, { "settings", read_settings }, { "catalogue", read_catalog }, { "log", read_log },
	{ "diagnose", read_run },
};

static size_t
reader_count(void)
{
	return import_count + 1 + sizeof others / sizeof *others;
}

static const char *
reader_name(size_t i)
{
	return i < import_count ? import_table[i].name : i == import_count ? "import without --from" :
	    others[i - import_count - 1].name;
}

static bool
read_with(size_t i)
{
	return i <= import_count ? import_as(i < import_count ? import_table[i].name : NULL) :
	    others[i - import_count - 1].read();
}

/* ---- measuring ---------------------------------------------------------------------- */

static long
resident_kib(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_maxrss;
}

/* A limit that is no higher than what there is. */
static struct rlimit
lowered(struct rlimit r, rlim_t most)
{
	if (r.rlim_cur == RLIM_INFINITY || r.rlim_cur > most)
		r.rlim_cur = most;
	return r;
}

static void
limit_self(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_CPU, &r) == 0) {
		r = lowered(r, STOPS_AFTER_S);
		setrlimit(RLIMIT_CPU, &r);
	}
	if (!has_sanitizer() && getrlimit(RLIMIT_AS, &r) == 0) {
		r = lowered(r, (rlim_t)MEMORY_MOST_MIB * MIB);
		setrlimit(RLIMIT_AS, &r);
	}
}

/* A text took too long. */
static bool
is_late(long ms, double share)
{
	return ms > (ANY_MS + (long)((double)SHARE_MS * share)) * (has_sanitizer() ? 4 : 1);
}

static long
ms_of(const struct rusage *u)
{
	return (u->ru_utime.tv_sec + u->ru_stime.tv_sec) * 1000 + (u->ru_utime.tv_usec + u->ru_stime.tv_usec) / 1000;
}

/* Sanitizers tell of what goes wrong themselves, and a fork with their memory takes longer than most texts. */
static bool
measure_here(size_t reader, long *ms)
{
	struct rusage before, after;
	bool ok;

	getrusage(RUSAGE_SELF, &before);
	ok = read_with(reader);
	getrusage(RUSAGE_SELF, &after);
	*ms = ms_of(&after) - ms_of(&before);
	return ok;
}

/* What a child's answer took; false where it did not end well. */
static bool
measure(size_t reader, long *ms, long *kib)
{
	struct rusage u = { 0 };
	int status, ends[2];
	long before = 0;
	pid_t child;

	fflush(NULL);
	if (pipe(ends) != 0 || (child = fork()) < 0)
		abort();
	if (child == 0) {
		limit_self();
		before = resident_kib();
		if (write(ends[1], &before, sizeof before) != sizeof before)
			_exit(1);
		exit(read_with(reader) ? 0 : 1);
	}
	if (wait4(child, &status, 0, &u) != child || read(ends[0], &before, sizeof before) < 0)
		abort();
	close(ends[0]);
	close(ends[1]);
	*ms = ms_of(&u);
	*kib = u.ru_maxrss - before;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void
keep_worst(const char *what, long ms, long kib)
{
	if (ms > worst->ms) {
		worst->ms = ms;
		text_put(worst->slowest, sizeof worst->slowest, "%s", what);
	}
	if (kib > worst->kib) {
		worst->kib = kib;
		text_put(worst->largest, sizeof worst->largest, "%s", what);
	}
}

static void
look(struct torture *t, const struct giant *g, size_t reader, size_t size)
{
	const double share = (double)size / (double)MIB;
	const char *wanted = getenv("GIANT");
	char what[128], kind[160];
	long ms, kib = 0;
	bool ok;

	text_put(what, sizeof what, "%s: %s", reader_name(reader), g->name);
	if (wanted != NULL && strstr(what, wanted) == NULL)
		return;
	torture_doing(t, "%s, %zu bytes", what, size);
	length = giant_write(g, text, size);
	ok = has_sanitizer() ? measure_here(reader, &ms) : measure(reader, &ms, &kib);
	if (wanted != NULL)
		torture_tell("%6ld ms %8ld KiB  %s", ms, kib, what);
	text_put(kind, sizeof kind, "%s, of %zu bytes, %s", what, size, !ok ? "ends without an answer" :
	    is_late(ms, share) ? "takes too long" : "takes too much memory");
	if (!ok || is_late(ms, share) ||
	    (!has_sanitizer() && kib > ANY_MIB * 1024 + (long)((double)(SHARE_MIB * 1024) * share)))
		torture_found(t, kind);
	if (full)
		keep_worst(what, ms, kib);
}

/* Seeds count through all texts and readers, scattered by a prime that is larger than their number. */
#define SCATTER UINT64_C(2654435761)

static void
one_round(struct torture *t)
{
	static struct file_errors errors;
	const size_t all = reader_count() * giant_count, i = t->seed % all * SCATTER % all;

	if (catalog.models.count == 0 && !catalog_load(&catalog, &errors))
		abort();
	look(t, &giants[i % giant_count], i / giant_count,
	    full || i % giant_count < GIANTS_LONG ? MIB : BRIEF_BYTES);
}

int
main(int argc, char **argv)
{
	long rounds = (long)(reader_count() * giant_count);
	int status;

	/* A brief run takes every text to every reader, and others would be the same again; sanitizers make
	 * it so slow that it takes a part, and as many more from $MONKEY_SEED. */
	if (has_sanitizer())
		rounds /= 6;
	else
		unsetenv("MONKEY_SEED");
	full = argc > 1 || getenv("GIANT") != NULL;
	worst = mmap(NULL, sizeof *worst, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (worst == MAP_FAILED)
		return 99;
	status = torture_main(argc, argv, rounds, one_round);
	if (full)
		printf("of 1 MiB: slowest %ld ms (%s), largest %ld KiB (%s)\n", worst->ms, worst->slowest,
		    worst->kib, worst->largest);
	return status;
}
