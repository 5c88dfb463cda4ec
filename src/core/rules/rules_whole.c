/*
 * rules_whole.c - rules of the whole run: its checkpoints, its batch schedule, its data, its nodes.
 */
#include "core/framework/checkpoints.h"
#include "core/framework/levels.h"
#include "core/plan/nodes.h"
#include "core/plan/ramp.h"
#include "core/rules/check_rules.h"

#define REPEATS_MOST 4 /* epochs, up to which tokens seen again teach almost as much as new ones */

bool
rule_checkpoint_format_unknown(const struct facts *f, char *message, size_t size)
{
	char names[128];

	if (checkpoint_format_of(f->plan) != NULL)
		return false;
	checkpoint_formats(f->plan, names, sizeof names);
	return BROKEN("%s is no format of this framework's checkpoints, which are %s",
	    f->plan->run.checkpoint_format, names);
}

bool
rule_async_save_not_offered(const struct facts *f, char *message, size_t size)
{
	const struct checkpoint_format *format = checkpoint_format_of(f->plan);

	if (format == NULL || format->async || !f->plan->run.checkpoint_async ||
	    !field_is_set(FIELD_CHECKPOINT_ASYNC, f->plan))
		return false;
	return BROKEN("format %s is written while steps wait", format->name);
}

/* All stages, however long the run is. */
static bool
read_ramp(const struct plan *p, struct ramp *ramp, char *err, size_t size)
{
	struct plan q = *p;

	q.training.token_budget = field_table[FIELD_TOKEN_BUDGET].most;
	return ramp_of(ramp, &q, err, size);
}

bool
rule_schedule_unreadable(const struct facts *f, char *message, size_t size)
{
	struct ramp ramp;
	char err[256];

	if (f->plan->run.batch_schedule[0] == '\0' || read_ramp(f->plan, &ramp, err, sizeof err))
		return false;
	return BROKEN("%s", err);
}

bool
rule_schedule_does_not_divide(const struct facts *f, char *message, size_t size)
{
	const int64_t micro_batch = f->plan->training.micro_batch_size;
	struct ramp ramp;
	char err[256];

	if (f->plan->run.batch_schedule[0] == '\0' || f->layout == NULL || f->layout->dp < 1 ||
	    !read_ramp(f->plan, &ramp, err, sizeof err))
		return false;
	for (int i = 0; i < ramp.count; i++) {
		if (ramp.stage[i].batch % (micro_batch * f->layout->dp) != 0)
			return BROKEN("stage %d has steps of %lld sequences of %lld tokens: no multiple of "
			    "micro-batch %lld x DP %lld", i + 1, N(ramp.stage[i].batch),
			    N(ramp.stage[i].sequence), N(micro_batch), N(f->layout->dp));
	}
	return false;
}

BROKEN_IF(rule_data_repeated, p->run.dataset_tokens > 0 &&
    p->training.token_budget > REPEATS_MOST * p->run.dataset_tokens,
    "the run sees its data %.3g times: beyond %d epochs tokens seen again teach little",
    p->training.token_budget / p->run.dataset_tokens, REPEATS_MOST)

bool
rule_slow_unreadable(const struct facts *f, char *message, size_t size)
{
	struct slow_nodes slow;
	char err[256];

	if (f->plan->cluster.slow_nodes[0] == '\0' || nodes_slow(&slow, f->plan, err, sizeof err))
		return false;
	return BROKEN("%s", err);
}

bool
rule_nodes_unreadable(const struct facts *f, char *message, size_t size)
{
	const char *list = f->plan->cluster.node_list;
	const int64_t names = list[0] == '\0' ? 0 : nodes_count(list);

	if (list[0] == '\0' || names >= f->plan->cluster.nodes)
		return false;
	if (names < 0)
		return BROKEN("it is no list of nodes such as n[001-064],m[1-4]");
	return BROKEN("it names %lld nodes, and the plan has %lld", N(names), N(f->plan->cluster.nodes));
}

bool
rule_levels_unreadable(const struct facts *f, char *message, size_t size)
{
	struct levels levels;
	char err[256];

	if (f->plan->cluster.levels[0] == '\0' || levels_of(&levels, f->plan, err, sizeof err))
		return false;
	return BROKEN("%s", err);
}

BROKEN_IF(rule_gathers_nothing, p->run.gather_16bit && !checkpoint_can_gather(p),
    "whole weights are gathered on saving by DeepSpeed with ZeRO 3 alone: here ranks have them anyway, or "
    "another format of checkpoints")
