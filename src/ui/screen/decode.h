/*
 * decode.h - bytes that a terminal sends, as keys (input.h).
 *
 * The one place that does this. Characters are those of the locale; a part of one waits for
 * its rest, and bytes that are no character are dropped. Sequences of the terminal that are
 * no key of ours are dropped whole, and so are texts that it answers questions with, maybe those of
 * a program before this one: from ESC ], P, X, ^ or _ to ST or BEL (ECMA-48, 5.6); but for the colour
 * of the background, and whether pictures can be synchronised. What is pasted between the marks of a terminal that sends them is text: keys with INPUT_PASTED, with one blank for each run of line ends and
 * tabs inside it, and without other control characters. Whatever never ends ends with an Escape or
 * a Ctrl-C that nothing follows, an answer after a pause too.
 */
#ifndef UI_DECODE_H
#define UI_DECODE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ui/screen/input.h"

enum decode_find {
	DECODE_UNKNOWN = 0,
	DECODE_PART = -1,   /* a longer sequence may be known */
	DECODE_UNUSED = -2, /* a key that means nothing here */
};

enum { DECODE_BYTES = 256 };

struct decoder {
	/* The key that the terminal's type sends as these bytes, or one of the above. */
	int32_t (*find)(const char *sequence);
	char byte[DECODE_BYTES + 1]; /* not decoded yet; the reader appends */
	size_t count;
	struct mouse mouse; /* of the last INPUT_MOUSE */
	bool answering;     /* the bytes are those of an answer */
	char answer[40];    /* which begins so */
	bool is_told, is_light; /* INPUT_BACKGROUND: by answer to OSC 11 (xterm, ctlseqs), and nearer white */
	bool syncs;         /* by answer to DECRQM it knows mode 2026, synchronised output (xterm, ctlseqs) */
	bool pasting;
	bool text, blank;   /* pasting: some came; a blank is due before more of it */
};

/* Take the next key off the bytes; INPUT_NONE when they end before one does. late: no more
 * came for a while, so an Escape begins no sequence. */
int32_t decode_key(struct decoder *d, bool late);

/* After how many milliseconds without more bytes it is late; 0 where time tells nothing. */
int decode_wait(const struct decoder *d);
#endif
