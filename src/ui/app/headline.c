#include "ui/app/headline.h"

#include "core/base/number.h"
#include "core/base/show.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/estimate/result.h"
#include "ui/state/summary.h"

enum {
	CHANGES = 3, PIECES_MAX = 16, GAUGE_MOST = 12, GAUGE_LEAST = 6, GAUGE_FROM = 56,
	NAME_MOST = 100, MODEL_MOST = 32, GAP = 2, /* columns */
	RANKS = 20,
};

static const struct style dim_style = { .role = ROLE_DIM };

/* A number between words: the number is bright, the words are not. Pieces of high rank are
 * left out first. */
struct piece {
	int rank;
	enum role role;      /* of the number */
	char before[96], text[NAME_MOST * 4 + 16], after[64];
	char error[16];      /* how far off it may be, left out before any piece */
	double gauge;        /* share that is full, below 0: no gauge */
	bool follows;        /* the piece before it, or is not shown */
	bool shown;
};

struct strip {
	int count;
	struct piece piece[PIECES_MAX];
};

static struct piece *
add_piece(struct strip *strip, int rank, enum role role)
{
	struct piece *p = &strip->piece[strip->count++];

	*p = (struct piece){ .rank = rank, .role = role, .gauge = -1 };
	return p;
}

/* ---- the result ---------------------------------------------------------------------- */

static const char *
verdict(const struct estimate *e)
{
	return !e->legal ? "not possible" : !e->fits ? "over" : e->tight ? "tight" : "fits";
}

static void
add_fits(struct strip *strip, const struct state *s)
{
	const struct estimate *e = s->estimate;
	struct piece *p = add_piece(strip, 0, ROLE_ERROR);
	const double bytes = estimate_fullest(e);
	char peak[32];

	if (!e->legal) {
		text_put(p->text, sizeof p->text, "%s", verdict(e));
		return;
	}
	if (e->stages == 0)
		return;
	text_put(peak, sizeof peak, "%.1f", bytes / GIB);
	if (!e->capacity_known) { /* a GPU of unknown memory */
		p->role = ROLE_HEADER;
		text_put(p->text, sizeof p->text, "%s GiB", peak);
		return;
	}
	p->role = !e->fits ? ROLE_ERROR : e->tight ? ROLE_WARNING : ROLE_GOOD;
	p->gauge = bytes / e->capacity;
	text_put(p->after, sizeof p->after, " of %.1f GiB", e->capacity / GIB);
	if (estimate_lacks_requests(e))
		text_put(p->text, sizeof p->text, "over: %lld request%s, %s",
		    (long long)s->plan.serving.concurrency, TEXT_S(s->plan.serving.concurrency),
		    peak);
	else
		text_put(p->text, sizeof p->text, "%s%s %s", verdict(e), e->fits && !e->tight ? "" : ":", peak);
}

/* "MFU 41 %", "428k tokens/s": a result with what it is called before or after it. NULL
 * where there is none. */
static struct piece *
add_result(struct strip *strip, int rank, const struct estimate *e, enum result_id id,
    const char *before, const char *after)
{
	struct piece *p;
	double value;

	if (!result_value(id, e, 0, &value) || !(value > 0))
		return NULL;
	p = add_piece(strip, rank, ROLE_HEADER);
	text_put(p->before, sizeof p->before, "%s", before);
	units_short(p->text, sizeof p->text, result_table[id].measure, value);
	text_put(p->after, sizeof p->after, "%s", after);
	return p;
}

/* "1 error, 2 warnings"; it stays where it is when there is none. */
static void
add_problems(struct strip *strip, const struct state *s)
{
	const size_t errors = diag_count(&s->estimate->diags, SEVERITY_ERROR);
	const size_t warnings = diag_count(&s->estimate->diags, SEVERITY_WARNING);
	struct piece *p = add_piece(strip, errors + warnings > 0 ? 1 : 9, errors > 0 ? ROLE_ERROR :
	    warnings > 0 ? ROLE_WARNING : ROLE_DIM);

	if (errors > 0)
		text_put(p->text, sizeof p->text, "%zu error%s", errors, TEXT_S(errors));
	else if (warnings > 0)
		text_put(p->text, sizeof p->text, "%zu warning%s", warnings, TEXT_S(warnings));
	else
		text_put(p->text, sizeof p->text, "no warnings");
	if (errors > 0 && warnings > 0)
		text_put(p->after, sizeof p->after, ", %zu warning%s", warnings, TEXT_S(warnings));
}

/* How far off 9 of 10 such numbers are. */
static void
add_error(const struct state *s, struct piece *p, double error, enum field_id calibrated)
{
	if (p != NULL && error > 0 && !field_is_set(calibrated, &s->plan))
		text_put(p->error, sizeof p->error, " %s%.0f %%",
		    s->utf8 && !s->settings.ascii ? "\u00b1" : "+-", 100 * error);
}

/* "18 of 20 req/s inside p99", or how much of what the engines take comes. */
static void
add_rate(struct strip *strip, const struct state *s)
{
	const struct serve_rate *r = &s->estimate->serve.rate;
	const struct arrivals *t = &s->plan.traffic;
	const bool inside = r->limited && r->inside >= t->rate;
	const bool room = r->saturation > 0;
	struct piece *p = add_piece(strip, 2, !room || r->load >= 1 || (r->limited && !inside) ?
	    ROLE_WARNING : r->limited ? ROLE_GOOD : ROLE_HEADER);

	if (r->limited) {
		text_put(p->text, sizeof p->text, "%.3g of %.4g", smaller(r->inside, t->rate), t->rate);
		text_put(p->after, sizeof p->after, " req/s inside p%.4g", t->percentile);
	} else if (!room) {
		text_put(p->text, sizeof p->text, "no room");
		text_put(p->after, sizeof p->after, " for a request");
	} else {
		text_put(p->before, sizeof p->before, "load ");
		text_put(p->text, sizeof p->text, "%.0f %%", 100 * r->load);
		text_put(p->after, sizeof p->after, " of %.3g req/s", r->saturation);
	}
}

/* Times that the percentile asked for stays within; near saturation those to the first token are the
 * least. */
static void
add_within(struct strip *strip, int rank, const struct state *s, enum result_id id, const char *name)
{
	const bool least = id == RESULT_TTFT_WITHIN && s->estimate->serve.rate.load > SERVE_LOAD_KNOWN;
	struct piece *p = add_result(strip, rank, s->estimate, id, "", "");

	if (p != NULL)
		text_put(p->before, sizeof p->before, "%s p%.4g %s", name, s->plan.traffic.percentile,
		    least ? ">" : "");
}

static void
add_open(struct strip *strip, const struct state *s)
{
	add_rate(strip, s);
	add_within(strip, 4, s, RESULT_TTFT_WITHIN, "TTFT");
	add_within(strip, 3, s, RESULT_TPOT_WITHIN, "TPOT");
	add_result(strip, 6, s->estimate, RESULT_GENERATED, "", " tokens/s");
}

static void
add_numbers(struct strip *strip, const struct state *s)
{
	const struct estimate *e = s->estimate;
	struct piece *mfu, *requests;

	add_fits(strip, s);
	if (e->served && e->serve.rate.known) {
		add_open(strip, s);
		return;
	}
	if (s->plan.mode == MODE_SERVE) {
		requests = add_result(strip, 5, e, RESULT_REQUESTS, "", "");
		if (requests != NULL)
			text_put(requests->after, sizeof requests->after, " requests of %lld",
			    (long long)s->plan.serving.context_length);
		add_error(s, add_result(strip, 4, e, RESULT_TTFT, "TTFT ", ""), e->serve.ttft_error,
		    FIELD_TTFT_SCALE);
		add_error(s, add_result(strip, 3, e, RESULT_TPOT, "TPOT ", ""), e->serve.tpot_error,
		    FIELD_TPOT_SCALE);
		add_result(strip, 6, e, RESULT_GENERATED, "", " tokens/s");
		return;
	}
	if (e->reinforced) { /* MFU and tokens of the trainer alone are not the step's */
		add_result(strip, 3, e, RESULT_RL_STEP, "", "/step");
		add_result(strip, 4, e, RESULT_RL_ROLLOUT, "rollouts ", "");
	} else
		add_error(s, add_result(strip, 3, e, RESULT_STEP, "", "/step"), e->step.error,
		    FIELD_COMPUTE_EFFICIENCY);
	if (e->timed && !estimate_has_step(e))
		text_put(add_piece(strip, 3, ROLE_WARNING)->text, sizeof strip->piece->text,
		    "no times: GPU rates unknown");
	add_result(strip, 6, e, result_main(MAIN_TOKENS, &s->plan), "", " tokens/s");
	mfu = e->reinforced ? NULL : add_result(strip, 4, e, RESULT_MFU, "MFU ", "");
	if (mfu != NULL) /* as exact as it is */
		text_put(mfu->text, sizeof mfu->text, "%.0f %%", 100 * e->step.mfu);
	add_result(strip, 5, e, e->ran ? RESULT_DAYS : RESULT_RUN, "run ", "");
}

/* ---- a strip ------------------------------------------------------------------------- */

/* What there is room for besides the pieces: a gauge of so many columns, errors. */
struct room {
	int gauge;
	bool errors;
};

static bool
has_gauge(const struct piece *p, const struct room *room)
{
	return p->gauge >= 0 && room->gauge > 0;
}

static int
piece_width(const struct canvas *c, const struct piece *p, const struct room *room)
{
	return canvas_width(c, p->before) + canvas_width(c, p->text) + canvas_width(c, p->after) +
	    (room->errors ? canvas_width(c, p->error) : 0) + (has_gauge(p, room) ? room->gauge + 1 : 0);
}

/* Of all pieces, or of those that are shown. */
static int
strip_width(const struct canvas *c, const struct strip *strip, const struct room *room, bool all)
{
	int w = -GAP;

	for (int i = 0; i < strip->count; i++)
		if ((all || strip->piece[i].shown) && strip->piece[i].text[0] != '\0')
			w += piece_width(c, &strip->piece[i], room) + GAP;
	return w;
}

/* The pieces that have room, those of low rank first; the first of all is shown in any case. */
static void
fit_pieces(const struct canvas *c, struct strip *strip, const struct room *room, int w)
{
	for (int rank = 0; rank < RANKS; rank++)
		for (int i = 0; i < strip->count; i++) {
			struct piece *p = &strip->piece[i];

			if (p->rank != rank || (p->follows && !p[-1].shown))
				continue;
			p->shown = true;
			p->shown = rank == 0 || strip_width(c, strip, room, false) <= w;
		}
}

/* ---- the plan ------------------------------------------------------------------------ */

/* Sizes whose product is the GPUs of the plan, but those of workers that prefill. */
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
	if (s->plan.mode == MODE_SERVE && s->plan.serving.replicas > 1)
		text_add(buf, size, " x %lld", (long long)s->plan.serving.replicas);
}

/* The changes against the saved or pinned plan, a piece each; the first says so. */
static void
add_changes(struct strip *strip, const struct state *s)
{
	const struct estimate *base = state_base_estimate(s);
	const struct summary now = summary_of(s->estimate);
	struct summary was;
	struct piece *p;
	char text[160];
	enum role role;
	int n = 0;

	if (base == NULL)
		return;
	was = summary_of(base);
	for (enum summary_part i = 0; i < SUMMARY_PARTS && n < CHANGES; i++)
		if (i != SUMMARY_TRAFFIC && /* a sum that says little */
		    summary_change(&was, &now, i, true, text, sizeof text, &role)) {
			p = add_piece(strip, n == 0 ? 11 : 14 + n, role);
			p->follows = n > 0;
			if (n++ == 0)
				text_put(p->before, sizeof p->before, "vs %s:  ", state_base_name(s));
			text_put(p->text, sizeof p->text, "%s", text);
		}
}

/* A long name leaves half of the columns to the rest. */
static void
add_plan(struct strip *strip, const struct state *s, int w)
{
	struct piece *p = add_piece(strip, 7, ROLE_TITLE), *gpus, *mode;
	const char *name = state_file_name(s);
	const int most = w / 2 < NAME_MOST ? w / 2 : NAME_MOST;
	const bool whole = canvas_width(NULL, name) <= most;
	const char *others = s->plan.others > 0 ? ", ..." : "";
	char node[PLAN_LIST_SIZE + 8];

	/* The mark's place is kept free: what follows stays where it is. */
	text_put(p->text, sizeof p->text, "%.*s%s%s%s", (int)canvas_fit(name, whole ? most : most - 2),
	    name, whole ? "" : "..", state_unsaved(s) ? " *" : "  ", s->has_pin ? " (pin)" : "");
	mode = add_piece(strip, strip->count > 1 ? RANKS : 12, ROLE_TEXT); /* beside numbers it is told by them */
	field_format(FIELD_MODE, &s->plan, mode->text, sizeof mode->text);
	p = add_piece(strip, 8, ROLE_TEXT);
	text_put(p->text, sizeof p->text, "%.*s", (int)canvas_fit(s->plan.model.preset, MODEL_MOST),
	    s->plan.model.preset);
	gpus = add_piece(strip, 10, ROLE_TEXT);
	text_put(gpus->text, sizeof gpus->text, "%lld x %s %s%s = %lld",
	    (long long)s->plan.cluster.nodes, plan_node_text(&s->plan, node, sizeof node),
	    s->plan.cluster.gpu, others, (long long)plan_world(&s->plan));
	p = add_piece(strip, 2, ROLE_TEXT);
	put_sizes(s, p->text, sizeof p->text);
	if (strip_width(NULL, strip, &(struct room){ 0, false }, true) - canvas_width(NULL, mode->text) - GAP > w) /* how many will do */
		text_put(gpus->text, sizeof gpus->text, "%lld %s%s", (long long)plan_world(&s->plan),
		    s->plan.cluster.gpu, others);
	add_changes(strip, s);
}

/* ---- drawing ------------------------------------------------------------------------- */

/* A bar that is full as far as the memory is. Returns its columns. */
static int
draw_gauge(struct canvas *c, struct rect r, int x, const struct piece *p, int w)
{
	const int full = p->gauge < 1 ? (int)(p->gauge * w + 0.5) : w;

	for (int i = 0; i < w && x + i < r.x + r.w; i++)
		canvas_put(c, x + i, r.y, (struct style){
		    .role = (uint8_t)(i < full ? p->role : ROLE_FREE) },
		    canvas_glyph(c, i < full ? GLYPH_FULL : GLYPH_DOT));
	return w + 1;
}

static int
draw_piece(struct canvas *c, struct rect r, int x, const struct piece *p, const struct room *room)
{
	const int from = x;

	if (has_gauge(p, room))
		x += draw_gauge(c, r, x, p, room->gauge);
	x += canvas_text(c, r, x, r.y, dim_style, p->before);
	x += canvas_text(c, r, x, r.y, (struct style){ .role = (uint8_t)p->role }, p->text);
	x += canvas_text(c, r, x, r.y, dim_style, p->after);
	if (room->errors)
		x += canvas_text(c, r, x, r.y, dim_style, p->error);
	return x - from;
}

static void
draw_strip(struct canvas *c, struct rect r, struct strip *strip)
{
	struct room room = { r.w >= GAUGE_FROM ? GAUGE_MOST : 0, true };
	int x = r.x;

	if (strip_width(c, strip, &room, true) > r.w && room.gauge > 0)
		room.gauge = GAUGE_LEAST;
	room.errors = strip_width(c, strip, &room, true) <= r.w;
	fit_pieces(c, strip, &room, r.w);
	for (int i = 0; i < strip->count; i++)
		if (strip->piece[i].shown && strip->piece[i].text[0] != '\0')
			x += draw_piece(c, r, x, &strip->piece[i], &room) + GAP;
}

void
headline_draw(const struct state *s, struct canvas *c, struct rect r)
{
	struct rect first = { r.x, r.y, r.w, 1 };
	struct strip numbers = { 0 }, plan = { 0 }, problems = { 0 };
	int w;

	if (r.h < 2) {
		add_numbers(&numbers, s);
		add_problems(&numbers, s);
		add_plan(&numbers, s, r.w);
		draw_strip(c, first, &numbers);
		return;
	}
	add_problems(&problems, s);
	w = strip_width(c, &problems, &(struct room){ 0, false }, true);
	draw_strip(c, (struct rect){ r.x + r.w - w, r.y, w, 1 }, &problems);
	first.w -= w + 2;
	add_numbers(&numbers, s);
	draw_strip(c, first, &numbers);
	add_plan(&plan, s, r.w);
	draw_strip(c, (struct rect){ r.x, r.y + 1, r.w, 1 }, &plan);
}

void
headline_title(const struct state *s, char *buf, size_t size)
{
	const struct estimate *e = s->estimate;
	char name[64];

	show_text(name, sizeof name, state_file_name(s));
	for (char *at = name; *at != '\0'; at++)
		if (!s->utf8 && (*at & 0x80) != 0)
			*at = '?';
	text_put(buf, size, "%s: %s", name, e->legal && e->stages == 0 ? "?" : verdict(e));
}
