/* The part of `estimate` about a training step: traffic and time. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/report/report.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/estimate/estimate.h"
#include "core/estimate/result.h"
#include "core/plan/field.h"
#include "core/plan/hardware.h"
#include "out/out.h"
#include "ui/pane/figures.h"

static bool
print_traffic(const struct plan *p, const struct traffic *traffic)
{
	struct table t;
	char link[48];

	table_init(&t, 8);
	table_row(&t, (const char *[]){ "dimension", "collective", ">group", "link", ">calls",
	    ">sent", ">time", ">exposed" });
	for (size_t i = 0; i < traffic->count; i++) {
		const struct traffic_row *r = &traffic->row[i];

		text_put(link, sizeof link, "%s", span_path_name(r->span.kind));
		if (r->span.level.unit > p->cluster.gpus_per_node)
			text_add(link, sizeof link, " %" PRId64, r->span.level.unit);
		table_row(&t, (const char *[]){ traffic_dim_name(r->dim), r->collective,
		    TEXT_OF(32, "%" PRId64, r->span.size), link, TEXT_OF(32, "%.0f", r->calls), UNITS_SHORT(WIRE, r->bytes),
		    UNITS_EXACT(SECONDS, r->seconds), UNITS_EXACT(SECONDS, r->exposed_seconds) });
	}
	return table_print(&t);
}

static void
print_overlap(const struct plan *p)
{
	char line[512];

	figures_overlap(p, line, sizeof line);
	out_part(stdout, "overlap      ");
	print_wrapped(line, 13, 13, 95);
}

/* What a step is the sum of; the bubble's result is a share of it. */
static void
print_parts(const struct steptime *s)
{
	const struct {
		enum result_id id;
		double seconds;
	} part[] = {
		{ RESULT_COMPUTE, s->compute_seconds }, { RESULT_RECOMPUTE, s->recompute_seconds },
		{ RESULT_EXPOSED, s->exposed_comm_seconds },
		{ RESULT_BUBBLE, s->bubble_fraction * s->seconds },
		{ RESULT_SLOW, s->slow_seconds }, { RESULT_HOST, s->host_seconds }, { RESULT_OPTIMIZER_STEP, s->optimizer_seconds },
	};

	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		if (part[i].seconds > 0)
			out_line(stdout, "  %-24s%10s%7.1f %%", result_table[part[i].id].label,
			    UNITS_EXACT(SECONDS, part[i].seconds),
			    s->seconds > 0 ? 100 * part[i].seconds / s->seconds : 0);
}

static void
print_rates(const struct plan *p, const struct estimate *e)
{
	const struct steptime *s = &e->step;

	out_line(stdout, "tokens       %s a second, %s on each GPU",
	    UNITS_EXACT(COUNT, s->tokens_per_second), UNITS_EXACT(COUNT, s->tokens_per_second_per_gpu));
	out_line(stdout, "compute      %.1f TFLOP/s of the model on each GPU",
	    s->model_tflops_per_gpu);
	out_line(stdout, "MFU          %.1f %% of the dense %s peak, causal attention counted by "
	    "half; %.1f %% with all", 100 * s->mfu, FIELD_SHOWN(FIELD_PRECISION, p), 100 * s->mfu_full);
	out_line(stdout, "HFU          %.1f %%, recomputation counted", 100 * s->hfu);
}

static void
print_step(const struct plan *p, const struct estimate *e)
{
	const struct steptime *s = &e->step;

	out_part(stdout, "%-12s %s", e->reinforced ? "update" : "step", UNITS_EXACT(SECONDS, s->seconds));
	if (field_is_set(FIELD_COMPUTE_EFFICIENCY, p))
		out_line(stdout, ", calibrated by %s", *p->calibration.source != '\0' ?
		    p->calibration.source : "the plan's own efficiency");
	else
		out_line(stdout, " +- %.0f %%, not calibrated", 100 * s->error);
	print_parts(s);
	print_rates(p, e);
	print_overlap(p);
}

const char *
report_lacks(const struct plan *p)
{
	const enum field_id f = hardware_lacks(p);

	return f == FIELD_BF16_TFLOPS ? "   no BF16 rate of this GPU: --set cluster.bf16_tflops=TFLOP/s" :
	    f == FIELD_HBM_GBPS ? "   no memory speed of this GPU: --set cluster.hbm_gbps=GB/s" : "";
}

bool
report_train(const struct plan *p, const struct estimate *e)
{
	out_text(stdout, "\nSent by one GPU in one step\n");
	if (e->traffic.count == 0)
		out_line(stdout, "nothing: no group has more than one GPU");
	else if (!print_traffic(p, &e->traffic))
		return false;
	if (e->reinforced)
		out_text(stdout, "\nTime of one update with rows of the full length, the trainer alone\n");
	else
		out_text(stdout, "\nTime of one step\n");
	if (estimate_has_step(e))
		print_step(p, e);
	else
		out_line(stdout, "step         -%s", report_lacks(p));
	return true;
}
