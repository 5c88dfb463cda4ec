#include "core/text.h"
#include "ui/input.h"

size_t
input_name(int32_t key, char *buf, size_t size)
{
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
		{ INPUT_F3, "F3" }, { INPUT_F10, "F10" },
	};

	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (table[i].key == key)
			return text_put(buf, size, "%s", table[i].name);
	if (key > 0 && key < 32)
		return text_put(buf, size, "Ctrl-%c", key + 64);
	if (key < 127)
		return text_put(buf, size, "%c", (int)key);
	return text_put(buf, size, "?");
}
