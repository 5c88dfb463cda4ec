/*
 * pane.h - a pane is a row of functions, in the file that draws it.
 *
 * An area is what is inside the pane's frame. Its height is 0 where it is not shown.
 */
#ifndef UI_PANE_H
#define UI_PANE_H
#include "core/estimate/explain.h"
#include "ui/screen/canvas.h"
#include "ui/state/state.h"

/* Where a command's keys work. Its name works everywhere. PIPELINE is what takes turns with
 * the map, MEMORY every pane of numbers: memory, traffic, step. */
enum context {
	CONTEXT_FORM = 1, CONTEXT_MAP = 2, CONTEXT_PIPELINE = 4, CONTEXT_MEMORY = 8,
	CONTEXT_LIST = 16,
	CONTEXT_SEARCH = 32, CONTEXT_DIAGNOSE = 64, /* lists that have keys of their own besides */
	CONTEXT_PANES = CONTEXT_FORM | CONTEXT_MAP | CONTEXT_PIPELINE | CONTEXT_MEMORY,
	CONTEXT_ALL = CONTEXT_PANES | CONTEXT_LIST,
};

/* How the number selected follows: lines, "" for none, and results whose terms are shown. */
struct why {
	char title[128];      /* "memory of stage 2" */
	char line[2][640];
	struct {
		enum result_id id;
		bool parts;       /* and those of the parts of a step */
	} result[3];
	int results;
	int64_t row;          /* of one row of traffic, -1: of all */
};

/* Functions that may be NULL say what happens then. */
struct pane_type {
	const char *name;    /* as one goes to it */
	const char *title;   /* alone in its frame, */
	const char *serving; /* and when serving, also among others, NULL: the same */
	const char *trainer; /* alone, of a plan with rollouts: what is not of its whole step; NULL: the same; */
	const char *trains;  /* and its name among others then, NULL: the same */
	enum context context;
	const char *click;   /* command of a click on what is selected */

	void (*draw)(const struct state *s, struct canvas *c, struct rect r);
	/* Of a pane below the map: lines that it would like inside a frame so wide; and the fewest
	 * with the frame, 0: no fewer than it would like. */
	int (*lines)(const struct state *s, int w);
	int least;
	/* What the title goes on with; tabs: it is one of the names that take turns. NULL:
	 * nothing. And the lower edge while it has the focus. NULL: nothing. */
	void (*add_title)(const struct state *s, bool tabs, int room, char *buf, size_t size);
	void (*edge)(const struct state *s, int w, char *buf, size_t size);
	struct part (*part)(const struct state *s, struct rect r); /* which lines are shown */
	/* The selected number in one line: what it is, or comes to. NULL: none. */
	void (*line)(const struct state *s, char *buf, size_t size);
	/* Why that is so: the terms, which the estimate of the screen is made without, and what
	 * they explain. NULL: it has no numbers, the memory of the stage is explained. */
	void (*note)(const struct state *s, struct ledger *ledger);
	void (*why)(const struct state *s, struct why *why);
	/* The topic that what is selected belongs to. NULL: that of its name. */
	void (*subject)(const struct state *s, char *buf, size_t size);

	/* Select what is `way` lines down; columns to the right, NULL: nothing; the last or the
	 * first, NULL: as far as lines go. Lines of a page; NULL: the area's, less one. */
	void (*move)(struct state *s, struct rect r, int way);
	void (*aside)(struct state *s, struct rect r, int way);
	void (*end)(struct state *s, struct rect r, int way);
	int (*page)(const struct state *s, struct rect r);

	/* Scroll so that what is selected is visible; move the lines shown, NULL: zoom. */
	void (*follow)(struct state *s, struct rect r);
	void (*scroll)(struct state *s, struct rect r, int lines);
	void (*zoom)(struct state *s, struct rect r, int way); /* way 1: larger. NULL: nothing */

	/* The entry at a place counted from the area's upper left, -1 without one. Select it;
	 * false where it was so already. */
	int64_t (*at)(const struct state *s, struct rect r, int x, int y);
	bool (*select)(struct state *s, int64_t entry);

	/* Of a table: how many rows it has, whether a heading stands above them, and where in the
	 * state their struct scroll is. All but draw, line, note, why and subject is then NULL: it
	 * follows (panes.h). NULL: no table. */
	int64_t (*rows)(const struct state *s);
	bool heading;
	size_t scrolled;
};

enum {
	PANE_FAR = 1 << 20, /* more than any pane has lines or columns */
	TABLE_LEAST = 5,    /* lines of a table with its frame */
	HEADING_FROM = 3,   /* lines of an area with room for a heading */
};

/* Rows of a table that fit below its heading. */
static inline int
pane_rows(int h)
{
	return h >= HEADING_FROM ? h - 1 : h;
}

/* The rows, each in the file that draws it; pipeline_pane takes turns with the map, load_pane and
 * phases_pane with the traffic. */
#define PANE(id, row) extern const struct pane_type row;
#include "ui/state/panes.def"
#undef PANE
extern const struct pane_type pipeline_pane, load_pane, phases_pane;

/* Whether colours tell the parts of a bar apart, without their glyphs. */
static inline bool
pane_is_solid(const struct state *s, const struct canvas *c)
{
	return s->depth >= THEME_16 && c->utf8 && !s->past;
}

/* Whose numbers those are that the pane shows while the plan has none. */
#define PANE_PAST "last legal plan"

/* Words in place of what there is not, with the cursor where the pane has the focus. */
static inline void
pane_nothing(struct canvas *c, struct rect r, bool focus, const char *text)
{
	canvas_wrapped(c, r, (struct style){ .role = ROLE_DIM }, text);
	if (focus) {
		c->cursor_x = r.x;
		c->cursor_y = r.y;
	}
}
#endif
