/*
 * unit.h - what programs on cmocka share: a test is one by being written. TEST(name) { ... } adds itself to what
 * unit_run runs, in the order in which tests stand in the file, so that no list can lack one.
 */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define UNUSED __attribute__((unused))

enum { UNIT_TESTS_MAX = 128 };
static struct CMUnitTest unit_tests[UNIT_TESTS_MAX];
static int unit_lines[UNIT_TESTS_MAX];
static size_t unit_count;

/* Compilers need not keep the order of constructors of a file: lines do. */
static UNUSED void
unit_add(const struct CMUnitTest *test, int line)
{
	size_t i = unit_count++;

	if (i == UNIT_TESTS_MAX)
		abort();
	for (; i > 0 && unit_lines[i - 1] > line; i--) {
		unit_tests[i] = unit_tests[i - 1];
		unit_lines[i] = unit_lines[i - 1];
	}
	unit_tests[i] = *test;
	unit_lines[i] = line;
}

/* Setup and teardown are of the one test, or NULL; what they share with it is in *test. */
#define UNIT_TEST(name, setup, teardown) \
	static void name(void **); \
	__attribute__((constructor)) static void \
	unit_adds_##name(void) \
	{ \
		unit_add(&(struct CMUnitTest)cmocka_unit_test_setup_teardown(name, setup, teardown), __LINE__); \
	} \
	static void \
	name(UNUSED void **test)
#define TEST(name) UNIT_TEST(name, NULL, NULL)

/* All tests of the program between the two, or NULL: its exit status. */
static UNUSED int
unit_run(CMFixtureFunction setup, CMFixtureFunction teardown)
{
	/* Tests without a name, which are the rest of the array, cmocka passes over. */
	return cmocka_run_group_tests_name("tests", unit_tests, setup, teardown);
}
#endif
