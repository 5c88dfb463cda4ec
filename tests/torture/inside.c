/*
 * inside - run the command lines on standard input inside this process, for scripts that want what a
 * thousand of them print: a process each takes longer than most commands, ten times with sanitizers. A
 * line is the file for what is printed, which is left out where nothing is, then NAME=VALUE for the
 * environment and the words of a command, with tabs between. Whoever tests how a process begins and ends
 * starts one.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

enum { LINE_MOST = 8192 };

static bool
keep(const char *name, const struct outcome *o)
{
	FILE *f;

	if (o->outs == 0)
		return true;
	f = fopen(name, "w");
	return f != NULL && fwrite(o->out, 1, o->outs, f) == o->outs && fclose(f) == 0;
}

static bool
is_setting(const char *word)
{
	return strchr(word, '=') != NULL;
}

static void
set(char *setting)
{
	const char *name = strsep(&setting, "=");

	setenv(name, setting, 1);
}

int
main(void)
{
	char line[LINE_MOST];

	while (fgets(line, sizeof line, stdin) != NULL) {
		struct words words = { .count = 0 };
		struct outcome outcome;
		char *at = line, *word;
		const char *name;

		line[strcspn(line, "\n")] = '\0';
		name = strsep(&at, "\t");
		while ((word = strsep(&at, "\t")) != NULL)
			if (words.count == 0 && is_setting(word))
				set(word);
			else
				words_add(&words, word);
		outcome = program_inside(&words);
		if (!keep(name, &outcome)) {
			perror(name);
			return 1;
		}
	}
	return 0;
}
