/* The scan before libconfig: what it refuses, with which line, and what it lets pass. */
#include "filetest.h"

#include "file/plan/scan.h"

static struct file_errors errors;
static struct scanned found;

static bool
scan(const char *text)
{
	memset(&errors, 0, sizeof errors);
	return scan_text(text, strlen(text), "p", &errors, &found);
}

static void
refused(const char *text, const char *line)
{
	assert_false(scan(text));
	assert_string_equal(errors.line[0], line);
	assert_int_equal(errors.count, 1);
}

TEST(test_strings_and_comments)
{
	refused("a = 1;\nb = \"x\n\n", "p:2: error: this text never ends (fix: close it with a "
	    "quotation mark)");
	refused("a = 1;\n\n/* b\n c = 3;\n", "p:3: error: this comment never ends (fix: close it "
	    "with */)");
	refused("/*/", "p:1: error: this comment never ends (fix: close it with */)");
	refused("a = \"\\q\";", "p:1: error: unknown escape in a text (fix: write \\\\ for one "
	    "backslash)");
	refused("\na = \"\\x00\";", "p:2: error: a text can not hold the byte zero (fix: leave "
	    "\\x00 out)");
	assert_true(scan("a = \"@include \\\" /* # // 99999999999\\x1b\\n\\\\\";"));
	assert_false(found.comments);
	assert_true(scan("a = 1; # 99999999999 @include\nb = 2; // 010\nc = 3; /* 1e999 \" */"));
	assert_true(found.comments);
	assert_true(scan("# no line end"));
	assert_true(scan(""));
	assert_false(found.comments);
}

TEST(test_include)
{
	static const char line[] = "p:2: error: @include is not supported (fix: base = "
	    "\"other.cfg\";)";

	refused("\n@include \".\"\n", line);
	refused("a: {\n \t@include \"/etc/passwd\"\n};", line);
}

TEST(test_numbers)
{
	refused("\n\na = 2147483648;", "p:3: error: 2147483648 needs an L, or libconfig 1.5 reads "
	    "another number (fix: write 2147483648L)");
	refused("a = -70000000000;", "p:1: error: -70000000000 needs an L, or libconfig 1.5 reads "
	    "another number (fix: write -70000000000L)");
	refused("a = 0x80000000;", "p:1: error: 0x80000000 needs an L, or libconfig 1.5 reads "
	    "another number (fix: write 0x80000000L)");
	refused("a = 9223372036854775808L;", "p:1: error: 9223372036854775808 is too large (fix: "
	    "whole numbers go up to 9223372036854775807L)");
	refused("a = 0x8000000000000000L;", "p:1: error: 0x8000000000000000 is too large (fix: "
	    "whole numbers go up to 0x7FFFFFFFFFFFFFFFL)");
	refused("a = 010;", "p:1: error: leading zeros, which libconfig 1.7 reads as octal (fix: "
	    "write 10)");
	refused("a = -007;", "p:1: error: leading zeros, which libconfig 1.7 reads as octal (fix: "
	    "write -7)");
	refused("a = 00;", "p:1: error: leading zeros, which libconfig 1.7 reads as octal (fix: "
	    "write 0)");
	refused("a = 1e999;", "p:1: error: 1e999 is too large (fix: numbers go up to 1.79e308)");
	refused("a = 1e-999;", "p:1: error: 1e-999 is too small (fix: write 0.0)");
	assert_true(scan("a = 2147483647; b = -2147483647; c = 2147483648L; d = 0x7FFFFFFF;"
	    "e = 9223372036854775807L; f = -9223372036854775808L; g = 0xFFFFFFFFL; h = 0; i = -0;"
	    "j = -0.0; k = .5; l = 5.; m = 1e5; n = -1.5E-3; o = 70LL; p = +3; q = 0e0;"
	    "x1e999 = 1; a010-2147483648 = 1;"));
}

/* What is no number is not shown: a base may name any file, a secret key as well. */
TEST(test_no_numbers)
{
	static const char *const texts[] = { "a = 0b101;", "a = 1_000;", "a = 1.5.2;", "a = .;",
		"a = -;", "+PQIr7NgRXJ7Eq6fiQzgnPRzrFUhlTu2", "8BPs" };

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		refused(texts[i], "p:1: error: this is not a number (fix: write digits, such as 8 or 0.5)");
}

TEST(test_limits)
{
	char deep[600], *many = malloc(200000);
	size_t n = 0;

	memset(deep, '(', 300);
	deep[300] = '\0';
	refused(deep, "p:1: error: more than 64 groups and lists inside one another");
	assert_true(scan("a = ((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))));"));
	assert_non_null(many);
	for (int i = 0; i < 10000; i++)
		n += (size_t)sprintf(many + n, "k%d = 1;\n", i);
	refused(many, "p:2001: error: more than 2000 settings in one group: no plan needs so many");
	/* A list takes memory for each member, whatever it is. */
	n = (size_t)sprintf(many, "a = (");
	for (int i = 0; i < 20000; i++)
		n += (size_t)sprintf(many + n, "0,%s", i % 100 == 99 ? "\n" : "");
	refused(many, "p:200: error: more than 20000 settings and members of lists: no plan needs so "
	    "many");
	strcpy(many, "a = 1; b = (2, [3, 4], { c = 5; });");
	assert_true(scan(many));
	assert_int_equal(found.values, 8); /* three settings, three and two members */
	free(many);
	memset(&errors, 0, sizeof errors);
	assert_false(scan_text("a\n\0b", 4, "p", &errors, &found));
	assert_string_equal(errors.line[0], "p:2: error: a zero byte: this is no text file");
}

TEST(test_twenty)
{
	char text[4096] = "";

	for (int i = 0; i < 30; i++)
		strcat(text, "a = 99999999999;\n");
	assert_false(scan(text));
	assert_int_equal(errors.count, PLANFILE_ERRORS_MAX);
	assert_int_equal(errors.dropped, 10);
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
