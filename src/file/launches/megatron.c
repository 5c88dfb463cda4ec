#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "file/launches/launches.h"
#include "file/launches/megatron_args.h"
#include "file/launches/megatron_flags.h"
#include "file/launches/megatron_hetero.h"
#include "file/launches/megatron_log.h"
#include "file/launches/megatron_hybrid.h"
#include "file/launches/megatron_rules.h"
#include "file/launches/settings_keys.h"
#include "file/notation/sbatch.h"
#include "file/source/named.h"

/* ---- rows of the table ------------------------------------------------------------------ */

static void
refuse_value(struct megatron_args *a, const char *flag, const char *value)
{
	import_refuse(a->im, flag, "has no value '%s'", value);
}

static void
put_row(struct megatron_args *a, const struct megatron_flag *row)
{
	const struct megatron_arg *arg = megatron_arg(a, row->flag);
	const size_t complaints = a->im->errors->count;
	const char *value;
	char ours[64];

	if (arg == NULL) {
		if (row->absent != NULL)
			megatron_absent(a, row->field, row->absent);
		return;
	}
	a->im->line = arg->line;
	if (row->kind == FLAG_SWITCH) {
		if (arg->values > 0 && !arg->value[0].unknown)
			import_refuse(a->im, row->flag, "takes no value");
		import_set(a->im, row->field, row->words, row->flag);
	} else if (row->kind == FLAG_VALUE && field_table[row->field].type == FIELD_INT) {
		const int64_t n = megatron_int(a, row->flag, 0);

		if (a->im->errors->count == complaints)
			megatron_number(a, row->field, n, row->flag);
	} else if ((value = megatron_text(a, row->flag, NULL)) == NULL) {
		return;
	} else if (row->kind == FLAG_VALUE) {
		import_set(a->im, row->field, value, row->flag);
	} else if (settings_ours(row->words, value, strcmp, ours, sizeof ours)) {
		import_set(a->im, row->field, ours, row->flag);
	} else {
		refuse_value(a, row->flag, value);
	}
}

/* ---- the model ---------------------------------------------------------------------------- */

/* Sizes that follow others (arguments.py, validate_args). */
static void
put_sizes(struct megatron_args *a)
{
	struct model *m = &a->im->plan->model;
	const int64_t hidden = m->hidden_size;

	if (megatron_has(a, "--quick-geglu"))
		import_set(a->im, FIELD_GATED_MLP, "true", "--quick-geglu");
	if (!megatron_has(a, "--ffn-hidden-size"))
		megatron_number(a, FIELD_FFN_HIDDEN_SIZE, megatron_has(a, "--swiglu") ?
		    4 * hidden * 2 / 3 / 64 * 64 : 4 * hidden, "--ffn-hidden-size");
	if (!megatron_has(a, "--kv-channels") && m->attention_heads > 0)
		megatron_number(a, FIELD_HEAD_DIM, hidden / m->attention_heads, "--kv-channels");
	if (megatron_has(a, "--group-query-attention"))
		megatron_number(a, FIELD_KV_HEADS, megatron_int(a, "--num-query-groups", 1),
		    "--num-query-groups");
	else
		megatron_number(a, FIELD_KV_HEADS, m->attention_heads, "--group-query-attention");
	if (megatron_has(a, "--use-rotary-position-embeddings"))
		import_set(a->im, FIELD_POSITION, "rope", "--use-rotary-position-embeddings");
	if (megatron_has(a, "--padded-vocab-size")) {
		megatron_number(a, FIELD_VOCAB_SIZE, megatron_int(a, "--padded-vocab-size", 0),
		    "--padded-vocab-size");
		import_fill(a->im, FIELD_VOCAB_MULTIPLE, "1");
	} else if (!megatron_has(a, "--vocab-size")) {
		import_assume(a->im, FIELD_VOCAB_SIZE, field_table[FIELD_VOCAB_SIZE].default_text,
		    "the tokenizer's, which the arguments do not tell (fix: --set model.vocab_size=N)");
	}
}

/* Multi-head latent attention: arguments.py, _add_mla_args. */
static void
put_latent(struct megatron_args *a)
{
	static const struct {
		const char *flag;
		enum field_id field;
		int64_t absent;
	} sizes[] = {
		{ "--q-lora-rank", FIELD_Q_LORA_RANK, 0 },
		{ "--kv-lora-rank", FIELD_KV_LORA_RANK, 32 },
		{ "--qk-head-dim", FIELD_QK_NOPE_HEAD_DIM, 128 },
		{ "--qk-pos-emb-head-dim", FIELD_QK_ROPE_HEAD_DIM, 64 },
		{ "--v-head-dim", FIELD_V_HEAD_DIM, 128 },
	};

	if (a->im->plan->model.attention != ATTENTION_MLA)
		return;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		megatron_number(a, sizes[i].field, megatron_int(a, sizes[i].flag, sizes[i].absent),
		    sizes[i].flag);
}

/*
 * --moe-layer-freq: every n-th layer, or Python's "([0]*3+[1]*58)" with a 1 for each layer that
 * has experts. The pattern is leading dense layers and then every n-th, as a plan has it, or no
 * plan can be made of it.
 */
enum { PATTERN_MAX = 4096 };

static size_t
expand_pattern(const char *text, unsigned char *layers)
{
	size_t n = 0;

	while (*text != '\0') {
		const size_t from = n;
		long times = 1;
		char *end;

		text += strspn(text, " ()+'\"");
		if (*text != '[')
			return *text == '\0' ? n : 0;
		for (text++; *text != ']' && *text != '\0' && n < PATTERN_MAX; text++)
			if (*text == '0' || *text == '1')
				layers[n++] = *text == '1';
			else if (*text != ',' && *text != ' ')
				return 0;
		if (*text++ != ']')
			return 0;
		text += strspn(text, " ");
		if (*text == '*') {
			times = strtol(text + 1, &end, 10);
			text = end;
		}
		if (n == from)
			return 0;
		for (const size_t once = n - from; --times > 0;)
			for (size_t i = 0; i < once; i++) {
				if (n == PATTERN_MAX)
					return 0;
				layers[n] = layers[n - once];
				n++;
			}
	}
	return n;
}

static bool
put_pattern(struct megatron_args *a, const unsigned char *layers, size_t n)
{
	size_t dense = 0, every = 1;

	while (dense < n && !layers[dense])
		dense++;
	while (dense + every < n && !layers[dense + every])
		every++;
	for (size_t i = dense; i < n; i++)
		if (layers[i] != ((i - dense) % every == 0))
			return false;
	if (dense + every >= n)
		every = n - dense > 1 ? every : 1;
	megatron_number(a, FIELD_DENSE_LAYERS, (int64_t)dense, "--moe-layer-freq");
	megatron_number(a, FIELD_MOE_LAYER_EVERY, (int64_t)every, "--moe-layer-freq");
	return true;
}

static void
put_expert_layers(struct megatron_args *a)
{
	static const char flag[] = "--moe-layer-freq";
	unsigned char layers[PATTERN_MAX];
	char text[1024];
	int64_t every;
	size_t n;

	if (!megatron_join(a, flag, " ", text, sizeof text) || text[0] == '\0')
		return;
	a->im->line = megatron_arg(a, flag)->line;
	if (text_to_int(text, &every)) {
		megatron_number(a, FIELD_MOE_LAYER_EVERY, every, flag);
	} else if ((n = expand_pattern(text, layers)) == 0) {
		refuse_value(a, flag, text);
	} else if ((int64_t)n != a->im->plan->model.layers) {
		import_refuse(a->im, flag, "tells of %zu layers, and the model has %lld", n,
		    (long long)a->im->plan->model.layers);
	} else if (!put_pattern(a, layers, n)) {
		import_error(a->im, flag, "a plan has leading dense layers, then every n-th with "
		    "experts: this is another pattern");
	}
}

static void
put_experts(struct megatron_args *a)
{
	const struct model *m = &a->im->plan->model;

	if (m->experts == 0)
		return;
	if (!megatron_has(a, "--moe-router-topk"))
		megatron_number(a, FIELD_EXPERTS_PER_TOKEN, 2, "--moe-router-topk");
	if (!megatron_has(a, "--moe-ffn-hidden-size"))
		megatron_number(a, FIELD_MOE_FFN_HIDDEN_SIZE, m->ffn_hidden_size, "--moe-ffn-hidden-size");
	if (!megatron_has(a, "--moe-grouped-gemm"))
		megatron_absent(a, FIELD_GROUPED_GEMM, "false");
	if (!megatron_has(a, "--moe-permute-fusion"))
		megatron_absent(a, FIELD_PERMUTE_FUSION, "false");
	put_expert_layers(a);
}

/* Every n-th layer attends to everything, or a 1 for each layer that has a window: NVIDIA/Megatron-LM
 * megatron/core/transformer/utils.py, is_layer_window_attention. */
static void
put_window_layers(struct megatron_args *a)
{
	static const char flag[] = "--window-attn-skip-freq";
	unsigned char layers[PATTERN_MAX];
	char text[1024], list[1040];
	int64_t every = 0;
	size_t n, period = 0;

	if (!megatron_join(a, flag, ",", text, sizeof text))
		return;
	if (text[0] == '\0' || text_to_int(text, &every)) {
		megatron_number(a, FIELD_GLOBAL_LAYER_EVERY, every, flag);
		return;
	}
	text_put(list, sizeof list, strchr(text, '[') != NULL ? "%s" : "[%s]", text);
	n = expand_pattern(list, layers);
	while (period < n && layers[period])
		period++;
	for (size_t i = 0; i < n; i++)
		if (layers[i] != ((i + 1) % (period + 1) != 0))
			n = 0;
	if (n == 0)
		import_error(a->im, flag, "a plan has a layer without a window in every so many: this is another pattern");
	else
		megatron_number(a, FIELD_GLOBAL_LAYER_EVERY, period < n ? (int64_t)period + 1 : 0, flag);
}

/* "127,0", "(127, 0)" or both apart: tokens to the left of one that looks, which itself counts in ours. */
static void
put_window(struct megatron_args *a)
{
	char text[64];
	int64_t left;

	if (!megatron_join(a, "--window-size", ",", text, sizeof text) || text[0] == '\0')
		return;
	text[strcspn(text, ",")] = '\0';
	if (!text_to_int(text + strspn(text, "("), &left)) {
		refuse_value(a, "--window-size", text);
		return;
	}
	megatron_number(a, FIELD_SLIDING_WINDOW, left + 1, "--window-size");
	put_window_layers(a);
}

static void
put_model(struct megatron_args *a)
{
	put_sizes(a);
	put_latent(a);
	put_experts(a);
	megatron_hybrid(a);
	put_window(a);
}

/* ---- the split ---------------------------------------------------------------------------- */

/* validate_args switches it off where there is no TP. */
static void
put_sequence_parallel(struct megatron_args *a)
{
	static const char flag[] = "--sequence-parallel";

	if (!megatron_has(a, flag) || a->im->plan->parallel.tp > 1)
		return;
	import_fill(a->im, FIELD_SEQUENCE_PARALLEL, "false");
	import_ignore(a->im, flag, "Megatron-LM switches it off without TP");
}

static void
put_chunks(struct megatron_args *a)
{
	static const char flag[] = "--num-layers-per-virtual-pipeline-stage";
	const struct plan *p = a->im->plan;
	const int64_t each = megatron_int(a, flag, 0), pp = p->parallel.pp;
	const int64_t counted = p->model.layers + p->parallel.account_for_embedding +
	    p->parallel.account_for_loss;

	if (!megatron_has(a, flag))
		return;
	a->im->line = megatron_arg(a, flag)->line;
	if (each < 1 || pp < 1 || counted % pp != 0 || counted / pp % each != 0)
		import_refuse(a->im, flag, "number of layers per pipeline stage must be divisible by "
		    "number of layers per virtual pipeline stage");
	else
		megatron_number(a, FIELD_VPP, counted / pp / each, flag);
}

static void
put_context(struct megatron_args *a)
{
	static const char comm[] = "--cp-comm-type", levels[] = "--hierarchical-context-parallel-sizes";
	const struct megatron_arg *arg = megatron_arg(a, comm);
	char text[PLAN_LIST_SIZE];

	if (megatron_join(a, levels, "x", text, sizeof text) && text[0] != '\0')
		import_set(a->im, FIELD_HIERARCHICAL_CP, text, levels);
	if (arg == NULL || arg->values == 0)
		return;
	a->im->line = arg->line;
	for (size_t i = 1; i < arg->values; i++)
		if (!text_equal(arg->value[i].text, arg->value[0].text)) {
			import_ignore(a->im, comm, "layers that differ: the first one's is taken");
			break;
		}
	/* Transformer Engine writes it so, the help text of Megatron-LM as we do. */
	import_set(a->im, FIELD_CP_COMM, text_equal(arg->value[0].text, "all_gather") ? "allgather" :
	    arg->value[0].text, comm);
}

/* What is sharded: the distributed optimizer, Megatron-FSDP with its strategies, torch's FSDP2. */
/* The settings of DeepSpeed that the script writes or that lie beside it, under Megatron-DeepSpeed; for json_decref, NULL: none. */
static json_t *
deepspeed_settings(struct megatron_args *a)
{
	const struct megatron_arg *arg = megatron_arg(a, "--deepspeed_config");
	const char *name = arg != NULL && arg->values == 1 ? arg->value[0].text : NULL, *text = NULL;
	json_t *settings;
	char *beside = NULL;
	size_t n;

	for (size_t i = 0; name != NULL && i < a->shell.files; i++)
		if (text_equal(a->shell.file[i].name, name))
			text = a->shell.file[i].text;
	if (name != NULL && text == NULL)
		text = beside = named_text(a->im, name, &n);
	settings = text != NULL ? json_loads(text, 0, NULL) : NULL;
	free(beside);
	return settings;
}

/* ZeRO as DeepSpeed has it there (microsoft/Megatron-DeepSpeed megatron/arguments.py; its settings win). */
static void
put_zero(struct megatron_args *a)
{
	json_t *settings = deepspeed_settings(a);
	const json_t *zero = json_object_get(settings, "zero_optimization"), *stage = json_object_get(zero, "stage");
	const char *device = json_string_value(json_object_get(json_object_get(zero, "offload_optimizer"), "device"));

	if (json_is_integer(stage))
		megatron_number(a, FIELD_ZERO_STAGE, json_integer_value(stage), "--deepspeed_config");
	else
		megatron_number(a, FIELD_ZERO_STAGE, megatron_int(a, "--zero-stage", 0), "--zero-stage");
	if (a->im->plan->parallel.zero_stage == 0 && megatron_has(a, "--bf16"))
		import_assume_int(a->im, FIELD_ZERO_STAGE, 1, "DeepSpeed's optimizer for BF16 shards without ZeRO as well "
		    "(deepspeed/runtime/bf16_optimizer.py)");
	if (device != NULL && text_equal(device, "cpu"))
		import_set(a->im, FIELD_OFFLOAD, "optimizer", "--deepspeed_config");
	json_decref(settings);
}

static void
put_sharding(struct megatron_args *a)
{
	static const char strategy[] = "--data-parallel-sharding-strategy";
	static const char *const stages[] = { "no_shard", "optim", "optim_grads",
		"optim_grads_params" };
	const bool fsdp = megatron_has(a, "--use-megatron-fsdp") ||
	    megatron_has(a, "--use-custom-fsdp");
	const char *word = megatron_text(a, strategy, "optim_grads_params");

	if (megatron_has(a, "--deepspeed")) {
		put_zero(a);
	} else if (megatron_has(a, "--use-torch-fsdp2")) {
		import_set(a->im, FIELD_ZERO_STAGE, "3", "--use-torch-fsdp2");
	} else if (!fsdp) {
		megatron_number(a, FIELD_ZERO_STAGE, megatron_has(a, "--use-distributed-optimizer"),
		    "--use-distributed-optimizer");
	} else if (word != NULL) {
		int64_t stage = 0;

		while (stage < 4 && !text_equal(stages[stage], word))
			stage++;
		if (stage == 4)
			refuse_value(a, strategy, word);
		else
			megatron_number(a, FIELD_ZERO_STAGE, stage, strategy);
	}
	/* Without shards there is nothing to gather: the field means nothing, and stays. */
	if (megatron_has(a, "--overlap-param-gather"))
		import_set(a->im, FIELD_OVERLAP_PARAM_GATHER, "true", "--overlap-param-gather");
	else if (a->im->plan->parallel.zero_stage > 0)
		megatron_absent(a, FIELD_OVERLAP_PARAM_GATHER, "false");
}

/* GPUs that hold one copy of the model, dense layers and experts. */
static int64_t
smallest_world(const struct plan *p)
{
	const struct parallel *par = &p->parallel;
	const int64_t etp = field_is_set(FIELD_ETP, p) ? par->etp : par->tp;
	const int64_t dense = par->tp * par->cp, experts = etp * par->ep;
	int64_t a = dense, b = experts;

	if (par->tp < 1 || par->cp < 1 || par->pp < 1 || etp < 1 || par->ep < 1 ||
	    dense > PLAN_WORLD_MAX || experts > PLAN_WORLD_MAX)
		return 1;
	while (b != 0) {
		const int64_t rest = a % b;

		a = b;
		b = rest;
	}
	a = dense / a * experts;
	return a > PLAN_WORLD_MAX / par->pp ? 1 : a * par->pp;
}

/* ---- the machines ------------------------------------------------------------------------- */

/* What a flag of torchrun or srun says, of "1:4" the most; 0 where only a run could tell. */
static int64_t
launch_number(const struct megatron_args *a, const char *const *flags)
{
	for (; *flags != NULL; flags++) {
		const struct megatron_arg *arg = megatron_arg(a, *flags);
		char kind[PLAN_ID_SIZE];
		int64_t n = 0;

		if (arg == NULL || arg->values == 0 || arg->value[0].unknown)
			continue;
		if (strchr(arg->value[0].text, ':') != NULL)
			return slurm_gpus(arg->value[0].text, kind, sizeof kind);
		return text_to_int(arg->value[0].text, &n) ? most_of(n, 0) : 0;
	}
	return 0;
}

static void
put_machine(struct megatron_args *a)
{
	static const char *const node_flags[] = { "--nnodes", "--nodes", "-N", NULL };
	static const char *const gpu_flags[] = { "--nproc-per-node", "--nproc_per_node",
		"--gpus-per-node", "--gres", "--ntasks-per-node", NULL };
	int64_t nodes = launch_number(a, node_flags), gpus = launch_number(a, gpu_flags), world = a->im->world;
	struct sbatch asked;
	bool told;

	sbatch_read(&asked, a->im->text);
	nodes = nodes > 0 ? nodes : asked.nodes;
	gpus = gpus > 0 ? gpus : asked.gpus > 0 ? asked.gpus : asked.tasks;
	told = nodes > 0 && gpus > 0;
	a->im->line = 0;
	if (world > 0) /* which the user says over a script's defaults */
		import_machine(a->im, world, 0, gpus > 0 && world % gpus == 0 ? gpus : 0, "--world");
	else if (told && gpus <= PLAN_WORLD_MAX / nodes)
		import_machine(a->im, nodes * gpus, nodes, gpus, "--nnodes and --nproc-per-node");
	else {
		world = smallest_world(a->im->plan);
		if (gpus > 0)
			world = rounded_up(world, gpus);
		notes_add(&a->im->assumed, "%lld GPUs: the fewest that hold the model once; the launch "
		    "does not say (fix: --world)", (long long)world);
		import_machine(a->im, world, 0, gpus, "--nproc-per-node");
	}
}

const struct megatron_launcher megatron_torchrun = { "", put_machine };

/* ---- the whole ---------------------------------------------------------------------------- */

/* Flags beside the table that put_... above read. */
static bool
is_read(const char *flag)
{
	static const char read[] = "--quick-geglu --group-query-attention --num-query-groups "
	    "--use-rotary-position-embeddings --padded-vocab-size --q-lora-rank --kv-lora-rank "
	    "--qk-head-dim --qk-pos-emb-head-dim --v-head-dim --moe-layer-freq --window-size "
	    "--window-attn-skip-freq --num-layers-per-virtual-pipeline-stage --cp-comm-type "
	    "--hierarchical-context-parallel-sizes --use-megatron-fsdp --use-custom-fsdp "
	    "--data-parallel-sharding-strategy --use-torch-fsdp2 --use-distributed-optimizer "
	    "--overlap-param-gather --nnodes --nproc-per-node --nproc_per_node --nodes "
	    "--gpus-per-node --gres --fp4-format --fp8-format --fp8-hybrid --fp8-recipe --fp16 --bf16 "
	    "--grad-reduce-in-bf16 --main-grads-dtype --accumulate-allreduce-grads-in-fp32 "
	    "--train-iters --train-samples --recompute-activations --recompute-modules --attention-backend --transformer-impl "
	    "--use-flash-attn --cross-entropy-loss-fusion --cross-entropy-fusion-impl "
	    "--use-tp-pp-dp-mapping --encoder-seq-length --cuda-graph-impl --cuda-graph-modules "
	    "--cuda-graph-scope --moe-pad-expert-input-to-capacity --moe-token-dispatcher-type --moe-flex-dispatcher-backend "
	    "--moe-enable-deepep --hybrid-layer-pattern --hybrid-override-pattern "
	    "--mtp-hybrid-override-pattern --mamba-num-heads --mamba-head-dim --mamba-state-dim "
	    "--mamba-num-groups --fine-grained-activation-offloading --offload-modules "
	    "--activation-offload-fraction --enable-hetero --hetero-process-meshes --hetero-device-types "
	    "--hetero-pipeline-layer-split --hetero-current-device-type";

	return megatron_flag_find(flag) != NULL || text_index(read, flag, strlen(flag)) >= 0;
}

static void
tell_ignored(struct megatron_args *a, const char *own)
{
	for (size_t i = 0; i < a->count; i++)
		if (!is_read(a->arg[i].flag) && text_index(own, a->arg[i].flag, strlen(a->arg[i].flag)) < 0)
			import_ignore(a->im, a->arg[i].flag, "no field of a plan");
}

bool
megatron_begin(struct megatron_args *a, struct import *im)
{
	import_own_model(im);
	import_fill(im, FIELD_LAYOUT, "megatron");
	return megatron_args_read(a, im);
}

/* Programs that share the arguments and train no decoder, or nothing (NVIDIA/Megatron-LM pretrain_*.py, tools, tasks). */
static bool
is_other_program(struct megatron_args *a)
{
	static const struct {
		const char *names, *why;
	} rows[] = {
		{ "pretrain_bert|pretrain_t5|pretrain_ict|pretrain_retro|pretrain_vision|pretrain_biencoder|finetune_bert|train_rwkv",
		    "trains a model that is no decoder, which no plan has" },
		{ "tasks/main.py|run_text_generation|generate_|hf2mcore|hf2te|checkpoint/convert|saver.py|evaluate", "trains nothing: it "
		    "evaluates, generates or converts (fix: import what trains the model)" },
	};
	char name[32];

	for (size_t w = 0; w < a->words.count; w++)
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
			for (int64_t k = 0; text_choice(rows[i].names, k, name, sizeof name); k++) {
				const char *word = a->words.word[w].text, *at = strstr(word, name);
				const size_t n = strlen(word);

				if (n > 3 && text_equal(word + n - 3, ".py") && at != NULL && (at == word || at[-1] == '/')) {
					import_error(a->im, at, "%s", rows[i].why);
					return true;
				}
			}
	return false;
}

void
megatron_take(struct megatron_args *a, const struct megatron_launcher *by)
{
	if (is_other_program(a))
		return;
	for (size_t i = 0; i < megatron_flag_count; i++)
		if (!a->named || field_entry(megatron_flags[i].field) != FIELD_PRESET)
			put_row(a, &megatron_flags[i]);
	if (!a->named)
		put_model(a);
	put_sequence_parallel(a);
	put_chunks(a);
	put_context(a);
	put_sharding(a);
	by->machine(a);
	megatron_put_hetero(a);
	megatron_put_step(a);
	megatron_rules(a);
	tell_ignored(a, by->own);
	if (!a->named)
		import_name_model(a->im);
}

void
megatron_read(struct import *im)
{
	struct megatron_args a;
	struct megatron_log log;

	megatron_log_begin(&log, im);
	if (megatron_begin(&a, im))
		megatron_take(&a, &megatron_torchrun);
	megatron_args_free(&a);
	megatron_log_end(&log, im);
}
