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
 * Refuse arguments that the release asked for (e->core) does not have or would not start. Where
 * none was asked for, all that read them are the target, which e->target then tells. arguments
 * is a script with one of them, and its values, a line.
 */
void megatron_core_check(struct export *e, const char *arguments);
#endif
