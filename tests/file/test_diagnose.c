/*
 * Causes of public threads: where a thread settled why a run was slow, and told the plan, its
 * cause is first in four of five, and among the first three in all but one of twenty. Where
 * nothing was wrong that is told. No row of the data is known to the program.
 */
#include "filetest.h"

#include "core/base/text.h"
#include "core/diagnose/diagnose.h"
#include "core/framework/resolve.h"
#include "file/log/run.h"

enum { COLUMNS = 8, STEPS = 9 };
enum { ID, THREAD, SETTLED, BASE, SET, LINE, WORDS, CAUSES };

static struct measured *run;
static struct diagnosis *found;
static struct estimate *work;

static void
open_data(FILE **f, const char *name)
{
	const char *top = getenv("TOP");
	char path[512];

	text_put(path, sizeof path, "%s/tests/data/%s", top != NULL ? top : ".", name);
	*f = fopen(path, "r");
	assert_non_null(*f);
}

/* "a.b=c d.e=f" into a plan, and a cluster of the catalogue before it. */
static void
make_plan(struct plan *p, char *cell[COLUMNS])
{
	const struct catalog_entry *base = *cell[BASE] != '\0' ?
	    catalog_find(&test_catalog.clusters, cell[BASE]) : NULL;
	char err[256];

	plan_defaults(p);
	if (*cell[BASE] != '\0')
		assert_non_null(base);
	for (int f = 0; base != NULL && f < FIELD_COUNT; f++)
		if (field_is_set((enum field_id)f, &base->values))
			field_copy((enum field_id)f, p, &base->values);
	for (char *word = strtok(cell[SET], " "); word != NULL; word = strtok(NULL, " ")) {
		char *value = strchr(word, '=');
		enum field_id f;

		*value++ = '\0';
		f = field_by_path(word, strlen(word));
		if (f == FIELD_COUNT || !field_parse(f, p, value, err, sizeof err))
			fail_msg("%s: %s=%s", cell[ID], word, value);
	}
	plan_resolve(p, &test_catalog);
}

/* The words of the thread, in which \n ends a line, then the line of each step, whose number stands
 * for %d. */
static void
make_log(char *text, size_t size, char *cell[COLUMNS])
{
	for (char *c = cell[WORDS]; (c = strstr(c, "\\n")) != NULL; c += 2)
		memcpy(c, " \n", 2);
	text_put(text, size, "%s\n", cell[WORDS]);
	for (int i = 1; i <= STEPS && *cell[LINE] != '\0'; i++)
		for (const char *c = cell[LINE]; ; c++) {
			if (strncmp(c, "%d", 2) == 0 || strncmp(c, "%02d", 4) == 0) {
				text_add(text, size, c[1] == 'd' ? "%d" : "%02d", i);
				c += c[1] == 'd' ? 1 : 3;
			} else if (strncmp(c, "%%", 2) == 0) {
				text_add(text, size, "%%");
				c++;
			} else if (*c == '\0') {
				text_add(text, size, "\n");
				break;
			} else {
				text_add(text, size, "%c", *c);
			}
		}
}

static bool
is_of(const char *names, const char *id)
{
	char name[64];

	for (int64_t i = 0; text_choice(names, i, name, sizeof name); i++)
		if (text_equal(name, id))
			return true;
	return false;
}

/* The place of the first cause that settled it, from 1; 0 where it is not told at all. */
static size_t
place_of(const char *names)
{
	if (is_of(names, "nothing"))
		return found->within_error;
	for (size_t i = 0; i < found->causes; i++)
		if (is_of(names, diagnosed_id(&found->cause[i])) &&
		    found->cause[i].certainty != CERTAINTY_EXCLUDED)
			return i + 1;
	return 0;
}

static void
diagnose_case(char *cell[COLUMNS])
{
	struct file_errors errors = { 0 };
	char text[8192];
	struct plan p;

	make_plan(&p, cell);
	make_log(text, sizeof text, cell);
	memset(run, 0, sizeof *run);
	if (!run_read_text(run, cell[ID], text, strlen(text), &errors))
		fail_msg("%s: %s", cell[ID], errors.line[0]);
	diagnose_run(found, run, &p, &test_catalog, work);
	assert_true(found->legal);
	assert_true(found->terms > 0);
}

/* What a thread did not find is not certain. */
static void
check_certain(const char *id, const char *names)
{
	for (size_t i = 0; i < found->causes; i++)
		if (found->cause[i].certainty == CERTAINTY_CERTAIN &&
		    !is_of(names, diagnosed_id(&found->cause[i])))
			fail_msg("%s: %s is no certain cause", id, diagnosed_id(&found->cause[i]));
}

TEST(test_threads)
{
	size_t all = 0, cases = 0, first = 0, third = 0;
	char line[4096], told[1024] = "";
	FILE *f;

	open_data(&f, "diagnose_cases.tsv");
	while (fgets(line, sizeof line, f) != NULL) {
		char *cell[COLUMNS] = { line };
		size_t place;

		line[strcspn(line, "\n")] = '\0';
		if (*line == '#' || strncmp(line, "id\t", 3) == 0)
			continue;
		for (int i = 1; i < COLUMNS; i++) {
			cell[i] = strchr(cell[i - 1], '\t');
			assert_non_null(cell[i]);
			*cell[i]++ = '\0';
		}
		diagnose_case(cell);
		check_certain(cell[ID], cell[CAUSES]);
		place = place_of(cell[CAUSES]);
		if (is_of(cell[CAUSES], "nothing"))
			assert_int_equal(place, 1);
		if (place != 1)
			text_add(told, sizeof told, " %s:%zu", cell[ID], place);
		all++;
		if (text_equal(cell[SETTLED], "open"))
			continue;
		cases++;
		first += place == 1;
		third += place >= 1 && place <= 3;
	}
	fclose(f);
	assert_int_equal(all, 83);
	print_message("%zu threads, %zu settled: %zu first, %zu among three; others of all%s\n", all, cases,
	    first, third, told);
	assert_true(first * 100 >= 80 * cases);
	assert_true(third * 100 >= 95 * cases);
}

static int
setup(void **state)
{
	run = calloc(1, sizeof *run);
	found = calloc(1, sizeof *found);
	work = calloc(1, sizeof *work);
	return run == NULL || found == NULL || work == NULL || load_catalog(state) != 0;
}

static int
teardown(void **state)
{
	free_catalog(state);
	free(run);
	free(found);
	free(work);
	return 0;
}

int
main(void)
{
	return unit_run(setup, teardown);
}
