/*
 * settings.h - what a user prefers, whatever the plan.
 *
 * One table of settings: the file of settings, the list on the screen, ":settings NAME
 * VALUE" and its completion all read it. Keys of the user's own stand beside it.
 */
#ifndef CORE_SETTINGS_H
#define CORE_SETTINGS_H
#include <stdbool.h>
#include <stddef.h>

enum {
	SETTINGS_TEXT_SIZE = 160,  /* of a value or a command, with its NUL */
	SETTINGS_KEY_SIZE = 16,   /* of a key's name */
	SETTINGS_KEYS_MAX = 64,
};

/* A key of the user's own: "F6" runs "zoom auto", as the ":" prompt would. An empty
 * command takes the meaning from a key that has one. */
struct settings_key {
	char key[SETTINGS_KEY_SIZE], command[SETTINGS_TEXT_SIZE];
	unsigned line; /* of the file that says so, 0 without one */
};

struct settings {
	char palette[SETTINGS_TEXT_SIZE];  /* "auto" or the name of one */
	char language[SETTINGS_TEXT_SIZE]; /* of the topics: "auto", "en" or "zh" */
	bool mouse;                        /* clicks and the wheel come to the program */
	bool ascii;                        /* no characters beyond ASCII */
	struct settings_key key[SETTINGS_KEYS_MAX];
	size_t keys;
};

struct settings_row {
	const char *name;
	const char *choices; /* joined by '|'; NULL: true or false */
	const char *help;    /* one line without a full stop */
	size_t offset;       /* in struct settings: a text, or a bool without choices */
};

extern const struct settings_row settings_table[];
extern const size_t settings_count;

/* As they are when the user never chose any. */
void settings_default(struct settings *s);

/* The row of a name, settings_count without one; and the name nearest to a misspelt one,
 * NULL when none is near. */
size_t settings_find(const char *name);
const char *settings_near(const char *name);

/* The value of a row as one would type it. */
const char *settings_value(const struct settings *s, size_t row);

/* The i-th value that a row can have; false past the end. */
bool settings_choice(size_t row, size_t i, char *buf, size_t size);

/* Give a row a value; on, off, yes and no will do for true and false. False, with the
 * reason in err and nothing changed, when it can not have it. */
bool settings_put(struct settings *s, size_t row, const char *value, char *err, size_t size);

/* Bind a key, in place of what it was bound to; the command may begin with ":". False when
 * there is no room. */
bool settings_bind(struct settings *s, const char *key, const char *command, unsigned line);
#endif
