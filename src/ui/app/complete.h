/*
 * complete.h - what Tab goes on with at a prompt: commands, fields, their values, names of
 * all that commands take, paths.
 */
#ifndef UI_COMPLETE_H
#define UI_COMPLETE_H
#include <stdbool.h>
#include <stddef.h>

#include "ui/state/state.h"

/* Sources of words. */
enum source {
	SOURCE_NONE, SOURCE_COMMAND, SOURCE_FIELD, SOURCE_VALUE, SOURCE_KINDS, SOURCE_ZOOM,
	SOURCE_PANE, SOURCE_SETTING, SOURCE_SETTING_VALUE, SOURCE_TOPIC,
	SOURCE_HELP, SOURCE_WHERE, SOURCE_PATH, SOURCE_SEARCH, SOURCE_SEARCHED, SOURCE_TARGET,
	SOURCE_EXPORT, SOURCE_YANK
};

/* Tab (way 1) and Shift-Tab (-1) in the state's line: find what can follow and put in the
 * first, or put in the next one. False when nothing begins like the word. */
bool complete_step(struct state *s, int way);

/* True where there is something to choose from, whatever was typed: not where a number
 * goes. */
bool complete_is_choice(const struct state *s);

/* One line about what is being typed at the ":" prompt: the command, or the field and what
 * it can be; "" without anything to say. */
void complete_about(const struct state *s, char *buf, size_t size);
#endif
