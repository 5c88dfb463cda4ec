/*
 * command.h - the one table of commands: keys, names, help and functions.
 *
 * Keys, the footer, the help screen and the ":" prompt all read it.
 */
#ifndef UI_COMMAND_H
#define UI_COMMAND_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ui/app/complete.h"
#include "ui/pane/pane.h"

enum { COMMAND_KEYS_MAX = 6 };

struct command {
	const char *name;
	int32_t key[COMMAND_KEYS_MAX]; /* ended by 0 */
	unsigned contexts;
	const char *argument;  /* what the ":" prompt may put after the name, "" for nothing */
	const char *hint;      /* "key|what" for the footer, or NULL */
	const char *help;      /* one line without a full stop */
	/* All return event flags. `act` takes no argument; without one `step` is taken, where there
	 * is one; `set` is for settings, which have the name of their command. */
	unsigned (*act)(struct state *s);
	unsigned (*run)(struct state *s, const char *argument);
	unsigned (*step)(struct state *s, int way);
	unsigned (*set)(struct state *s, const char *name, const char *argument);
	int way; /* for step: 1 or -1, forth or back; a number of kinds; a list; flags */
	enum source source; /* what the argument can be, for Tab */
};

extern const struct command command_table[];
extern const size_t command_count;

/* The context of the state: a list, or the pane in focus. */
enum context command_context(const struct state *s);
enum context command_context_of(const struct state *s, enum list_kind list); /* with such a list open, or none */

const struct command *command_of_key(int32_t key, enum context context);
const struct command *command_find(const char *name);

/* The user's own binding of a key where the state is now, NULL without one. It works where
 * the command works that it runs, and a field's name in all panes. */
const struct settings_key *command_own_key(const struct state *s, int32_t key);

/* True for what can be run: commands, and fields as commands ("tp 8"). And the name nearest
 * to a misspelt one, NULL when none is near. */
bool command_is_known(const char *name);
const char *command_near(const char *name);

/* True for a line as after ":" that shows its effect in the panes, not in lists. */
bool command_is_of_panes(const char *line);

/* Its keys as text: "Up k", `most` at most. settings, where not NULL, have keys of the user's own:
 * they come first, and those that they give another meaning are left out. */
size_t command_keys(const struct command *command, const struct settings *settings, int most,
    char *buf, size_t size);

/* Run a command: edits the state, returns event flags. Pure. */
unsigned app_event(struct state *s, const struct command *command, const char *argument);

/* Run a line as after ":", a command or a field: "set parallel.tp 8", "tp 8". */
unsigned command_line(struct state *s, const char *text);
#endif
