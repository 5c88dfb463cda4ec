/* `map`: the canvas that the screen shows, printed. */
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/report.h"
#include "cli/session.h"
#include "core/text.h"
#include "ui/canvas.h"
#include "ui/map.h"

enum { WIDTH_DEFAULT = 80, WIDTH_LEAST = 20, WIDTH_MOST = 4096, CELLS_MOST = 1 << 25 };

/* --width, else $COLUMNS, else the terminal's, else 80. */
static int
map_width(const struct options *o)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	int64_t n = WIDTH_DEFAULT;

	if (o->width > 0)
		return o->width;
	if (columns == NULL || !text_to_int(columns, &n) || n <= 0) {
		n = WIDTH_DEFAULT;
		if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
			n = size.ws_col;
	}
	return n < WIDTH_LEAST ? WIDTH_LEAST : n > WIDTH_MOST ? WIDTH_MOST : (int)n;
}

/* How many colours to send: none unless the output is a terminal that wants them. */
static enum theme_colors
map_colors(const struct options *o)
{
	const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");

	if (o->color == APP_COLOR_NEVER)
		return THEME_MONO;
	if (o->color == APP_COLOR_AUTO && (!isatty(STDOUT_FILENO) || term == NULL ||
	    text_equal(term, "dumb") || (no_color != NULL && *no_color != '\0')))
		return THEME_MONO;
	if (term == NULL || *term == '\0' || text_equal(term, "dumb") ||
	    strstr(term, "256") != NULL || getenv("COLORTERM") != NULL)
		return THEME_256;
	return strstr(term, "16color") != NULL ? THEME_16 : THEME_8;
}

/* "tp,pp" as kinds of the layout. Without it: tensor parallel groups. */
static bool
map_kinds(struct map_view *view, const struct layout *l, const char *text)
{
	const char *const usual[] = { layout_kind(l, "tp") >= 0 ? "tp" : "model" };
	char name[LAYOUT_NAME_SIZE];

	map_view_init(view, l, usual, 1);
	view->cursor = -1;
	if (text == NULL)
		return true;
	for (view->colors = 0;; text++) {
		size_t n = strcspn(text, ",");

		text_put(name, sizeof name, "%.*s", n < sizeof name ? (int)n : 0, text);
		if (view->colors == MAP_COLORS_MAX) {
			usage_error("--color-by: more than %d kinds", MAP_COLORS_MAX);
			return false;
		}
		if ((view->kind[view->colors] = report_kind(l, "--color-by", name)) < 0)
			return false;
		view->colors++;
		text += n;
		if (*text == '\0')
			return true;
	}
}

static int
map_print(const struct session *s, const struct options *o, const struct layout *l)
{
	const bool utf8 = !o->ascii && text_equal(nl_langinfo(CODESET), "UTF-8");
	const int width = map_width(o);
	struct map_view view;
	struct canvas canvas;
	int64_t rows;

	if (!map_kinds(&view, l, o->color_by))
		return STATUS_ERROR;
	view.depth = map_colors(o);
	rows = map_rows(&s->plan, l, &view, width);
	if (rows > CELLS_MOST / width) {
		complain("the map takes %lld rows of %d columns; give it a larger --width",
		    (long long)rows, width);
		return STATUS_ERROR;
	}
	if (!canvas_init(&canvas, width, (int)rows, utf8)) {
		complain("out of memory");
		return STATUS_ERROR;
	}
	map_draw(&canvas, (struct rect){ 0, 0, width, (int)rows }, &s->plan, l, &view);
	canvas_print(&canvas, stdout, map_colors(o), PALETTE_DEFAULT);
	canvas_free(&canvas);
	return STATUS_OK; /* write errors are main's to report */
}

int
map_run(const struct options *o)
{
	return report_with_layout(o, map_print);
}
