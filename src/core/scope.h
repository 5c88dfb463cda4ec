/*
 * scope.h - what the estimates of many plans share, worked out once.
 *
 * Plans of a search differ in few fields from one to the next. A scope keeps what it worked
 * out for the plan before, and with every plan looks what of it still holds:
 *
 *   the job     cluster, model, calibration, mode, framework: whether the catalogue knows the
 *               names, and which rules hold
 *   the batch   what one GPU works on of a micro-batch: training and the sizes of TP, CP and
 *               experts. Memory and work of layers of each kind, operations of a token
 *   the groups  where those of TP, CP and experts lie: traffic of a micro-batch
 *
 * So results are the same with any scope, and quick where the batch changes last. A scope
 * belongs to its caller, and each thread has its own; the catalogue has to outlive it.
 */
#ifndef CORE_SCOPE_H
#define CORE_SCOPE_H
#include <stdbool.h>

#include "core/catalog.h"
#include "core/check.h"
#include "core/memory.h"
#include "core/plan.h"
#include "core/step_setup.h"

struct scope {
	const struct catalog *catalog;     /* may be NULL */
	bool begun, sized, timed;          /* job, batch in memory and batch in steps hold of: */
	struct plan plan;
	bool named;                        /* the catalogue has its GPU and model */
	struct check_list rules;
	struct memory_setup memory;        /* its second half is of the plan before */
	struct step_setup step;
};

void scope_init(struct scope *s, const struct catalog *catalog);

/* Follow to a plan: first its job, then, where memory and time are asked for, its batch. */
void scope_follow(struct scope *s, const struct plan *p);
struct memory_setup *scope_memory(struct scope *s, const struct plan *p);
struct step_setup *scope_step(struct scope *s, const struct plan *p);
#endif
