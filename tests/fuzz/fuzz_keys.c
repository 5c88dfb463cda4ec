/*
 * fuzz_keys.c - any bytes as what a terminal sends, in pieces whose lengths the first byte says.
 * Keys come of them in a bounded number, each with a name or a place, and after all of them and a
 * pause nothing is left waiting; an answer or a paste whose end never came ends with two Escapes.
 */
#include <locale.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "xterm.h"

/* All keys that are there. Each takes a byte at least, or is the blank that a paste owes. */
static void
take_keys(struct decoder *d, bool late)
{
	const size_t most = 2 * d->count + 2;
	size_t keys = 0;
	int32_t key;

	while ((key = decode_key(d, late)) != INPUT_NONE) {
		if (++keys > most || d->count > DECODE_BYTES)
			abort();
		if ((key & INPUT_PASTED) != 0 && ((key & ~INPUT_PASTED) < ' ' || !d->pasting))
			abort();
		if (key == INPUT_MOUSE && (d->mouse.x < 0 || d->mouse.y < 0))
			abort();
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t step = size > 0 ? 1 + data[0] % DECODE_BYTES : 1;
	struct decoder d = { .find = xterm_find };

	setlocale(LC_CTYPE, "C.UTF-8");
	for (size_t at = 1, n; at < size; at += n) {
		n = size - at < step ? size - at : step;
		if (n > DECODE_BYTES - d.count)
			n = DECODE_BYTES - d.count;
		memcpy(d.byte + d.count, data + at, n);
		d.count += n;
		take_keys(&d, false);
		if (d.count == DECODE_BYTES)
			take_keys(&d, true);
		if (d.count == DECODE_BYTES)
			abort(); /* the program would never read again */
	}
	take_keys(&d, true);
	for (int i = 0; i < 2; i++) {
		d.byte[d.count++] = INPUT_ESCAPE;
		take_keys(&d, true);
	}
	if (d.count != 0 || d.answering || d.pasting)
		abort();
	return 0;
}
