#include "ui/screen/scroll.h"

static int64_t
clamp(int64_t v, int64_t most)
{
	return v > most ? most > 0 ? most : 0 : v > 0 ? v : 0;
}

int64_t
scroll_step(int64_t at, int64_t way, int64_t count)
{
	return clamp(at + way, count - 1);
}

bool
scroll_select(struct scroll *w, int64_t at)
{
	const bool other = w->at != at;

	w->at = at;
	return other;
}

void
scroll_keep(struct scroll *w, int64_t count)
{
	w->at = clamp(w->at, count - 1);
}

int64_t
scroll_follow(int64_t first, int64_t from, int64_t to, int64_t count, int h)
{
	if (h <= 0)
		return first;
	if (first < to - h + 1)
		first = to - h + 1;
	if (first > from)
		first = from;
	return clamp(first, count - h);
}

void
scroll_lines(struct scroll *w, int64_t count, int h, int lines)
{
	w->first = clamp(w->first + lines, count - h);
	if (w->at > w->first + h - 1)
		w->at = w->first + h - 1;
	if (w->at < w->first)
		w->at = w->first;
	scroll_keep(w, count);
}
