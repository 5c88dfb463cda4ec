/*
 * trafficcase.h - plans and helpers of the tests of traffic: what was sent, and in what time.
 */
#ifndef TESTS_TRAFFICCASE_H
#define TESTS_TRAFFICCASE_H
#include <math.h>
#include <string.h>

#include "core/rules/check.h"
#include "core/train/steptime.h"
#include "settings.h"

#define MOE "layers=4 hidden_size=2048 experts=64 experts_per_token=8 " \
	"moe_ffn_hidden_size=1024 etp=1 ep=16 "

enum { TERMS = 512 };
static struct placement placement;
static struct ledger_term terms[TERMS];
static struct ledger ledger;
static struct steptime timed;

/* "tp=2 pp=4 ..." on 64 H100 in 8 nodes, Llama 3.1 8B. */
static inline struct plan
plan_of(const char *settings)
{
	return settings_plan(
	    "nodes=8 generation=hopper fabric=nvlink4 bf16_tflops=989 hbm_gbps=3350 nvlink_gbps=450",
	    settings);
}

static inline struct traffic
traffic_of(const struct plan *p)
{
	struct layout l;
	struct traffic t;
	struct diag_list diags = { 0 };

	if (!layout_init(&l, p, &diags) || !placement_init(&placement, p, &diags))
		fail_msg("%s", diags.item[0].message);
	ledger_init(&ledger, terms, TERMS);
	timed = steptime_estimate(p, &l, &placement, check_microbatches(p, l.dp), &t, &ledger);
	assert_true(ledger.count <= TERMS);
	return t;
}

static inline double
noted(enum quantity q, const char *name)
{
	double sum = 0;

	for (size_t i = 0; i < ledger.count; i++)
		if (terms[i].quantity == q && (name == NULL || strcmp(terms[i].name, name) == 0))
			sum += terms[i].value;
	return sum;
}

static inline double
bytes_of(const struct traffic *t, enum traffic_dim dim)
{
	double sum = 0;

	for (size_t i = 0; i < t->count; i++)
		if (dim == TRAFFIC_DIMS || t->row[i].dim == dim)
			sum += t->row[i].bytes;
	return sum;
}

static inline void
near(double a, double b)
{
	if (!(fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b))))
		fail_msg("%.17g is not %.17g", a, b);
}

/* The one row of a dimension and collective. */
static inline const struct traffic_row *
row_of(const struct traffic *t, enum traffic_dim dim, const char *collective)
{
	const struct traffic_row *found = NULL;

	for (size_t i = 0; i < t->count; i++)
		if (t->row[i].dim == dim &&
		    strcmp(t->row[i].collective, collective) == 0) {
			assert_null(found);
			found = &t->row[i];
		}
	assert_non_null(found);
	return found;
}
#endif
