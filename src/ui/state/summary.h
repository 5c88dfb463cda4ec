/*
 * summary.h - a plan in a handful of numbers: for the header, and before -> after.
 */
#ifndef UI_SUMMARY_H
#define UI_SUMMARY_H
#include <stdbool.h>
#include <stddef.h>

#include "core/estimate/result.h"
#include "ui/screen/theme.h"

/* Its numbers, the most important first. */
enum summary_part {
	SUMMARY_MEMORY, SUMMARY_STEP, SUMMARY_MFU, SUMMARY_TRAFFIC, SUMMARY_KV_TOKENS, SUMMARY_TPOT,
	SUMMARY_TOKENS_PER_SECOND, SUMMARY_PARTS
};

enum { SUMMARY_HELD = 8 };

struct summary {
	double part[SUMMARY_PARTS]; /* 0 where unknown */
	double held[SUMMARY_HELD];  /* what the memory is made of, bytes */
};

struct summary summary_of(const struct estimate *e);

/* "memory 12.7 -> 9.52 GiB, step 9.81 -> 7.10 s": what two plans differ in, or that
 * it is nothing, or what of the memory became another thing; "" while either is unknown. */
void summary_delta(const struct summary *was, const struct summary *is, char *buf, size_t size);

/* How two plans differ in amounts, "memory -3.18 GiB, step -2.71 s", without the traffic, which says
 * little on its own. */
void summary_changes(const struct summary *was, const struct summary *is, char *buf,
    size_t size);

/* The change of one number: "memory +1.40 GiB", or without its name where the unit tells
 * which it is. "" and false when it has none. *role says whether it is good news. */
bool summary_change(const struct summary *was, const struct summary *is, enum summary_part part,
    bool named, char *buf, size_t size, enum role *role);

/* Speed for the header: "9.81 s/step" or "21.0 ms/token"; "MFU 41 %" or "12.3k tokens/s".
 * "" where unknown. */
void summary_pace(const struct summary *s, char *buf, size_t size);
void summary_rate(const struct summary *s, char *buf, size_t size);
#endif
