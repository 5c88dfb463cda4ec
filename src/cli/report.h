/*
 * report.h - what several reports share.
 */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H
#include <stdbool.h>
#include <stdint.h>

#include "cli/session.h"
#include "core/layout.h"
#include "core/stage.h"

/* Lay out the plan, or say on standard error why its framework would refuse it. */
bool report_layout(const struct session *s, struct layout *l);

/* A kind by name, -1 after a usage error that lists the names. */
int report_kind(const struct layout *l, const char *option, const char *name);

/* One line of `layers`. */
void report_chunk(const struct placement *pl, int64_t pp, int64_t v);
#endif
