/* config.json of Hugging Face: every shape of a table comes back with its parameters, and is
 * named where the catalogue has it; what is unknown is said, what is wrong refused. */
#include <math.h>

#include "filetest.h"

#include "core/base/text.h"
#include "core/model/params.h"
#include "file/import/import.h"

static struct file_errors errors;
static struct plan plan;
static struct import im;

static enum import_status
read_as(const char *json, const char *kind)
{
	enum import_status status;

	import_free(&im);
	errors = (struct file_errors){ 0 };
	im = (struct import){ .name = "My-Model/config.json", .text = json, .size = strlen(json),
		.catalog = &test_catalog, .plan = &plan, .errors = &errors };
	status = import_text(&im, kind);
	check_account(&im);
	return status;
}

static char *
table(void)
{
	const char *top = getenv("TOP");
	char path[1024], *text;
	size_t n;
	FILE *f;

	text_put(path, sizeof path, "%s/tests/data/hf_configs.tsv", top != NULL ? top : ".");
	f = fopen(path, "r");
	text = calloc(1, PLANFILE_SIZE_MAX);
	assert_non_null(f);
	assert_non_null(text);
	n = fread(text, 1, PLANFILE_SIZE_MAX - 1, f);
	assert_true(n > 0 && feof(f));
	fclose(f);
	return text;
}

/* Name, parameters, model of the catalogue or -, config.json. */
static void
check_row(char *line)
{
	char *cell[4];
	int64_t total;

	for (int i = 0; i < 4; i++) {
		cell[i] = strsep(&line, "\t");
		assert_non_null(cell[i]);
	}
	assert_true(text_to_int(cell[1], &total));
	if (read_as(cell[3], NULL) != IMPORT_DONE)
		fail_msg("%s: %s", cell[0], errors.line[0]);
	if ((int64_t)params_model(&plan, NULL).total != total)
		fail_msg("%s: %.0f parameters, not %lld", cell[0], params_model(&plan, NULL).total,
		    (long long)total);
	if (strcmp(cell[2], "-") == 0)
		return;
	if (strcmp(plan.model.preset, cell[2]) != 0 || !notes_say(&im.assumed, "that of the catalogue"))
		fail_msg("%s: %s", cell[0], im.assumed.lines.text);
}

TEST(test_table)
{
	char *text = table(), *at = text, *line;
	int rows = 0;

	while ((line = strsep(&at, "\n")) != NULL) {
		if (*line == '\0' || *line == '#' || strncmp(line, "name\t", 5) == 0)
			continue;
		check_row(line);
		rows++;
	}
	free(text);
	assert_true(rows >= 110);
}

#define SMALL "\"hidden_size\": 1024, \"num_hidden_layers\": 4, \"num_attention_heads\": 8, " \
	"\"intermediate_size\": 2048, \"vocab_size\": 32000, \"rms_norm_eps\": 1e-5, \"hidden_act\": \"silu\""

/* Towers by the shapes in their files: the parameters that a checkpoint has beside its language
 * model's, in millions (Qwen3-VL 8B has 8.77 billion in all, Mistral Small 3.1 24,011,361,280, Gemma 3 4B
 * 4,300,079,472). */
TEST(test_towers)
{
	static const struct {
		const char *text, *vision;
		double millions;
		int64_t tokens, levels;
		bool mrope;
	} rows[] = {
		{ "\"hidden_size\": 4096", "\"model_type\": \"qwen3_vl\", \"depth\": 27, \"hidden_size\": 1152, "
		    "\"intermediate_size\": 4304, \"patch_size\": 16, \"num_position_embeddings\": 2304, "
		    "\"deepstack_visual_indexes\": [8, 16, 24]", 576.4, 16384, 3, true },
		{ "\"hidden_size\": 3584", "\"model_type\": \"qwen2_5_vl\", \"depth\": 32, \"hidden_size\": 1280, "
		    "\"intermediate_size\": 3420, \"patch_size\": 14, \"fullatt_block_indexes\": [7, 15, 23, 31]",
		    676.6, 16384, 0, true },
		{ "\"hidden_size\": 2048, \"rope_parameters\": { \"partial_rotary_factor\": 0.25 }",
		    "\"model_type\": \"qwen3_5\", \"depth\": 27, \"hidden_size\": 1152, "
		    "\"intermediate_size\": 4304, \"patch_size\": 16, \"num_position_embeddings\": 2304, "
		    "\"deepstack_visual_indexes\": []", 446.6, 16384, 0, false },
		{ "\"hidden_size\": 2560", "\"model_type\": \"siglip_vision_model\", \"num_hidden_layers\": 27, "
		    "\"hidden_size\": 1152, \"intermediate_size\": 4304, \"patch_size\": 14, "
		    "\"image_size\": 896", 419.8, 256, 0, false },
		{ "\"hidden_size\": 5120", "\"model_type\": \"llama4_vision_model\", \"num_hidden_layers\": 34, "
		    "\"hidden_size\": 1408, \"intermediate_size\": 5632, \"patch_size\": 14, "
		    "\"image_size\": 336", 871.9, 2448, 0, false },
		{ "\"hidden_size\": 5120", "\"model_type\": \"pixtral\", \"num_hidden_layers\": 24, "
		    "\"hidden_size\": 1024, \"intermediate_size\": 4096, \"patch_size\": 14, "
		    "\"image_size\": 1540", 439.0, 3025, 0, false },
		/* SmolVLM2 500M has 507,482,304 in all, of which its language model has 409,252,800 */
		{ "\"hidden_size\": 960, \"scale_factor\": 4", "\"model_type\": \"smolvlm_vision\", \"hidden_size\": 768, "
		    "\"image_size\": 512, \"patch_size\": 16, \"size\": { \"longest_edge\": 2048 }", 98.2, 1088, 0, false },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[2048];

		snprintf(text, sizeof text, "{ \"model_type\": \"nobody\", \"text_config\": { \"model_type\": "
		    "\"llama\", %s, \"num_hidden_layers\": 4, \"num_attention_heads\": 8, "
		    "\"intermediate_size\": 2048, \"vocab_size\": 32000 }, \"vision_config\": { %s } }",
		    rows[i].text, rows[i].vision);
		if (read_as(text, NULL) != IMPORT_DONE)
			fail_msg("%zu: %s", i, errors.line[0]);
		assert_float_equal(plan.model.vision_params, rows[i].millions, 0.01);
		assert_int_equal(plan.model.vision_tokens, rows[i].tokens);
		assert_int_equal(plan.model.vision_deepstack, rows[i].levels);
		assert_int_equal(plan.model.mrope, rows[i].mrope);
	}
	/* half a shape is none */
	assert_int_equal(read_as("{ \"model_type\": \"nobody\", " SMALL ", \"vision_config\": { "
	    "\"model_type\": \"pixtral\", \"image_size\": 1540 } }", NULL), IMPORT_DONE);
	assert_true(!(plan.model.vision_params > 0));
	/* and one that is whole, of a kind that nothing is known of, is told with its bytes */
	assert_int_equal(read_as("{ \"model_type\": \"nobody\", " SMALL ", \"vision_config\": { "
	    "\"model_type\": \"clip_vision_model\", \"hidden_size\": 1024, \"num_hidden_layers\": 24, "
	    "\"intermediate_size\": 4096 } }", NULL), IMPORT_DONE);
	assert_true(!(plan.model.vision_params > 0));
	assert_true(notes_say(&im.assumed, "24 layers of width 1024 or 0.56 GiB in bf16, is not counted"));
	/* as is one whose sizes are not there */
	assert_int_equal(read_as("{ \"model_type\": \"nobody\", " SMALL ", \"vision_config\": { "
	    "\"model_type\": \"clip_vision_model\" } }", NULL), IMPORT_DONE);
	assert_true(notes_say(&im.assumed, "whose sizes are not there, is not counted"));
	/* and layers that are not alike */
	assert_int_equal(read_as("{ \"model_type\": \"nobody\", " SMALL ", \"num_attention_heads_per_layer\": [48, 64, 64, 64] }", NULL),
	    IMPORT_DONE);
	assert_true(notes_say(&im.assumed, "num_attention_heads_per_layer: layers differ in it"));
}

TEST(test_said)
{
	/* a class that nobody knows */
	assert_int_equal(read_as("{ \"model_type\": \"nobody\", " SMALL ", \"vision_config\": {} }", NULL),
	    IMPORT_DONE);
	assert_true(notes_say(&im.assumed, "nobody is no class that is known here"));
	assert_true(notes_say(&im.assumed, "tie_word_embeddings is not there"));
	assert_true(notes_say(&im.assumed, "MHA"));
	assert_true(notes_say(&im.ignored, "vision_config: the language model alone"));
	assert_true(notes_say(&im.taken, "hidden_size -> model.hidden_size = 1024"));
	assert_string_equal(plan.name, "My-Model");
	/* rotation by YaRN, under either name */
	assert_int_equal(read_as("{ \"model_type\": \"nobody\", " SMALL ", \"rope_scaling\": "
	    "{ \"rope_type\": \"yarn\", \"factor\": 4.0 } }", NULL), IMPORT_DONE);
	assert_int_equal(plan.model.position, POSITION_YARN);
	assert_true(notes_say(&im.taken, "rope_scaling.rope_type -> model.position = yarn"));
	assert_int_equal(read_as("{ \"model_type\": \"nobody\", " SMALL ", \"rope_scaling\": "
	    "{ \"type\": \"linear\", \"factor\": 4.0 } }", NULL), IMPORT_DONE);
	assert_int_equal(plan.model.position, POSITION_ROPE);
	/* state spaces */
	assert_int_equal(read_as("{ \"model_type\": \"nobody\", " SMALL ", \"mamba_d_state\": 16 }", NULL),
	    IMPORT_DONE);
	assert_true(notes_say(&im.assumed, "layers that are no attention count as attention"));
	assert_int_equal(read_as("{ \"model_type\": \"nobody\", " SMALL ", \"layer_types\": [\"mamba\", "
	    "\"mamba\", \"attention\", \"mamba\"] }", NULL), IMPORT_DONE);
	assert_true(notes_say(&im.assumed, "layers that are no attention count as attention"));
	assert_int_equal(read_as("{ \"model_type\": \"granitemoehybrid\", " SMALL ", \"mamba_d_state\": "
	    "128, \"layer_types\": [\"attention\", \"attention\", \"attention\", \"attention\"], "
	    "\"num_local_experts\": 0, \"shared_intermediate_size\": 512 }", NULL), IMPORT_DONE);
	assert_false(notes_say(&im.assumed, "no attention"));
	assert_int_equal(plan.model.ffn_hidden_size, 512);
	/* Mamba-2 in most layers, an MLP or experts behind each mixer: of Granite 4 and of Bamba */
	assert_int_equal(read_as("{ \"model_type\": \"granitemoehybrid\", " SMALL ", \"mamba_d_state\": "
	    "128, \"mamba_n_heads\": 32, \"mamba_d_head\": \"auto\", \"mamba_n_groups\": 1, "
	    "\"layer_types\": [\"mamba\", \"attention\", \"mamba\", \"mamba\"], \"num_local_experts\": 8, "
	    "\"num_experts_per_tok\": 2, \"shared_intermediate_size\": 512 }", NULL), IMPORT_DONE);
	assert_false(notes_say(&im.assumed, "no attention"));
	assert_string_equal(plan.model.layer_pattern, "ME*EMEME");
	assert_int_equal(plan.model.layers, 8);
	assert_int_equal(plan.model.mamba_head_dim, 64);
	assert_int_equal(read_as("{ \"model_type\": \"bamba\", " SMALL ", \"mamba_d_state\": 64, "
	    "\"mamba_n_heads\": 32, \"mamba_d_head\": 64, \"mamba_d_conv\": 4, "
	    "\"attn_layer_indices\": [2] }", NULL), IMPORT_DONE);
	assert_string_equal(plan.model.layer_pattern, "M-M-*-M-");
	assert_int_equal(plan.model.mamba_groups, 1);
	/* Nemotron-H in words, with an MTP layer */
	assert_int_equal(read_as("{ \"model_type\": \"nemotron_h\", " SMALL ", \"ssm_state_size\": 64, "
	    "\"mamba_num_heads\": 32, \"mamba_head_dim\": 64, \"n_groups\": 8, \"layers_block_type\": "
	    "[\"mamba\", \"mlp\", \"attention\", \"mlp\"], \"num_nextn_predict_layers\": 1, "
	    "\"mtp_layers_block_type\": [\"attention\", \"mlp\"] }", NULL), IMPORT_DONE);
	assert_string_equal(plan.model.layer_pattern, "M-*-/*-");
	/* Mamba-1: each channel is a head */
	assert_int_equal(read_as("{ \"model_type\": \"jamba\", " SMALL ", \"mamba_d_state\": 16, "
	    "\"mamba_expand\": 2, \"mamba_dt_rank\": \"auto\", \"attn_layer_period\": 4, "
	    "\"attn_layer_offset\": 2 }", NULL), IMPORT_DONE);
	assert_string_equal(plan.model.layer_pattern, "M-M-*-M-");
	assert_int_equal(plan.model.mamba_heads, 2048);
	assert_int_equal(plan.model.mamba_dt_rank, 64);
	assert_int_equal(plan.model.mamba_norm, 1);
	assert_false(notes_say(&im.assumed, "no attention"));
	assert_int_equal(read_as("{ \"model_type\": \"falcon_mamba\", \"num_hidden_layers\": 3, "
	    "\"hidden_size\": 256, \"vocab_size\": 512, \"state_size\": 16, \"intermediate_size\": 512, "
	    "\"time_step_rank\": 16, \"tie_word_embeddings\": false }", NULL), IMPORT_DONE);
	assert_string_equal(plan.model.layer_pattern, "MMM");
	assert_int_equal(plan.model.mamba_heads, 512);
	/* short convolutions, in words and by the places of the others */
	assert_int_equal(read_as("{ \"model_type\": \"lfm2\", " SMALL ", \"conv_L_cache\": 3, "
	    "\"layer_types\": [\"conv\", \"conv\", \"full_attention\", \"conv\"] }", NULL), IMPORT_DONE);
	assert_int_equal(plan.model.global_layer_every, 3);
	assert_int_equal(plan.model.linear_kind, LINEAR_CONV);
	assert_int_equal(plan.model.linear_value_heads * plan.model.linear_value_head_dim, 1024);
	assert_int_equal(read_as("{ \"model_type\": \"lfm2\", " SMALL ", \"conv_L_cache\": 3, "
	    "\"full_attn_idxs\": [1, 2] }", NULL), IMPORT_DONE);
	assert_string_equal(plan.model.layer_pattern, "G-*-*-G-");
	/* layers without attention, MLPs of several widths; heads of several kinds are refused */
	assert_int_equal(read_as("{ \"model_type\": \"nemotron-nas\", \"num_hidden_layers\": 2, "
	    "\"hidden_size\": 1024, \"num_attention_heads\": 8, \"vocab_size\": 512, \"block_configs\": ["
	    "{ \"attention\": { \"n_heads_in_group\": 4 }, \"ffn\": { \"ffn_mult\": 1.5 } }, "
	    "{ \"attention\": { \"no_op\": true }, \"ffn\": { \"ffn_mult\": 3.0 } }] }", NULL), IMPORT_DONE);
	assert_string_equal(plan.model.layer_pattern, "*--");
	assert_int_equal(plan.model.kv_heads, 2);
	assert_int_equal(plan.model.ffn_hidden_size, 1536);
	assert_true(notes_say(&im.assumed, "MLPs of 1024 to 2048 each count as the mean"));
	assert_int_equal(read_as("{ \"model_type\": \"nemotron-nas\", " SMALL ", \"block_configs\": ["
	    "{ \"attention\": { \"n_heads_in_group\": 4 }, \"ffn\": { \"ffn_mult\": 1.5 } }, "
	    "{ \"attention\": { \"n_heads_in_group\": 2 }, \"ffn\": { \"ffn_mult\": 3.0 } }] }", NULL),
	    IMPORT_FAILED);
	/* what the class has when a nested part leaves it out */
	assert_int_equal(read_as("{ \"model_type\": \"llava\", \"text_config\": { \"model_type\": "
	    "\"llama\", \"vocab_size\": 32064 }, \"vision_config\": {} }", NULL), IMPORT_DONE);
	assert_int_equal(plan.model.hidden_size, 4096);
	assert_true(notes_say(&im.assumed, "model.hidden_size = 4096: what llama is"));
	/* a size for each layer */
	assert_int_equal(read_as("{ \"model_type\": \"llama\", " SMALL ", \"num_key_value_heads\": "
	    "[2, 4, 4, 2] }", NULL), IMPORT_DONE);
	assert_int_equal(plan.model.kv_heads, 3);
	assert_true(notes_say(&im.assumed, "the mean of a list that differs by layer"));
	/* experts in places that no rule of a plan names */
	assert_int_equal(read_as("{ \"model_type\": \"qwen3_moe\", " SMALL ", \"num_experts\": 8, "
	    "\"num_experts_per_tok\": 2, \"moe_intermediate_size\": 64, \"mlp_only_layers\": [1] }", NULL),
	    IMPORT_DONE);
	assert_true(notes_say(&im.assumed, "as many layers have experts, at other places"));
	assert_int_equal(plan.model.dense_layers, 1);
	assert_int_equal(plan.model.moe_layer_every, 1);
	/* what each layer's MLP is, in words or in a list of places (Step's) */
	for (int i = 0; i < 2; i++) {
		char text[1024];

		snprintf(text, sizeof text, "{ \"model_type\": \"qwen3_moe\", " SMALL ", \"num_experts\": 8, "
		    "\"num_experts_per_tok\": 2, \"moe_intermediate_size\": 64, %s }", i == 0 ?
		    "\"mlp_layer_types\": [\"dense\", \"dense\", \"sparse\", \"sparse\"]" : "\"moe_layers_enum\": \"2,3\"");
		assert_int_equal(read_as(text, NULL), IMPORT_DONE);
		assert_int_equal(plan.model.dense_layers, 2);
		assert_int_equal(plan.model.moe_layer_every, 1);
	}
	/* layers that attend to everything, at the head of each four: as many of them */
	assert_int_equal(read_as("{ \"model_type\": \"cwm\", " SMALL ", \"sliding_window\": 64, "
	    "\"layer_types\": [\"full_attention\", \"sliding_attention\", \"sliding_attention\", "
	    "\"sliding_attention\"] }", NULL), IMPORT_DONE);
	assert_int_equal(plan.model.sliding_window, 64);
	/* classes that no row knows: what is counted as something else is said */
	static const char *const beyond[] = {
		"\"model_type\": \"falcon_h1\", \"mamba_d_state\": 256",
		"\"model_type\": \"recurrent_gemma\", \"block_types\": [\"recurrent\", \"attention\"]",
		"\"model_type\": \"puzzle\", \"block_configs\": [{}]" };
	for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
		char text[1024];

		snprintf(text, sizeof text, "{ %s, " SMALL " }", beyond[i]);
		assert_int_equal(read_as(text, NULL), IMPORT_DONE);
		assert_true(notes_say(&im.assumed, "not right") || notes_say(&im.assumed, "not exact"));
		assert_true(notes_say(&im.assumed, "no class that is known here"));
	}
	/* a class by the code that loads it; the longest context alone differs from the catalogue */
	assert_int_equal(read_as("{ \"architectures\": [\"Qwen2ForCausalLM\"], " SMALL " }", NULL),
	    IMPORT_DONE);
	assert_int_equal(plan.model.qkv_bias, 1);
}

TEST(test_formats)
{
	static const struct { const char *config; enum weight_dtype is; } cases[] = {
		{ "{ \"quant_method\": \"fp8\" }", WEIGHT_FP8 },
		{ "{ \"quant_method\": \"awq\", \"bits\": 4 }", WEIGHT_INT4 },
		{ "{ \"quant_method\": \"gptq\", \"bits\": 8 }", WEIGHT_INT8 },
		{ "{ \"quant_method\": \"mxfp4\" }", WEIGHT_MXFP4 },
		{ "{ \"quant_method\": \"bitsandbytes\", \"load_in_4bit\": true }", WEIGHT_INT4 },
		{ "{ \"quant_method\": \"modelopt\", \"quant_algo\": \"NVFP4\" }", WEIGHT_NVFP4 },
		{ "{ \"quant_method\": \"compressed-tensors\", \"config_groups\": { \"group_0\": "
		  "{ \"weights\": { \"num_bits\": 8, \"type\": \"float\" } } } }", WEIGHT_FP8 },
		{ "{ \"quant_method\": \"compressed-tensors\", \"config_groups\": { \"group_0\": "
		  "{ \"weights\": { \"num_bits\": 8, \"type\": \"int\" } } } }", WEIGHT_INT8 },
	};
	char json[1024];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		snprintf(json, sizeof json, "{ \"model_type\": \"llama\", " SMALL
		    ", \"quantization_config\": %s }", cases[i].config);
		assert_int_equal(read_as(json, NULL), IMPORT_DONE);
		if (plan.serving.weight_dtype != (int64_t)cases[i].is)
			fail_msg("%s: %d", cases[i].config, (int)plan.serving.weight_dtype);
	}
	assert_int_equal(read_as("{ \"model_type\": \"llama\", " SMALL ", \"quantization_config\": "
	    "{ \"quant_method\": \"new\" }, \"torch_dtype\": \"float16\" }", NULL), IMPORT_DONE);
	assert_int_equal(plan.serving.weight_dtype, WEIGHT_FP16);
	assert_true(notes_say(&im.assumed, "new is no format that is known here"));
	assert_int_equal(read_as("{ \"model_type\": \"llama\", " SMALL ", \"quantization_config\": "
	    "{ \"quant_method\": \"modelopt\", \"quant_algo\": \"FP8\", \"kv_cache_quant_algo\": \"FP8\" } }",
	    NULL), IMPORT_DONE);
	assert_int_equal(plan.serving.kv_dtype, KV_FP8);
}

/* A list of what is left in 16 bits is counted in layers of the plan: in 1024 x 1024, 4 of attention and 6 of MLP in
 * each of 4 layers. */
TEST(test_left_out)
{
	static const struct { const char *list; double kept; } cases[] = {
		{ "[\"lm_head\"]", 0 },
		{ "[\"re:.*self_attn.*\", \"lm_head\"]", 4 * 4 },
		{ "[\"re:.*self_attn[.](q|k|v)_proj$\"]", 4 * 3 },
		{ "[\"re:^(?!.*mlp).*\"]", 4 * 4 },
		{ "[\"re:model\\\\.layers\\\\.[0-3]\\\\..*down_proj\"]", 4 * 2 },
		{ "[\"model.layers.*.mlp.gate\", \"mlp\"]", 4 * 6 },
		{ "[\"model.layers.*.mlp.up*\"]", 4 * 2 },
		{ "[\"model.layers.1.self_attn.o_proj\", \"model.language_model.layers.3\", \"visual.layers.2\"]",
		  1 + 4 + 6 },
	};
	char json[1024];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		snprintf(json, sizeof json, "{ \"model_type\": \"llama\", " SMALL ", \"quantization_config\": "
		    "{ \"quant_method\": \"fp8\", \"modules_to_not_convert\": %s } }", cases[i].list);
		assert_int_equal(read_as(json, NULL), IMPORT_DONE);
		if (!(fabs(plan.serving.kept_params * 1e6 - 1048576 * cases[i].kept) <= 100))
			fail_msg("%s: %g", cases[i].list, plan.serving.kept_params * 1e6);
	}
	assert_int_equal(read_as("{ \"model_type\": \"llama\", " SMALL ", \"quantization_config\": "
	    "{ \"quant_method\": \"fp8\", \"ignore\": [\"re:(.*)+x{3}\"] } }", NULL), IMPORT_DONE);
	assert_true(notes_say(&im.assumed, "is not understood"));
	assert_int_equal(read_as("{ \"model_type\": \"llama\", " SMALL ", \"quantization_config\": "
	    "{ \"quant_method\": \"compressed-tensors\", \"config_groups\": { \"group_0\": { \"targets\": "
	    "[\"re:.*mlp.*\"], \"weights\": { \"num_bits\": 4, \"type\": \"int\", \"group_size\": 32, "
	    "\"symmetric\": false } } } } }", NULL), IMPORT_DONE);
	assert_true(fabs(plan.serving.kept_params * 1e6 - 1048576 * 16) < 100);
	assert_int_equal(plan.serving.weight_group, 32);
	assert_true(plan.serving.zero_points);
	/* a mixture in 4 bits: experts alone, or all but the router */
	assert_int_equal(read_as("{ \"model_type\": \"qwen3_moe\", " SMALL ", \"num_experts\": 8, "
	    "\"num_experts_per_tok\": 2, \"quantization_config\": { \"quant_method\": \"awq\", \"bits\": 4, "
	    "\"zero_point\": true, \"modules_to_not_convert\": [\"gate\"] } }", NULL), IMPORT_DONE);
	assert_int_equal(plan.serving.dense_dtype, WEIGHT_INT4);
	assert_int_equal(read_as("{ \"model_type\": \"qwen3_moe\", " SMALL ", \"num_experts\": 8, "
	    "\"num_experts_per_tok\": 2, \"quantization_config\": { \"quant_method\": \"compressed-tensors\", "
	    "\"config_groups\": { \"group_0\": { \"targets\": [\"Linear\"], \"weights\": { \"num_bits\": 4, "
	    "\"type\": \"int\" } } }, \"ignore\": [\"re:.*self_attn.*\"] } }", NULL), IMPORT_DONE);
	assert_int_equal(plan.serving.dense_dtype, WEIGHT_BF16);
}

/* Refused with this line. */
static void
refused(const char *json, const char *line)
{
	if (read_as(json, "huggingface") != IMPORT_FAILED)
		fail_msg("%s: taken", json);
	assert_string_equal(errors.line[0], line);
}

TEST(test_refused)
{
	char deep[512] = "{ \"model_type\": ";

	refused("{ \"model_type\": \"llama\",\n \"hidden_size\": 0, \"num_hidden_layers\": 4, "
	    "\"num_attention_heads\": 8, \"vocab_size\": 5 }", "My-Model/config.json:2: error: "
	    "hidden_size: model.hidden_size 0 is out of range: 1 to 1048576");
	refused("{ \"n_layer\": \"many\" }", "My-Model/config.json:1: error: n_layer: must be a "
	    "whole number, not text");
	refused("{ \"model_type\": \"whisper\", \"is_encoder_decoder\": true }",
	    "My-Model/config.json: error: is_encoder_decoder: plans hold decoders alone");
	refused("{ \"model_type\": \"mixtral\", " SMALL ", \"num_local_experts\": 8 }",
	    "My-Model/config.json:1: error: num_experts_per_tok: is not there, though there are experts");
	refused("[]", "My-Model/config.json: error: holds no object (fix: the config.json of a "
	    "checkpoint)");
	refused("{}", "My-Model/config.json: error: holds no object (fix: the config.json of a "
	    "checkpoint)");
	refused("", "My-Model/config.json: error: is empty");
	refused("{ \"a\": 1,\n \"a\": 2 }", "My-Model/config.json:2:4: error: duplicate object key near "
	    "'\"a\"'");
	for (int i = 0; i < 70; i++)
		strcat(deep, "[");
	refused(deep, "My-Model/config.json:1:80: error: nested deeper than 64 levels");
	assert_int_equal(read_as("{ \"model_type\": \"llama\", " SMALL ", \"num_key_value_heads\": 1e300 }",
	    NULL), IMPORT_FAILED);
	/* counts that would overflow what is made of them */
	assert_int_equal(read_as("{ \"model_type\": \"x\", " SMALL ", \"num_experts\": 8, "
	    "\"num_experts_per_tok\": 1, \"moe_intermediate_size\": 4194304, \"n_shared_experts\": "
	    "9223372036854775807 }", NULL), IMPORT_DONE);
	assert_int_equal(plan.model.shared_expert_ffn_hidden_size, 0);
}

static int
close_notes(void **state)
{
	import_free(&im);
	return free_catalog(state);
}

/* Qwen3-Next names no type of its state, Qwen3.5 does. */
TEST(test_state)
{
	char *text = table(), *line = strstr(text, "\nqwen3-next-80b-a3b\t"), json[4096];

	assert_non_null(line);
	line = strchr(line, '{');
	*strchr(line, '\n') = '\0';
	assert_int_equal(read_as(line, NULL), IMPORT_DONE);
	assert_false(plan.model.state_fp32);
	text_put(json, sizeof json, "{\"mamba_ssm_dtype\": \"float32\", %s", line + 1);
	assert_int_equal(read_as(json, NULL), IMPORT_DONE);
	assert_true(plan.model.state_fp32);
	free(text);
}

int
main(void)
{
	return unit_run(load_catalog, close_notes);
}
