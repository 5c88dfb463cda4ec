/*
 * test_text.c - numbers read from text, and how near a misspelt name is.
 */
#include <ctype.h>
#include <errno.h>

#include "core/base/match.h"
#include "core/base/text.h"
#include "core/plan/field.h"
#include "../unit.h"

TEST(test_match)
{
	static const struct {
		const char *name, *typed;
		enum match match;
	} cases[] = {
		{ "tp", "TP", MATCH_NAMED }, { "tp_overlap", "tp", MATCH_BEGINS },
		{ "micro_batch_size", "batch", MATCH_WORD }, { "recompute", "comp", MATCH_PART },
		{ "llama-3.1-8b", "llama8", MATCH_SPREAD }, { "global_batch_size", "gbs", MATCH_SPREAD },
		{ "micro_batch_size", "micro batch", MATCH_SPREAD }, { "gated_mlp", "gblp", MATCH_NONE },
		{ "recompute", "recompte", MATCH_SLIP }, { "recompute", "rceompute", MATCH_SLIP },
		{ "recompute", "rcempute", MATCH_NONE }, { "layers", "lyr", MATCH_LETTERS },
		{ "ZeRO stage", "zro", MATCH_LETTERS }, { "micro-batch", "micro btch", MATCH_LETTERS },
		{ "layers", "ayr", MATCH_NONE }, { "layers", "lr", MATCH_NONE }, { "layers", "lrsy", MATCH_NONE },
		{ "search", "", MATCH_BEGINS }, { NULL, "tp", MATCH_NONE },
		{ "a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a",
		    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", MATCH_NONE },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(match_name(cases[i].name, cases[i].typed), cases[i].match);
}

/* What is read leaves alone the reason of an error that is to be told yet. */
TEST(test_errno)
{
	int64_t n;
	double v;

	errno = EIO;
	assert_true(text_to_int(" 12 ", &n) && n == 12);
	assert_true(text_to_real("0.5", &v) && v > 0.4 && v < 0.6);
	assert_false(text_to_int("99999999999999999999", &n));
	assert_false(text_to_int("12x", &n) || text_to_int("", &n));
	assert_false(text_to_real("1e999", &v) || text_to_real("", &v));
	assert_int_equal(errno, EIO);
}

TEST(test_distance)
{
	assert_int_equal(text_distance("layers", "LAYERS"), 0);
	assert_int_equal(text_distance("AZ", "az"), 0);
	assert_int_equal(text_distance("@[", "`{"), 2); /* beside the letters in ASCII */
	assert_int_equal(text_distance("layers", "layer"), 1);
	assert_int_equal(text_distance("layers", "lyaers"), 1);
	assert_int_equal(text_distance("", "abc"), 3);
	/* a digit is what names of models differ by */
	assert_int_equal(text_distance("llama-3.1-7b", "llama-3.1-8b"), 2);
	assert_int_equal(text_distance("llama-3.1-7b", "llama-3.1-70b"), 2);
	assert_int_equal(text_distance("deepseek-r1", "deepseek-v2"), 3);
	assert_int_equal(text_distance("--nodse", "--nodes"), 1);
	assert_int_equal(text_distance("llama-70b", "llama-07b"), 2);
	assert_int_equal(text_distance("a", "a1"), 2);
	assert_int_equal(text_distance("a1", "a"), 2);
}

TEST(counts)
{
	static const struct {
		const char *unit, *one;
	} cases[] = {
		{ "GPUs", "GPU" }, { "copies", "copy" }, { "Gb/s", "Gb/s" }, { "GiB", "GiB" }, { "", "" },
	};
	char text[16];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		text_of_count(text, sizeof text, cases[i].unit, 1);
		assert_string_equal(text, cases[i].one);
		text_of_count(text, sizeof text, cases[i].unit, 2);
		assert_string_equal(text, cases[i].unit);
	}
}

/* Parts are cut between characters, and names compared whole. */
TEST(parts)
{
	char buf[5];

	assert_int_equal(text_part(buf, sizeof buf, "abcdef", 3), 3);
	assert_string_equal(buf, "abc");
	assert_int_equal(text_part(buf, sizeof buf, "abc\u00e9", 5), 3);
	assert_string_equal(buf, "abc");
	assert_int_equal(text_choice_index("te|eager|liger", "eager"), 1);
	assert_int_equal(text_choice_index("te|eager|liger", "lig"), -1);
	assert_int_equal(text_choice_index("te|eager|liger", "te|eager"), -1);
	assert_true(text_choice("te|eager|liger", 1, buf, sizeof buf));
	assert_string_equal(buf, "eage");
	assert_false(text_choice("te|eager|liger", 3, buf, sizeof buf));
	assert_true(field_same_section(FIELD_TP, FIELD_CP));
	assert_true(field_same_section(FIELD_NAME, FIELD_MODE));
	assert_false(field_same_section(FIELD_NAME, FIELD_TP));
	assert_false(field_same_section(FIELD_NODES, FIELD_TP));
}

/* Of any two characters: one turned into the other costs what the dearer of them does, and nothing between the
 * cases of one letter of the alphabet; to and fro, and as much to add as to take away. */
TEST(test_distance_of_one)
{
	for (char a = ' '; a < 127; a++) {
		const size_t own = a >= '0' && a <= '9' ? 2 : 1;

		assert_int_equal(text_distance((char[]){ a, '\0' }, ""), own);
		for (char b = ' '; b < 127; b++) {
			const size_t other = b >= '0' && b <= '9' ? 2 : 1;
			const bool same = a == b || (isalpha((unsigned char)a) && isalpha((unsigned char)b) &&
			    tolower((unsigned char)a) == tolower((unsigned char)b));

			assert_int_equal(text_distance((char[]){ a, '\0' }, (char[]){ b, '\0' }),
			    same ? 0 : own > other ? own : other);
			assert_int_equal(text_distance((char[]){ 'x', a, '\0' }, (char[]){ a, '\0' }), 1);
		}
	}
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
