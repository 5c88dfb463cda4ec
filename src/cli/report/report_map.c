/* `map`: the canvas that the screen shows, printed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/base/run.h"
#include "cli/report/report.h"
#include "cli/session/session.h"
#include "core/base/text.h"
#include "ui/map/map.h"
#include "ui/screen/canvas.h"
#include "ui/screen/locale.h"

enum { WIDTH_DEFAULT = 80, WIDTH_LEAST = 20, WIDTH_MOST = 4096, CELLS_MOST = 1 << 25 };

int
report_width(const struct options *o)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	int64_t n = WIDTH_DEFAULT;

	if (o->width > 0)
		return (int)o->width;
	if (columns == NULL || !text_to_int(columns, &n) || n <= 0) {
		n = WIDTH_DEFAULT;
		if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
			n = size.ws_col;
	}
	return n < WIDTH_LEAST ? WIDTH_LEAST : n > WIDTH_MOST ? WIDTH_MOST : (int)n;
}

enum theme_palette
report_palette(const struct options *o)
{
	return theme_palette_for(o->palette != NULL ? o->palette : "auto", getenv("COLORFGBG"));
}

enum theme_colors
report_colors(const struct options *o)
{
	const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");

	if (o->color == COLOR_NEVER)
		return THEME_MONO;
	if (o->color == COLOR_AUTO && (!isatty(STDOUT_FILENO) || term == NULL ||
	    text_equal(term, "dumb") || (no_color != NULL && *no_color != '\0')))
		return THEME_MONO;
	if (term == NULL || *term == '\0' || text_equal(term, "dumb") ||
	    strstr(term, "256") != NULL || getenv("COLORTERM") != NULL)
		return theme_depth(report_palette(o), THEME_256);
	return theme_depth(report_palette(o),
	    strstr(term, "16color") != NULL ? THEME_16 : THEME_8);
}

static void
unknown_source(const struct layout *l, const char *name)
{
	char known[(LAYOUT_KINDS_MAX + 4) * (LAYOUT_NAME_SIZE + 1)] = "", one[MAP_COLOR_NAME_SIZE];

	for (int i = 0; i < map_color_count(l); i++) {
		const struct map_color color = map_color_at(l, i);

		map_color_name(color, l, one, sizeof one);
		text_add(known, sizeof known, " %s", color.by == MAP_BY_LINK ? "link:KIND" : one);
	}
	usage_error("--color-by: this plan's layout has no groups '%s'; it has%s", name, known);
}

/* "tp,pp,memory" as sources of colours. Without it: tensor parallel groups. */
static bool
map_sources(struct map_view *view, const struct layout *l, const char *text)
{
	const char *usual = layout_kind(l, "tp") >= 0 ? "tp" : "model", *names[MAP_COLORS_MAX];
	char name[MAP_COLORS_MAX][MAP_COLOR_NAME_SIZE];
	int count = 0;

	map_view_init(view, l, &usual, 1);
	for (; text != NULL; count++) {
		const size_t n = strcspn(text, ",");

		if (count == MAP_COLORS_MAX) {
			usage_error("--color-by: more than %d kinds", MAP_COLORS_MAX);
			return false;
		}
		text_put(name[count], sizeof name[0], "%.*s", n < sizeof name[0] ? (int)n : 0, text);
		names[count] = name[count];
		if (!map_color_has(l, name[count])) {
			unknown_source(l, name[count]);
			return false;
		}
		text = text[n] == ',' ? text + n + 1 : NULL;
	}
	if (count > 0)
		map_view_colors(view, l, names, count);
	return true;
}

/* The layout alone, or all there is to know where the colours ask for it. False after a
 * message. */
static bool
map_estimate(struct estimate *e, const struct session *s, const struct map_view *view,
    const struct layout *l)
{
	bool layers = false, memory = false, relation = false, ok;

	for (int i = 0; i < view->colors; i++) {
		layers = layers || view->color[i].by == MAP_BY_LAYERS;
		memory = memory || view->color[i].by == MAP_BY_MEMORY;
		relation = relation || view->color[i].by == MAP_BY_RELATION;
	}
	if (!layers && !memory && !relation) {
		e->laid_out = true;
		e->layout = *l;
		return true;
	}
	estimate_run(e, &s->plan, &s->catalog, NULL);
	ok = relation ? e->laid_out : e->placed && (e->stages > 0 || !memory); /* what is not run takes no memory */
	if (!ok)
		session_complain(&e->diags, SEVERITY_ERROR);
	return ok;
}

static int
map_put(const struct session *s, const struct options *o, const struct map_view *view,
    const struct estimate *e, FILE *out, bool picture)
{
	const int width = report_width(o);
	const int64_t rows = map_rows(&s->plan, e, view, width);
	struct canvas canvas;

	if (rows > CELLS_MOST / width) {
		complain("the map takes %lld rows of %d columns; give it a larger --width",
		    (long long)rows, width);
		return STATUS_ERROR;
	}
	if (!canvas_init(&canvas, width, (int)rows, view->utf8))
		return out_of_memory();
	map_draw(&canvas, (struct rect){ 0, 0, width, (int)rows }, &s->plan, e, view);
	if (picture)
		canvas_svg(&canvas, out, report_palette(o));
	else
		canvas_print(&canvas, out, view->depth, report_palette(o));
	canvas_free(&canvas);
	return STATUS_OK; /* write errors are main's to report */
}

int
report_map(const struct session *s, const struct options *o, const struct layout *l, FILE *out,
    bool picture)
{
	struct map_view view;
	struct estimate *e;
	int status;

	if (!map_sources(&view, l, o->color_by))
		return STATUS_ERROR;
	if (o->at >= l->world) {
		usage_error("--at: rank %lld is none of %lld", (long long)o->at, (long long)l->world);
		return STATUS_ERROR;
	}
	for (int i = 0; i < view.colors; i++)
		if (view.color[i].by == MAP_BY_RELATION)
			view.cursor = o->at;
	view.zoom = o->zoom;
	view.printed = true;
	view.depth = picture ? THEME_256 : report_colors(o);
	view.utf8 = !o->ascii && (picture || locale_utf8());
	e = calloc(1, sizeof *e);
	if (e == NULL)
		return out_of_memory();
	status = map_estimate(e, s, &view, l) ? map_put(s, o, &view, e, out, picture) :
	    STATUS_NO;
	free(e);
	return status;
}

int
map_work(struct session *s, const struct options *o)
{
	struct layout l;

	if (!report_layout(s, &l))
		return STATUS_NO;
	report_doubts(s);
	return report_map(s, o, &l, stdout, false);
}
