/*
 * cause.h - why a run may be slower or fuller than its plan: one row a cause.
 *
 * A cause is a change of the plan's facts, whose estimate is held against what was measured:
 * values of fields, or one rate that is not known, within what hardware has. Words of the run
 * support it, state it, or exclude it. What no field says is told by its words and by the terms
 * that it adds to. Sources are the threads and manuals in which it was settled.
 */
#ifndef CORE_CAUSE_H
#define CORE_CAUSE_H
#include "core/diagnose/measured.h"
#include "core/plan/plan.h"

/* The part of a run that a cause makes worse, where no field says it. */
enum effect {
	EFFECT_FIELDS,    /* as its fields say */
	EFFECT_STEP,      /* it adds to a step, between the timed parts */
	EFFECT_PASSES,    /* it adds to forward and backward passes */
	EFFECT_MEMORY,    /* it adds to memory */
	EFFECT_TOKEN,     /* it adds to each token that is generated */
	EFFECT_WAIT,      /* it adds to the time to the first token, and takes tokens a second */
	EFFECT_ROLLOUT,   /* it adds to rollouts */
};

enum { CAUSE_WORDS = 4 };

struct cause {
	const char *id, *title;
	/* "a.b=x c.d=y": the fields as the run has them; NULL for none. */
	const char *set;
	/* What no fixed values say; false where a plan can not have it. NULL: nothing. */
	bool (*change)(struct plan *p);
	/* Or one field's value, which is solved for: shares of the plan's value, or values as such.
	 * FIELD_NAME (0) for none. */
	enum field_id rate;
	double low, high;
	bool absolute;
	bool alone;               /* its fields may do without the rate */
	enum effect effect;       /* what it adds of its own: up to `high` times the estimate */
	bool setting;             /* the plan's own: `change` makes it better, not worse */
	bool told;                /* looked for only where lines speak for it */
	bool traffic;             /* of what the job sends: tests of links know nothing of it */
	/* How likely beside others where nothing else is known: log odds against "nothing wrong". */
	double prior;
	enum evidence_id supports[CAUSE_WORDS], states[CAUSE_WORDS], excludes[CAUSE_WORDS];
	/* Whether a plan can have it at all; NULL: every one. */
	bool (*applies)(const struct plan *p);
	const char *confirm; /* the cheapest look that settles it */
	const char *fix;
	const char *source;  /* where it was settled in public */
};

extern const struct cause cause_table[];
extern const size_t cause_count;

/* The row of that id, or NULL. */
const struct cause *cause_find(const char *id);
#endif
