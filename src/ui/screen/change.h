/*
 * change.h - what a result is against what it was: "+1.40", "-512 MiB", "-2.8 points".
 */
#ifndef UI_CHANGE_H
#define UI_CHANGE_H
#include <stdbool.h>
#include <stddef.h>

#include "core/estimate/result.h"
#include "core/plan/field.h"
#include "ui/screen/theme.h"

enum { CHANGE_SIZE = 64 };

/* The change with its sign, without the unit where that is the unit of `is`. "" and false
 * when it is less than a ten-thousandth: such changes are not worth a look. */
bool change_put(enum measure m, double was, double is, char *buf, size_t size);

/* Put a change, always with its unit. */
bool change_put_unit(enum measure m, double was, double is, char *buf, size_t size);

/* Good news or bad, to colour it. */
enum role change_role(enum result_id id, double was, double is);

/* A result of two plans, as reports lay them side by side: "61.20 GiB", "" where it is not
 * known; "+1.20 GiB" and "+3.1%", "same", "changed" or nothing. */
struct change {
	char label[CHANGE_SIZE], was[CHANGE_SIZE], is[CHANGE_SIZE];
	char change[CHANGE_SIZE], percent[CHANGE_SIZE];
	bool differs;
};

/* False when neither plan has any of it, and for results that are not compared. What differs
 * by stage is of the fullest one. */
bool change_of_result(enum result_id id, const struct estimate *was, const struct estimate *is,
    struct change *out);

/* Whether a field reads differently, in a mode of either plan; its two texts. Fields hold
 * up to PLAN_LAYOUT_SIZE. */
bool change_of_field(enum field_id f, const struct plan *a, const struct plan *b, char *left,
    char *right, size_t size);
#endif
