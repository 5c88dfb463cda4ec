/* The whole screen as a picture: header, panes, message, footer. */
#include <string.h>

#include "core/number.h"
#include "core/text.h"
#include "ui/actions.h"
#include "ui/bars.h"
#include "ui/figures.h"
#include "ui/flows.h"
#include "ui/hints.h"
#include "ui/rows.h"
#include "ui/summary.h"
#include "ui/why.h"

enum { HEADER_CHANGES = 3, PART_COLUMNS = 14, NARROW = 60 };

static const struct style text_style = { .role = ROLE_TEXT };
static const struct style dim_style = { .role = ROLE_DIM };

/* A piece of the header; pieces of high rank are left out first. */
struct segment {
	int rank;
	enum role role;
	char text[160];
};

static void
put_sizes(const struct state *s, char *buf, size_t size)
{
	const struct estimate *e = s->estimate;
	const struct parallel *p = &s->plan.parallel;

	text_put(buf, size, "TP %lld", (long long)p->tp);
	if (p->cp > 1)
		text_add(buf, size, " CP %lld", (long long)p->cp);
	text_add(buf, size, " PP %lld", (long long)p->pp);
	if (p->ep > 1)
		text_add(buf, size, " EP %lld", (long long)p->ep);
	if (e->laid_out)
		text_add(buf, size, " DP %lld", (long long)e->dp);
	else
		text_add(buf, size, " DP -");
}

static void
put_fits(const struct state *s, struct segment *segment)
{
	const struct estimate *e = s->estimate;
	char peak[32], capacity[32];

	segment->role = ROLE_ERROR;
	if (!e->legal) {
		size_t n = diag_count(&e->diags, SEVERITY_ERROR);

		text_put(segment->text, sizeof segment->text, "%zu error%s", n, n == 1 ? "" : "s");
		return;
	}
	if (e->stages == 0)
		return;
	text_put(peak, sizeof peak, "%.1f", e->peak_total / GIB);
	text_put(capacity, sizeof capacity, "%.1f GiB", e->capacity / GIB);
	segment->role = e->fits ? ROLE_GOOD : ROLE_ERROR;
	if (!e->capacity_known) { /* a GPU of unknown memory */
		segment->role = ROLE_TEXT;
		text_put(segment->text, sizeof segment->text, "%s GiB", peak);
		return;
	}
	text_put(segment->text, sizeof segment->text, "%s %s of %s", e->fits ? "fits" : "over:",
	    peak, capacity);
}

/* The changes against the saved or pinned plan, a segment each; the first says so. */
static void
put_changes(const struct state *s, struct segment segment[HEADER_CHANGES + 1])
{
	const struct estimate *base = state_base_estimate(s);
	const struct summary now = summary_of(s->estimate);
	struct summary was;
	int n = 0;

	if (base == NULL)
		return;
	was = summary_of(base);
	for (enum summary_part i = 0; i < SUMMARY_PARTS && n < HEADER_CHANGES; i++)
		n += summary_change(&was, &now, i, true, segment[n + 1].text, sizeof segment->text,
		    &segment[n + 1].role);
	if (n > 0)
		text_put(segment->text, sizeof segment->text, "vs %s:", state_base_name(s));
}

static void
draw_header(const struct state *s, struct canvas *c, struct rect r)
{
	struct segment segment[] = {
		{ .rank = 7, .role = ROLE_TITLE, .text = "shardplan" }, { .rank = 2, .role = ROLE_HEADER },
		{ .rank = 6, .role = ROLE_TEXT }, { .rank = 5, .role = ROLE_TEXT },
		{ .rank = 1, .role = ROLE_HEADER }, { .rank = 0, .role = ROLE_GOOD },
		{ .rank = 4, .role = ROLE_TEXT }, { .rank = 3, .role = ROLE_TEXT },
		/* Changes: put_changes. Where they have no room, the panes show them. */
		{ .rank = 8, .role = ROLE_DIM }, { .rank = 8 }, { .rank = 9 }, { .rank = 10 },
	};
	const int count = (int)(sizeof segment / sizeof *segment);
	const struct summary summary = summary_of(s->estimate);
	int x = r.x;

	/* The mark's place is kept free: what follows stays where it is. */
	text_put(segment[1].text, sizeof segment[1].text, "%.120s%s%s", state_file_name(s),
	    state_unsaved(s) ? " *" : "  ", s->has_pin ? " (pin)" : "");
	field_format(FIELD_MODE, &s->plan, segment[2].text, sizeof segment[2].text);
	text_put(segment[3].text, sizeof segment[3].text, "%lld x %lld %s = %lld",
	    (long long)s->plan.cluster.nodes, (long long)s->plan.cluster.gpus_per_node,
	    s->plan.cluster.gpu, (long long)plan_world(&s->plan));
	put_sizes(s, segment[4].text, sizeof segment[4].text);
	put_fits(s, &segment[5]);
	summary_rate(&summary, segment[6].text, sizeof segment[6].text);
	summary_pace(&summary, segment[7].text, sizeof segment[7].text);
	put_changes(s, &segment[8]);
	for (int most = 10; most >= 0; most--) {
		int w = 0;

		for (int i = 0; i < count; i++)
			if (segment[i].rank <= most && segment[i].text[0] != '\0')
				w += canvas_width(c, segment[i].text) + 2;
		if (w - 2 <= r.w || most == 0) {
			for (int i = 0; i < count; i++)
				if (segment[i].rank <= most && segment[i].text[0] != '\0')
					x += 2 + canvas_text(c, r, x, r.y,
					    (struct style){ .role = (uint8_t)segment[i].role }, segment[i].text);
			return;
		}
	}
}

/* "map by tp+pp  * layer 7  rank 3: node 0, GPU 3  t1d0p2"; what was looked for is left
 * out where all has no room. */
static void
add_map_title(const struct state *s, int room, char *buf, size_t size)
{
	const struct layout *l = &s->estimate->layout;
	char at[64], name[MAP_COLOR_NAME_SIZE], found[96] = "", rank[160];

	for (int i = 0; i < s->map.colors; i++) {
		map_color_name(s->map.color[i], l, name, sizeof name);
		text_add(buf, size, i > 0 ? "+%s" : " %s", name);
	}
	if (!where_empty(&s->where) && s->where.rank < 0) {
		where_describe(&s->where, at, sizeof at);
		text_put(found, sizeof found, "  * %s", at);
	}
	if (s->focus != PANE_MAP || s->map.cursor < 0) {
		text_add(buf, size, "%s", found);
		return;
	}
	map_coordinates(l, s->map.cursor, at, sizeof at);
	text_put(rank, sizeof rank, "  rank %lld: node %lld, GPU %lld%s%s", (long long)s->map.cursor,
	    (long long)(s->map.cursor / s->plan.cluster.gpus_per_node),
	    (long long)(s->map.cursor % s->plan.cluster.gpus_per_node), at[0] != '\0' ? "  " : "",
	    at);
	text_add(buf, size, "%s%s", canvas_width(NULL, buf) + canvas_width(NULL, found) +
	    canvas_width(NULL, rank) <= room ? found : "", rank);
}

/* Where panes take turns, the title names all of them: "[memory] traffic step". */
static void
put_tabs(const struct state *s, enum pane first, enum pane shown, char *buf, size_t size)
{
	struct tab tab[PANE_COUNT];
	int n = hints_tabs(s, first, shown, tab);

	buf[0] = '\0';
	for (int i = 0; i < n; i++)
		text_add(buf, size, i > 0 ? " %s" : "%s", tab[i].text);
}

/* How a pane's numbers changed on the whole: "  +190 ms vs saved", as much of
 * it as has room; the last words give way to `part` columns. One pane that stands for all
 * of them speaks for all of them. */
static void
add_changes(const struct state *s, enum pane pane, bool alone, int room, int part, char *buf,
    size_t size)
{
	static const unsigned parts[PANE_COUNT] = {
		[PANE_MEMORY] = 1U << SUMMARY_MEMORY, /* traffic: its rows tell more than their sum */
		[PANE_STEP] = 1U << SUMMARY_STEP | 1U << SUMMARY_KV_TOKENS | 1U << SUMMARY_TPOT |
		    1U << SUMMARY_TOKENS_PER_SECOND,
	};
	const unsigned all = 1U << SUMMARY_MEMORY | 1U << SUMMARY_STEP | 1U << SUMMARY_TPOT;
	const struct estimate *base = state_base_estimate(s);
	const struct summary now = summary_of(s->estimate);
	struct summary was;
	char change[64];
	enum role role;
	int n = 0;

	if (base == NULL)
		return;
	was = summary_of(base);
	for (enum summary_part i = 0; i < SUMMARY_PARTS; i++)
		if (((alone ? all : parts[pane]) & 1U << i) != 0 &&
		    summary_change(&was, &now, i, false, change, sizeof change, &role) &&
		    canvas_width(NULL, buf) + canvas_width(NULL, change) + 2 <= room)
			text_add(buf, size, n++ > 0 ? ", %s" : "  %s", change);
	text_put(change, sizeof change, " vs %s", state_base_name(s));
	if (n > 0 && canvas_width(NULL, buf) + canvas_width(NULL, change) + part <= room)
		text_add(buf, size, "%s", change);
}

static void
pane_title(const struct state *s, const struct arrange *a, enum pane pane, bool whole,
    char *buf, size_t size)
{
	const int room = a->pane[pane].w - 4, part = whole ? 0 : PART_COLUMNS;
	static const char *const name[PANE_COUNT] = {
		"plan", "map", "memory per GPU, by stage", "traffic per step, one GPU", "step"
	};
	char title[160];

	if (a->tabs)
		put_tabs(s, PANE_FORM, pane, buf, size);
	else if (a->lower_tabs && pane >= PANE_MEMORY)
		put_tabs(s, PANE_MEMORY, pane, buf, size);
	else
		text_put(buf, size, "%s", pane == PANE_STEP && s->plan.mode == MODE_SERVE ?
		    "serving" : name[pane]);
	if (pane == PANE_MAP && s->picture == PICTURE_PIPELINE) {
		const size_t word = strlen("pipeline: "); /* left out where that saves the rest */
		bool cut;

		pipeline_title(&s->plan, s->estimate, title, sizeof title);
		if (!a->tabs)
			buf[0] = '\0';
		cut = canvas_width(NULL, title) > room && strncmp(title, "pipeline: ", word) == 0;
		text_add(buf, size, a->tabs ? "  %s" : "%s", cut ? title + word : title);
	} else if (pane == PANE_MAP && s->estimate->laid_out) {
		text_add(buf, size, a->tabs ? " " : " by");
		add_map_title(s, room, buf, size);
	}
	if (pane >= PANE_MEMORY)
		add_changes(s, pane, a->tabs || a->lower_tabs, room, part, buf, size);
}

static void
draw_frame(const struct state *s, struct canvas *c, const struct arrange *a, enum pane pane)
{
	struct rect r = a->pane[pane];
	bool focus = s->focus == pane;
	/* The upper edge alone tells of the focus: a change of it costs a line or two. */
	const struct style edge = { .role = focus ? ROLE_TEXT : ROLE_FRAME };
	const struct part part = hints_part(s, a, pane);
	char buf[512];

	if (!a->framed)
		return;
	pane_title(s, a, pane, part.shown >= part.count, buf, sizeof buf);
	if (a->open[pane])
		r.h++; /* the next pane draws over that edge */
	canvas_frame(c, r, (struct style){ .role = ROLE_FRAME }, edge,
	    (struct style){ .role = focus ? ROLE_TITLE : ROLE_DIM }, buf);
	canvas_frame_part(c, r, (struct style){ .role = ROLE_DIM }, buf, part);
	for (int i = 0; i < (int)pane; i++)
		if (a->open[i] && a->pane[i].y + a->pane[i].h == r.y) {
			canvas_put(c, r.x, r.y, edge, canvas_glyph(c, GLYPH_TEE_RIGHT));
			canvas_put(c, r.x + r.w - 1, r.y, edge, canvas_glyph(c, GLYPH_TEE_LEFT));
		}
	if (pane == PANE_MAP && s->picture == PICTURE_MAP && focus && s->estimate->laid_out &&
	    s->map.cursor >= 0 && r.w > 20) {
		char text[520];

		hints_groups(s, (size_t)r.w - 6, buf, sizeof buf);
		text_put(text, sizeof text, " %s ", buf);
		canvas_text_cut(c, r, r.x + 2, r.y + r.h - 1, r.w - 4, text_style, text);
	}
}

/* Text over several lines, cut between words. */
static void
draw_wrapped(struct canvas *c, struct rect r, struct style style, const char *text)
{
	for (int y = r.y; y < r.y + r.h && *text != '\0'; y++) {
		char part[ROW_TEXT_SIZE];
		const size_t n = rows_break(text, r.w);

		text_put(part, sizeof part, "%.*s", (int)n, text);
		canvas_text(c, r, r.x, y, style, part);
		text += n;
		text += strspn(text, " ");
	}
}

static void
draw_pipeline_pane(const struct state *s, struct canvas *c, struct rect r)
{
	struct pipeline_view view = s->pipeline;
	const bool focus = s->focus == PANE_MAP;
	const char *why;

	view.depth = s->depth;
	why = pipeline_draw(c, r, &s->plan, s->estimate, &view, focus);
	if (why == NULL)
		return;
	draw_wrapped(c, r, dim_style, why);
	if (focus) {
		c->cursor_x = r.x;
		c->cursor_y = r.y;
	}
}

static void
draw_map_pane(const struct state *s, struct canvas *c, struct rect r)
{
	const struct estimate *e = s->estimate;
	struct map_view view = s->map;

	if (!e->laid_out) {
		const struct diag *d = edit_current_diag(s);

		for (size_t i = 0; i < e->diags.count; i++)
			if (e->diags.item[i].severity == SEVERITY_ERROR) {
				d = &e->diags.item[i];
				break;
			}
		draw_wrapped(c, r, (struct style){ .role = ROLE_ERROR },
		    "No groups: the layout refuses this plan.");
		if (d != NULL && r.h > 2)
			draw_wrapped(c, (struct rect){ r.x, r.y + 2, r.w, r.h - 2 }, text_style, d->message);
		return;
	}
	view.depth = s->depth;
	view.utf8 = c->utf8;
	view.where = &s->where;
	view.peers = s->focus == PANE_MAP && !s->plain_map;
	if (s->focus != PANE_MAP)
		view.cursor = -1;
	map_draw(c, r, &s->plan, e, &view);
	if (view.cursor >= 0) {
		int x, y;

		if (map_find(&view, &s->plan, e, r.w, r.h, view.cursor, &x, &y)) {
			c->cursor_x = r.x + x;
			c->cursor_y = r.y + y;
		}
	}
}

/* Memory, traffic, step: numbers, or why there are none. */
static void
draw_numbers(const struct state *s, struct canvas *c, const struct arrange *a, enum pane pane)
{
	const struct estimate *e = s->estimate, *base = state_base_estimate(s);
	const struct rect r = a->inner[pane];
	const bool focus = s->focus == pane;
	const char *none = NULL;

	if (r.h <= 0)
		return;
	if (pane == PANE_MEMORY && e->stages == 0)
		none = "No stages to show until the errors are mended (e lists them).";
	else if (pane == PANE_TRAFFIC && !e->timed)
		none = "No traffic to show until the errors are mended (e lists them).";
	else if (pane == PANE_TRAFFIC && e->traffic.count == 0)
		none = "No GPU sends anything.";
	else if (pane == PANE_STEP && !figures_known(e))
		none = "No times to show until the errors are mended (e lists them).";
	if (none != NULL) {
		draw_wrapped(c, r, dim_style, none);
		if (focus) {
			c->cursor_x = r.x;
			c->cursor_y = r.y;
		}
	} else if (pane == PANE_MEMORY)
		bars_draw(c, r, e, base, s->first_stage, s->stage, focus);
	else if (pane == PANE_TRAFFIC)
		flows_draw(c, r, &e->traffic, base != NULL && base->timed ? &base->traffic : NULL,
		    s->first_flow, s->flow, focus);
	else
		figures_draw(c, r, e, base, s->first_figure, s->figure, focus);
}

static void
draw_panes(const struct state *s, struct canvas *c, const struct arrange *a)
{
	for (int i = 0; i < PANE_COUNT; i++)
		if (a->pane[i].h > 0)
			draw_frame(s, c, a, (enum pane)i);
	if (a->inner[PANE_FORM].h > 0)
		form_draw(c, a->inner[PANE_FORM], &s->form, &s->plan, state_base(s),
		    &s->estimate->diags, s->focus == PANE_FORM);
	for (int i = PANE_MEMORY; i < PANE_COUNT; i++)
		draw_numbers(s, c, a, (enum pane)i);
	/* Last, so that its cursor wins when it has the focus. */
	if (a->inner[PANE_MAP].h > 0 && s->picture == PICTURE_PIPELINE)
		draw_pipeline_pane(s, c, a->inner[PANE_MAP]);
	else if (a->inner[PANE_MAP].h > 0)
		draw_map_pane(s, c, a->inner[PANE_MAP]);
}

/* Text and what follows it, of which the text is cut where both have no room. */
static void
draw_tailed(struct canvas *c, struct rect r, struct style style, const char *text,
    struct style tail_style, const char *tail)
{
	int w = canvas_width(c, text), tail_w = canvas_width(c, tail);

	if (tail_w > r.w / 2)
		tail_w = r.w / 2;
	if (w > r.w - tail_w)
		w = r.w - tail_w;
	canvas_text_cut(c, r, r.x, r.y, w, style, text);
	canvas_text_cut(c, r, r.x + w, r.y, r.w - w, tail_style, tail);
}

/* "! 80 layers do not divide by PP 3 (f: PP 4)". */
static void
draw_diag(const struct state *s, struct canvas *c, struct rect r, const struct diag *d)
{
	const struct style style = {
		.role = d->severity == SEVERITY_ERROR ? ROLE_ERROR : ROLE_WARNING
	};
	const size_t others = s->estimate->diags.count + s->estimate->diags.dropped - 1;
	char tail[DIAG_FIX_SIZE + 96] = "", text[DIAG_MESSAGE_SIZE + 4];

	if (d->fix_field != FIELD_NONE)
		text_put(tail, sizeof tail, " (f: %s %s)", field_table[d->fix_field].label, d->fix_value);
	if (others > 0)
		text_add(tail, sizeof tail, " (e: %zu more)", others);
	text_put(text, sizeof text, "%c %s", d->severity == SEVERITY_HINT ? '?' : '!', d->message);
	draw_tailed(c, r, style, text, (struct style){ .role = ROLE_KEY }, tail);
}

/* " (e: 2 warnings)", in short where there is little room. */
static void
put_warnings(const struct state *s, char *buf, size_t size)
{
	const size_t n = diag_count(&s->estimate->diags, SEVERITY_WARNING);

	text_put(buf, size, " (e: %zu%s)", n, s->columns < NARROW ? "" : n == 1 ? " warning" :
	    " warnings");
}

static void
draw_message(const struct state *s, struct canvas *c, struct rect r)
{
	const struct diag *d = edit_current_diag(s);
	const enum field_id f = s->form.field;
	const bool form = s->focus == PANE_FORM && s->overlay == OVERLAY_NONE;
	char text[512], range[160], source[128], tail[48] = "";

	if (s->message[0] != '\0') {
		canvas_text_cut(c, r, r.x, r.y, r.w, (struct style){ .role = (uint8_t)s->message_role },
		    s->message);
		return;
	}
	/* A warning about something else leaves the line to what the field means. */
	if (d != NULL && (!form || d->severity != SEVERITY_WARNING ||
	    d == diag_of_field(&s->estimate->diags, f))) {
		draw_diag(s, c, r, d);
		return;
	}
	if (!form) {
		if (s->overlay == OVERLAY_NONE)
			why_line(s, s->focus, text, sizeof text);
		else
			text[0] = '\0';
		canvas_text_cut(c, r, r.x, r.y, r.w, dim_style, text);
		return;
	}
	if (d != NULL)
		put_warnings(s, tail, sizeof tail);
	field_range(f, range, sizeof range);
	text_put(text, sizeof text, "%s", field_table[f].label);
	if (field_source(f, &s->plan).from == FROM_FIELDS) {
		field_source_text(f, &s->plan, source, sizeof source);
		text_add(text, sizeof text, " %s", source);
	}
	text_add(text, sizeof text, ": %s", field_table[f].help);
	if (range[0] != '\0')
		text_add(text, sizeof text, " (%s%s%s)", range, field_table[f].unit[0] != '\0' ? " " : "",
		    field_table[f].unit);
	draw_tailed(c, r, dim_style, text, (struct style){ .role = ROLE_WARNING }, tail);
}

/* The editor: label, then the part of the text that holds the cursor. */
static void
draw_prompt(const struct state *s, struct canvas *c, struct rect r)
{
	const struct style style = { .role = ROLE_PROMPT };
	char label[320], before[LINE_SIZE];
	int label_w, at, shift;

	prompt_label(s, label, sizeof label);
	label_w = canvas_width(c, label);
	if (label_w > r.w / 2)
		label_w = r.w / 2;
	canvas_fill(c, r, text_style);
	canvas_text_cut(c, r, r.x, r.y, label_w, (struct style){ .role = ROLE_KEY }, label);
	text_put(before, sizeof before, "%.*s", (int)s->line.cursor, s->line.text);
	at = canvas_width(c, before);
	shift = at > r.w - label_w - 1 ? at - (r.w - label_w - 1) : 0;
	canvas_text(c, (struct rect){ r.x + label_w, r.y, r.w - label_w, 1 }, r.x + label_w - shift,
	    r.y, s->line.fresh ? (struct style){ .role = ROLE_SELECTED } : style, s->line.text);
	c->cursor_x = r.x + label_w + at - shift;
	c->cursor_y = r.y;
}

static void
draw_footer(const struct state *s, struct canvas *c, struct rect r)
{
	struct hint hint[HINTS_MAX];
	int n;

	if (s->overlay != OVERLAY_NONE && overlay_types(s)) {
		canvas_text_cut(c, r, r.x, r.y, r.w, dim_style,
		    "type to filter   Up Down choose   Enter takes it   Esc closes");
		return;
	}
	n = hints_footer(s, r.w, hint);
	for (int i = 0; i < n; i++) {
		int x = r.x + hint[i].x;

		x += canvas_text(c, r, x, r.y, (struct style){ .role = ROLE_KEY }, hint[i].key) + 1;
		canvas_text(c, r, x, r.y, (struct style){ .role = ROLE_FOOTER }, hint[i].what);
	}
}

/* Message line and footer, or the prompt or question in their place. */
static void
draw_bottom(const struct state *s, struct canvas *c, const struct arrange *a)
{
	struct rect line = a->message.h > 0 ? a->message : (struct rect){ 0, c->h - 1, c->w, 1 };
	char text[STATE_MESSAGE_SIZE + 64];

	if (s->question != QUESTION_NONE) {
		prompt_question(s, text, sizeof text);
		canvas_fill(c, line, text_style);
		canvas_text_cut(c, line, line.x, line.y, line.w, (struct style){ .role = ROLE_WARNING },
		    text);
		c->cursor_x = line.x;
		c->cursor_y = line.y;
		if (a->message.h > 0)
			canvas_text_cut(c, a->footer, 0, a->footer.y, a->footer.w,
			    (struct style){ .role = ROLE_ERROR }, s->prompt_error);
		return;
	}
	if (s->prompt == PROMPT_NONE) {
		if (a->message.h > 0)
			draw_message(s, c, line);
		draw_footer(s, c, a->footer);
		return;
	}
	draw_prompt(s, c, line);
	if (a->footer.h == 0)
		return;
	if (s->prompt_error[0] == '\0')
		prompt_hint(s, text, sizeof text);
	canvas_text_cut(c, a->footer, 0, a->footer.y, a->footer.w, s->prompt_error[0] != '\0' ?
	    (struct style){ .role = ROLE_ERROR } : dim_style, s->prompt_error[0] != '\0' ?
	    s->prompt_error : text);
}

void
app_draw(const struct state *s, struct canvas *c)
{
	struct arrange a = state_arrange(s);

	canvas_clear(c);
	if (c->w <= 0 || c->h <= 0)
		return;
	if (a.header.h > 0)
		draw_header(s, c, a.header);
	if (s->overlay != OVERLAY_NONE)
		overlay_draw(s, c);
	else
		draw_panes(s, c, &a);
	draw_bottom(s, c, &a);
	if (c->cursor_x < 0 || c->cursor_x >= c->w)
		c->cursor_x = c->w - 1;
	if (c->cursor_y < 0 || c->cursor_y >= c->h)
		c->cursor_y = c->h - 1;
}
