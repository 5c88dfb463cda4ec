/* What the screen says in another language: how texts with values in are found, and the file. */
#include "filetest.h"

#include "core/base/show.h"
#include "file/prefs/language_file.h"

static struct texts texts;

static void
read_texts(const char *content)
{
	char why[256] = "";

	texts_free(&texts);
	if (!texts_init(&texts, strdup(content), why, sizeof why))
		fail_msg("%s", why);
}

static void
says(const char *english, const char *expected)
{
	char buf[TEXTS_SIZE];
	const char *said = texts_say(&texts, english, buf, sizeof buf);

	if (strcmp(said, expected) != 0)
		fail_msg("'%s' is said as '%s', not '%s'", english, said, expected);
}

TEST(test_lines)
{
	read_texts("# a comment\n\nmemory\n\tM\nlayer %lld: %s\n\t%2 @ %1\n%.0f %% of the step\n\tS %1 %\n"
	    "%s: %lld GPU%s\n\t[%1|%2]\ncoloured by %s\n\tC %1\n");
	says("memory", "M");
	says("memory of it", "memory of it");
	says("layer 12: memory", "M @ 12");
	says("layer no: memory", "layer no：M"); /* %lld is a number */
	says("41 % of the step", "S 41 %");
	says("memory: 8 GPUs", "[M|8]");
	says("memory: 1 GPU", "[M|1]");
	says("coloured by tp, dp", "C tp, dp");
	says("TP 8", "TP 8");
	says("", "");
	says("so long a text; memory", "so long a text；M");
	says("memory, memory", "M，M");
}

/* What stands beside a name: its value, a mark; numbers may be short ones. */
TEST(test_beside)
{
	read_texts("layout\n\tL\nthe plan\n\tP\n%lld fit\n\tF %1\nas good, and simpler\n\tG\n%d before %d\n\t%1 < %2\n");
	says("layout Et*3L", "L Et*3L");
	says("+ the plan  o layout", "+ P         o L");
	says("TP 1, layout Et*3L", "TP 1，L Et*3L");
	says("the plan of it", "the plan of it");
	says("layout 48.9 GiB, +1.5 s layout", "L 48.9 GiB，+1.5 s L");
	says("2.12k fit", "F 2.12k");
	says("2.12x fit", "2.12x fit");
	says("1 before 2: as good, and simpler", "1 < 2：G");
	says("note 3: as good, and simpler", "note 3：G");
}

/* What is typed stands as it is; who has more of what is told of each clause alone. */
TEST(test_typed)
{
	read_texts("rate\n\tR\nhelp\n\tH\n%s (:%s): %s\n\t%1（:%2）：%3\n%d before %d\n\t%1 < %2\n%s more %s\n\t%2 + %1\n"
	    "fixed %d: %s\n\tF %1 = %2\n%s less %s\n\t%2 - %1\nTP %lld is much\n\tT %1\n%s %s instead of %s\n\t%1 %2 | %3\n%s a step instead of %s\n\t/ %1 | %2\n");
	says("rate (:rate): help", "R（:rate）：H");
	says("fixed 3: rate, help; TP 8 is much", "F 3 = R，H；T 8");
	says("TP 8 is much; 3 s a step instead of 4 s", "T 8；/ 3 s | 4 s");
	says("1 before 2: 19.8 ms more rate, 12.6 ms less help", "1 < 2：R + 19.8 ms，H - 12.6 ms");
}

/* Columns stay where they were. */
TEST(test_columns)
{
	read_texts("memory\n\t显存\nstep\n\t步\n");
	says("memory    step  4.2 s", "显存      步    4.2 s");
	says("  memory", "  显存");
	says("memory ", "显存   ");
	says("step  a longer one  step", "步    a longer one  步");
	says(" memory 5 s ", " 显存 5 s "); /* in an edge */
}

static void
complains(const char *content, const char *expected)
{
	struct texts t;
	char why[256] = "", *copy = strdup(content);

	assert_false(texts_init(&t, copy, why, sizeof why));
	assert_string_equal(why, expected);
	free(copy);
}

TEST(test_wrong)
{
	complains("# one\nmemory\nstep\n\tS\n", "line 3: what is said for the line above is missing");
	complains("memory\n\tM\n\tN\n", "line 3: the English above it is missing");
}

/* Texts of any length and of many clauses take no time to speak of, and stay whole. */
TEST(test_long)
{
	char text[4 * TEXTS_SIZE] = "", buf[TEXTS_SIZE];

	read_texts("%s%s%s of %s\n\t%1%2%3%4\nmemory\n\tM\n");
	for (int i = 0; i < 200; i++)
		strcat(text, "an, ");
	assert_ptr_equal(texts_say(&texts, text, buf, sizeof buf), text);
	for (int i = 0; i < 400; i++)
		strcat(text, "memory, ");
	assert_ptr_equal(texts_say(&texts, text, buf, sizeof buf), text);
	assert_ptr_equal(texts_say(NULL, text, buf, sizeof buf), text);
}

/* Each line of the program's own file names no conversion that its English lacks. */
TEST(test_own)
{
	char why[1024] = "";

	texts_free(&texts);
	if (!language_texts(&texts, "zh", why, sizeof why))
		fail_msg("%s", why);
	assert_true(texts.count > 2000 && texts.fixed < texts.count);
	for (size_t i = 0; i < texts.count; i++) {
		int conversions = 0;

		for (const char *at = texts.line[i].english; *at != '\0'; at++)
			conversions += *at == '%' && at[1] != ' ' && at[1] != '\0';
		for (const char *at = texts.line[i].other; *at != '\0'; at++)
			if (*at == '%' && at[1] > '0' && at[1] <= '9' && at[1] - '0' > conversions)
				fail_msg("%s: %s", texts.line[i].english, texts.line[i].other);
		assert_true(utf8_valid(texts.line[i].other));
	}
	says("126 layers are not divisible by PP 16", "126 层不能被 PP 16 整除");
	says("stage 1 takes 76.8 GiB of 79.2 GiB on one h100-sxm-80gb, a run between 70.6 and 85.4 GiB: "
	    "it may not fit", "阶段 1 在一张 h100-sxm-80gb 上占 79.2 GiB 中的 76.8，实际运行在 70.6 到 "
	    "85.4 GiB 之间：可能放不下");
	texts_free(&texts);
	assert_false(language_texts(&texts, "xx", why, sizeof why));
	assert_non_null(strstr(why, "texts/xx.txt"));
}

int
main(void)
{
	use_source_tree();
	return unit_run(NULL, NULL);
}
