/* The picture: labels, phases above, a row a stage, what is in flight, the legend. */
#include "core/base/text.h"
#include "core/base/units.h"
#include "ui/map/pipeline_picture.h"

enum { WAITS = TIMELINE_KINDS, NAME_SIZE = 24 };

static const struct style text_style = { .role = ROLE_TEXT };
static const struct style dim_style = { .role = ROLE_DIM };

static struct style
kind_style(const struct picture *pic, enum timeline_kind kind, int64_t chunk)
{
	static const uint8_t family[] = { SET_BLUE, SET_ORANGE, SET_PURPLE };

	switch (pic->view.depth) {
	case THEME_MONO:
		return text_style;
	case THEME_256:
	case THEME_DIRECT:
		return (struct style){ .role = ROLE_GROUP, .set = family[kind],
			.index = (uint8_t)(chunk % theme_set_size(family[kind], THEME_256)) };
	default: /* too few colours for families of them */
		return (struct style){ .role = ROLE_GROUP, .set = SET_ONE, .index = (uint8_t)kind };
	}
}

/* Every other chunk has small letters. */
static char
kind_letter(enum timeline_kind kind, int64_t chunk)
{
	return (chunk % 2 == 0 ? "FBW" : "fbw")[kind];
}

/* Column of a moment, from the first one shown. */
static int64_t
column_of(const struct picture *pic, double seconds)
{
	return (int64_t)(seconds * pic->scale + 0.5) - pic->view.column;
}

static int64_t
clip(int64_t x, int64_t w)
{
	return x < 0 ? 0 : x > w ? w : x;
}

/* ---- one operation ----------------------------------------------------------------- */

/* The name before in its row: the column after it, its colour, and that it is one digit. */
struct written {
	int64_t past;
	struct style style;
	bool digit;
};

/* What n columns tell of it: letter and number, or what of them has room. A number is whole
 * or not there, and where it touches one of its colour both are of one digit. It is written
 * by hand: a picture has thousands. Returns its length. */
static int64_t
put_name(const struct picture *pic, const struct timeline_item *item, int64_t n,
    const struct written *touches, char buf[NAME_SIZE])
{
	int64_t number = item->microbatch, length = 1, at = 0;

	for (int64_t rest = number; rest >= 10; rest /= 10)
		length++;
	if (n > length || pic->view.depth == THEME_MONO)
		buf[at++] = kind_letter(item->kind, item->chunk);
	if (n < at + length || (at == 0 && touches != NULL && !(length == 1 && touches->digit)))
		return at;
	for (int64_t i = at + length - 1; i >= at; i--, number /= 10)
		buf[i] = (char)('0' + number % 10);
	return at + length;
}

static void
draw_item(struct canvas *c, struct rect time, const struct picture *pic,
    const struct timeline_item *item, struct written *before)
{
	const struct style style = kind_style(pic, item->kind, item->chunk);
	const wchar_t fill = pic->view.depth == THEME_MONO ?
	    canvas_glyph(c, GLYPH_HORIZONTAL) : L' ';
	const int64_t from = clip(column_of(pic, item->start), time.w);
	const int64_t to = clip(column_of(pic, item->end), time.w);
	char name[NAME_SIZE];
	int64_t length;

	if (from >= to)
		return;
	length = put_name(pic, item, to - from, from == before->past &&
	    before->style.set == style.set && before->style.index == style.index ? before : NULL,
	    name);
	for (int64_t x = from; x < to; x++)
		canvas_put(c, time.x + (int)x, time.y, style,
		    x - from < length ? (wchar_t)name[x - from] : fill);
	*before = (struct written){ from + length, style, length == 1 };
}

/* ---- one stage --------------------------------------------------------------------- */

static void
put_right(struct canvas *c, struct rect line, int *x, int w, struct style style,
    const char *text)
{
	const int n = canvas_width(c, text);

	canvas_text_cut(c, line, *x + (n < w ? w - n : 0), line.y, n < w ? n : w, style, text);
	*x += w + 1;
}

static void
draw_label(struct canvas *c, struct rect line, const struct picture *pic, const struct plan *p,
    const struct estimate *e, int64_t stage, bool marked)
{
	const struct pipeline_label *l = &pic->label;
	const struct style style = { .role = marked ? ROLE_SELECTED : ROLE_TEXT };
	char text[PIPELINE_LAYERS_SIZE];
	int x = line.x + 1;

	line.w = l->all - 1 < line.w ? l->all - 1 : line.w;
	if (marked) {
		canvas_fill(c, line, style);
		canvas_mark(c, line);
	}
	text_put(text, sizeof text, "%lld", (long long)stage);
	put_right(c, line, &x, l->stage, style, text);
	if (l->layers > 0)
		put_right(c, line, &x, l->layers, style, picture_layers(pic, e, p, stage, text));
	if (l->held > 0) {
		text_put(text, sizeof text, "%lld", (long long)timeline_held(&pic->t, stage));
		put_right(c, line, &x, l->held, style, text);
	}
	if (l->idle > 0) {
		text_put(text, sizeof text, l->words ? "%.1f %%" : "%.0f%%",
		    100 * timeline_idle(&pic->t, stage));
		put_right(c, line, &x, l->idle, style, text);
	}
}

static void
draw_row(struct canvas *c, struct rect time, const struct picture *pic, int64_t stage)
{
	const int64_t end = clip(pic->columns - pic->view.column, time.w);
	struct written before = { .past = -1 };

	for (int64_t x = 0; x < end; x++)
		canvas_put(c, time.x + (int)x, time.y, dim_style, canvas_glyph(c, GLYPH_DOT));
	for (int64_t i = 0; i < pic->t.rank[stage].count; i++) {
		const struct timeline_item item = timeline_at(&pic->t, stage, i);

		if (column_of(pic, item.start) >= time.w)
			break;
		draw_item(c, time, pic, &item, &before);
	}
}

/* n of the most that any stage holds: a bar of an eighth to the whole of a line, or in
 * ASCII a digit. */
static wchar_t
level(const struct canvas *c, int64_t n, int64_t most)
{
	if (n <= 0)
		return L' ';
	if (!c->utf8)
		return n > 9 ? L'+' : (wchar_t)('0' + n);
	return (wchar_t)(0x2580 + (n * 8 + most - 1) / most);
}

static int64_t
most_held(const struct timeline *t)
{
	int64_t most = 1;

	for (int64_t r = 0; r < t->stages; r++)
		most = t->rank[r].held > most ? t->rank[r].held : most;
	return most;
}

/* How much a stage holds, over time. */
static void
draw_held(struct canvas *c, struct rect time, const struct picture *pic, int64_t stage)
{
	const struct style style = dim_style;
	const int64_t most = most_held(&pic->t);
	int64_t held = 0, x = 0;

	for (int64_t i = 0; i < pic->t.rank[stage].count && x < time.w; i++) {
		const struct timeline_item item = timeline_at(&pic->t, stage, i);
		const int64_t from = clip(column_of(pic, item.start), time.w);
		const int64_t to = clip(column_of(pic, item.end), time.w);

		for (; x < from; x++)
			canvas_put(c, time.x + (int)x, time.y, style, level(c, held, most));
		held += item.kind == TIMELINE_FORWARD;
		for (; x < to; x++)
			canvas_put(c, time.x + (int)x, time.y, style, level(c, held, most));
		held -= item.kind == TIMELINE_WEIGHT || item.whole;
	}
}

static void
draw_stage(struct canvas *c, struct rect r, int *y, const struct picture *pic,
    const struct plan *p, const struct estimate *e, int64_t stage, bool focus)
{
	const int label = pic->label.all;
	const bool selected = stage == pic->view.stage;
	struct rect time = { r.x + label, *y, r.w - label, 1 };

	draw_label(c, (struct rect){ r.x, *y, r.w, 1 }, pic, p, e, stage, focus && selected);
	draw_row(c, time, pic, stage);
	*y += 1;
	if (pic->lines > 1 || (pic->curve && selected)) {
		time.y = *y;
		draw_held(c, time, pic, stage);
		*y += 1;
	}
	*y += pic->lines == 3;
}

/* ---- above ------------------------------------------------------------------------- */

/* "|- warm-up 312 ms --|" over the columns of a phase, as far as it is in view. left_out:
 * what it takes besides. */
static void
draw_phase(struct canvas *c, struct rect time, const struct picture *pic, double start,
    double end, const char *name, double left_out)
{
	const bool broken = left_out > 0;
	const int64_t from = column_of(pic, start), to = column_of(pic, end);
	const int x0 = (int)clip(from, time.w), x1 = (int)clip(to, time.w);
	char text[64] = "";
	int n;

	if (x1 <= x0)
		return;
	for (int x = x0; x < x1; x++)
		canvas_put(c, time.x + x, time.y, dim_style, canvas_glyph(c, GLYPH_HORIZONTAL));
	if (from >= 0)
		canvas_put(c, time.x + x0, time.y, dim_style, canvas_glyph(c, GLYPH_TEE_RIGHT));
	if (to <= time.w && x1 - x0 > 1)
		canvas_put(c, time.x + x1 - 1, time.y, dim_style, canvas_glyph(c, GLYPH_TEE_LEFT));
	if (pic->known)
		text_put(text, sizeof text, " %s %s ", name, UNITS_SHORT(SECONDS, end - start + left_out));
	n = canvas_width(c, text);
	if (!pic->known || n > x1 - x0 - 2) {
		text_put(text, sizeof text, " %s ", name);
		n = canvas_width(c, text);
	}
	if (n <= x1 - x0 - 2)
		canvas_text(c, time, time.x + x0 + (x1 - x0 - n) / 2, time.y, text_style, text);
	else if (broken && x1 - x0 > 2)
		canvas_put(c, time.x + (x0 + x1) / 2, time.y, text_style, canvas_glyph(c, GLYPH_MORE));
}

/* Before the first backward, after the last forward, and what is between them, of the
 * selected stage. GPipe has nothing between. */
static void
draw_phases(struct canvas *c, struct rect time, const struct picture *pic)
{
	const int64_t stage = pic->view.stage;
	const struct timeline_rank *k = &pic->t.rank[stage];
	double first = -1, last = 0;

	for (int64_t i = 0; i < k->count; i++) {
		const struct timeline_item item = timeline_at(&pic->t, stage, i);

		if (item.kind == TIMELINE_FORWARD)
			last = item.end;
		else if (first < 0)
			first = item.start;
	}
	if (first >= last) { /* GPipe: what is left out is half before, half after */
		const double ahead = (last - k->start) / (k->end - k->start - first + last);

		draw_phase(c, time, pic, k->start, last, "forward", ahead * pic->left_out);
		draw_phase(c, time, pic, first, k->end, "backward", (1 - ahead) * pic->left_out);
		return;
	}
	draw_phase(c, time, pic, k->start, first, "warm-up", 0);
	draw_phase(c, time, pic, first, last, "steady", pic->left_out);
	draw_phase(c, time, pic, last, k->end, "cool-down", 0);
}

static void
draw_head(struct canvas *c, struct rect r, const struct picture *pic)
{
	const struct pipeline_label *l = &pic->label;
	const struct rect line = { r.x, r.y, l->all < r.w ? l->all : r.w, 1 };
	int x = r.x + 1;

	put_right(c, line, &x, l->stage, dim_style, l->words ? "stage" : "st");
	if (l->layers > 0)
		put_right(c, line, &x, l->layers, dim_style, "layers");
	if (l->held > 0)
		put_right(c, line, &x, l->held, dim_style, l->words ? "in flight" :
		    l->held > 3 ? "held" : "fl");
	if (l->idle > 0)
		put_right(c, line, &x, l->idle, dim_style, "idle");
	draw_phases(c, (struct rect){ r.x + l->all, r.y, r.w - l->all, 1 }, pic);
}

/* ---- below ------------------------------------------------------------------------- */

static bool
splits_backward(const struct timeline *t)
{
	for (int64_t i = 0; i < t->rank[0].count; i++)
		if (timeline_at(t, 0, i).kind == TIMELINE_WEIGHT)
			return true;
	return false;
}

/* A sample of a colour and what it means. Returns where the next one may start; nothing is
 * drawn past the end of the line. */
static int
draw_sample(struct canvas *c, struct rect line, int x, const struct picture *pic, int kind,
    int64_t chunk, const char *what)
{
	char name[] = "F3";

	if (x + 3 + canvas_width(c, what) > line.x + line.w)
		return x;
	if (kind == WAITS) {
		canvas_put(c, x, line.y, dim_style, canvas_glyph(c, GLYPH_DOT));
		return x + 4 + canvas_text(c, line, x + 2, line.y, dim_style, what);
	}
	name[0] = kind_letter((enum timeline_kind)kind, chunk);
	canvas_text(c, line, x, line.y, kind_style(pic, (enum timeline_kind)kind, chunk), name);
	return x + 5 + canvas_text(c, line, x + 3, line.y, dim_style, what);
}

static void
draw_samples(struct canvas *c, struct rect line, const struct picture *pic)
{
	const bool apart = splits_backward(&pic->t), wide = line.w >= 70;
	int x = line.x + 1;

	x = draw_sample(c, line, x, pic, TIMELINE_FORWARD, 0,
	    wide ? "forward of micro-batch 3" : "forward");
	x = draw_sample(c, line, x, pic, TIMELINE_BACKWARD, 0, "backward");
	if (apart)
		x = draw_sample(c, line, x, pic, TIMELINE_WEIGHT, 0,
		    wide ? "weight gradients" : "weights");
	x = draw_sample(c, line, x, pic, WAITS, 0, "idle");
	if (pic->t.chunks > 1)
		x = draw_sample(c, line, x, pic, TIMELINE_FORWARD, 1,
		    pic->t.path == TIMELINE_BOTH ? "the other direction" :
		    pic->t.chunks == 2 ? "the second chunk" : "every other chunk");
	if ((pic->lines > 1 || pic->curve) && x + 12 <= line.x + line.w) {
		canvas_put(c, x, line.y, dim_style, level(c, 5, 8));
		canvas_text(c, line, x + 2, line.y, dim_style, "in flight");
	}
}

static void
put_left_out(const struct picture *pic, char *buf, size_t size)
{
	const struct timeline *t = &pic->t;
	const int64_t rest = t->microbatches - t->drawn, gap = timeline_gap(t);
	const int64_t other = (t->microbatches + 1) / 2;

	if (rest == 0)
		return;
	if (t->path == TIMELINE_BOTH)
		text_add(buf, size, "micro-batches %lld-%lld and %lld-%lld are left out; ",
		    (long long)gap, (long long)(gap + rest / 2 - 1), (long long)(other + gap),
		    (long long)(other + gap + rest / 2 - 1));
	else
		text_add(buf, size, "micro-batches %lld-%lld are left out; ", (long long)gap,
		    (long long)(gap + rest - 1));
}

static void
draw_notes(struct canvas *c, struct rect line, const struct picture *pic)
{
	const char *note = timeline_note(&pic->t);
	char text[512] = "";

	put_left_out(pic, text, sizeof text);
	if (pic->known)
		text_add(text, sizeof text, "a column is %s", UNITS_SHORT(SECONDS, 1 / pic->scale));
	else
		text_add(text, sizeof text, "times not known: backward drawn as twice forward");
	if (note != NULL)
		text_add(text, sizeof text, "; %s", note);
	canvas_text_cut(c, line, line.x + 1, line.y, line.w - 1, dim_style, text);
}

const char *
pipeline_draw(struct canvas *c, struct rect r, const struct plan *p, const struct estimate *e,
    const struct pipeline_view *view, bool focus)
{
	struct picture pic;
	const char *why;
	int y = r.y;

	if (r.w <= 0 || r.h <= 0)
		return NULL;
	why = picture_init(&pic, p, e, view, r);
	if (why != NULL)
		return why;
	if (pic.head > 0) {
		draw_head(c, (struct rect){ r.x, y, r.w, 1 }, &pic);
		y++;
	}
	for (int i = 0; i < pic.shown; i++)
		draw_stage(c, r, &y, &pic, p, e, pic.view.first_stage + i, focus);
	y = r.y + r.h - pic.legend;
	if (pic.legend > 1)
		draw_notes(c, (struct rect){ r.x, y + 1, r.w, 1 }, &pic);
	if (pic.legend > 0)
		draw_samples(c, (struct rect){ r.x, y, r.w, 1 }, &pic);
	picture_free(&pic);
	return NULL;
}
