/*
 * hardware.h - what a diagnosis found of the machines, apart from what is of one plan: rates of
 * links as they were measured, what the run says of its GPUs, and the cause that is most likely
 * where it is of them. Another plan on the same machines takes these.
 */
#ifndef CORE_DIAGNOSE_HARDWARE_H
#define CORE_DIAGNOSE_HARDWARE_H
#include "core/diagnose/diagnose.h"

enum { HARDWARE_SETS = 16 };

/* Fields of the machines with their values, no field twice. Returns how many. */
size_t diagnose_hardware(struct diagnosed_set out[HARDWARE_SETS], const struct diagnosis *d);
#endif
