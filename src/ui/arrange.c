#include "ui/arrange.h"

enum {
	PANES_COLUMNS = 72, PANES_ROWS = 20, /* from here on all panes at once */
	FRAME_COLUMNS = 16, FRAME_ROWS = 7,  /* smaller: no frame, only what is inside */
	FORM_LEAST = 32, FORM_MOST = 46,
	MAP_LEAST = 8, MEMORY_LEAST = 6,
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
		a->header = (struct rect){ 0, 0, w, 1 };
		body.y++;
		body.h--;
	}
	return body;
}

struct arrange
arrange_panes(int columns, int rows, enum pane focus, int stages)
{
	struct arrange a = { 0 };
	struct rect body = take_lines(&a, columns, rows);
	int form, memory;

	a.framed = columns >= FRAME_COLUMNS && rows >= FRAME_ROWS;
	a.tabs = columns < PANES_COLUMNS || rows < PANES_ROWS;
	if (a.tabs) {
		a.pane[focus] = body;
		a.inner[focus] = inside(body, a.framed);
		return a;
	}
	form = clamp(columns * 2 / 5, FORM_LEAST, FORM_MOST);
	if (columns < 90)
		form = FORM_LEAST;
	memory = clamp(stages + 3, MEMORY_LEAST, body.h * 2 / 5 > MEMORY_LEAST ?
	    body.h * 2 / 5 : MEMORY_LEAST);
	if (body.h - memory < MAP_LEAST)
		memory = body.h - MAP_LEAST;
	a.pane[PANE_FORM] = (struct rect){ 0, body.y, form, body.h };
	a.pane[PANE_MAP] = (struct rect){ form, body.y, columns - form, body.h - memory };
	a.pane[PANE_MEMORY] = (struct rect){ form, body.y + body.h - memory, columns - form, memory };
	for (int i = 0; i < PANE_COUNT; i++)
		a.inner[i] = inside(a.pane[i], true);
	return a;
}
