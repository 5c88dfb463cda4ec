/*
 * units.h - amounts for people, in as few columns as tell them apart.
 *
 * Each writes "VALUE UNIT"; none is wider than nine columns below a thousand of its
 * largest unit.
 */
#ifndef UI_UNITS_H
#define UI_UNITS_H
#include <stddef.h>

enum { UNITS_SIZE = 32 };

/* "61.2 GiB", "512 MiB": memory. */
void units_memory(double bytes, char *buf, size_t size);

/* "118 GB", "1.20 GB": what goes over a link, in the decimal units of link rates. */
void units_wire(double bytes, char *buf, size_t size);

/* "9.81 s", "213 ms", "45.0 us". */
void units_seconds(double seconds, char *buf, size_t size);

/* "123k", "1.24M": things that are counted. */
void units_count(double n, char *buf, size_t size);

/* "674 EFLOP". */
void units_flops(double n, char *buf, size_t size);

/* "41.2 %" of a share of 1. */
void units_share(double share, char *buf, size_t size);

/* "12.7 -> 9.52 GiB" of two such amounts: the unit once when it is the same. */
void units_change(const char *was, const char *is, char *buf, size_t size);
#endif
