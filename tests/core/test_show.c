/*
 * test_show.c - foreign text as it may be shown, cut to fit, and what is UTF-8.
 */
#include <string.h>

#include "core/base/show.h"
#include "../unit.h"

static void
shows(const char *text, size_t size, const char *shown)
{
	char buf[64];

	assert_true(size <= sizeof buf);
	assert_int_equal(show_text(buf, size, text), strlen(shown));
	assert_string_equal(buf, shown);
}

TEST(test_foreign)
{
	shows("a\x1b[2J\xff\xc2\x9b\xc3\xa9", 64, "a\\x1b[2J\\xff\\xc2\\x9b\xc3\xa9");
	shows("\n\t\x7f", 64, "\\x0a\\x09\\x7f");
	shows("a\xe2\x80\xae" "b", 64, "a\\xe2\\x80\\xae" "b"); /* U+202E */
	shows("\xe2\x80\xa8\xe2\x81\xa6", 64, "\\xe2\\x80\\xa8\\xe2\\x81\\xa6");
	shows("\xf3\xa0\x81\x81", 64, "\\xf3\\xa0\\x81\\x81"); /* U+E0041 */
	shows("\\x1b", 64, "\\x1b");
	assert_true(show_is_plain(' ') && show_is_plain(0xa0) && show_is_plain(0x5f20));
	assert_true(show_is_plain(0x2010) && show_is_plain(0x2027) && show_is_plain(0x1f600));
	for (uint32_t ch = 0; ch < 0x20; ch++)
		assert_false(show_is_plain(ch) || show_is_plain(0x80 + ch));
	for (uint32_t ch = 0x202a; ch <= 0x202e; ch++)
		assert_false(show_is_plain(ch));
	for (uint32_t ch = 0x2066; ch <= 0x2069; ch++)
		assert_false(show_is_plain(ch));
	assert_false(show_is_plain(0x7f) || show_is_plain(0x200e) || show_is_plain(0x200f) ||
	    show_is_plain(0x200b) || show_is_plain(0x2028) || show_is_plain(0x2029) ||
	    show_is_plain(0xfeff) || show_is_plain(0x61c));
}

TEST(test_cut)
{
	char buf[16];

	shows("abcdefghijk", 8, "abcd...");
	shows("abcdefg", 8, "abcdefg");
	shows("abc\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac", 8, "abc...");
	shows("abc\x1b", 8, "abc\\x1b");
	shows("abcd\x1b", 8, "abcd..."); /* never half of an escape */
	for (size_t size = 0; size < sizeof buf; size++)
		assert_true(show_text(buf, size, "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\x01yz") <=
		    (size > 0 ? size - 1 : 0));
}

TEST(test_path)
{
	char buf[16];

	show_path(buf, 12, "/very/long/way/to/a.cfg");
	assert_string_equal(buf, "...to/a.cfg");
	show_path(buf, 13, "/\xe2\x82\xac\xe2\x82\xac/abc.cfg"); /* never half a character */
	assert_string_equal(buf, ".../abc.cfg");
	show_path(buf, 13, "/home/\x1b/a.cfg"); /* nor of an escape */
	assert_string_equal(buf, ".../a.cfg");
	show_path(buf, 16, "/home/\x1b/a.cfg");
	assert_string_equal(buf, "...e/\\x1b/a.cfg");
}

TEST(test_utf8)
{
	static const uint32_t chars[] = { 'a', 0x7f, 0x80, 0x7ff, 0x800, 0xffff, 0x10000, 0x10ffff };
	char bytes[4];

	assert_true(utf8_valid("\xf0\x9f\x98\x80 \xe2\x82\xac"));
	assert_false(utf8_valid("\xc0\xaf"));
	assert_false(utf8_valid("\xed\xa0\x80"));
	assert_false(utf8_valid("\xf4\x90\x80\x80"));
	assert_false(utf8_valid("\xe2\x82"));
	assert_int_equal(utf8_char("a", 1), 'a');
	assert_int_equal(utf8_char("\xc3\xa9", 2), 0xe9);
	assert_int_equal(utf8_char("\xe2\x80\xae", 3), 0x202e);
	assert_int_equal(utf8_char("\xf0\x9f\x98\x80", 4), 0x1f600);
	for (size_t i = 0; i < sizeof chars / sizeof *chars; i++) {
		const size_t n = utf8_put(bytes, chars[i]);

		assert_int_equal(utf8_length(bytes, n), n);
		assert_int_equal(utf8_char(bytes, n), chars[i]);
	}
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
