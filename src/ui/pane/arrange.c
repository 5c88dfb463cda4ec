#include "ui/pane/arrange.h"

#include "core/base/number.h"

enum {
	PANES_COLUMNS = 72, PANES_ROWS = 20, /* from here on all panes at once */
	HEADLINE_ROWS = 24,                  /* and from here on a headline of two lines */
	FRAME_COLUMNS = 16, FRAME_ROWS = 7,  /* smaller: no frame, only what is inside */
	FORM_LEAST = 32, FORM_MOST = 46,
	MAP_LEAST = 8, LOWER_LEAST = 8,
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
clamp_lines(int v, int least, int most)
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

/* Heights of the panes below the map, of those with edges in common without the lower one. */
struct heights {
	int have[PANE_COUNT], want[PANE_COUNT];
};

/* The fewest lines and those wanted of the panes from one on, all w wide, with `edges` lines of
 * their frames. Returns the sum of the fewest. */
static int
find_heights(struct heights *h, const struct pane_wishes *wish, int first, int w, int edges)
{
	int sum = 0;

	for (int i = first; i < PANE_COUNT; i++) {
		h->want[i] = wish->lines(wish->state, (enum pane)i, w - 2) + edges;
		h->have[i] = wish->least[i] > 0 ? wish->least[i] - 2 + edges : h->want[i];
		sum += h->have[i];
	}
	return sum;
}

/* Lines of the map's in turn, as long as the others want them and it keeps enough. Returns the
 * map's. */
static int
take_from_map(struct heights *h, int map, int least, int lines)
{
	bool more = true;

	while (more) {
		more = false;
		for (int i = PANE_MEMORY; i < PANE_COUNT; i++)
			if (h->have[i] < h->want[i] && map > least &&
			    (map > lines / 3 || h->have[i] < lines * 3 / 10)) {
				h->have[i]++;
				map--;
				more = true;
			}
	}
	return map;
}

/* Below each other: the map, and the others with edges in common. False where there is no room
 * for that. */
static bool
stack(struct arrange *a, struct rect r, const struct pane_wishes *wish)
{
	struct heights h;
	/* Each further colour has a line of the legend. */
	const int least = MAP_LEAST + (wish->colors > 1 ? wish->colors - 1 : 0);
	int map = r.h - 1 - find_heights(&h, wish, PANE_MEMORY, r.w, 1), y, spare = wish->spare;

	if (map < MAP_LEAST)
		return false;
	map = take_from_map(&h, map, least, r.h);
	for (int i = PANE_MEMORY; i < PANE_COUNT; i++)
		for (; h.have[i] < h.want[i] && spare > 0; spare--) {
			h.have[i]++;
			map--;
		}
	a->pane[PANE_MAP] = (struct rect){ r.x, r.y, r.w, map };
	y = r.y + map;
	for (int i = PANE_MEMORY; i < PANE_COUNT; y += h.have[i++]) {
		a->open[i] = i + 1 < PANE_COUNT;
		a->pane[i] = (struct rect){ r.x, y, r.w, h.have[i] + !a->open[i] };
	}
	return true;
}

/* Further lines for the panes right of the memory, as they want them; the rest is the first's. */
static void
spread_lines(struct heights *h, int lines)
{
	for (int i = PANE_MEMORY + 1; i < PANE_COUNT; i++)
		for (; h->have[i] < h->want[i] && lines > 0; lines--)
			h->have[i]++;
	h->have[PANE_MEMORY + 1] += lines;
}

/* Memory below the map, the others to the right of it. */
static bool
split_below(struct arrange *a, struct rect r, const struct pane_wishes *wish)
{
	const int right = clamp_lines(r.w - BARS_COLUMNS, TRAFFIC_COLUMNS, CHANGES_COLUMNS);
	const int left = r.w - right;
	const int memory = wish->lines(wish->state, PANE_MEMORY, left - 2) + 2;
	struct heights h;
	const int least = find_heights(&h, wish, PANE_MEMORY + 1, right, 2);
	int lower = 0, y;

	if (r.w < SPLIT_COLUMNS || r.h < MAP_LEAST + least)
		return false;
	for (int i = PANE_MEMORY + 1; i < PANE_COUNT; i++)
		lower += h.want[i];
	lower = clamp_lines(lower, least, r.h / 2);
	if (lower < memory)
		lower = clamp_lines(memory, lower, r.h / 2);
	lower = (int)least_of(most_of(lower, least), r.h - MAP_LEAST);
	spread_lines(&h, lower - least);
	y = r.y + r.h - lower;
	a->pane[PANE_MAP] = (struct rect){ r.x, r.y, r.w, r.h - lower };
	a->pane[PANE_MEMORY] = (struct rect){ r.x, y, left, lower };
	for (int i = PANE_MEMORY + 1; i < PANE_COUNT; y += h.have[i++])
		a->pane[i] = (struct rect){ r.x + left, y, right, h.have[i] };
	return true;
}

/* The map, and below it one of the others: the one that was used last. */
static void
take_turns(struct arrange *a, struct rect r, const struct pane_wishes *wish)
{
	const enum pane pane = wish->focus >= PANE_MEMORY ? wish->focus : wish->lower;
	/* As high for all of them: the map stays as it is when they change. */
	const int h = (int)least_of(most_of(r.h * 2 / 5, LOWER_LEAST), r.h - MAP_LEAST);

	a->lower_tabs = true;
	a->pane[PANE_MAP] = (struct rect){ r.x, r.y, r.w, r.h - h };
	a->pane[pane] = (struct rect){ r.x, r.y + r.h - h, r.w, h };
}

struct arrange
arrange_panes(int columns, int rows, const struct pane_wishes *wish)
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
	form = clamp_lines(columns * 2 / 5, FORM_LEAST, FORM_MOST);
	if (columns < 90)
		form = FORM_LEAST;
	a.pane[PANE_FORM] = (struct rect){ 0, body.y, form, body.h };
	right = (struct rect){ form, body.y, columns - form, body.h };
	if (!split_below(&a, right, wish) && !stack(&a, right, wish))
		take_turns(&a, right, wish);
	for (int i = 0; i < PANE_COUNT; i++)
		if (a.pane[i].h > 0)
			a.inner[i] = inside(a.pane[i], true);
	for (int i = 0; i < PANE_COUNT; i++)
		if (a.open[i])
			a.inner[i].h++;
	return a;
}
