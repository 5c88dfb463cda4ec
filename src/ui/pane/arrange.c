#include "ui/pane/arrange.h"

#include "core/base/number.h"
#include "ui/pane/bars.h"
#include "ui/pane/figures.h"

enum {
	PANES_COLUMNS = 72, PANES_ROWS = 20, /* from here on all panes at once */
	HEADLINE_ROWS = 24,                  /* and from here on a headline of two lines */
	FRAME_COLUMNS = 16, FRAME_ROWS = 7,  /* smaller: no frame, only what is inside */
	FORM_LEAST = 32, FORM_MOST = 46,
	MAP_LEAST = 8, MEMORY_LEAST = 6, TRAFFIC_LEAST = 5, LOWER_LEAST = 8, STEP_MOST = 8,
	TRAFFIC_COLUMNS = 60,                /* with nothing abbreviated, */
	CHANGES_COLUMNS = 89,                /* and with every change, */
	BARS_COLUMNS = 56,                   /* as far as the bars beside it can spare them */
	SPLIT_COLUMNS = 100,                 /* right of the form: room for memory beside it */
};

static struct rect
inside(struct rect r, bool framed)
{
	if (!framed)
		return r;
	return (struct rect){ r.x + 1, r.y + 1, r.w - 2, r.h - 2 };
}

static int
clamp(int v, int least, int most)
{
	return v < least ? least : v > most ? most : v;
}

/* Lines above and below the panes, the least important given up first. */
static struct rect
take_lines(struct arrange *a, int w, int h)
{
	struct rect body = { 0, 0, w, h };

	if (h >= 2) {
		a->message = (struct rect){ 0, h - 1, w, 1 };
		body.h--;
	}
	if (h >= 3) {
		a->message.y--;
		a->footer = (struct rect){ 0, h - 1, w, 1 };
		body.h--;
	}
	if (h >= 5) {
		const int lines = w >= PANES_COLUMNS && h >= HEADLINE_ROWS ? 2 : 1;

		a->header = (struct rect){ 0, 0, w, lines };
		body.y += lines;
		body.h -= lines;
	}
	return body;
}

/* Height of the step pane with its frame. */
static int
step_lines(int w, const struct wish *wish)
{
	return clamp(figures_lines(w - 2, wish->figures), 1, STEP_MOST) + 2;
}

/* Below each other: map, memory, traffic, step, the last three with edges in common.
 * False where there is no room for that. */
static bool
stack(struct arrange *a, struct rect r, const struct wish *wish)
{
	const int step = step_lines(r.w, wish);
	/* Each further colour has a line of the legend. */
	const int least = MAP_LEAST + (wish->colors > 1 ? wish->colors - 1 : 0);
	const int want[] = { wish->stages + bars_legend(r.w - 2) + 1, wish->flows + 2 };
	int h[] = { MEMORY_LEAST - 1, TRAFFIC_LEAST - 1 };
	int map = r.h - step - h[0] - h[1], y = r.y, spare = wish->spare;
	bool more = true;

	if (map < MAP_LEAST)
		return false;
	/* The map gives up lines in turn, as long as the others want them. */
	while (more) {
		more = false;
		for (int i = 0; i < 2; i++)
			if (h[i] < want[i] && map > least && (map > r.h / 3 || h[i] < r.h * 3 / 10)) {
				h[i]++;
				map--;
				more = true;
			}
	}
	for (int i = 0; i < 2; i++)
		for (; h[i] < want[i] && spare > 0; spare--) {
			h[i]++;
			map--;
		}
	a->pane[PANE_MAP] = (struct rect){ r.x, y, r.w, map };
	y += map;
	a->pane[PANE_MEMORY] = (struct rect){ r.x, y, r.w, h[0] };
	y += h[0];
	a->pane[PANE_TRAFFIC] = (struct rect){ r.x, y, r.w, h[1] };
	y += h[1];
	a->pane[PANE_STEP] = (struct rect){ r.x, y, r.w, step };
	a->open[PANE_MEMORY] = a->open[PANE_TRAFFIC] = true;
	return true;
}

/* Memory below the map, traffic and step to the right of it. */
static bool
split(struct arrange *a, struct rect r, const struct wish *wish)
{
	const int right = clamp(r.w - BARS_COLUMNS, TRAFFIC_COLUMNS, CHANGES_COLUMNS);
	const int left = r.w - right;
	const int step = step_lines(right, wish);
	int lower;

	if (r.w < SPLIT_COLUMNS || r.h < MAP_LEAST + step + TRAFFIC_LEAST)
		return false;
	lower = clamp(step + wish->flows + 3, step + TRAFFIC_LEAST, r.h / 2);
	if (lower < wish->stages + bars_legend(left - 2) + 2)
		lower = clamp(wish->stages + bars_legend(left - 2) + 2, lower, r.h / 2);
	lower = (int)least_of(most_of(lower, step + TRAFFIC_LEAST), r.h - MAP_LEAST);
	a->pane[PANE_MAP] = (struct rect){ r.x, r.y, r.w, r.h - lower };
	a->pane[PANE_MEMORY] = (struct rect){ r.x, r.y + r.h - lower, left, lower };
	a->pane[PANE_TRAFFIC] = (struct rect){ r.x + left, r.y + r.h - lower, right, lower - step };
	a->pane[PANE_STEP] = (struct rect){ r.x + left, r.y + r.h - step, right, step };
	return true;
}

/* The map, and below it one of the others: the one that was used last. */
static void
take_turns(struct arrange *a, struct rect r, const struct wish *wish)
{
	const enum pane pane = wish->focus >= PANE_MEMORY ? wish->focus : wish->lower;
	/* As high for all of them: the map stays as it is when they change. */
	const int h = (int)least_of(most_of(r.h * 2 / 5, LOWER_LEAST), r.h - MAP_LEAST);

	a->lower_tabs = true;
	a->pane[PANE_MAP] = (struct rect){ r.x, r.y, r.w, r.h - h };
	a->pane[pane] = (struct rect){ r.x, r.y + r.h - h, r.w, h };
}

struct arrange
arrange_panes(int columns, int rows, const struct wish *wish)
{
	struct arrange a = { 0 };
	struct rect body = take_lines(&a, columns, rows), right;
	int form;

	a.framed = columns >= FRAME_COLUMNS && rows >= FRAME_ROWS;
	a.tabs = wish->alone || columns < PANES_COLUMNS || rows < PANES_ROWS;
	if (a.tabs) {
		a.pane[wish->focus] = body;
		a.inner[wish->focus] = inside(body, a.framed);
		return a;
	}
	form = clamp(columns * 2 / 5, FORM_LEAST, FORM_MOST);
	if (columns < 90)
		form = FORM_LEAST;
	a.pane[PANE_FORM] = (struct rect){ 0, body.y, form, body.h };
	right = (struct rect){ form, body.y, columns - form, body.h };
	if (!split(&a, right, wish) && !stack(&a, right, wish))
		take_turns(&a, right, wish);
	for (int i = 0; i < PANE_COUNT; i++)
		if (a.pane[i].h > 0)
			a.inner[i] = inside(a.pane[i], true);
	for (int i = 0; i < PANE_COUNT; i++)
		if (a.open[i])
			a.inner[i].h++;
	return a;
}
