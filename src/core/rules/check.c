#include "core/rules/check.h"

#include "core/framework/framework.h"
#include "core/framework/resolve.h"

int64_t
check_microbatches(const struct plan *p, int64_t dp)
{
	const struct training *t = &p->training;

	if (dp < 1 || t->micro_batch_size > t->global_batch_size / dp ||
	    t->global_batch_size % (t->micro_batch_size * dp) != 0)
		return 0;
	return t->global_batch_size / (t->micro_batch_size * dp);
}

static void
check_names(const struct facts *facts, struct diag_list *diags)
{
	const struct plan *p = facts->plan;
	const struct {
		enum field_id field;
		const char *reason, *name, *command;
		const struct catalog_list *list;
	} named[] = {
		{ FIELD_GPU, "unknown_gpu", p->cluster.gpu, "gpus", &facts->catalog->gpus },
		{ FIELD_PRESET, "unknown_model", p->model.preset, "models",
		    &facts->catalog->models },
		{ FIELD_CRITIC_PRESET, "unknown_model", p->rl.critic_preset, "models",
		    &facts->catalog->models },
		{ FIELD_REWARD_PRESET, "unknown_model", p->rl.reward_preset, "models",
		    &facts->catalog->models },
	};

	for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
		const char *near;
		struct diag *d;

		if ((i >= 2 && (named[i].name[0] == '\0' || !plan_has_rl(p))) ||
		    catalog_find(named[i].list, named[i].name) != NULL)
			continue;
		near = catalog_near(named[i].list, named[i].name);
		d = diag_add(diags, SEVERITY_ERROR, named[i].field, named[i].reason, "shardplan catalogue",
		    "the catalogue has no %s %s%s%s", field_table[named[i].field].label, named[i].name,
		    near == NULL ? "; what it has, list: shardplan " : "",
		    near == NULL ? named[i].command : "");
		if (d != NULL && near != NULL) {
			d->fix_field = named[i].field;
			text_put(d->fix_value, sizeof d->fix_value, "%s", near);
		}
	}
}

/* True when a rule holds in the plan's framework and mode. */
static bool
rule_holds(const struct rule *r, const struct plan *p)
{
	const unsigned mode = p->mode == MODE_SERVE ? MODES_SERVE : MODES_TRAIN;

	return (r->sets & framework_rules(p)) != 0 && ((unsigned)r->modes & mode) != 0;
}

static bool
is_among(const int *fields, size_t count, enum field_id f)
{
	for (size_t i = 0; i < count && fields[i] != FIELD_NAME; i++)
		if (fields[i] == (int)f || plan_follows((enum field_id)fields[i], f))
			return true;
	return false;
}

bool
rule_reads(const struct rule *r, enum field_id f)
{
	static const int placement[] = { FIELD_PP, FIELD_VPP, FIELD_FIRST_STAGE_LAYERS,
		FIELD_LAST_STAGE_LAYERS, FIELD_ACCOUNT_FOR_EMBEDDING, FIELD_ACCOUNT_FOR_LOSS,
		FIELD_PIPELINE_LAYOUT, FIELD_SCHEDULE };
	static const int microbatches[] = { FIELD_TP, FIELD_CP, FIELD_PP, FIELD_MICRO_BATCH_SIZE,
		FIELD_GLOBAL_BATCH_SIZE, FIELD_RL_ALGORITHM, FIELD_RL_PLACEMENT, FIELD_ROLLOUT_GPUS,
		FIELD_PREFILL_WORKERS, FIELD_FFN_GPUS };

	return is_among(r->reads, RULE_READS_MAX, f) || rule_reads_fact(r, READS_LAYOUT) ||
	    (rule_reads_fact(r, READS_PLACEMENT) &&
	     is_among(placement, sizeof placement / sizeof *placement, f)) ||
	    (rule_reads_fact(r, READS_MICROBATCHES) &&
	     is_among(microbatches, sizeof microbatches / sizeof *microbatches, f));
}

static void
check_rules_of(const struct facts *facts, enum severity severity, struct diag_list *diags)
{
	char message[DIAG_MESSAGE_SIZE];

	for (size_t i = 0; i < check_rule_count; i++) {
		const struct rule *r = &check_rules[i];

		if (r->severity == severity && rule_holds(r, facts->plan) &&
		    r->broken(facts, message, sizeof message))
			diag_add(diags, severity, r->field, r->reason, r->source, "%s", message);
	}
}

bool
check_with(const struct facts *facts, struct diag_list *diags)
{
	if (facts->catalog != NULL)
		check_names(facts, diags);
	check_rules_of(facts, SEVERITY_ERROR, diags);
	check_rules_of(facts, SEVERITY_WARNING, diags);
	check_rules_of(facts, SEVERITY_HINT, diags);
	return diag_count(diags, SEVERITY_ERROR) == 0;
}

struct check_list
check_list_of(const struct plan *p)
{
	struct check_list list = { .count = 0 };

	for (size_t i = 0; i < check_rule_count; i++)
		if (check_rules[i].severity == SEVERITY_ERROR && rule_holds(&check_rules[i], p))
			list.rule[list.count++] = &check_rules[i];
	return list;
}

/* A model that the plan may do without. */
static bool
named_or_none(const struct plan *p, const char *preset, const struct catalog *catalog)
{
	return !plan_has_rl(p) || *preset == '\0' || catalog_find(&catalog->models, preset) != NULL;
}

bool
check_named(const struct plan *p, const struct catalog *catalog)
{
	return catalog == NULL || (named_or_none(p, p->rl.critic_preset, catalog) &&
	    named_or_none(p, p->rl.reward_preset, catalog) &&
	    catalog_find(&catalog->gpus, p->cluster.gpu) != NULL &&
	    catalog_find(&catalog->models, p->model.preset) != NULL);
}

bool
check_legal(const struct check_list *list, const struct facts *facts)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->rule[i]->broken(facts, NULL, 0))
			return false;
	return true;
}

bool
plan_check(const struct plan *p, const struct catalog *catalog, struct diag_list *diags)
{
	struct layout layout;
	struct placement placement;
	struct facts facts = { .plan = p, .catalog = catalog };

	if (layout_init(&layout, p, diags)) {
		facts.layout = &layout;
		facts.microbatches = check_microbatches(p, layout.dp);
	}
	if (placement_init(&placement, p, diags))
		facts.placement = &placement;
	return check_with(&facts, diags);
}

bool
plan_is_legal(const struct plan *p, const struct catalog *catalog)
{
	struct layout layout;
	struct placement placement;
	struct facts facts = { .plan = p, .catalog = catalog, .layout = &layout,
		.placement = &placement };
	struct check_list list;

	if (!check_named(p, catalog) || !layout_size(&layout, p, NULL) ||
	    !placement_init(&placement, p, NULL))
		return false;
	facts.microbatches = check_microbatches(p, layout.dp);
	list = check_list_of(p);
	return check_legal(&list, &facts);
}
