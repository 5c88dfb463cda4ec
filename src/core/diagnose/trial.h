/*
 * trial.h - one cause put on a plan, and held against all that was measured.
 */
#ifndef CORE_TRIAL_H
#define CORE_TRIAL_H
#include "core/diagnose/diagnose.h"

/* Run, plan and estimate that trials are held against. */
struct view {
	const struct diagnosis *d;
	const struct measured *m;
	const struct catalog *catalog;
	struct estimate *work;
	double cost;          /* measured, of the leading quantity, */
	double estimated;     /* and of the run's plan */
	double deviation;     /* of one estimate of it */
	bool slower;          /* by more than the estimate's error; or fuller */
	double said;          /* the most bytes that lines tell of one cause */
	double plain;         /* log likelihood of all numbers under the run's plan */
};

/* A cause tried on a plan. */
struct trial {
	const struct cause *cause;
	bool legal;
	struct plan plan;
	double cost;          /* of the leading quantity, as estimated or added to */
	double fit;           /* log likelihood of all numbers, less what its freedom costs */
	double own, score;    /* alone, and in the best company, */
	const struct cause *with; /* which this is; NULL: alone */
	bool certain;
	double said;          /* bytes that lines tell of it */
	double low, high;     /* what it adds to the cost, alone or on top of others */
};

/* The bytes that lines say a cause takes, of a difference of memory. */
double trial_said_bytes(const struct view *v, const struct cause *c);

/* Whether an effect adds to a number. */
bool trial_adds_to(enum effect e, enum measured_id id);

/* Log likelihood of all numbers under a plan with its estimate in v->work, and what a cause adds
 * to some of them; c may be NULL. */
double trial_fit(const struct view *v, const struct plan *p, const struct cause *c);

/* Put a cause on a plan and weigh it: its cost and fit, where the plan is legal and takes it. */
void trial_run(const struct view *v, struct trial *t, const struct cause *c, const struct plan *base);
#endif
