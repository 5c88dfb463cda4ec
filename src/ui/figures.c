#include "ui/figures.h"

#include <math.h>

#include "core/compute.h"
#include "core/kv.h"
#include "core/serve_setup.h"
#include "core/text.h"
#include "ui/pane.h"
#include "ui/summary.h"
#include "ui/units.h"

enum {
	COLUMN_LEAST = 19, COLUMN_MOST = 30, COLUMNS_MOST = 3, GAP = 1,
	CHANGE_FROM = 29, /* columns that have room for changes, */
	CHANGE_COLUMNS = 9, /* whose place is kept free so that values stay where they are */
};

#define STEP(member) offsetof(struct estimate, step.member)
#define SERVE(member) offsetof(struct estimate, serve.member)
#define NONE QUANTITY_COUNT

static void
format_days(double seconds, char *buf, size_t size)
{
	const double days = seconds / 86400;

	text_put(buf, size, "%.*f days", days < 99.95 ? 1 : 0, days);
}

/* ---- formulas ---------------------------------------------------------------------- */

static void
tokens_formula(const struct plan *p, const struct estimate *e, char *buf, size_t size)
{
	char step[UNITS_SIZE];

	units_seconds(e->step.seconds, step, sizeof step);
	text_put(buf, size, "%lld*%lld tokens / %s", (long long)p->training.global_batch_size,
	    (long long)p->training.sequence_length, step);
}

static void
per_gpu_formula(const struct plan *p, const struct estimate *e, char *buf, size_t size)
{
	char rate[UNITS_SIZE];

	(void)p;
	units_count(e->timed ? e->step.tokens_per_second : e->serve.tokens_per_second, rate,
	    sizeof rate);
	text_put(buf, size, "%s / %lld GPUs", rate, (long long)e->world);
}

static void
run_formula(const struct plan *p, const struct estimate *e, char *buf, size_t size)
{
	char rate[UNITS_SIZE];

	units_count(e->step.tokens_per_second, rate, sizeof rate);
	text_put(buf, size, "%.6g billion tokens / (%s*86400 s)", (double)p->training.token_budget,
	    rate);
}

static void
put_utilization(const struct plan *p, const struct estimate *e, double flops, char *buf,
    size_t size)
{
	char work[UNITS_SIZE], rate[UNITS_SIZE], step[UNITS_SIZE];

	units_flops(flops, work, sizeof work);
	units_flops(machine_of(p).peak, rate, sizeof rate);
	units_seconds(e->step.seconds, step, sizeof step);
	text_put(buf, size, "%s / (%s*%lld GPUs*%s/s)", work, step, (long long)e->world, rate);
}

static void
mfu_formula(const struct plan *p, const struct estimate *e, char *buf, size_t size)
{
	put_utilization(p, e, e->step.model_flops, buf, size);
}

static void
mfu_full_formula(const struct plan *p, const struct estimate *e, char *buf, size_t size)
{
	put_utilization(p, e, e->step.full_flops, buf, size);
}

static void
hfu_formula(const struct plan *p, const struct estimate *e, char *buf, size_t size)
{
	put_utilization(p, e, e->step.hardware_flops, buf, size);
}

static void
bubble_formula(const struct plan *p, const struct estimate *e, char *buf, size_t size)
{
	char idle[UNITS_SIZE], step[UNITS_SIZE];

	(void)p;
	units_seconds(e->step.bubble_seconds, idle, sizeof idle);
	units_seconds(e->step.seconds, step, sizeof step);
	text_put(buf, size, "%s / %s", idle, step);
}

/* Windows, states and DCP make it no plain division. */
static bool
is_about(double a, double b)
{
	return fabs(a - b) <= 0.02 * b;
}

static void
kv_tokens_formula(const struct plan *p, const struct estimate *e, char *buf, size_t size)
{
	char pool[UNITS_SIZE], token[UNITS_SIZE];

	(void)p;
	if (!is_about(e->serve.kv_tokens * e->serve.kv_bytes_per_token, e->serve.kv_pool_bytes))
		return;
	units_memory(e->serve.kv_pool_bytes, pool, sizeof pool);
	units_memory(e->serve.kv_bytes_per_token, token, sizeof token);
	text_put(buf, size, "%s / %s, in whole blocks", pool, token);
}

static void
kv_blocks_formula(const struct plan *p, const struct estimate *e, char *buf, size_t size)
{
	const double block = (double)p->serving.block_size;
	char tokens[UNITS_SIZE];

	if (!is_about(e->serve.kv_blocks * block, e->serve.kv_tokens))
		return;
	units_count(e->serve.kv_tokens, tokens, sizeof tokens);
	text_put(buf, size, "%s / %.0f", tokens, block);
}

static void
requests_formula(const struct plan *p, const struct estimate *e, char *buf, size_t size)
{
	const double length = (double)p->serving.context_length, dp = serve_setup_of(p).dp;
	char tokens[UNITS_SIZE];

	if (!is_about(e->serve.max_concurrency * length, dp * e->serve.kv_tokens))
		return;
	units_count(e->serve.kv_tokens, tokens, sizeof tokens);
	text_put(buf, size, "DP %.0f*%s / %.0f", dp, tokens, length);
}

/* While a request decodes others wait for its prefill, of one stage. */
static void
generated_formula(const struct plan *p, const struct estimate *e, char *buf, size_t size)
{
	const double n = (double)p->serving.generate_tokens;
	char first[UNITS_SIZE], next[UNITS_SIZE];

	if (e->serve.tokens_per_second <= 0)
		return;
	units_seconds(e->serve.ttft_seconds, first, sizeof first);
	units_seconds(e->serve.tpot_seconds, next, sizeof next);
	text_put(buf, size, "%.0f requests at once*%.0f tokens / (%s/PP + %.0f*%s)",
	    e->serve.running, n, first, n, next);
}

static void
transfer_formula(const struct plan *p, const struct estimate *e, char *buf, size_t size)
{
	const double prompt = (double)p->serving.prompt_tokens, token = kv_model_bytes(p);
	char each[UNITS_SIZE], rate[UNITS_SIZE];

	if (e->serve.state_bytes_per_request > 0)
		return;
	units_memory(token, each, sizeof each);
	units_wire(e->serve.transfer_rate, rate, sizeof rate);
	text_put(buf, size, "%.0f tokens*%s in all layers / %s/s of the network cards that send it",
	    prompt, each, rate);
}

/* ---- what there is ----------------------------------------------------------------- */

static const struct figure step_table[] = {
	{ "step", "time of one optimizer step: the slowest stage's compute, the pipeline's bubble, "
	    "exposed communication and the optimizer", units_seconds, STEP(seconds), false,
	    BETTER_LESS, { QUANTITY_STEP, NONE }, NULL, NULL },
	{ "tokens/s", "tokens of the global batch (sequences x sequence length) / step time",
	    units_count, STEP(tokens_per_second), false, BETTER_MORE,
	    { QUANTITY_STEP, NONE }, NULL, tokens_formula },
	{ "per GPU", "tokens/s / number of GPUs", units_count, STEP(tokens_per_second_per_gpu), false,
	    BETTER_MORE, { QUANTITY_STEP, NONE }, NULL, per_gpu_formula },
	{ "run", "the whole run: training.token_budget / tokens/s, without interruptions", format_days,
	    STEP(training_seconds), true, BETTER_LESS, { QUANTITY_STEP, NONE }, NULL,
	    run_formula },
	{ "MFU", "model FLOPs utilization: FLOPs of the model in a step, causal attention counted by "
	    "half, / (step time x GPUs x dense peak in the plan's precision)", units_share, STEP(mfu),
	    false, BETTER_MORE, { QUANTITY_FLOPS, QUANTITY_STEP }, NULL, mfu_formula },
	{ "MFU full", "MFU with the full attention matrix counted, as PaLM and Megatron-LM count it",
	    units_share, STEP(mfu_full), false, BETTER_MORE,
	    { QUANTITY_FLOPS, QUANTITY_STEP }, NULL, mfu_full_formula },
	{ "HFU", "hardware FLOPs utilization: as MFU, with the FLOPs of recomputation counted too",
	    units_share, STEP(hfu), false, BETTER_MORE, { QUANTITY_FLOPS, QUANTITY_STEP }, NULL,
	    hfu_formula },
	{ "compute", "forward and backward of the slowest stage, without recomputation", units_seconds,
	    STEP(compute_seconds), false, BETTER_LESS, { QUANTITY_STEP, QUANTITY_FLOPS },
	    "forward|backward", NULL },
	{ "recompute", "forward passes that are done again to save memory", units_seconds,
	    STEP(recompute_seconds), false, BETTER_LESS, { QUANTITY_STEP, NONE }, "recompute",
	    NULL },
	{ "bubble", "share of the step in which the pipeline waits to fill and to drain", units_share,
	    STEP(bubble_fraction), false, BETTER_LESS, { QUANTITY_STEP, NONE }, "bubble",
	    bubble_formula },
	{ "exposed", "communication that compute does not hide; the traffic pane says whose",
	    units_seconds, STEP(exposed_comm_seconds), false, BETTER_LESS,
	    { QUANTITY_STEP, NONE }, "exposed", NULL },
	{ "optimizer", "the optimizer's pass over the parameters of one GPU", units_seconds,
	    STEP(optimizer_seconds), false, BETTER_LESS, { QUANTITY_STEP, NONE },
	    "optimizer|Muon|slices", NULL },
};

static const struct figure serve_table[] = {
	{ "weights", "the model's weights on one GPU of the fullest stage", units_memory,
	    SERVE(weight_bytes), false, BETTER_LESS, { QUANTITY_SERVE_MEMORY, NONE },
	    "weights|rotary|MLA|MXFP4|segments|loading", NULL },
	{ "nontorch", "what the GPU holds outside the allocator: CUDA context, NCCL", units_memory,
	    SERVE(non_torch_bytes), false, BETTER_LESS, { QUANTITY_SERVE_MEMORY, NONE },
	    "non-torch", NULL },
	{ "act peak", "peak of the activations in the engine's profiling run", units_memory,
	    SERVE(activation_bytes), false, BETTER_LESS, { QUANTITY_SERVE_MEMORY, NONE },
	    "activations", NULL },
	{ "graphs", "CUDA graphs that the engine captures", units_memory, SERVE(graph_bytes), false,
	    BETTER_LESS, { QUANTITY_SERVE_MEMORY, NONE }, "graphs", NULL },
	{ "KV pool", "what the engine's share of the memory leaves for the KV cache", units_memory,
	    SERVE(kv_pool_bytes), false, BETTER_MORE,
	    { QUANTITY_SERVE_MEMORY, QUANTITY_KV_TOKEN }, "KV pool", NULL },
	{ "KV/token", "KV cache of one token on one GPU", units_memory, SERVE(kv_bytes_per_token),
	    false, BETTER_LESS, { QUANTITY_KV_TOKEN, NONE }, NULL, NULL },
	{ "state", "recurrent state of linear-attention layers of one request", units_memory,
	    SERVE(state_bytes_per_request), true, BETTER_LESS, { NONE, NONE }, NULL, NULL },
	{ "KV tokens", "tokens that the KV pool of one DP rank holds: pool / bytes of one token",
	    units_count, SERVE(kv_tokens), false, BETTER_MORE,
	    { QUANTITY_SERVE_MEMORY, QUANTITY_KV_TOKEN }, "KV pool", kv_tokens_formula },
	{ "KV blocks", "KV tokens / tokens in a block", units_count, SERVE(kv_blocks), false,
	    BETTER_MORE, { QUANTITY_SERVE_MEMORY, QUANTITY_KV_TOKEN }, "KV pool", kv_blocks_formula },
	{ "requests", "requests of the whole context length that one engine holds at once",
	    units_count, SERVE(max_concurrency), false, BETTER_MORE,
	    { QUANTITY_SERVE_MEMORY, QUANTITY_KV_TOKEN }, "KV pool", requests_formula },
	{ "TTFT", "time to the first token of a request", units_seconds, SERVE(ttft_seconds), false,
	    BETTER_LESS, { QUANTITY_TTFT, NONE }, NULL, NULL },
	{ "TPOT", "time of each further token", units_seconds, SERVE(tpot_seconds), false,
	    BETTER_LESS, { QUANTITY_TPOT, NONE }, NULL, NULL },
	{ "tokens/s", "tokens generated by all replicas together", units_count,
	    SERVE(tokens_per_second), false, BETTER_MORE, { QUANTITY_TPOT, QUANTITY_TTFT }, NULL,
	    generated_formula },
	{ "per GPU", "tokens/s / number of GPUs", units_count, SERVE(tokens_per_second_per_gpu), false,
	    BETTER_MORE, { QUANTITY_TPOT, NONE }, NULL, per_gpu_formula },
	{ "transfer", "a prompt's KV cache from a prefill node to a decode node", units_seconds,
	    SERVE(transfer_seconds), true, BETTER_LESS, { NONE, NONE }, NULL, transfer_formula },
};

bool
figures_known(const struct estimate *e)
{
	return e->timed || e->served;
}

static double
value_of(const struct figure *figure, const struct estimate *e)
{
	const char *at = (const char *)e + figure->offset;

	return *(const double *)(const void *)at;
}

/* A GPU of unknown rates has no times. */
static bool
is_known(const struct estimate *e)
{
	return e->timed ? e->step.seconds > 0 : e->served;
}

const struct figure *
figures_at(const struct estimate *e, int i)
{
	const struct figure *table = e->timed ? step_table : serve_table;
	size_t count = e->timed ? sizeof step_table / sizeof *step_table :
	    sizeof serve_table / sizeof *serve_table;

	if (!figures_known(e))
		return NULL;
	for (size_t k = 0; k < count; k++) {
		if (table[k].if_any && value_of(&table[k], e) <= 0)
			continue;
		if (i-- == 0)
			return &table[k];
	}
	return NULL;
}

int
figures_count(const struct estimate *e)
{
	int n = 0;

	while (figures_at(e, n) != NULL)
		n++;
	return n;
}

void
figures_format(const struct figure *figure, const struct estimate *e, char *buf, size_t size)
{
	const double value = value_of(figure, e);

	/* A GPU of unknown rates has no times; a step without recomputation takes 0 s for it. */
	if (e->timed ? e->step.seconds <= 0 : value <= 0 && figure->format != units_memory)
		text_put(buf, size, "-");
	else
		figure->format(value, buf, size);
}

void
figures_formula(const struct figure *figure, const struct plan *p, const struct estimate *e,
    char *buf, size_t size)
{
	buf[0] = '\0';
	if (figure->formula != NULL && is_known(e))
		figure->formula(p, e, buf, size);
}

static void
add_words(char *buf, size_t size, const char *words)
{
	text_add(buf, size, "%s%s", buf[0] != '\0' ? "; " : "", words);
}

void
figures_overlap(const struct plan *p, char *buf, size_t size)
{
	static const struct {
		enum field_id field;
		const char *what;
	} overlap[] = {
		{ FIELD_OVERLAP_GRAD_REDUCE, "gradient reduction behind the backward pass" },
		{ FIELD_OVERLAP_PARAM_GATHER, "parameter gathering behind the forward pass" },
		{ FIELD_TP_OVERLAP, "TP collectives behind matrix products" },
		{ FIELD_MOE_OVERLAP, "expert all-to-all behind the other micro-batch" },
	};

	buf[0] = '\0';
	if (p->parallel.tp > 1)
		add_words(buf, size, "TP collectives for weight gradients behind products");
	if (p->parallel.cp > 1 && p->parallel.cp_comm == CP_COMM_P2P)
		add_words(buf, size, "the ring of CP behind attention");
	for (size_t i = 0; i < sizeof overlap / sizeof overlap[0]; i++)
		if (field_int(overlap[i].field, p) != 0)
			add_words(buf, size, overlap[i].what);
	if (buf[0] == '\0')
		add_words(buf, size, "none");
}

static int
columns_of(int w)
{
	int n = w / COLUMN_LEAST;

	return n < 1 ? 1 : n > COLUMNS_MOST ? COLUMNS_MOST : n;
}

static int
column_width(int w)
{
	int column = w / columns_of(w);

	return column < COLUMN_MOST ? column : COLUMN_MOST;
}

/* The figure at column x of a line, -1 without one. */
static int
figures_under(int w, int count, int x, int line)
{
	const int lines = figures_lines(w, count), column = x / column_width(w);

	if (line >= lines || column >= columns_of(w) || column * lines + line >= count)
		return -1;
	return column * lines + line;
}

int
figures_lines(int w, int count)
{
	int columns = columns_of(w);

	return (count + columns - 1) / columns;
}

static void
draw_change(struct canvas *c, struct rect cell, const struct figure *figure,
    const struct estimate *e, const struct estimate *base, bool is_selected)
{
	double was, is;
	char text[CHANGE_SIZE];

	if (!is_known(base) || !is_known(e))
		return;
	was = value_of(figure, base);
	is = value_of(figure, e);
	if (!change_put(figure->format, was, is, text, sizeof text))
		return;
	canvas_text(c, cell, cell.x + cell.w - canvas_width(c, text), cell.y, (struct style){
	    .role = (uint8_t)(is_selected ? ROLE_SELECTED : change_role(was, is, figure->better)) },
	    text);
}

static void
step_draw(const struct state *s, struct canvas *c, struct rect r)
{
	const struct estimate *e = s->estimate, *base = state_base_estimate(s);
	const int count = figures_count(e), lines = figures_lines(r.w, count);
	const int w = column_width(r.w);
	const int change_w = w >= CHANGE_FROM ? CHANGE_COLUMNS : 0;
	const bool focus = s->focus == PANE_STEP;
	char buf[UNITS_SIZE];

	if (!figures_known(e)) {
		pane_nothing(c, r, focus, "No times to show until the errors are mended (e lists them).");
		return;
	}
	for (int i = 0; i < count; i++) {
		const struct figure *figure = figures_at(e, i);
		const int y = r.y + i % lines - (int)s->figure.first;
		struct rect cell = { r.x + i / lines * w, y, w - GAP, 1 };
		const bool is_selected = focus && i == s->figure.at;
		struct style style = { .role = is_selected ? ROLE_SELECTED : ROLE_TEXT };

		if (y < r.y || y >= r.y + r.h)
			continue;
		cell = rect_clip(cell, r);
		if (is_selected) {
			canvas_fill(c, cell, style);
			canvas_put(c, cell.x, y, style, L'>');
			c->cursor_x = cell.x;
			c->cursor_y = y;
		}
		canvas_text(c, cell, cell.x + 1, y, is_selected ? style :
		    (struct style){ .role = ROLE_DIM }, figure->label);
		figures_format(figure, e, buf, sizeof buf);
		canvas_text(c, cell, cell.x + cell.w - change_w - canvas_width(c, buf), y, style, buf);
		if (change_w > 0 && base != NULL)
			draw_change(c, cell, figure, e, base, is_selected);
	}
}

static struct part
step_part(const struct state *s, struct rect r)
{
	return (struct part){ s->figure.first, r.h, figures_lines(r.w, figures_count(s->estimate)) };
}

static void
step_move(struct state *s, struct rect r, int way)
{
	(void)r;
	s->figure.at = scroll_step(s->figure.at, way, figures_count(s->estimate));
}

/* To another column. */
static void
step_aside(struct state *s, struct rect r, int way)
{
	const int count = figures_count(s->estimate);
	const int64_t to = s->figure.at + way * figures_lines(r.w, count);

	if (to >= 0 && to < count)
		s->figure.at = to;
}

/* The selected line: figures fill one column after the other. */
static struct scroll
step_scrolled(const struct state *s, int lines)
{
	return (struct scroll){ lines > 0 ? s->figure.at % lines : 0, s->figure.first };
}

static void
step_follow(struct state *s, struct rect r)
{
	const int count = figures_count(s->estimate), lines = figures_lines(r.w, count);

	scroll_keep(&s->figure, count);
	s->figure.first = scroll_follow(s->figure.first, step_scrolled(s, lines).at, lines, r.h);
}

static void
step_scroll(struct state *s, struct rect r, int way)
{
	const int count = figures_count(s->estimate), lines = figures_lines(r.w, count);
	struct scroll w = step_scrolled(s, lines);
	const int64_t was = w.at;

	scroll_lines(&w, lines, r.h, way);
	s->figure.first = w.first;
	s->figure.at += w.at - was;
	scroll_keep(&s->figure, count);
}

static int64_t
step_at(const struct state *s, struct rect r, int x, int y)
{
	return figures_under(r.w, figures_count(s->estimate), x, (int)s->figure.first + y);
}

static bool
step_select(struct state *s, int64_t figure)
{
	return scroll_select(&s->figure, figure);
}

static void
step_line(const struct state *s, char *buf, size_t size)
{
	const struct figure *figure = figures_at(s->estimate, (int)s->figure.at);
	char overlap[512], amount[UNITS_SIZE];

	if (figure == NULL)
		return;
	figures_format(figure, s->estimate, amount, sizeof amount);
	text_put(buf, size, "%s %s: %s", figure->label, amount, figure->how);
	if (figure->offset == offsetof(struct estimate, step.exposed_comm_seconds)) {
		figures_overlap(&s->plan, overlap, sizeof overlap);
		text_add(buf, size, "; hidden: %s", overlap);
	}
}

const struct pane_type step_pane = {
	.name = "step", .title = "step", .serving = "serving", .context = CONTEXT_MEMORY,
	.click = "why",
	.changes = 1U << SUMMARY_STEP | 1U << SUMMARY_KV_TOKENS | 1U << SUMMARY_TPOT |
	    1U << SUMMARY_TOKENS_PER_SECOND,
	.draw = step_draw, .part = step_part, .line = step_line, .move = step_move,
	.aside = step_aside, .follow = step_follow, .scroll = step_scroll, .at = step_at,
	.select = step_select,
};
