/*
 * accuracy_serve.h - estimates of serving plans against start-up logs of real engines,
 * tests/data/serving_measured.tsv and serving_sglang.tsv; and against logs looked up after the
 * constants were chosen, heldout_serving.tsv.
 */
#ifndef BENCH_ACCURACY_SERVE_H
#define BENCH_ACCURACY_SERVE_H
#include <stdio.h>

enum serve_measure {
	MEASURE_TOKENS, MEASURE_POOL, MEASURE_WEIGHTS, MEASURE_REQUESTS,
	MEASURE_CACHE, /* tokens that fit a pool of the size printed */
	MEASURES
};
enum { SERVE_GROUPS_MAX = 16, SERVE_ROWS_MAX = 96 };

/* Errors of one engine and version, sorted by size: relative, of the pool in GiB. */
struct serve_accuracy {
	char name[48];
	int rows;
	int count[MEASURES];
	double error[MEASURES][SERVE_ROWS_MAX];
};

/* Files of tests/data, ended by NULL: those that constants were chosen on, and later ones. */
extern const char *const accuracy_serve_files[], *const accuracy_serve_later[];
extern const char *const accuracy_serve_2026[];

/* Fills groups and returns how many; prints each row to `rows` unless it is NULL. Files
 * are read below `top`. -1 when one can not be read. */
int accuracy_serve_measure(struct serve_accuracy *groups, const char *const *files,
    const char *top, FILE *rows);

/* Error at a share of the rows (0.5: the median, 1: the worst); 0 without rows. */
double accuracy_serve_at(const struct serve_accuracy *g, enum serve_measure m, double share);

void accuracy_serve(FILE *out, const char *top);
#endif
