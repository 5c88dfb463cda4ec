/*
 * checkup.h - the files of a run held against the plan that is open.
 */
#ifndef UI_CHECKUP_H
#define UI_CHECKUP_H
#include "core/diagnose/diagnose.h"
#include "core/diagnose/room.h"
#include "ui/state/state.h"

/* Large: allocated, and not there before files were read. */
struct checkup {
	char name[LINE_SIZE];       /* the files, as they were named */
	struct measured measured;
	struct diagnosis found;     /* of the plan as it is */
	struct room room;           /* of a run that ran out of memory */
	struct estimate estimate;   /* of that with what the run says */
	const char *opened;         /* id of the cause whose evidence is shown, NULL: none */
};

/* Read the files that a text names. False, and said so, where they can not be read or tell nothing
 * that the plan estimates: what was read before stays. */
bool checkup_read(struct state *s, const char *files);

/* Hold them against the plan, where there are any. */
void checkup_run(struct state *s);

/* The plan with what the run says, and with what a cause sets. */
void checkup_plan(const struct state *s, const struct diagnosed_cause *c, struct plan *out);
#endif
