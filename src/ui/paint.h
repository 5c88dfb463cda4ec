/*
 * paint.h - which colour and which letter a group gets.
 *
 * Groups that touch on the map must not share a colour, and there may be many more groups
 * than colours, anywhere on a map of a million GPUs. So the colour is a linear function of
 * the coordinates that tell the group's ranks from those of other groups, modulo the
 * number of colours, with coefficients chosen once so that no step to a cell beside or
 * below leads to the same colour. That costs nothing per cell and does not change while
 * the map scrolls.
 */
#ifndef UI_PAINT_H
#define UI_PAINT_H
#include <stdbool.h>
#include <stdint.h>

#include "core/layout.h"
#include "ui/theme.h"

enum { PAINT_DIGITS_MAX = 24, PAINT_OFFSETS_MAX = 6, PAINT_LETTERS = 52 };

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
	int digits;
	struct paint_digit digit[PAINT_DIGITS_MAX];
};

struct paint {
	const struct layout *layout;
	int kind;
	enum theme_set set;
	int colors;
	int64_t groups;
	struct paint_rule color, letter;
};

/*
 * Prepare the colours of a kind, with `colors` colours in the set, for a map on which the
 * ranks r and r + offset[i] lie beside or below each other.
 */
void paint_init(struct paint *paint, const struct layout *l, int kind, enum theme_set set,
    int colors, const int64_t offset[], int offsets);

/* Colour of a rank's group, 0 to colors - 1. */
int paint_color(const struct paint *paint, int64_t rank);

/* Its letter: the group's own number as A to Z, a to z while there are few enough. '.'
 * for a rank outside every group. */
char paint_letter(const struct paint *paint, int64_t rank);
#endif
