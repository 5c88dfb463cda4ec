/*
 * check.h - is a plan legal, why not, and what is the nearest plan that is.
 */
#ifndef CORE_CHECK_H
#define CORE_CHECK_H
#include <stdbool.h>
#include <stddef.h>

#include "core/framework/layout.h"
#include "core/framework/stage.h"
#include "core/plan/catalog.h"
#include "core/plan/diag.h"
#include "core/plan/field_set.h"
#include "core/plan/plan.h"

/* Facts that rules look at. layout and placement are NULL where the plan has none; of the layout
 * they look at the sizes alone. */
struct facts {
	const struct plan *plan;
	const struct catalog *catalog;    /* may be NULL */
	const struct layout *layout;
	const struct placement *placement;
	int64_t microbatches;             /* per data parallel rank, 0 where unknown */
};

/* Facts that a rule looks at beside fields of the plan. */
enum { READS_LAYOUT = FIELD_COUNT, READS_PLACEMENT, READS_MICROBATCHES, RULE_READS_MAX = 11 };
#define READS(...) { __VA_ARGS__ }

/*
 * One rule: what must not be. `broken` says whether the plan breaks it and, if so, why
 * (in message, unless its size is 0). Layout and layer placement have rules of their own, in
 * layout_init and placement_init; the framework's code is cited in source.
 */
struct rule {
	const char *reason;
	enum severity severity;
	enum field_id field;
	unsigned sets;                    /* enum rule_set: the frameworks that it holds in */
	enum field_modes modes;
	const char *source;
	bool (*broken)(const struct facts *facts, char *message, size_t size);
	int reads[RULE_READS_MAX];        /* enum field_id or READS_x; FIELD_NAME, which is 0 and
	                                   * which no rule reads, ends them. Without those of the
	                                   * machine and the model, mode and layout. */
};
/* True for one of READS_x. */
static inline bool
rule_reads_fact(const struct rule *r, int fact)
{
	for (int i = 0; i < RULE_READS_MAX; i++)
		if (r->reads[i] == fact)
			return true;
	return false;
}

/* True where what the rule says may change as a field does: it reads that, one that follows it,
 * or a fact that comes of it. */
bool rule_reads(const struct rule *r, enum field_id f);

extern const struct rule check_rules[];
extern const size_t check_rule_count;

/*
 * Hold a resolved plan against every rule of its framework: layout, layer placement, the
 * launcher's own argument checks, the model. Appends to *diags, errors first. Returns
 * true when the plan is legal (no error). Fixes are not searched: see check_fixes.
 * That it fits in memory is for estimate_run to say.
 */
bool plan_check(const struct plan *p, const struct catalog *catalog, struct diag_list *diags);

/* Check a plan whose layout and placement (NULL where refused) are at hand. */
bool check_with(const struct facts *facts, struct diag_list *diags);

/* The rules whose breach is an error, of a plan's framework and mode. */
enum { CHECK_RULES_MAX = 192 };
struct check_list {
	size_t count;
	const struct rule *rule[CHECK_RULES_MAX];
};
struct check_list check_list_of(const struct plan *p);

/* True when check_with would find no error, for who does not ask why: the names are known to
 * the catalogue (may be NULL), and none of the rules is broken. */
bool check_named(const struct plan *p, const struct catalog *catalog);
bool check_legal(const struct check_list *list, const struct facts *facts);

/* True when plan_check would find no error, found out without saying why: at the first one. */
bool plan_is_legal(const struct plan *p, const struct catalog *catalog);

/* Micro-batches of one data parallel rank in a step: global batch over micro-batch x DP.
 * 0 when that is no whole number. */
int64_t check_microbatches(const struct plan *p, int64_t dp);

/*
 * For every error in diags, find the smallest change of one field that makes the plan
 * legal, or failing that removes the error without a new one; the field of the error is
 * tried first, and what the user has just asked for (asked, may be NULL) last. Warnings, and
 * hints about switches, are mended in their own field, without making an error. Fills in the
 * fix of each that has none.
 */
void check_fixes(const struct plan *p, const struct catalog *catalog,
    const struct field_set *asked, struct diag_list *diags);
#endif
