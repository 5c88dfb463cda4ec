/*
 * map_relation.h - who the GPU under the cursor talks to: the kinds of group that it shares with
 * others. A part of map_color.h.
 */
#ifndef UI_MAP_RELATION_H
#define UI_MAP_RELATION_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/estimate/estimate.h"
#include "core/plan/plan.h"

enum { RELATIONS_MAX = 5 };

/* The dimensions of more than one GPU. */
struct map_relation {
	int count;
	int kind[RELATIONS_MAX];      /* index into layout->kind */
	int dimension[RELATIONS_MAX]; /* which of TP, PP, DP, CP, EP it is */
	int64_t cursor;               /* -1: nobody is asked about */
};

/* What a layout calls the kind that has this name in it or in another one, NULL where it has
 * none. */
const char *map_set_same(const struct layout *l, const char *name);

/* The dimensions of more than one GPU, for a cursor or -1; once: not those of which the groups are
 * the same GPUs as of one before. */
void map_relation_init(struct map_relation *r, const struct layout *l, int64_t cursor, bool once);

/* One of "TPDCE": the i-th kind as one character. */
char map_relation_letter(const struct map_relation *r, int i);

/* Whether one of the ranks first .. first + count - 1 is in the group of that kind that `like` is
 * in; in the time of the number of axes where groups are cut by axes. */
bool map_group_meets(const struct layout *l, int kind, int64_t first, int64_t count, int64_t like);

/* The kinds, bit i for kind[i], in which the cursor talks to one of these ranks. */
unsigned map_relation_of(const struct map_relation *r, const struct layout *l, int64_t first,
    int64_t count);

/* "tp 8 NVLink 3.0 TB": the i-th kind, its size, what it crosses and, where it is known, what a
 * GPU sends by it in a step; of that as much as has room. */
enum relation_words { RELATION_WHOLE, RELATION_BYTES, RELATION_SIZE };
void map_relation_text(const struct map_relation *r, int i, enum relation_words words, const struct plan *p,
    const struct estimate *e, char *buf, size_t size);
#endif
