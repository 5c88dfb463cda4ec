#include <ctype.h>
#include <fcntl.h>
#include <getopt.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/base/run.h"
#include "cli/command/commands.h"
#include "core/base/text.h"
#include "program.h"
#include "torture.h"

extern char **environ;
const char *__lsan_default_suppressions(void);
void __sanitizer_set_report_fd(void *fd) __attribute__((weak));

/* libconfig 1.5 loses the text in hand when it meets a syntax error: 64 bytes, not ours. */
const char *
__lsan_default_suppressions(void)
{
	return "leak:libconfig\n";
}

/* main.c has it, which is not here. */
int
screen_run(const struct options *o)
{
	(void)o;
	return STATUS_ERROR;
}

/* ---- words -------------------------------------------------------------------------- */

void
words_add(struct words *w, const char *word)
{
	if (w->count == PROGRAM_WORDS - 2) { /* the name and the NULL need room too */
		fputs("torture: too many words\n", stderr);
		abort();
	}
	w->word[w->count++] = word;
}

void
words_show(const struct words *w, char *buf, size_t size)
{
	text_put(buf, size, "shardplan");
	for (int i = 0; i < w->count; i++) {
		const char *word = w->word[i];
		const bool plain = *word != '\0' &&
		    word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		    "0123456789_-+=./,:")] == '\0';

		text_add(buf, size, plain ? " %s" : " '%s'", word);
	}
}

/* ---- streams in files --------------------------------------------------------------- */

/* Standard output or error turned to a file. */
struct catch {
	int fd, saved, file;
	char *text;
	size_t room;
};
static struct catch catches[2] = { { .fd = 1, .file = -1 }, { .fd = 2, .file = -1 } };

static void
must(bool ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	abort();
}

static int
open_file(void)
{
	char name[] = "caught.XXXXXX";
	const int fd = mkstemp(name);

	must(fd >= 0 && unlink(name) == 0, "torture: a file");
	return fd;
}

static void
catch_begin(struct catch *c)
{
	if (c->file < 0)
		c->file = open_file();
	must(ftruncate(c->file, 0) == 0 && lseek(c->file, 0, SEEK_SET) == 0, "torture: ftruncate");
	c->saved = dup(c->fd);
	must(c->saved >= 0 && dup2(c->file, c->fd) >= 0, "torture: dup");
}

static const char *
catch_end(struct catch *c, size_t *size)
{
	const off_t end = lseek(c->file, 0, SEEK_END);
	size_t done = 0;

	must(end >= 0 && dup2(c->saved, c->fd) >= 0 && close(c->saved) == 0, "torture: dup back");
	if ((size_t)end + 1 > c->room) {
		free(c->text);
		c->room = 2 * (size_t)end + 4096;
		c->text = malloc(c->room);
		must(c->text != NULL, "torture");
	}
	while (done < (size_t)end) {
		const ssize_t n = pread(c->file, c->text + done, (size_t)end - done, (off_t)done);

		must(n > 0, "torture: read");
		done += (size_t)n;
	}
	c->text[done] = '\0';
	*size = done;
	return c->text;
}

/* What the sanitizers say is for whoever runs this, not for the file that holds standard error. */
static void
begin(void)
{
	static bool begun;

	if (!begun && __sanitizer_set_report_fd != NULL)
		__sanitizer_set_report_fd((void *)(intptr_t)dup(2));
	begun = true;
	fflush(NULL);
	for (int i = 0; i < 2; i++)
		catch_begin(&catches[i]);
}

static struct outcome
end(int status)
{
	struct outcome o = { .status = status };

	fflush(NULL);
	o.out = catch_end(&catches[0], &o.outs);
	o.err = catch_end(&catches[1], &o.errs);
	return o;
}

/* ---- running ------------------------------------------------------------------------ */

static int
run_inside(const struct words *w)
{
	char *argv[PROGRAM_WORDS];
	int status = STATUS_ERROR;
	struct options o;

	argv[0] = strdup("shardplan");
	for (int i = 0; i < w->count; i++)
		argv[i + 1] = strdup(w->word[i]);
	argv[w->count + 1] = NULL;
	optind = 0; /* glibc: begin anew */
	if (options_parse(&o, subcommand_table, w->count + 1, argv))
		status = *o.command->name != '\0' ? subcommand_run(&o) : STATUS_OK; /* the screen */
	options_free(&o);
	for (int i = 0; i <= w->count; i++)
		free(argv[i]);
	return status;
}

struct outcome
program_inside(const struct words *w)
{
	int status;

	begin();
	status = run_inside(w);
	return end(status);
}

struct outcome
program_outside(const struct words *w)
{
	const char *argv[PROGRAM_WORDS] = { "shardplan" };
	int status;
	pid_t child;

	memcpy(argv + 1, w->word, (size_t)w->count * sizeof *w->word);
	begin();
	if (posix_spawn(&child, torture_program(), NULL, NULL, (char **)(uintptr_t)argv,
	    environ) != 0 || waitpid(child, &status, 0) != child)
		status = -1;
	return end(WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

struct outcome
program_capture(void (*f)(void *data), void *data)
{
	begin();
	f(data);
	return end(STATUS_OK);
}

/* ---- looking at it ------------------------------------------------------------------ */

static const char *
stream_flaw(const char *text, size_t size)
{
	json_t *is_utf8 = json_stringn(text, size);
	const bool valid = is_utf8 != NULL;

	json_decref(is_utf8);
	if (!valid)
		return "bytes that are no UTF-8";
	for (size_t i = 0; i < size; i++) {
		const unsigned char c = (unsigned char)text[i];

		if ((c < 0x20 && c != '\n') || c == 0x7f)
			return "a control byte";
		if (c == 0xc2 && (unsigned char)text[i + 1] < 0xa0) /* U+0080 to U+009F */
			return "a C1 control character";
	}
	return NULL;
}

const char *
program_flaw(const struct outcome *o)
{
	const char *flaw;

	if (o->status < STATUS_OK || o->status > STATUS_ERROR)
		return "an exit status other than 0, 1, 2";
	if (o->status == STATUS_ERROR && o->errs == 0)
		return "it fails without a word";
	if ((flaw = stream_flaw(o->out, o->outs)) != NULL)
		return flaw;
	return stream_flaw(o->err, o->errs);
}

const char *
program_json(const struct outcome *o, json_t **doc)
{
	json_error_t error;

	*doc = NULL;
	if (o->outs == 0)
		return o->status == STATUS_OK ? "no JSON" : NULL;
	*doc = json_loadb(o->out, o->outs, JSON_REJECT_DUPLICATES, &error);
	return *doc == NULL ? "JSON that a parser refuses" : NULL;
}

/* "nan" and "inf" as printf writes them, however they stand in a line. */
static bool
is_no_number(const char *word, size_t n)
{
	return n == 3 && (strncmp(word, "nan", 3) == 0 || strncmp(word, "inf", 3) == 0);
}

/* More digits than any figure has: what printf makes of 1e300, or what was cut of it. */
enum { DIGITS_MOST = 24 };

const char *
program_text(const struct outcome *o)
{
	for (const char *at = o->out; *at != '\0';) {
		const char *from = at;

		if (isalpha((unsigned char)*at)) {
			while (isalpha((unsigned char)*at))
				at++;
			if (is_no_number(from, (size_t)(at - from)))
				return "a text with nan or inf";
		} else if (isdigit((unsigned char)*at)) {
			at += strspn(at, "0123456789");
			if (at - from > DIGITS_MOST)
				return "a text with a number of too many digits";
		} else {
			at++;
		}
	}
	return NULL;
}
