/*
 * Runs that took place fitted: none is said not to.
 */
#include "../unit.h"

#include "../bench/accuracy_fit.c"
#include "../bench/accuracy_step_row.c"

TEST(none_is_unfit)
{
	static const struct {
		const char *file;
		size_t rows, tight; /* at least, at most */
	} held[] = {
		{ "published.tsv", 146, 6 }, { "steps_more.tsv", 154, 19 },
		{ "mlperf_described.tsv", 24, 1 }, { "mlperf_steps.tsv", 15, 1 },
		{ "steps_2026.tsv", 33, 2 }, { "heldout_steps.tsv", 105, 8 },
	};
	const char *top = getenv("TOP");

	for (size_t i = 0; i < sizeof held / sizeof *held; i++) {
		const struct fit_score s =
		    accuracy_fit_score(held[i].file, NULL, top != NULL ? top : ".");

		if (s.rows < held[i].rows || s.unfit > 0 || s.tight > held[i].tight)
			fail_msg("%s: %zu rows, %zu unfit, %zu tight", held[i].file, s.rows, s.unfit,
			    s.tight);
	}
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
