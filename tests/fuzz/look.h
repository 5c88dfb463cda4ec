/*
 * look.h - what targets ask of every plan that comes of their bytes. What does not hold is printed,
 * and aborts.
 */
#ifndef FUZZ_LOOK_H
#define FUZZ_LOOK_H
#include <stddef.h>
#include <stdint.h>

#include "core/plan/catalog.h"
#include "core/plan/plan.h"

/* Print what does not hold, and abort. */
_Noreturn void look_fail(const char *what, const char *more);

/* The shipped catalogue. */
const struct catalog *look_catalog(void);

/* A directory of this process, in memory where that can be, which is also the home of all that the
 * program keeps. Made when first asked for, and removed at the end. */
const char *look_home(void);

/* Remove all that is in it. */
void look_clear(void);

/* Checked and estimated: each result is a finite number that is not below 0, and the terms that
 * explain it come to it. */
void look_estimate(const struct plan *p);

/* Two plans are the same in all that is set or counts in them; `what` tells of the second one. */
void look_same(const struct plan *a, const struct plan *b, const char *what);

/* A plan is the same when it is written and read again. */
void look_saved(const struct plan *p);
#endif
