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
	INPUT_F1, INPUT_F2, INPUT_F3, INPUT_F10,
	INPUT_RESIZE,   /* the screen has another size */
	INPUT_SIGNAL,   /* a signal asks the program to end */
	INPUT_GONE,     /* the terminal is gone */
};
#define INPUT_CTRL(letter) ((letter) & 0x1f)

/* "Up", "Ctrl-R", "Enter", "x": as help shows it. */
size_t input_name(int32_t key, char *buf, size_t size);
#endif
