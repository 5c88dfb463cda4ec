/*
 * search_space.h - the plans that a search looks at: all combinations of the values of a few
 * free fields, the rest as in one plan.
 *
 * A combination is a number, its mixed-radix index: the first free field counts most. Fields
 * are in the order in which walks are cheapest: first what changes most of an estimate.
 */
#ifndef CORE_SEARCH_SPACE_H
#define CORE_SEARCH_SPACE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/plan/catalog.h"
#include "core/plan/field.h"
#include "core/search/search_split.h"
#include "core/search/search_switch.h"
#include "core/search/search_wishes.h"

enum { SPACE_VALUES_MAX = 16384, SPACE_POOLS_SIZE = 4096 };

struct free_field {
	enum field_id field;
	int first, count; /* values: in space.value, ascending */
	int own;          /* which of them is the plan's, -1: none */
	const char *words; /* of a text that is in no catalogue: "A,B"; else NULL */
	const struct switch_row *row; /* of a switch, else NULL: */
	int idle;         /* the value that stands for all where it has no effect */
	bool splits;      /* values are enum split: FIELD_PIPELINE_LAYOUT stands for all that say one */
	uint64_t stride;  /* of the index */
	bool followed;    /* fields follow its value */
};

/* Large: allocate it. Read only once it is made (search_make.h). */
struct search_space {
	struct plan plan;      /* resolved: what is not free */
	const struct catalog *catalog;
	int count;
	int outer;             /* the first ones, after which a plan is resolved anew */
	int rollouts;          /* the last ones, from this on, are of rollouts alone: a trainer is the same */
	struct free_field field[SPACE_FIELDS_MAX];
	int values;
	double value[SPACE_VALUES_MAX]; /* whole numbers, indices of names, places in the catalogue
	                                 * or, of a text, in its words */
	char pools[SPACE_POOLS_SIZE]; /* words of serving.prefill_workers, where nobody said which */
	uint64_t size;         /* combinations */
};

/* The free field f, NULL: it is fixed. */
const struct free_field *space_field(const struct search_space *s, enum field_id f);

/* The catalogue's entries that f names one of, NULL: its values are no names, or there is none. */
const struct catalog_list *space_entries(const struct search_space *s, enum field_id f);

/* The word of a text without a catalogue whose value is `at`. */
void space_word(const struct free_field *f, double at, char *buf, size_t size);

/* Which value of free field i a combination has. */
static inline int
space_digit(const struct search_space *s, int i, uint64_t index)
{
	return (int)(index / s->field[i].stride % (uint64_t)s->field[i].count);
}

/* Put value `digit` of free field i into a plan; what follows from it is not worked out. A split
 * is of the PP and VPP that are in. */
void space_put(const struct search_space *s, int i, int digit, struct plan *p);

/* Put value `digit` of inner field i into a resolved plan, and what follows. */
void space_step(const struct search_space *s, int i, int digit, struct plan *p);

/* The plan of a combination, resolved. */
void space_plan(const struct search_space *s, uint64_t index, struct plan *p);

/* The outer fields of a combination put in, inner ones marked as set, and resolved. */
void space_outer(const struct search_space *s, uint64_t index, struct plan *p);

/* Value `digit` of free field i is another name of a switch that has no effect with the sizes of
 * p. */
bool space_idles(const struct search_space *s, int i, int digit, const struct plan *p);

/* True of a plan that is looked at by another name: of a switch without effect, and without a pipeline every schedule is 1F1B, or
 * where that is not among the free ones the first. */
bool space_repeats(const struct search_space *s, uint64_t index, const struct plan *p);

/* The fields that free field i sets: their number, of at most SPLIT_FIELDS. */
int space_fields(const struct search_space *s, int i, const enum field_id **fields);

/* The place of the free field that sets f, -1: none does. */
int space_place(const struct search_space *s, enum field_id f);

/* The free field i as one would type its value. Returns the length. */
size_t space_format(const struct search_space *s, int i, uint64_t index, char *buf, size_t size);

/* Sizes above 1 in a combination: of two plans as good as each other the one with fewer is
 * simpler, then that with smaller sizes, which has the lower index. */
int space_sizes(const struct search_space *s, uint64_t index);
#endif
