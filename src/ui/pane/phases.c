/*
 * phases.c - the phases of a step with rollouts or pairs: when each runs, and what the fullest GPU
 * of its pool then holds, where a plan without them has its traffic.
 */
#include <string.h>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/rl/rl.h"
#include "ui/pane/pane.h"

enum { NAME_COLUMNS = 16, TIME_COLUMNS = 9, MEMORY_COLUMNS = 11, BAR_LEAST = 6 };

static const struct rl_estimate *
phases_known(const struct state *s)
{
	return s->estimate->reinforced ? &s->estimate->rl : NULL;
}

static int64_t
phases_count(const struct state *s)
{
	const struct rl_estimate *r = phases_known(s);
	int64_t n = 0;

	for (int i = 0; r != NULL && i < PHASES; i++)
		n += r->phase[i].runs;
	return n;
}

/* The i-th phase that runs. */
static enum rl_phase
phase_at(const struct rl_estimate *r, int64_t i)
{
	for (int k = 0; k < PHASES; k++)
		if (r->phase[k].runs && i-- == 0)
			return (enum rl_phase)k;
	return PHASES;
}

static enum role
phase_role(enum rl_phase phase)
{
	switch (phase) {
	case PHASE_ROLLOUT:
		return ROLE_KV_CACHE;
	case PHASE_TRAIN:
	case PHASE_CRITIC:
		return ROLE_OPTIMIZER;
	case PHASE_SYNC:
		return ROLE_BUFFERS;
	default:
		return ROLE_ACTIVATIONS;
	}
}

/* Cells of the step in which the phase runs, one at least; in the others it is waited for. */
static void
draw_time(struct canvas *c, struct rect r, const struct rl_estimate *rl, enum rl_phase phase)
{
	const double whole = rl->step_seconds, begin = rl_phase_begin(rl, phase);
	const double end = begin + rl->phase[phase].seconds;
	const int from = (int)(begin / whole * r.w), last = from < r.w - 1 ? from : r.w - 1;

	for (int i = 0; i < r.w; i++) {
		const bool runs = i == last || (i > last && (i + 0.5) / r.w * whole < end);

		canvas_put(c, r.x + i, r.y,
		    (struct style){ .role = (uint8_t)(runs ? phase_role(phase) : ROLE_FREE) },
		    canvas_glyph(c, runs ? GLYPH_FULL : GLYPH_DOT));
	}
}

static void
draw_phase(struct canvas *c, struct rect line, const struct state *s, enum rl_phase phase,
    struct style style)
{
	const struct rl_estimate *r = &s->estimate->rl;
	const struct rl_phase_estimate *f = &r->phase[phase];
	const int bar = line.w - NAME_COLUMNS - TIME_COLUMNS - MEMORY_COLUMNS;
	const bool over = s->estimate->capacity_known && f->low > s->estimate->capacity;
	const char *seconds = f->seconds > 0 ? UNITS_SHORT(SECONDS, f->seconds) : "-";
	const char *bytes = UNITS_SHORT(BYTES, f->memory);
	int end = line.x + line.w;

	canvas_text(c, line, line.x + 2, line.y, style, rl_phase_label(phase));
	if (bar >= BAR_LEAST && r->step_seconds > 0)
		draw_time(c, (struct rect){ line.x + NAME_COLUMNS + 1, line.y, bar, 1 }, r, phase);
	if (line.w < NAME_COLUMNS + MEMORY_COLUMNS)
		return;
	canvas_text(c, line, end - canvas_width(c, bytes), line.y,
	    over ? (struct style){ .role = ROLE_ERROR } : style, bytes);
	end -= MEMORY_COLUMNS;
	if (line.w >= NAME_COLUMNS + TIME_COLUMNS + MEMORY_COLUMNS)
		canvas_text(c, line, end - canvas_width(c, seconds), line.y, style, seconds);
}

static void
phases_draw(const struct state *s, struct canvas *c, struct rect r)
{
	const struct rl_estimate *rl = phases_known(s);
	const int64_t count = phases_count(s), first = s->flow.first;
	const bool focus = s->focus == PANE_TRAFFIC;

	if (rl == NULL) {
		pane_nothing(c, r, focus, "No phases to show until the errors are mended (e lists them).");
		return;
	}
	for (int64_t i = first; i < first + r.h && i < count; i++) {
		const struct rect line = { r.x, r.y + (int)(i - first), r.w, 1 };
		const bool is_selected = focus && i == s->flow.at;
		const struct style style = { .role = is_selected ? ROLE_SELECTED : ROLE_TEXT };

		draw_phase(c, line, s, phase_at(rl, i), style);
		if (!is_selected)
			continue;
		canvas_put(c, r.x, line.y, style, L'>');
		c->cursor_x = r.x;
		c->cursor_y = line.y;
	}
}

static struct part
phases_part(const struct state *s, struct rect r)
{
	return (struct part){ s->flow.first, r.h, phases_count(s) };
}

static void
phases_move(struct state *s, struct rect r, int way)
{
	(void)r;
	s->flow.at = scroll_step(s->flow.at, way, phases_count(s));
}

static void
phases_follow(struct state *s, struct rect r)
{
	const int64_t count = phases_count(s);

	scroll_keep(&s->flow, count);
	s->flow.first = scroll_follow(s->flow.first, s->flow.at, count, r.h);
}

static void
phases_scroll(struct state *s, struct rect r, int lines)
{
	scroll_lines(&s->flow, phases_count(s), r.h, lines);
}

static int64_t
phases_at(const struct state *s, struct rect r, int x, int y)
{
	(void)x;
	(void)r;
	return y >= 0 && s->flow.first + y < phases_count(s) ? s->flow.first + y : -1;
}

static bool
phases_select(struct state *s, int64_t row)
{
	return scroll_select(&s->flow, row);
}

/* What the GPU holds in the phase, and who waits for whom. */
static void
phases_line(const struct state *s, char *buf, size_t size)
{
	const struct rl_estimate *r = phases_known(s);
	const enum rl_phase phase = r != NULL ? phase_at(r, s->flow.at) : PHASES;
	const struct rl_phase_estimate *f;
	double wait;

	if (phase == PHASES)
		return;
	f = &r->phase[phase];
	text_put(buf, size, "%s:", rl_phase_label(phase));
	for (int i = 0; i < HELD_PARTS; i++)
		if (f->held[i] > 0)
			text_add(buf, size, " %s %s,", rl_part_name((enum rl_part)i),
			    UNITS_SHORT(BYTES, f->held[i]));
	buf[strlen(buf) - 1] = '\0';
	if (!r->overlaps)
		return;
	wait = r->phase[PHASE_ROLLOUT].seconds - r->trainer_seconds - r->phase[PHASE_SYNC].seconds;
	text_add(buf, size, "; the %s pool waits %s", wait > 0 ? "trainer's" : "rollout",
	    UNITS_SHORT(SECONDS, wait > 0 ? wait : -wait));
}

const struct pane_type phases_pane = {
	.name = "phases", .title = "phases of a step, and memory of the fullest GPU",
	.context = CONTEXT_MEMORY, .click = "why",
	.draw = phases_draw, .part = phases_part, .line = phases_line, .move = phases_move,
	.follow = phases_follow, .scroll = phases_scroll, .at = phases_at, .select = phases_select,
};
