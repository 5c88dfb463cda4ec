/*
 * The estimated step as Chrome trace events, to be laid beside a profiler's in Perfetto or
 * chrome://tracing: a process for the first rank of each pipeline stage, threads for its streams,
 * and what a term is made of as arguments. Times are microseconds (Google, Trace Event Format).
 */
#include <math.h>
#include <stdlib.h>

#include "core/base/number.h"
#include "core/estimate/estimate.h"
#include "core/framework/layout.h"
#include "core/train/timeline.h"
#include "file/export/exporter.h"
#include "file/export/writers.h"

/* Micro-batches of a long step that are drawn; the others are a gap. */
enum { DRAWN = 256, COMPUTE = 7, COMMUNICATION = 8 };

struct picture {
	struct estimate estimate;
	struct timeline t;
	struct chunk_time time[STAGE_CHUNKS_MAX];
	double left_out;      /* seconds of micro-batches that are not drawn */
};

/* One event of the list, whose end is left open for arguments. */
static void
begin_event(struct textbuf *out, const char *name, int64_t stage, int stream, double start,
    double seconds)
{
	textbuf_add(out, ",\n{\"ph\": \"X\", \"cat\": \"estimate\", \"name\": \"%s\", \"pid\": %lld, "
	    "\"tid\": %d, \"ts\": %.3f, \"dur\": %.3f, \"args\": {", name, (long long)stage, stream,
	    start * 1e6, seconds * 1e6);
}

static void
put_names(struct textbuf *out, const struct picture *pic)
{
	const struct estimate *e = &pic->estimate;

	for (int64_t stage = 0; stage < e->stages; stage++) {
		const long long s = (long long)stage;
		int64_t rank = 0;

		while (rank < e->layout.world && layout_pipeline_rank(&e->layout, rank) != stage)
			rank++;
		textbuf_add(out, "%s\n{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": %lld, \"args\": "
		    "{\"name\": \"stage %lld, rank %lld\"}}", stage > 0 ? "," : "", s, s, (long long)rank);
		textbuf_add(out, ",\n{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": %lld, \"tid\": %d, "
		    "\"args\": {\"name\": \"compute\"}}", s, COMPUTE);
		textbuf_add(out, ",\n{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": %lld, \"tid\": %d, "
		    "\"args\": {\"name\": \"communication, all of the step\"}}", s, COMMUNICATION);
	}
}

/* The passes of a stage, each with the traffic inside it that nothing hides. */
static void
put_passes(struct textbuf *out, const struct picture *pic, int64_t stage)
{
	static const char *const names[] = { "forward", "backward", "weight gradients" };
	const struct timeline *t = &pic->t;
	const int64_t gap = timeline_gap(t);

	for (int64_t i = 0; i < t->rank[stage].count; i++) {
		const struct timeline_item x = timeline_at(t, stage, i);
		const bool after = t->drawn < t->microbatches && x.microbatch >= gap;

		begin_event(out, names[x.kind], stage, COMPUTE, x.start + (after ? pic->left_out : 0),
		    x.end - x.start);
		textbuf_add(out, "\"micro-batch\": %lld, \"chunk\": %lld}}",
		    (long long)(x.microbatch + (after ? t->microbatches - t->drawn : 0)),
		    (long long)x.chunk);
	}
}

/* What a step does once, after its passes. */
static void
put_end(struct textbuf *out, const struct picture *pic, int64_t stage)
{
	const struct steptime *s = &pic->estimate.step;
	double at = fmax(pic->t.seconds, 0);
	const double rest = s->seconds - at - s->optimizer_seconds;

	if (rest > 0) {
		begin_event(out, "exposed traffic of the step, host", stage, COMPUTE, at, rest);
		textbuf_add(out, "\"exposed_comm_seconds\": %.9g, \"host_seconds\": %.9g}}",
		    s->exposed_comm_seconds, s->host_seconds);
		at += rest;
	}
	begin_event(out, "optimizer", stage, COMPUTE, at, s->optimizer_seconds);
	textbuf_add(out, "\"seconds\": %.9g}}", s->optimizer_seconds);
}

/* All collectives of a kind as one span: how long they take if nothing else ran, one kind after the
 * other. */
static void
put_traffic(struct textbuf *out, const struct picture *pic, int64_t stage)
{
	double at = 0;

	for (size_t i = 0; i < pic->estimate.traffic.count; i++) {
		const struct traffic_row *row = &pic->estimate.traffic.row[i];

		begin_event(out, TEXT_OF(64, "%s %s", traffic_dim_name(row->dim), row->collective), stage,
		    COMMUNICATION, at, row->seconds);
		textbuf_add(out, "\"calls\": %.10g, \"bytes\": %.0f, \"group_size\": %lld, "
		    "\"exposed_seconds\": %.9g, \"span\": \"%s\"}}", row->calls, row->bytes,
		    (long long)row->span.size, row->exposed_seconds, span_name(row->span.kind));
		at += row->seconds;
	}
}

/* False without memory, or, with *why, where there is no schedule to draw. */
static bool
make_picture(struct picture *pic, const struct export *e, const char **why)
{
	struct timeline *t = &pic->t;
	double longest = 0;
	int64_t drawn;

	estimate_run(&pic->estimate, e->plan, e->catalog, NULL);
	*why = "the catalogue does not say how fast this GPU is";
	if (!estimate_has_step(&pic->estimate) || !steptime_chunks(e->plan, &pic->estimate.layout,
	    &pic->estimate.placement, pic->time) || !timeline_init(t, e->plan,
	    &pic->estimate.placement, pic->estimate.microbatches, why))
		return false;
	*why = NULL;
	drawn = timeline_drawn(t, least_of(DRAWN, pic->estimate.microbatches));
	t->op = calloc(timeline_ops(t, drawn) + 1, sizeof *t->op);
	t->order = calloc(timeline_entries(t, drawn) + 1, sizeof *t->order);
	t->rank = calloc((size_t)t->stages, sizeof *t->rank);
	if (t->op == NULL || t->order == NULL || t->rank == NULL || timeline_ops(t, drawn) == 0)
		return false;
	timeline_run(t, drawn, pic->time);
	for (int64_t r = 0; r < t->stages; r++)
		longest = fmax(longest, t->rank[r].end - t->rank[r].start);
	pic->left_out = fmax(0, t->seconds - longest);
	return true;
}

void
trace_write(struct export *e)
{
	struct picture *pic = calloc(1, sizeof *pic);
	const char *why = NULL;

	if (pic != NULL && make_picture(pic, e, &why)) {
		struct textbuf *out = export_begin(e, "step.json");

		textbuf_add(out, "{\"displayTimeUnit\": \"ms\", \"otherData\": {\"program\": \"shardplan\", "
		    "\"step_seconds\": %.9g},\n\"traceEvents\": [", pic->estimate.step.seconds);
		put_names(out, pic);
		for (int64_t stage = 0; stage < pic->estimate.stages; stage++) {
			put_passes(out, pic, stage);
			put_end(out, pic, stage);
			put_traffic(out, pic, stage);
		}
		textbuf_add(out, "\n]}\n");
	} else {
		export_refuse(e, FIELD_SCHEDULE, "no_schedule", "shardplan", "%s", why != NULL ? why :
		    "out of memory");
	}
	if (pic != NULL) {
		free(pic->t.op);
		free(pic->t.order);
		free(pic->t.rank);
	}
	free(pic);
}
