/*
 * diagnose.h - why a run is slower, or fuller, than its plan.
 *
 * What files told (measured.h) is held against the estimate: first whether the plan is the run's,
 * then each number, then causes (cause.h), each a change of the plan whose estimate is compared
 * with all numbers at once. One number never decides: of several causes that explain it none is
 * likely, and what would tell them apart is named.
 */
#ifndef CORE_DIAGNOSE_H
#define CORE_DIAGNOSE_H
#include <stdbool.h>
#include <stddef.h>

#include "core/diagnose/cause.h"
#include "core/diagnose/measured.h"
#include "core/estimate/estimate.h"
#include "core/plan/catalog.h"

enum { DIAGNOSE_VALUE = 64, DIAGNOSE_SETS = 4, DIAGNOSE_CAUSES = 20, DIAGNOSE_MISMATCHES = 32,
	DIAGNOSE_MEASURES = 4, DIAGNOSE_TEXT = 256 };

enum term_verdict { TERM_AS_ESTIMATED, TERM_SLOWER, TERM_FASTER, TERM_NOT_TOLD };

/* A number of the run beside its estimate. */
struct diagnosed_term {
	enum measured_id id;
	double measured, low, high; /* the median, and what half of the samples lie between */
	double estimated;           /* 0: there is none */
	double error;               /* of the estimate, as a share of what is measured */
	enum term_verdict verdict;  /* SLOWER is fuller, of memory */
};

/* A field's value, as one would type it. */
struct diagnosed_set {
	enum field_id field;
	char value[DIAGNOSE_VALUE];
};

/* A difference between plan and run. */
struct mismatch {
	enum field_id field;   /* FIELD_NONE: the GPUs of the job, which are no whole nodes */
	char plan[DIAGNOSE_VALUE], run[DIAGNOSE_VALUE];
	struct place place;
};

/* The field's path, or that of the result that tells the GPUs of the job. */
const char *mismatch_path(const struct mismatch *m);

enum certainty { CERTAINTY_CERTAIN, CERTAINTY_LIKELY, CERTAINTY_POSSIBLE, CERTAINTY_EXCLUDED };

struct diagnosed_cause {
	const struct cause *cause;  /* NULL: the plan is not the run's, as its mismatches tell */
	const struct cause *with;   /* together they explain better what was measured; NULL: none does */
	enum certainty certainty;
	double explains, low, high; /* of the difference, in the unit of the leading quantity */
	size_t sets;
	struct diagnosed_set set[DIAGNOSE_SETS];
	enum evidence_id evidence[2 * CAUSE_WORDS]; /* what lines say for or against it; NONE ends */
	double score;               /* log odds against "nothing is wrong" */
};

struct diagnosis {
	bool legal;                 /* the plan is: without that nothing below holds */
	bool alone;                 /* there is no plan: files speak for themselves */
	size_t mismatches;
	struct mismatch mismatch[DIAGNOSE_MISMATCHES];
	struct plan run;            /* the plan with what the run says instead */
	size_t terms;
	struct diagnosed_term term[MEASURED_COUNT];
	/* The number that causes are held against first, MEASURED_COUNT without any number; all costs are
	 * in its unit, rates as the seconds of a step or of a token. */
	enum measured_id leading;
	double difference;          /* measured less estimated, of the plan as it was given */
	size_t causes;
	struct diagnosed_cause cause[DIAGNOSE_CAUSES]; /* most likely first, excluded ones last */
	double unexplained;         /* of the difference */
	size_t measures;
	char measure[DIAGNOSE_MEASURES][DIAGNOSE_TEXT]; /* what would tell the first causes apart, and
	                             * what is seen if they are so */
	bool within_error;          /* all numbers are as estimated, and the plan is the run's */
};

/* Diagnose a resolved plan. work: scratch. */
void diagnose_run(struct diagnosis *out, const struct measured *m, const struct plan *p,
    const struct catalog *catalog, struct estimate *work);

/* What files tell without a plan: numbers beside nothing, and causes that lines state. p: resolved, of the run's mode. */
void diagnose_alone(struct diagnosis *out, const struct measured *m, const struct plan *p);

/* Where the plan and the files differ; run: the plan with what the files say, resolved. Returns
 * how many, which is at most DIAGNOSE_MISMATCHES. */
size_t diagnose_mismatches(struct mismatch *out, struct plan *run, const struct measured *m,
    const struct plan *p, const struct catalog *catalog);

/* "network_below_rate"; "the network carries less than the plan says". */
const char *diagnosed_id(const struct diagnosed_cause *c);
const char *diagnosed_title(const struct diagnosed_cause *c);

/* "as_estimated", "likely". */
const char *verdict_name(enum term_verdict v);
const char *certainty_name(enum certainty c);
#endif
