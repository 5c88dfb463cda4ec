/* `estimate`: the whole run, its saves, what interrupts it, what it costs. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/report/report.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/estimate/estimate.h"
#include "core/framework/checkpoints.h"
#include "out/out.h"

static bool
print_stages(const struct run_estimate *r)
{
	struct table t;

	if (r->ramp.count < 2)
		return true;
	table_init(&t, 5);
	table_row(&t, (const char *[]){ ">sequence", ">batch", ">billion tokens", ">steps", ">of" });
	for (int i = 0; i < r->ramp.count; i++) {
		const struct ramp_stage *s = &r->ramp.stage[i];

		table_put(&t, "%.0f", (double)s->sequence);
		table_put(&t, "%.0f", (double)s->batch);
		table_cell(&t, UNITS_DIGITS(6, s->tokens / 1e9));
		table_put(&t, "%.0f", s->steps);
		table_cell(&t, UNITS_EXACT(SECONDS, r->step_seconds[i]));
	}
	return table_print(&t);
}

/* Tokens of a parameter beside what is best for the compute (Hoffmann et al. 2022, arXiv 2203.15556). */
static void
print_budget(const struct plan *p, const struct estimate *e)
{
	const struct run_estimate *r = &e->run;

	out_part(stdout, "budget       %s billion tokens in %s steps", UNITS_DIGITS(10, p->training.token_budget),
	    UNITS_EXACT(COUNT, r->steps));
	if (e->params.active > 0 && p->finetune.method == FINETUNE_NONE)
		out_part(stdout, "; %s tokens a parameter (20: Chinchilla)",
		    UNITS_DIGITS(4, p->training.token_budget * 1e9 / e->params.active));
	out_end(stdout);
	if (r->epochs > 0)
		out_line(stdout, "data         %s epochs of %s billion tokens", UNITS_DIGITS(3, r->epochs),
		    UNITS_DIGITS(10, p->run.dataset_tokens));
	if (r->place.step > 0 && r->epochs > 0)
		out_line(stdout, "goes on      at step %.0f, which is epoch %.0f, step %.0f of it",
		    r->place.step, r->place.epoch, r->place.epoch_step);
	else if (r->place.step > 0)
		out_line(stdout, "goes on      at step %.0f", r->place.step);
}

/* Of a short run three digits. */
static const char *
put_days(char *buf, size_t size, double days)
{
	if (days < 0.95)
		return units_digits(buf, size, 3, days);
	text_put(buf, size, "%.1f", days);
	return buf;
}
#define DAYS(v) put_days((char[32]){ 0 }, 32, v)

static void
print_days(const struct plan *p, const struct estimate *e)
{
	const struct run_estimate *r = &e->run;

	out_line(stdout, "days         %s, between %s and %s; of steps alone %s", DAYS(r->days),
	    DAYS(r->days_low), DAYS(r->days_high), DAYS(r->net_days));
	out_line(stdout, "goodput      %.1f %% of the time, between %.1f and %.1f; saves take %s days, "
	    "interruptions %s", 100 * r->goodput, 100 * r->goodput_low, 100 * r->goodput_high,
	    DAYS(r->saving_days), DAYS(r->lost_days));
	if (!(r->interruptions > 0))
		return;
	out_line(stdout, "stops        %s times%s, every %s h; %s failures in 1,000 node-days, %s min each",
	    UNITS_DIGITS(3, r->interruptions), e->world < FAILURE_GPUS_LEAST ? " at least" : "",
	    UNITS_DIGITS(3, r->failures.mean / 3600), UNITS_DIGITS(4, p->run.failures_per_1000_node_days),
	    UNITS_DIGITS(4, p->run.restart_minutes));
	out_line(stdout, "spares       %.0f node%s, of which one is left for 99 %% of the time; the plan "
	    "has %" PRId64, r->spares, TEXT_S(r->spares), p->run.spare_nodes);
}

static void
print_saves(const struct plan *p, const struct run_estimate *r)
{
	const struct checkpoint *c = &r->checkpoint;

	out_line(stdout, "checkpoint   %s in format %s: weights %s, optimizer %s; up to %s by each of %s "
	    "rank%s", UNITS_EXACT(WIRE, c->all), checkpoint_format_of(p)->name,
	    UNITS_EXACT(WIRE, c->weights), UNITS_EXACT(WIRE, c->optimizer), UNITS_EXACT(WIRE, c->rank),
	    UNITS_EXACT(COUNT, c->writers), TEXT_S(c->writers));
	if (r->interval > 0)
		out_part(stdout, "saves        every %s of steps, each blocks them for %s",
		    UNITS_EXACT(SECONDS, r->interval), UNITS_EXACT(SECONDS, r->failures.blocking));
	else
		out_part(stdout, "saves        none is best: nothing fails");
	if (r->save_seconds > 0)
		out_part(stdout, ", written in %s", UNITS_EXACT(SECONDS, r->save_seconds));
	out_end(stdout);
	if (r->gbps_needed > 0)
		out_line(stdout, "storage      %s GB/s keep saves below 1 %% of the time%s; %s held",
		    UNITS_DIGITS(3, r->gbps_needed), p->cluster.storage_gbps > 0 ? "" : ", which is assumed",
		    UNITS_EXACT(WIRE, r->storage_bytes));
	if (c->host > 0)
		out_line(stdout, "host         %s of a save in the memory of a node",
		    UNITS_EXACT(BYTES, c->host));
	if (r->load_seconds > 0)
		out_line(stdout, "load         %s", UNITS_EXACT(SECONDS, r->load_seconds));
}

/* Most published energy is the first of the two: GPU hours times design power. */
static void
print_costs(const struct plan *p, const struct run_estimate *r)
{
	out_part(stdout, "takes        %s GPU hours", UNITS_EXACT(COUNT, r->gpu_hours));
	if (r->cost > 0)
		out_part(stdout, ", %s in money", UNITS_EXACT(MONEY, r->cost));
	out_end(stdout);
	if (p->cluster.tdp_watts > 0)
		out_line(stdout, "design power %s, as model cards count: GPU hours x %.0f W",
		    UNITS_EXACT(MWH, r->gpu_hours * p->cluster.tdp_watts / 1e6), p->cluster.tdp_watts);
	if (r->mwh > 0)
		out_line(stdout, "energy       %s +- %.0f %% with %.0f W a GPU, %.0f W a host, PUE %.4g; "
		    "%s J a token", UNITS_EXACT(MWH, r->mwh), 100 * RUN_ENERGY_ERROR, r->gpu_watts,
		    r->host_watts, p->cluster.pue, UNITS_DIGITS(3, r->joules_per_token));
	else if (r->gpu_watts > 0)
		out_line(stdout, "energy       -   no host power of this generation: --set "
		    "cluster.host_watts=W");
	if (r->co2_tonnes > 0)
		out_line(stdout, "CO2          %s t", UNITS_DIGITS(4, r->co2_tonnes));
}

bool
report_run(const struct plan *p, const struct estimate *e)
{
	out_text(stdout, "\nThe whole run\n");
	if (!print_stages(&e->run))
		return false;
	print_budget(p, e);
	print_days(p, e);
	print_saves(p, &e->run);
	print_costs(p, &e->run);
	return true;
}
