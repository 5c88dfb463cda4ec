/*
 * state.h - everything the screen knows.
 *
 * key -> command (command.h) -> app_event: edits the state and says by flags what must
 * happen -> app_act: files and the estimate -> app_draw: a picture on a canvas. None of
 * it touches a terminal, so a whole session runs in a test.
 *
 * Functions here know neither panes nor lists nor commands: those know the state.
 */
#ifndef UI_STATE_H
#define UI_STATE_H
#include <stdbool.h>
#include <stdint.h>

#include "core/estimate/estimate.h"
#include "core/plan/catalog.h"
#include "core/plan/field_set.h"
#include "core/plan/plan.h"
#include "core/search/advice.h"
#include "prefs/settings.h"
#include "ui/map/map.h"
#include "ui/map/pipeline.h"
#include "ui/map/where.h"
#include "ui/screen/line.h"
#include "ui/screen/scroll.h"
#include "ui/state/files.h"
#include "ui/state/found.h"
#include "ui/state/recall.h"
#include "ui/state/undo.h"
#include "ui/state/words.h"

/* In the order of the Tab key. From MEMORY on they take turns where one alone has room; STEP
 * is the serving engine in serve mode, and traffic its times under load. */
enum pane { PANE_FORM, PANE_MAP, PANE_MEMORY, PANE_TRAFFIC, PANE_STEP, PANE_COUNT };

/* What the map's pane shows. */
enum picture { PICTURE_MAP, PICTURE_PIPELINE };

/* Lists over the panes. TOPICS are all pages of the primer, TOPIC is one. */
enum list_kind {
	LIST_NONE, LIST_HELP, LIST_DIAGS, LIST_MENDS, LIST_WHY, LIST_CATALOG, LIST_FIELDS,
	LIST_KINDS, LIST_INSPECT, LIST_COMPARE, LIST_HISTORY, LIST_TOPICS, LIST_TOPIC,
	LIST_OPTIONS, LIST_PLANS, LIST_SEARCH, LIST_STEPS, LIST_COUNT
};

enum prompt_kind {
	PROMPT_NONE, PROMPT_FIELD, PROMPT_COMMAND, PROMPT_SAVE, PROMPT_GO,
	PROMPT_FILTER, PROMPT_COUNT
};

enum question_kind {
	QUESTION_NONE, QUESTION_QUIT, QUESTION_OPEN, QUESTION_OVERWRITE, QUESTION_RECOVER
};

/* What must happen after an event. */
enum event_flag {
	EVENT_RECALC = 1,  /* the plan is another one */
	EVENT_SAVE = 2,    /* write it to state.file.path ("": where it came from) */
	EVENT_OPEN = 4,    /* read state.file.path ("": the built-in plan) */
	EVENT_QUIT = 8,
	EVENT_SUSPEND = 16,
	EVENT_REPAINT = 32, /* send the whole screen again */
};

enum { STATE_PATH_SIZE = LINE_SIZE, STATE_TERMS = 2048, STATE_MESSAGE_SIZE = 512 };

/* The fields as a list with headings. */
struct form {
	enum field_id field; /* selected */
	bool all;            /* every field, else those that most plans need */
	bool walked;         /* the user went to another one since the plan last changed */
	int first;           /* first row shown */
};

/* The list over the panes that is open. list.h opens and closes it. */
struct list {
	enum list_kind kind;
	int item, first_line;   /* its selected entry, its first line shown */
	char filter[LINE_SIZE];
	enum field_id fills;    /* CATALOG: the field that an entry goes to */
};

/* The one-line editor. prompt.h opens and closes it. */
struct prompt {
	enum prompt_kind kind;
	struct line line;
	struct words words;     /* what Tab found */
	struct recall recall;   /* lines of the ":" prompt */
	struct list before;     /* FILTER: the list that Escape goes back to */
	char error[STATE_MESSAGE_SIZE]; /* what is wrong with what was typed or answered */
};

struct state {
	const struct catalog *catalog;
	const struct app_files *files;
	const struct list_type *const *lists; /* their functions, by enum list_kind */

	struct plan plan, saved;    /* as shown; as on disk */
	struct undo undo;
	struct estimate *estimate;  /* of plan; owned */
	struct advice mends;        /* what would mend the plan, once it was looked for */
	struct field_set asked;     /* what the command line gave, until the first change */
	bool advised;               /* that was, and stands with hints and fixes in estimate->diags */
	struct plan pinned;         /* what changes are held against while has_pin, else saved */
	bool has_pin;
	struct estimate *base;      /* of that plan; owned */
	struct settings settings;   /* what the user prefers */

	int columns, rows;
	bool utf8;                  /* the terminal has UTF-8 */
	bool chinese;               /* the locale speaks Chinese */
	enum theme_colors depth;

	enum pane focus, lower;     /* lower: which of memory, traffic, step had it last */
	bool alone;                 /* the pane in focus has all the room */
	struct form form;
	struct map_view map;        /* kinds are indices; the names below survive a new layout */
	char kind[MAP_COLORS_MAX][MAP_COLOR_NAME_SIZE];
	int kinds;
	struct where where;         /* what was last looked for on the map */
	enum picture picture;
	struct pipeline_view pipeline;
	bool plain_map;             /* the user wants all groups coloured, not the cursor's alone */
	struct scroll stage, flow, figure; /* of the panes memory, traffic, step */

	struct list list;
	struct list below;          /* the one that help or why was opened from and that closing */
	                            /* leads back to */
	struct {
		enum pane pane;           /* the number selected in this pane is explained */
		struct ledger_term *term; /* its terms; owned, NULL until needed */
		size_t terms;
	} why;
	struct {
		struct plan plan;         /* that the plan is compared with, */
		char name[LINE_SIZE];     /* what it is called, */
		struct estimate *estimate; /* and its estimate; owned, NULL until needed */
	} other;
	struct {
		char page[32];            /* TOPIC: which one */
	} topics;
	struct found found;         /* PLANS */
	struct lookup *lookup;      /* SEARCH: lookup.h; owned */
	struct around *around;      /* STEPS: around.h; owned */

	struct prompt prompt;
	struct {
		enum question_kind kind;
		char note[STATE_MESSAGE_SIZE]; /* OVERWRITE: what is asked; RECOVER: of when the work is */
		struct plan draft;        /* RECOVER: unsaved work of another session */
	} question;
	struct {
		char path[STATE_PATH_SIZE]; /* to save to or to open */
		bool force;               /* save: the user agreed to overwrite */
		bool then_quit;           /* save, then quit */
		bool then_open;           /* save, then open: */
		char next[STATE_PATH_SIZE];
	} file;

	bool in_lines;              /* linear mode, which tells in its own words what changed */
	enum role message_role;
	char message[STATE_MESSAGE_SIZE]; /* of the last command, "" without one */
};

/* Begin with a plan; its estimate is still to be made. False without memory. */
bool state_init(struct state *s, const struct plan *plan, const struct catalog *catalog,
    const struct app_files *files, const struct app_options *options);
void state_free(struct state *s);

/* Take *next as the plan, where it is another one, and note it for undo as `what`. */
unsigned state_change(struct state *s, const struct plan *next, const char *what);

/* The plan is not legal or does not fit. */
bool state_is_bad(const struct state *s);

/* The fields of the last change, which are to give way last. */
struct field_set state_asked(const struct state *s);

/* Look for what would mend or better the plan, and for fixes of the estimate's diagnostics,
 * unless that was done. It takes as long as hundreds of estimates: the screen does it while no
 * key waits, and what needs it calls this first. */
void state_advise(struct state *s);

bool state_unsaved(const struct state *s);

/* Two plans in which the user chose the same, so that one file would say both. */
bool state_same(const struct plan *a, const struct plan *b);
void state_say(struct state *s, enum role role, const char *fmt, ...) TEXT_FORMAT(3, 4);

/* The name of the file of the plan, or "(new plan)". */
const char *state_file_name(const struct state *s);

/* The plan that changes are held against, what it is called ("saved", "pinned", "start" where there
 * is no file yet), and its estimate: NULL where the two have nothing in common, one trains and one
 * serves, or they are of two models and the user did not ask for that by a pin. */
const struct plan *state_base(const struct state *s);
const char *state_base_name(const struct state *s);
const struct estimate *state_base_estimate(const struct state *s);

/* That plan is another one: estimate it. */
void state_rebase(struct state *s);

/* lookup.c: the fields that a search is to choose, while that is marked; the end of it all. */
struct field_set lookup_free_fields(const struct state *s);
bool lookup_init(struct state *s);
void lookup_free(struct state *s);

/* around.c */
bool around_init(struct state *s);
void around_free(struct state *s);

/* The plan is another one. */
void lookup_forget(struct state *s);
void around_forget(struct state *s);

/* Give a pane the focus. */
void state_focus(struct state *s, enum pane pane);

/* Nothing is looked for on the map any more. */
void state_forget_where(struct state *s);
#endif
