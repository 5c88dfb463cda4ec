/*
 * answers - what a terminal answers to questions that nobody here asked, late, between keys, cut
 * anywhere: the keys that come of it are those that were typed.
 */
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "torture.h"
#include "ui/screen/decode.h"

enum { BRIEF = 5000, KEYS_MOST = 12, BYTES_MOST = 4096 };

struct typed {
	char bytes[BYTES_MOST];
	size_t count;
	int32_t key[KEYS_MOST];
	int keys;
};

/* A terminal type that knows no keys but those that every one sends. */
static int32_t
find(const char *sequence)
{
	static const char up[] = "\033[A";

	if (strcmp(sequence, up) == 0)
		return INPUT_UP;
	return strncmp(sequence, up, strlen(sequence)) == 0 ? DECODE_PART : DECODE_UNKNOWN;
}

static void
add(struct typed *t, const char *bytes, size_t n)
{
	memcpy(t->bytes + t->count, bytes, n);
	t->count += n;
}

static void
add_key(struct dice *d, struct typed *t)
{
	static const struct { const char *bytes; int32_t key; } keys[] = {
		{ "\033[A", INPUT_UP }, { "\r", INPUT_ENTER }, { "q", 'q' }, { "P", 'P' }, { "]", ']' },
		{ "\t", INPUT_TAB }, { "\xe6\xb1\x89", 0x6c49 }, { "\x12", INPUT_CTRL('R') }, { "\\", '\\' },
	};
	const size_t i = (size_t)dice_below(d, sizeof keys / sizeof *keys);

	add(t, keys[i].bytes, strlen(keys[i].bytes));
	t->key[t->keys++] = keys[i].key;
}

/* OSC, DCS, APC, PM or SOS and its text, to ST; of OSC BEL too. */
static void
add_answer(struct dice *d, struct typed *t)
{
	static const char begins[] = "]P_^X";
	const char kind = begins[dice_below(d, sizeof begins - 1)];
	const int64_t length = dice_below(d, dice_rarely(d, 8) ? 600 : 12);

	add(t, "\033", 1);
	add(t, &kind, 1);
	for (int64_t i = 0; i < length; i++) {
		const char letter = (char)(' ' + dice_below(d, 95));

		if (dice_rarely(d, 12))
			add(t, "\xc3\xa9", 2);
		else
			add(t, &letter, 1);
	}
	if (kind == ']' && dice_rarely(d, 2))
		add(t, "\007", 1);
	else
		add(t, "\033\\", 2);
}

/* Keys of bytes that come in pieces, as many at once as the dice say. */
static int
decode_pieces(struct dice *d, const struct typed *t, int32_t key[BYTES_MOST])
{
	struct decoder decoder = { .find = find };
	size_t at = 0;
	int keys = 0;

	while (at < t->count) {
		const size_t room = DECODE_BYTES - decoder.count, left = t->count - at;
		size_t n = dice_rarely(d, 2) ? 1 : (size_t)dice_below(d, DECODE_BYTES) + 1;
		int32_t one;

		n = n < room ? n : room;
		n = n < left ? n : left;
		memcpy(decoder.byte + decoder.count, t->bytes + at, n);
		decoder.count += n;
		at += n;
		while ((one = decode_key(&decoder, false)) != INPUT_NONE)
			key[keys++] = one;
	}
	return keys;
}

static void
one_round(struct torture *t)
{
	static struct typed typed;
	static int32_t key[BYTES_MOST];
	char shown[4 * BYTES_MOST + 1];
	int keys;

	typed.count = 0;
	typed.keys = 0;
	while (typed.keys < KEYS_MOST) {
		if (typed.count + 1500 < BYTES_MOST && dice_rarely(&t->dice, 2))
			add_answer(&t->dice, &typed);
		else
			add_key(&t->dice, &typed);
	}
	shown[0] = '\0';
	for (size_t i = 0; i < typed.count; i++)
		text_add(shown, sizeof shown, "%02x", (unsigned char)typed.bytes[i]);
	torture_doing(t, "bytes %s", shown);
	keys = decode_pieces(&t->dice, &typed, key);
	if ((keys != typed.keys || memcmp(key, typed.key, (size_t)keys * sizeof *key) != 0) &&
	    torture_found(t, "an answer of the terminal is typed, or takes a key with it"))
		torture_tell("  %d keys of %d: %s", keys, typed.keys, shown);
}

int
main(int argc, char **argv)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	return torture_main(argc, argv, BRIEF, one_round);
}
