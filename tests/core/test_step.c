/* What a key makes of a field: the next legal value, the next of a list, the next name. */
#include "core/framework/resolve.h"
#include "core/plan/override.h"
#include "core/rules/check.h"
#include "core/rules/step.h"
#include "settings.h"

/* Letters behind a number: so many times 1024, in capitals or not. */
TEST(letters)
{
	static const struct {
		const char *text;
		int64_t value;
	} of[] = { { "8k", 8192 }, { "8K", 8192 }, { "2m", 2097152 }, { "2M", 2097152 }, { "4Ki", 4096 }, { "1 Mi", 1048576 },
		{ "1g", 1073741824 }, { "77", 77 } };
	char err[128];
	struct plan p;

	plan_builtin(&p);
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		settings_set(&p, "training.sequence_length", of[i].text);
		assert_int_equal(p.training.sequence_length, of[i].value);
	}
	assert_false(field_parse(FIELD_SEQUENCE_LENGTH, &p, "8q", err, sizeof err));
}

/* Steps skip what is illegal, and go on where nothing legal is left. */
TEST(steps)
{
	struct plan p, next;

	plan_builtin(&p);
	assert_true(step_plain(&p, NULL, FIELD_TP, -1, &next));
	assert_int_equal(next.parallel.tp, 1); /* of any number the least divisor */
	assert_false(step_plain(&next, NULL, FIELD_TP, -1, &next));
	assert_true(step_legal(&p, NULL, FIELD_TP, 1, &next));
	assert_int_equal(next.parallel.tp, 4);
	assert_true(step_legal(&next, NULL, FIELD_TP, 1, &next));
	assert_int_equal(next.parallel.tp, 8); /* 16 GPUs do not hold TP 8 x PP 4, */
	assert_int_equal(next.parallel.pp, 2); /* which nobody set */
	settings_put_all(&p, "tp=4 pp=4");
	assert_true(step_legal(&p, NULL, FIELD_TP, 1, &next));
	assert_int_equal(next.parallel.tp, 8);
	assert_false(plan_check(&next, NULL, &(struct diag_list){ 0 }));
	settings_put_all(&p, "nodes=3 pp=1 tp=1 global_batch_size=96 model.layers=36");
	assert_true(step_legal(&p, NULL, FIELD_PP, 1, &next));
	assert_int_equal(next.parallel.pp, 2);
	assert_true(step_legal(&next, NULL, FIELD_PP, 1, &next));
	assert_int_equal(next.parallel.pp, 3);
	assert_true(step_legal(&next, NULL, FIELD_PP, -1, &next));
	assert_int_equal(next.parallel.pp, 2);
	plan_builtin(&p);
	assert_false(step_plain(&p, NULL, FIELD_VPP, -1, &next) && next.parallel.vpp < 0);
	assert_false(step_plain(&p, NULL, FIELD_NAME, 1, &next));
	assert_true(step_plain(&p, NULL, FIELD_PRECISION, 1, &next));
	assert_int_equal(next.training.precision, PRECISION_FP8);
	assert_true(step_plain(&p, NULL, FIELD_GLOBAL_BATCH_SIZE, 1, &next));
	assert_int_equal(next.training.global_batch_size, 128);
	assert_true(step_plain(&p, NULL, FIELD_HIDDEN_SIZE, -1, &next));
	assert_int_equal(next.model.hidden_size, 4096 - 128);
}

/* Another GPU forgets what was overridden of the one before, but not the size of a node. */
TEST(steps_of_names)
{
	static struct catalog_entry gpus[] = { { .id = "small" }, { .id = "large" } };
	const struct catalog catalog = { .gpus = { gpus, 2 } };
	static const struct setting given[] = { { FIELD_MEMORY_GIB, "40" }, { FIELD_GPU, "large" },
		{ FIELD_NODES, "none" } };
	const struct setting *wrong;
	struct plan p, next, same;
	struct overrides dropped;
	char text[256];

	plan_defaults(&p);
	settings_set(&gpus[0].values, "memory_gib", "24");
	settings_set(&gpus[1].values, "memory_gib", "80");
	settings_set(&p, "gpu", "small");
	settings_set(&p, "memory_gib", "20");
	settings_set(&p, "gpus_per_node", "4");
	settings_set(&p, "nic_gbps", "100");
	settings_set(&p, "layers", "24");
	assert_true(step_plain(&p, &catalog, FIELD_GPU, 1, &next));
	assert_string_equal(next.cluster.gpu, "large");
	assert_true(next.cluster.memory_gib > 79 && next.cluster.gpus_per_node == 4);
	assert_true(next.cluster.nic_gbps < 101 && next.model.layers == 24);
	/* Told also afterwards, and not twice. */
	overrides_drop(&p, &next, &dropped);
	overrides_text(&dropped, &p, text, sizeof text);
	assert_string_equal(text, "1 override of the old one dropped: GPU memory 20 GiB");
	overrides_drop(&next, &next, &dropped);
	assert_int_equal(overrides_text(&dropped, &next, text, sizeof text), 0);
	/* What is given with the name stays, whatever stands first; and so many are put in. */
	next = p;
	assert_true(overrides_put(given, 2, &next, &dropped, &wrong, text, sizeof text));
	assert_true(next.cluster.memory_gib > 39 && next.cluster.memory_gib < 41);
	assert_string_equal(next.cluster.gpu, "large");
	next = p;
	assert_false(overrides_put(given, 3, &next, &dropped, &wrong, text, sizeof text));
	assert_ptr_equal(wrong, &given[2]);
	/* The layout belongs to the mode. */
	same = p;
	settings_set(&same, "layout", "torchtitan");
	next = same;
	settings_set(&next, "mode", "serve");
	overrides_drop(&same, &next, &dropped);
	overrides_text(&dropped, &same, text, sizeof text);
	assert_string_equal(text, "1 override of the old one dropped: layout torchtitan");
	assert_false(field_is_set(FIELD_LAYOUT, &next));
	step_plain(&p, &catalog, FIELD_GPU, 1, &next);
	/* The same entry in other letters. */
	same = p;
	settings_set(&same, "gpu", "SMALL");
	overrides_drop(&p, &same, &dropped);
	assert_int_equal(dropped.count, 0);
	assert_true(field_is_set(FIELD_MEMORY_GIB, &same));
	assert_false(step_plain(&next, &catalog, FIELD_GPU, 1, &next));
	settings_set(&p, "gpu", "unknown");
	assert_true(step_plain(&p, &catalog, FIELD_GPU, -1, &next));
	assert_string_equal(next.cluster.gpu, "large");
	assert_false(step_plain(&p, &catalog, FIELD_PRESET, 1, &next)); /* no model to go to */
	assert_false(step_plain(&p, NULL, FIELD_GPU, 1, &next));

	assert_true(step_plain(&p, NULL, FIELD_ORDER, 1, &next));
	assert_string_equal(next.parallel.order, "tp-cp-ep-pp-dp");
	assert_false(step_plain(&p, NULL, FIELD_ORDER, -1, &next));
	settings_set(&p, "order", "dp-tp-cp-ep-pp");
	assert_true(step_plain(&p, NULL, FIELD_ORDER, 1, &next));
	assert_string_equal(next.parallel.order, "tp-cp-ep-dp-pp");

	assert_true(step_plain(&p, NULL, FIELD_HEAD_DIM, -1, &next));
	assert_int_equal(next.model.head_dim, 112);
	assert_true(step_plain(&p, NULL, FIELD_RESERVED_GIB, 1, &next));
	assert_true(next.cluster.reserved_gib > 0.99 && next.cluster.reserved_gib < 1.01);
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
