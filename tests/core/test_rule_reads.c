/*
 * A search asks a rule as soon as the fields that it reads are in. So no other field may change
 * what it says: of many plans that break some rule, and of those with one field changed.
 */
#include <stdlib.h>

#include "core/framework/framework.h"
#include "core/plan/pool.h"
#include "core/rules/check.h"
#include "breakers.h"
#include "settings.h"

enum { RULES = 256 };

/* In any row. */
static bool
is_always_read(enum field_id f)
{
	const size_t offset = field_table[f].offset;

	return f == FIELD_MODE || f == FIELD_LAYOUT || (offset >= offsetof(struct plan, cluster) &&
	    offset < offsetof(struct plan, parallel));
}

/* The i-th value to try of a field, where its range allows; false past the last. */
static bool
change(struct plan *p, enum field_id f, size_t i)
{
	static const char *const numbers[] = { "0", "1", "2", "3", "4", "5", "6", "8", "12", "16", "24",
		"64", "100", "4100", "8192", "1048576", "0.25" };
	static const char *const texts[] = { "", "moe", "mlp,moe_act", "mla_up_proj", "core_attn", "2x2",
		"1xtp12", "2xtp4", "x", "all-linear", "qv", "mlp", "experts", "head", "out_proj", "Ett|ttL",
		"|EttL", "Ettt|ttmL", "E|t*32|L", "tp-cp-ep-pp-dp" };
	const struct field *row = &field_table[f];
	const bool is_text = row->type == FIELD_TEXT;
	const size_t count = is_text ? sizeof texts / sizeof *texts : sizeof numbers / sizeof *numbers;
	char err[256], name[PLAN_ID_SIZE];

	if (row->type == FIELD_CHOICE || row->type == FIELD_BOOL) {
		if (row->type == FIELD_BOOL ? i > 1 : !field_choice(f, (int64_t)i, name, sizeof name))
			return false;
		field_store_int(f, p, (int64_t)i);
		return true;
	}
	if (i < count && is_text)
		field_put_text(f, p, texts[i], err, sizeof err);
	else if (i < count)
		field_parse(f, p, numbers[i], err, sizeof err);
	return i < count;
}

/* Which rules a plan breaks, whatever its framework and mode. */
static void
ask(const struct plan *p, bool broken[RULES])
{
	const int64_t size = p->parallel.tp * p->parallel.cp * p->parallel.pp, rest = pool_rest(p);
	struct placement placement;
	struct facts facts = { .plan = p };

	if (size > 0 && rest > 0 && rest % size == 0)
		facts.microbatches = check_microbatches(p, rest / size);
	if (placement_init(&placement, p, NULL))
		facts.placement = &placement;
	for (size_t r = 0; r < check_rule_count; r++)
		broken[r] = check_rules[r].broken(&facts, NULL, 0);
}

static void
hold_field(const struct plan *base, enum field_id f, const char *settings, size_t *told)
{
	bool before[RULES], after[RULES];
	struct plan p = *base;

	ask(base, before);
	for (size_t i = 0; change(&p, f, i); i++, p = *base) {
		ask(&p, after);
		for (size_t r = 0; r < check_rule_count; r++) {
			if (before[r] != after[r] && !rule_reads(&check_rules[r], f))
				fail_msg("%s: %s reads %s", settings, check_rules[r].reason,
				    field_table[f].path);
			*told += before[r] != after[r];
		}
	}
}

TEST(rules_read_what_they_say)
{
	size_t told = 0;

	assert_true(check_rule_count <= RULES);
	for (size_t i = 0; i < sizeof breakers / sizeof *breakers; i++) {
		const struct plan p = settings_plan("", breakers[i].settings);

		for (enum field_id f = 0; f < FIELD_COUNT; f++)
			if (!is_always_read(f))
				hold_field(&p, f, breakers[i].settings, &told);
	}
	assert_true(told > 1000);
}

/* A value that follows others is read through them, unless somebody sets it. */
TEST(followers_are_read)
{
	const struct rule sequence = { .reads = READS(FIELD_SEQUENCE_PARALLEL) };
	const struct rule length = { .reads = READS(FIELD_SEQUENCE_LENGTH) };
	const struct rule loss = { .reads = READS(FIELD_CROSS_ENTROPY) };
	const struct rule none = { .reads = READS(FIELD_NAME) };

	assert_true(rule_reads(&sequence, FIELD_TP));
	assert_false(rule_reads(&sequence, FIELD_CP));
	assert_true(rule_reads(&length, FIELD_CP)); /* a row holds the longest response in even parts */
	assert_true(rule_reads(&loss, FIELD_LAYOUT)); /* through the kernels */
	for (enum field_id f = 0; f < FIELD_COUNT; f++)
		assert_false(rule_reads(&none, f));
}

/* Whatever the next framework's bit is. */
TEST(rules_for_all_hold_in_new_frameworks)
{
	unsigned known = 0;

#define FRAMEWORK(id, name) known |= RULES_##id;
#include "core/plan/frameworks.def"
#undef FRAMEWORK
	for (size_t r = 0; r < check_rule_count; r++)
		if ((check_rules[r].sets & known) == known)
			assert_int_equal(check_rules[r].sets, RULES_ALL);
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
