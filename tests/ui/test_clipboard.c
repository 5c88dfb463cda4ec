/* What is sent for the clipboard, read as terminals read it. */
#include "support.h"

#include "ui/screen/clipboard.h"

/* RFC 4648, section 10. */
TEST(test_vectors)
{
	static const char *const plain[] = { "", "f", "fo", "foo", "foob", "fooba", "foobar" };
	static const char *const coded[] = { "", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy" };

	for (size_t i = 0; i < COUNT(plain); i++) {
		size_t size = 0;
		char want[64], *bytes = clipboard_bytes(plain[i], CLIPBOARD_DIRECT, &size);

		text_put(want, sizeof want, "\033]52;c;%s\a", coded[i]);
		assert_non_null(bytes);
		assert_int_equal(size, strlen(want));
		assert_memory_equal(bytes, want, size);
		free(bytes);
	}
}

/* Through tmux both ways that it may be set to; through GNU screen in short pieces. */
TEST(test_ways)
{
	static const char tmux[] = "\033]52;c;Zm9v\a\033Ptmux;\033\033]52;c;Zm9v\a\033\\";
	char text[1001], joined[2000] = "";
	size_t size = 0, n = 0;
	char *bytes = clipboard_bytes("foo", CLIPBOARD_TMUX, &size);

	assert_int_equal(size, sizeof tmux - 1);
	assert_memory_equal(bytes, tmux, size);
	free(bytes);
	memset(text, 'f', 1000);
	text[1000] = '\0';
	bytes = clipboard_bytes(text, CLIPBOARD_SCREEN, &size);
	assert_non_null(bytes);
	for (size_t i = 0; i < size; n++) { /* ESC P ... ESC \, one after the other */
		size_t from = i + 2;

		assert_memory_equal(bytes + i, "\033P", 2);
		for (i = from; memcmp(bytes + i, "\033\\", 2) != 0; i++)
			assert_true(i - from < 100);
		memcpy(joined + strlen(joined), bytes + from, i - from);
		i += 2;
	}
	assert_int_equal(n, (1336 + 75) / 76);
	free(bytes);
	bytes = clipboard_bytes(text, CLIPBOARD_DIRECT, &size);
	assert_int_equal(size, strlen(joined));
	assert_memory_equal(bytes, joined, size);
	free(bytes);
}

TEST(test_too_long)
{
	char *text = malloc(CLIPBOARD_MOST + 2), *bytes;
	size_t size = 0;

	memset(text, 'x', CLIPBOARD_MOST + 1);
	text[CLIPBOARD_MOST + 1] = '\0';
	assert_null(clipboard_bytes(text, CLIPBOARD_TMUX, &size));
	text[CLIPBOARD_MOST] = '\0';
	bytes = clipboard_bytes(text, CLIPBOARD_DIRECT, &size);
	assert_non_null(bytes);
	assert_true(size <= 100000);
	free(bytes);
	free(text);
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
