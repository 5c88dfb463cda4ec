/*
 * words.h - a diagnosis in words, the same in text and on the screen; and what it says as a plan.
 */
#ifndef CORE_DIAGNOSE_WORDS_H
#define CORE_DIAGNOSE_WORDS_H
#include "core/diagnose/diagnose.h"

/* What stands above causes: "Causes, and what each explains of +1.86 s". */
void diagnosed_heading(const struct diagnosis *d, char *buf, size_t size);

/* "1.86 s to 2.40 s" that a cause explains, "" where no number tells. */
void diagnosed_amount(const struct diagnosis *d, const struct diagnosed_cause *c, char *buf,
    size_t size);

/* The longest text that a cause's values take. */
enum { DIAGNOSED_SETS_SIZE = DIAGNOSE_SETS * (DIAGNOSE_VALUE + 64) };

/* "cluster.nic_gbps=14 parallel.tp=8". */
void diagnosed_sets(const struct diagnosed_set *set, size_t n, char *buf, size_t size);

/* "+12.5 %" of a number over its estimate, "x 68" from ten times on; "" without an estimate. */
void diagnosed_change(const struct diagnosed_term *t, char *buf, size_t size);

/* "as estimated (+-9 %)", "" of a number without an estimate. */
void diagnosed_verdict(const struct diagnosed_term *t, char *buf, size_t size);

/* "run.log:120", fit to be shown; "" for none. */
void diagnosed_place(const struct measured *m, struct place place, char *buf, size_t size);

/* Whether the files tell nothing that the plan estimates; how that is said. */
bool diagnosed_nothing(const struct diagnosis *d, const struct measured *m);
#define DIAGNOSED_NOTHING "the files tell nothing that this plan estimates"

/* What lines say against the run and no cause shows, of which so many possible ones are listed: in any
 * number up to `room`. */
size_t diagnosed_seen(const struct diagnosis *d, const struct measured *m, size_t possible,
    enum evidence_id *out, size_t room);

/* What is said of a run whose numbers are all as estimated. */
const char *diagnosed_well(const struct diagnosis *d, const struct measured *m);

/* Put values into a plan: a cause's; all that the run says. It is not resolved. */
void diagnosed_put(struct plan *p, const struct diagnosed_set *set, size_t n);
void diagnosed_adopt(struct plan *p, const struct diagnosis *d);
#endif
