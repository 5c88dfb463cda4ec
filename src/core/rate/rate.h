/*
 * rate.h - an engine under an open loop: requests arrive by themselves, so many a second.
 *
 * Formulas say how much an engine takes and what the means are (rate_formula.h); percentiles come
 * from a small deterministic loop of events over the same table of step times (rate_loop.h).
 */
#ifndef CORE_RATE_H
#define CORE_RATE_H
#include <stdbool.h>

#include "core/base/ledger.h"
#include "core/rate/rate_grid.h"
#include "core/rate/rate_table.h"

/* Share of the time that prompts take at most: of more their queue would be without end. */
#define RATE_MOST_USED .98

enum rate_routing { ROUTE_LEAST, ROUTE_RANDOM, ROUTE_IN_TURN };

/* Requests as they come. */
struct rate_load {
	double rate;          /* requests a second and engine, above 0 */
	double shape;         /* of the gaps: rate_gaps */
	struct rate_length prompt, answer;
	double hit;           /* share of prompts' tokens that the prefix cache has: */
	double found;         /* so much of those whose beginning it has, nothing of others; 0: hit of each */
	double ramp;          /* seconds until the rate is full, linear */
	int engines;          /* that take turns */
	enum rate_routing routing;
	int requests;         /* of a benchmark that starts empty and drains; 0: it goes on */
};

/* Who takes it. */
struct rate_engine {
	struct rate_table table;
	bool first;           /* prompts run first and alone (SGLang), else they are mixed into steps */
	bool graphs;          /* that are CUDA graphs */
	bool ahead;           /* a pass is scheduled when the one before it begins: who comes later waits
	                       * for both (vLLM vllm/v1/engine/core.py, step_with_batch_queue; SGLang
	                       * srt/managers/scheduler.py, event_loop_overlap; TensorRT-LLM
	                       * _torch/pyexecutor/py_executor.py, _executor_loop_overlap) */
	double budget;        /* tokens a pass */
	double held, enough;  /* steps that prompts are held back at most, tokens of a pass that end it */
	double slots;         /* requests in flight at most */
	double kv_tokens;     /* tokens that its cache holds, INFINITY: no limit */
	double answer, prompt_token; /* seconds outside of the engine: of a request, of a token, */
	double fetch;         /* and to bring a cached prefix from the host */
	double stages;        /* that a prompt's last pass goes through one after the other, 0 as 1 */
	double tokens;        /* a step gives each request: 1 + drafts that are accepted, */
	double tokens_sd;     /* over requests, */
	double verified;      /* and so many are computed: 1 + drafts */
};

/* Tokens of a prompt that take the tokenizer's time, of which a share was met before. Words that it met are in a
 * table of the tokenizer and take a tenth (huggingface/tokenizers, models/bpe/model.rs, cache): prompts of 64 k
 * tokens take 12 us a token where they are new, and had their first token within 111 ms where not. */
double rate_text(double prompt, double met);

/* Add the seconds of HTTP and the tokenizer to a sum, as a term of QUANTITY_TTFT: of a request, and of so many tokens. */
void rate_add_http(double *sum, double request, double of_token, double tokens, const char *source,
    struct ledger *ledger);

/* Steps that a prompt is held back, on average: the first of those that share a pass for `most`, or until so many
 * others are there, of which some come with each step; these for what is left of it. */
double rate_held(double most, double others, double a_step);

/* Seconds that the last pass of a prompt, of which a share was met before, takes in the stages behind the first: passes
 * before it are there meanwhile. */
double rate_behind(const struct rate_engine *e, double prompt, double met);

/* Requests that an engine holds at once, of the load's mean lengths. */
double rate_slots(const struct rate_engine *e, const struct rate_load *l);
#endif
