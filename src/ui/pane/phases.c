/*
 * phases.c - the phases of a step with rollouts or pairs, where a plan without them has its
 * traffic: when each runs, which pool waits meanwhile, and what the fullest GPU of its pool holds.
 */
#include <stddef.h>
#include <string.h>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/rl/rl.h"
#include "ui/pane/pane.h"

enum {
	BAR_LEAST = 6,        /* cells of a bar */
	NARROW = 46,          /* columns below which the others are as narrow as they can be */
	BARS_FROM = 68,       /* columns that have room for two bars */
	ROWS_MAX = PHASES + 2 /* each pool may wait */
};

/* A line: a phase, or a pool that waits. */
struct row {
	enum rl_phase phase; /* PHASES: none, */
	bool rollouts;       /* it is that pool which waits */
	double begin, seconds;
};

/* Parts of memory as the bars of the other pane have them, glyphs for those without colours. */
static const struct {
	enum role role;
	enum glyph glyph;
} looks[HELD_PARTS] = {
	[HELD_ENGINE] = { ROLE_KV_CACHE, GLYPH_LEFT },
	[HELD_WEIGHTS] = { ROLE_PARAMETERS, GLYPH_FULL },
	[HELD_GRADIENTS] = { ROLE_GRADIENTS, GLYPH_DARK },
	[HELD_OPTIMIZER] = { ROLE_OPTIMIZER, GLYPH_MEDIUM },
	[HELD_MODELS] = { ROLE_LOGITS, GLYPH_UPPER },
	[HELD_WORK] = { ROLE_ACTIVATIONS, GLYPH_LIGHT },
	[HELD_REST] = { ROLE_OVERHEAD, GLYPH_RIGHT },
};

static const struct rl_estimate *
phases_known(const struct state *s)
{
	return state_shown(s)->reinforced ? &state_shown(s)->rl : NULL;
}

static int
add_row(struct row rows[ROWS_MAX], int n, struct row row)
{
	if (row.phase != PHASES || row.seconds > 0)
		rows[n++] = row;
	return n;
}

/* Phases that run, in their order, and what a pool of its own waits for the other. */
static int
rows_of(const struct rl_estimate *r, struct row rows[ROWS_MAX])
{
	double generate, train;
	int n = 0;

	for (int k = 0; r != NULL && k < PHASES; k++)
		if (r->phase[k].runs)
			n = add_row(rows, n, (struct row){ (enum rl_phase)k, r->phase[k].rollouts,
			    rl_phase_begin(r, (enum rl_phase)k), r->phase[k].seconds });
	if (n == 0 || !r->split)
		return n;
	generate = r->phase[PHASE_ROLLOUT].seconds;
	train = r->trainer_seconds;
	if (r->overlaps) { /* the trainer alone waits for the sync */
		train += r->phase[PHASE_SYNC].seconds;
		n = add_row(rows, n, (struct row){ PHASES, false, train, generate - train });
		return add_row(rows, n, (struct row){ PHASES, true, generate, train - generate });
	}
	n = add_row(rows, n, (struct row){ PHASES, false, 0, generate });
	return add_row(rows, n, (struct row){ PHASES, true, generate, train });
}

static const char *
row_label(const struct row *row)
{
	if (row->phase != PHASES)
		return rl_phase_label(row->phase);
	return row->rollouts ? "engines wait" : "trainer waits";
}

static enum role
row_role(const struct row *row)
{
	switch (row->phase) {
	case PHASE_ROLLOUT:
		return ROLE_KV_CACHE;
	case PHASE_TRAIN:
	case PHASE_CRITIC:
		return ROLE_OPTIMIZER;
	case PHASE_SYNC:
		return ROLE_BUFFERS;
	case PHASES:
		return ROLE_DIM;
	default:
		return ROLE_ACTIVATIONS;
	}
}

/* Cells of the step in which the phase runs, one at least; in the others it is waited for. */
static void
draw_time(struct canvas *c, struct rect r, double whole, const struct row *row)
{
	const double end = row->begin + row->seconds;
	const int from = (int)(row->begin / whole * r.w), last = from < r.w - 1 ? from : r.w - 1;
	const enum glyph glyph = row->phase == PHASES ? GLYPH_LIGHT : GLYPH_FULL;

	for (int i = 0; i < r.w; i++) {
		const bool runs = i == last || (i > last && (i + 0.5) / r.w * whole < end);

		canvas_put(c, r.x + i, r.y,
		    (struct style){ .role = (uint8_t)(runs ? row_role(row) : ROLE_FREE) },
		    canvas_glyph(c, runs ? glyph : GLYPH_DOT));
	}
}

static wchar_t
part_glyph(const struct state *s, const struct canvas *c, int part)
{
	return canvas_glyph(c, pane_is_solid(s, c) ? GLYPH_FULL : looks[part].glyph);
}

/* What the fullest GPU holds, part by part, against all that it has. */
static void
draw_memory(struct canvas *c, struct rect r, const struct state *s,
    const struct rl_phase_estimate *f)
{
	const struct estimate *e = state_shown(s);
	const double most = e->rl.peak_bytes, scale = e->capacity_known && e->capacity > most ?
	    e->capacity : most;
	double sum = 0;
	int x = 0;

	for (int i = 0; i < HELD_PARTS; i++) {
		sum += f->held[i];
		for (; x < r.w && (x + 0.5) / r.w * scale < sum; x++)
			canvas_put(c, r.x + x, r.y, (struct style){ .role = (uint8_t)looks[i].role },
			    part_glyph(s, c, i));
	}
	for (; x < r.w; x++)
		canvas_put(c, r.x + x, r.y, (struct style){ .role = ROLE_FREE },
		    canvas_glyph(c, GLYPH_DOT));
}

/* "old log-probs  ▇▇▇···  7.59 s  ▇▇▇▇····  24.1 GiB", without what has no room. */
static void
draw_row(struct canvas *c, struct rect line, const struct state *s, const struct row *row,
    struct style style)
{
	const struct rl_estimate *r = &state_shown(s)->rl;
	const struct rl_phase_estimate *f = row->phase != PHASES ? &r->phase[row->phase] : NULL;
	const bool narrow = line.w < NARROW, two = line.w >= BARS_FROM;
	const int name_w = narrow ? 14 : 16, time_w = narrow ? 8 : 9, bytes_w = narrow ? 10 : 11;
	const bool over = f != NULL && state_shown(s)->capacity_known && f->low > state_shown(s)->capacity;
	const char *seconds = row->seconds > 0 ? UNITS_SHORT(SECONDS, row->seconds) : "-";
	const char *bytes = f != NULL ? UNITS_SHORT(BYTES, f->memory) : "";
	const int room = line.w - name_w - time_w - bytes_w, bar = two ? room / 2 : room;
	int x = line.x + name_w;

	canvas_text(c, line, line.x + (narrow ? 1 : 2), line.y, style, row_label(row));
	if (bar >= BAR_LEAST && r->step_seconds > 0) {
		draw_time(c, (struct rect){ x + !narrow, line.y, bar, 1 }, r->step_seconds, row);
		x += bar;
	}
	if (line.w < name_w + bytes_w)
		return;
	if (line.w >= name_w + time_w + bytes_w)
		canvas_text(c, line, (two ? x : line.x + line.w - bytes_w - time_w) + time_w -
		    canvas_width(c, seconds), line.y, style, seconds);
	if (two && f != NULL)
		draw_memory(c, (struct rect){ x + time_w + 2, line.y, room - bar - 1, 1 }, s, f);
	canvas_text(c, line, line.x + line.w - canvas_width(c, bytes), line.y,
	    over ? (struct style){ .role = ROLE_ERROR } : style, bytes);
}

/* Which colour is what, of the parts that any phase holds. */
static void
draw_legend(struct canvas *c, struct rect r, const struct state *s)
{
	const struct rl_estimate *e = &state_shown(s)->rl;
	int x = r.x + 2;

	for (int i = 0; i < HELD_PARTS; i++) {
		const char *name = rl_part_name((enum rl_part)i);
		bool held = false;

		for (int k = 0; k < PHASES; k++)
			held = held || (e->phase[k].runs && e->phase[k].held[i] > 0);
		if (!held || x + canvas_width(c, name) + 2 > r.x + r.w)
			continue;
		canvas_put(c, x, r.y, (struct style){ .role = (uint8_t)looks[i].role }, part_glyph(s, c, i));
		x += 4 + canvas_text(c, r, x + 2, r.y, (struct style){ .role = ROLE_DIM }, name);
	}
}

static void
phases_draw(const struct state *s, struct canvas *c, struct rect r)
{
	struct row rows[ROWS_MAX];
	const struct rl_estimate *rl = phases_known(s);
	const int count = rows_of(rl, rows);
	const int64_t first = s->phase.first;
	const bool focus = s->focus == PANE_TRAFFIC;

	if (rl == NULL) {
		pane_nothing(c, r, focus, "No phases to show until the errors are mended (e lists them).");
		return;
	}
	if (r.w >= BARS_FROM && r.h > count)
		draw_legend(c, (struct rect){ r.x, r.y + r.h - 1, r.w, 1 }, s);
	for (int64_t i = first; i < first + r.h && i < count; i++) {
		const struct rect line = { r.x, r.y + (int)(i - first), r.w, 1 };
		const bool is_selected = focus && i == s->phase.at;
		const struct style style = { .role = is_selected ? ROLE_SELECTED : ROLE_TEXT };

		draw_row(c, line, s, &rows[i], style);
		if (is_selected)
			canvas_mark(c, line);
	}
}

static int64_t
phases_count(const struct state *s)
{
	struct row rows[ROWS_MAX];

	return rows_of(phases_known(s), rows);
}

/* The seconds of the phase that is selected; of a pool that waits, those of the step. Results
 * stand in the order of the phases. */
static enum result_id
phases_result(const struct state *s)
{
	struct row rows[ROWS_MAX];
	const int count = rows_of(phases_known(s), rows);

	if (s->phase.at < 0 || s->phase.at >= count || rows[s->phase.at].phase == PHASES)
		return RESULT_RL_STEP;
	return (enum result_id)((int)RESULT_RL_ROLLOUT + (int)rows[s->phase.at].phase);
}

/* What the GPU holds in the phase; of a pool that waits, for what. */
static void
phases_line(const struct state *s, char *buf, size_t size)
{
	struct row rows[ROWS_MAX];
	const struct rl_estimate *r = phases_known(s);
	const int count = rows_of(r, rows);
	const struct row *row = s->phase.at >= 0 && s->phase.at < count ? &rows[s->phase.at] : NULL;

	if (row == NULL)
		return;
	if (row->phase == PHASES) {
		text_put(buf, size, "%lld GPUs %s %s of %s a step for %s",
		    (long long)(row->rollouts ? r->rollout_gpus : r->train_gpus),
		    row->rollouts ? "that generate wait" : "that train wait",
		    UNITS_SHORT(SECONDS, row->seconds), UNITS_SHORT(SECONDS, r->step_seconds),
		    row->rollouts ? "the trainer" : "rollouts");
		return;
	}
	text_put(buf, size, "%s:", rl_phase_label(row->phase));
	for (int i = 0; i < HELD_PARTS; i++)
		if (r->phase[row->phase].held[i] > 0)
			text_add(buf, size, " %s %s,", rl_part_name((enum rl_part)i),
			    UNITS_SHORT(BYTES, r->phase[row->phase].held[i]));
	buf[strlen(buf) - 1] = '\0';
}

static void
phases_note(const struct state *s, struct ledger *ledger)
{
	const struct estimate *e = state_shown(s);
	struct rl_estimate phases;

	if (e->reinforced)
		rl_run(&phases, state_shown_plan(s), s->catalog, &e->layout, &e->placement, NULL, ledger);
}

/* How long the phase takes; of the fullest one the bytes that it holds as well. */
static void
phases_why(const struct state *s, struct why *why)
{
	const enum result_id id = phases_result(s);

	text_put(why->title, sizeof why->title, "%s", result_table[id].label);
	why->result[why->results++].id = id;
	if ((int)id == (int)RESULT_RL_ROLLOUT + (int)state_shown(s)->rl.fullest)
		why->result[why->results++].id = RESULT_RL_PEAK;
}

const struct pane_type phases_pane = {
	.name = "phases", .title = "phases of a step, and memory of the fullest GPU",
	.context = CONTEXT_MEMORY, .click = "why",
	.draw = phases_draw, .line = phases_line, .note = phases_note, .why = phases_why,
	.rows = phases_count, .least = TABLE_LEAST, .scrolled = offsetof(struct state, phase),
};
