/*
 * megatron_core.h - which releases of Megatron core read the arguments that a script holds.
 * Releases go by the number behind "0.": 14 is core 0.14.
 */
#ifndef FILE_MEGATRON_CORE_H
#define FILE_MEGATRON_CORE_H
#include "file/export/exporter.h"

enum { CORE_OLDEST = 12, CORE_NEWEST = 20 };

/* "0.14" as a release; 0 for none that is known here. */
int megatron_core_parse(const char *text);

/* Whether a release starts a plan as arguments say it. */
bool megatron_core_starts(const struct plan *p, const char *arguments, int core);

/*
 * A value that nobody chose, and that the release refuses, becomes the one that takes its place
 * there, with a note: e->plan is another plan then. The release is the one asked for (e->core), else
 * the newest, unless the plan would not fit any more.
 */
void megatron_core_suit(struct export *e);

/*
 * Refuse arguments that the release asked for (e->core) does not have or would not start. Where
 * none was asked for, all that read them are the target, which e->target then tells. arguments
 * is a script with one of them, and its values, a line.
 */
bool megatron_core_check(struct export *e, const char *arguments);
#endif
