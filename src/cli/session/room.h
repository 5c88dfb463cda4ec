/*
 * room.h - what a search finds for a plan on its GPUs, or where nothing on them helps, with
 * adapters in place of all weights, with a shorter sequence, or on how many more of its nodes.
 */
#ifndef CLI_ROOM_H
#define CLI_ROOM_H
#include "core/estimate/estimate.h"
#include "core/search/advice.h"

enum room_kind { ROOM_SAME, ROOM_ADAPTERS, ROOM_SHORTER, ROOM_MORE, ROOM_KINDS };

/* A plan that fits for certain. */
struct room_answer {
	struct search_space *space;  /* owned */
	bool whole;                  /* all of it was looked at */
	uint64_t index;              /* of the plan in it */
	struct plan plan;
	struct outlook outlook;
	char options[1024];          /* of this program, each after a blank */
};

struct room_found {
	bool found[ROOM_KINDS];
	struct room_answer answer[ROOM_KINDS];
};

/* Search, on the plan's GPUs alone where that is asked; serving else on more nodes alone, training on
 * rollouts with adapters, too. work: scratch. One thread, and no more than so many steps each time, so that the answer
 * does not depend on the machine. Allocated, NULL without memory. */
struct room_found *room_new(const struct plan *p, const struct catalog *catalog, bool same_alone,
    struct estimate *work);
void room_free(struct room_found *room);

enum { ROOM_TEXT = 2048 };

/* "needs at least 3 nodes of these: --nodes=3 ...: 20.1 GiB of 23.5 GiB, ..."; false where none was found. */
bool room_text(const struct room_found *room, enum room_kind kind, char *buf, size_t size);
#endif
