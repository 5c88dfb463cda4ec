/*
 * input.h - keys as numbers: characters as themselves, control keys as their codes
 * (Enter is '\r'), all others below.
 */
#ifndef UI_INPUT_H
#define UI_INPUT_H
#include <stddef.h>
#include <stdint.h>

enum input {
	INPUT_NONE = 0,
	INPUT_TAB = '\t', INPUT_ENTER = '\r', INPUT_ESCAPE = 27,
	INPUT_UP = 0x110000, INPUT_DOWN, INPUT_LEFT, INPUT_RIGHT, INPUT_HOME, INPUT_END,
	INPUT_PAGE_UP, INPUT_PAGE_DOWN, INPUT_BACKSPACE, INPUT_DELETE, INPUT_BACK_TAB,
	INPUT_F1, INPUT_F2, INPUT_F3, INPUT_F4, INPUT_F5, INPUT_F6, INPUT_F7, INPUT_F8, INPUT_F9,
	INPUT_F10, INPUT_F11, INPUT_F12,
	INPUT_MOUSE,    /* a click or a turn of the wheel */
	INPUT_RESIZE,   /* the screen has another size */
	INPUT_BACKGROUND, /* the terminal told the colour behind its text */
	INPUT_STOP,     /* a signal asks the program to stop: term_suspend */
	INPUT_SIGNAL,   /* a signal asks the program to end */
	INPUT_GONE,     /* the terminal is gone */
	/* Set beside a character that was pasted: it is text, and no key. */
	INPUT_PASTED = 0x200000,
};

/* The place, counted from the upper left, and the action that came with INPUT_MOUSE. */
enum mouse_action { MOUSE_CLICK, MOUSE_WHEEL_UP, MOUSE_WHEEL_DOWN };

struct mouse {
	int x, y;
	enum mouse_action action;
};

#define INPUT_CTRL(letter) ((letter) & 0x1f)

/*
 * "Up", "Ctrl-R", "Enter", "F6", "x": a key as help shows it and as a user writes it. Names
 * are those of the table, in either case; "Ctrl-" and a letter; or any one character, where
 * capitals count. "" for what is no key; Alt is not told from Escape and a character.
 */
size_t input_name(int32_t key, char *buf, size_t size);

/* The key of that name, INPUT_NONE without one. */
int32_t input_of_name(const char *name);
#endif
