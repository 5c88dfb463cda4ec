/*
 * serve_work.h - what one pass of an engine takes: a decode step in a CUDA graph, or prompts
 * prefilled without one.
 *
 * A pass goes through all stages of a pipeline, one after the other. Each kernel takes the longer
 * of its arithmetic and its memory traffic; small kernels, their launches and the host take what
 * they take.
 */
#ifndef CORE_SERVE_WORK_H
#define CORE_SERVE_WORK_H
#include "core/base/ledger.h"
#include "core/serve/serve_model.h"

/* One step of `requests` on a rank of data parallel attention that look back on `length` tokens
 * each; tokens: of a request, more than one where drafts are verified. */
double serve_decode(const struct serve_work *w, double requests, double tokens, double length,
    struct ledger *ledger);

/* The host's part of such a step. */
double serve_host_seconds(const struct serve_work *w, double requests);

/* A pass over `tokens` of prompts of the plan's length on a rank; busy: the other ranks of data
 * parallel attention prefill as well. */
double serve_prefill(const struct serve_work *w, double tokens, bool busy, struct ledger *ledger);

/* A pass over `requests` prompts whose tokens look back on `back` others, on average. */
double serve_pass(const struct serve_work *w, double tokens, double back, double requests, bool busy,
    struct ledger *ledger);

/* Seconds to read the head once. */
double serve_head_seconds(const struct serve_work *w);

/* Tokens of a prompt that are no prefix found in the cache. */
double serve_prompt_tokens(const struct plan *p);
#endif
