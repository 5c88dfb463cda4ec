/*
 * rl_engine.h - the engine of rollouts: how large it is, what it holds, how long it generates.
 * Private to core.
 */
#ifndef CORE_RL_ENGINE_H
#define CORE_RL_ENGINE_H
#include "core/base/ledger.h"
#include "core/plan/plan.h"
#include "core/serve/serve.h"

struct rl_engine {
	int64_t gpus, engines;  /* of one engine; how many */
	double total;           /* bytes of a GPU */
	double weights, awake, asleep; /* bytes on a GPU; asleep: where it sleeps */
	double seconds;         /* until the last response of a step is there */
};

/* Bytes on a GPU while the trainer runs there. */
double rl_engine_beside(const struct rl_engine *e, const struct plan *p);

/* False where no engine can be laid out on the pool. */
bool rl_engine_of(struct rl_engine *out, const struct plan *p, struct ledger *ledger);

/* Responses of one engine, lengths spread as those of a coin that is thrown at every token. */
struct rl_batch {
	double responses, slots;  /* slots: at once */
	double mean, longest;     /* tokens */
	double prompt;
};

/* Tokens that the longest of n responses is expected to have. */
double rl_longest(const struct plan *p, double n);

/* Decode steps until the last response ends, and what one takes on average; step(context,
 * requests, length). */
struct rl_decode {
	double steps, seconds;
};
struct rl_decode rl_decode_of(const struct rl_batch *b,
    double (*step)(const void *context, double requests, double length), const void *context);
#endif
