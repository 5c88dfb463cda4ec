/* Which plans are legal: each rule once, and the fixes. Megatron-LM's own verdicts are held in
 * tests/file/test_megatron.c. */
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/framework/resolve.h"
#include "core/rules/check.h"
#include "core/rules/settle.h"
#include "core/rules/values.h"
#include "breakers.h"
#include "settings.h"

/* ---- each rule ------------------------------------------------------------------------------- */

/* Megatron-LM asks for parameters in bf16 or fp16 (transformer_config.py), as they are in
 * FP8 runs too. */
TEST(moe_overlap_with_fp8)
{
	static const char *const precisions[] = { "bf16", "fp16", "fp8" };
	struct plan p;

	for (size_t i = 0; i < sizeof precisions / sizeof *precisions; i++) {
		struct diag_list diags = { 0 };

		plan_defaults(&p);
		settings_put_all(&p, MOE_OVERLAP "fp8_tflops=1979");
		settings_put(&p, "training.precision", precisions[i]);
		plan_check(&p, NULL, &diags);
		if (diag_has(&diags, "moe_overlap_impossible"))
			fail_msg("refused in %s", precisions[i]);
	}
}

/* What stands close to a rule, on its legal side. */
TEST(neighbours_are_legal)
{
	static const char *const settings[] = {
		GATED "cp=4 linear_key_heads=16 linear_value_heads=32 tp=2",
		MOE_OVERLAP "moe_dispatcher=deepep",
		"nodes=32 tp=8 pp=4 cp=1 ep=32 etp=1 experts=256 experts_per_token=8 moe_ffn_hidden_size=1024 moe_dispatcher=deepep",
		"cp=2 sliding_window=1024 cp_comm=allgather", "cp=2 sliding_window=1024 cp_comm=a2a",
		"cp=4 cp_comm=a2a+p2p hierarchical_cp=4x1 sliding_window=1024",
		"cp=2 cp_comm=p2p attention=mla kv_lora_rank=512 qk_nope_head_dim=128 qk_rope_head_dim=64 v_head_dim=128",
		"cp=2 cp_comm=a2a attention_sinks=true", "cp=4 cp_comm=a2a+p2p hierarchical_cp=2x2 kv_heads=2",
		"cp=2 attention_chunk=1024 global_layer_every=4",
		"recompute=selective recompute_modules=mlp,moe",
		"cuda_graph=layer recompute=selective recompute_modules=mlp hidden_dropout=0.1",
		"precision=fp8 fp8_tflops=1979 fp8_param_gather=true offload=optimizer precision_aware_optimizer=true",
		"cuda_graph=full moe_capacity_factor=1 " EIGHT_EXPERTS,
		"zero_stage=3 dp_replicate=2", "precision=fp16 grad_dtype=fp16",
		"layout=deepspeed zero_stage=3 " EIGHT_EXPERTS, "layout=deepspeed zero_stage=3 ep=4 " EIGHT_EXPERTS,
		"layout=deepspeed zero_stage=1 offload=optimizer",
		"layout=torchtitan zero_stage=3 offload=optimizer+params",
		"layers=32 pp=2 first_stage_layers=14 last_stage_layers=18",
		"nodes=2 gpus_per_process=2 tp=1 pp=2 order=tp-cp-ep-pp-dp",
		"layout=torchtitan tp=8 sequence_parallel=false sequence_length=4100",
		"layout=torchtitan pp=4 vpp=2 schedule=zb-1p",
		"layout=torchtitan tp=2 tp_overlap=true torch_compile=true",
		"layout=torchtitan nodes=2 tp=16 attention=mla kv_lora_rank=512 qk_nope_head_dim=128",
		"layout=nanotron pp=8 nodes=2 global_batch_size=14",
		"layout=nanotron pp=8 nodes=2 global_batch_size=2 schedule=gpipe",
		"mode=serve layout=vllm max_batched_tokens=512",
		"mode=serve layout=vllm pp=2 draft_tokens=2", "mode=serve layout=vllm engine=sglang pp=2",
		"mode=serve layout=vllm context_length=4096", "mode=serve layout=vllm context_length=2048",
		"mode=serve layout=vllm context_length=1",
		"mode=serve layout=vllm context_length=4096 serving.prompt_tokens=4000",
		"mode=serve layout=vllm context_length=4096 serving.generate_tokens=4000",
		"mode=serve layout=vllm engine=sglang max_batched_tokens=8200",
		"mode=serve layout=vllm engine=trtllm max_batched_tokens=8200 block_size=64",
		"mode=serve layout=vllm nodes=2 engine=trtllm max_batched_tokens=8200 prefill_workers=1xtp8",
		"mode=serve layout=vllm engine=sglang model.preset=deepseek-v3 nodes=6 tp=48 dp_attention=true ep=48",
		"layout=torchtitan sequence_length=8192 max_position=4096",
		"layout=deepspeed sequence_length=8192 max_position=4096",
	};

	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
		struct diag_list diags = { 0 };
		struct plan p;

		plan_defaults(&p);
		settings_put_all(&p, settings[i]);
		if (!plan_check(&p, NULL, &diags))
			fail_msg("%s: %s: %s", settings[i], diags.item[0].reason, diags.item[0].message);
	}
}

/* What stands close to a warning and is not meant. */
TEST(neighbours_are_not_warned)
{
	static const struct {
		const char *settings, *reason;
	} quiet[] = {
		{ "mode=serve layout=vllm engine=sglang tp=8 dp_attention=true", "dp_attention_without_experts" },
		{ "mode=serve layout=vllm tp=8 dp_attention=true " EIGHT_EXPERTS, "dp_attention_without_experts" },
		{ "mode=serve layout=vllm tp=8", "dp_attention_without_experts" },
		/* no whole micro-batches, which is another error */
		{ "layers=32 pp=4 vpp=2 nodes=2 tp=1 global_batch_size=3", "vpp_group_out_of_range" },
		{ "layers=32 pp=4 vpp=2 nodes=2 tp=1 schedule=gpipe global_batch_size=4", "vpp_group_out_of_range" },
	};

	for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++) {
		struct diag_list diags = { 0 };
		struct plan p;

		plan_defaults(&p);
		settings_put_all(&p, quiet[i].settings);
		plan_check(&p, NULL, &diags);
		if (diag_has(&diags, quiet[i].reason))
			fail_msg("%s: %s", quiet[i].settings, quiet[i].reason);
	}
}

/* Ranks that hold the same experts are those that hold the same model over EP. */
TEST(copies_of_experts)
{
	for (int64_t ep = 1; ep <= 8; ep *= 2) {
		struct layout l;
		struct plan p;

		plan_defaults(&p);
		settings_put_all(&p, "layout=deepspeed nodes=2 gpus_per_node=8 tp=1 pp=1 zero_stage=1 " EIGHT_EXPERTS);
		settings_int(&p, FIELD_EP, ep);
		plan_resolve(&p, NULL);
		assert_true(layout_init(&l, &p, NULL));
		assert_int_equal(l.edp, 16 / ep);
	}
}

/* Runs of nodes that differ: so many of so many GPUs each, none of nothing. */
TEST(counted_nodes)
{
	static const char *const wrong[] = { "0", "0x8,4", "3x0", "8,", ",8", "8,,4", "x8", "8x", "-1", "8 4", "99999999999999999999x1",
		"1x99999999", "99999999x1" };
	struct node_counts c;
	struct plan p;

	plan_defaults(&p);
	text_put(p.cluster.node_gpus, sizeof p.cluster.node_gpus, "3x8,4,2x6");
	assert_true(plan_nodes_counted(&p, &c));
	assert_true(c.nodes == 6 && c.world == 40 && c.most == 8 && c.least == 4);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		text_put(p.cluster.node_gpus, sizeof p.cluster.node_gpus, "%s", wrong[i]);
		if (plan_nodes_counted(&p, &c))
			fail_msg("%s is counted", wrong[i]);
	}
}

/* Prefill workers step by one and leave GPUs to decode with; of many GPUs not all are offered. */
TEST(steps_of_workers)
{
	static const struct {
		const char *settings;
		size_t count;
	} of[] = { { "nodes=2 prefill_workers=1xtp4", 2 }, { "nodes=2 prefill_workers=3xtp4", 2 },
		{ "nodes=64 prefill_workers=2xdp4", 11 } };

	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		static struct values steps;
		struct plan p;

		plan_defaults(&p);
		settings_put_all(&p, "mode=serve layout=vllm gpus_per_node=8");
		settings_put_all(&p, of[i].settings);
		values_steps(&steps, &p, FIELD_PREFILL_WORKERS);
		assert_int_equal(steps.count, of[i].count);
		for (size_t k = 0; k < steps.count; k++)
			assert_int_equal(strncmp(strchr(steps.item[k].text, 'x'), strstr(of[i].settings, "x"), 4), 0);
	}
}

/* Transformer Engine has no attention that splits sequences below compute capability 8.0. */
TEST(cp_by_generation)
{
	struct plan p;

	plan_defaults(&p);
	settings_put(&p, "parallel.cp", "2");
	for (int64_t g = GENERATION_OTHER; g <= GENERATION_ASCEND_910B; g++) {
		const bool old = g == GENERATION_VOLTA || g == GENERATION_TURING;
		struct diag_list diags = { 0 };

		settings_int(&p, FIELD_GENERATION, g);
		plan_check(&p, NULL, &diags);
		assert_int_equal(diag_has(&diags, "cp_needs_ampere"), old);
		check_fixes(&p, NULL, NULL, &diags);
		for (size_t i = 0; i < diags.count && old; i++)
			if (strcmp(diags.item[i].reason, "cp_needs_ampere") == 0)
				assert_string_equal(diags.item[i].fix_value, "1");
	}
}

/* Experts of vLLM spread over all ranks of a stage or none; other engines have sizes. */
TEST(ep_of_engines)
{
	static const struct {
		const char *settings;
		bool refused;
	} cases[] = {
		{ "tp=1 ep=8", false }, { "tp=8 ep=8", false }, { "tp=8 ep=1", false },
		{ "tp=2 pp=2 ep=4", false }, { "tp=2 replicas=2 ep=4", false }, { "tp=2 replicas=2 ep=8", true },
		{ "tp=8 ep=4", true }, { "tp=8 ep=4 engine=sglang", false }, { "tp=8 ep=4 engine=trtllm", false },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct diag_list diags = { 0 };
		struct plan p;

		plan_defaults(&p);
		settings_put_all(&p, "mode=serve layout=vllm " EIGHT_EXPERTS);
		settings_put_all(&p, cases[i].settings);
		plan_check(&p, NULL, &diags);
		if (diag_has(&diags, "ep_has_no_size") != cases[i].refused)
			fail_msg("%s", cases[i].settings);
	}
}

TEST(each_rule_fires)
{
	for (size_t i = 0; i < sizeof breakers / sizeof *breakers; i++) {
		struct diag_list diags = { 0 };
		struct plan p;

		plan_defaults(&p);
		settings_put_all(&p, breakers[i].settings);
		plan_check(&p, NULL, &diags);
		if (!diag_has(&diags, breakers[i].reason))
			fail_msg("%s does not break %s", breakers[i].settings, breakers[i].reason);
	}
	for (size_t r = 0; r < check_rule_count; r++) {
		bool covered = false;

		for (size_t i = 0; i < sizeof breakers / sizeof *breakers; i++)
			covered |= strcmp(breakers[i].reason, check_rules[r].reason) == 0;
		if (!covered)
			fail_msg("no plan here breaks %s", check_rules[r].reason);
		assert_true(strlen(check_rules[r].source) > 0);
	}
}

TEST(defaults_are_legal)
{
	struct diag_list diags = { 0 };
	struct plan p;

	plan_defaults(&p);
	assert_true(plan_check(&p, NULL, &diags));
	plan_builtin(&p);
	diag_clear(&diags);
	assert_true(plan_check(&p, NULL, &diags));
	assert_int_equal(plan_world(&p), 16);
}

/* ---- fixes and steps ---------------------------------------------------------------------------- */

static void
fixed(const char *settings, const char *reason, const char *path, const char *value)
{
	struct diag_list diags = { 0 };
	struct plan p;
	char err[256];

	plan_builtin(&p);
	settings_put_all(&p, settings);
	assert_false(plan_check(&p, NULL, &diags));
	check_fixes(&p, NULL, NULL, &diags);
	for (size_t i = 0; i < diags.count; i++) {
		const struct diag *d = &diags.item[i];

		if (strcmp(d->reason, reason) != 0)
			continue;
		if (d->fix_field == FIELD_NONE)
			fail_msg("%s: no fix for %s", settings, reason);
		if (path != NULL) {
			assert_string_equal(field_table[d->fix_field].path, path);
			if (value != NULL)
				assert_string_equal(d->fix_value, value);
		}
		assert_true(field_parse(d->fix_field, &p, d->fix_value, err, sizeof err));
		plan_resolve(&p, NULL);
		diag_clear(&diags);
		if (!plan_check(&p, NULL, &diags))
			fail_msg("%s: still %s: %s", settings, diags.item[0].reason, diags.item[0].message);
		return;
	}
	fail_msg("%s: no %s", settings, reason);
}

TEST(fixes)
{
	fixed("pp=3", "world_not_divisible", NULL, NULL);
	fixed("tp=3", "world_not_divisible", "parallel.tp", "4");
	fixed("model.layers=30", "layers_not_divisible_by_pp", "parallel.pp", "2");
	fixed("first_stage_layers=0", "first_not_positive", "parallel.first_stage_layers", "");
	fixed("pipeline_layout=x", "layout_bad_char", "parallel.pipeline_layout", "");
	fixed("global_batch_size=63", "global_batch_not_divisible", "training.global_batch_size", "64");
	fixed("nodes=3 pp=3 model.layers=24 schedule=dualpipe global_batch_size=64", "dualpipe_odd",
	    NULL, NULL);
	fixed("nodes=2 pp=4 schedule=dualpipe global_batch_size=4", "dualpipe_microbatches",
	    "training.global_batch_size", "16");
	fixed("tp=0", "size_not_positive", "parallel.tp", "1");
	fixed("cp=2 sequence_length=4098", "sequence_not_divisible_by_cp", "training.sequence_length", "4100");
	fixed("first_stage_layers=3", "middle_not_divisible", NULL, NULL);
	fixed("offload=optimizer", "offload_needs_precision_aware", NULL, NULL);
	fixed("order=tp-pp", "order_missing_axis", "parallel.order", "tp-cp-ep-dp-pp");
	fixed("rl.algorithm=grpo rl.placement=split rl.rollout_gpus=16", "no_gpus_train",
	    "rl.rollout_gpus", "8");
	fixed("rl.algorithm=grpo rl.placement=split", "rl_no_rollout_gpus", "rl.rollout_gpus", "8");
	fixed("rl.algorithm=grpo rl.rollout_tp=3", "rl_engines_not_divisible", "rl.rollout_tp", NULL);
	fixed("rl.algorithm=grpo rl.staleness=2", "rl_staleness_colocated", "rl.staleness", "0");
	fixed("rl.algorithm=grpo rl.response_tokens=9000", "rl_response_too_long",
	    "rl.response_tokens", NULL);
	fixed("rl.algorithm=grpo context_length=4096", "rl_context_too_short", NULL, NULL);
	fixed("rl.algorithm=dpo sequence_length=8192", "rl_row_too_short",
	    "training.sequence_length", NULL);
	fixed("rl.algorithm=grpo rl.prompts=63", "rl_batch_not_divisible", "rl.prompts", "64");
	fixed("nodes=2 tp=1 pp=1 global_batch_size=28 node_gpus=3x8,4", "node_gpus_of_others", "cluster.nodes", "4");
	fixed("nodes=4 tp=1 pp=1 global_batch_size=44 node_gpus=3x12,8", "node_gpus_larger", "cluster.gpus_per_node", "12");
	fixed("sequence_length=262144", "sequence_too_long", "model.max_position", "262144");
}

/* The built-in plan's sizes step back before what is set, the least that does; those of a user
 * stay, and so does what no smaller size would mend. An engine is as large as its weights want. */
TEST(offered_sizes_step_back)
{
	static const struct {
		const char *settings;
		int64_t tp, pp;
	} rows[] = {
		{ "", 2, 4 }, { "nodes=1 tp=8", 8, 1 }, { "tp=8", 8, 2 }, { "nodes=1 gpus_per_node=1", 1, 1 },
		{ "mode=serve tp=8", 8, 1 }, { "model.layers=18", 2, 2 }, { "nodes=1 tp=8 pp=4", 8, 4 },
		{ "tp=3", 3, 4 }, { "nodes=1 gpus_per_node=4", 2, 2 }, { "nodes=7 tp=8", 8, 1 },
		{ "layout=torchtitan finetune.method=lora", 2, 1 }, { "attention_heads=1 kv_heads=1", 1, 4 },
		{ "mode=serve", 1, 1 }, { "mode=serve memory_gib=8", 4, 1 }, { "mode=serve memory_gib=2", 8, 2 },
		{ "mode=serve memory_gib=1", 8, 2 }, { "mode=serve memory_gib=8 tp=2", 2, 2 },
		{ "mode=serve memory_gib=8 pp=1", 4, 1 }, { "mode=serve memory_gib=8 attention_heads=2 kv_heads=2", 2, 2 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct plan p, before;
		char said[128];
		bool moved;

		plan_builtin(&p);
		settings_put_all(&p, rows[i].settings);
		before = p;
		moved = sizes_settle(&p, NULL);
		if (p.parallel.tp != rows[i].tp || p.parallel.pp != rows[i].pp)
			fail_msg("%s: TP %lld PP %lld", rows[i].settings, (long long)p.parallel.tp,
			    (long long)p.parallel.pp);
		assert_int_equal(settle_text(&before, &p, said, sizeof said) > 0, moved);
	}
}

/* A sequence length that nobody set is no longer than the model's longest context; one that a user
 * set stays, and is refused. */
TEST(unset_sequence_fits_context)
{
	struct plan before, p;
	char said[128];

	plan_builtin(&before);
	p = before;
	settings_put_all(&p, "model.max_position=1024");
	assert_int_equal(p.training.sequence_length, 1024);
	assert_true(plan_is_legal(&p, NULL));
	settle_text(&before, &p, said, sizeof said);
	assert_string_equal(said, "sequence length steps back from 4096 to 1024");
	settings_put_all(&p, "model.max_position=8192");
	assert_int_equal(p.training.sequence_length, 4096);
	settings_put_all(&p, "sequence_length=4096 model.max_position=1024");
	assert_int_equal(p.training.sequence_length, 4096);
	assert_false(plan_is_legal(&p, NULL));
}

/* What was just asked for is not undone while anything else mends the plan. */
TEST(fixes_keep_what_was_asked)
{
	static const struct {
		const char *settings;
		enum field_id asked[2], fix;
		const char *value;
	} cases[] = {
		{ "nodes=1 tp=8", { FIELD_NODES, FIELD_TP }, FIELD_PP, "1" },
		{ "nodes=1 tp=8", { FIELD_NONE, FIELD_NONE }, FIELD_TP, "2" },
		{ "nodes=1 tp=8", { FIELD_NODES, FIELD_PP }, FIELD_TP, "2" },
		{ "global_batch_size=12 micro_batch_size=4", { FIELD_GLOBAL_BATCH_SIZE, FIELD_NONE },
		  FIELD_TP, "4" },
		{ "pp=3", { FIELD_PP, FIELD_NONE }, FIELD_PP, "4" }, /* nothing else does */
		/* a little less of it, rather than what was not touched */
		{ "global_batch_size=65", { FIELD_GLOBAL_BATCH_SIZE, FIELD_NONE },
		  FIELD_GLOBAL_BATCH_SIZE, "66" },
		{ "cp=2 sequence_length=4098", { FIELD_SEQUENCE_LENGTH, FIELD_NONE },
		  FIELD_SEQUENCE_LENGTH, "4100" },
		{ "nodes=17", { FIELD_NODES, FIELD_NONE }, FIELD_GLOBAL_BATCH_SIZE, "68" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct field_set asked = { { 0 } };
		struct diag_list diags = { 0 };
		struct plan p;

		plan_builtin(&p);
		settings_put_all(&p, cases[i].settings);
		field_set_add(&asked, cases[i].asked[0]);
		field_set_add(&asked, cases[i].asked[1]);
		assert_false(plan_check(&p, NULL, &diags));
		check_fixes(&p, NULL, &asked, &diags);
		assert_string_equal(field_table[diags.item[0].fix_field].path,
		    field_table[cases[i].fix].path);
		assert_string_equal(diags.item[0].fix_value, cases[i].value);
	}
}

/* Where no single change mends all, none is proposed that is an error itself. */
TEST(fixes_are_values)
{
	static const char *const cases[] = {
		"tp=3 pp=7", "tp=3 pp=7 ep=5", "tp=7 pp=3 cp=5", "pp=5 vpp=3 tp=3", "nodes=3 tp=5 etp=7"
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct diag_list diags = { 0 };
		struct plan p;

		plan_builtin(&p);
		settings_put_all(&p, cases[i]);
		assert_false(plan_check(&p, NULL, &diags));
		check_fixes(&p, NULL, NULL, &diags);
		for (size_t d = 0; d < diags.count; d++)
			if (diags.item[d].fix_field != FIELD_NONE)
				assert_string_not_equal(diags.item[d].fix_value, "0");
	}
}

/* Warnings are mended in their own field; hints that only tell are left alone. */
TEST(advice)
{
	static const struct {
		const char *settings, *reason, *value; /* NULL: no fix */
	} cases[] = {
		{ "tp=2 sequence_parallel=false", "sp_off", "true" },
		{ "nodes=8 tp=16 pp=4", "tp_leaves_nvlink", "8" },
		{ "mode=serve layout=megatron", "layout_for_training", "vllm" },
		{ "experts=8 experts_per_token=1 moe_ffn_hidden_size=1024", "topk_one", NULL },
		{ "recompute=full recompute_layers=99", "recompute_too_many", "8" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct diag_list diags = { 0 };
		struct plan p;
		bool found = false;

		plan_builtin(&p);
		settings_put_all(&p, cases[i].settings);
		plan_check(&p, NULL, &diags);
		check_fixes(&p, NULL, NULL, &diags);
		for (size_t d = 0; d < diags.count; d++) {
			if (strcmp(diags.item[d].reason, cases[i].reason) != 0)
				continue;
			found = true;
			if (cases[i].value == NULL)
				assert_int_equal(diags.item[d].fix_field, FIELD_NONE);
			else
				assert_string_equal(diags.item[d].fix_value, cases[i].value);
		}
		assert_true(found);
	}
}

/* Names are the catalogue's; those of other models than the actor count in training on rollouts alone. */
TEST(names_of_the_catalogue)
{
	const struct catalog *catalog = defaults_catalog();
	struct diag_list diags = { 0 };
	struct plan p;

	plan_builtin(&p);
	assert_true(plan_check(&p, catalog, &diags));
	settings_put(&p, "rl.critic_preset", "nobody-1b");
	assert_true(plan_check(&p, catalog, &diags));
	settings_put_all(&p, "rl.algorithm=ppo");
	plan_check(&p, catalog, &diags);
	assert_true(diag_has(&diags, "unknown_model"));
	diags.count = 0;
	plan_builtin(&p);
	settings_put(&p, "model.preset", TEXT_OF(64, "%s0", p.model.preset));
	assert_false(plan_check(&p, catalog, &diags));
	assert_string_equal(diags.item[0].reason, "unknown_model");
	assert_int_equal(diags.item[0].fix_field, FIELD_PRESET);
	assert_string_equal(diags.item[0].fix_value, catalog->defaults.model.preset);
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
