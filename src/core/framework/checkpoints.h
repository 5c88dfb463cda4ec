/*
 * checkpoints.h - in which formats a framework saves, and who writes them: rows of checkpoints.def.
 */
#ifndef CORE_FRAMEWORK_CHECKPOINTS_H
#define CORE_FRAMEWORK_CHECKPOINTS_H
#include <stdbool.h>
#include <stddef.h>

#include "core/plan/plan.h"

enum checkpoint_writer { WRITER_EVERY, WRITER_REPLICA, WRITER_FIRST };

struct checkpoint_format {
	const char *name;
	unsigned sets;                 /* enum rule_set: the frameworks that write it */
	enum checkpoint_writer writes;
	bool gathers, async, staged;   /* checkpoints.def tells of each */
	const char *source;
};

/* The format that a plan names, or its framework's; NULL where that has none of the name. */
const struct checkpoint_format *checkpoint_format_of(const struct plan *p);

/* The names of a framework's formats, "torch_dist, torch". */
void checkpoint_formats(const struct plan *p, char *buf, size_t size);

/* True where a save of sharded weights can gather them whole. */
bool checkpoint_can_gather(const struct plan *p);

/* True where steps go on while a save is written: the plan asks for it, and the format can. */
bool checkpoint_is_async(const struct plan *p);

#endif
