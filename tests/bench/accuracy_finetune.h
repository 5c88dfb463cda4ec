/*
 * accuracy_finetune.h - estimates of fine-tuning against measurements of real runs.
 */
#ifndef BENCH_ACCURACY_FINETUNE_H
#define BENCH_ACCURACY_FINETUNE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { FINETUNE_ROWS_MAX = 256, FINETUNE_TEXT = 96 };

/* One measurement: GiB, or seconds of a step. */
struct finetune_row {
	char group[FINETUNE_TEXT], what[FINETUNE_TEXT];
	bool complete;           /* the source says all that decides it */
	double measured, estimated; /* estimated 0: no plan says what was run */
	double counted, trained; /* adapters' parameters: by its log, 0 where not said; by the plan */
};

/* Memory of tests/data/finetune_measured.tsv and of the PEFT rows of published_2026.tsv, and
 * step times of the LoRA rows of mlperf_training.tsv below top; rows read. */
size_t accuracy_finetune_memory(const char *top, struct finetune_row *rows, size_t max);
size_t accuracy_finetune_steps(const char *top, struct finetune_row *rows, size_t max);

/* Median or other share of the absolute errors of complete rows whose group starts so; *n: how
 * many there are. */
double accuracy_finetune_error(const struct finetune_row *rows, size_t count, const char *group,
    double share, size_t *n);

void accuracy_finetune(FILE *out, const char *top);
#endif
