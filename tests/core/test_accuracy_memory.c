/*
 * test_accuracy_memory.c - errors of the memory estimate against measured runs: they may
 * only get smaller.
 */
#include "../unit.h"
#include <stdlib.h>

#include "../bench/accuracy_memory.c"

static struct accuracy_row rows[ROWS_MAX], later[ROWS_MAX];
static size_t count, count_later;

/* Largest median, 90th percentile and worst error of a set of rows, percent. */
struct bound {
	const char *metric, *prefix;
	double least;        /* MiB */
	bool complete;
	size_t rows;         /* at least */
	double median, p90, worst;
};

static const struct bound bounds[] = {
	{ "max_allocated", "", 8192, true, 46, 0.09, 0.22, 3.0 },
	{ "max_allocated", "", 0, true, 236, 1.20, 3.7, 19.4 },
	{ "max_allocated", "simumax", 0, true, 33, 0.09, 0.18, 0.20 },
	{ "max_reserved", "simumax", 0, true, 33, 2.0, 3.4, 3.6 },
	{ "max_allocated", "log-", 0, true, 9, 0.22, 3.0, 3.0 },
	{ "allocated_after_step", "log-", 0, true, 10, 0.2, 0.6, 0.6 },
	{ "max_allocated", "zb-", 0, false, 8, 2.0, 7.0, 7.0 },
	{ "max_reserved", "tt-", 0, true, 8, 1.6, 5.2, 5.2 },
};

/* Runs of 2026. */
static const struct bound bounds_later[] = {
	{ "max_allocated", "", 0, false, 17, 0.7, 2.4, 3.4 },
	{ "max_allocated", "", 0, true, 12, 0.7, 2.2, 2.4 },
	{ "max_allocated", "gpt3_mcore", 0, true, 8, 0.8, 2.4, 2.4 },
	{ "max_allocated", "hybrid", 0, true, 3, 0.8, 0.8, 0.8 },
};

static void
check_bound(const struct bound *b, const struct accuracy_row *of, size_t n)
{
	const struct accuracy_errors e = accuracy_memory_errors(of, n, b->metric, b->prefix, b->least,
	    b->complete);

	if (e.rows < b->rows || e.median * 100 > b->median || e.p90 * 100 > b->p90 ||
	    e.worst * 100 > b->worst)
		fail_msg("%s %s above %.0f MiB: %zu rows, %.2f, %.2f and %.2f %%", b->metric,
		    b->prefix, b->least, e.rows, e.median * 100, e.p90 * 100, e.worst * 100);
}

TEST(test_bounds)
{
	assert_true(count > 450);
	for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
		check_bound(&bounds[i], rows, count);
	for (size_t i = 0; i < sizeof bounds_later / sizeof *bounds_later; i++)
		check_bound(&bounds_later[i], later, count_later);
}

/* Of runs of any size 9 of 10 lie as near as their estimates say. */
TEST(test_range)
{
	static const double sizes[] = { 0, 1024, 2048, 8192, INFINITY }; /* MiB */

	for (int s = 0; s < 4; s++) {
		size_t runs = 0, inside = 0;

		for (size_t i = 0; i < count; i++) {
			const struct accuracy_row *r = &rows[i];

			if (!r->expressible || !r->complete || strcmp(r->metric, "max_allocated") != 0 ||
			    r->measured < sizes[s] || r->measured >= sizes[s + 1])
				continue;
			runs++;
			inside += fabs(r->estimated - r->measured) <= r->error;
		}
		if (runs < 30 || (double)inside < 0.9 * (double)runs)
			fail_msg("above %.0f MiB: %zu of %zu", sizes[s], inside, runs);
	}
}

/* What can not be estimated says why. */
TEST(test_reasons)
{
	for (size_t i = 0; i < count; i++)
		assert_true(rows[i].expressible ? rows[i].estimated > 0 : rows[i].reason[0] != '\0');
}

static int
read_rows(void **state)
{
	const char *top = getenv("TOP");

	(void)state;
	count = accuracy_memory_read(top != NULL ? top : ".", rows, ROWS_MAX);
	count_later = accuracy_memory_later(top != NULL ? top : ".", later, ROWS_MAX);
	return count == 0;
}

int
main(void)
{
	return unit_run(read_rows, NULL);
}
