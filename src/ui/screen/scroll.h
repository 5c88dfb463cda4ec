/*
 * scroll.h - a list of which an area shows some lines, and one entry is selected.
 */
#ifndef UI_SCROLL_H
#define UI_SCROLL_H
#include <stdbool.h>
#include <stdint.h>

struct scroll {
	int64_t at;    /* selected entry */
	int64_t first; /* first line shown */
};

/* Of `count` entries, the one `way` further, as far as it goes. */
int64_t scroll_step(int64_t at, int64_t way, int64_t count);

/* Select an entry; false where it was so already. */
bool scroll_select(struct scroll *w, int64_t at);

/* Keep the selected one among the entries that there are. */
void scroll_keep(struct scroll *w, int64_t count);

/* The first of `count` lines to show in an area of h, so that those from one to another, or that
 * one at least, are visible. */
int64_t scroll_follow(int64_t first, int64_t from, int64_t to, int64_t count, int h);

/* Move the h lines shown of `count`; the selection comes along where it would be left
 * behind. */
void scroll_lines(struct scroll *w, int64_t count, int h, int lines);
#endif
