/*
 * serve_loop.h - an engine under a closed loop: so many requests at once, each followed by the
 * next one as it ends.
 *
 * Work is conserved: while a request lives, every other one of its batch has its prompt
 * prefilled once and all of them decode. What of these prompts a request does not wait for
 * before its first token, it waits for between tokens.
 */
#ifndef CORE_SERVE_LOOP_H
#define CORE_SERVE_LOOP_H
#include "core/base/ledger.h"
#include "core/serve/serve_work.h"

/* The load of one rank of data parallel attention. */
struct demand {
	double requests;      /* at once */
	double slots;         /* that it holds at once */
	double prompt;        /* tokens to prefill, without those of a cached prefix */
	double generate;
	double fetch;         /* seconds to bring a cached prefix from the host */
};

/* Seconds, but where it says otherwise. */
struct served {
	double step;          /* one decode step, with drafts and their verification */
	double prefill;       /* one prompt alone */
	double share;         /* of other requests' prompts in a token */
	double queue;         /* of prompts, before one's own */
	double wait;          /* for a slot */
	double ttft, tpot;
	double cycle;         /* from one's slot to its last token */
	double running;       /* requests that hold a slot */
	double decoding;      /* those of them past their first token */
};

struct served serve_loop(const struct serve_work *w, const struct demand *d, struct ledger *ledger);

/* One decode step of `requests` on all stages of a pipeline, drafts with it; terms of
 * QUANTITY_DECODE. */
double serve_step(const struct serve_work *w, double requests, struct ledger *ledger);

/* A decode step of requests that look back on `length` tokens each. */
double serve_step_at(const struct serve_work *w, double requests, double length,
    struct ledger *ledger);

/* One prompt alone, and one of many that a pass takes at once. */
double serve_prompt_alone(const struct serve_work *w, double tokens, struct ledger *ledger);
double serve_prompt_busy(const struct serve_work *w, double tokens);

/* The times of s from those to the first and the next token: with the wait for a slot, and scaled
 * by what was measured. */
void serve_settle(struct served *s, const struct serve_work *w, const struct demand *d, double first,
    double next, struct ledger *ledger);

/* Tokens that a step gives each request. */
double serve_tokens_a_step(const struct plan *p);

/* Tokens a second of `requests` over those without drafts. */
double serve_drafts_gain(const struct serve_work *w, double requests, double length);

/* The batch from which drafts lose, 0: no batch up to `most` does. */
double serve_drafts_lose(const struct serve_work *w, double most, double length);
#endif
