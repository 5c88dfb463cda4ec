/*
 * serve_setup.h - what a serving plan leaves to the engine, decided as the engine does:
 * limits of a batch, share of the memory, ranks of data parallel attention.
 */
#ifndef CORE_SERVE_SETUP_H
#define CORE_SERVE_SETUP_H
#include "core/engine/engine.h"
#include "core/plan/plan.h"

struct serve_setup serve_setup_of(const struct plan *p);
#endif
