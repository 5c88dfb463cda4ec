/*
 * Megatron-LM both ways: its own verdicts on its arguments, and published configurations as
 * arguments and back.
 */
#include "filetest.h"

#include "../bench/accuracy_step_row.c"
#include "core/framework/resolve.h"
#include "core/rules/check.h"
#include "file/export/export.h"
#include "file/import/import.h"

/* ---- verdicts ------------------------------------------------------------------------------ */

#define USUAL "--num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 8192 " \
	"--max-position-embeddings 8192 --micro-batch-size 1 --global-batch-size 128 --bf16 "

static struct file_errors errors;
static struct plan plan;
static char heard[65536]; /* what import told: taken, assumed, ignored */

static void
hear(const struct notes *notes)
{
	if (notes->lines.text != NULL)
		strncat(heard, notes->lines.text, sizeof heard - strlen(heard) - 1);
}

/* Import a text as Megatron-LM's arguments; what it tells is in errors and heard. */
static enum import_status
import(const char *text, int64_t world)
{
	struct import im = { .name = "args", .text = text, .size = strlen(text),
		.catalog = &test_catalog, .plan = &plan, .errors = &errors, .world = world };
	enum import_status status;

	memset(&errors, 0, sizeof errors);
	heard[0] = '\0';
	status = import_text(&im, "megatron");
	check_account(&im);
	hear(&im.taken);
	hear(&im.assumed);
	hear(&im.ignored);
	import_free(&im);
	return status;
}

/* Whether Megatron-LM would start it, as import and check see it. */
static bool
starts(const char *text, int64_t world)
{
	struct diag_list diags = { 0 };

	return import(text, world) == IMPORT_DONE && plan_check(&plan, &test_catalog, &diags);
}

/* Each recorded case, as a bare list and on the command line of a script. */
TEST(verdicts)
{
	static const char *const before[] = { "", "#!/bin/bash\nexport CUDA_DEVICE_MAX_CONNECTIONS=1\n"
	    "torchrun --nproc-per-node 8 pretrain_gpt.py \\\n\t" };
	static char line[4096], text[8192];
	const char *top = getenv("TOP");
	char path[1024];
	int held = 0;
	FILE *f;

	snprintf(path, sizeof path, "%s/tests/data/megatron_args.tsv", top != NULL ? top : ".");
	assert_non_null(f = fopen(path, "r"));
	while (fgets(line, sizeof line, f) != NULL) {
		char *args = strchr(line, '\t'), *verdict;

		if (*line == '#' || strncmp(line, "world", 5) == 0)
			continue;
		*args++ = '\0';
		*(verdict = strchr(args, '\t')) = '\0';
		for (size_t i = 0; i < 2; i++) {
			snprintf(text, sizeof text, "%s" USUAL "%s\n", before[i], args);
			if (starts(text, strtol(line, NULL, 10)) != (strncmp(verdict + 1, "OK", 2) == 0))
				fail_msg("%s: %s, but Megatron says %s", text,
				    errors.count > 0 ? errors.line[0] : "taken", verdict + 1);
		}
		held++;
	}
	fclose(f);
	assert_true(held >= 39);
}

/* Rules that no field tells, each broken once; and what keeps it. The file and place of each
 * are in the message. */
TEST(rules)
{
	static const struct {
		const char *broken, *flag, *mended;
	} cases[] = {
		{ "--batch-size 8", "--batch-size", "" },
		{ "--checkpoint-activations", "--checkpoint-activations", "" },
		{ "--step-batch-size-schedule 0:8", "--step-batch-size-schedule", "" },
		{ "--train-iters 9 --train-samples 9", "--train-iters", "--train-iters 9" },
		{ "--train-samples 9 --lr-warmup-iters 3", "--train-samples",
		    "--train-samples 9 --lr-warmup-samples 3" },
		{ "--mock-data --data-path /x", "--mock-data", "--mock-data" },
		{ "--lr 1e-4 --min-lr 1e-3", "--min-lr", "--lr 1e-4 --min-lr 1e-5" },
		{ "--attention-backend local", "--attention-backend", "--attention-backend fused" },
		{ "--save /x", "--save", "--save /x --save-interval 10" },
		{ "--hidden-size 4100", "--num-attention-heads", "--hidden-size 4100 --kv-channels 128" },
		{ "--multi-latent-attention --kv-lora-rank 512 --group-query-attention",
		    "--group-query-attention", "--multi-latent-attention --kv-lora-rank 512" },
		{ "--num-virtual-stages-per-pipeline-rank 2 --num-layers-per-virtual-pipeline-stage 2 "
		  "--pipeline-model-parallel-size 4", "--num-layers-per-virtual-pipeline-stage",
		    "--num-virtual-stages-per-pipeline-rank 2 --pipeline-model-parallel-size 4" },
		{ "--num-layers-per-virtual-pipeline-stage 3 --pipeline-model-parallel-size 4",
		    "--num-layers-per-virtual-pipeline-stage",
		    "--num-layers-per-virtual-pipeline-stage 4 --pipeline-model-parallel-size 4" },
		{ "--context-parallel-size 4 --cp-comm-type a2a+p2p", "--cp-comm-type",
		    "--context-parallel-size 4 --cp-comm-type a2a+p2p "
		    "--hierarchical-context-parallel-sizes 2 2" },
		{ "--context-parallel-size 4 --hierarchical-context-parallel-sizes 2 4",
		    "--hierarchical-context-parallel-sizes", "--context-parallel-size 4" },
		{ "--overlap-param-gather --overlap-grad-reduce", "--overlap-param-gather",
		    "--use-distributed-optimizer --overlap-param-gather --overlap-grad-reduce" },
		{ "--overlap-param-gather --use-distributed-optimizer", "--overlap-param-gather",
		    "--use-distributed-optimizer" },
		{ "--optimizer-cpu-offload", "--optimizer-cpu-offload",
		    "--optimizer-cpu-offload --use-precision-aware-optimizer" },
		{ "--ckpt-format fsdp_dtensor", "--ckpt-format", "--ckpt-format torch_dist" },
		{ "--fp16", "--fp16", "" },
		{ "--cuda-graph-impl full_iteration", "--cuda-graph-impl",
		    "--cuda-graph-impl full_iteration --no-check-for-nan-in-loss-and-grad" },
		{ "--fp8-format hybrid --fp4-format e2m1", "--fp4-format", "--fp8-format hybrid" },
		{ "--recompute-granularity full --recompute-method block", "--recompute-granularity",
		    "--recompute-granularity full --recompute-method block --recompute-num-layers 2" },
		{ "--recompute-activations --recompute-method block", "--recompute-method",
		    "--recompute-activations" },
		{ "--cpu-offloading-num-layers 32", "--cpu-offloading-num-layers",
		    "--cpu-offloading-num-layers 31" },
		{ "--moe-ffn-hidden-size 64", "--moe-ffn-hidden-size",
		    "--moe-ffn-hidden-size 64 --num-experts 4" },
		{ "--num-experts 4 --moe-router-topk 1", "--moe-router-topk",
		    "--num-experts 4 --moe-router-topk 1 --moe-router-pre-softmax" },
		{ "--num-experts 4 --moe-router-enable-expert-bias", "--moe-router-enable-expert-bias",
		    "--num-experts 4 --moe-router-enable-expert-bias --moe-router-score-function sigmoid" },
		{ "--num-experts 4 --moe-layer-freq [1]*30", "--moe-layer-freq",
		    "--num-experts 4 --moe-layer-freq [0]*2+[1]*30" },
		{ "--swiglu yes", "--swiglu", "--swiglu" },
		{ "--tensor-model-parallel-size", "--tensor-model-parallel-size", "" },
		{ "--tensor-model-parallel-size two", "--tensor-model-parallel-size", "" },
		{ "--normalization batch", "--normalization", "--normalization RMSNorm" },
	};
	static char text[8192];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		snprintf(text, sizeof text, USUAL "%s", cases[i].mended);
		if (import(text, 16) != IMPORT_DONE)
			fail_msg("%s: %s", cases[i].mended, errors.line[0]);
		snprintf(text, sizeof text, USUAL "%s", cases[i].broken);
		if (import(text, 16) != IMPORT_REFUSED || strstr(errors.line[0], cases[i].flag) == NULL)
			fail_msg("%s: %s", cases[i].broken,
			    errors.count > 0 ? errors.line[0] : "is taken");
	}
}

/* The environment of a script counts, as does its lack: FSDP wants no 1, TP before Blackwell
 * wants it. */
TEST(connections)
{
	static const char fsdp[] = USUAL "--use-megatron-fsdp --ckpt-format fsdp_dtensor";
	char text[2048];

	snprintf(text, sizeof text, "torchrun pretrain_gpt.py %s\n", fsdp);
	assert_int_equal(import(text, 8), IMPORT_DONE);
	assert_int_equal(plan.parallel.zero_stage, 3);
	snprintf(text, sizeof text, "CUDA_DEVICE_MAX_CONNECTIONS=1 torchrun pretrain_gpt.py %s\n", fsdp);
	assert_int_equal(import(text, 8), IMPORT_REFUSED);
	snprintf(text, sizeof text, "export CUDA_DEVICE_MAX_CONNECTIONS=32\n"
	    "torchrun pretrain_gpt.py " USUAL "--tensor-model-parallel-size 2\n");
	assert_int_equal(import(text, 8), IMPORT_REFUSED);
	snprintf(text, sizeof text, "export CUDA_DEVICE_MAX_CONNECTIONS=1\n"
	    "torchrun pretrain_gpt.py " USUAL "--tensor-model-parallel-size 2\n");
	assert_int_equal(import(text, 8), IMPORT_DONE);
}

/* ---- scripts ------------------------------------------------------------------------------- */

TEST(scripts)
{
	/* variables, defaults, arithmetic, lists, a condition, a flag and its value in one word */
	assert_int_equal(import("#!/bin/bash\n"
	    "TP=${1:-4}; PP=$(($TP / 2)) # two\nDTYPE=\"fp8\"\nNODES=2\n"
	    "MODEL_ARGS=(\n\t--num-layers 32 # layers\n\t--hidden-size 4096\n"
	    "\t--num-attention-heads 32 --max-position-embeddings 8192\n)\n"
	    "MORE=()\nif [[ \"$DTYPE\" == \"fp8\" ]]; then\n\tMORE+=(\"--fp8-format hybrid\" --bf16)\n"
	    "else\n\tMORE+=(--fp16)\nfi\n"
	    "[ -z \"$EXTRA\" ] || MORE+=(--micro-batch-size 1)\n"
	    "torchrun --nnodes $NODES --nproc-per-node 8 pretrain_gpt.py ${MODEL_ARGS[@]} \\\n"
	    "  --tensor-model-parallel-size $TP --pipeline-model-parallel-size=${PP} --seq-length 8192 \\\n"
	    "  --micro-batch-size 1 \"${MORE[@]}\" \"$@\" >log 2>&1 &\nwait\n", 0), IMPORT_DONE);
	assert_int_equal(plan.parallel.tp, 4);
	assert_int_equal(plan.parallel.pp, 2);
	assert_int_equal(plan.cluster.nodes, 2);
	assert_int_equal(plan.cluster.gpus_per_node, 8);
	assert_int_equal(plan.training.precision, PRECISION_FP8);
	assert_int_equal(plan.training.global_batch_size, 2); /* DP times the micro-batch */
	/* a text that sbatch hands on, its machines in directives, a layout in quotes */
	assert_int_equal(import("#!/bin/bash\n#SBATCH -N 4\n#SBATCH --gpus-per-node=h100:4\n"
	    "options=\" " USUAL "--pipeline-model-parallel-size 4 \\\n"
	    "  --pipeline-model-parallel-layout 'Et*8|t*8|t*8|t*8,L' \"\n"
	    "run_cmd=\"python -u pretrain_gpt.py ${options}\"\n"
	    "srun -l --container-image img sh -c \"${run_cmd}\"\n", 0), IMPORT_DONE);
	assert_string_equal(plan.parallel.pipeline_layout, "Et*8|t*8|t*8|t*8,L");
	assert_int_equal(plan.cluster.nodes, 4);
	assert_int_equal(plan.cluster.gpus_per_node, 4);
	/* a case, and words beside one that only a run could tell */
	assert_int_equal(import("SCALE=\"8B\"\ncase \"$SCALE\" in\n  1B | 2B)\n\tTP=2 ;;\n"
	    "  \"8B\"|9B) TP=4;;\n  *) TP=1\n\techo bad; exit 1 ;;\nesac\n"
	    "options=\" --save $OUT \\\n --save-interval 5 --tensor-model-parallel-size ${TP} \"\n"
	    "torchrun pretrain_gpt.py " USUAL " ${options}\n", 8), IMPORT_DONE);
	assert_int_equal(plan.parallel.tp, 4);
	assert_int_equal(import("case $1 in a) TP=2;; *) TP=4;; esac\n"
	    "x " USUAL "--tensor-model-parallel-size $TP", 8), IMPORT_DONE);
	assert_int_equal(plan.parallel.tp, 2);
	/* what only a run could tell is asked for, with its line */
	assert_int_equal(import("torchrun pretrain_gpt.py " USUAL "\\\n--tensor-model-parallel-size $2\n",
	    8), IMPORT_REFUSED);
	assert_non_null(strstr(errors.line[0], "args:2: error: --tensor-model-parallel-size: only a run"));
	/* what is ignored is named */
	assert_int_equal(import(USUAL "--log-interval 10", 8), IMPORT_DONE);
	assert_non_null(strstr(heard, "--log-interval: no field of a plan\n"));
	assert_non_null(strstr(heard, "--num-layers -> model.layers = 32\n"));
	assert_int_equal(import(USUAL "--sequence-parallel", 8), IMPORT_DONE);
	assert_false(plan.parallel.sequence_parallel); /* there is no TP */
	/* the last word about a field counts, and is the one that is told */
	assert_int_equal(import(USUAL "--encoder-seq-length 64 --quick-geglu --padded-vocab-size 512 "
	    "--vocab-size 500 --exp-avg-dtype bf16", 8), IMPORT_DONE);
	assert_int_equal(plan.training.sequence_length, 8192);
	assert_int_equal(plan.training.moments_dtype, MOMENTS_FP32);
	assert_non_null(strstr(heard, "training.moments_dtype = fp32: the moments differ"));
	assert_non_null(strstr(heard, "--quick-geglu -> model.gated_mlp = true"));
	assert_int_equal(import(USUAL "--sequence-parallel", 8), IMPORT_DONE);
	/* an absent flag has the launcher's default, which is not ours */
	assert_int_equal(plan.parallel.zero_stage, 0);
	assert_int_equal(plan.training.cross_entropy, CE_UNFUSED);
	assert_int_equal(plan.model.norm, NORM_LAYER);
	assert_int_equal(plan.model.tied_embeddings, true);
	assert_int_equal(plan.model.ffn_hidden_size, 4 * 4096);
}

/* Whatever a text holds, it gets an answer, and none that is long in coming. */
TEST(hostile)
{
	static const char *const texts[] = {
		"", "\"", "'", "`", "${", "$(", "$((", "A=(", "x ${a:-${b:-${c}", "if [ a", "fi fi fi",
		"--num-layers", "--num-layers \x1b[31m --hidden-size 1", "$((9999999999*9999999999))",
		"A=$((1/0)); x --num-layers $A", "A=$((-2147483647 - 9 % 0))", "A=$((((((((((((((",
		"--num-layers 99999999999999999999 --hidden-size -1", "<<<<>>>>", ";;;;&&&&||||",
		"then else elif fi do done", "--tensor-model-parallel-size 0 --context-parallel-size 0 "
		"--pipeline-model-parallel-size 0 --num-attention-heads 0 --hidden-size 0",
		USUAL "--moe-layer-freq [1]*999999999 --num-experts 2",
		USUAL "--moe-layer-freq [[[[ --num-experts 2",
		USUAL "--moe-layer-freq []*999999999999 --num-experts 2",
		USUAL "--window-size , --hierarchical-context-parallel-sizes 0 0",
	};
	static char text[65536];

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		import(texts[i], 0);
		assert_null(strchr(heard, '\x1b'));
		for (size_t e = 0; e < errors.count; e++)
			assert_null(strchr(errors.line[e], '\x1b'));
	}
	/* variables that double one another */
	strcpy(text, "A=xxxxxxxx\n");
	for (int i = 0; i < 60; i++)
		strcat(text, "A=$A$A\n");
	assert_int_equal(import(strcat(text, "x --num-layers $A\n"), 0), IMPORT_FAILED);
	strcpy(text, "A=(a b)\n");
	for (int i = 0; i < 60; i++)
		strcat(text, "A=(\"${A[@]}\" \"${A[@]}\")\n");
	assert_int_equal(import(strcat(text, "x --num-layers\n"), 0), IMPORT_FAILED);
}

/* ---- there and back ------------------------------------------------------------------------- */

static bool
is_told(enum field_id f)
{
	char section[32];

	field_section(f, section, sizeof section);
	return strcmp(section, "model") == 0 || strcmp(section, "parallel") == 0 ||
	    strcmp(section, "training") == 0 || f == FIELD_NODES || f == FIELD_GPUS_PER_NODE;
}

/* Export, import, compare every field; a plan that is refused names its rule. Returns whether
 * it was written. */
static bool
goes_and_returns(const struct plan *p, const char *target, const char *name)
{
	static struct export e;
	bool written;

	memset(&e, 0, sizeof e);
	e.plan = p;
	e.catalog = &test_catalog;
	e.source = name;
	written = export_write(&e, export_find(target));
	if (!written) {
		assert_true(diag_count(&e.diags, SEVERITY_ERROR) > 0);
		for (size_t i = 0; i < e.diags.count; i++)
			assert_true(e.diags.item[i].reason[0] != '\0' && e.diags.item[i].source[0] != '\0');
	} else {
		if (import(e.file[0].text.text, 0) != IMPORT_DONE)
			fail_msg("%s: %s", name, errors.line[0]);
		/* what the newest release refuses: told, and not written where nobody chose it */
		size_t unsaid = plan.training.cross_entropy == CE_TE;

		for (enum field_id f = 0; f < FIELD_COUNT; f++) {
			char is[1100], was[1100];
			/* No argument says which release reads it, nor of biases of experts alone, nor in what
			 * format an activation keeps its input. */
			const bool told = f == FIELD_RELEASE || f == FIELD_EXPERT_BIAS ||
			    f == FIELD_FP8_ACTIVATION_INPUT || f == FIELD_FP8_ATTENTION ||
			    (f == FIELD_CROSS_ENTROPY && !field_is_chosen(f, p));

			field_format(f, p, was, sizeof was);
			field_format(f, &plan, is, sizeof is);
			unsaid += told && strcmp(is, was) != 0;
			if (is_told(f) && f != FIELD_PRESET && f != FIELD_CHECKPOINT_DTYPE &&
			    f != FIELD_CHECKPOINT_GROUP && !told &&
			    strcmp(is, was) != 0) /* those follow the name that the shape is given */
				fail_msg("%s: %s was %s, and comes back as %s", name, field_table[f].path, was, is);
		}
		/* and once what all of that comes to */
		unsaid += e.missing.count > 0 && strstr(e.missing.lines.text, "as it runs it takes") != NULL;
		assert_int_equal(e.missing.count, unsaid);
	}
	export_free(&e);
	return written;
}

TEST(published)
{
	static struct table t;
	const char *top = getenv("TOP");
	FILE *f = table_open(&t, top != NULL ? top : ".", "published.tsv");
	int written = 0, refused = 0;

	assert_non_null(f);
	while (table_next(&t, f)) {
		struct plan p;

		if (row_refusal(&t) != NULL)
			continue;
		row_plan(&p, &t);
		if (goes_and_returns(&p, "megatron", row_cell(&t, "id")))
			written++;
		else
			refused++;
	}
	fclose(f);
	print_message("%d written, %d refused\n", written, refused);
	assert_true(written >= 80);
}

/* Runs of MLPerf Training: the shape of the catalogue, split as the system's name tells. */
TEST(mlperf)
{
	static const struct {
		const char *column;
		enum field_id field;
	} sizes[] = {
		{ "nodes", FIELD_NODES }, { "gpus_per_node", FIELD_GPUS_PER_NODE }, { "tp", FIELD_TP },
		{ "pp", FIELD_PP }, { "cp", FIELD_CP }, { "vp", FIELD_VPP }, { "mbs", FIELD_MICRO_BATCH_SIZE },
		{ "gbs", FIELD_GLOBAL_BATCH_SIZE }, { "seq", FIELD_SEQUENCE_LENGTH },
	};
	static struct table t;
	const char *top = getenv("TOP");
	FILE *f = table_open(&t, top != NULL ? top : ".", "mlperf_training.tsv");
	int written = 0;

	assert_non_null(f);
	while (table_next(&t, f)) {
		char model[64], err[256];
		struct plan p;

		plan_defaults(&p);
		snprintf(model, sizeof model, "%.*s", (int)strcspn(row_cell(&t, "model"), " "),
		    row_cell(&t, "model"));
		assert_true(field_put_text(FIELD_PRESET, &p, model, err, sizeof err));
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
			if (row_number(&t, sizes[i].column) > 0)
				assert_true(field_put_int(sizes[i].field, &p,
				    (int64_t)row_number(&t, sizes[i].column), err, sizeof err));
		if (row_has(&t, "precision", "fp8"))
			assert_true(field_parse(FIELD_PRECISION, &p, "fp8", err, sizeof err));
		if (p.parallel.pp > 1 && row_has(&t, "model", "405b")) { /* 126 layers, as its recipes */
			field_parse(FIELD_ACCOUNT_FOR_EMBEDDING, &p, "true", err, sizeof err);
			field_parse(FIELD_ACCOUNT_FOR_LOSS, &p, "true", err, sizeof err);
		}
		/* LoRA of Llama 2 runs on 8192 tokens, twice what the model was trained on. */
		p.model.max_position = p.training.sequence_length;
		field_mark(FIELD_MAX_POSITION, &p, true);
		plan_resolve(&p, &test_catalog);
		written += goes_and_returns(&p, "megatron-sbatch", row_cell(&t, "system"));
	}
	fclose(f);
	print_message("%d written\n", written);
	assert_true(written >= 91);
}

/* Layers by letter: there and back, and the arguments of a release before. */
TEST(hybrids)
{
	static const char *const presets[] = { "nemotron-h-8b", "nemotron-3-nano-30b-a3b",
		"nemotron-3-super-120b-a12b" };
	struct plan p;
	char err[256];

	for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
		plan_builtin(&p);
		assert_true(field_parse(FIELD_PRESET, &p, presets[i], err, sizeof err));
		assert_true(field_parse(FIELD_PP, &p, "2", err, sizeof err));
		plan_resolve(&p, &test_catalog);
		assert_true(goes_and_returns(&p, "megatron", presets[i]));
		assert_string_equal(plan.model.preset, presets[i]);
	}
	plan_builtin(&p);
	assert_true(field_parse(FIELD_FP8_ACTIVATION_INPUT, &p, "true", err, sizeof err));
	assert_true(field_parse(FIELD_FP8_ATTENTION, &p, "true", err, sizeof err));
	assert_true(field_parse(FIELD_PRECISION, &p, "fp8", err, sizeof err));
	plan_resolve(&p, &test_catalog);
	goes_and_returns(&p, "megatron", "what no argument says");
	assert_int_equal(import("x " "--hidden-size 4096 --num-attention-heads 32 --seq-length 4096 "
	    "--max-position-embeddings 4096 --micro-batch-size 1 --num-layers 4 "
	    "--hybrid-override-pattern M-M* --mtp-num-layers 1 --mtp-hybrid-override-pattern '*-'\n", 8),
	    IMPORT_DONE);
	assert_string_equal(plan.model.layer_pattern, "M-M*/*-");
	assert_int_equal(plan.model.mamba_heads, 128);
	assert_int_equal(plan.model.mamba_groups, 8);
	assert_int_equal(import("x --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 "
	    "--max-position-embeddings 4096 --micro-batch-size 1 --num-layers 5 "
	    "--hybrid-layer-pattern M-M*\n", 8), IMPORT_REFUSED);
	assert_int_equal(import("x --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 "
	    "--max-position-embeddings 4096 --micro-batch-size 1 --hybrid-layer-pattern M-W*\n", 8),
	    IMPORT_FAILED);
}

/* What a launch has without a word of it: a mask from the loader, experts one after the other. */
TEST(defaults_of_launches)
{
	static const char shape[] = "x --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 "
	    "--max-position-embeddings 4096 --micro-batch-size 1 --num-layers 4 --num-experts 8 --bf16 ";
	char text[512];

	snprintf(text, sizeof text, "%s\n", shape);
	assert_int_equal(import(text, 8), IMPORT_DONE);
	assert_true(plan.training.loader_mask);
	assert_false(plan.training.grouped_gemm);
	assert_false(plan.training.permute_fusion);
	assert_true(plan.training.rope_fusion);
	snprintf(text, sizeof text, "%s--no-create-attention-mask-in-dataloader --moe-grouped-gemm "
	    "--moe-permute-fusion --no-rope-fusion\n", shape);
	assert_int_equal(import(text, 8), IMPORT_DONE);
	assert_false(plan.training.loader_mask);
	assert_true(plan.training.grouped_gemm);
	assert_true(plan.training.permute_fusion);
	assert_false(plan.training.rope_fusion);
}

/* Which releases of Megatron core start a plan: each was put to the launcher's own parser,
 * checks and TransformerConfig, of the tags that megatron_core.c names. */
TEST(cores)
{
	static const struct {
		const char *settings[5];
		int since, until;
	} cases[] = {
		{ { "parallel.pp=2" }, 12, 20 },
		{ { "parallel.pp=2", "training.cross_entropy=te" }, 12, 17 },
		{ { "parallel.pp=2", "training.precision=fp8-block" }, 13, 20 },
		{ { "parallel.pp=4", "parallel.pipeline_layout=Et*8|t*8|t*8|t*8,L" }, 13, 20 },
		{ { "training.precision=nvfp4", "cluster.gpu=b200-sxm-180gb" }, 15, 20 },
		{ { "parallel.pp=1", "parallel.zero_stage=2" }, 14, 20 },
		{ { "parallel.pp=1", "parallel.zero_stage=3", "training.gradient_accumulation_fusion=false" },
		    12, 20 },
		{ { "model.preset=deepseek-v3", "parallel.tp=1", "parallel.ep=8", "parallel.pp=1" }, 12, 20 },
		{ { "model.preset=mixtral-8x7b", "parallel.ep=4", "parallel.pp=1",
		    "parallel.sequence_parallel=false" }, 16, 20 },
		{ { "model.preset=qwen3-30b-a3b", "parallel.tp=1", "parallel.ep=8", "parallel.pp=1",
		    "parallel.moe_dispatcher=deepep" }, 12, 20 },
		{ { "model.preset=qwen3-30b-a3b", "parallel.tp=1", "parallel.ep=8", "parallel.pp=1",
		    "parallel.moe_dispatcher=hybridep" }, 16, 20 },
		{ { "model.preset=qwen2.5-1.5b", "parallel.tp=4", "parallel.pp=1" }, 16, 20 },
		{ { "training.optimizer=muon", "parallel.zero_stage=0" }, 18, 20 },
		{ { "training.optimizer=muon", "parallel.zero_stage=0", "training.overlap_grad_reduce=false" },
		    16, 20 },
		{ { "training.cuda_graph=full" }, 16, 20 },
		{ { "training.cuda_graph=layer" }, 16, 20 },
		{ { "model.preset=qwen3-30b-a3b", "parallel.pp=1", "parallel.ep=8", "training.cuda_graph=layer",
		    "training.moe_capacity_factor=1" }, 16, 20 },
		{ { "model.preset=nemotron-h-8b", "parallel.pp=1" }, 17, 20 },
		{ { "parallel.pp=1", "training.offload_layers=8" }, 16, 20 },
		{ { "model.preset=mixtral-8x7b", "parallel.ep=4", "parallel.pp=2", "parallel.tp=1",
		    "training.offload_layers=32" }, 16, 20 },
		{ { "model.preset=mixtral-8x7b", "parallel.ep=4", "parallel.pp=2", "parallel.tp=1",
		    "training.offload_layers=8" }, 19, 20 },
	};
	char err[256], wanted[32];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct plan p;

		plan_builtin(&p);
		assert_true(field_parse(FIELD_CROSS_ENTROPY, &p, "native", err, sizeof err));
		for (size_t k = 0; k < 5 && cases[i].settings[k] != NULL; k++) {
			const char *text = cases[i].settings[k];
			char name[64];

			snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "="), text);
			if (!field_parse(field_find(name), &p, strchr(text, '=') + 1, err, sizeof err))
				fail_msg("%s: %s", text, err);
		}
		plan_resolve(&p, &test_catalog);
		for (int core = 12; core <= 20; core++) {
			static struct export e;
			const bool starts = core >= cases[i].since && core <= cases[i].until;

			memset(&e, 0, sizeof e);
			e.plan = &p;
			e.catalog = &test_catalog;
			e.source = "x";
			e.core = core;
			if (export_write(&e, export_find("megatron")) != starts)
				fail_msg("%s: core 0.%d: %s", cases[i].settings[0], core,
				    starts ? e.diags.item[0].message : "is written");
			snprintf(wanted, sizeof wanted, ", core 0.%d, from", core);
			if (starts) {
				assert_non_null(strstr(e.file[0].text.text, wanted));
				assert_int_equal(import(e.file[0].text.text, 0), IMPORT_DONE);
				assert_int_equal(plan.parallel.zero_stage, p.parallel.zero_stage);
				assert_int_equal(plan.training.cuda_graph, p.training.cuda_graph);
				assert_true(fabs(plan.training.moe_capacity_factor - p.training.moe_capacity_factor) < 1e-9);
				assert_int_equal(plan.parallel.moe_dispatcher, p.parallel.moe_dispatcher);
			}
			export_free(&e);
		}
	}
}

int
main(void)
{
	return unit_run(load_catalog, free_catalog);
}
