/*
 * format.h - amounts with more digits than units.h has: for reports, where columns are
 * not short. Each returns buf.
 */
#ifndef UI_FORMAT_H
#define UI_FORMAT_H
#include <stddef.h>

/* "61.23 GiB"; whole bytes below 1 KiB. */
const char *format_bytes(char *buf, size_t size, double bytes);

/* "8.03 billion", "405 million", "1234": counts of parameters. */
const char *format_count(char *buf, size_t size, double n);

/* "9.81 s", "412 ms", "35.2 us" */
const char *format_seconds(char *buf, size_t size, double seconds);

/* "8,030,261,248" */
const char *format_grouped(char *buf, size_t size, double n);
#endif
