/*
 * rate_ends.h - when the requests that run in an engine end: a heap in room of the caller's, the first
 * end at 0, of two at one step that of the earlier request.
 */
#ifndef CORE_RATE_ENDS_H
#define CORE_RATE_ENDS_H
#include <stdint.h>

struct rate_end {
	double step;
	int32_t request;
};

void rate_ends_push(struct rate_end *end, int *count, double step, int32_t request);

/* The i-th of them, in no order but that 0 is the first. */
void rate_ends_remove(struct rate_end *end, int *count, int i);
#endif
