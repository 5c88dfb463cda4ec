#include "file/log/trace.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "file/log/kernels.h"

/* Events of one trace that are kept, 16 bytes each: those of a few steps. What follows is passed
 * over, and so is what of an event is longer. */
enum { STEPS_MOST = 256, BLOCK = 1024 * 1024 };

enum {
	COMM = (1 << (KERNEL_COMM + 1)) - 1,
	COMPUTE = (1 << KERNEL_COPY) - 1 - COMM,
	COPY = 1 << KERNEL_COPY
};

/* What ran on the GPU, in microseconds since `origin`. */
struct gpu_span {
	double at;
	float length;
	unsigned char what;
};

/* Steps of a trainer; of an engine, with prompts in them or without. */
enum step_kind { STEP_TRAINS, STEP_PROMPTS, STEP_DECODES };

struct trace {
	struct run_reader *r;
	double origin;        /* the first time that was seen */
	bool begun;
	struct gpu_span *span;
	size_t spans, room;
	size_t steps, gpu_steps;
	struct trace_step {
		double at, length;
		enum step_kind kind;
	} step[STEPS_MOST], gpu_step[STEPS_MOST]; /* as the host annotated them, and on the GPU */
	struct series comm[KERNEL_COMM]; /* seconds of collectives, a step each */
	double fused, softmax; /* microseconds of attention kernels, and of their pieces */
	bool failed;
};

/* ---- an event's values --------------------------------------------------------------------- */

/* A value of the event's own object: where it begins, after the colon. Names inside args do not
 * count, as each is looked for with what follows it in Kineto's order; NULL without one. */
static const char *
value_of(const char *event, const char *name)
{
	const char *at = strstr(event, name);

	if (at == NULL)
		return NULL;
	at += strlen(name);
	while (*at == ' ' || *at == ':')
		at++;
	return at;
}

static double
number_of(const char *event, const char *name)
{
	const char *at = value_of(event, name);

	return at != NULL ? strtod(at + (*at == '"'), NULL) : -1;
}

/* ---- events ------------------------------------------------------------------------------------ */

static void
keep_span(struct trace *t, double at, double length, enum kernel_class what)
{
	if (t->spans == TRACE_SPANS_MAX || t->failed)
		return;
	if (t->spans == t->room) {
		const size_t room = t->room > 0 ? 2 * t->room : 65536;
		struct gpu_span *grown = realloc(t->span, room * sizeof *grown);

		if (grown == NULL) {
			t->failed = true;
			return;
		}
		t->span = grown;
		t->room = room;
	}
	t->span[t->spans++] = (struct gpu_span){ at, (float)length, (unsigned char)what };
}

static void
take_kernel(struct trace *t, const char *event, double at, double length)
{
	const char *name = value_of(event, "\"name\"");
	const size_t n = name != NULL ? strcspn(name + 1, "\"") : 0;
	enum kernel_class what;

	if (n == 0) {
		keep_span(t, at, length, KERNEL_OPERATION);
		return;
	}
	what = kernel_class(name + 1, n);
	keep_span(t, at, length, what);
	if (kernel_is_fused(name + 1, n))
		t->fused += length;
	else if (kernel_is_softmax(name + 1, n))
		t->softmax += length;
}

/* "ProfilerStep#7" of PyTorch; "step[DECODE bs=16]", "step[EXTEND bs=1 toks=107]" of SGLang's scheduler;
 * "execute_context_0(0)_generation_64(64)" of vLLM (v1/worker/gpu_worker.py). */
static bool
is_step(const char *name, enum step_kind *kind)
{
	if (strncmp(name, "\"ProfilerStep#", 14) == 0)
		*kind = STEP_TRAINS;
	else if (strncmp(name, "\"step[", 6) == 0)
		*kind = strncmp(name + 6, "DECODE", 6) == 0 ? STEP_DECODES : STEP_PROMPTS;
	else if (strncmp(name, "\"execute_context_", 17) == 0)
		*kind = strncmp(name + 17, "0(", 2) == 0 ? STEP_DECODES : STEP_PROMPTS;
	else
		return false;
	return true;
}

static void
take_step(struct trace_step *step, size_t *n, struct trace_step one)
{
	if (*n < STEPS_MOST)
		step[(*n)++] = one;
}

/* {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_..", "pid": 0, "tid": 7, "ts": 1.5, "dur": 2,
 * "args": {..}} */
static void
take_event(struct trace *t, const char *event)
{
	const char *cat = value_of(event, "\"cat\"");
	const char *name;
	enum step_kind kind;
	double at, length;

	if (cat == NULL || *cat != '"')
		return;
	cat++;
	if (strncmp(cat, "kernel\"", 7) != 0 && strncmp(cat, "gpu_mem", 7) != 0 &&
	    strncmp(cat, "gpu_user_annotation\"", 20) != 0 && strncmp(cat, "user_annotation\"", 16) != 0)
		return;
	at = number_of(event, "\"ts\"");
	length = number_of(event, "\"dur\"");
	if (!(at >= 0) || !(length >= 0) || !(length < 1e12) || !(at < 1e18))
		return;
	if (!t->begun) {
		t->begun = true;
		t->origin = at;
	}
	at -= t->origin;
	if (*cat == 'k') {
		take_kernel(t, event, at, length);
		return;
	}
	if (strncmp(cat, "gpu_mem", 7) == 0) {
		keep_span(t, at, length, KERNEL_COPY);
		return;
	}
	name = value_of(event, "\"name\"");
	if (name == NULL || !is_step(name, &kind))
		return;
	if (*cat == 'g')
		take_step(t->gpu_step, &t->gpu_steps, (struct trace_step){ at, length, kind });
	else
		take_step(t->step, &t->steps, (struct trace_step){ at, length, kind });
}

/* What stands before the events: the GPU and the job. */
static void
take_head(struct trace *t, const char *head)
{
	const char *device = strstr(head, "\"deviceProperties\"");
	const char *name = device != NULL ? value_of(device, "\"name\"") : NULL;

	if (name != NULL && *name == '"') {
		run_fact(t->r, FACT_GPU_NAME, TEXT_OF(MEASURED_TEXT, "%.*s", (int)strcspn(name + 1, "\""), name + 1));
		run_fact_number(t->r, FACT_CAPACITY, number_of(device, "\"totalGlobalMem\""));
	}
	run_fact_number(t->r, FACT_WORLD, number_of(head, "\"world_size\""));
}

/* ---- the text, event by event ---------------------------------------------------------------- */

/* Where in the text a byte is, and the event that it is of. */
struct cutter {
	int depth;
	bool quoted, escaped; /* in a text; after a backslash */
	size_t n;
	char event[TRACE_EVENT_MAX];
};

/* Objects within the list of events are told; what is round them is the head. */
static void
cut_byte(struct trace *t, struct cutter *c, char b)
{
	if (c->depth > 0 && c->n + 1 < sizeof c->event)
		c->event[c->n++] = b;
	if (c->quoted) {
		if (c->escaped)
			c->escaped = false;
		else if (b == '\\')
			c->escaped = true;
		else if (b == '"')
			c->quoted = false;
		return;
	}
	if (b == '"') {
		c->quoted = true;
	} else if (b == '{') {
		if (c->depth++ == 0) {
			c->n = 0;
			c->event[c->n++] = b;
		}
	} else if (b == '}' && c->depth > 0 && --c->depth == 0) {
		c->event[c->n] = '\0';
		take_event(t, c->event);
	}
}

/* Bytes within a text, up to its end: most of a trace is in them. */
static size_t
skip_quoted(struct cutter *c, const char *text, size_t n)
{
	size_t k = 0, take;

	if (!c->quoted || c->escaped)
		return 0;
	while (k < n && text[k] != '"' && text[k] != '\\')
		k++;
	take = c->depth > 0 && c->n + k + 1 < sizeof c->event ? k : 0;
	memcpy(c->event + c->n, text, take);
	c->n += take;
	return k;
}

static void
cut_events(struct trace *t, struct cutter *c, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		i += skip_quoted(c, text + i, n - i);
		if (i < n)
			cut_byte(t, c, text[i]);
	}
}

/* ---- what the steps come to -------------------------------------------------------------------- */

static int
by_time(const void *a, const void *b)
{
	const struct gpu_span *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

/* The first span of a window, of those in order; one that began before it is none of it. */
static size_t
first_span(const struct trace *t, double from)
{
	size_t low = 0, high = t->spans;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (t->span[middle].at < from)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Microseconds of a window in which something of `what` (a bit each) ran. */
static double
seconds_covered(const struct trace *t, double from, double to, unsigned what)
{
	double sum = 0, end = from;

	for (size_t i = first_span(t, from); i < t->spans && t->span[i].at < to; i++) {
		const struct gpu_span *s = &t->span[i];
		const double last = smaller(s->at + (double)s->length, to);

		if ((what >> s->what & 1) == 0 || last <= end)
			continue;
		sum += last - larger(s->at, end);
		end = last;
	}
	return sum;
}

/* The longest time of a window in which nothing ran. */
static double
longest_gap(const struct trace *t, double from, double to)
{
	double most = 0, end = from;

	for (size_t i = first_span(t, from); i < t->spans && t->span[i].at < to; i++) {
		most = larger(most, t->span[i].at - end);
		end = larger(end, t->span[i].at + (double)t->span[i].length);
	}
	return larger(most, to - end);
}

/* A share of a step that is worth a word, and of its idle time that one piece is. */
#define IDLES 0.1
#define ONE_PIECE 0.5

static void
say_gaps(struct trace *t, double idle, double gap, double step)
{
	const bool one = gap > ONE_PIECE * idle;

	if (!(idle > IDLES * step))
		return;
	run_say(t->r, one ? EVIDENCE_ONE_GAP : EVIDENCE_GAPS, TEXT_OF(MEASURED_TEXT,
	    "idle for %.3g ms of a step of %.3g ms, the longest piece %.3g ms", idle / 1e3, step / 1e3, gap / 1e3),
	    idle / step);
}

static void
take_window(struct trace *t, enum step_kind kind, double from, double to)
{
	const int64_t step = -1; /* numbers of them tell nothing */
	const double compute = seconds_covered(t, from, to, COMPUTE);
	const double both = seconds_covered(t, from, to, COMPUTE | COMM);
	const double any = seconds_covered(t, from, to, COMPUTE | COMM | COPY);

	run_add(t->r, kind == STEP_DECODES ? MEASURED_DECODE : MEASURED_STEP, step, (to - from) / 1e6);
	run_add(t->r, MEASURED_COMPUTE, step, compute / 1e6);
	run_add(t->r, MEASURED_EXPOSED, step, (both - compute) / 1e6);
	run_add(t->r, MEASURED_IDLE, step, (to - from - any) / 1e6);
	say_gaps(t, to - from - any, longest_gap(t, from, to), to - from);
	for (unsigned k = 0; k < KERNEL_COMM; k++)
		series_add(&t->comm[k], step, seconds_covered(t, from, to, 1U << k) / 1e6, t->r->place);
	for (unsigned k = KERNEL_COMM + 1; k < KERNEL_COPY; k++)
		if (kernel_measured((enum kernel_class)k) != MEASURED_COUNT)
			run_add(t->r, kernel_measured((enum kernel_class)k), step, seconds_covered(t, from, to, 1U << k) / 1e6);
	t->r->said[SOURCE_TRACE]++;
}

/* Ranks whose collectives differ by so much wait for one another. */
#define SKEWED 1.3

/* A collective ends on all ranks at once: the rank that comes last waits least, and its time is that of
 * the transfer. */
static void
take_rank(struct trace *t, enum kernel_class k)
{
	struct series *kept = &t->r->m->series[kernel_measured(k)];
	const double now = series_steady(&t->comm[k]).median, before = series_steady(kept).median;

	if (!(now > 0))
		return;
	if (before > 0 && larger(now, before) > SKEWED * smaller(now, before))
		run_say(t->r, EVIDENCE_SKEW, TEXT_OF(MEASURED_TEXT,
		    "%s: %.3g s of a step on one rank, %.3g s on another", measured_label(kernel_measured(k)) + 2,
		    smaller(now, before), larger(now, before)), larger(now, before) / smaller(now, before));
	if (!(before > 0) || now < before)
		*kept = t->comm[k];
}

/* Steps as the host began them; without any the whole trace is one. */
static void
take_windows(struct trace *t)
{
	const struct trace_step *step = t->steps > 0 ? t->step : t->gpu_step;
	const size_t n = t->steps > 0 ? t->steps : t->gpu_steps;
	const struct gpu_span *last = &t->span[t->spans - 1];

	for (size_t i = 0; i < n; i++)
		if (step[i].kind == STEP_TRAINS || (step[i].kind == STEP_DECODES && i + 1 < n)) /* the host is soon done */
			take_window(t, step[i].kind, step[i].at, i + 1 < n && step[i + 1].at > step[i].at ?
			    step[i + 1].at : step[i].at + step[i].length);
	if (n == 0)
		take_window(t, STEP_TRAINS, t->span[0].at, last->at + (double)last->length);
	for (int k = 0; k < KERNEL_COMM; k++)
		take_rank(t, (enum kernel_class)k);
	kernels_say(t->r, t->fused / 1e6, t->softmax / 1e6);
}

bool
trace_is(const char *ahead, size_t n)
{
	char head[4096];

	text_put(head, sizeof head, "%.*s", (int)(n < sizeof head ? n : sizeof head - 1), ahead);
	return strstr(head, "\"traceEvents\"") != NULL || strstr(head, "\"schemaVersion\"") != NULL ||
	    strstr(head, "\"deviceProperties\"") != NULL || strstr(head, "\"ph\"") != NULL;
}

/* Read all of it; the head is what stands before the list of events. */
static const char *
read_events(struct trace *t, struct cutter *c, char *block, struct source *s)
{
	static const char list[] = "\"traceEvents\"";
	size_t n = source_read(s, block, BLOCK), head;
	char *events;

	block[n] = '\0';
	events = strstr(block, list);
	head = events != NULL ? (size_t)(events - block) + sizeof list - 1 : 0;
	if (events != NULL) {
		*events = '\0';
		take_head(t, block);
	}
	cut_events(t, c, block + head, n - head);
	while ((n = source_read(s, block, BLOCK)) > 0)
		cut_events(t, c, block, n);
	if (t->failed)
		return "out of memory";
	if (s->failed == NULL && t->spans == 0)
		return "is a trace without kernels (fix: profile with ProfilerActivity.CUDA)";
	return s->failed;
}

const char *
trace_read(struct run_reader *r, struct source *s)
{
	struct trace t = { .r = r };
	struct cutter *c = calloc(1, sizeof *c);
	char *block = malloc(BLOCK + 1);
	const char *why = c != NULL && block != NULL ? read_events(&t, c, block, s) : "out of memory";

	if (why == NULL) {
		qsort(t.span, t.spans, sizeof *t.span, by_time);
		take_windows(&t);
	}
	free(t.span);
	free(block);
	free(c);
	return why;
}
