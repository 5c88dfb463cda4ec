/*
 * recorded.h - tables under tests/data of which each line begins with the checksum of what the rest of it
 * makes the program say. ANSWERS=DIR keeps what is said there, to be laid beside that of another build;
 * REGEN=1 writes the checksums anew.
 */
#ifndef TESTS_RECORDED_H
#define TESTS_RECORDED_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "../unit.h"
#include "share.h"

enum { RECORDED_LINE = 4096, RECORDED_SUM = 17, RECORDED_TOLD = 20 };
#define RECORDED_BEGIN UINT64_C(14695981039346656037)

/* FNV-1a. */
static inline uint64_t
recorded_add(uint64_t hash, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (unsigned char)s[i]) * UINT64_C(1099511628211);
	return hash;
}

/* The file for what is said of one line, NULL where none is kept. */
static inline FILE *
recorded_keep(const char *table, int number)
{
	char path[RECORDED_LINE];
	FILE *f = NULL;

	if (getenv("ANSWERS") == NULL)
		return NULL;
	text_put(path, sizeof path, "%s/%s%04d", getenv("ANSWERS"), table, number);
	assert_non_null(f = fopen(path, "w"));
	return f;
}

/* Each line of a table that is no comment: a checksum, a tab, and what say takes. */
static inline void
recorded_hold(const char *table, int least, uint64_t (*say)(const char *rest, int number))
{
	const bool anew = getenv("REGEN") != NULL;
	char line[RECORDED_LINE], path[RECORDED_LINE], new_path[RECORDED_LINE];
	int number = 0, wrong = 0;
	FILE *in, *out;

	text_put(path, sizeof path, "%s/tests/data/%s.tsv", getenv("TOP"), table);
	text_put(new_path, sizeof new_path, "%s.new", path);
	assert_non_null(in = fopen(path, "r"));
	assert_non_null(out = fopen(anew ? new_path : "/dev/null", "w"));
	while (fgets(line, sizeof line, in) != NULL) {
		const char *rest = line + RECORDED_SUM;
		char is[RECORDED_SUM];

		line[strcspn(line, "\n")] = '\0';
		if (*line == '#') {
			fprintf(out, "%s\n", line);
			continue;
		}
		if (!in_share((size_t)number++))
			continue;
		text_put(is, sizeof is, "%016llx", (unsigned long long)say(rest, number));
		fprintf(out, "%s\t%s\n", is, rest);
		if (strncmp(is, line, RECORDED_SUM - 1) != 0 && wrong++ < RECORDED_TOLD)
			print_error("%3d: %s\n", number, rest);
	}
	fclose(in);
	fclose(out);
	assert_true(number > least);
	if (anew)
		assert_int_equal(rename(new_path, path), 0);
	else if (wrong > 0)
		fail_msg("of %d lines something else is said than recorded: see ANSWERS and REGEN in recorded.h", wrong);
}
#endif
