/*
 * screen_floor.h - the least that a screen can cost: bare curses painting ready pictures.
 */
#ifndef TESTS_BENCH_SCREEN_FLOOR_H
#define TESTS_BENCH_SCREEN_FLOOR_H
#include <stdbool.h>

#include "ui/screen/canvas.h"

/* Write pictures of one size, as a terminal of 256 colours shows them. */
bool floor_write(const char *path, const struct canvas *picture[], int count);

/* Paint the first picture of a file, the next one with every key (around), leave with q.
 * Returns an exit status. */
int floor_run(const char *path);
#endif
