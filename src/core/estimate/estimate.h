/*
 * estimate.h - everything that is computed for a plan, in one call.
 */
#ifndef CORE_ESTIMATE_H
#define CORE_ESTIMATE_H
#include <stdbool.h>
#include <stdint.h>

#include "core/framework/layout.h"
#include "core/framework/stage.h"
#include "core/model/params.h"
#include "core/plan/catalog.h"
#include "core/plan/diag.h"
#include "core/plan/plan.h"
#include "core/rate/rate_kept.h"
#include "core/rl/rl.h"
#include "core/run/run.h"
#include "core/serve/serve.h"
#include "core/serve/serve_curve.h"
#include "core/train/memory.h"
#include "core/train/steptime.h"
#include "core/train/traffic.h"

struct scope; /* scope.h */

struct stage_estimate {
	int64_t layers;      /* transformer layers of all chunks */
	double params;       /* on one GPU */
	struct memory memory;
	double capacity;     /* bytes of its GPUs: of several types the smallest */
};

/*
 * Large (about two megabytes, most of it untouched): allocate it once and reuse it.
 * What could not be computed is marked: `laid_out` and `placed` say whether layout and
 * placement (and what builds on them) hold.
 */
struct estimate {
	struct diag_list diags;       /* from plan_check, fixes filled in on request */
	bool legal;                   /* no error */
	bool model_known;             /* params hold: the catalogue has the model */
	bool laid_out, placed;
	bool fits;                    /* unless even peak_low is above the capacity */
	bool tight;                   /* it fits, and peak_high is above the capacity */
	struct layout layout;         /* valid when laid_out */
	struct placement placement;   /* valid when placed */
	int64_t world, dp, edp, microbatches; /* 0 where unknown */
	struct model_params params;
	double params_trainable;
	double params_per_gpu_max, capacity;  /* parameters; bytes */
	bool capacity_known;                  /* not for a GPU without data; else it may be 0 */
	int64_t stages;               /* entries of stage[], 0 unless legal: else nothing runs */
	int64_t peak_stage;
	double peak_total;            /* bytes on the fullest stage */
	double peak_low, peak_high;   /* bytes: a run takes no less and no more on its fullest GPU */
	struct stage_estimate stage[STAGE_CHUNKS_MAX];
	bool timed;                   /* traffic and step hold: train mode, legal */
	struct traffic traffic;
	struct steptime step;
	bool reinforced;              /* rl holds: rollouts or pairs, legal */
	struct rl_estimate rl;
	bool ran;                     /* run holds: timed, of a plan with a token budget; of others its
	                               * checkpoint alone */
	struct run_estimate run;
	bool served;                  /* serve holds: serve mode, legal */
	struct serve serve;
	size_t points;                /* of the curve: 0 until estimate_curve */
	struct serve_point curve[SERVE_CURVE_MAX];
	struct rate_room room;        /* that percentiles were found in */
};

/* Estimate a resolved plan. ledger may be NULL; with one, every term is noted. depth: no more of an open loop than
 * that; the rate inside limits takes ten times what its percentiles do, and these a hundred times all else. */
void estimate_run_to(struct estimate *out, const struct plan *p, const struct catalog *catalog,
    enum follow depth, struct ledger *ledger);

static inline void
estimate_run(struct estimate *out, const struct plan *p, const struct catalog *catalog,
    struct ledger *ledger)
{
	estimate_run_to(out, p, catalog, FOLLOW_LIMITS, ledger);
}

/* Times under other loads, for those who look: of a plan that serves, its times known. */
void estimate_curve(struct estimate *e, const struct plan *p);

/* Bytes that a node keeps in its own memory, whose GPUs are all of the stage that leaves most. */
double estimate_host(const struct estimate *e, const struct plan *p);

/* Bytes that the GPUs of a node keep on its NVMe drives; 0: none. */
double estimate_drives(const struct estimate *e, const struct plan *p);

/* Whether it is known if the plan fits: it is legal, and its GPU's memory is known. */
static inline bool
estimate_has_fit(const struct estimate *e)
{
	return e->stages > 0 && e->capacity_known;
}

/* Bytes of the fullest GPU at its fullest, in whichever phase that is. */
static inline double
estimate_fullest(const struct estimate *e)
{
	return e->reinforced && e->rl.peak_bytes > e->peak_total ? e->rl.peak_bytes : e->peak_total;
}

/* An engine has room for its weights, but not for the requests that are asked of it. */
static inline bool
estimate_lacks_requests(const struct estimate *e)
{
	return estimate_has_fit(e) && e->served && !e->fits && e->peak_low <= e->capacity;
}

/* The verdict in words, where it is known. */
static inline const char *
estimate_verdict(const struct estimate *e)
{
	return estimate_lacks_requests(e) ? "does not hold the requests" :
	    !e->fits ? "does not fit" : e->tight ? "tight" : "fits";
}

/* Room for all that a run may take, as far as that is known. */
static inline bool
estimate_has_room(const struct estimate *e)
{
	return e->fits && !e->tight;
}

/* Whether the time of a step is known: of a GPU without rates it is not. */
static inline bool
estimate_has_step(const struct estimate *e)
{
	return e->timed && e->step.seconds > 0;
}

/* The verdict of a search on a plan. */
enum verdict {
	VERDICT_ILLEGAL,
	VERDICT_TOO_LARGE,  /* legal, and takes more memory than asked for */
	VERDICT_TOO_SLOW,   /* takes no more memory, and more time than asked for */
	VERDICT_ESTIMATED,  /* neither: all of it is worked out */
};

/* Numbers that are enough: INFINITY where anything is. Without seconds (0) no time is worked out. */
struct enough {
	struct memory_limit bytes;
	double seconds;
};

/*
 * What a search asks of each plan, in the order of what it costs: sizes, placement, rules,
 * memory of the fullest stage, groups, traffic and time. It ends where the verdict is known,
 * and what comes later in the order is then not filled in, nor is the number that decided:
 * an end of the range of memory or step.seconds is above what was enough, and no more than
 * that of the plan. Of a plan that is too large, fits and tight are false.
 * Legal, microbatches and, of a plan that is estimated, peak, fits, traffic, step and serve
 * are as estimate_run gives them. Not filled in: diags, params, params_per_gpu_max, and, in
 * train mode, layout, placement and stages other than the memory of peak_stage. A plan that serves is never too
 * large or too slow: whether it fits is in fits; percentiles at a rate are serve_follow's.
 */
enum verdict estimate_peak(struct estimate *out, struct scope *scope, const struct plan *p,
    const struct enough *enough);
#endif
