#include "ui/results.h"

#include <math.h>

#include "core/text.h"
#include "ui/format.h"
#include "ui/units.h"

struct list {
	struct result *out;
	size_t count;
};

static void
add(struct list *l, const char *path, const char *label, enum result_unit unit, bool known,
    double value)
{
	if (l->count < RESULTS_MAX)
		l->out[l->count++] = (struct result){ path, label, unit, known, known ? value : 0 };
}

static void
add_sizes(struct list *l, const struct estimate *e)
{
	const bool placed = e->stages > 0;

	add(l, "legal", "legal", RESULT_ANSWER, true, e->legal);
	add(l, "fits", "fits", RESULT_ANSWER, estimate_has_fit(e), e->fits);
	add(l, "parallel.world", "world", RESULT_COUNT, true, (double)e->world);
	add(l, "parallel.dp", "dp", RESULT_COUNT, e->laid_out, (double)e->dp);
	add(l, "parallel.edp", "edp", RESULT_COUNT, e->laid_out, (double)e->edp);
	add(l, "parallel.microbatches", "micro-batches", RESULT_COUNT, e->microbatches > 0,
	    (double)e->microbatches);
	add(l, "params.total", "parameters in all", RESULT_PARAMS, e->model_known,
	    e->params.total);
	add(l, "params.active", "parameters active", RESULT_PARAMS, e->model_known,
	    e->params.active);
	add(l, "params.per_gpu_max", "most parameters on a GPU", RESULT_PARAMS, placed,
	    e->params_per_gpu_max);
	add(l, "capacity", "capacity of a GPU", RESULT_BYTES, e->capacity > 0, e->capacity);
	add(l, "stages", "pipeline stages", RESULT_COUNT, placed, (double)e->stages);
	add(l, "peak.stage", "fullest stage", RESULT_COUNT, placed, (double)e->peak_stage);
}

static void
add_memory(struct list *l, const struct estimate *e)
{
	static const struct memory none = { 0 };
	const bool known = e->stages > 0;
	const struct memory *m = known ? &e->stage[e->peak_stage].memory : &none;
	const struct {
		const char *path, *label;
		double value;
	} part[] = {
		{ "memory.parameters", "its memory: parameters", m->parameters },
		{ "memory.gradients", "its memory: gradients", m->gradients },
		{ "memory.optimizer", "its memory: optimizer", m->optimizer },
		{ "memory.activations", "its memory: activations", m->activations },
		{ "memory.logits", "its memory: logits", m->logits },
		{ "memory.kv_cache", "its memory: KV cache", m->kv_cache },
		{ "memory.buffers", "its memory: buffers", m->buffers },
		{ "memory.allocated", "its memory: allocated", m->allocated },
		{ "memory.overhead", "its memory: overhead", m->overhead },
		{ "memory.total", "its memory: total", m->total },
	};

	for (size_t i = 0; i < sizeof part / sizeof part[0]; i++)
		add(l, part[i].path, part[i].label, RESULT_BYTES, known, part[i].value);
	add(l, "in_flight", "its micro-batches in flight", RESULT_REAL,
	    known && m->in_flight > 0, m->in_flight);
}

static void
add_traffic(struct list *l, const struct estimate *e)
{
	static const struct {
		const char *dim, *path, *label;
	} dim[] = {
		{ "tp", "communication.tp.bytes", "sent by a GPU: tp" },
		{ "cp", "communication.cp.bytes", "sent by a GPU: cp" },
		{ "pp", "communication.pp.bytes", "sent by a GPU: pp" },
		{ "dp", "communication.dp.bytes", "sent by a GPU: dp" },
		{ "edp", "communication.edp.bytes", "sent by a GPU: edp" },
		{ "ep", "communication.ep.bytes", "sent by a GPU: ep" },
		{ "etp", "communication.etp.bytes", "sent by a GPU: etp" },
		{ "embd", "communication.embd.bytes", "sent by a GPU: embd" },
	};

	for (size_t i = 0; i < sizeof dim / sizeof dim[0]; i++) {
		double bytes = 0;
		bool known = false;

		for (size_t k = 0; e->timed && k < e->traffic.count; k++)
			if (text_equal(traffic_dim_name(e->traffic.row[k].dim), dim[i].dim)) {
				bytes += e->traffic.row[k].bytes;
				known = true;
			}
		add(l, dim[i].path, dim[i].label, RESULT_WIRE, known, bytes);
	}
}

static void
add_step(struct list *l, const struct estimate *e)
{
	const struct steptime *s = &e->step;
	const bool known = e->timed;

	add(l, "step.seconds", "step", RESULT_SECONDS, known, s->seconds);
	add(l, "step.compute_seconds", "compute", RESULT_SECONDS, known, s->compute_seconds);
	add(l, "step.recompute_seconds", "recompute", RESULT_SECONDS, known, s->recompute_seconds);
	add(l, "step.exposed_comm_seconds", "exposed communication", RESULT_SECONDS, known,
	    s->exposed_comm_seconds);
	add(l, "step.optimizer_seconds", "optimizer step", RESULT_SECONDS, known,
	    s->optimizer_seconds);
	add(l, "step.bubble_fraction", "pipeline bubble", RESULT_SHARE, known, s->bubble_fraction);
	add(l, "step.model_tflops_per_gpu", "TFLOP/s of a GPU", RESULT_REAL, known,
	    s->model_tflops_per_gpu);
	add(l, "step.mfu", "MFU", RESULT_SHARE, known, s->mfu);
	add(l, "step.mfu_full", "MFU full", RESULT_SHARE, known, s->mfu_full);
	add(l, "step.hfu", "HFU", RESULT_SHARE, known, s->hfu);
	add(l, "step.tokens_per_second", "tokens a second", RESULT_REAL, known,
	    s->tokens_per_second);
	add(l, "step.tokens_per_second_per_gpu", "tokens a second, one GPU", RESULT_REAL, known,
	    s->tokens_per_second_per_gpu);
	add(l, "step.training_seconds", "the whole run", RESULT_SECONDS, known,
	    s->training_seconds);
}

static void
add_serving(struct list *l, const struct estimate *e)
{
	const struct serve *s = &e->serve;
	const bool known = e->served;

	add(l, "serving.weight_bytes", "weights", RESULT_BYTES, known, s->weight_bytes);
	add(l, "serving.non_torch_bytes", "outside the allocator", RESULT_BYTES, known,
	    s->non_torch_bytes);
	add(l, "serving.activation_bytes", "activations", RESULT_BYTES, known,
	    s->activation_bytes);
	add(l, "serving.graph_bytes", "CUDA graphs", RESULT_BYTES, known, s->graph_bytes);
	add(l, "serving.kv_pool_bytes", "KV pool", RESULT_BYTES, known, s->kv_pool_bytes);
	add(l, "serving.kv_bytes_per_token", "KV cache of a token", RESULT_BYTES, known,
	    s->kv_bytes_per_token);
	add(l, "serving.state_bytes_per_request", "state of a request", RESULT_BYTES, known,
	    s->state_bytes_per_request);
	add(l, "serving.kv_tokens", "tokens in the KV pool", RESULT_REAL, known, s->kv_tokens);
	add(l, "serving.kv_blocks", "blocks in the KV pool", RESULT_REAL, known, s->kv_blocks);
	add(l, "serving.max_concurrency", "requests at once", RESULT_REAL, known,
	    s->max_concurrency);
	add(l, "serving.ttft_seconds", "time to first token", RESULT_SECONDS, known,
	    s->ttft_seconds);
	add(l, "serving.tpot_seconds", "time per output token", RESULT_SECONDS, known,
	    s->tpot_seconds);
	add(l, "serving.tokens_per_second", "generated tokens a second", RESULT_REAL, known,
	    s->tokens_per_second);
	add(l, "serving.tokens_per_second_per_gpu", "generated tokens a second, one GPU",
	    RESULT_REAL, known, s->tokens_per_second_per_gpu);
	add(l, "serving.transfer_seconds", "KV cache of a prompt sent", RESULT_SECONDS, known,
	    s->transfer_seconds);
}

size_t
results_of(const struct estimate *e, struct result *out)
{
	struct list l = { .out = out };

	add_sizes(&l, e);
	add_memory(&l, e);
	add_traffic(&l, e);
	add_step(&l, e);
	add_serving(&l, e);
	return l.count;
}

const char *
result_format(char *buf, size_t size, enum result_unit unit, double value)
{
	switch (unit) {
	case RESULT_ANSWER:
		text_put(buf, size, "%s", value > 0 ? "yes" : "no");
		break;
	case RESULT_COUNT:
		text_put(buf, size, "%.0f", value);
		break;
	case RESULT_PARAMS:
		return format_count(buf, size, value);
	case RESULT_BYTES:
		return format_bytes(buf, size, value);
	case RESULT_WIRE:
		units_wire(value, buf, size);
		break;
	case RESULT_SECONDS:
		return format_seconds(buf, size, value);
	case RESULT_SHARE:
		text_put(buf, size, "%.1f %%", 100 * value);
		break;
	case RESULT_REAL:
		if (value >= 1e4 || value <= -1e4)
			return format_grouped(buf, size, value);
		text_put(buf, size, "%.5g", value);
		break;
	}
	return buf;
}

bool
result_shown(const struct result *a, const struct result *b)
{
	if (!a->known && !b->known)
		return false;
	/* of a mode that neither is in, or of a dimension that is 1 in both */
	return a->unit < RESULT_PARAMS || a->value > 0 || b->value > 0 || a->value < 0 ||
	    b->value < 0;
}

/* A difference as small as rounding makes it is none. */
static bool
is_same(const struct result *a, const struct result *b)
{
	return fabs(b->value - a->value) <= 1e-9 * (fabs(a->value) + fabs(b->value));
}

bool
result_change(const struct result *a, const struct result *b, char *change, char *percent,
    size_t size)
{
	const double delta = b->value - a->value;
	char amount[RESULT_SIZE];

	change[0] = percent[0] = '\0';
	if (!a->known || !b->known)
		return false;
	if (is_same(a, b)) {
		text_put(change, size, "same");
		return false;
	}
	if (a->unit == RESULT_ANSWER) {
		text_put(change, size, "changed");
		return true;
	}
	text_put(change, size, "%s%s", delta > 0 ? "+" : "",
	    result_format(amount, sizeof amount, a->unit, delta));
	/* of a share the change is in points already, of a stage's number it says nothing */
	if (a->value > 0 && a->unit != RESULT_COUNT && a->unit != RESULT_SHARE)
		text_put(percent, size, "%+.1f%%", 100 * delta / a->value);
	return true;
}

bool
results_differ(enum field_id f, const struct plan *a, const struct plan *b, char *left,
    char *right, size_t size)
{
	if (!field_in_mode(f, a->mode) && !field_in_mode(f, b->mode))
		return false;
	field_format(f, a, left, size);
	field_format(f, b, right, size);
	return !text_equal(left, right);
}
