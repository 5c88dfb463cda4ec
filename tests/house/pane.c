/*
 * pane.c - with one pane more (rows.sh): at every size of the screen each pane that Tab leads to is
 * drawn, moved in and explained, and the new one says its words.
 */
#include "ui/support.h"

#include "ui/pane/panes.h"

SESSION_TEST(stands)
{
	struct session *s = session_new(test, 120, 40);
	int seen = 0;

	for (int i = 0; i < PANE_COUNT; i++) {
		if (s->state.focus == PANE_HOUSE) {
			assert_true(shows(s, "house") && shows(s, "it stands"));
			seen++;
		}
		key(s, '\t');
	}
	assert_int_equal(seen, 1);
}

SESSION_TEST(sizes)
{
	for (int rows = 1; rows < 60; rows += rows < 30 ? 1 : 7)
		for (int columns = 1; columns < 200; columns += columns < 20 ? 5 : 20) {
			struct session *s = session_new(test, columns, rows);

			for (int i = 0; i < 2 * PANE_COUNT; i++) {
				if (i == PANE_COUNT)
					type(s, "m");
				draw(s);
				type(s, "jjk");
				key(s, INPUT_PAGE_DOWN);
				key(s, '\r');
				draw(s);
				key(s, INPUT_ESCAPE);
				key(s, '\t');
			}
		}
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
