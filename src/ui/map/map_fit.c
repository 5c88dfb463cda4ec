/* Which form the map takes in an area: GPUs as large as they can be with all of them shown. */
#include "core/base/number.h"
#include "ui/map/map_grid.h"
#include "ui/map/map_sets.h"

/* The forms that a zoom may take, the first that fits is taken. Tight ones do without
 * brackets around GPUs, or without anything between nodes and the word beside them. */
struct form {
	enum map_zoom zoom;
	bool framed, blocked, tight;
};

static const struct form form_table[] = {
	{ MAP_ZOOM_CARD, true, true, false }, { MAP_ZOOM_CARD, true, false, false },
	{ MAP_ZOOM_LABEL, true, true, false }, { MAP_ZOOM_LABEL, true, false, false },
	{ MAP_ZOOM_LABEL, true, true, true }, { MAP_ZOOM_LABEL, true, false, true },
	{ MAP_ZOOM_LABEL, false, false, false }, { MAP_ZOOM_LABEL, false, false, true },
	{ MAP_ZOOM_CELL, true, true, false }, { MAP_ZOOM_CELL, true, false, false },
	{ MAP_ZOOM_CELL, false, true, false }, { MAP_ZOOM_CELL, false, false, false },
	{ MAP_ZOOM_CELL, false, false, true },
	{ MAP_ZOOM_HALF, false, true, false }, { MAP_ZOOM_HALF, false, false, false },
	{ MAP_ZOOM_HALF, false, false, true },
	{ MAP_ZOOM_NODE, false, true, false }, { MAP_ZOOM_NODE, false, false, false },
	{ MAP_ZOOM_NODE, false, false, true },
	{ MAP_ZOOM_RACK, false, false, false }, { MAP_ZOOM_RACK, false, false, true },
};
enum { FORMS = (int)(sizeof form_table / sizeof *form_table), HALVED = 3,
	WORD = 5, /* columns of "node " */
	AREA = 64, LINES = 16 }; /* a cell is worth more than lines of colour, those more than any width */

/* Columns from which on a unit gains nothing by more of them. */
static const int wide_enough[MAP_ZOOM_COUNT] = {
	[MAP_ZOOM_CARD] = 30, [MAP_ZOOM_LABEL] = 12, [MAP_ZOOM_CELL] = 8, [MAP_ZOOM_HALF] = 8,
	[MAP_ZOOM_NODE] = 8, [MAP_ZOOM_RACK] = 8,
};

/* A search for the widest cells in an area. */
struct fit {
	const struct map_view *view;
	const struct plan *plan;
	const struct estimate *estimate;
	int w;
	int64_t h;
	bool fixed;  /* cells have their own size, and do not grow with the area */
	bool halved; /* nodes and racks are two in a cell */
	int64_t odd; /* rows of nodes have at most so many times a power of two of them */
	bool found;
	int64_t score;
	struct map_grid best;
};

/* The longest coordinates. */
static int
coordinates_width(const struct layout *l)
{
	const struct grid *g = &l->grid[0];
	int w = 0;

	for (int i = 0; i < g->axes; i++)
		if (g->axis[i].size > 1)
			w += 1 + digits_of(g->axis[i].size - 1);
	return w;
}

static const struct map_color relations = { MAP_BY_RELATION, 0 };

/* "13 gpu 5 t1d0p2", or the coordinates below. */
static int
card_width(const struct map_grid *g, const struct map_view *view, const struct estimate *e)
{
	const int head = g->rank_w + 5 + digits_of(g->units - 1);
	const int coordinates = coordinates_width(&e->layout);
	int w = g->tall ? (int)most_of(head, coordinates) : head + 1 + coordinates;

	for (int i = 0; i < view->colors; i++)
		w = (int)most_of(w, map_color_width(view->color[i], e));
	if (map_grid_stands_still(view, e))
		w = (int)most_of(w, map_color_width(relations, e));
	return w + 3; /* a blank at both ends, and one between cards */
}

/* Columns that the widest row takes. */
static int64_t
grid_width(const struct map_grid *g)
{
	return g->label_w + (g->across - 1) * g->block_w + g->block_cols * g->box_w +
	    (g->framed ? 1 : 0);
}

/* ---- where everything goes, once the sizes are known --------------------------------- */

static void
size_blocks(struct map_grid *g)
{
	g->box_w = g->left + (int)g->cols * g->unit_w + g->gap;
	g->box_h = holders_of(g->rows, g->stack) * g->unit_h + g->top;
	g->block_w = g->block_cols * g->box_w;
	g->block_h = g->head + g->block_rows * g->box_h;
	if (g->blocked) {
		g->block_w += g->framed ? 2 : 1;
		g->block_h += g->framed || g->block_rows > 1 ? 1 : 0;
	}
}

/* The most blocks side by side that begin their rows with round numbers; where cells have
 * their own size, with those that leave little empty. */
static int64_t
round_number(const struct fit *f, const struct map_grid *g, int64_t room)
{
	if (!f->fixed)
		for (int64_t n = room; n > 1; n--) {
			int64_t odd = n;

			while (odd % 2 == 0)
				odd /= 2;
			if (odd <= f->odd)
				return n;
		}
	else if (g->zoom >= MAP_ZOOM_NODE && room * g->block > 8)
		for (int64_t to = 8; to > 1; to /= 2)
			if (room > to && (room - room % to) * 8 >= room * 7)
				return room - room % to;
	return room;
}

/* Units in `cols` columns of a box, boxes in `block_cols` of a block, and as many blocks in
 * a row as fit, or that many halved a number of times. */
static void
place_grid(const struct fit *f, struct map_grid *g, int64_t cols, int64_t block_cols, int halved)
{
	const int64_t blocks = holders_of(g->boxes, g->block);
	int64_t room, last;

	g->cols = cols;
	g->rows = holders_of(g->units, cols);
	g->block_cols = block_cols;
	g->block_rows = holders_of(g->block, block_cols);
	size_blocks(g);
	last = g->block_cols * g->box_w + (g->framed ? 1 : 0); /* needs no room to the next */
	room = f->w - g->label_w < last ? 1 : (f->w - g->label_w - last) / g->block_w + 1;
	g->across = room < blocks ? round_number(f, g, room) : blocks;
	g->across = g->across >> halved > 1 ? g->across >> halved : 1;
	g->down = holders_of(blocks, g->across);
}

/* Lines of a unit that have something to show. */
static int
most_lines(const struct fit *f, const struct map_grid *g)
{
	const struct map_color *shown = map_grid_stands_still(f->view, f->estimate) ? &relations : f->view->color;
	struct map_color more[MAP_USUAL_MAX];

	switch (g->zoom) {
	case MAP_ZOOM_CARD:
		return g->unit_h + map_colors_more(&f->estimate->layout, shown, f->view->colors, more);
	case MAP_ZOOM_LABEL:
		return 4; /* with coordinates, layers and memory */
	default:
		return map_grid_halved(g) ? 1 : g->colors > 1 ? 2 * g->colors : 3;
	}
}

/* Let the units take what room is left; who wants a zoom wants its own size. */
static void
stretch(const struct fit *f, struct map_grid *g)
{
	const int64_t wider = (f->w - grid_width(g)) / (g->across * g->block_cols * g->cols);
	int64_t taller;

	if (f->fixed || wider < 0)
		return;
	g->unit_w += (int)wider;
	taller = (f->h - map_grid_lines(g)) / (g->down * g->block_rows * holders_of(g->rows, g->stack));
	if (taller > most_lines(f, g) - g->unit_h)
		taller = most_lines(f, g) - g->unit_h;
	if (taller > 0)
		g->unit_h += (int)taller;
	if (g->zoom >= MAP_ZOOM_CELL && g->unit_h > g->colors)
		g->unit_h -= g->unit_h % g->colors; /* one is as high as another */
	size_blocks(g);
}

/* ---- one form ------------------------------------------------------------------------ */

static void
size_units(struct map_grid *g, const struct map_view *view, const struct estimate *e)
{
	const enum map_by by = view->color[0].by;
	const bool still = map_grid_stands_still(view, e);

	g->unit_h = 1;
	if (g->zoom == MAP_ZOOM_CARD) {
		g->unit_w = card_width(g, view, e);
		g->unit_h = 1 + (g->tall ? 1 : 0) + view->colors;
	} else if (g->zoom == MAP_ZOOM_LABEL) {
		g->colon = by == MAP_BY_STAGE || by == MAP_BY_MEMORY;
		/* One colour tells what its letter does; a GPU may be related in two ways. */
		if (by == MAP_BY_RELATION || still)
			g->letters = g->colon ? 1 : 2;
		else
			g->letters = g->tight && view->colors == 1 && view->depth != THEME_MONO ? 0 : view->colors;
		g->colon &= g->letters > 0;
		g->unit_w = g->rank_w + g->colon + g->letters + (g->tight ? 1 : 2);
	} else {
		g->unit_w = g->tall ? 1 : g->colors;
		g->unit_h = g->tall ? g->colors : 1;
	}
}

/* Sources that have a part of each unit: beside others those have none whose groups are all inside
 * units. */
static int
colors_of(const struct map_view *view, const struct layout *l, int64_t stride)
{
	int n = 0;

	for (int i = 0; i < view->colors; i++)
		n += !map_color_inside(view->color[i], l, stride);
	return n > 0 ? n : 1;
}

/* Nodes or groups of them as boxes, GPUs or groups of them as units. */
static void
size_boxes(struct map_grid *g, const struct plan *p)
{
	g->boxes = p->cluster.nodes;
	g->units = p->cluster.gpus_per_node;
	g->stride = 1;
	if (g->zoom == MAP_ZOOM_NODE || g->zoom == MAP_ZOOM_RACK) {
		g->stride = g->units;
		g->units = 1;
	}
	if (g->zoom == MAP_ZOOM_RACK) {
		g->stride *= plan_rack_nodes(p);
		g->boxes = holders_of(g->boxes, plan_rack_nodes(p));
	}
	/* Half blocks: an even number of rows, so that no half stays empty. */
	g->stack = g->zoom == MAP_ZOOM_HALF && g->units > 1 ? 2 : 1;
}

/* What surrounds them. False when the plan has no blocks to show. */
static bool
form_init(const struct fit *f, struct map_grid *g, const struct form *form, bool tall, bool word)
{
	const struct plan *p = f->plan;
	const bool whole = p->cluster.nvlink_domain % p->cluster.gpus_per_node == 0;

	*g = (struct map_grid){
		.plan = p, .zoom = form->zoom, .framed = form->framed, .tight = form->tight, .tall = tall,
		.world = f->estimate->layout.world, .block = 1,
		.rank_w = digits_of(f->estimate->layout.world - 1), .domain = whole ? plan_domain_nodes(p) : 1,
	};
	size_boxes(g, p);
	if (form->blocked) {
		g->blocked = true;
		g->block = g->domain > 1 ? g->domain : plan_rack_nodes(p);
		if (g->block == 1 || (g->domain == 1 && g->block >= g->boxes))
			return false;
		if (g->domain == 1 && g->boxes % g->block != 0 && !f->fixed)
			return false; /* a rack that is not full leaves a hole */
		if (g->block > g->boxes)
			g->block = g->boxes;
		g->head = form->framed ? 1 : 0;
	}
	if (g->framed) {
		g->left = g->zoom == MAP_ZOOM_CARD ? 2 : 1;
		g->top = 1;
	} else {
		g->label_w = digits_of(g->boxes - 1) + 1 + (word ? WORD : 0); /* "node 12 " */
		g->word = word;
		/* A bar between nodes. */
		g->gap = g->zoom == MAP_ZOOM_LABEL || (!form->tight && (g->zoom == MAP_ZOOM_CELL ||
		    (g->zoom == MAP_ZOOM_HALF && f->view->colors > 1 && !f->fixed)));
	}
	g->colors = colors_of(f->view, &f->estimate->layout, g->stride);
	size_units(g, f->view, f->estimate);
	return true;
}

/* The columns of units that a box has room for. */
static int64_t
most_columns(const struct fit *f, const struct map_grid *g)
{
	const int64_t room = f->w - g->label_w - g->left - (g->framed ? 1 : 0);
	const int64_t n = holders_of(g->units, g->stack), most = room / g->unit_w;

	return most >= n ? n : most > 1 ? most : 1;
}

/* The largest cells are best; then colours in lines, as those go on in the next cell; of nodes the
 * widest, as a character is higher than wide. */
static int64_t
score_of(const struct map_grid *g)
{
	const bool lines = g->zoom >= MAP_ZOOM_CELL && g->colors > 1 && g->unit_h >= g->colors;
	int64_t wide = least_of(g->unit_w, wide_enough[g->zoom]);

	if (g->zoom >= MAP_ZOOM_CELL && !lines && wide > g->colors)
		wide -= wide % g->colors; /* one is as wide as another */
	return wide * g->unit_h * AREA + (lines ? LINES : 0) + (g->zoom >= MAP_ZOOM_NODE ? wide : 0);
}

/* The best one; on paper, and where cells have their own size, with the fewest lines. Then what comes
 * first. False where it does not fit. */
static bool
consider(struct fit *f, const struct map_grid *g)
{
	struct map_grid at = *g;
	int64_t score;

	if (grid_width(&at) > f->w || map_grid_lines(&at) > f->h)
		return false;
	stretch(f, &at);
	score = f->fixed ? -map_grid_lines(&at) : score_of(&at);
	if (f->found && score <= f->score)
		return true;
	f->found = true;
	f->score = score;
	f->best = at;
	return true;
}

static int64_t
equal_columns(int64_t n, int64_t most)
{
	if (most >= n)
		return n;
	for (int64_t c = most; c > 1; c--)
		if (n % c == 0 && c * 2 > most)
			return c;
	return most > 1 ? most : 1;
}

/* One box above the other, where there is another way and lines do not matter. */
static bool
is_pile(const struct fit *f, const struct map_grid *g, int64_t block_cols, bool other)
{
	return f->fixed && other && block_cols == 1 && g->block > 1;
}

/* As many boxes in a row of a block as fit. */
static int64_t
most_boxes(const struct fit *f, const struct map_grid *g, int64_t cols)
{
	const int64_t w = g->left + cols * g->unit_w + g->gap;
	const int64_t room = (f->w - g->label_w - (g->framed ? 1 : 0)) / w;

	return equal_columns(g->block, room > 1 ? room : 1);
}

/* All ways to cut boxes and blocks into equal rows; boxes as wide as they can be where cells
 * have their own size. */
static void
consider_all(struct fit *f, const struct map_grid *g)
{
	const int64_t n = holders_of(g->units, g->stack), most = most_columns(f, g);
	struct map_grid at = *g;
	bool any = false;

	if (f->h < INT64_MAX / f->w &&
	    g->boxes * n * g->unit_w * g->unit_h > f->w * f->h)
		return; /* however it is cut */
	for (int64_t cols = equal_columns(n, most); cols > 0; cols--) {
		if (n % cols != 0 && cols != most)
			continue;
		for (int64_t block_cols = g->block; block_cols > 0; block_cols--)
			for (int halved = 0; halved < (f->fixed ? 1 : HALVED) &&
			    (g->block % block_cols == 0 || block_cols == most_boxes(f, g, cols)) &&
			    !is_pile(f, g, block_cols, any); halved++) {
				place_grid(f, &at, cols, block_cols, halved);
				any = consider(f, &at) || any;
			}
		if (f->fixed)
			break;
	}
}

/* ---- which form ---------------------------------------------------------------------- */

static bool
may_be_tall(const struct fit *f, enum map_zoom zoom)
{
	return zoom == MAP_ZOOM_CARD || (zoom >= MAP_ZOOM_CELL && zoom != MAP_ZOOM_HALF && f->view->colors > 1);
}

static void
consider_form(struct fit *f, const struct form *form)
{
	struct map_grid g;

	for (int tall = 0; tall <= (may_be_tall(f, form->zoom) ? 1 : 0); tall++)
		for (int word = form->framed || form->tight ? 0 : 1; word >= 0; word--)
			if (form_init(f, &g, form, tall == 1, word == 1 || f->view->printed))
				consider_all(f, &g);
}

/* Nodes or racks two in a cell, one above the other: each two rows of them are a box. */
static void
consider_halves(struct fit *f, enum map_zoom zoom)
{
	const struct form form = { zoom, false, false, true };
	struct map_grid g;
	int64_t columns;

	form_init(f, &g, &form, false, false);
	columns = round_number(f, &g, (f->w - g.label_w) / g.unit_w);
	if (columns < 1)
		return;
	g.stack = 2;
	g.units = g.stack * columns;
	g.boxes = holders_of(g.boxes, g.units);
	place_grid(f, &g, columns, 1, 0);
	consider(f, &g);
}

/* True for what the screen alone needs. */
static bool
for_screen(const struct form *form)
{
	return (form->tight && form->zoom < MAP_ZOOM_NODE) ||
	    (form->zoom == MAP_ZOOM_LABEL && !form->framed);
}

/* Cells of the area that the map found takes up. */
static int64_t
cells_covered(const struct map_grid *g)
{
	const int64_t missing = g->across * g->down - holders_of(g->boxes, g->block);

	return grid_width(g) * map_grid_lines(g) - missing * g->block_w * g->block_h;
}

/* The first form of a zoom that fits, of nodes and racks the largest. */
static bool
find_form(struct fit *f, enum map_zoom zoom)
{
	f->found = false;
	if (f->halved)
		consider_halves(f, zoom);
	for (int i = 0; i < FORMS && !f->halved && !(f->found && (zoom < MAP_ZOOM_NODE || f->fixed)); i++)
		if (form_table[i].zoom == zoom && !(f->view->printed && (form_table[i].tight ||
		    for_screen(&form_table[i]))))
			consider_form(f, &form_table[i]);
	return f->found;
}

/* The largest zoom that fits. A power of two of nodes in a row, or what is next to it where that
 * leaves almost half empty. */
static bool
find_zoom(struct fit *f, enum map_zoom first, enum map_zoom last, bool halves)
{
	static const int64_t odds[] = { 1, 5, INT64_MAX };
	struct map_grid best;
	bool any = false;

	for (size_t i = 0; i < sizeof odds / sizeof *odds; i++) {
		enum map_zoom at = first;

		f->odd = odds[i];
		while (at <= last && !((at != MAP_ZOOM_HALF || halves) && find_form(f, at)))
			at++;
		if (at <= last && (!any || cells_covered(&f->best) > cells_covered(&best)))
			best = f->best;
		any = any || at <= last;
		if (f->fixed || (any && cells_covered(&best) * 16 > f->w * f->h * 9))
			break;
	}
	f->best = best;
	return any;
}

/* The fewest lines of a form, which may be more than there are. */
static bool
shortest(struct fit *f, struct map_grid *g, const struct form *form)
{
	struct map_grid at;
	bool any = false;

	f->odd = 1;
	for (int tall = 0; tall <= (may_be_tall(f, form->zoom) ? 1 : 0); tall++) {
		if (!form_init(f, &at, form, tall == 1, !form->tight))
			continue;
		for (int64_t block_cols = at.block; block_cols > 0; block_cols--) {
			if (at.block % block_cols != 0 || is_pile(f, &at, block_cols,
			    any && grid_width(g) <= f->w))
				continue;
			place_grid(f, &at, equal_columns(holders_of(at.units, at.stack), most_columns(f, &at)),
			    block_cols, 0);
			if (!any || (grid_width(g) > f->w && grid_width(&at) <= f->w) ||
			    (grid_width(&at) <= f->w && map_grid_lines(&at) < map_grid_lines(g)))
				*g = at;
			any = true;
		}
	}
	return any;
}

/* Nothing fits: of a zoom's forms the first that can be scrolled down, for cells the one
 * without frames. */
static void
scrolled_form(struct fit *f, struct map_grid *g, enum map_zoom zoom)
{
	struct map_grid at;
	bool any = false;

	for (int i = 0; i < FORMS; i++) {
		const struct form *form = &form_table[i];
		bool whole;

		if (form->zoom != zoom || for_screen(form) || (form->tight && f->view->printed) ||
		    !shortest(f, &at, form))
			continue;
		whole = grid_width(&at) <= f->w;
		if (!any || (whole && grid_width(g) > f->w) || (whole && g->framed && !at.framed) ||
		    (form->tight && map_grid_lines(&at) < map_grid_lines(g)))
			*g = at;
		any = true;
	}
	stretch(f, g);
}

/* Labels say what they number where the map leaves room for that. */
static void
word_labels(const struct fit *f, struct map_grid *g)
{
	if (g->framed || g->word || grid_width(g) + WORD > f->w)
		return;
	g->word = true;
	g->label_w += WORD;
}

void
map_grid_init(struct map_grid *g, const struct map_view *view, const struct plan *p,
    const struct estimate *e, int w, int64_t h)
{
	struct fit f = { .view = view, .plan = p, .estimate = e, .w = w > 1 ? w : 1, .h = h,
		.fixed = view->printed || view->zoom != MAP_ZOOM_AUTO };
	const bool halves = map_grid_has_halves(view);
	const enum map_zoom zoom = view->zoom == MAP_ZOOM_HALF && !halves ? MAP_ZOOM_CELL :
	    view->zoom;
	const enum map_zoom first = zoom != MAP_ZOOM_AUTO ? zoom : map_grid_relates_nodes(view, e) ?
	    MAP_ZOOM_NODE : MAP_ZOOM_CARD;
	const enum map_zoom last = zoom != MAP_ZOOM_AUTO ? zoom :
	    plan_rack_nodes(p) > 1 ? MAP_ZOOM_RACK : MAP_ZOOM_NODE;
	bool fits = find_zoom(&f, first, last, halves);

	f.halved = !fits && halves && last >= MAP_ZOOM_NODE;
	if (f.halved)
		fits = find_zoom(&f, last, last, halves);
	if (fits)
		*g = f.best;
	else
		scrolled_form(&f, g, last);
	word_labels(&f, g);
}
