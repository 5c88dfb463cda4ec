/*
 * state.h - everything the screen knows, and what events make of it.
 *
 * key -> command (command.h) -> app_event: edits the state and says by flags what must
 * happen -> state_act: files and the estimate -> app_draw: a picture on a canvas. None of
 * it touches a terminal, so a whole session runs in a test.
 */
#ifndef UI_STATE_H
#define UI_STATE_H
#include <stdbool.h>
#include <stdint.h>

#include "core/advice.h"
#include "core/catalog.h"
#include "core/estimate.h"
#include "core/plan.h"
#include "core/settings.h"
#include "ui/app.h"
#include "ui/arrange.h"
#include "ui/canvas.h"
#include "ui/complete.h"
#include "ui/form.h"
#include "ui/line.h"
#include "ui/map.h"
#include "ui/pipeline.h"
#include "ui/recall.h"
#include "ui/undo.h"
#include "ui/where.h"

enum overlay {
	OVERLAY_NONE, OVERLAY_HELP, OVERLAY_DIAGS, OVERLAY_MENDS, OVERLAY_WHY, OVERLAY_CATALOG, OVERLAY_FIELDS,
	OVERLAY_KINDS, OVERLAY_INSPECT, OVERLAY_COMPARE, OVERLAY_HISTORY, OVERLAY_TOPICS,
	OVERLAY_OPTIONS, OVERLAY_COUNT
};

enum prompt {
	PROMPT_NONE, PROMPT_FIELD, PROMPT_COMMAND, PROMPT_OPEN, PROMPT_SAVE, PROMPT_GO,
	PROMPT_FILTER
};

enum question {
	QUESTION_NONE, QUESTION_QUIT, QUESTION_OPEN, QUESTION_OVERWRITE, QUESTION_RECOVER
};

/* What the map's pane shows. */
enum picture { PICTURE_MAP, PICTURE_PIPELINE };

/* What must happen after an event. */
enum event_flag {
	EVENT_RECALC = 1,  /* the plan is another one */
	EVENT_SAVE = 2,    /* write it to state.path ("": where it came from) */
	EVENT_OPEN = 4,    /* read state.path */
	EVENT_QUIT = 8,
	EVENT_SUSPEND = 16,
	EVENT_REPAINT = 32, /* send the whole screen again */
};

enum { STATE_PATH_SIZE = LINE_SIZE, STATE_TERMS = 2048, STATE_MESSAGE_SIZE = 512 };

struct state {
	const struct catalog *catalog;
	const struct app_files *files;

	struct plan plan, saved;    /* as shown; as on disk */
	struct undo undo;
	struct estimate *estimate;  /* of plan; owned */
	struct advice mends;        /* while their list is open: what would mend the plan */
	struct field_set asked;     /* what the command line gave, until the first change */
	bool noted;                 /* hints stand in estimate->diags */
	struct plan pinned;         /* what changes are held against while has_pin, else saved */
	bool has_pin;
	struct estimate *base;      /* of that plan; owned */
	struct plan other;          /* compare: the other plan, */
	char other_name[LINE_SIZE]; /* what it is called, */
	struct estimate *other_estimate; /* and its estimate; owned, NULL until needed */
	struct settings settings;   /* what the user prefers */

	int columns, rows;
	bool utf8;                  /* the terminal has UTF-8 */
	bool chinese;               /* the locale speaks Chinese */
	enum theme_colors depth;

	enum pane focus, lower;     /* lower: which of memory, traffic, step had it last */
	struct form form;
	struct map_view map;        /* kinds are indices; the names below survive a new layout */
	char kind[MAP_COLORS_MAX][MAP_COLOR_NAME_SIZE];
	int kinds;
	struct where where;         /* what was last looked for on the map */
	enum picture picture;
	struct pipeline_view pipeline;
	bool plain_map;             /* the user wants all groups coloured, not the cursor's alone */
	int64_t stage, first_stage; /* memory pane: selected bar, first one shown */
	int flow, first_flow;       /* traffic pane: row */
	int figure, first_figure;   /* step pane: figure, first line */

	enum overlay overlay;
	int item, first_line;       /* its selected item, its first line shown */
	char filter[LINE_SIZE];
	struct {
		enum overlay overlay; /* the list that help or why was opened from and that */
		                      /* closing leads back to; NONE without one */
		int item, first_line;
		char filter[LINE_SIZE];
	} below;
	enum field_id overlay_field; /* catalogue list: which field it fills */
	enum pane why;              /* why view: the number selected in this pane */
	struct ledger_term *terms;  /* its terms; owned, NULL until needed */
	size_t term_count;

	char topic[32];             /* topics: the one that is open, "" for the list of all */

	enum prompt prompt;
	struct line line;
	struct completion completion; /* what Tab found */
	struct recall recall;       /* lines of the ":" prompt */
	char old_filter[LINE_SIZE]; /* what Escape goes back to: filter, selection, scrolling */
	int old_item, old_line;
	enum question question;
	char path[STATE_PATH_SIZE]; /* file to save to or to open */
	bool force;                 /* save: the user agreed to overwrite */
	bool quit_after;            /* save, then quit */
	bool open_after;            /* save, then open: */
	char next_path[STATE_PATH_SIZE];
	struct plan draft;          /* RECOVER: unsaved work of another session, */
	char draft_note[128];       /* and of when it is */

	bool in_lines;              /* linear mode, which tells in its own words what changed */
	enum role message_role;
	char message[STATE_MESSAGE_SIZE]; /* of the last command, "" without one */
	char prompt_error[STATE_MESSAGE_SIZE];
};

/* Begin with a plan. False without memory. */
bool state_init(struct state *s, const struct plan *plan, const struct catalog *catalog,
    const struct app_files *files, const struct app_options *options);
void state_free(struct state *s);
void state_resize(struct state *s, int columns, int rows);

/* The state's key, from the terminal or a test: looks up the command, runs it and acts.
 * Returns what is left to the loop: QUIT, SUSPEND, REPAINT. */
unsigned state_key(struct state *s, int32_t key);

/* Run a command by name, as the ":" prompt does ("set parallel.tp 8"), and act. */
unsigned state_command(struct state *s, const char *text);

/* Do what flags ask for, files and estimate; returns what is left to the loop. */
unsigned state_act(struct state *s, unsigned flags);

/* Take *next as the plan, where it is another one, and note it for undo as `what`. */
unsigned state_change(struct state *s, const struct plan *next, const char *what);

bool state_unsaved(const struct state *s);

/* Two plans in which the user chose the same, so that one file would say both. */
bool state_same(const struct plan *a, const struct plan *b);
void state_say(struct state *s, enum role role, const char *fmt, ...) TEXT_FORMAT(3, 4);

/* The plan that changes are held against, what it is called ("saved", "pinned"), and its
 * estimate: NULL where the two have nothing in common, one trains and one serves. */
const struct plan *state_base(const struct state *s);
const char *state_base_name(const struct state *s);
const struct estimate *state_base_estimate(const struct state *s);

/* That plan is another one: estimate it. */
void state_rebase(struct state *s);

/* Rectangles as the screen is now, or as if another pane had the focus. */
struct arrange state_arrange(const struct state *s);
struct arrange state_arrange_for(const struct state *s, enum pane focus);

/* Traffic is shown when training only. */
bool state_has_pane(const struct state *s, enum pane pane);

/* Give a pane the focus. */
void state_focus(struct state *s, enum pane pane);

/* Scroll every pane so that its selection is visible. */
void state_follow(struct state *s);

/* Colour the map by these sources (map_color.h), as far as the layout has them, and show
 * it. */
void state_show_kinds(struct state *s, const char *const name[], int n);

/* Draw the screen. The canvas has the state's size. */
void app_draw(const struct state *s, struct canvas *c);
#endif
