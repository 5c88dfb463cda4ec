#include "file/export/back.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/units.h"
#include "core/estimate/estimate.h"
#include "core/framework/resolve.h"
#include "core/model/adapters.h"
#include "core/plan/field.h"
#include "file/import/import.h"

/* ---- the plan that the files launch --------------------------------------------------------- */

static void
refuse_all(struct export *e, const struct file_errors *errors)
{
	for (size_t i = 0; i < errors->count; i++) {
		const char *message = strstr(errors->line[i], "error: ");

		export_refuse(e, FIELD_NONE, "target_refuses", e->target, "%s",
		    message != NULL ? message + strlen("error: ") : errors->line[i]);
	}
}

/* The file that starts the others. */
static const struct export_file *
launch_of(const struct export *e, const struct exporter *by)
{
	for (size_t i = 0; i < e->files; i++)
		if (by->launch == NULL || text_equal(e->file[i].name, by->launch))
			return &e->file[i];
	return NULL;
}

int64_t
export_world(const struct export *e, const struct exporter *by)
{
	if (by->launch == NULL || strstr(by->launch, ".sh") != NULL)
		return 0;
	return e->world > 0 ? e->world : plan_world(e->plan);
}

static bool
read_files(struct export *e, const struct exporter *by, struct plan *back)
{
	const struct export_file *launch = launch_of(e, by);
	struct import_text beside[EXPORT_FILES_MAX];
	struct file_errors errors = { 0 };
	struct import im = { .name = "", .beside = beside, .besides = e->files, .catalog = e->catalog,
		.has_model = true, .plan = back, .errors = &errors,
		.world = export_world(e, by) };
	enum import_status status;

	for (size_t i = 0; i < e->files; i++) {
		const struct export_file *f = &e->file[i];

		if (f->text.failed || f->text.text == NULL)
			return false;
		beside[i] = (struct import_text){ f->name, f->text.text, f->text.used };
	}
	if (launch == NULL)
		return false;
	im.text = launch->text.text;
	im.size = launch->text.used;
	status = import_text(&im, by->kind);
	import_free(&im);
	refuse_all(e, &errors);
	return status == IMPORT_DONE;
}

void
export_take_rest(const struct export *e, const struct exporter *by, struct plan *back)
{
	const bool shaped = field_is_set(FIELD_PRESET, back) || field_is_set(FIELD_LAYERS, back);
	const bool sized = export_world(e, by) == 0;

	for (enum field_id f = 0; f < FIELD_COUNT; f++) {
		const bool size = f == FIELD_NODES || f == FIELD_GPUS_PER_NODE;

		if ((field_is_of(f, "cluster") && (!size || !sized)) || field_is_of(f, "calibration") ||
		    (field_is_of(f, "model") && !shaped) || field_set_has(&e->outside, f))
			field_copy(f, back, e->asked);
	}
	plan_resolve(back, e->catalog);
}

/* ---- what differs --------------------------------------------------------------------------- */

/* Fields that change nothing in such a plan. */
static bool
is_idle(enum field_id f, const struct plan *p)
{
	switch (f) {
	case FIELD_CP_COMM:
		return p->parallel.cp == 1;
	case FIELD_SCHEDULE:
		return p->parallel.pp == 1;
	case FIELD_RECOMPUTE_METHOD:
	case FIELD_RECOMPUTE_LAYERS:
		return p->training.recompute != RECOMPUTE_FULL;
	case FIELD_RECOMPUTE_MODULES:
		return p->training.recompute != RECOMPUTE_SELECTIVE;
	case FIELD_EP:
	case FIELD_ETP:
	case FIELD_MOE_DISPATCHER:
	case FIELD_EXPERT_ADAPTERS:
	case FIELD_EXPERTS_PER_TOKEN:
	case FIELD_MOE_FFN_HIDDEN_SIZE:
	case FIELD_GROUPED_GEMM:
	case FIELD_PERMUTE_FUSION:
		return !plan_has_experts(p);
	case FIELD_PARAM_REMAINDERS:
		return !p->training.precision_aware_optimizer;
	case FIELD_LAYERS: /* a pattern says them */
	case FIELD_MTP_LAYERS:
		return p->model.layer_pattern[0] != '\0';
	case FIELD_OVERLAP_PARAM_GATHER:
		return p->parallel.zero_stage == 0;
	case FIELD_ROLLOUT_GPUS:
		return p->rl.placement != RL_SPLIT;
	case FIELD_ENGINE_SLEEP:
	case FIELD_RL_OFFLOAD:
		return p->rl.placement == RL_SPLIT || !plan_has_rollouts(p);
	case FIELD_RL_REFERENCE:
		return p->rl.algorithm == RL_DAPO || p->rl.algorithm == RL_REWARD_MODEL;
	case FIELD_ROLLOUT_TP:
		return !plan_has_rollouts(p) || p->rl.rollout_tp == 0; /* as the estimate finds it */
	case FIELD_RL_PROMPTS:
	case FIELD_RL_RESPONSES:
		return !plan_has_rollouts(p);
	default:
		return false;
	}
}

/* TP x DP ranks of an engine, which with DP attention are all alike. */
static int64_t
attention_ranks(const struct plan *p)
{
	return plan_world(p) / (p->serving.replicas * p->parallel.pp * p->parallel.cp);
}

bool
export_same(enum field_id f, const struct plan *a, const struct plan *b)
{
	if (f == FIELD_ADAPTER_TARGET)
		return adapters_targets(a) == adapters_targets(b);
	if (f == FIELD_TP && a->mode == MODE_SERVE && a->serving.dp_attention && b->serving.dp_attention)
		return attention_ranks(a) == attention_ranks(b);
	return field_same(f, a, b);
}

bool
export_tells(enum field_id f, const struct plan *p)
{
	return field_in_use(f, p) && f != FIELD_PRESET && (f == FIELD_NODES || f == FIELD_GPUS_PER_NODE ||
	    field_is_of(f, "model parallel training finetune serving rl")) &&
	    (field_is_chosen(f, p) || !is_idle(f, p));
}

/* What a run has other than the plan says, as settings; false where nothing is. */
static bool
tell_differences(struct export *e, const struct plan *back, char *settings, size_t size)
{
	char ours[PLAN_LAYOUT_SIZE], theirs[PLAN_LAYOUT_SIZE], line[96];

	settings[0] = '\0';
	for (enum field_id f = 0; f < FIELD_COUNT; f++) {
		if (!export_tells(f, e->asked) || export_same(f, e->asked, back))
			continue;
		field_format(f, e->asked, ours, sizeof ours);
		field_format(f, back, theirs, sizeof theirs);
		text_add(settings, size, " %s=%s", field_table[f].path, theirs);
		text_put(line, sizeof line, "not said: %s = ", field_table[f].path);
		if (e->missing.lines.text == NULL || strstr(e->missing.lines.text, line) == NULL)
			notes_add(&e->missing, "not said: %s = %s: it runs with %s", field_table[f].path, ours,
			    theirs[0] != '\0' ? theirs : "none");
	}
	return settings[0] != '\0';
}

/* ---- what it comes to ----------------------------------------------------------------------- */

static double
time_of(const struct estimate *e)
{
	return e->reinforced ? e->rl.step_seconds : e->timed ? e->step.seconds : e->served ?
	    e->serve.tpot_seconds : 0;
}

static bool
is_near(double a, double b)
{
	return fabs(a - b) <= 0.01 * fmax(fabs(a), fabs(b));
}

static void
compare_estimates(struct export *e, const struct estimate *ours, const struct estimate *theirs,
    const char *settings)
{
	const double peak = estimate_fullest(theirs), planned = estimate_fullest(ours);
	char memory[128] = "", seconds[128] = "";

	if (!is_near(peak, planned))
		text_put(memory, sizeof memory, " %s of %s at the peak, not %s", UNITS_SHORT(BYTES, peak),
		    UNITS_SHORT(BYTES, theirs->capacity), UNITS_SHORT(BYTES, planned));
	if (!is_near(time_of(ours), time_of(theirs)))
		text_put(seconds, sizeof seconds, "%s %s a %s, not %s", memory[0] != '\0' ? "," : "",
		    UNITS_SHORT(SECONDS, time_of(theirs)), ours->served ? "token" : "step",
		    UNITS_SHORT(SECONDS, time_of(ours)));
	e->risks = estimate_has_fit(theirs) && theirs->tight && !ours->tight;
	if (estimate_has_fit(theirs) && !theirs->fits && ours->fits)
		export_refuse(e, FIELD_NONE, "target_does_not_fit", "shardplan estimate",
		    "as it runs it takes%s: plan with what it runs with:%s", memory, settings);
	else if (memory[0] != '\0' || seconds[0] != '\0')
		notes_add(&e->missing, "as it runs it takes%s%s", memory, seconds);
}

bool
export_fits(struct export *e, const struct plan *p)
{
	struct estimate *estimate = malloc(sizeof *estimate);
	bool fits = true;

	if (estimate != NULL) {
		estimate_run(estimate, p, e->catalog, NULL);
		fits = !estimate_has_fit(estimate) || estimate->fits;
	}
	free(estimate);
	return fits;
}

static void
estimate_both(struct export *e, const struct plan *back, const char *settings)
{
	struct estimate *both = malloc(2 * sizeof *both);

	if (both == NULL) {
		export_refuse(e, FIELD_NONE, "out_of_memory", "shardplan export", "out of memory");
		return;
	}
	estimate_run(&both[0], e->asked, e->catalog, NULL);
	estimate_run(&both[1], back, e->catalog, NULL);
	if (both[0].legal && both[1].legal)
		compare_estimates(e, &both[0], &both[1], settings);
	free(both);
}

void
export_read_back(struct export *e, const struct exporter *by)
{
	struct plan back;
	char settings[768];

	if (by->kind == NULL || diag_count(&e->diags, SEVERITY_ERROR) > 0 || !read_files(e, by, &back))
		return;
	export_take_rest(e, by, &back);
	if (tell_differences(e, &back, settings, sizeof settings))
		estimate_both(e, &back, settings);
}
