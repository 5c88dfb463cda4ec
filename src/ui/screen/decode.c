#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "core/base/text.h"
#include "ui/screen/decode.h"

enum {
	BELL = 7, ESCAPE = 27, X10_SIZE = 3,
	ESCAPE_MS = 25,  /* a sequence that an Escape begins goes on within this time */
	ANSWER_MS = 250, /* an answer that two bytes began; else it is Alt and a key */
	PAUSE_MS = 1000, /* within an answer, and after an Escape within a paste */
};

static const char paste_begin[] = "\033[200~", paste_end[] = "\033[201~";

/* All of these take something off the front of the bytes: they return how many bytes it
 * has, 0 when more are needed to tell, and the key, where it is one. */

static size_t
take_character(const struct decoder *d, int32_t *key)
{
	mbstate_t fresh = { 0 };
	wchar_t ch = L'\0';
	const size_t n = mbrtowc(&ch, d->byte, d->count, &fresh);

	if (n == (size_t)-2)
		return 0;
	/* Neither half a pair of UTF-16 nor a control character beyond ASCII is a key. */
	if (n == 0 || n == (size_t)-1 || (ch >= 0x80 && ch < 0xa0) || (ch >= 0xd800 && ch < 0xe000) ||
	    ch >= INPUT_UP)
		return n == 0 || n == (size_t)-1 ? 1 : n;
	*key = ch == 127 || ch == 8 ? INPUT_BACKSPACE : ch == '\n' ? INPUT_ENTER : (int32_t)ch;
	return n;
}

static int32_t
mouse_key(struct decoder *d, int button, int x, int y)
{
	button &= ~(4 | 8 | 16); /* Shift, Alt, Ctrl */
	if (x < 1 || y < 1)
		return INPUT_NONE;
	d->mouse = (struct mouse){ .x = x - 1, .y = y - 1 };
	if (button == 64)
		d->mouse.action = MOUSE_WHEEL_UP;
	else if (button == 65)
		d->mouse.action = MOUSE_WHEEL_DOWN;
	else if (button != 0)
		return INPUT_NONE;
	return INPUT_MOUSE;
}

/* After the mark of the mouse, n bytes: three more, or "0;12;5M". */
static size_t
take_mouse(struct decoder *d, size_t n, int32_t *key)
{
	const char *at = d->byte + n;
	int part[3];
	char *end;

	if (d->byte[n - 1] != '<') {
		if (d->count < n + X10_SIZE)
			return 0;
		for (int i = 0; i < X10_SIZE; i++)
			part[i] = (unsigned char)at[i] - 32;
		*key = mouse_key(d, part[0], part[1], part[2]);
		return n + X10_SIZE;
	}
	n += strspn(at, "0123456789;");
	if (n == d->count)
		return 0;
	for (int i = 0; i < 3; i++, at = end + (*end == ';'))
		part[i] = (int)strtol(at, &end, 10);
	if (d->byte[n] == 'M') /* m: let go */
		*key = mouse_key(d, part[0], part[1], part[2]);
	return n + 1;
}

/* A key of the terminal's type; what is no such is left to others by *known. */
static size_t
take_known(struct decoder *d, int32_t *key, bool *known)
{
	char text[sizeof d->byte];

	for (size_t n = 1; n <= d->count; n++) {
		int32_t found;

		memcpy(text, d->byte, n);
		text[n] = '\0';
		found = d->find(text);
		if (found == DECODE_PART)
			continue;
		*known = found != DECODE_UNKNOWN;
		if (found == INPUT_MOUSE)
			return take_mouse(d, n, key);
		if (found != DECODE_UNUSED)
			*key = found;
		return n;
	}
	*known = true;
	return 0;
}

/* OSC, DCS, SOS, PM or APC: a text follows. */
static bool
begins_answer(const struct decoder *d)
{
	return d->count > 1 && d->byte[0] == ESCAPE && d->byte[1] != '\0' &&
	    strchr("]PX^_", d->byte[1]) != NULL;
}

/* "CSI ? 2026 ; Ps $ y", where 1 and 2 are set and reset; others do not know it, or never will. */
static bool
tells_sync(const struct decoder *d, size_t n)
{
	static const char begin[] = "\033[?2026;", end[] = "$y";
	const size_t at = sizeof begin - 1;

	return n == at + sizeof end && memcmp(d->byte, begin, at) == 0 &&
	    (d->byte[at] == '1' || d->byte[at] == '2') && memcmp(d->byte + at + 1, end, sizeof end - 1) == 0;
}

/* Escape, [ or O, parameters, and the byte that ends it; or Escape alone. */
static size_t
take_escape(struct decoder *d, bool late, int32_t *key)
{
	size_t n = 2;

	if (begins_answer(d)) {
		d->answering = d->count > 2;
		text_put(d->answer, sizeof d->answer, "%c", d->byte[1]);
		if (d->answering)
			return n;
	} else if (d->count > 1 && d->byte[1] != '[' && d->byte[1] != 'O')
		late = true;
	else if (d->count > 2) {
		n += d->byte[2] == '['; /* function keys of the Linux console */
		while (n < d->count && d->byte[n] >= ' ' && d->byte[n] < '@')
			n++;
		if (n == d->count)
			return late ? n : 0;
		d->pasting = n + 1 == strlen(paste_begin) && memcmp(d->byte, paste_begin, n + 1) == 0;
		d->text = d->blank = false;
		d->syncs = d->syncs || tells_sync(d, n + 1);
		return d->byte[n] >= '@' && d->byte[n] < 127 ? n + 1 : n;
	}
	if (!late)
		return 0;
	*key = INPUT_ESCAPE;
	return 1;
}

static size_t
take_key(struct decoder *d, bool late, int32_t *key)
{
	bool known = false;
	size_t n = take_known(d, key, &known);

	if (known && (n > 0 || !late))
		return n;
	return d->byte[0] == ESCAPE ? take_escape(d, late, key) : take_character(d, key);
}

/* "]11;rgb:RRRR/GGGG/BBBB": the background's colour, each part of one to four digits. By its luma
 * (ITU-R BT.601) it is light or dark. */
static bool
takes_background(struct decoder *d)
{
	static const double weight[] = { 0.299, 0.587, 0.114 };
	static const char begin[] = "]11;rgb:";
	const char *at = d->answer + strlen(begin);
	double luma = 0;

	if (strncmp(d->answer, begin, strlen(begin)) != 0)
		return false;
	for (int i = 0; i < 3; i++) {
		char *end;
		const unsigned long part = strtoul(at, &end, 16);
		const int digits = (int)(end - at);

		if (digits < 1 || digits > 4 || *end != (i < 2 ? '/' : '\0'))
			return false;
		luma += weight[i] * (double)part / (double)((1UL << (4 * digits)) - 1);
		at = end + 1;
	}
	d->is_told = true;
	d->is_light = luma > 0.5;
	return true;
}

/* What an answer holds, or its end. Other control characters do not belong to it: they are what
 * somebody types who waits for the end of what only looked like one. */
static size_t
take_answer(struct decoder *d, bool late, int32_t *key)
{
	size_t n = 0;

	while (n < d->count && (unsigned char)d->byte[n] >= ' ' && d->byte[n] != 127)
		n++;
	text_add(d->answer, sizeof d->answer, "%.*s", (int)n, d->byte);
	if (n > 0 || (d->byte[0] == ESCAPE && d->count == 1 && !late))
		return n;
	d->answering = false;
	n = d->byte[0] == BELL ? 1 : d->byte[0] == ESCAPE && d->byte[1] == '\\' ? 2 : 0;
	if (n > 0 && takes_background(d))
		*key = INPUT_BACKGROUND;
	return n > 0 ? n : take_key(d, late, key);
}

/* Within a paste, what ends it where its own end does not come: alone, as no text has it. */
static bool
is_plea(const struct decoder *d)
{
	return d->pasting && d->count == 1 && (d->byte[0] == ESCAPE || d->byte[0] == INPUT_CTRL('C'));
}

static size_t
take_pasted(struct decoder *d, bool late, int32_t *key)
{
	const size_t end = strlen(paste_end), most = d->count < end ? d->count : end;
	int32_t ch = INPUT_NONE;
	size_t n;

	if (is_plea(d)) {
		d->pasting = !late;
		*key = late ? d->byte[0] : INPUT_NONE;
		return late;
	}
	if (memcmp(d->byte, paste_end, most) == 0) {
		d->pasting = most < end;
		return d->pasting ? 0 : end;
	}
	n = take_character(d, &ch);
	if (ch == INPUT_ENTER || ch == INPUT_TAB)
		d->blank = d->text;
	if (ch < ' ' || ch == INPUT_BACKSPACE)
		return n;
	d->text = true;
	*key = (d->blank ? ' ' : ch) | INPUT_PASTED;
	if (!d->blank)
		return n;
	d->blank = false;
	return 0;
}

int32_t
decode_key(struct decoder *d, bool late)
{
	d->answering = d->answering && (d->count > 0 || !late);
	while (d->count > 0) {
		int32_t key = INPUT_NONE;
		size_t n;

		d->byte[d->count] = '\0';
		n = d->pasting ? take_pasted(d, late, &key) : d->answering ? take_answer(d, late, &key) :
		    take_key(d, late, &key);
		memmove(d->byte, d->byte + n, d->count - n);
		d->count -= n;
		if (key != INPUT_NONE || n == 0)
			return key;
	}
	return INPUT_NONE;
}

int
decode_wait(const struct decoder *d)
{
	if (d->answering || is_plea(d))
		return PAUSE_MS;
	if (d->count == 0 || d->pasting || (unsigned char)d->byte[0] >= 0x80)
		return 0;
	return begins_answer(d) || (d->count > 2 && memcmp(d->byte, "\033[?", 3) == 0) ? ANSWER_MS : ESCAPE_MS;
}
