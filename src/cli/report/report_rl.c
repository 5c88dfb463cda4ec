/* The part of `estimate` about rollouts and updates: phases, what they hold and take. */
#include <stdio.h>

#include "cli/report/report.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/estimate/estimate.h"
#include "core/rl/rl.h"
#include "out/out.h"

static const char *
pool_name(const struct rl_estimate *r, enum rl_phase phase)
{
	return r->phase[phase].rollouts ? "rollout" : "train";
}

void
json_rl(struct jsonout *j, const struct estimate *e)
{
	const struct rl_estimate *r = &e->rl;

	jsonout_object(j, "rl");
	jsonout_list(j, "phases");
	for (int i = 0; i < PHASES; i++) {
		if (!r->phase[i].runs)
			continue;
		jsonout_object_row(j, NULL);
		jsonout_text(j, "phase", rl_phase_name((enum rl_phase)i));
		jsonout_text(j, "pool", pool_name(r, (enum rl_phase)i));
		jsonout_real(j, "seconds", r->phase[i].seconds);
		jsonout_bytes(j, "memory", r->phase[i].memory);
		jsonout_close(j);
	}
	jsonout_close(j);
	json_results(j, RESULT_RL_STEP, RESULT_RL_PHASES, e, e->peak_stage);
	jsonout_close(j);
}

static void
print_pools(const struct rl_estimate *r)
{
	if (r->split)
		out_line(stdout, "pools        %lld GPUs train, %lld generate", (long long)r->train_gpus,
		    (long long)r->rollout_gpus);
	else if (r->generates)
		out_line(stdout, "pools        %lld GPUs train and generate in turn",
		    (long long)r->train_gpus);
	if (r->generates)
		out_line(stdout, "engines      %lld of %lld GPU%s each", (long long)r->engines,
		    (long long)r->engine_gpus, TEXT_S(r->engine_gpus));
	out_line(stdout, "batch        %.0f sequences a step, %s update%s of the weights", r->responses,
	    UNITS_DIGITS(4, r->updates), TEXT_S(r->updates));
}

static bool
print_phases(const struct estimate *e)
{
	const struct rl_estimate *r = &e->rl;
	struct table t;

	table_init(&t, 4 + HELD_PARTS);
	table_cell(&t, "phase");
	table_cell(&t, "pool");
	table_cell(&t, ">time");
	for (int k = 0; k < HELD_PARTS; k++)
		table_put(&t, ">%s", rl_part_name((enum rl_part)k));
	table_cell(&t, ">GiB in all");
	for (int i = 0; i < PHASES; i++) {
		const struct rl_phase_estimate *f = &r->phase[i];

		if (!f->runs)
			continue;
		table_cell(&t, rl_phase_label((enum rl_phase)i));
		table_cell(&t, pool_name(r, (enum rl_phase)i));
		table_cell(&t, f->seconds > 0 ? UNITS_SHORT(SECONDS, f->seconds) : "-");
		for (int k = 0; k < HELD_PARTS; k++)
			table_put(&t, "%.1f", f->held[k] / GIB);
		table_put(&t, "%.1f", f->memory / GIB);
	}
	return table_print(&t);
}

bool
report_rl(const struct plan *p, const struct estimate *e)
{
	const struct rl_estimate *r = &e->rl;

	out_text(stdout, "\nPhases of one step, and GiB on the fullest GPU in each\n");
	if (!print_phases(e))
		return false;
	out_end(stdout);
	print_pools(r);
	out_part(stdout, "fullest      %s: %s", rl_phase_label(r->fullest),
	    UNITS_EXACT(BYTES, r->peak_bytes));
	if (estimate_has_fit(e))
		out_part(stdout, " of %s: %s", UNITS_EXACT(BYTES, e->capacity), estimate_verdict(e));
	out_end(stdout);
	if (r->host_bytes_per_node > 0)
		out_line(stdout, "host         %s in the memory of a node",
		    UNITS_EXACT(BYTES, r->host_bytes_per_node));
	if (r->generates)
		out_line(stdout, "weight sync  %s to each GPU of an engine",
		    UNITS_EXACT(WIRE, r->sync_bytes));
	if (r->step_seconds > 0)
		out_line(stdout, "whole step   %s, %s tokens a second, %s on each GPU",
		    UNITS_EXACT(SECONDS, r->step_seconds), UNITS_EXACT(COUNT, r->tokens_per_second),
		    UNITS_EXACT(COUNT, r->tokens_per_second_per_gpu));
	else
		out_line(stdout, "whole step   -%s", report_lacks(p));
	return true;
}
