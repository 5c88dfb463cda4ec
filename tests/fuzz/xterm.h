/* xterm.h - what a terminal's type says of its keys, for targets that take bytes of one. */
#ifndef FUZZ_XTERM_H
#define FUZZ_XTERM_H
#include <string.h>

#include "ui/screen/decode.h"

/* A terminal like xterm, as its type tells. */
static int32_t
xterm_find(const char *sequence)
{
	static const struct {
		const char *bytes;
		int32_t key;
	} table[] = {
		{ "\033OA", INPUT_UP }, { "\033OP", INPUT_F1 }, { "\033[5~", INPUT_PAGE_UP },
		{ "\033[1;2A", DECODE_UNUSED }, { "\033[<", INPUT_MOUSE }, { "\033[M", INPUT_MOUSE },
		{ "\177", INPUT_BACKSPACE },
	};
	int32_t found = DECODE_UNKNOWN;

	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		if (strcmp(table[i].bytes, sequence) == 0)
			return table[i].key;
		if (strncmp(table[i].bytes, sequence, strlen(sequence)) == 0)
			found = DECODE_PART;
	}
	return found;
}
#endif
