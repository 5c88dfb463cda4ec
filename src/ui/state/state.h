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

#include "core/estimate/estimate.h"
#include "core/estimate/result.h"
#include "core/estimate/strip.h"
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

enum pane {
#define PANE(id, row) PANE_##id,
#include "ui/state/panes.def"
#undef PANE
	PANE_COUNT
};

/* What the map's pane shows. */
enum picture { PICTURE_MAP, PICTURE_PIPELINE };

/* Lists over the panes. TOPICS are all pages of the primer, TOPIC is one. */
enum list_kind {
	LIST_NONE, LIST_HELP, LIST_DIAGS, LIST_MENDS, LIST_WHY, LIST_CATALOG, LIST_FIELDS,
	LIST_KINDS, LIST_INSPECT, LIST_COMPARE, LIST_HISTORY, LIST_TOPICS, LIST_TOPIC,
	LIST_OPTIONS, LIST_PLANS, LIST_SEARCH, LIST_STEPS, LIST_DIAGNOSE, LIST_YANK, LIST_RUN, LIST_COUNT
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
	EVENT_YANK = 64,    /* state.yank goes to the clipboard */
	EVENT_SHELL = 128,  /* state.shell runs */
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
	struct {
		struct plan plan;       /* the last one that was possible, */
		struct estimate *estimate; /* and its estimate while the present one is not; owned */
		bool known;
	} last;
	bool past;                  /* panes of numbers show those, and say so (panes_look_back) */
	struct advice mends;        /* what would mend the plan, once it was looked for */
	struct field_set asked;     /* what the command line gave, until the first change */
	bool advised;               /* that was, and stands with hints and fixes in estimate->diags */
	struct plan pinned;         /* what changes are held against while has_pin, else saved */
	bool has_pin;
	struct estimate *base;      /* of that plan; owned, and worked out once there are changes: */
	bool based;
	struct settings settings;   /* what the user prefers */

	int columns, rows;
	bool utf8;                  /* the terminal has UTF-8 */
	bool has_mouse;             /* the terminal does */
	bool chinese;               /* the locale speaks Chinese */
	const struct texts *texts;  /* what is said in place of English, NULL: nothing */
	enum theme_colors depth;

	enum pane focus, lower;     /* lower: which of those below the map had it last */
	bool alone;                 /* the pane in focus has all the room */
	struct form form;
	struct map_view map;        /* kinds are indices; the names below survive a new layout */
	char kind[MAP_COLORS_MAX][MAP_COLOR_NAME_SIZE];
	int kinds;                  /* 0: nobody chose; then the first groups are shown, */
	char first_kind[MAP_COLOR_NAME_SIZE]; /* which were these; "": none yet */
	struct where where;         /* what was last looked for on the map */
	enum picture picture;
	struct pipeline_view pipeline;
	bool plain_map;             /* the user wants all groups coloured, not the cursor's alone */
	struct scroll stage, flow, load, phase, figure; /* of the panes memory; traffic, load,
	                             * phases, which take turns; step */

	struct list list;
	struct list below;          /* the one that help or why was opened from and that closing */
	                            /* leads back to */
	struct {
		const struct pane_type *pane; /* the number selected in it is explained */
		struct ledger_term *term; /* its terms; owned, NULL until needed */
		size_t terms;
	} why;
	struct {
		struct plan plan;         /* that the plan is compared with, */
		char name[LINE_SIZE];     /* what it is called, */
		struct estimate *estimate; /* and its estimate; owned, NULL until needed */
		bool all;                 /* what is the same is listed, too */
	} other;
	struct {
		char page[32];            /* TOPIC: which one */
	} topics;
	struct found found;         /* PLANS */
	struct search_view *search;      /* SEARCH: search_view.h; owned */
	struct steps *steps;      /* STEPS: steps.h; owned */
	struct {
		struct node_strip strip;       /* of the plan, while the list is open */
		enum result_id asked;     /* the number that is explained */
	} whole;                    /* RUN */
	struct checkup *checkup;    /* DIAGNOSE: checkup.h; owned, NULL until files were read */

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
		const char *fresh;        /* a plan without a path: what is set in the new one; then its model is
		                           * chosen. NULL: as it is */
	} file;

	char *yank;                 /* what was copied last; owned, NULL: nothing */
	char shell[SETTINGS_TEXT_SIZE]; /* a command of the user's own */
	bool in_lines;              /* linear mode, which tells in its own words what changed */
	int commands_told;          /* there: of the list of commands, up to which "more" goes on */
	enum role message_role;
	char message[STATE_MESSAGE_SIZE]; /* of the last command, "" without one */
};

/* Begin with a plan; its estimate is still to be made. False without memory. */
bool state_init(struct state *s, const struct plan *plan, const struct catalog *catalog,
    const struct app_files *files, const struct app_options *options);
void state_free(struct state *s);

/* Take *next as the plan, where it is another one, and note it for undo as `what`. */
unsigned state_change(struct state *s, const struct plan *next, const char *what);

/* The plan whose numbers the panes below the map show, and its estimate. */
const struct plan *state_shown_plan(const struct state *s);
const struct estimate *state_shown(const struct state *s);

/* Keep the estimate of a plan that is possible, before another plan is estimated in its place. */
void state_keep_last(struct state *s);

/* The plan is not legal or does not fit. */
bool state_is_bad(const struct state *s);

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

/* The plan that changes are held against is another one: estimate it. */
void state_rebase(struct state *s);

/* The language of screen and topics, "en" or "zh": what has no Chinese characters shows English.
 * And take its texts, after a change of settings or terminal. */
const char *state_language(const struct state *s);
void state_speak(struct state *s);

/* Give a pane the focus. */
void state_focus(struct state *s, enum pane pane);

/* Nothing is looked for on the map any more. */
void state_forget_where(struct state *s);
#endif
