/*
 * returns - random legal plans through every target that import reads: what comes back is the
 * plan, but for what the export said on the way that its target has no word for.
 *
 * returns [COUNT [TARGET]]: so many plans of each target, with the seed in $SEED. Each plan is
 * exported, written, imported from the files, and the plan that comes of it goes the same way.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/framework/resolve.h"
#include "core/plan/field.h"
#include "core/rules/check.h"
#include "file/catalogue/catalog_file.h"
#include "file/plan/paths.h"
#include "random.h"
#include "thereback.h"

enum { BRIEF = 8, TRIES = 400, CHANGES = 24 };

static struct catalog catalog;
static int wrong;

/* Fields that a target has words for, whatever the plan: none of them may be told as lost. All else
 * may, where it is told; Megatron-LM's rows hold for its sbatch scripts. KEEPS=1 prints these rows as they come out. */
static const struct {
	const char *target, *fields;
} keeps[] = {
	{ "megatron", "cluster.nodes cluster.gpus_per_node parallel.layout parallel.tp "
	    "parallel.cp parallel.cp_comm parallel.pp parallel.vpp parallel.zero_stage "
	    "parallel.dp_replicate parallel.first_stage_layers parallel.last_stage_layers "
	    "parallel.account_for_embedding parallel.account_for_loss training.sequence_length "
	    "training.micro_batch_size training.global_batch_size training.precision "
	    "training.grad_dtype training.optimizer training.microbatch_group_size "
	    "training.recompute training.offload_layers training.cuda_graph "
	    "training.hidden_dropout training.attention_dropout training.gradient_accumulation_fusion "
	    "training.precision_aware_optimizer training.overlap_grad_reduce "
	    "training.tp_overlap training.moe_capacity_factor" },
	{ "trl", "cluster.nodes cluster.gpus_per_node parallel.layout parallel.zero_stage "
	    "parallel.offload finetune.target finetune.kernels finetune.packing "
	    "training.sequence_length training.micro_batch_size training.precision "
	    "training.optimizer training.recompute training.torch_compile rl.algorithm" },
	{ "axolotl", "cluster.nodes cluster.gpus_per_node parallel.layout parallel.cp "
	    "parallel.zero_stage parallel.dp_replicate parallel.offload finetune.target "
	    "finetune.kernels finetune.packing training.sequence_length training.micro_batch_size "
	    "training.global_batch_size training.precision training.optimizer "
	    "training.recompute training.torch_compile rl.algorithm" },
	{ "llama-factory", "cluster.nodes cluster.gpus_per_node parallel.layout "
	    "parallel.zero_stage parallel.offload finetune.target finetune.kernels "
	    "finetune.packing training.sequence_length training.micro_batch_size "
	    "training.global_batch_size training.precision training.optimizer "
	    "training.recompute training.torch_compile rl.algorithm" },
	{ "ms-swift", "cluster.nodes cluster.gpus_per_node parallel.layout parallel.zero_stage "
	    "parallel.offload finetune.target finetune.kernels finetune.packing "
	    "training.sequence_length training.micro_batch_size training.global_batch_size "
	    "training.precision training.optimizer training.recompute training.torch_compile "
	    "rl.algorithm" },
	{ "torchtune", "cluster.nodes cluster.gpus_per_node parallel.layout parallel.tp "
	    "parallel.cp parallel.zero_stage parallel.dp_replicate parallel.offload "
	    "finetune.target finetune.quantization finetune.packing training.sequence_length "
	    "training.micro_batch_size training.global_batch_size training.precision "
	    "training.optimizer training.recompute training.torch_compile" },
	{ "verl", "cluster.nodes cluster.gpus_per_node parallel.layout parallel.tp "
	    "parallel.cp parallel.pp parallel.ep parallel.zero_stage parallel.offload "
	    "finetune.quantization training.sequence_length training.micro_batch_size "
	    "training.global_batch_size training.precision training.recompute "
	    "serving.context_length serving.gpu_memory_utilization serving.max_num_seqs "
	    "serving.max_batched_tokens serving.eager rl.rollout_tp rl.prompts "
	    "rl.responses rl.reference rl.old_logprob" },
	{ "nemo-rl", "cluster.nodes cluster.gpus_per_node parallel.layout parallel.tp "
	    "parallel.sequence_parallel parallel.cp parallel.pp parallel.ep "
	    "parallel.zero_stage parallel.offload finetune.quantization finetune.packing "
	    "training.sequence_length training.micro_batch_size training.global_batch_size "
	    "training.precision training.recompute serving.context_length serving.gpu_memory_utilization "
	    "serving.eager" },
	{ "openrlhf", "cluster.nodes cluster.gpus_per_node parallel.layout parallel.tp "
	    "parallel.cp parallel.zero_stage parallel.offload finetune.target "
	    "finetune.kernels finetune.packing training.sequence_length training.micro_batch_size "
	    "training.global_batch_size training.precision training.grad_dtype "
	    "training.recompute serving.gpu_memory_utilization" },
	{ "deepspeed", "cluster.nodes cluster.gpus_per_node parallel.layout parallel.tp "
	    "parallel.cp parallel.zero_stage parallel.dp_replicate parallel.offload "
	    "training.micro_batch_size training.global_batch_size training.grad_dtype "
	    "training.optimizer" },
	{ "torchtitan", "cluster.nodes cluster.gpus_per_node parallel.layout parallel.tp "
	    "parallel.cp parallel.pp parallel.vpp parallel.ep training.sequence_length "
	    "training.micro_batch_size training.global_batch_size training.recompute "
	    "training.torch_compile training.gathered_logits training.tp_overlap" },
	{ "nanotron", "cluster.nodes cluster.gpus_per_node parallel.layout parallel.tp "
	    "parallel.sequence_parallel parallel.cp parallel.pp parallel.zero_stage "
	    "training.sequence_length training.micro_batch_size training.global_batch_size "
	    "training.precision training.schedule training.recompute" },
	{ "accelerate", "cluster.nodes cluster.gpus_per_node parallel.layout parallel.tp "
	    "parallel.cp parallel.zero_stage parallel.offload training.precision" },
	{ "vllm", "parallel.layout parallel.cp parallel.pp serving.context_length "
	    "serving.gpu_memory_utilization serving.max_num_seqs serving.max_batched_tokens "
	    "serving.block_size serving.eager serving.draft_tokens" },
	{ "sglang", "parallel.layout parallel.tp parallel.cp parallel.pp serving.engine "
	    "serving.context_length serving.gpu_memory_utilization serving.max_num_seqs "
	    "serving.max_batched_tokens serving.block_size serving.eager serving.dp_attention "
	    "serving.poll_interval serving.draft_tokens" },
	{ "trtllm", "parallel.layout parallel.tp parallel.cp parallel.pp serving.engine "
	    "serving.context_length serving.gpu_memory_utilization serving.max_num_seqs "
	    "serving.max_batched_tokens serving.block_size serving.dp_attention serving.batch_wait_steps "
	    "serving.batch_wait_share" },
	{ "dynamo", "parallel.layout parallel.tp parallel.pp serving.engine serving.context_length "
	    "serving.gpu_memory_utilization serving.max_num_seqs serving.max_batched_tokens "
	    "serving.block_size serving.eager serving.replicas "
	    "serving.draft_tokens serving.prefill_workers" },
	{ "lws", "parallel.layout parallel.tp parallel.pp serving.engine serving.context_length "
	    "serving.gpu_memory_utilization serving.max_num_seqs serving.max_batched_tokens "
	    "serving.block_size serving.eager serving.replicas "
	    "serving.draft_tokens serving.prefill_workers" },
	{ "llm-d", "parallel.layout parallel.tp parallel.pp serving.engine serving.context_length "
	    "serving.gpu_memory_utilization serving.max_num_seqs serving.max_batched_tokens "
	    "serving.block_size serving.eager serving.replicas "
	    "serving.draft_tokens serving.prefill_workers" },
	{ "torchtitan-python", "cluster.nodes cluster.gpus_per_node parallel.layout "
	    "parallel.tp parallel.cp parallel.pp training.sequence_length training.micro_batch_size "
	    "training.global_batch_size training.recompute training.torch_compile "
	    "training.cuda_graph" },
	{ "megatron-bridge", "cluster.nodes cluster.gpus_per_node parallel.layout "
	    "parallel.tp parallel.sequence_parallel parallel.cp parallel.pp "
	    "parallel.etp parallel.zero_stage parallel.dp_replicate parallel.account_for_embedding "
	    "parallel.account_for_loss finetune.method training.sequence_length "
	    "training.micro_batch_size training.global_batch_size "
	    "training.grad_dtype training.recompute training.fp8_activation_input training.hidden_dropout "
	    "training.attention_dropout training.gradient_accumulation_fusion "
	    "training.precision_aware_optimizer training.overlap_param_gather" },
	{ "slime", "cluster.nodes cluster.gpus_per_node parallel.layout parallel.tp "
	    "parallel.cp parallel.cp_comm parallel.pp parallel.ep parallel.dp_replicate "
	    "parallel.offload parallel.first_stage_layers parallel.last_stage_layers "
	    "parallel.account_for_embedding parallel.account_for_loss training.micro_batch_size "
	    "training.global_batch_size training.grad_dtype training.optimizer "
	    "training.microbatch_group_size training.recompute training.offload_layers "
	    "training.cuda_graph training.hidden_dropout training.attention_dropout "
	    "training.gradient_accumulation_fusion training.precision_aware_optimizer "
	    "training.moments_dtype training.overlap_grad_reduce training.overlap_param_gather "
	    "training.moe_capacity_factor serving.context_length serving.gpu_memory_utilization "
	    "serving.max_num_seqs serving.max_batched_tokens rl.rollout_tp rl.prompts "
	    "rl.responses rl.prompt_tokens rl.response_limit rl.reference rl.old_logprob" },
};

/* Of one target: plans whose user chose a field that came back, and that did not. */
static int kept[FIELD_COUNT], lost[FIELD_COUNT];

/* ---- plans ---------------------------------------------------------------------------------- */

/* As a user would type it; "" where the field is not for this. */
static void
random_value(struct dice *d, enum field_id f, char *buf, size_t size)
{
	static const char *const modules[] = { "core_attn", "core_attn,moe_act", "mlp", "layernorm,mlp" };
	static const char *const targets[] = { "all-linear", "attention", "qv", "mlp", "q+k+v+o" };
	static const char *const shares[] = { "0.5", "0.25", "0.1", "0.85" };
	int64_t choices = 0;

	buf[0] = '\0';
	switch (field_table[f].type) {
	case FIELD_CHOICE:
		while (field_choice(f, choices, buf, size))
			choices++;
		field_choice(f, dice_below(d, choices), buf, size);
		break;
	case FIELD_BOOL:
		text_put(buf, size, "%s", dice_rarely(d, 2) ? "true" : "false");
		break;
	case FIELD_INT:
		text_put(buf, size, "%lld", (long long)(INT64_C(1) << dice_below(d,
		    field_table[f].most > 100000 ? 10 : 5)));
		break;
	case FIELD_REAL:
		text_put(buf, size, "%s", shares[dice_below(d, 4)]);
		break;
	case FIELD_TEXT:
		if (f == FIELD_RECOMPUTE_MODULES)
			text_put(buf, size, "%s", modules[dice_below(d, 4)]);
		else if (f == FIELD_ADAPTER_TARGET)
			text_put(buf, size, "%s", targets[dice_below(d, 5)]);
		break;
	}
}

static bool
is_tuned(enum field_id f)
{
	char section[32];
	const size_t n = field_section(f, section, sizeof section);

	return text_index("parallel training finetune serving rl", section, n) >= 0;
}

static bool
is_legal(const struct plan *p)
{
	struct diag_list diags = { 0 };

	return plan_check(p, &catalog, &diags);
}

/* Change one field where the plan stays legal. */
static void
change(struct dice *d, struct plan *p, enum field_id f)
{
	struct plan tried = *p;
	char value[64], why[256];

	random_value(d, f, value, sizeof value);
	if (value[0] == '\0' || !field_parse(f, &tried, value, why, sizeof why))
		return;
	plan_resolve(&tried, &catalog);
	if (is_legal(&tried))
		*p = tried;
}

static void
put(struct plan *p, const char *path, const char *value)
{
	char why[256];
	const enum field_id f = field_find(path);

	if (f != FIELD_COUNT && field_parse(f, p, value, why, sizeof why))
		return;
	fprintf(stderr, "%s = %s: %s\n", path, value, why);
	exit(99);
}

static void
put_number(struct plan *p, const char *path, int64_t n)
{
	char value[24];

	text_put(value, sizeof value, "%lld", (long long)n);
	put(p, path, value);
}

/* What the target is for. */
static void
begin(struct dice *d, const struct exporter *by, struct plan *p)
{
	static const char *const models[] = { "llama-3.1-8b", "llama-3.1-70b", "qwen2.5-7b",
		"mixtral-8x7b", "llama-3.2-1b" };
	static const char *const algorithms[] = { "grpo", "dapo", "ppo", "dpo", "rm" };
	char layout[32];
	int64_t layouts = 0;

	plan_defaults(p);
	put(p, "model.preset", models[dice_below(d, text_equal(by->name, "nanotron") ? 2 : 5)]);
	put_number(p, "cluster.nodes", INT64_C(1) << dice_below(d, 4));
	put_number(p, "cluster.gpus_per_node", dice_rarely(d, 5) ? 4 : 8);
	put(p, "cluster.memory_gib", "65536"); /* what does not fit is another matter */
	if (by->modes == MODES_SERVE) {
		put(p, "mode", "serve");
		put(p, "parallel.layout", "vllm");
		put(p, "serving.engine", !text_equal(by->kind, "manifest") ? by->name : dice_rarely(d, 2) ? "vllm" :
		    "sglang");
		if (text_equal(by->kind, "manifest") && dice_rarely(d, 3))
			put(p, "serving.prefill_workers", dice_rarely(d, 2) ? "1xtp4" : "2xdp2");
	} else {
		while (text_choice(by->layout, layouts, layout, sizeof layout))
			layouts++;
		text_choice(by->layout, dice_below(d, layouts), layout, sizeof layout);
		put(p, "parallel.layout", layout);
		put_number(p, "parallel.zero_stage", dice_below(d, 4));
		put_number(p, "training.global_batch_size", 1024);
		if ((by->tasks & TASK_ADAPTERS) && !dice_rarely(d, 3))
			put(p, "finetune.method", dice_rarely(d, 3) ? "qlora" : dice_rarely(d, 2) ? "full" : "lora");
		if (!(by->tasks & TASK_TEXTS) || ((by->tasks & TASK_PAIRS) && dice_rarely(d, 3)))
			put(p, "rl.algorithm", algorithms[by->tasks & TASK_ROLLOUTS ? dice_below(d, 5) :
			    3 + dice_below(d, 2)]);
		if (p->rl.algorithm != RL_NONE)
			put_number(p, "training.sequence_length", 16384);
	}
	plan_resolve(p, &catalog);
}

static struct plan
random_plan_for(struct dice *d, const struct exporter *by)
{
	struct plan p;

	begin(d, by, &p);
	for (int i = 0; i < CHANGES; i++) {
		const enum field_id f = (enum field_id)dice_below(d, FIELD_COUNT);

		if (is_tuned(f) && f != FIELD_LAYOUT && f != FIELD_ENGINE && field_in_use(f, &p))
			change(d, &p, f);
	}
	return p;
}

/* ---- there and back ------------------------------------------------------------------------- */

static void
tell(const char *target, unsigned long long seed, const char *what, const char *more)
{
	fprintf(stderr, "FOUND: %s: %s%s (SEED=%llu)\n", target, what, more, seed);
	wrong++;
}

/* Trainers of texts say less of rollouts: they pack none, TRL has no room of a prompt, and dapo is grpo with
 * settings of one's own. Nor do most pack pairs. */
static bool
is_of_texts(const struct exporter *by, const struct plan *p, const char *path)
{
	static const char unsaid[] = "finetune.packing training.sequence_length rl.algorithm";

	if (!(by->tasks & TASK_TEXTS) || !plan_has_rl(p))
		return false;
	return plan_has_rollouts(p) ? text_index(unsaid, path, strlen(path)) >= 0 : text_equal(path, "finetune.packing");
}

static bool
may_lose(const struct exporter *by, const struct plan *p, enum field_id f)
{
	const char *path = field_table[f].path, *target = by->name;

	if (is_of_texts(by, p, path))
		return true;
	for (size_t i = 0; i < sizeof keeps / sizeof *keeps; i++)
		if (text_equal(keeps[i].target, target))
			return text_index(keeps[i].fields, path, strlen(path)) < 0;
	return true;
}

/* Of which plan of a target it is. */
struct trial {
	const struct exporter *by;
	const struct plan *plan;
	unsigned long long seed;
};

static void
found(void *context, const char *what, const char *more)
{
	const struct trial *t = context;

	tell(t->by->name, t->seed, what, more);
}

static void
count_field(void *context, enum field_id f, bool is_kept, bool is_chosen, const char *told)
{
	const struct trial *t = context;

	if (is_kept) {
		kept[f] += is_chosen;
		return;
	}
	lost[f]++;
	if (!may_lose(t->by, t->plan, f))
		tell(t->by->name, t->seed, "lost: ", told);
}

static bool
go(const struct exporter *by, const struct plan *p, struct plan *back, unsigned long long seed)
{
	struct trial trial = { by, p, seed };
	const struct thereback t = { .by = by, .catalog = &catalog, .context = &trial, .found = found,
		.field = count_field };

	return there_and_back(&t, p, back);
}

static void
print_keeps(const char *target)
{
	int column = printf("\t{ \"%s\", \"", target);

	for (enum field_id f = 0; f < FIELD_COUNT; f++) {
		if (kept[f] < 2 || lost[f] > 0)
			continue;
		if (column > 70)
			column = printf("\"\n\t    \"");
		column += printf("%s ", field_table[f].path);
	}
	printf("\" },\n");
}

static void
test_target(const struct exporter *by, int count, unsigned long long seed)
{
	const int before = wrong;
	int tried = 0, back = 0;

	memset(kept, 0, sizeof kept);
	memset(lost, 0, sizeof lost);
	for (; back < count && tried < TRIES * count; tried++, seed++) {
		struct dice d = dice_of(seed);
		const struct plan p = random_plan_for(&d, by);
		struct plan first, second;

		if (!is_legal(&p) || !go(by, &p, &first, seed))
			continue;
		back++;
		if (is_legal(&first))
			go(by, &first, &second, seed);
	}
	if (getenv("KEEPS") != NULL)
		print_keeps(by->name);
	printf("%-16s %d of %d come back, %d tried\n", by->name, back - (wrong > before ? wrong - before : 0), count, tried);
	if (back < count)
		tell(by->name, seed, "too few plans that it takes", "");
}

int
main(int argc, char **argv)
{
	const unsigned long long seed = getenv("SEED") != NULL ? strtoull(getenv("SEED"), NULL, 10) : 1;
	const int count = argc > 1 ? atoi(argv[1]) : BRIEF;
	char dir[] = "/tmp/returns.XXXXXX", data[4096];
	struct file_errors errors = { 0 };

	text_put(data, sizeof data, "%s/share", getenv("TOP") != NULL ? getenv("TOP") : ".");
	setenv("SHARDPLAN_DATADIR", data, 0);
	if (mkdtemp(dir) == NULL || chdir(dir) != 0)
		return 99;
	setenv("HOME", dir, 1);
	setenv("XDG_CONFIG_HOME", dir, 1);
	paths_init(NULL);
	if (!catalog_load(&catalog, &errors)) {
		fprintf(stderr, "%s\n", errors.line[0]);
		return 99;
	}
	printf("seed %llu\n", seed);
	for (size_t i = 0; i < export_count; i++)
		if (export_table[i].kind != NULL && (argc < 3 || text_equal(argv[2], export_table[i].name)))
			test_target(&export_table[i], count, seed);
	catalog_free(&catalog);
	rmdir(dir);
	return wrong > 0;
}
