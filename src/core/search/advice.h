/*
 * advice.h - what would mend a plan that is not legal or does not fit, best first.
 *
 * Every change is made and the plan estimated: nothing is offered that was not found to be
 * legal. Changes of one field come first, two where no single one will do.
 */
#ifndef CORE_ADVICE_H
#define CORE_ADVICE_H
#include <stdbool.h>
#include <stddef.h>

#include "core/estimate/estimate.h"
#include "core/plan/catalog.h"
#include "core/plan/field_set.h"
#include "core/plan/plan.h"
#include "core/rules/values.h"

struct scope; /* scope.h */

/* A value for a field, as one would type it. */
struct field_change {
	enum field_id field;
	char value[VALUE_SIZE];
};

/* The numbers that a plan is judged by. Times are 0 where the GPU's rates are not known. */
struct outlook {
	bool serves, reinforced, fits, tight;
	double memory, capacity;  /* bytes on the fullest GPU, in the phase that takes most; capacity 0
	                           * where not known */
	double seconds;           /* of one step, of all its phases; in serve mode of one token of a user (TPOT) */
	double cost;              /* GPU-seconds of one token; of requests that arrive at a rate TPOT */
	double ttft;              /* seconds */
	double kv_tokens;         /* of one engine */
};

/* Losses by a change, least first. */
enum loss {
	LOSS_ABOUT,   /* next to nothing: what was just asked for is about as it was */
	LOSS_SPLIT,   /* nothing: the same work, split or computed in another way */
	LOSS_WORK,    /* batch, sequence, number formats: another run, another service */
	LOSS_GPUS,    /* other GPUs than there are */
	LOSS_ASKED,   /* what was just asked for */
};

enum { ADVICE_CHANGES = 2, ADVICE_MAX = 12, ADVICE_TEXT_SIZE = 192 };

struct mend {
	int changes;
	struct field_change change[ADVICE_CHANGES];
	enum loss loss;
	bool warns;               /* it adds a warning */
	double distance;          /* how far the values are from the plan's */
	double work;              /* tokens of a step over those of the plan's; 1 in serve mode, 0 not known */
	double kept;              /* the same; in serve mode tokens of a request's context */
	bool few;                 /* next to none of the requests at once */
	double gpus;              /* in all */
	struct outlook outlook;   /* of the mended plan */
};

/*
 * Ranked: where the plan is not legal what keeps all that was asked; what fits, then what is
 * tight; by loss; without a new warning. Then by the work that is left, in halves, and by GPUs; then by cost in steps of
 * 0.1 %, and what costs the same by distance; but by distance first where the plan is not legal,
 * as who wrote its values wants some near them, and for what undoes what was asked or does not
 * fit. Of a number the nearest value on each side is offered, of two fields together the best
 * pair. What does not fit is offered only where the plan is not even legal.
 */
struct advice {
	size_t count;
	struct mend mend[ADVICE_MAX];
	size_t tried;             /* plans that were looked at */
};

/* Whether a plan of that estimate is illegal, does not fit or is tight. */
bool advice_is_needed(const struct plan *p, const struct estimate *e);

/*
 * Look for mends of a resolved plan. asked: what the user has just asked for, may be NULL;
 * work: scratch, as large as struct estimate is. A plan that is legal, fits and is not
 * tight needs none.
 *
 * Bounded: about 20 fields; a single change tries at most VALUES_MAX values of each, pairs
 * at most 8: below 15,000 plans of a few microseconds, mostly below 3,000.
 */
void advice_run(struct advice *out, const struct plan *p, const struct catalog *catalog,
    const struct field_set *asked, struct estimate *work);

/* Something is known that runs on so many GPUs, the same work, for so much a token: forget what takes more of them, what
 * serves next to nobody, what does less than half of the work where they are those of the plan, and what costs many times as much, where cost is not 0. */
void advice_outdone(struct advice *a, int64_t gpus, bool same, double cost);

/* *next: the plan with all changes of a mend, resolved. False when a range forbids one. */
bool advice_apply(const struct mend *m, const struct plan *p, const struct catalog *catalog,
    struct plan *next);

/* Estimate a changed plan. False where it is not legal, or its phases have no layout. scope: of the plans before it. */
bool outlook_of(struct outlook *out, const struct plan *p, struct scope *scope,
    struct estimate *work);

/* Warnings of a plan's rules. */
size_t advice_warnings(const struct plan *p, const struct catalog *catalog);

/* "9.84 s", "250 ms"; "recompute full, PP 8", "global batch 63 (1.56 % fewer tokens a step)"; "61.2 GiB of 79.2 GiB, 9.84 s a step". They
 * return the length. */
size_t advice_seconds(double s, char *buf, size_t size);
size_t advice_what(const struct mend *m, char *buf, size_t size);
size_t outlook_text(const struct outlook *o, char *buf, size_t size);

/* Put the changes into the fix of a diagnostic. */
void advice_fix(const struct mend *m, struct diag *d);

/*
 * Put the best mend into the fix of each error and of does_not_fit or tight, and add up to `most`
 * mends that keep what was asked, or where there are none any, to diags: hints with the reason
 * "would_mend".
 */
void advice_note(const struct advice *a, size_t most, struct diag_list *diags);
#endif
