/* Bytes of a terminal as keys: whole, in parts, broken, pasted. */
#include <locale.h>

#include "../fuzz/xterm.h"
#include "support.h"

#include "ui/screen/decode.h"

/* All keys of bytes that come `step` at a time, as help names them. */
static const char *
keys_in_steps(const char *bytes, size_t size, size_t step)
{
	static char all[4096];
	struct decoder d = { .find = xterm_find };
	char name[16];
	int32_t key;

	all[0] = '\0';
	for (size_t at = 0; at <= size; at += step) {
		const bool late = at == size || at + step > size;
		const size_t n = late ? size - at : step;

		memcpy(d.byte + d.count, bytes + at, n);
		d.count += n;
		while ((key = decode_key(&d, false)) != INPUT_NONE ||
		    (late && (key = decode_key(&d, true)) != INPUT_NONE)) {
			if (key == INPUT_BACKGROUND)
				continue;
			if (key == INPUT_MOUSE)
				text_put(name, sizeof name, "(%d:%d,%d)", (int)d.mouse.action, d.mouse.x,
				    d.mouse.y);
			else
				input_name(key & ~INPUT_PASTED, name, sizeof name);
			text_add(all, sizeof all, "%s%s ", (key & INPUT_PASTED) != 0 ? "'" : "", name);
		}
		assert_true(d.count <= DECODE_BYTES);
		if (late)
			break;
	}
	return all;
}

/* However the bytes are cut. */
static void
gives(const char *bytes, const char *keys)
{
	for (size_t step = 1; step <= strlen(bytes) + 1; step++)
		assert_string_equal(keys_in_steps(bytes, strlen(bytes), step), keys);
}

TEST(test_characters)
{
	gives("a\xc3\xa9\xe6\xb1\x89\xf0\x9f\x90\x92 z", "a \u00e9 \u6c49 \U0001f412 Space z ");
	gives("\r\n\t\177\b\x12", "Enter Enter Tab Backspace Backspace Ctrl-R ");
}

/* What is no character is dropped, and no more than that. */
TEST(test_broken)
{
	gives("a\xe9z", "a z ");                     /* Latin-1 */
	gives("\xe9\xe9q", "q ");
	gives("\xba\xba\xd7\xd6j", "j ");            /* GB18030 */
	gives("\xe6\xb1j\xe6\xb1\x89", "j \u6c49 "); /* cut off */
	gives("\xff\xfe\x80\xc0\x80\xed\xa0\x80k", "k ");
	gives("\xc2\x85k", "k "); /* a control character beyond ASCII */
	gives("\xf4\x90\x80\x80k", "k ");
	assert_string_equal(keys_in_steps("a\0b", 3, 3), "a b ");
}

TEST(test_sequences)
{
	gives("\033OAx\033[5~", "Up x PgUp ");
	gives("\033OP", "F1 ");
	/* Keys that mean nothing here, and those that the terminal's type does not tell of. */
	gives("\033[1;2Aj\033[1;5Cj\033Oaj\033[24;2~j\033[[Aj\033[Ij", "j j j j j j ");
	/* Escape, and what seemed to follow it. */
	gives("\033", "Esc ");
	gives("\033j", "Esc j ");
	gives("\033\033OA", "Esc Up ");
	gives("\033\r", "Esc Enter ");
	gives("\033[", "Esc [ ");
	gives("\033[23$", "");
	gives("\033[1;\033OA", "Up ");
}

TEST(test_endless)
{
	struct decoder d = { .find = xterm_find };

	for (int round = 0; round < 8; round++) {
		memset(d.byte + d.count, '1', DECODE_BYTES - d.count);
		if (round == 0)
			memcpy(d.byte, "\033[<", 3);
		d.count = DECODE_BYTES;
		while (decode_key(&d, true) != INPUT_NONE)
			;
		assert_int_equal(d.count, 0);
	}
}

TEST(test_mouse)
{
	gives("\033[<0;12;5Mj", "(0:11,4) j ");
	gives("\033[<0;12;5m\033[<64;1;1M\033[<65;1;1M", "(1:0,0) (2:0,0) ");
	gives("\033[<4;12;5M", "(0:11,4) "); /* with Shift */
	gives("\033[<2;12;5M\033[<0;0;5M\033[<;;Mj", "j ");
	gives("\033[<0;99999999999999999999;5Mj\033[<0;2147483648;1Mj", "j j ");
	assert_string_equal(keys_in_steps("\033[M !!j", 7, 7), "(0:0,0) j ");
	assert_string_equal(keys_in_steps("\033[M \xe9\xe8j", 7, 1), "(0:200,199) j ");
}

TEST(test_paste)
{
	gives("\033[200~q\xe6\xb1\x89\033[201~q", "'q '\u6c49 q ");
	/* Line ends inside become a blank, those around it and controls go. */
	gives("\033[200~\r\na\r\n\tb\n\033[201~", "'a 'Space 'b ");
	gives("\033[200~a\003\x1b\x7f\xe9" "b\033[A\033[20\033\033[201~j",
	    "'a 'b '[ 'A '[ '2 '0 j ");
	gives("\033[200~\033[201~\033[200~\n\033[201~j", "j ");
}

/* Answers to what nobody here asked, late ones to another program: none of them is typed. */
TEST(test_answers)
{
	gives("\033]11;rgb:1e1e/1e1e/1e1e\033\\j", "j ");
	gives("\033]11;rgb:1e1e/1e1e/1e1e\007j", "j ");
	gives("\033P1$r0m\033\\\033P>|XTerm(390)\033\\\033_Gi=1;OK\033\\j", "j ");
	gives("\033^a\033\\\033Xb\033\\\033]52;c;\xc3\xa9\xe6\xb1\x89\033\\j", "j ");
	/* What only looked like one ends with the first key that is none of its bytes. */
	gives("\033Px\rj", "Enter j ");
	gives("\033]x\033[5~j", "PgUp j ");
	gives("\033]x\003", "Ctrl-C ");
	gives("\033]x\033", "Esc ");
	/* Alt and a key, as no more follows. */
	gives("\033P", "Esc P ");
	gives("\033]", "Esc ] ");
}

static int32_t
key_of(struct decoder *d, const char *bytes, bool late)
{
	memcpy(d->byte + d->count, bytes, strlen(bytes));
	d->count += strlen(bytes);
	return decode_key(d, late);
}

/* However often it pauses, but not for long. */
TEST(test_answer_pauses)
{
	struct decoder d = { .find = xterm_find };

	assert_int_equal(key_of(&d, "\033]", false), INPUT_NONE);
	assert_int_equal(decode_wait(&d), 250);
	assert_int_equal(key_of(&d, "11;", false), INPUT_NONE);
	assert_int_equal(d.count, 0);
	assert_int_equal(decode_wait(&d), 1000);
	assert_int_equal(key_of(&d, "q", false), INPUT_NONE);
	assert_int_equal(decode_key(&d, true), INPUT_NONE);
	assert_int_equal(decode_wait(&d), 0);
	assert_int_equal(key_of(&d, "q", false), 'q');
}

/* A paste whose end never comes: only what nothing follows ends it, as pasted text may hold
 * these bytes too. */
TEST(test_endless_paste)
{
	static const char pleas[] = { 27, 3 };
	struct decoder d = { .find = xterm_find };

	for (size_t i = 0; i < sizeof pleas; i++) {
		const char plea[] = { pleas[i], '\0' };

		assert_int_equal(key_of(&d, "\033[200~a", false), 'a' | INPUT_PASTED);
		assert_int_equal(key_of(&d, "\003\033b", false), 'b' | INPUT_PASTED);
		assert_int_equal(decode_wait(&d), 0);
		assert_int_equal(key_of(&d, plea, false), INPUT_NONE);
		assert_int_equal(decode_wait(&d), 1000);
		assert_int_equal(decode_key(&d, true), pleas[i]);
		assert_int_equal(key_of(&d, "j", false), 'j');
	}
}

TEST(test_open)
{
	struct decoder d = { .find = xterm_find, .byte = "\033[", .count = 2 };

	assert_int_equal(decode_key(&d, false), INPUT_NONE);
	assert_int_equal(decode_wait(&d), 25); /* time will tell */
	d = (struct decoder){ .find = xterm_find, .byte = "\xe6\xb1", .count = 2 };
	assert_int_equal(decode_key(&d, false), INPUT_NONE);
	assert_int_equal(decode_wait(&d), 0); /* its rest will */
}

/* The answer to what colour is behind the text, in whatever pieces it comes. */
TEST(test_background)
{
	static const struct {
		const char *bytes;
		bool told, light;
	} cases[] = {
		{ "\033]11;rgb:0000/0000/0000\033\\", true, false },
		{ "\033]11;rgb:ffff/ffff/ffff\033\\", true, true },
		{ "\033]11;rgb:fd/f6/e3\007", true, true }, { "\033]11;rgb:0/2/3\007", true, false },
		{ "\033]11;rgb:ffff/ffff\007", false, false }, { "\033]10;rgb:ff/ff/ff\007", false, false },
		{ "\033]11;rgb:fffff/0/0\007", false, false }, { "\033P11;rgb:ff/ff/ff\033\\", false, false },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		for (size_t piece = 1; piece < 30; piece += 7) {
			struct decoder d = { .find = xterm_find };
			const size_t n = strlen(cases[i].bytes);
			int32_t key = INPUT_NONE;

			for (size_t at = 0; at < n; at += piece) {
				const size_t some = n - at < piece ? n - at : piece;

				memcpy(d.byte + d.count, cases[i].bytes + at, some);
				d.count += some;
				key = decode_key(&d, false);
				assert_true(key == INPUT_NONE || key == INPUT_BACKGROUND);
			}
			assert_int_equal(key == INPUT_BACKGROUND, cases[i].told);
			assert_true(d.is_told == cases[i].told && d.is_light == cases[i].light);
			assert_int_equal(d.count, 0);
		}
}

/* The answer to whether pictures can be synchronised: a mode that is set or reset, in any pieces; other
 * modes and other answers are dropped like it. */
TEST(test_sync)
{
	static const struct { const char *bytes; bool syncs; } cases[] = {
		{ "\033[?2026;1$y", true }, { "\033[?2026;2$y", true }, { "\033[?2026;0$y", false },
		{ "\033[?2026;4$y", false }, { "\033[?2027;2$y", false }, { "\033[?2026;2$p", false },
		{ "\033[?2026;22$y", false }, { "\033[2026;2$y", false }, { "\033[?2026;2y", false },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		for (size_t piece = 1; piece < 16; piece += 5) {
			struct decoder d = { .find = xterm_find };
			const size_t n = strlen(cases[i].bytes);

			for (size_t at = 0; at < n; at += piece) {
				const size_t some = n - at < piece ? n - at : piece;

				memcpy(d.byte + d.count, cases[i].bytes + at, some);
				d.count += some;
				assert_int_equal(decode_key(&d, false), INPUT_NONE);
				assert_true(d.count < 3 || d.byte[2] != '?' || decode_wait(&d) == 250);
			}
			assert_int_equal(d.syncs, cases[i].syncs);
			assert_int_equal(d.count, 0);
		}
}

int
main(void)
{
	setlocale(LC_ALL, "C.UTF-8");
	return unit_run(NULL, NULL);
}
