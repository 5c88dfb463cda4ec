/*
 * serve_engine.h - the passes of an engine as the table that an open loop reads (core/rate).
 */
#ifndef CORE_SERVE_ENGINE_H
#define CORE_SERVE_ENGINE_H
#include "core/rate/rate.h"
#include "core/serve/serve_model.h"

/* A rank of data parallel attention that waits for others is part of one engine with them, else it
 * is an engine of its own. */
double serve_ranks_in_step(const struct serve_work *w);

/* kv_tokens: that the cache of one rank holds; fetch: seconds to bring a cached prefix from the host. */
struct rate_engine serve_engine_of(const struct serve_work *w, double kv_tokens, double fetch);
#endif
