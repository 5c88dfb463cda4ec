#include "ui/paint.h"

enum { STEPS_MAX = 1024 };

/* The change of every digit that a step on the map can cause. */
struct steps {
	int count;
	int64_t step[STEPS_MAX][PAINT_DIGITS_MAX];
};

static int64_t
modulo(int64_t a, int64_t n)
{
	return (a % n + n) % n;
}

static int64_t
digit_of(const struct paint_digit *d, int64_t rank)
{
	return rank / d->stride % d->size / d->divide % d->radix;
}

/* Cut a digit in two, the lower one with `radix` values. The upper may be cut short. */
static void
split(struct paint_rule *rule, int i, int64_t radix)
{
	struct paint_digit *d = &rule->digit[i];

	if (rule->digits == PAINT_DIGITS_MAX)
		return;
	for (int j = rule->digits; j > i; j--)
		rule->digit[j] = rule->digit[j - 1];
	rule->digits++;
	d[1].divide = d->divide * radix;
	d[1].radix = (d->radix + radix - 1) / radix;
	d->radix = radix;
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
		if (v > 1 && v < d->radix && (i + 1 == rule->digits ||
		    d[1].stride != d->stride || d->radix % v == 0))
			split(rule, i, v);
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
			split(rule, i++, run / below);
			rule->digit[i].counts = true;
			below = run;
			continue;
		}
		below *= d->radix;
	}
}

/* Note one possible change of the digits. */
static void
steps_add(struct steps *s, const struct paint_rule *rule, const int64_t step[])
{
	bool changes = false;

	for (int i = 0; i < rule->digits; i++)
		changes = changes || (rule->digit[i].counts && step[i] != 0);
	if (!changes)
		return;
	for (int i = 0; i < rule->digits; i++)
		s->step[s->count][i] = rule->digit[i].counts ? step[i] : 0;
	for (int k = 0; k < s->count; k++) {
		bool same = true;

		for (int i = 0; i < rule->digits; i++)
			same = same && s->step[k][i] == s->step[s->count][i];
		if (same)
			return;
	}
	s->count++;
}

static void steps_of(struct steps *s, const struct paint_rule *rule, int64_t offset, int i,
    int64_t carry, int64_t step[]);

/* A coordinate changes by `change`: note what its digits, from i on, may change by. */
static void
steps_in(struct steps *s, const struct paint_rule *rule, int64_t offset, int i, int64_t change,
    int64_t carry, int64_t step[])
{
	const struct paint_digit *d = &rule->digit[i];
	int64_t low;

	if (i + 1 == rule->digits || d[1].stride != d->stride) {
		step[i] = change;
		steps_of(s, rule, offset, i + 1, carry, step);
		return;
	}
	low = modulo(change, d->radix);
	step[i] = low;
	steps_in(s, rule, offset, i + 1, (change - low) / d->radix, carry, step);
	if (low == 0)
		return;
	step[i] = low - d->radix;
	steps_in(s, rule, offset, i + 1, (change - low) / d->radix + 1, carry, step);
}

/* Add offset to every rank at once: a coordinate either carries into the next or not. */
static void
steps_of(struct steps *s, const struct paint_rule *rule, int64_t offset, int i, int64_t carry,
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
	add = offset / d->stride % d->size + carry;
	if (add < d->size)
		steps_in(s, rule, offset, i, add, 0, step);
	if (add > 0)
		steps_in(s, rule, offset, i, add - d->size, 1, step);
}

/* How many steps whose highest changed digit is `top` keep the colour, with `a` as its
 * coefficient and those below it as given. */
static int
clashes(const struct steps *s, const struct paint_rule *rule, const int coefficient[], int top,
    int a)
{
	int n = 0;

	for (int k = 0; k < s->count; k++) {
		int64_t sum = 0;
		int highest = -1;

		for (int i = 0; i < rule->digits; i++) {
			if (s->step[k][i] == 0)
				continue;
			highest = i;
			sum += modulo(s->step[k][i], rule->values) * (i == top ? a : coefficient[i]);
		}
		if (highest == top && modulo(sum, rule->values) == 0)
			n++;
	}
	return n;
}

/* A search for coefficients, lowest digit first. */
struct choice {
	const struct steps *steps;
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

/* Choose the coefficients for the digits as they are; returns the clashes left. */
static int
solve(struct paint_rule *rule, const int64_t offset[], int offsets)
{
	struct choice c = { .rule = rule, .fewest = -1, .tries = 3000 };
	int64_t step[PAINT_DIGITS_MAX];
	struct steps s;

	s.count = 0;
	for (int i = 0; i < offsets; i++)
		if (offset[i] > 0)
			steps_of(&s, rule, offset[i], 0, 0, step);
	c.steps = &s;
	choose_from(&c, 0, 0);
	for (int i = 0; i < rule->digits; i++)
		rule->digit[i].coefficient = c.best[i];
	return c.fewest;
}

/* A coordinate that jumps by a multiple of the number of colours can not be told apart by
 * any coefficient; by two digits of it, it can. */
static void
solve_by_splitting(struct paint_rule *rule, const int64_t offset[], int offsets, int fewest)
{
	static const int64_t radix[] = { 3, 4, 2, 5, 7, 6, 8, 9, 11, 13 };
	const struct paint_rule base = *rule;

	for (size_t i = 0; i < sizeof radix / sizeof *radix && fewest > 0; i++) {
		struct paint_rule next = base;
		int clash;

		for (int d = 0; d < next.digits; d++)
			if (next.digit[d].counts && next.digit[d].radix > radix[i])
				split(&next, d++, radix[i]);
		clash = solve(&next, offset, offsets);
		if (clash < fewest) {
			fewest = clash;
			*rule = next;
		}
	}
}

static void
rule_init(struct paint_rule *rule, const struct paint_rule *base, int values,
    const int64_t offset[], int offsets)
{
	int clash;

	*rule = *base;
	rule->values = values;
	for (int i = 0; i < offsets; i++)
		split_by(rule, offset[i]);
	clash = solve(rule, offset, offsets);
	if (clash > 0)
		solve_by_splitting(rule, offset, offsets, clash);
}

static int
rule_value(const struct paint_rule *rule, int64_t rank)
{
	int64_t sum = 0;

	for (int i = 0; i < rule->digits; i++)
		if (rule->digit[i].counts)
			sum += digit_of(&rule->digit[i], rank) * rule->digit[i].coefficient;
	return (int)(sum % rule->values);
}

void
paint_init(struct paint *paint, const struct layout *l, int kind, enum theme_set set,
    int colors, const int64_t offset[], int offsets)
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
		rule_init(&paint->color, &base, colors, offset, offsets);
	if (paint->groups > PAINT_LETTERS)
		rule_init(&paint->letter, &base, PAINT_LETTERS, offset, offsets);
}

int
paint_color(const struct paint *paint, int64_t rank)
{
	int64_t group;

	if (paint->colors <= 1)
		return 0;
	if (paint->groups > paint->colors)
		return rule_value(&paint->color, rank);
	group = layout_group_of(paint->layout, paint->kind, rank);
	return group > 0 ? (int)group : 0;
}

char
paint_letter(const struct paint *paint, int64_t rank)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
	int64_t group = layout_group_of(paint->layout, paint->kind, rank);

	if (group < 0)
		return '.';
	return letters[paint->groups > PAINT_LETTERS ? rule_value(&paint->letter, rank) : group];
}
