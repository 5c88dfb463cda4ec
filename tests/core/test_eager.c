/*
 * test_eager.c - LoRA and DoRA in modules of Hugging Face against steps measured on one H100:
 * memory, and the time of steps that the GPU decides.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/estimate/estimate.h"
#include "settings.h"

enum { CELLS = 5 };

/* "a\tb\t\tc", empty cells too. */
static int
cells_of(char *line, char *cell[CELLS])
{
	int n = 0;

	line[strcspn(line, "\n")] = '\0';
	for (char *c = line; c != NULL && n < CELLS;)
		cell[n++] = strsep(&c, "\t");
	return n;
}

/* What a row is told to be, within a share of it. */
static void
near(const char *what, const char *settings, double estimated, double measured, double share)
{
	if (!(fabs(estimated / measured - 1) <= share))
		fail_msg("%s of %s: %g estimated, %g measured", what, settings, estimated, measured);
}

TEST(test_measured)
{
	static const char same[] = "nodes=1 gpus_per_node=1 tp=1 pp=1 layout=torchtitan "
	    "parallel.zero_stage=0 model.vocab_multiple=1 finetune.kernels=eager "
	    "training.cross_entropy=hf finetune.adapter_dtype=fp32 cluster.generation=hopper "
	    "cluster.memory_gib=79.1 cluster.hbm_gbps=3350 cluster.bf16_tflops=989.4";
	static struct estimate e;
	static struct plan p;
	char path[4096], line[4096], *cell[CELLS];
	FILE *f;
	int rows = 0;

	snprintf(path, sizeof path, "%s/tests/data/h100_eager.tsv", getenv("TOP"));
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof line, f) != NULL) {
		if (line[0] == '#' || cells_of(line, cell) < CELLS || strcmp(cell[0], "model") == 0)
			continue;
		p = settings_plan(same, cell[1]);
		estimate_run(&e, &p, NULL, NULL);
		near("memory", cell[1], e.stage[0].memory.allocated, strtod(cell[2], NULL), 0.03);
		if (cell[3][0] != '\0')
			near("time", cell[1], e.step.seconds, strtod(cell[3], NULL), 0.1);
		rows++;
	}
	fclose(f);
	assert_int_equal(rows, 38);
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
