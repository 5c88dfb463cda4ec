/*
 * rate_pools.h - an open loop over two pools: prompts queue for engines that prefill, their KV cache
 * is sent, and engines that hold no prompts decode. By formulas alone.
 *
 * The queue is that of several servers (Allen 1990, Probability, Statistics and Queueing Theory,
 * section 5.3.6: Allen-Cunneen's approximation).
 */
#ifndef CORE_RATE_POOLS_H
#define CORE_RATE_POOLS_H
#include "core/base/ledger.h"
#include "core/rate/rate.h"

/* Seconds, but where it says otherwise. */
struct rate_pools {
	double alone, busy;       /* of a prompt: alone, and of many that share passes */
	double lanes;             /* prompts that are prefilled at once */
	double hop;               /* router and handshake */
	double sent;              /* a prompt's cache over the network, */
	double senders;           /* so many at once */
	double decoders;          /* engines of the other pool */
	double fetch;             /* of a cached prefix from the host */
};

struct rate_split {
	double saturation;        /* requests a second of both pools */
	double batch;             /* in flight on a decoding engine */
	double prefilling;        /* share of the prefill workers' time */
	double step, queue, ttft, tpot, life; /* means */
	double waits, tail;       /* share of prompts that wait, and how long those do on average */
	bool stable;
};

/* decode: an engine of the other pool; rate: requests a second of all. Terms go to QUANTITY_TTFT and QUANTITY_TPOT. */
struct rate_split rate_split(const struct rate_pools *p, const struct rate_engine *decode,
    const struct rate_load *l, double rate, struct ledger *ledger);

/* Time to the first token that a share of the requests stays within; a step with so many more in
 * flight than the mean as that share allows (Poisson). */
double rate_split_ttft(const struct rate_split *s, double share);
double rate_split_step(const struct rate_split *s, const struct rate_engine *decode,
    const struct rate_load *l, double share);
#endif
