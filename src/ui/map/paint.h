/*
 * paint.h - which colour and which letter a group gets.
 *
 * Groups that touch on the map must not share a colour, and there may be many more groups
 * than colours, anywhere on a map of a million GPUs. So the colour is a linear function of
 * the coordinates that tell the group's ranks from those of other groups, modulo the
 * number of colours, with coefficients chosen once so that no step to a cell beside or
 * below leads to the same colour. That costs nothing per cell and does not change while
 * the map scrolls. What few groups no such rule tells apart take values from a table
 * instead (map_mend).
 */
#ifndef UI_PAINT_H
#define UI_PAINT_H
#include <stdbool.h>
#include <stdint.h>

#include "core/framework/layout.h"
#include "ui/screen/theme.h"

/* Rank distances of units that lie beside or below each other on the map: the first
 * `inside` of them in one box of `box` ranks, all others from box to box; the first
 * `touching` without a gap between. */
struct paint_offsets {
	int64_t box;
	int count, inside, touching;
	int64_t offset[6];
};

enum {
	PAINT_DIGITS_MAX = 24,
	PAINT_LETTERS = 52,
	PAINT_TABLE_MAX = 4096, /* groups that can have values of their own */
	PAINT_NONE = UINT8_MAX, /* of a table: no value */
};

/* A coordinate, or a digit of one: rank / stride % size / divide % radix. */
struct paint_digit {
	int64_t stride, size;   /* of the axis */
	int64_t divide, radix;
	bool counts;            /* ranks that differ in it are in different groups */
	int coefficient;
};

/* A rank's value: its digits times their coefficients, summed up modulo `values`. */
struct paint_rule {
	int values;
	bool numbered;          /* that is the group's number, modulo `values` */
	int clashes;            /* steps on the map that may lead to the same value */
	int digits;
	struct paint_digit digit[PAINT_DIGITS_MAX];
};

/* Values of groups in place of a rule's. */
struct paint_table {
	bool used;
	uint8_t value[PAINT_TABLE_MAX];
};

/* Coordinates that count towards a group's number: rank / stride % size x scale. */
struct paint_run {
	uint32_t stride, size, scale;
};

struct paint {
	const struct layout *layout;
	int kind;
	enum theme_set set;
	int colors;
	int64_t groups;
	int runs;               /* -1: the layout has to be asked for the group */
	struct paint_run run[LAYOUT_AXES_MAX];
	struct paint_rule color, letter;
	struct paint_table color_table, letter_table;
};

/* Prepare the colours of a kind, with `colors` colours in the set. */
void paint_init(struct paint *paint, const struct layout *l, int kind, enum theme_set set,
    int colors, const struct paint_offsets *beside);

/* layout_group_of, quickly. */
int64_t paint_group(const struct paint *paint, int64_t rank);

/* Colour of a rank, which is in that group: 0 to colors - 1. */
int paint_color(const struct paint *paint, int64_t rank, int64_t group);

/* Its letter: the group's own number as A to Z, a to z while there are few enough. '.'
 * for a rank outside every group (group -1). */
char paint_letter(const struct paint *paint, int64_t rank, int64_t group);
#endif
