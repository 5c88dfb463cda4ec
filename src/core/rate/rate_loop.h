/*
 * rate_loop.h - an open loop as events: arrivals, passes with prompts, requests that end; steps
 * between them are jumped over. Percentiles need it: a tail is made of bursts.
 *
 * What an engine does in a pass is that of vLLM V1 (vllm/v1/core/sched/scheduler.py, schedule:
 * running requests first, then prompts in order of arrival up to a budget of tokens; the newest goes
 * back when blocks run out), of SGLang (srt/managers/scheduler.py, get_next_batch_to_run: prompts
 * first and alone) and of TensorRT-LLM, which mixes as vLLM does.
 *
 * Without a number of requests a run starts warm, with the batch that a long one holds, and counts
 * the requests that come early: later ones keep the batch full until those are done.
 */
#ifndef CORE_RATE_LOOP_H
#define CORE_RATE_LOOP_H
#include <stddef.h>
#include <stdint.h>

#include "core/rate/rate.h"
#include "core/rate/rate_ends.h"
#include "core/rate/rate_tally.h"

enum { RATE_ENGINES = 8, RATE_ARRIVALS = 6000, RATE_REQUESTS = 16384,
	RATE_EVENTS = 1000000 };

struct rate_request {
	double arrived, first, born; /* seconds; seconds; steps of its engine */
	double tokens;        /* that a step gives it */
	int32_t prompt, answer, generated;
	int32_t next, before; /* in the queue, or among those that run, oldest first; -1: none */
};

/* What a run works in: the caller's, a megabyte and a half, no more of it touched than is needed. */
struct rate_room {
	struct rate_request request[RATE_REQUESTS];
	struct rate_end end[RATE_REQUESTS];  /* heaps of the engines, one after the other */
	double grid[4][RATE_ARRIVALS];       /* gaps, prompts, answers, tokens of a step */
	int32_t order[RATE_REQUESTS];
	struct rate_tally ttft, tpot, life, gap;
};

/* Seconds. */
struct rate_times {
	double mean, p50, p90, p95, p99;
	double asked;         /* at the percentile asked for */
};

struct rate_served {
	struct rate_times ttft, tpot, life, gap; /* gap: between tokens of a request */
	double queue;         /* mean seconds until a prompt is taken up */
	double batch;         /* in flight on an engine, on average */
	double busy;          /* share of the time */
	double preempted;     /* times that one is put back, over requests */
	double reached;       /* requests a second of all engines, drain included */
	int64_t events;
	bool whole;           /* all runs came to their end, in no more than RATE_EVENTS */
	int requests;         /* of one of the runs */
};

/* Seconds; INFINITY: no limit. percentile: 50 to 100. */
struct rate_limits {
	double ttft, tpot, percentile;
};

/* Four runs in different orders, two of long ones. `until`: it ends where the limits can not be kept any more, and is
 * not whole then, and gaps and lives are not counted; NULL: it never does. */
void rate_loop_until(struct rate_served *out, const struct rate_engine *e, const struct rate_load *l,
    double percentile, const struct rate_limits *until, struct rate_room *room);

static inline void
rate_loop(struct rate_served *out, const struct rate_engine *e, const struct rate_load *l, double percentile,
    struct rate_room *room)
{
	rate_loop_until(out, e, l, percentile, NULL, room);
}
#endif
