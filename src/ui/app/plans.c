/* The plans that there are, as a list: to open one, or to see what saving would write over. */
#include <string.h>

#include "core/base/number.h"
#include "core/base/show.h"
#include "core/base/text.h"
#include "ui/app/actions.h"
#include "ui/list/list.h"

enum {
	PATH_LEAST = 16, PATH_MOST = 44, MODEL_COLUMNS = 18, GPUS_MOST = 22, VERDICT_MOST = 26, VERDICT_LEAST = 21,
	MODEL_FROM = 92, /* columns; in less, names have to tell the model */
};

/* Columns of a path: what the others leave, as wide as what stands in them; it is what one chooses by. */
struct widths {
	int path, gpus;
};

static bool
is_saving(const struct state *s)
{
	return s->prompt.kind == PROMPT_SAVE;
}

void
plans_title(const struct state *s, char *buf, size_t size)
{
	text_add(buf, size, "%s", is_saving(s) ? "plans here; save as" : "open a plan");
	if (s->found.read < s->found.count)
		text_add(buf, size, "  (%zu of %zu read)", s->found.read, s->found.count);
}

/* Examples lie far away: their names will do, as for a path that has no room. */
static const char *
shown_path(const struct found_plan *f, int path_w)
{
	const char *slash = strrchr(f->path, '/');

	return slash != NULL && (f->shipped || strlen(f->path) > (size_t)path_w) ? slash + 1 : f->path;
}

/* verdict NULL: that of the plan, with what is in it before. */
static void
put_plan(const struct rows *rows, const struct found_plan *f, const char *verdict, struct widths w,
    char *buf, size_t size)
{
	char shown[STATE_PATH_SIZE], cell[STATE_PATH_SIZE + PATH_MOST], *end;
	const bool whole = verdict == NULL && f->model[0] != '\0';

	show_path(shown, sizeof shown, shown_path(f, w.path)); /* names may hold anything */
	end = strrchr(shown, '.');
	if (canvas_width(NULL, shown) > w.path && end != NULL && text_equal(end, ".cfg"))
		*end = '\0'; /* which all of them have */
	rows_column(shown, w.path, cell, sizeof cell);
	text_put(buf, size, "%s  ", cell);
	if (whole && rows->width >= MODEL_FROM) {
		rows_column(f->model, MODEL_COLUMNS, cell, sizeof cell);
		text_add(buf, size, "%s  ", cell);
	}
	if (whole) {
		rows_column(f->gpus, w.gpus, cell, sizeof cell);
		text_add(buf, size, "%s  ", cell);
	}
	text_add(buf, size, "%s", verdict != NULL ? verdict : f->verdict);
}

static struct widths
widths_of(const struct rows *rows, const struct found *found)
{
	const int model = rows->width >= MODEL_FROM ? MODEL_COLUMNS + 2 : 0;
	int gpus = 0, verdict = VERDICT_LEAST;

	for (size_t i = 0; i < found->count; i++) {
		gpus = (int)most_of(gpus, canvas_width(NULL, found->plan[i].gpus));
		verdict = (int)most_of(verdict, canvas_width(NULL, found->plan[i].verdict));
	}
	gpus = (int)least_of(gpus, GPUS_MOST);
	return (struct widths){ (int)most_of(PATH_LEAST, least_of(PATH_MOST,
	    rows->width - model - gpus - least_of(verdict, VERDICT_MOST) - 4)), gpus };
}

const struct new_plan *
plans_new(int i)
{
	static const struct new_plan table[] = {
		{ "new: pre-train a model", "" },
		{ "new: fine-tune a model with LoRA on one GPU",
		    "finetune.method=lora nodes=1 gpus-per-node=1 tp=1 pp=1" },
		{ "new: RL, GRPO on eight GPUs", "rl.algorithm=grpo nodes=1 tp=1 pp=1 layout=torchtitan zero_stage=3 recompute=full gbs=256 "
		    "serving.gpu_memory_utilization=0.6 rl.offload=optimizer+params" },
		{ "new: serve a model", "mode=serve nodes=1 tp=1 pp=1" },
	};

	return i < (int)(sizeof table / sizeof *table) ? &table[i] : NULL;
}

static bool
has_own(const struct found *found)
{
	for (size_t i = 0; i < found->count; i++)
		if (!found->plan[i].shipped)
			return true;
	return false;
}

void
plans_rows(struct rows *rows, const struct state *s)
{
	const struct widths w = widths_of(rows, &s->found);
	char text[ROW_TEXT_SIZE + STATE_PATH_SIZE];

	for (int shipped = 0; shipped <= (is_saving(s) ? 0 : 1); shipped++) {
		rows_heading(rows, shipped ? "Examples" : has_own(&s->found) ? "Here and of late" :
		    "No plan in this folder yet");
		for (size_t i = 0; i < s->found.count; i++) {
			const struct found_plan *f = &s->found.plan[i];

			if (f->shipped != (shipped == 1))
				continue;
			put_plan(rows, f, is_saving(s) && text_equal(f->path, s->prompt.line.text) ?
			    "would be written over" : NULL, w, text, sizeof text);
			rows_line(rows, (int)i, f->role, text);
		}
		for (int i = 0; !shipped && !is_saving(s) && plans_new(i) != NULL; i++)
			rows_line(rows, (int)s->found.count + 2 + i, ROLE_TEXT, plans_new(i)->what);
		if (!shipped && !is_saving(s)) /* file_take_found asks for its name */
			rows_line(rows, (int)s->found.count, ROLE_TEXT,
			    "import FILE: config.json, a launch script, sinfo, nvidia-smi, settings");
		if (!shipped && !is_saving(s))
			rows_line(rows, (int)s->found.count + 1, ROLE_TEXT,
			    "diagnose FILE: a log of this plan, a trace, a benchmark: why is it slow");
	}
}

void
plans_open(struct state *s)
{
	found_look(s);
	while (s->in_lines && found_read(s)) /* a list that is printed does not grow */
		continue;
	list_open(s, LIST_PLANS);
}

void
plans_mark(struct state *s)
{
	if (s->list.kind != LIST_PLANS)
		return;
	s->list.item = -1;
	for (size_t i = 0; i < s->found.count; i++)
		if (text_equal(s->found.plan[i].path, s->prompt.line.text))
			list_select(s, (int)i);
}

bool
plans_choose(struct state *s, int way)
{
	int target;

	if (s->list.kind != LIST_PLANS)
		return false;
	list_move(s, way);
	target = list_target(s);
	if (target >= 0)
		line_start(&s->prompt.line, s->found.plan[target].path, false);
	return true;
}
