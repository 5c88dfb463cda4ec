/*
 * serve_setup.h - what a serving plan leaves to the engine, decided as the engine does:
 * limits of a batch, share of the memory, ranks of data parallel attention.
 */
#ifndef CORE_SERVE_SETUP_H
#define CORE_SERVE_SETUP_H
#include <stdint.h>

#include "core/engine/engine.h"
#include "core/plan/plan.h"

struct serve_setup serve_setup_of(const struct plan *p);

/* 100*major + minor of "0.19", "v0.6.3", "V0" (0); INT32_MAX without a number, as then the
 * patch is. */
int64_t serve_version(const char *text, int64_t *patch);
#endif
