#include <string.h>

#include "core/base/show.h"
#include "core/base/text.h"
#include "ui/screen/input.h"
#include "ui/screen/line.h"

void
line_start(struct line *line, const char *text, bool fresh)
{
	text_put(line->text, sizeof line->text, "%s", text);
	line->cursor = strlen(line->text);
	line->fresh = fresh && line->cursor > 0;
	line->full = false;
}

static bool
is_inside(char ch)
{
	return ((unsigned char)ch & 0xc0) == 0x80;
}

static size_t
cell_before(const struct line *line, size_t at)
{
	if (at > 0)
		at--;
	while (at > 0 && is_inside(line->text[at]))
		at--;
	return at;
}

static size_t
cell_after(const struct line *line, size_t at)
{
	if (line->text[at] != '\0')
		at++;
	while (is_inside(line->text[at]))
		at++;
	return at;
}

static void
cut_cells(struct line *line, size_t from, size_t to)
{
	memmove(line->text + from, line->text + to, strlen(line->text + to) + 1);
	line->cursor = from;
	line->full = line->full && from == to;
}

static size_t
word_before(const struct line *line)
{
	size_t at = line->cursor;

	while (at > 0 && strchr(" ./-", line->text[at - 1]) != NULL)
		at--;
	while (at > 0 && strchr(" ./-", line->text[at - 1]) == NULL)
		at--;
	return at;
}

static void
insert_key(struct line *line, int32_t key)
{
	char bytes[4];
	size_t n = utf8_put(bytes, (uint32_t)key), length;

	if (line->fresh)
		cut_cells(line, 0, strlen(line->text));
	length = strlen(line->text);
	line->full = length + n >= sizeof line->text;
	if (line->full)
		return;
	memmove(line->text + line->cursor + n, line->text + line->cursor,
	    length - line->cursor + 1);
	memcpy(line->text + line->cursor, bytes, n);
	line->cursor += n;
}

bool
line_key(struct line *line, int32_t key)
{
	if ((key >= ' ' && key < 127) || (key > 0xa0 && key < 0x110000)) {
		insert_key(line, key);
		line->fresh = false;
		return true;
	}
	switch (key) {
	case INPUT_LEFT:
		line->cursor = cell_before(line, line->cursor);
		break;
	case INPUT_RIGHT:
		line->cursor = cell_after(line, line->cursor);
		break;
	case INPUT_HOME:
	case INPUT_CTRL('A'):
		line->cursor = 0;
		break;
	case INPUT_END:
	case INPUT_CTRL('E'):
		line->cursor = strlen(line->text);
		break;
	case INPUT_BACKSPACE:
		cut_cells(line, cell_before(line, line->cursor), line->cursor);
		break;
	case INPUT_DELETE:
	case INPUT_CTRL('D'):
		cut_cells(line, line->cursor, cell_after(line, line->cursor));
		break;
	case INPUT_CTRL('U'):
		cut_cells(line, 0, line->cursor);
		break;
	case INPUT_CTRL('K'):
		line->text[line->cursor] = '\0';
		break;
	case INPUT_CTRL('W'):
		cut_cells(line, word_before(line), line->cursor);
		break;
	default:
		return false;
	}
	line->fresh = false;
	return true;
}
