#include <math.h>

#include "core/text.h"
#include "ui/bars.h"

enum { PARTS = 3, LEGEND_FROM = 3 };

static const struct {
	const char *name;
	enum role role;
	enum glyph glyph;
} part_table[PARTS] = {
	{ "parameters", ROLE_PARAMETERS, GLYPH_FULL },
	{ "gradients", ROLE_GRADIENTS, GLYPH_DARK },
	{ "optimizer", ROLE_OPTIMIZER, GLYPH_MEDIUM },
};

void
bars_bytes(double bytes, char *buf, size_t size)
{
	static const char *const unit[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };
	int i = 0;

	while (i < 5 && fabs(bytes) >= 1000) {
		bytes /= 1024;
		i++;
	}
	text_put(buf, size, i == 0 ? "%.0f %s" : fabs(bytes) < 9.995 ? "%.2f %s" : "%.1f %s",
	    bytes, unit[i]);
}

int
bars_rows(int h)
{
	return h >= LEGEND_FROM ? h - 1 : h;
}

static void
draw_legend(struct canvas *c, struct rect r, const struct estimate *e)
{
	const struct style dim = { .role = ROLE_DIM };
	char buf[96], bytes[32];
	const struct memory *m = &e->stage[e->peak_stage].memory;
	const double part[PARTS] = { m->parameters, m->gradients, m->optimizer };
	int x = r.x;

	for (int i = 0; i < PARTS; i++) {
		const struct style style = { .role = (uint8_t)part_table[i].role };

		if (part[i] <= 0)
			continue; /* serving has no gradients */
		if (x - r.x + 4 + canvas_width(c, part_table[i].name) > r.w)
			return;
		canvas_put(c, x, r.y, style, canvas_glyph(c, part_table[i].glyph));
		canvas_put(c, x + 1, r.y, style, canvas_glyph(c, part_table[i].glyph));
		x += 3;
		x += canvas_text(c, r, x, r.y, dim, part_table[i].name) + 2;
	}
	bars_bytes(e->capacity, bytes, sizeof bytes);
	text_put(buf, sizeof buf, "of %s", bytes);
	if (e->capacity > 0 && x - r.x + canvas_width(c, buf) <= r.w)
		canvas_text(c, r, x, r.y, dim, buf);
}

/* One bar of w cells; scale is the bytes of the whole width. */
static void
draw_bar(struct canvas *c, struct rect r, const struct memory *m, double capacity, double scale)
{
	const double part[PARTS] = { m->parameters, m->gradients, m->optimizer };
	const struct style free_style = { .role = ROLE_FREE }, over = { .role = ROLE_OVER };
	int x = 0, limit = (int)(capacity / scale * r.w + 0.5);
	double sum = 0;

	for (int i = 0; i < PARTS; i++) {
		const struct style style = { .role = (uint8_t)part_table[i].role };
		int end;

		sum += part[i];
		end = (int)(sum / scale * r.w + 0.5);
		if (part[i] > 0 && end == x)
			end++; /* what is there is seen */
		for (; x < end && x < r.w; x++)
			canvas_put(c, r.x + x, r.y, style, canvas_glyph(c, part_table[i].glyph));
	}
	for (; x < limit && x < r.w; x++)
		canvas_put(c, r.x + x, r.y, free_style, canvas_glyph(c, GLYPH_LIGHT));
	/* Where the memory ends, when the bar goes on beyond it. */
	if (capacity > 0 && limit < r.w && m->total > capacity)
		canvas_put(c, r.x + limit, r.y, over, canvas_glyph(c, GLYPH_LIMIT));
}

void
bars_draw(struct canvas *c, struct rect r, const struct estimate *e, int64_t first,
    int64_t selected, bool focus)
{
	double scale = e->capacity > e->peak_total ? e->capacity : e->peak_total;
	int rows = bars_rows(r.h), label_w = r.w >= 44 ? 10 : 6, amount_w = 11;
	bool words = r.w >= 44;
	char buf[96];

	if (e->stages > 10) /* room for longer numbers */
		label_w += e->stages > 1000 ? 3 : e->stages > 100 ? 2 : 1;
	if (scale <= 0)
		scale = 1;
	for (int i = 0; i < rows && first + i < e->stages; i++) {
		const struct stage_estimate *s = &e->stage[first + i];
		const bool is_selected = focus && first + i == selected;
		const bool over = e->capacity > 0 && s->memory.total > e->capacity;
		struct style style = { .role = over ? ROLE_ERROR : ROLE_TEXT };
		struct rect line = { r.x, r.y + i, r.w, 1 };

		if (is_selected) {
			style.role = ROLE_SELECTED;
			c->cursor_x = r.x;
			c->cursor_y = r.y + i;
		}
		text_put(buf, sizeof buf, words ? "%cstage %lld" : "%cst %lld",
		    is_selected ? '>' : ' ', (long long)(first + i));
		canvas_text(c, line, r.x, line.y, style, buf);
		bars_bytes(s->memory.total, buf, sizeof buf);
		if (r.w > label_w + amount_w + 3)
			draw_bar(c, (struct rect){ r.x + label_w, line.y,
			    r.w - label_w - amount_w, 1 }, &s->memory, e->capacity, scale);
		text_add(buf, sizeof buf, over ? "!" : " ");
		canvas_text(c, line, r.x + r.w - canvas_width(c, buf), line.y, style, buf);
	}
	if (r.h >= LEGEND_FROM)
		draw_legend(c, (struct rect){ r.x + 1, r.y + r.h - 1, r.w - 1, 1 }, e);
}
