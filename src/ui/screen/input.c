#include "ui/screen/input.h"

#include <string.h>
#include <strings.h>

#include "core/base/show.h"
#include "core/base/text.h"

enum { UNICODE_END = 0x110000 };

/* Terminals send some control characters for keys with a name. */
static const struct {
	int32_t key;
	const char *name;
} table[] = {
	{ INPUT_TAB, "Tab" }, { INPUT_ENTER, "Enter" }, { INPUT_ESCAPE, "Esc" },
	{ ' ', "Space" }, { INPUT_UP, "Up" }, { INPUT_DOWN, "Down" }, { INPUT_LEFT, "Left" },
	{ INPUT_RIGHT, "Right" }, { INPUT_HOME, "Home" }, { INPUT_END, "End" },
	{ INPUT_PAGE_UP, "PgUp" }, { INPUT_PAGE_DOWN, "PgDn" },
	{ INPUT_BACKSPACE, "Backspace" }, { INPUT_DELETE, "Delete" },
	{ INPUT_BACK_TAB, "Shift-Tab" }, { INPUT_F1, "F1" }, { INPUT_F2, "F2" },
	{ INPUT_F3, "F3" }, { INPUT_F4, "F4" }, { INPUT_F5, "F5" }, { INPUT_F6, "F6" },
	{ INPUT_F7, "F7" }, { INPUT_F8, "F8" }, { INPUT_F9, "F9" }, { INPUT_F10, "F10" },
	{ INPUT_F11, "F11" }, { INPUT_F12, "F12" },
	/* Names that are read, but not shown. */
	{ INPUT_BACKSPACE, "Ctrl-H" }, { INPUT_ENTER, "Ctrl-J" }, { INPUT_ESCAPE, "Escape" },
	{ INPUT_ENTER, "Return" }, { INPUT_DELETE, "Del" }, { INPUT_PAGE_UP, "PageUp" },
	{ INPUT_PAGE_DOWN, "PageDown" },
};

size_t
input_name(int32_t key, char *buf, size_t size)
{
	char bytes[4];

	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (table[i].key == key)
			return text_put(buf, size, "%s", table[i].name);
	if (key > 0 && key < ' ')
		return text_put(buf, size, "Ctrl-%c", (int)key + 64);
	if (key > ' ' && key < UNICODE_END && key != 127 && (key < 0x80 || key >= 0xa0) &&
	    (key < 0xd800 || key > 0xdfff))
		return text_put(buf, size, "%.*s", (int)utf8_put(bytes, (uint32_t)key), bytes);
	return text_put(buf, size, "%s", "");
}

int32_t
input_of_name(const char *name)
{
	const size_t n = utf8_length(name, strlen(name));
	char again[8];
	int32_t ch;

	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (strcasecmp(table[i].name, name) == 0)
			return table[i].key;
	if (strncasecmp(name, "Ctrl-", 5) == 0 && name[5] != '\0' && name[6] == '\0') {
		ch = name[5] >= 'a' && name[5] <= 'z' ? name[5] - 32 : name[5];
		return ch > '@' && ch <= '_' ? INPUT_CTRL(ch) : INPUT_NONE;
	}
	if (n == 0)
		return INPUT_NONE;
	ch = (int32_t)utf8_char(name, n);
	/* Exactly what is shown for it, so one character and no more. */
	input_name(ch, again, sizeof again);
	return again[0] != '\0' && text_equal(again, name) ? ch : INPUT_NONE;
}
