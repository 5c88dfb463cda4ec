/* The primer: its files, and that both languages say the same. */
#include "filetest.h"

#include "file/prefs/topics.h"

static void
read_language(struct topics *t, const char *language)
{
	char why[512] = "";

	if (!topics_read(t, language, why, sizeof why))
		fail_msg("%s", why);
}

/* Lines of a page that begin like `start`. */
static int
lines(const struct topic *t, const char *start)
{
	int n = 0;

	for (const char *at = t->text; *at != '\0'; at += *at == '\n') {
		n += strncmp(at, start, strlen(start)) == 0;
		at += strcspn(at, "\n");
	}
	return n;
}

/* The next line about the plan: what is before its text, its condition and link. */
static const char *
next_guide(const char *text, size_t *n)
{
	const char *at = *text == '@' ? text : strstr(text, "\n@");

	if (at == NULL)
		return NULL;
	at += *at == '\n';
	*n = strcspn(at, "|");
	*n += 1 + strcspn(at + *n + 1, "|");
	return at;
}

/* Both pages say the same of a plan, in this order. */
static bool
same_guides(const struct topic *a, const struct topic *b)
{
	const char *x = a->text, *y = b->text;
	size_t n = 0, m = 0;

	for (;; x += n, y += m) {
		x = next_guide(x, &n);
		y = next_guide(y, &m);
		if (x == NULL || y == NULL)
			return x == NULL && y == NULL;
		if (n != m || strncmp(x, y, n) != 0)
			return false;
	}
}

TEST(test_languages)
{
	struct topics en, zh;

	read_language(&en, "en");
	read_language(&zh, "zh");
	assert_true(en.count > 25);
	assert_int_equal(en.count, zh.count);
	for (size_t i = 0; i < en.count; i++) {
		assert_string_equal(en.topic[i].names, zh.topic[i].names);
		assert_true(en.topic[i].title[0] != '\0' && zh.topic[i].title[0] != '\0');
		assert_int_equal(lines(&en.topic[i], "= "), lines(&zh.topic[i], "= "));
		/* Each page names what there is to read, in English also what is in Chinese alone. */
		assert_int_equal(lines(&en.topic[i], "- "), lines(&zh.topic[i], "- "));
		assert_int_equal(lines(&en.topic[i], "# "), 0);
		assert_true(same_guides(&en.topic[i], &zh.topic[i]));
		assert_true(lines(&en.topic[i], "= ") > 0);
	}
	topics_free(&en);
	topics_free(&zh);
}

/* No name means two pages, and the first of a page is a word to type. */
TEST(test_names)
{
	struct topics t;
	char name[32];

	read_language(&t, "en");
	for (size_t i = 0; i < t.count; i++) {
		char names[256], *save = NULL;

		snprintf(names, sizeof names, "%s", t.topic[i].names);
		for (char *one = strtok_r(names, ",", &save); one != NULL;
		    one = strtok_r(NULL, ",", &save))
			assert_ptr_equal(topics_find(&t, one), &t.topic[i]);
		topic_name(&t.topic[i], name, sizeof name);
		assert_ptr_equal(topics_find(&t, name), &t.topic[i]);
	}
	assert_non_null(topics_find(&t, "zero_stage")); /* a field's page */
	assert_ptr_equal(topics_find(&t, "TP"), topics_find(&t, "tp"));
	assert_ptr_equal(topics_find(&t, "dp-pp-tp"), topics_find(&t, "3d"));
	assert_null(topics_find(&t, "ze"));
	assert_null(topics_find(&t, ""));
	topics_free(&t);
}

TEST(test_missing)
{
	struct topics t;
	char why[512] = "";

	assert_false(topics_read(&t, "tlh", why, sizeof why));
	assert_non_null(strstr(why, "tlh.txt"));
	assert_int_equal(t.count, 0);
	topics_free(&t);
}

int
main(void)
{
	use_source_tree();
	return unit_run(NULL, NULL);
}
