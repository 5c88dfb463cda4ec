/* JSON: members by path, types and ranges, and where a text is wrong. */
#include "filetest.h"

#include "file/log/jsonin.h"

static struct file_errors errors;
static struct jsonin json;

static bool
load_bytes(const char *text, size_t n)
{
	FILE *f;
	bool ok;

	errors = (struct file_errors){ 0 };
	put_bytes("a.json", text, n);
	f = fopen(in_dir("a.json"), "r");
	assert_non_null(f);
	ok = jsonin_load(&json, f, "a.json", &errors);
	fclose(f);
	assert_int_equal(errors.count, ok ? 0 : 1);
	return ok;
}

static bool
load(const char *text)
{
	return load_bytes(text, strlen(text));
}

/* Refused with exactly this line. */
static void
refused(const char *text, const char *line)
{
	assert_false(load(text));
	assert_string_equal(errors.line[0], line);
	jsonin_free(&json);
}

TEST(test_members)
{
	int64_t n = 0;
	double x = 0;

	assert_true(load("\xef\xbb\xbf { \"a\": "
	    "{ \"b\": [ 1, { \"d\\u00e9\": 3 } ] }, \"n\": null,\n"
	    " \"big\": 9223372036854775807, \"whole\": 1e4, \"real\": -2.5 }"));
	assert_int_equal(json.texts, 1);
	assert_true(jsonin_int(&json, "a.b.0", 0, 9, &n));
	assert_int_equal(n, 1);
	assert_true(jsonin_int(&json, "a.b.1.d\xc3\xa9", 0, 9, &n));
	assert_int_equal(n, 3);
	assert_true(jsonin_int(&json, "big", 0, INT64_MAX, &n));
	assert_true(n == INT64_MAX);
	assert_true(jsonin_int(&json, "whole", 0, 10000, &n));
	assert_int_equal(n, 10000);
	assert_true(jsonin_real(&json, "real", -10, 10, &x));
	assert_true(x == -2.5);
	assert_true(jsonin_real(&json, "a.b.0", 0, 10, &x)); /* an integer is a number too */
	/* absent, null and through what is no container: no complaint, nothing written */
	n = 7;
	assert_false(jsonin_int(&json, "absent", 0, 9, &n));
	assert_false(jsonin_int(&json, "n", 0, 9, &n));
	assert_false(jsonin_int(&json, "a.b.2", 0, 9, &n));
	assert_false(jsonin_int(&json, "a.b.x", 0, 9, &n));
	assert_false(jsonin_int(&json, "real.x", 0, 9, &n));
	assert_int_equal(n, 7);
	assert_int_equal(errors.count, 0);
	jsonin_free(&json);
}

TEST(test_types)
{
	int64_t n = 7;
	double x = 7;

	assert_true(load("{ \"t\": \"x\", \"i\": 12, "
	    "\"r\": 1.5, \"o\": {}, \"l\": [], \"b\": true }"));
	assert_false(jsonin_int(&json, "t", 0, 9, &n));
	assert_false(jsonin_int(&json, "r", 0, 9, &n));
	assert_false(jsonin_int(&json, "i", 0, 9, &n));
	assert_false(jsonin_real(&json, "b", 0, 9, &x));
	assert_false(jsonin_real(&json, "i", 0, 9.5, &x));
	assert_false(jsonin_real(&json, "l", 0, 9, &x));
	assert_int_equal(errors.count, 6);
	assert_string_equal(errors.line[0], "a.json: error: t: must be a whole number, not text");
	assert_string_equal(errors.line[1],
	    "a.json: error: r: must be a whole number, not a number with a fraction");
	assert_string_equal(errors.line[2], "a.json: error: i: must be 0 to 9, not 12");
	assert_string_equal(errors.line[3], "a.json: error: b: must be a number, not true");
	assert_string_equal(errors.line[4], "a.json: error: i: must be 0 to 9.5, not 12");
	assert_string_equal(errors.line[5], "a.json: error: l: must be a number, not a list");
	assert_int_equal(n, 7);
	assert_true(x == 7);
	jsonin_free(&json);
}

/* What Python writes, and only outside of text. */
TEST(test_python)
{
	double x = 7;

	assert_true(load("{\"rate\": Infinity, \"low\": -Infinity, \"l\": [NaN,NaN,NaN,NaN],"
	    " \"NaN \\\" Infinity\": 2, \"after\": 3}"));
	assert_false(jsonin_real(&json, "rate", 0, 9, &x));
	assert_false(jsonin_real(&json, "low", 0, 9, &x));
	assert_false(jsonin_real(&json, "l.3", 0, 9, &x));
	assert_int_equal(errors.count, 0);
	assert_true(jsonin_real(&json, "NaN \" Infinity", 0, 9, &x));
	assert_true(x == 2);
	assert_true(jsonin_real(&json, "after", 0, 9, &x));
	assert_true(x == 3);
	jsonin_free(&json);
}

TEST(test_lines)
{
	int64_t n = 0;

	assert_true(load("{\"a\": 1}\n\n{\"a\": 2}\r\n{\"a\": 3}\n"));
	assert_int_equal(json.texts, 3);
	assert_true(jsonin_int(&json, "a", 0, 9, &n));
	assert_int_equal(n, 3);
	jsonin_free(&json);
	refused("{\"a\": 1}\n{\"a\": }\n", "a.json:2:7: error: unexpected token near '}'");
}

TEST(test_wrong_texts)
{
	char *text = malloc(PLANFILE_SIZE_MAX + 8);

	assert_non_null(text);
	refused("", "a.json: error: is empty");
	refused(" \n\t", "a.json: error: is empty");
	refused("{\n  \"a\": [1, 2,\n}", "a.json:3:1: error: unexpected token near '}'");
	refused("{\"a\": 1, \"a\": 2}", "a.json:1:12: error: duplicate object key near '\"a\"'");
	refused("{\"a\": 99999999999999999999}",
	    "a.json:1:26: error: too big integer near '99999999999999999999'");
	refused("tp = 8;", "a.json:1:2: error: '[' or '{' expected near 'tp'");
	assert_false(load("{\"a\": \"\033[31m\"}")); /* no escape reaches the terminal */
	assert_null(strchr(errors.line[0], '\033'));
	jsonin_free(&json);
	assert_false(load("{\"a\": \"\xff\"}"));
	assert_non_null(strstr(errors.line[0], "a.json:1:"));
	jsonin_free(&json);
	assert_false(load_bytes("{}\0{}", 5));
	assert_string_equal(errors.line[0], "a.json:1:3: error: NUL byte: this is no text");
	jsonin_free(&json);
	/* 64 levels and no more */
	memset(text, '[', 65);
	memset(text + 65, ']', 65);
	text[130] = '\0';
	refused(text, "a.json:1:65: error: nested deeper than 64 levels");
	text[129] = '\0';
	assert_true(load(text + 1));
	jsonin_free(&json);
	/* 1 MiB and no more */
	memset(text, ' ', PLANFILE_SIZE_MAX);
	memcpy(text, "{}", 2);
	assert_true(load_bytes(text, PLANFILE_SIZE_MAX));
	jsonin_free(&json);
	assert_false(load_bytes(text, PLANFILE_SIZE_MAX + 1));
	assert_string_equal(errors.line[0], "a.json: error: is JSON of more than 1 MiB");
	jsonin_free(&json);
	free(text);
}

int
main(void)
{
	return unit_run(fresh_dir, remove_dir);
}
