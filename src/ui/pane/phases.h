/*
 * phases.h - phases of a step with rollouts or pairs.
 */
#ifndef UI_PHASES_H
#define UI_PHASES_H
#include "core/estimate/result.h"
#include "ui/state/state.h"

/* The seconds of the phase that is selected; of a pool that waits, those of the step. */
enum result_id phases_result(const struct state *s);
#endif
