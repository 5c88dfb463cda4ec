/* `pipeline`: the schedule as the screen shows it, printed. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/base/run.h"
#include "cli/report/report.h"
#include "cli/session/session.h"
#include "ui/map/pipeline.h"
#include "ui/screen/canvas.h"
#include "ui/screen/locale.h"

static int
pipeline_print(const struct session *s, const struct options *o, const struct estimate *e)
{
	const bool utf8 = !o->ascii && locale_utf8();
	const struct pipeline_view view = { .depth = report_colors(o) };
	const int width = report_width(o), rows = 1 + pipeline_lines(e);
	struct canvas canvas;
	const char *why;
	char title[160];

	if (!canvas_init(&canvas, width, rows, utf8))
		return out_of_memory();
	pipeline_title(&s->plan, e, title, sizeof title);
	canvas_text_cut(&canvas, (struct rect){ 0, 0, width, 1 }, 0, 0, width,
	    (struct style){ .role = ROLE_TITLE }, title);
	why = pipeline_draw(&canvas, (struct rect){ 0, 1, width, rows - 1 }, &s->plan, e, &view,
	    false);
	if (why == NULL)
		canvas_print(&canvas, stdout, view.depth, report_palette(o));
	else
		complain("%s", why);
	canvas_free(&canvas);
	return why == NULL ? STATUS_OK : STATUS_NO; /* write errors are main's to report */
}

int
pipeline_work(struct session *s, const struct options *o)
{
	struct estimate *e = calloc(1, sizeof *e);
	int status = STATUS_NO;

	if (e == NULL)
		return out_of_memory();
	estimate_run(e, &s->plan, &s->catalog, NULL);
	if (e->laid_out && e->placed) {
		report_doubts(s);
		status = pipeline_print(s, o, e);
	} else {
		session_complain(&e->diags, SEVERITY_ERROR);
	}
	free(e);
	return status;
}
