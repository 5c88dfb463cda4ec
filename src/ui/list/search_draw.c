/* What stands around the plans of the search view. */
#include <math.h>
#include <string.h>

#include "core/base/text.h"
#include "core/base/units.h"
#include "ui/list/search_table.h"

enum {
	HEAD = 4, FOOT = 3,      /* lines above and below the plans */
	WIDE_FROM = 136,         /* columns with which the picture has room at the side, */
	PICTURE_COLUMNS = 38,    /* so wide; */
	PICTURE_MOST = 14,       /* and lines that it takes elsewhere, */
	PICTURE_LEAST = 5,
	PLANS_LEAST = 5,         /* where so many plans are left */
	BAR = 20,
};

/* What is where. Heights are 0 where there is no room. */
struct areas {
	struct rect head, plans, foot, picture;
};

static struct areas
arrange(struct rect r)
{
	struct areas a = { .head = { r.x, r.y, r.w, HEAD } };
	int left = r.h - HEAD, y = r.y + HEAD;

	if (left < PLANS_LEAST) {
		a.head.h = left < 1 ? 0 : 2; /* of the columns */
		left = r.h - a.head.h;
		y = r.y + a.head.h;
	}
	if (left >= PLANS_LEAST + FOOT) {
		left -= FOOT;
		a.foot = (struct rect){ r.x, y + left, r.w, FOOT };
	}
	a.plans = (struct rect){ r.x, y, r.w, left };
	if (r.w >= WIDE_FROM && left >= PICTURE_LEAST + 2) {
		a.plans.w = a.head.w = r.w - PICTURE_COLUMNS - 1;
		a.picture = (struct rect){ r.x + a.plans.w + 1, y - 2, PICTURE_COLUMNS, left + 2 };
	} else if (left >= PLANS_LEAST + PICTURE_LEAST) {
		a.picture = (struct rect){ r.x, 0, r.w, left / 2 < PICTURE_MOST ? left / 2 : PICTURE_MOST };
		a.plans.h -= a.picture.h;
		a.picture.y = y + a.plans.h;
	}
	return a;
}

struct rect
search_part(MAYBE const struct state *s, struct rect r)
{
	return arrange(r).plans;
}

/* "where: TTFT p99 at most 1s  free: TP, PP": what is free is cut where there is less room. */
static void
put_asked(const struct search_view *l, char *buf, size_t size)
{
	*buf = '\0';
	for (int i = 0; i < l->search.conditions; i++) {
		text_add(buf, size, "%s", i > 0 ? ", " : "where: ");
		search_add_condition(l, i, buf, size);
	}
	text_add(buf, size, "%sfree:", *buf != '\0' ? "  " : "");
	for (int i = 0; i < l->space->count; i++)
		text_add(buf, size, "%s %s", i > 0 ? "," : "", field_table[l->space->field[i].field].label);
	if (l->search.around > 0)
		text_add(buf, size, "  %d at most differ from the plan", l->search.around);
}

/* How many combinations were looked at, cut, legal and too large. */
static void
put_counts(const struct search_view *l, bool exact, char *buf, size_t size)
{
	const struct search_counts *n = &l->news.counts;
	const uint64_t all = search_size(&l->search);
	const struct { uint64_t count; const char *name; } part[] = {
		{ all, " combinations: " }, { all - n->decided, " cut, " }, { n->illegal, " illegal, " },
		{ n->over_memory, " do not fit, " }, { n->evaluated, " fit" },
	};

	buf[0] = '\0';
	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		text_add(buf, size, "%s%s", exact ? UNITS_EXACT(COUNT, (double)part[i].count) :
		    UNITS_SHORT(COUNT, (double)part[i].count), part[i].name);
}

/* "[#####...............] 25 %, 3.1 s left; 1,234 combinations": time goes as the share does. */
static void
put_bar(const struct search_view *l, char *buf, size_t size)
{
	const int full = (int)(l->news.share * (double)BAR);
	char all[48];

	text_put(all, sizeof all, "%s", buf);
	text_put(buf, size, "[");
	for (int i = 0; i < BAR; i++)
		text_add(buf, size, "%c", i < full ? '#' : '.');
	text_add(buf, size, "] %.0f %%", floor(100 * l->news.share));
	if (!l->news.runs)
		text_add(buf, size, ", stopped");
	else if (l->news.share > 0)
		text_add(buf, size, ", %s left", UNITS_SHORT(SECONDS, l->news.seconds * (1 - l->news.share) /
		    l->news.share));
	text_add(buf, size, "; %s", all);
}

/* How far it is; of a search that is over, what became of it, in short where there is less
 * room. */
static void
put_progress(const struct search_view *l, size_t room, char *buf, size_t size)
{
	const struct search_counts *n = &l->news.counts;
	const uint64_t all = search_size(&l->search);
	char took[80];

	text_put(buf, size, "%s combinations", UNITS_EXACT(COUNT, (double)all));
	if (!l->news.whole) {
		put_bar(l, buf, size);
		text_add(buf, size, ": %s decided, %.1f s on %d threads", UNITS_EXACT(COUNT, (double)n->decided),
		    l->news.seconds, l->news.threads);
		return;
	}
	text_put(took, sizeof took, "; %s on %d thread%s%s", UNITS_SHORT(SECONDS, l->news.seconds),
	    l->news.threads, TEXT_S(l->news.threads),
	    l->news.full ? "; the front has more" : "");
	put_counts(l, true, buf, size);
	if (strlen(buf) + strlen(took) > room)
		put_counts(l, false, buf, size);
	if (strlen(buf) + strlen(took) <= room || l->news.full)
		text_add(buf, size, "%s", took);
}

/* What is asked for is no number that is told of every plan. */
static bool
is_told(const struct search_view *l, const struct search_target *t)
{
	for (int i = 0; t->kind == TARGET_RESULT && i < SEARCH_VIEW_NUMBERS; i++)
		if (t->id == (int)search_view_number(l, i))
			return false;
	return true;
}

/* "TPOT p99 37.3 ms -> 37.1 ms, TPOT 29.3 -> 36.5 ms": what ranks first, where the summary of a plan has it
 * not. */
static void
put_change(const struct state *s, int at, char *buf, size_t size)
{
	const struct search_view *l = s->search;
	char name[SEARCH_NAME], was[UNITS_SIZE], is[UNITS_SIZE];
	double v;

	*buf = '\0';
	for (int i = 0; i < l->search.objectives; i++) {
		const struct search_target *t = &l->search.objective[i];

		if (!is_told(l, t) || !target_value(t, &s->plan, s->estimate, &v))
			continue;
		target_format(t, v, was, sizeof was);
		target_format(t, search_view_objective(l, &l->found[at], i), is, sizeof is);
		if (!text_equal(was, is))
			text_add(buf, size, "%s %s -> %s, ", search_target_name(l, t, name), was, is);
	}
	text_add(buf, size, "%s", l->told.change);
	if (l->told.change[0] == '\0' && buf[0] != '\0')
		buf[strlen(buf) - 2] = '\0';
}

static void
draw_head(const struct state *s, struct canvas *c, const struct areas *a, struct rect r)
{
	const struct search_view *l = s->search;
	const uint8_t progress = l->news.runs ? ROLE_KEY : l->news.whole ? ROLE_DIM : ROLE_WARNING;
	const int columns = a->head.y + a->head.h - 2;
	char text[LINE_SIZE];

	if (a->head.h >= HEAD) {
		put_asked(l, text, sizeof text);
		canvas_text_cut(c, r, r.x + 2, r.y, r.w - 2, (struct style){ .role = ROLE_TEXT }, text);
		put_progress(l, (size_t)(r.w - 2), text, sizeof text);
		canvas_text_cut(c, r, r.x + 2, r.y + 1, r.w - 2, (struct style){ .role = progress }, text);
	}
	if (l->news.kept == 0)
		return;
	if (a->head.h >= 2)
		search_heading(l, c, (struct rect){ a->head.x + 2, columns, a->head.w - 2, 2 });
}

static void
draw_foot(const struct state *s, struct canvas *c, struct rect r, int target)
{
	const struct search_view *l = s->search;
	const struct style dim = { .role = ROLE_DIM }, plain = { .role = ROLE_TEXT };
	char text[LINE_SIZE + 32], change[LINE_SIZE];

	if (target < 0 || l->told.space != l->space)
		return;
	text_put(text, sizeof text, "%d%s: %s", target + 1, l->found[target].tried ? ", worth a try" : "",
	    l->told.set);
	if (l->found[target].key.like > 0)
		text_add(text, sizeof text, ", and %llu like it", (unsigned long long)l->found[target].key.like);
	canvas_text_cut(c, r, r.x + 2, r.y, r.w - 2, plain, text);
	put_change(s, target, change, sizeof change);
	text_put(text, sizeof text, !s->estimate->legal ? "the plan itself is not possible" :
	    change[0] != '\0' ? "against the plan: %s" : "the same as the plan", change);
	if (canvas_width(c, text) > r.w - 2 && s->estimate->legal)
		text_put(text, sizeof text, "%s", change);
	canvas_text_cut(c, r, r.x + 2, r.y + 1, r.w - 2, dim, text);
	text_put(text, sizeof text, "%d before %d", target + 1, target + 2);
	if (l->told.ahead > 0)
		text_add(text, sizeof text, ", %.0f %% sure", 100 * l->told.ahead);
	text_add(text, sizeof text, ": %s", l->told.why);
	if (l->told.why[0] != '\0')
		canvas_text_cut(c, r, r.x + 2, r.y + 2, r.w - 2, dim, text);
}

void
search_draw(const struct state *s, struct canvas *c, struct rect r, int target)
{
	const struct areas a = arrange(r);

	if (s->search->space == NULL)
		return;
	draw_head(s, c, &a, r);
	if (a.foot.h > 0)
		draw_foot(s, c, a.foot, target);
	if (a.picture.h > 0 && s->search->news.kept > 0)
		search_picture(s, c, a.picture, target);
}
