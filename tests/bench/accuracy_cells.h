/*
 * accuracy_cells.h - a row of a table of measured runs.
 */
#ifndef BENCH_ACCURACY_CELLS_H
#define BENCH_ACCURACY_CELLS_H
#include <string.h>

/* Cut a line at its tabs. Returns how many cells it has, at most `most`. */
static inline int
accuracy_cells(char *line, char *cell[], int most)
{
	int n = 0;

	line[strcspn(line, "\r\n")] = '\0';
	for (char *rest = line; n < most && rest != NULL; n++)
		cell[n] = strsep(&rest, "\t");
	return n;
}
#endif
