/* Names of keys, as help shows them and users write them. */
#include "support.h"

/* Every key that has a name is found by it. */
TEST(test_inverse)
{
	static const int32_t ends[][2] = {
		{ 1, 0xffff }, { 0x1f600, 0x1f64f }, { 0x10fff0, 0x10ffff }, { INPUT_UP, INPUT_F12 }
	};
	int named = 0;

	for (size_t r = 0; r < COUNT(ends); r++)
		for (int32_t k = ends[r][0]; k <= ends[r][1]; k++) {
			char name[16], again[16];

			size_t n = input_name(k, name, sizeof name);

			assert_int_equal(n, strlen(name));
			if (name[0] == '\0')
				continue;
			/* Terminals send these for keys with another name. */
			if (k == INPUT_CTRL('H') || k == INPUT_CTRL('J')) {
				assert_int_not_equal(input_of_name(name), INPUT_NONE);
				continue;
			}
			if (input_of_name(name) != k)
				fail_msg("key %#x is called '%s', which is key %#x", (unsigned)k, name,
				    (unsigned)input_of_name(name));
			input_name(input_of_name(name), again, sizeof again);
			assert_string_equal(name, again);
			named++;
		}
	assert_true(named > 60000);
}

TEST(test_names)
{
	static const struct {
		const char *name;
		int32_t key;
	} table[] = {
		{ "x", 'x' }, { "X", 'X' }, { "?", '?' }, { "F6", INPUT_F6 }, { "f12", INPUT_F12 },
		{ "Ctrl-R", 18 }, { "ctrl-r", 18 }, { "Ctrl-I", INPUT_TAB }, { "Ctrl-M", INPUT_ENTER },
		{ "Ctrl-H", INPUT_BACKSPACE }, { "Ctrl-]", 29 }, { "up", INPUT_UP }, { "SPACE", ' ' },
		{ "Escape", INPUT_ESCAPE }, { "PageUp", INPUT_PAGE_UP },
		{ "shift-tab", INPUT_BACK_TAB }, { "\xc3\xa9", 0xe9 }, { "-", '-' },
		/* Not keys. */
		{ "", INPUT_NONE }, { "xy", INPUT_NONE }, { "F13", INPUT_NONE }, { "F0", INPUT_NONE },
		{ " ", INPUT_NONE }, { "Ctrl-", INPUT_NONE }, { "Ctrl-RR", INPUT_NONE },
		{ "Ctrl-1", INPUT_NONE }, { "Alt-x", INPUT_NONE }, { "\xc3", INPUT_NONE },
		{ "\xc0\xaf", INPUT_NONE }, { "\x1b[A", INPUT_NONE }, { "\xff", INPUT_NONE },
		{ "\xc2\x85", INPUT_NONE },
	};

	for (size_t i = 0; i < COUNT(table); i++)
		if (input_of_name(table[i].name) != table[i].key)
			fail_msg("'%s' is key %#x", table[i].name, (unsigned)input_of_name(table[i].name));
}

/* What is no key has no name. */
TEST(test_events)
{
	static const int32_t events[] = { INPUT_NONE, INPUT_MOUSE, INPUT_RESIZE, INPUT_SIGNAL,
		INPUT_GONE, 127, 0x85, 0xd800, -1 };
	char name[16];

	for (size_t i = 0; i < COUNT(events); i++) {
		assert_int_equal(input_name(events[i], name, sizeof name), 0);
		assert_string_equal(name, "");
	}
	/* Cut, not overrun. */
	assert_int_equal(input_name(INPUT_BACKSPACE, name, 5), 4);
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
