/*
 * fuzz_command.c - the first line of any bytes as words of a command, blanks between them, and the
 * rest as the file "in", which it may name: a log to calibrate by or to diagnose, a plan, a file to
 * import. Whatever it is told, it answers in text and with a status that there is.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../torture/program.h"
#include "fuzz.h"
#include "look.h"

enum { LINE_MOST = 1024 };

/* Nothing outside the directory of this process is named, but what is shipped; and nothing that
 * takes long by right. */
static bool
is_allowed(const char *word)
{
	return strstr(word, "..") == NULL && strcmp(word, "search") != 0 && (strchr(word, '/') == NULL ||
	    strncmp(word, "plans/", 6) == 0 || strncmp(word, "clusters/", 9) == 0);
}

/* Commands whose output has the tabs of scripts and of plans. */
static const char *const tabbed[] = {
	"export", "completions", "import", "models", "gpus", "clusters"
};

static void
write_in(const uint8_t *data, size_t size)
{
	const int fd = open("in", O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || close(fd) != 0)
		look_fail("can not write ", "in");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = size > 0 ? memchr(data, '\n', size) : NULL;
	const size_t length = end != NULL ? (size_t)(end - data) : size;
	struct words words = { .count = 0 };
	struct outcome outcome;
	char line[LINE_MOST + 1];
	const char *flaw;

	if (length > LINE_MOST || memchr(data, '\0', length) != NULL || chdir(look_home()) != 0)
		return 0;
	memcpy(line, data, length);
	line[length] = '\0';
	for (char *at = line, *word; (word = strsep(&at, " ")) != NULL;) {
		if (!is_allowed(word) || words.count == PROGRAM_WORDS - 2)
			return 0;
		words_add(&words, word);
	}
	look_catalog();
	write_in(data + length + (end != NULL), size - length - (end != NULL));
	outcome = program_inside(&words);
	for (size_t i = 0; i < sizeof tabbed / sizeof *tabbed; i++)
		if (strcmp(line, tabbed[i]) == 0)
			outcome.outs = 0;
	if ((flaw = program_flaw(&outcome)) != NULL)
		look_fail(flaw, "");
	look_clear();
	return 0;
}
