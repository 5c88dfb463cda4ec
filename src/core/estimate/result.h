/*
 * result.h - the table of everything that an estimate comes to.
 *
 * What field.h is for the input this is for the output: JSON, reports, `diff`, `explain`,
 * the panes of the screen, changes and completion all read it; result.def holds the rows.
 */
#ifndef CORE_RESULT_H
#define CORE_RESULT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/units.h"
#include "core/estimate/estimate.h"

enum result_id {
#define RESULT(id, path, label, brief, form, measure, better, scope, rule, at, ...) RESULT_##id,
#include "core/estimate/result.def"
#undef RESULT
	RESULT_COUNT
};

/* How JSON has it, and what sits in the estimate. */
enum result_form {
	FORM_ANSWER, /* bool */
	FORM_WHOLE,  /* int64_t */
	FORM_COUNT,  /* double, an integer where it is whole */
	FORM_BYTES,  /* double, to the nearest whole number */
	FORM_REAL,   /* double */
	FORM_TEXT,   /* a word */
};

/* The condition for it to be known, and the thing it is of. */
enum result_scope {
	SCOPE_PLAN,  /* any plan */
	SCOPE_MODEL, /* the catalogue has the model */
	SCOPE_GRID,  /* laid out */
	SCOPE_MEMORY, /* on a GPU of known memory */
	SCOPE_FIT,   /* legal, on a GPU of known memory */
	SCOPE_PEAK,  /* legal */
	SCOPE_STAGE, /* one pipeline stage; legal */
	SCOPE_FLOW,  /* one row of traffic, else the sum of them; timed */
	SCOPE_DIM,   /* bytes of the rows of one dimension, which `at` is; timed */
	SCOPE_STEP,  /* timed, on a GPU of known rates */
	SCOPE_SERVE, /* served, */
	SCOPE_RATE,  /* at a rate, */
	SCOPE_LIMITS, /* that has limits, */
	SCOPE_EVENTS, /* or that the engines take */
	SCOPE_RL,    /* reinforced, on a GPU of known rates */
	SCOPE_RUN,   /* it has a token budget, and every stage of it a time */
};

/* The meaning of 0. */
enum result_rule {
	RULE_ANY,     /* 0 */
	RULE_SIZE,    /* not known */
	RULE_SOME,    /* there is none of it: the screen leaves it out, */
	RULE_ASKED,   /* and so does JSON */
	RULE_SAID,    /* not known, as the plan does not say what it takes: both leave it out */
	RULE_TERMS,   /* nothing: `explain` alone has it */
};

enum better { BETTER_NEITHER, BETTER_LESS, BETTER_MORE };

/* Terms of the ledger that explain it. */
struct made_of {
	enum quantity quantity; /* QUANTITY_COUNT after the last one */
	int32_t part;           /* enum ledger_part; PART_NONE: all of them */
};
enum { RESULT_MADE_MAX = 11 };

struct result {
	const char *path;   /* as `estimate --json` nests it; of a stage mostly without "stages." */
	const char *label;  /* beside the same of another plan, of a stage without "its memory:";
	                     * NULL: it is not compared */
	const char *brief;  /* on the screen and at the head of columns, or NULL */
	const char *help;   /* one line without a full stop */
	enum result_form form;
	enum measure measure;
	enum better better; /* which way is good news */
	enum result_scope scope;
	enum result_rule rule;
	size_t at;          /* in struct estimate, stage_estimate or traffic_row; RESULT_NOWHERE */
	struct made_of made[RESULT_MADE_MAX];
	/* How it follows from other numbers, with the plan's values: "64*4096 tokens / 1.86 s";
	 * "" where it follows less simply. NULL: it is the sum of its terms. */
	void (*formula)(const struct plan *p, const struct estimate *e, int64_t stage, char *buf,
	    size_t size);
};
#define RESULT_NOWHERE SIZE_MAX

extern const struct result result_table[RESULT_COUNT];

/* What sits at a row's place in `from`: an estimate, a stage or a row of traffic. */
double result_read(const struct result *r, const void *from);

/* By path, also as it stands in JSON ("stages.memory.total"), or by last part; of several
 * that of a quantity of the ledger goes first. RESULT_COUNT when there is none. */
enum result_id result_find(const char *path);

/* The result that is the sum of all terms of a quantity. */
enum result_id result_of_quantity(enum quantity q);

/* Whether a plan has such a result at all, though it may not be known: times of a GPU without
 * rates are not. */
bool result_applies(enum result_id id, const struct estimate *e, int64_t stage);

/* Its value, 0 where it is not known. What differs by stage is of that stage: e->peak_stage
 * is the usual one. A word has none. */
bool result_value(enum result_id id, const struct estimate *e, int64_t stage, double *value);

/* The value of one row of traffic, for results of SCOPE_FLOW. */
double result_of_flow(enum result_id id, const struct traffic_row *row);

/* Behind the text of a number of the whole run the range that it has: "41.2 days, 33.0 to 52.1". */
void result_add_range(char *buf, size_t size, enum result_id id, const struct estimate *e);

/* Of a serving engine. */
bool result_serves(enum result_id id);

/* The results that a plan is judged by, in its mode: of a plan with phases those of the whole step, of which
 * the trainer's own (scope STEP) are one update with rows of the full length. */
enum result_main { MAIN_TIME, MAIN_MEMORY, MAIN_TOKENS, MAIN_TOKENS_GPU };
enum result_id result_main(enum result_main which, const struct plan *p);

/* Good news (1), bad news (-1) or neither (0). */
int result_better(enum result_id id, double was, double is);

/* Its formula; "" without one, or where the value is not known. */
void result_formula(enum result_id id, const struct plan *p, const struct estimate *e,
    int64_t stage, char *buf, size_t size);

/* Terms that explain a result, on a stage or -1 for the whole model. */
bool result_has_term(const struct made_of *made, const struct ledger_term *t);
#endif
