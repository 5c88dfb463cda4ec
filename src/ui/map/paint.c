#include "ui/map/paint.h"

#include <string.h>

enum { STEPS_MAX = 1024 };

/* The change of every digit that a step on the map can cause. */
struct paint_steps {
	int count;
	int64_t step[STEPS_MAX][PAINT_DIGITS_MAX];
	uint8_t rest[STEPS_MAX][PAINT_DIGITS_MAX]; /* modulo the number of values */
	int top[STEPS_MAX];                        /* the highest digit that changes */
	int64_t box;  /* ranks of a box; whether adding the offset carries from inside it */
	bool carries;
};

static int64_t
modulo(int64_t a, int64_t n)
{
	return (a % n + n) % n;
}

static int64_t
digit_of(const struct paint_digit *d, int64_t rank)
{
	const uint32_t at = (uint32_t)rank; /* shorter numbers divide faster */

	return at / (uint32_t)d->stride % (uint32_t)d->size / (uint32_t)d->divide %
	    (uint32_t)d->radix;
}

/* Cut a digit in two, the lower one with `radix` values. The upper may be cut short where
 * no digit follows. */
static bool
split_rule(struct paint_rule *rule, int i, int64_t radix)
{
	struct paint_digit *d = &rule->digit[i];

	if (rule->digits == PAINT_DIGITS_MAX || (i + 1 < rule->digits &&
	    d[1].stride == d->stride && d->radix % radix != 0))
		return false;
	for (int j = rule->digits; j > i; j--)
		rule->digit[j] = rule->digit[j - 1];
	rule->digits++;
	d[1].divide = d->divide * radix;
	d[1].radix = (d->radix + radix - 1) / radix;
	d->radix = radix;
	return true;
}

/* Cut every coordinate so that the offset, which may be a multiple of the number of
 * colours in it, becomes a step of one in an upper digit. */
static void
split_by(struct paint_rule *rule, int64_t offset)
{
	for (int i = 0; i < rule->digits; i++) {
		const struct paint_digit *d = &rule->digit[i];
		int64_t v = offset / d->stride % d->size;

		if (v % d->divide != 0)
			continue;
		v /= d->divide;
		if (v > 1 && v < d->radix)
			split_rule(rule, i, v);
	}
}

/* A chunked kind cuts its mask groups into runs: the upper part of the masked digits
 * tells the runs apart. */
static void
split_chunks(struct paint_rule *rule, int64_t run)
{
	int64_t below = 1;

	for (int i = 0; i < rule->digits; i++) {
		struct paint_digit *d = &rule->digit[i];

		if (d->counts)
			continue;
		if (below >= run) {
			d->counts = true;
			continue;
		}
		if (below * d->radix > run && d->radix % (run / below) == 0) {
			if (split_rule(rule, i, run / below))
				rule->digit[++i].counts = true;
			below = run;
			continue;
		}
		below *= d->radix;
	}
}

/* Note one possible change of the digits. */
static void
steps_add(struct paint_steps *s, const struct paint_rule *rule, const int64_t step[])
{
	bool changes = false;

	for (int i = 0; i < rule->digits; i++)
		changes = changes || (rule->digit[i].counts && step[i] != 0);
	if (!changes)
		return;
	for (int i = 0; i < rule->digits; i++)
		s->step[s->count][i] = rule->digit[i].counts ? step[i] : 0;
	for (int k = s->count - 1; k >= 0; k--)
		if (memcmp(s->step[k], s->step[s->count], (size_t)rule->digits * sizeof s->step[0][0]) == 0)
			return;
	s->count++;
}

static void steps_of(struct paint_steps *s, const struct paint_rule *rule, int64_t offset, int i,
    int64_t carry, int64_t step[]);

/* A coordinate changes by `change`: note what its digits, from i on, may change by. */
static void
steps_in(struct paint_steps *s, const struct paint_rule *rule, int64_t offset, int i, int64_t change,
    int64_t carry, int64_t step[])
{
	const struct paint_digit *d = &rule->digit[i];
	int64_t low;
	bool edge;

	if (i + 1 == rule->digits || d[1].stride != d->stride) {
		step[i] = change;
		steps_of(s, rule, offset, i + 1, carry, step);
		return;
	}
	low = modulo(change, d->radix);
	/* Where the axis ends inside a box, boxes begin at any digit. */
	edge = d[1].stride * d[1].divide == s->box && d->stride * d->size % s->box == 0;
	step[i] = low;
	if (!edge || !s->carries || low == 0)
		steps_in(s, rule, offset, i + 1, (change - low) / d->radix, carry, step);
	if (low == 0 || (edge && !s->carries))
		return;
	step[i] = low - d->radix;
	steps_in(s, rule, offset, i + 1, (change - low) / d->radix + 1, carry, step);
}

/* Add offset to every rank at once: a coordinate either carries into the next or not. */
static void
steps_of(struct paint_steps *s, const struct paint_rule *rule, int64_t offset, int i, int64_t carry,
    int64_t step[])
{
	const struct paint_digit *d = &rule->digit[i];
	int64_t add;

	if (s->count == STEPS_MAX)
		return;
	if (i == rule->digits) {
		if (carry == 0) /* else past the last rank */
			steps_add(s, rule, step);
		return;
	}
	if (d->stride == s->box && (carry != 0) != s->carries)
		return;
	add = offset / d->stride % d->size + carry;
	if (add < d->size)
		steps_in(s, rule, offset, i, add, 0, step);
	if (add > 0)
		steps_in(s, rule, offset, i, add - d->size, 1, step);
}

static void
steps_finish(struct paint_steps *s, const struct paint_rule *rule)
{
	for (int k = 0; k < s->count; k++)
		for (int i = 0; i < rule->digits; i++) {
			s->rest[k][i] = (uint8_t)modulo(s->step[k][i], rule->values);
			if (s->step[k][i] != 0)
				s->top[k] = i;
		}
}

/* How many steps whose highest changed digit is `top` keep the colour, with `a` as its
 * coefficient and those below it as given. */
static int
clashes(const struct paint_steps *s, const struct paint_rule *rule, const int coefficient[], int top,
    int a)
{
	int n = 0;

	for (int k = 0; k < s->count; k++) {
		unsigned sum = 0;

		if (s->top[k] != top)
			continue;
		for (int i = 0; i < top; i++)
			sum += s->rest[k][i] * (unsigned)coefficient[i];
		sum += s->rest[k][top] * (unsigned)a;
		n += sum % (unsigned)rule->values == 0;
	}
	return n;
}

/* A search for coefficients, lowest digit first. */
struct choice {
	const struct paint_steps *steps;
	const struct paint_rule *rule;
	int now[PAINT_DIGITS_MAX], best[PAINT_DIGITS_MAX];
	int fewest;  /* clashes of the best, -1 before there is one */
	int tries;   /* left before the best so far has to do */
};

static void
choose_from(struct choice *c, int top, int so_far)
{
	const struct paint_rule *rule = c->rule;

	while (top < rule->digits && (!rule->digit[top].counts || rule->digit[top].radix == 1))
		c->now[top++] = 0;
	if (top == rule->digits) {
		c->fewest = so_far;
		for (int i = 0; i < rule->digits; i++)
			c->best[i] = c->now[i];
		return;
	}
	/* First those that clash nowhere, then with one clash, ... */
	for (int most = 0; most <= c->steps->count; most++) {
		int lowest = c->steps->count + 1;

		for (int a = 1; a <= rule->values; a++) {
			int n;

			if (c->fewest >= 0 && (so_far + most >= c->fewest || c->tries-- <= 0))
				return;
			n = clashes(c->steps, rule, c->now, top, a % rule->values);
			if (n > most && n < lowest)
				lowest = n;
			if (n != most)
				continue;
			c->now[top] = a % rule->values;
			choose_from(c, top + 1, so_far + n);
		}
		most = lowest - 1;
	}
}

/* Number the groups as the digits count them up: where no neighbours clash so, letters and
 * colours follow one another. */
static bool
number_groups(struct choice *c)
{
	const struct paint_rule *rule = c->rule;
	int64_t scale = 1;

	for (int i = 0; i < rule->digits; i++) {
		const struct paint_digit *d = &rule->digit[i];

		c->best[i] = 0;
		if (!d->counts)
			continue;
		c->best[i] = (int)(scale * d->divide % rule->values);
		if (clashes(c->steps, rule, c->best, i, c->best[i]) > 0)
			return false;
		if (i + 1 == rule->digits || d[1].stride != d->stride)
			scale = scale * d->size % rule->values;
	}
	return true;
}

/* Choose the coefficients for the digits as they are; returns the clashes left. */
static int
solve(struct paint_rule *rule, const struct paint_offsets *beside, int offsets)
{
	struct choice c = { .rule = rule, .fewest = -1, .tries = 500 };
	int64_t step[PAINT_DIGITS_MAX];
	struct paint_steps s;

	s.count = 0;
	s.box = beside->box;
	for (int i = 0; i < offsets; i++) {
		s.carries = i >= beside->inside && beside->offset[i] % s.box != 0;
		steps_of(&s, rule, beside->offset[i], 0, 0, step);
	}
	steps_finish(&s, rule);
	c.steps = &s;
	rule->numbered = number_groups(&c);
	if (rule->numbered)
		c.fewest = 0;
	else
		choose_from(&c, 0, 0);
	for (int i = 0; i < rule->digits; i++)
		rule->digit[i].coefficient = c.best[i];
	return c.fewest;
}

/* A coordinate that jumps by a multiple of the number of colours can not be told apart by
 * any coefficient; by two digits of it, it can. */
static int
solve_by_splitting(struct paint_rule *rule, const struct paint_offsets *beside, int offsets,
    int fewest)
{
	static const int64_t radix[] = { 3, 4, 2, 5, 7, 6, 8, 9, 11, 13 };
	const struct paint_rule base = *rule;

	for (size_t i = 0; i < sizeof radix / sizeof *radix && fewest > 0; i++) {
		struct paint_rule next = base;
		int clash;

		for (int d = 0; d < next.digits; d++)
			if (next.digit[d].counts && next.digit[d].radix > radix[i] &&
			    split_rule(&next, d, radix[i]))
				d++;
		clash = solve(&next, beside, offsets);
		if (clash < fewest) {
			fewest = clash;
			*rule = next;
		}
	}
	return fewest;
}

static int
rule_for(struct paint_rule *rule, const struct paint_rule *base,
    const struct paint_offsets *beside, int offsets)
{
	int clash;

	*rule = *base;
	split_by(rule, beside->box);
	for (int i = 0; i < offsets; i++)
		split_by(rule, beside->offset[i]);
	clash = solve(rule, beside, offsets);
	if (clash > 0)
		clash = solve_by_splitting(rule, beside, offsets, clash);
	return clash;
}

/* Where no rule tells all neighbours apart, those that touch count. */
static void
rule_init(struct paint_rule *rule, struct paint_rule base, int values,
    const struct paint_offsets *beside)
{
	int clashes;

	base.values = values;
	clashes = rule_for(rule, &base, beside, beside->count);
	if (clashes > 0 && beside->touching < beside->count)
		rule_for(rule, &base, beside, beside->touching);
	rule->clashes = clashes;
}

static int
rule_value(const struct paint_rule *rule, int64_t rank, int64_t group)
{
	int64_t sum = 0;

	if (rule->numbered)
		return (int)((uint32_t)group % (uint32_t)rule->values);
	for (int i = 0; i < rule->digits; i++)
		if (rule->digit[i].coefficient != 0)
			sum += digit_of(&rule->digit[i], rank) * rule->digit[i].coefficient;
	return (int)(sum % rule->values);
}

/* Axes that follow one another outside the mask are one coordinate. */
static void
prepare_runs(struct paint *paint, const struct group_kind *k, const struct grid *g)
{
	uint32_t scale = 1;
	bool before = false;

	paint->runs = k->shape == GROUP_MASK && k->inner == 0 ? 0 : -1;
	for (int i = 0; i < g->axes && paint->runs >= 0; i++) {
		const uint32_t size = (uint32_t)g->axis[i].size;
		const bool counts = (k->mask >> i & 1) == 0;

		if (size == 1)
			continue;
		if (counts && before)
			paint->run[paint->runs - 1].size *= size;
		else if (counts)
			paint->run[paint->runs++] = (struct paint_run){
				(uint32_t)g->axis[i].stride, size, scale };
		scale *= counts ? size : 1;
		before = counts;
	}
}

int64_t
paint_group(const struct paint *paint, int64_t rank)
{
	const uint32_t at = (uint32_t)rank; /* PLAN_WORLD_MAX is below that */
	uint32_t group = 0;

	if (paint->runs < 0)
		return layout_group_of(paint->layout, paint->kind, rank);
	for (int i = 0; i < paint->runs; i++)
		group += at / paint->run[i].stride % paint->run[i].size * paint->run[i].scale;
	return group;
}

void
paint_init(struct paint *paint, const struct layout *l, int kind, enum theme_set set,
    int colors, const struct paint_offsets *beside)
{
	const struct group_kind *k = &l->kind[kind];
	const struct grid *g = &l->grid[k->grid];
	struct paint_rule base = { 0 };

	*paint = (struct paint){ .layout = l, .kind = kind, .set = set, .colors = colors };
	paint->groups = layout_group_count(l, kind);
	for (int i = 0; i < g->axes; i++)
		if (g->axis[i].size > 1) /* so a stride belongs to one axis alone */
			base.digit[base.digits++] = (struct paint_digit){
				.stride = g->axis[i].stride, .size = g->axis[i].size,
				.divide = 1, .radix = g->axis[i].size,
				.counts = k->shape == GROUP_RING || (k->mask >> i & 1) == 0,
			};
	if (k->shape == GROUP_CHUNK && k->chunks > 1)
		split_chunks(&base, layout_group_size(l, kind));
	/* Where there are enough for all, every group has its own. */
	if (paint->groups > colors && colors > 1)
		rule_init(&paint->color, base, colors, beside);
	if (paint->groups > PAINT_LETTERS)
		rule_init(&paint->letter, base, PAINT_LETTERS, beside);
	if (k->shape != GROUP_MASK || k->inner != 0)
		paint->color.numbered = paint->letter.numbered = false;
	prepare_runs(paint, k, g);
}

int
paint_color(const struct paint *paint, int64_t rank, int64_t group)
{
	if (paint->colors <= 1)
		return 0;
	if (paint->color_table.used && group >= 0)
		return paint->color_table.value[group];
	if (paint->groups > paint->colors)
		return rule_value(&paint->color, rank, group);
	return group > 0 ? (int)group : 0;
}

char
paint_letter(const struct paint *paint, int64_t rank, int64_t group)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

	if (group < 0)
		return '.';
	if (paint->letter_table.used)
		return letters[paint->letter_table.value[group]];
	if (paint->groups > PAINT_LETTERS)
		return letters[rule_value(&paint->letter, rank, group)];
	return letters[group];
}
