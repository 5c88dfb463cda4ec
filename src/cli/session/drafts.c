#include <dirent.h>
#include <errno.h>
#include <stdio.h> /* rename alone */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/session/drafts.h"
#include "core/base/show.h"
#include "core/base/text.h"
#include "core/framework/resolve.h"
#include "core/plan/field.h"
#include "file/base/textbuf.h"
#include "file/plan/atomic.h"
#include "file/plan/pathname.h"
#include "file/plan/paths.h"
#include "file/plan/slurp.h"

#define HEAD_OF "# draft of: "
#define HEAD_OVER "# its session is over\n"

enum { STAMP_LENGTH = 15 };

/* What the head and the name of a draft say. */
struct head {
	char of[PLANFILE_PATH_SIZE]; /* "" for a plan without a file */
	char host[PATHNAME_HOST_SIZE]; /* "" when its session ended knowingly */
	int64_t pid;
};

/* ---- writing ----------------------------------------------------------------------- */

/* "drafts/20261121-080000-HOST-PID.cfg", the time in UTC, which no change of clocks turns
 * back. */
static bool
make_name(char *buf, size_t size)
{
	char host[PATHNAME_HOST_SIZE], stamp[32] = "draft";
	time_t now = time(NULL);
	struct tm tm;

	pathname_host(host, sizeof host);
	if (gmtime_r(&now, &tm) != NULL)
		strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &tm);
	return paths_state(buf, size, TEXT_OF(160, "drafts/%s-%s-%lld.cfg", stamp, host, (long long)getpid()));
}

/* A name of any bytes on one line. */
static void
add_path(struct textbuf *out, const char *path)
{
	for (const unsigned char *c = (const unsigned char *)path; *c != '\0'; c++)
		textbuf_add(out, *c < ' ' || *c == '%' || *c == 127 ? "%%%02X" : "%c", *c);
}

/* A draft stands alone: without the base of the file, whose path is relative to it. */
static char *
draft_text(const char *of, const struct plan *plan, const struct catalog *catalog, bool last)
{
	char whole[PLANFILE_PATH_SIZE], why[128], *text = planfile_text_alone(plan, catalog);
	struct textbuf out = { 0 };

	if (text == NULL)
		return NULL;
	textbuf_add(&out, HEAD_OF);
	if (of[0] != '\0')
		add_path(&out, atomic_target(whole, sizeof whole, of, why, sizeof why) ? whole : of);
	textbuf_add(&out, last ? "\n" HEAD_OVER : "\n");
	textbuf_bytes(&out, text, strlen(text));
	free(text);
	return textbuf_take(&out);
}

bool
drafts_ready(struct drafts *d, const char *of, const struct plan *plan,
    const struct catalog *catalog, bool last, char *note, size_t size)
{
	char dir[PLANFILE_PATH_SIZE], name[PLANFILE_PATH_SIZE];

	d->ready = false;
	free(d->text);
	d->text = NULL;
	if (d->own[0] == '\0' && !make_name(d->own, sizeof d->own)) {
		d->own[0] = '\0';
		text_put(note, size, "unsaved work can not be kept: there is no home directory");
		return false;
	}
	text_put(name, sizeof name, ".%s", pathname_last(d->own));
	if (!paths_make(d->own))
		text_put(note, size, "unsaved work can not be kept (%s): %s", strerror(errno), d->own);
	else if (!pathname_dir(dir, sizeof dir, d->own) ||
	    !pathname_join(d->temporary, sizeof d->temporary, dir, name) ||
	    (d->text = draft_text(of, plan, catalog, last)) == NULL)
		text_put(note, size, "unsaved work can not be kept: no memory, or too long a name");
	else {
		d->length = strlen(d->text);
		d->ready = true;
	}
	return d->ready != 0;
}

bool
drafts_write(struct drafts *d, char *note, size_t size)
{
	if (d->ready && !atomic_replace(d->own, d->temporary, d->text, d->length)) {
		if (note != NULL)
			text_put(note, size, "unsaved work can not be kept (%s): %s", strerror(errno),
			    d->own);
		return false;
	}
	d->ready = false;
	if (note != NULL)
		text_put(note, size, "unsaved changes are kept in %s; the next session on this plan "
		    "offers them", d->own);
	return true;
}

void
drafts_drop(struct drafts *d)
{
	d->ready = false;
	if (d->own[0] != '\0')
		unlink(d->own);
	d->own[0] = '\0';
}

void
drafts_free(struct drafts *d)
{
	d->ready = false;
	free(d->text);
	d->text = NULL;
}

/* ---- finding ----------------------------------------------------------------------- */

static int
hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static void
read_path(char *buf, size_t size, const char *text, size_t length)
{
	size_t n = 0;

	for (size_t i = 0; i < length && n + 1 < size; i++) {
		if (text[i] == '%' && i + 2 < length && hex(text[i + 1]) >= 0 &&
		    hex(text[i + 2]) >= 0) {
			buf[n++] = (char)(hex(text[i + 1]) * 16 + hex(text[i + 2]));
			i += 2;
		} else
			buf[n++] = text[i];
	}
	buf[n] = '\0';
}

static void
read_head(struct head *h, const char *path, const char *text)
{
	const char *name = pathname_last(path), *dash = strrchr(name, '-');
	char pid[32];

	*h = (struct head){ .pid = 0 };
	if (dash != NULL && dash > name + STAMP_LENGTH + 1) {
		text_put(pid, sizeof pid, "%.*s", (int)strcspn(dash + 1, "."), dash + 1);
		if (text_to_int(pid, &h->pid))
			text_put(h->host, sizeof h->host, "%.*s", (int)(dash - name - STAMP_LENGTH - 1),
			    name + STAMP_LENGTH + 1);
	}
	for (; *text == '#'; text += *text == '\n') {
		size_t n = strcspn(text, "\n");

		if (strncmp(text, HEAD_OF, strlen(HEAD_OF)) == 0)
			read_path(h->of, sizeof h->of, text + strlen(HEAD_OF), n - strlen(HEAD_OF));
		if (strncmp(text, HEAD_OVER, strlen(HEAD_OVER)) == 0)
			h->host[0] = '\0';
		text += n;
	}
}

/* What kind of program a process runs; "" where that can not be told. */
static void
program_of(int64_t pid, char *buf, size_t size)
{
	char path[64];
	FILE *f;

	text_put(path, sizeof path, "/proc/%lld/comm", (long long)pid);
	buf[0] = '\0';
	if ((f = fopen(path, "re")) == NULL)
		return;
	if (fgets(buf, (int)size, f) == NULL)
		buf[0] = '\0';
	fclose(f);
}

/* Whether the session that wrote a draft still runs: on this host its process does, and
 * runs this program, for numbers of processes are given again. */
static bool
is_alive(const struct head *h)
{
	char host[PATHNAME_HOST_SIZE], ours[64], theirs[64];

	pathname_host(host, sizeof host);
	if (h->host[0] == '\0' || !text_equal(h->host, host) || h->pid <= 0)
		return false;
	if (kill((pid_t)h->pid, 0) != 0 && errno == ESRCH)
		return false;
	program_of(getpid(), ours, sizeof ours);
	program_of(h->pid, theirs, sizeof theirs);
	return h->pid != getpid() && (theirs[0] == '\0' || text_equal(ours, theirs));
}

/* A plan whose file is gone is offered where one without a file is. */
static bool
is_draft_of(const struct head *h, const char *of)
{
	if (of[0] == '\0')
		return h->of[0] == '\0' || access(h->of, F_OK) != 0;
	return h->of[0] != '\0' && pathname_same(h->of, of);
}

static bool
says_the_same(const struct plan *a, const struct plan *b)
{
	for (enum field_id f = 0; f < FIELD_COUNT; f++)
		if (!field_same(f, a, b))
			return false;
	return true;
}

/* "2026-11-21 10:15 on login2, older than the file" */
static void
describe_draft(const struct head *h, const struct file_stamp *draft, const char *of, char *note,
    size_t size)
{
	char host[PATHNAME_HOST_SIZE];
	struct stat file;
	struct tm tm;

	note[0] = '\0';
	if (localtime_r(&draft->modified.tv_sec, &tm) != NULL)
		strftime(note, size, "%Y-%m-%d %H:%M", &tm);
	pathname_host(host, sizeof host);
	if (h->host[0] != '\0' && !text_equal(h->host, host)) {
		char shown[PATHNAME_HOST_SIZE];

		show_text(shown, sizeof shown, h->host);
		text_add(note, size, " on %s", shown);
	}
	if (stat(of, &file) == 0 && file.st_mtim.tv_sec > draft->modified.tv_sec)
		text_add(note, size, ", older than the file");
}

/* One file of the directory: whether it is to be offered. */
static bool
look_at_draft(struct drafts *d, const char *path, const char *of, const struct catalog *catalog,
    const struct plan *saved, struct plan *plan, char *note, size_t size)
{
	struct planfile *file = malloc(sizeof *file);
	struct head *h = malloc(sizeof *h);
	struct file_errors errors = { 0 };
	char why[128], shown[160];
	struct slurp in = { 0 };
	struct stat st;
	bool is = false;

	if (file == NULL || h == NULL || lstat(path, &st) != 0 || !S_ISREG(st.st_mode) ||
	    !slurp_file(&in, path, why, sizeof why) || !in.ours)
		goto out;
	read_head(h, path, in.text);
	if (is_alive(h))
		goto out;
	if (!is_draft_of(h, of)) {
		show_path(shown, sizeof shown, h->of);
		if (of[0] == '\0')
			text_put(note, size, "there is unsaved work on %s; opening it offers that", shown);
		goto out;
	}
	text_put(shown, sizeof shown, "drafts/%s", pathname_last(path));
	if (!planfile_read_text(file, plan, shown, in.text, in.size, NULL, &errors)) {
		text_put(note, size, "unsaved work can not be read: %s", errors.count > 0 ?
		    errors.line[0] : path);
		goto out;
	}
	plan_resolve(plan, catalog);
	if (says_the_same(plan, saved)) {
		unlink(path);
		goto out;
	}
	describe_draft(h, &in.stamp, of, note, size);
	is = text_copy(d->found, sizeof d->found, path);
out:
	free(in.text);
	free(file);
	free(h);
	return is;
}

static int
is_name(const struct dirent *e)
{
	return e->d_name[0] != '.' && pathname_is_plan(e->d_name);
}

bool
drafts_exist(void)
{
	char dir[PLANFILE_PATH_SIZE];
	const struct dirent *e;
	bool any = false;
	DIR *d;

	if (!paths_state(dir, sizeof dir, "drafts") || (d = opendir(dir)) == NULL)
		return false;
	while (!any && (e = readdir(d)) != NULL)
		any = is_name(e);
	closedir(d);
	return any;
}

bool
drafts_find(struct drafts *d, const char *of, const struct catalog *catalog,
    const struct plan *saved, struct plan *plan, char *note, size_t size)
{
	char dir[PLANFILE_PATH_SIZE], path[PLANFILE_PATH_SIZE];
	struct dirent **name;
	bool found = false;
	int n;

	note[0] = d->found[0] = '\0';
	if (!paths_state(dir, sizeof dir, "drafts") ||
	    (n = scandir(dir, &name, is_name, alphasort)) < 0)
		return false;
	/* Names begin with the time, so the newest is the last. */
	for (int i = n - 1; i >= 0; i--) {
		if (!found && pathname_join(path, sizeof path, dir, name[i]->d_name) &&
		    strcmp(path, d->own) != 0)
			found = look_at_draft(d, path, of, catalog, saved, plan, note, size);
		free(name[i]);
	}
	free(name);
	return found;
}

void
drafts_take(struct drafts *d, bool keep)
{
	char path[PLANFILE_PATH_SIZE];

	if (d->found[0] == '\0')
		return;
	/* Under a name of this session's, so that no other one offers it too. */
	if (!keep)
		unlink(d->found);
	else if (make_name(path, sizeof path) && rename(d->found, path) == 0)
		text_copy(d->own, sizeof d->own, path);
	d->found[0] = '\0';
}
