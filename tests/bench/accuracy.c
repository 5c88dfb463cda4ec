/*
 * accuracy - estimates against measurements of real runs: one table for training memory,
 * one for fine-tuning, one for reinforcement learning, one for step time, one for whole runs and one for the rank of
 * what was run, one for serving, with what a plan can not express listed below each.
 *
 * It reports; it never passes or fails. tests/core/test_accuracy_*.c hold the figures.
 */
#include <stdio.h>
#include <stdlib.h>

#include "accuracy_effects.h"
#include "accuracy_error.h"
#include "accuracy_finetune.h"
#include "accuracy_fit.h"
#include "accuracy_latency.h"
#include "accuracy_memory.h"
#include "accuracy_pairs.h"
#include "accuracy_rank.h"
#include "accuracy_rate.h"
#include "accuracy_rl.h"
#include "accuracy_run.h"
#include "accuracy_serve.h"
#include "accuracy_step.h"

int
main(void)
{
	const char *top = getenv("TOP");

	if (top == NULL)
		top = ".";
	accuracy_memory(stdout, top);
	accuracy_finetune(stdout, top);
	accuracy_rl(stdout, top);
	accuracy_step(stdout, top);
	accuracy_run(stdout, top);
	accuracy_fit(stdout, top);
	accuracy_rank(stdout, top);
	accuracy_serve(stdout, top);
	accuracy_latency(stdout, top);
	accuracy_rate(stdout, top);
	accuracy_effects(stdout, top);
	puts("\nsrc/core/framework/error.def");
	accuracy_error(stdout, top);
	puts("\nsrc/core/search/ahead.def");
	accuracy_pairs(stdout, top);
	return 0;
}
