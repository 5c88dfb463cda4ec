/*
 * room.h - an allocation that failed: where, what it lacked, and what gives it room first.
 */
#ifndef CORE_DIAGNOSE_ROOM_H
#define CORE_DIAGNOSE_ROOM_H
#include "core/diagnose/diagnose.h"

/* What to do first, in this order: what is outside the plan before what costs time. */
enum room_by {
	ROOM_NOTHING,
	ROOM_OTHERS, /* end the other process */
	ROOM_PIECES, /* expandable segments: enough is reserved, and not allocated */
	ROOM_PLAN    /* another value of a field */
};

struct room {
	int64_t stage;       /* of the rank that failed, else the plan's fullest */
	double lacked;       /* bytes */
	enum room_by by;
	struct diagnosed_set set; /* PLAN: of fields that give room enough that which costs least, */
	double saves, costs;      /* bytes on the fullest GPU, seconds of a step */
};

/* Of a run that ran out of memory. On return work is the estimate of the run's plan. */
void diagnose_room(struct room *out, const struct measured *m, const struct plan *run,
    const struct catalog *catalog, struct estimate *work);

/* Of a run without a plan: what the message tells. */
void room_alone(struct room *out, const struct measured *m);

/* "  asked 2.00 GiB  free 105 MiB": what the GPU held by the run; what the plan holds on that stage, the rest of
 * which is a line of its own. */
void room_held(const struct measured_oom *o, char *buf, size_t size);
void room_planned(const struct memory *m, bool rest, char *buf, size_t size);

/* "end the other process"; "in the backward pass", "" of an unknown phase. */
void room_advice(const struct room *r, char *buf, size_t size);
const char *room_phase(enum oom_phase phase);
#endif
