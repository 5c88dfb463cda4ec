/* test_scroll.c - what an area shows of a list, and what is selected in it. */
#include "ui/screen/scroll.h"
#include "../unit.h"

TEST(test_step)
{
	assert_int_equal(scroll_step(3, 2, 10), 5);
	assert_int_equal(scroll_step(3, -5, 10), 0);
	assert_int_equal(scroll_step(8, 5, 10), 9);
	assert_int_equal(scroll_step(0, 1, 0), 0); /* there is none */
}

TEST(test_select)
{
	struct scroll w = { .at = 2 };

	assert_true(scroll_select(&w, 5));
	assert_false(scroll_select(&w, 5));
	scroll_keep(&w, 4);
	assert_int_equal(w.at, 3);
	scroll_keep(&w, 0);
	assert_int_equal(w.at, 0);
}

/* The lines from one to another are shown, else the first of them; no line stays empty that a
 * list could fill. */
TEST(test_follow)
{
	assert_int_equal(scroll_follow(0, 4, 4, 10, 5), 0);
	assert_int_equal(scroll_follow(0, 5, 5, 10, 5), 1);
	assert_int_equal(scroll_follow(6, 2, 2, 10, 5), 2);
	assert_int_equal(scroll_follow(9, 9, 9, 10, 5), 5);
	assert_int_equal(scroll_follow(3, 2, 2, 4, 5), 0);
	assert_int_equal(scroll_follow(0, 4, 7, 10, 5), 3);
	assert_int_equal(scroll_follow(0, 1, 9, 10, 5), 1);
	assert_int_equal(scroll_follow(7, 2, 2, 10, 0), 7);  /* there is no area */
	assert_int_equal(scroll_follow(7, 2, 2, 10, -1), 7);
	assert_int_equal(scroll_follow(7, 2, 2, 10, 1), 2);
}

/* The selection comes along where the lines would leave it behind. */
TEST(test_lines)
{
	struct scroll w = { .at = 4, .first = 0 };

	scroll_lines(&w, 10, 5, 2);
	assert_true(w.first == 2 && w.at == 4);
	scroll_lines(&w, 10, 5, 9);
	assert_true(w.first == 5 && w.at == 5);
	scroll_lines(&w, 10, 5, -1);
	assert_true(w.first == 4 && w.at == 5);
	w.at = 8;
	scroll_lines(&w, 10, 5, -3);
	assert_true(w.first == 1 && w.at == 5);
	scroll_lines(&w, 10, 5, -9);
	assert_true(w.first == 0 && w.at == 4);
	scroll_lines(&w, 3, 5, 1); /* all are shown; fewer than there were */
	assert_true(w.first == 0 && w.at == 2);
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
