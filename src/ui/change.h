/*
 * change.h - what an amount is against what it was: "+1.40", "-512 MiB".
 */
#ifndef UI_CHANGE_H
#define UI_CHANGE_H
#include <stdbool.h>
#include <stddef.h>

#include "ui/theme.h"

enum { CHANGE_SIZE = 40 };

/* Which way is an improvement. */
enum better { BETTER_NEITHER, BETTER_LESS, BETTER_MORE };

/* The change with its sign, without the unit where that is the unit of `is`. "" and false
 * when it is less than a ten-thousandth: such changes are not worth a look. */
bool change_put(void (*format)(double, char *, size_t), double was, double is, char *buf,
    size_t size);

/* The same, always with its unit. */
bool change_put_unit(void (*format)(double, char *, size_t), double was, double is, char *buf,
    size_t size);

/* Good news or bad, to colour it. */
enum role change_role(double was, double is, enum better better);
#endif
