/*
 * report_diagnose.h - what `diagnose` found, to be printed.
 */
#ifndef CLI_REPORT_DIAGNOSE_H
#define CLI_REPORT_DIAGNOSE_H
#include "core/diagnose/diagnose.h"
#include "core/diagnose/hardware.h"
#include "core/diagnose/room.h"

enum { NEIGHBOURS = 3 };

/* A plan one or two changes away, and what it would save of the leading time. */
struct neighbour {
	size_t sets;
	struct diagnosed_set set[DIAGNOSE_SETS];
	double saves;         /* seconds */
	double memory;        /* bytes on the fullest GPU */
};

struct diagnose_report {
	const struct plan *plan;
	const struct measured *measured;
	const struct diagnosis *found;
	const struct estimate *estimate; /* of the plan with what the run says */
	struct room room;     /* of a run that ran out of memory */
	size_t hardwares;
	struct diagnosed_set hardware[HARDWARE_SETS]; /* what is of the machines */
	size_t neighbours;
	struct neighbour neighbour[NEIGHBOURS];
};

/* As text in 100 columns (false without memory), and as JSON. */
bool diagnose_print(const struct diagnose_report *r);
void diagnose_json(const struct diagnose_report *r);
#endif
