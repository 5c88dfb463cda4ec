/*
 * rate_pools.h - an open loop over two pools: prompts queue for engines that prefill, their KV cache
 * is sent, and engines that hold no prompts decode. Means by formulas; percentiles need the
 * events of the pool that prefills.
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
	double workers;           /* that queue for themselves, each as */
	struct rate_engine prefill;
};

struct rate_split {
	double saturation;        /* requests a second of both pools */
	double batch;             /* in flight on a decoding engine */
	double prefilling;        /* share of the prefill workers' time */
	double decoding;          /* share of what the other pool takes at most */
	double step, queue, ttft, tpot, life; /* means */
	double after;             /* of ttft, what comes when a prompt is done: hop, transfer, a step */
	bool stable;
};

/* decode: an engine of the other pool; rate: requests a second of all. Terms go to QUANTITY_TTFT and QUANTITY_TPOT. */
struct rate_split rate_split(const struct rate_pools *p, const struct rate_engine *decode,
    const struct rate_load *l, double rate, struct ledger *ledger);

/* A step with so many more in flight than the mean as a share of the time allows (Poisson). */
double rate_split_step(const struct rate_split *s, const struct rate_engine *decode,
    const struct rate_load *l, double share);
#endif
