/*
 * test_phrase.c - what several words say of a plan together.
 */
#include <string.h>

#include "core/base/text.h"
#include "core/plan/phrase.h"
#include "../unit.h"

/* Words as people type them, how many of them belong together, and what they say as shorthand. */
TEST(phrases)
{
	static const struct {
		const char *word[7], *says;
		int taken;
	} cases[] = {
		{ { "4", "nodes" }, "nodes=4", 2 }, { { "4", "nodes", "of" }, "nodes=4", 2 },
		{ { "4", "nodes", "tp8" }, "nodes=4", 2 },
		{ { "4", "nodes", "of", "8", "h100" }, "4x8xh100", 5 },
		{ { "four", "machines", "of", "8", "h100s", "each" }, "4x8xh100", 6 },
		{ { "4", "nodes", "with", "8", "gpus", "each" }, "4x8", 6 },
		{ { "4", "nodes", "with", "8", "tp8" }, "4x8", 4 },
		{ { "4", "nodes", "of", "8xh100", "tp8" }, "4x8xh100", 4 },
		{ { "4", "nodes", "of", "x8" }, "nodes=4", 2 },
		{ { "64", "gpus", "tp8" }, "64gpus", 2 }, { { "64", "h100" }, "64xh100", 2 },
		{ { "64", "h100", "cards" }, "64xh100", 3 }, { { "8", "h100", "nodes" }, "nodes=8\nh100", 3 },
		{ { "15T", "tokens" }, "token_budget=15000", 2 }, { { "15T" }, "", 0 },
		{ { "h100s" }, "h100", 1 }, { { "h100" }, "h100", 0 }, { { "with", "tp8" }, "", 1 },
		{ { "8", "wishes" }, "", 0 }, { { NULL }, "", 0 },
	};
	static struct catalog_entry gpu;
	const struct catalog catalog = { .gpus = { &gpu, 1 } };

	text_put(gpu.id, sizeof gpu.id, "h100-sxm-80gb");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char says[PLAN_ID_SIZE];
		int words = 0;

		while (cases[i].word[words] != NULL)
			words++;
		if (phrase_read(cases[i].word, words, &catalog, says) != cases[i].taken ||
		    (cases[i].taken > 0 && strcmp(says, cases[i].says) != 0))
			fail_msg("%zu: %s", i, says);
	}
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
