/*
 * check_rules.h - the predicates of the rules in check_rules.def. Private to core.
 *
 * Each says whether a plan breaks its rule and, if so, why: in message, unless size is 0.
 */
#ifndef CORE_CHECK_RULES_H
#define CORE_CHECK_RULES_H
#include "core/base/text.h"
#include "core/rules/check.h"

/* Say why, where anybody asks, and report the rule as broken. */
#define BROKEN(...) ((void)(size > 0 && text_put(message, size, __VA_ARGS__) > 0), true)
#define N(value) ((long long)(value))

/* A rule of facts f; and one that a condition on them and their plan p breaks, and what it then says. */
#define BREAKS(name) bool name(const struct facts *f, char *message, size_t size)
#define BROKEN_IF(name, condition, ...) \
	BREAKS(name) \
	{ \
		const struct plan *p = f->plan; \
\
		(void)p; \
		return (condition) && BROKEN(__VA_ARGS__); \
	}

/* In rules_shape.c: what model, sequence and experts ask of the parallel sizes; rules_mixer.c:
 * layer patterns, Mamba and linear attention; rules_state.c: sharded state, optimizers, offload;
 * rules_run.c: batch and switches, serving, advice; rules_kernel.c, rules_rl.c and
 * rules_finetune.c. */
typedef bool rule_function(const struct facts *facts, char *message, size_t size);
#define RULE(reason, severity, field, sets, modes, source, broken, reads) rule_function broken;
#include "core/rules/check_rules.def"
#undef RULE
#endif
