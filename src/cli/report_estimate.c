/* `estimate`: sizes, parameters and memory of every pipeline stage. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/output.h"
#include "cli/session.h"
#include "core/estimate.h"
#include "core/text.h"

#define GIB (1024.0 * 1024 * 1024)

/* The preset, and whether the plan makes another model of it. */
static void
print_model(const struct plan *p)
{
	char section[32];
	int changed = 0;

	for (int f = 0; f < FIELD_COUNT; f++) {
		field_section((enum field_id)f, section, sizeof section);
		changed += text_equal(section, "model") && f != FIELD_PRESET &&
		    field_is_set((enum field_id)f, p);
	}
	printf("model        %s", p->model.preset);
	if (changed > 0)
		printf(", with %d values of the plan's own", changed);
	putchar('\n');
}

static void
print_sizes(const struct plan *p, const struct estimate *e)
{
	char layout[64];

	field_format(FIELD_LAYOUT, p, layout, sizeof layout);
	printf("plan         %s\n", *p->name != '\0' ? p->name : "(unnamed)");
	printf("mode         %s\n", p->mode == MODE_SERVE ? "serve" : "train");
	printf("cluster      %" PRId64 " node%s x %" PRId64 " GPUs of %s = %" PRId64 " GPUs\n",
	    p->cluster.nodes, p->cluster.nodes == 1 ? "" : "s", p->cluster.gpus_per_node,
	    p->cluster.gpu, plan_world(p));
	print_model(p);
	printf("parallel     %s layout: TP %" PRId64 ", CP %" PRId64 ", PP %" PRId64 ", VPP %" PRId64
	    ", EP %" PRId64 ", ETP %" PRId64, layout, p->parallel.tp, p->parallel.cp, p->parallel.pp,
	    p->parallel.vpp, p->parallel.ep, p->parallel.etp);
	if (e->laid_out)
		printf("; DP %" PRId64 ", EDP %" PRId64, e->dp, e->edp);
	putchar('\n');
	if (p->mode == MODE_TRAIN && e->microbatches > 0)
		printf("batch        %" PRId64 " sequences of %" PRId64 " tokens a step: %" PRId64
		    " micro-batches of %" PRId64 " on each data parallel rank\n",
		    p->training.global_batch_size, p->training.sequence_length, e->microbatches,
		    p->training.micro_batch_size);
}

static void
print_params(const struct estimate *e)
{
	char total[64], active[64], gpu[64], grouped[64];

	printf("parameters   %s in all (%s), %s active for a token",
	    format_count(total, sizeof total, e->params.total),
	    format_grouped(grouped, sizeof grouped, e->params.total),
	    format_count(active, sizeof active, e->params.active));
	if (e->stages > 0)
		printf(", up to %s on one GPU", format_count(gpu, sizeof gpu, e->params_per_gpu_max));
	putchar('\n');
}

static void
add_gib(struct table *t, double bytes)
{
	char text[32];

	text_put(text, sizeof text, "%.2f", bytes / GIB);
	table_cell(t, text);
}

static bool
print_stages(const struct estimate *e, int64_t only)
{
	struct table t;
	char text[64];

	table_init(&t, 8);
	table_row(&t, (const char *[]){ ">stage", ">layers", ">count", ">parameters",
	    ">gradients", ">optimizer", ">total", ">of capacity" });
	table_row(&t, (const char *[]){ " ", " ", "million", "GiB", "GiB", "GiB", "GiB",
	    "percent" });
	for (int64_t i = 0; i < e->stages; i++) {
		const struct stage_estimate *s = &e->stage[i];

		if (only >= 0 && i != only)
			continue;
		text_put(text, sizeof text, "%" PRId64, i);
		table_cell(&t, text);
		text_put(text, sizeof text, "%" PRId64, s->layers);
		table_cell(&t, text);
		text_put(text, sizeof text, "%.1f", s->params / 1e6);
		table_cell(&t, text);
		add_gib(&t, s->memory.parameters);
		add_gib(&t, s->memory.gradients);
		add_gib(&t, s->memory.optimizer);
		add_gib(&t, s->memory.total);
		text_put(text, sizeof text, "%.1f",
		    e->capacity > 0 ? 100 * s->memory.total / e->capacity : 0);
		table_cell(&t, e->capacity > 0 ? text : "");
	}
	return table_print(&t);
}

static int
print_estimate(const struct session *s, const struct estimate *e, int64_t only)
{
	char peak[32], capacity[32];

	if (only >= 0 && e->stages > 0 && only >= e->stages)
		return usage_error("--stage %" PRId64 ": stages go from 0 to %" PRId64, only,
		    e->stages - 1);
	print_sizes(&s->plan, e);
	print_params(e);
	if (e->stages > 0) {
		fputs("\nMemory of one GPU by pipeline stage\n", stdout);
		if (!print_stages(e, only))
			return STATUS_ERROR;
		printf("\npeak         stage %" PRId64 ": %s of %s, without activations: %s\n",
		    e->peak_stage,
		    format_bytes(peak, sizeof peak, e->peak_total),
		    format_bytes(capacity, sizeof capacity, e->capacity),
		    e->fits ? "fits" : "does not fit");
		fputs("not counted  activations, buffers, KV cache, CUDA context, fragmentation\n",
		    stdout);
	}
	return e->legal ? STATUS_OK : STATUS_NO;
}

int
estimate_command(const struct options *o)
{
	struct session s;
	struct estimate *e;
	int status = STATUS_ERROR;

	if (!session_open(&s, o, o->operands > 0 ? o->operand[0] : NULL))
		return STATUS_ERROR;
	if ((e = session_estimate(&s, NULL)) != NULL) {
		session_complain(&e->diags, SEVERITY_WARNING);
		status = print_estimate(&s, e, o->stage);
	}
	free(e);
	session_close(&s);
	return status;
}
