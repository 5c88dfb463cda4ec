/*
 * summary.h - a plan in a handful of numbers: for the header, and before -> after.
 */
#ifndef UI_SUMMARY_H
#define UI_SUMMARY_H
#include <stddef.h>

#include "core/estimate.h"

/* 0 where unknown. */
struct summary {
	double memory;             /* bytes on the fullest GPU */
	double step, mfu, traffic; /* seconds, share, bytes one GPU sends a step */
	double kv_tokens, tpot, tokens_per_second; /* serving */
};

struct summary summary_of(const struct estimate *e);

/* "memory 12.7 -> 9.52 GiB, step 9.81 -> 7.10 s": what two plans differ in, or that
 * it is nothing; "" while either is unknown. */
void summary_delta(const struct summary *was, const struct summary *is, char *buf, size_t size);

/* Speed for the header: "9.81 s/step" or "21.0 ms/token"; "MFU 41 %" or "12.3k tokens/s".
 * "" where unknown. */
void summary_pace(const struct summary *s, char *buf, size_t size);
void summary_rate(const struct summary *s, char *buf, size_t size);
#endif
