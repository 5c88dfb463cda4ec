/*
 * rate_formula.h - an open loop without events: what an engine takes, and its means.
 *
 * b requests are in flight at the rate x(b) = b/(b*add(b) + (O-1)/g*step(b)) (Little 1961); prompts
 * wait as at a server of general times (Kingman 1961, Mathematical Proceedings of the Cambridge
 * Philosophical Society 57(4)). Accuracy: shardplan-estimates(7), serving at a rate.
 */
#ifndef CORE_RATE_FORMULA_H
#define CORE_RATE_FORMULA_H
#include "core/base/ledger.h"
#include "core/rate/rate.h"

/* Seconds, but for the first four. */
struct rate_means {
	double saturation;    /* requests a second and engine beyond which a queue grows without end */
	double saturated_batch; /* in flight there */
	double batch;         /* in flight at the rate */
	double prompts;       /* share of the time that prompts take */
	bool stable;          /* the rate is below saturation */
	double step;          /* decode step of that batch */
	double prefill;       /* one prompt alone, all its passes */
	double queue;         /* mean wait for prompts before one's own */
	double ttft, tpot, life; /* means; life: from arrival to the last token */
};

/* Terms go to QUANTITY_TTFT and QUANTITY_TPOT. */
struct rate_means rate_means(const struct rate_engine *e, const struct rate_load *l,
    struct ledger *ledger);
#endif
