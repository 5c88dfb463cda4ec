#include "core/model/adapters.h"
#include "file/export/parts.h"
#include "file/export/trainers.h"
#include "file/export/tuner_rollouts.h"
#include "file/export/writers.h"
#include "file/launches/tuning_keys.h"

#define BITSANDBYTES "bitsandbytes-foundation/bitsandbytes bitsandbytes/optim/adamw.py"
#define AXOLOTL_CONFIG "axolotl src/axolotl/utils/schemas/validation.py"

/* ---- what trainers of Hugging Face's models have in common ---------------------------------- */

/* The word for true or false is a boolean. */
static void
put_word(struct tree *t, const char *key, const char *word)
{
	if (text_equal(word, "true") || text_equal(word, "false"))
		tree_bool(t, key, text_equal(word, "true"));
	else
		tree_text(t, key, word);
}

/* A list, or one text with commas, as the program has it. */
static void
put_names(struct tree *t, const struct tuner *d, const char *key, const char *names)
{
	if (!d->joined)
		tree_list(t, key, names);
	else if (names[0] != '\0')
		tree_text(t, key, names);
}

static void
put_targets(struct export *e, struct tree *t, const struct tuner *d)
{
	const struct plan *p = e->plan;
	const unsigned targets = adapters_targets(p);
	char names[TUNING_NAMES_SIZE];

	put_names(t, d, d->targets, tuning_is_linear(targets) ? d->linear :
	    tuning_names(names, p, targets, false));
	if ((targets & TARGET_EXPERTS) && d->parameters == NULL) {
		export_refuse(e, FIELD_ADAPTER_TARGET, "target_lacks", d->program,
		    "%s has no adapters beside stacked weights of experts", d->program);
	} else if (targets & TARGET_EXPERTS) {
		tree_list(t, d->parameters, "mlp.experts.gate_up_proj,mlp.experts.down_proj");
	}
	put_names(t, d, d->saved, tuning_names(names, p, adapters_saved(p), false));
	EXPORT_SAY(e, FIELD_MODULES_TO_SAVE, FIELD_EXPERT_ADAPTERS);
}

static void
put_quantization(struct export *e, struct tree *t, const struct tuner *d)
{
	const int64_t format = e->plan->finetune.quantization;
	const bool nested = format == QUANT_NF4_DQ;

	if (format == QUANT_INT4)
		export_missing(e, FIELD_QUANTIZATION, "MODEL names a checkpoint in this format");
	if (format == QUANT_NONE || format == QUANT_INT4)
		return;
	if (d->bits != NULL)
		tree_int(t, d->bits, format == QUANT_INT8 ? 8 : 4);
	else
		tree_bool(t, format == QUANT_INT8 ? "load_in_8bit" : "load_in_4bit", true);
	if (format != QUANT_INT8 && nested != d->nests)
		tree_bool(t, d->nested, nested);
}

/* All weights or adapters, and of which kind. */
static void
put_method(struct export *e, struct tree *t, const struct tuner *d)
{
	const int64_t method = e->plan->finetune.method;

	if (!adapters_only(e->plan)) {
		if (d->full != NULL)
			put_word(t, d->method, d->full);
		return;
	}
	put_word(t, d->method, method == FINETUNE_QLORA ? d->qlora : d->lora);
	if (method == FINETUNE_DORA)
		tree_bool(t, d->dora, true);
	export_rows(e, t, d->adapters);
	put_targets(e, t, d);
	put_quantization(e, t, d);
}

/* bf16 and fp16 are switches; neither is fp32. ms-swift computes in fp16 where weights are fp32 and nobody says. */
static void
put_precision(struct export *e, struct tree *t, const struct tuner *d)
{
	const int64_t precision = e->plan->training.precision;

	if (precision > PRECISION_BF16)
		export_refuse(e, FIELD_PRECISION, "target_lacks", d->program,
		    "%s computes in bf16 at the least with these settings", d->program);
	tree_bool(t, "bf16", precision == PRECISION_BF16);
	if (precision == PRECISION_FP16 || d == &tuner_swift)
		tree_bool(t, "fp16", precision == PRECISION_FP16);
}

PLAN_IF(with_deepspeed, export_layout_is(p, "deepspeed"))

static bool
with_fsdp(const struct plan *p, const struct export_sizes *s)
{
	return !with_deepspeed(p) && export_is_sharded(p, s);
}

/* The type that weights are loaded in is that of what is trained: no engine makes another of it. */
static bool
loads_trained(const struct plan *p, const struct tuner *d, const struct export_sizes *s)
{
	return p->finetune.method == FINETUNE_FULL && p->training.precision == PRECISION_BF16 &&
	    !with_deepspeed(p) && !with_fsdp(p, s) && d->weights != NULL;
}

/* FSDP checkpoints layers by itself, and gathers them once for that: not the trainer too
 * (huggingface/transformers src/transformers/trainer.py refuses both). What sends their inputs to
 * the host is the trainer's. */
PLAN_IF(fsdp_checkpoints, p->training.recompute == RECOMPUTE_FULL && p->training.offload_layers == 0)

/* Pairs, or responses: DPOConfig and GRPOConfig of TRL have no such key, axolotl (utils/schemas/validation.py) and
 * LLaMA-Factory (hparams/parser.py, neat_packing) refuse it, ms-swift but for DPO (swift/arguments/rlhf_args.py). */
static bool
packs(const struct plan *p, const struct tuner *d)
{
	return d == &tuner_swift && p->rl.algorithm == RL_DPO && p->rl.reference;
}

static void
put_settings(struct export *e, struct tree *t, const struct tuner *d,
    const struct export_sizes *s)
{
	put_method(e, t, d);
	export_rows(e, t, d->keys);
	if (plan_has_rl(e->plan) && !packs(e->plan, d))
		tuner_drop(t, d, FIELD_PACKING);
	if (loads_trained(e->plan, d, s))
		export_rows(e, t, d->weights); /* over the type that the keys say */
	put_precision(e, t, d);
	tree_int(t, TUNING_STEPS, s->rounds);
	if (with_fsdp(e->plan, s) && fsdp_checkpoints(e->plan))
		put_word(t, d->checkpointing, d->off);
	export_away(e, t, d->program, &d->away);
}

/* Whether a trainer of this kind starts the plan; `splits`: it has TP and CP under FSDP. */
static bool
can_run(struct export *e, const struct tuner *d, bool splits)
{
	const struct plan *p = e->plan;
	const struct export_sizes s = export_sizes_of(p);
	char why[64];

	text_put(why, sizeof why, "%s splits no sequence and no layer", d->program);
	if (!splits || with_deepspeed(p)) {
		export_refuse_above_one(e, FIELD_TP, d->program, why);
		export_refuse_above_one(e, FIELD_CP, d->program, why);
	}
	export_refuse_above_one(e, FIELD_PP, d->program, why);
	export_refuse_above_one(e, FIELD_EP, d->program, why);
	if (with_fsdp(p, &s) && plan_has_bitsandbytes(p))
		export_refuse(e, FIELD_OPTIMIZER, "target_lacks", BITSANDBYTES,
		    "bitsandbytes' optimizers do not take FSDP2's sharded tensors");
	if (diag_count(&e->diags, SEVERITY_ERROR) > 0)
		return false;
	if (p->training.recompute == RECOMPUTE_SELECTIVE)
		export_refuse(e, FIELD_RECOMPUTE, "target_lacks", d->program,
		    "%s recomputes whole layers or nothing", d->program);
	return (!plan_has_rollouts(p) || tuner_takes_rollouts(e, d)) &&
	    (with_deepspeed(p) ? deepspeed_can_run(e) : accelerate_can_run(e));
}

static void
tell_missing(struct export *e, const struct tuner *d)
{
	if (plan_has_experts(e->plan) && (adapters_targets(e->plan) & TARGET_EXPERTS) &&
	    e->plan->finetune.expert_adapters == ADAPTERS_SHARED)
		export_missing(e, FIELD_EXPERT_ADAPTERS, "PEFT gives each expert its own");
	/* Accelerate's FSDP and ds_config.json have copies of shards; ms-swift's FSDP and the DeepSpeed
	 * of Accelerate, which TRL starts, do not. */
	if (d != (with_deepspeed(e->plan) ? &tuner_trl : &tuner_swift))
		EXPORT_SAY(e, FIELD_DP_REPLICATE);
	if (d != &tuner_trl || e->plan->finetune.kernels == KERNELS_LIGER)
		export_missing(e, FIELD_CROSS_ENTROPY, "it follows the kernels");
	if (plan_has_rl(e->plan))
		export_missing(e, FIELD_PACKING, "neither pairs nor responses are packed");
	notes_add(&e->missing, "data, template, learning rate and lora_alpha of %s are yours to add",
	    d->program);
}

static void
put_file(struct export *e, struct tree *t, const char *name)
{
	struct textbuf *out = export_begin(e, name);

	export_tell_rest(e);
	export_head(e, out, "# ");
	tree_yaml(t, out);
}

/* ds_config.json holds no comment. */
static void
put_deepspeed(struct export *e, const struct export_sizes *s)
{
	struct tree t = { 0 };

	deepspeed_tree(e, &t, s);
	tree_json(&t, export_begin(e, "ds_config.json"));
	tree_end(&t);
}

/* The settings, and those of DeepSpeed that they name. */
static void
finish_settings(struct export *e, struct tree *t, const char *name, const struct export_sizes *s)
{
	if (with_deepspeed(e->plan))
		tree_text(t, "deepspeed", "ds_config.json");
	put_file(e, t, name);
	tree_end(t);
	if (with_deepspeed(e->plan))
		put_deepspeed(e, s);
}

/* Where Accelerate has DeepSpeed offload the optimizer, or parameters. */
static void
put_device(struct tree *t, const char *what, const char *device)
{
	tree_text(t, TEXT_OF(64, "deepspeed_config.offload_%s_device", what), device);
	if (text_equal(device, "nvme"))
		tree_text(t, TEXT_OF(64, "deepspeed_config.offload_%s_nvme_path", what), DEEPSPEED_DRIVE);
}

/* commands/config/config_args.py; the trainer's own arguments say the batch. */
static void
put_accelerate(struct export *e, const struct export_sizes *s)
{
	const struct parallel *par = &e->plan->parallel;
	struct tree t = { 0 };

	if (with_deepspeed(e->plan)) {
		tree_text(&t, "compute_environment", "LOCAL_MACHINE");
		tree_text(&t, "distributed_type", "DEEPSPEED");
		tree_int(&t, "num_machines", e->plan->cluster.nodes);
		tree_int(&t, "num_processes", s->world);
		tree_int(&t, "deepspeed_config.zero_stage", par->zero_stage);
		tree_int(&t, "deepspeed_config.gradient_accumulation_steps", s->rounds);
		put_device(&t, "optimizer", deepspeed_device(e->plan, false));
		put_device(&t, "param", deepspeed_device(e->plan, true));
		EXPORT_SAY(e, FIELD_OFFLOAD_TO);
		tree_bool(&t, "deepspeed_config.zero3_init_flag", par->zero_stage == 3);
	} else {
		accelerate_tree(e, &t, s);
		if (with_fsdp(e->plan, s) && !fsdp_checkpoints(e->plan))
			tree_bool(&t, "fsdp_config.fsdp_activation_checkpointing", false);
	}
	put_file(e, &t, "accelerate.yaml");
	tree_end(&t);
}

/* Ranks of nodes by torchrun's names, for those that start it by the environment. */
static void
put_environment(struct textbuf *out, const struct plan *p)
{
	textbuf_add(out, "export NNODES=%lld NPROC_PER_NODE=%lld\n"
	    "export NODE_RANK=\"${NODE_RANK:-0}\" MASTER_ADDR=\"${MASTER_ADDR:-localhost}\"\n"
	    "export MASTER_PORT=\"${MASTER_PORT:-29500}\"\n", (long long)p->cluster.nodes,
	    (long long)p->cluster.gpus_per_node);
}

/* ---- TRL -------------------------------------------------------------------------------- */

/* A loss of whole logits is chosen, that in chunks is SFT's own (trl/trainer/sft_config.py). */
static void
trl_loss(struct export *e, struct tree *t)
{
	const struct plan *p = e->plan;

	if (p->finetune.kernels == KERNELS_LIGER || plan_has_rl(p))
		return;
	if (p->training.cross_entropy != CE_CHUNKED_NLL && p->training.cross_entropy != CE_HF)
		export_missing(e, FIELD_CROSS_ENTROPY, "TRL has that of whole logits (hf) and chunked-nll");
	EXPORT_SAY(e, FIELD_CROSS_ENTROPY);
	tree_text(t, "loss_type", p->training.cross_entropy == CE_CHUNKED_NLL ? "chunked_nll" : "nll");
}

/* Pairs with a reference model, or with a loss that needs none. */
static const char *
pairs_word(struct export *e)
{
	EXPORT_SAY(e, FIELD_RL_REFERENCE);
	return e->plan->rl.reference ? "dpo" : "orpo";
}

static const char *
trl_command(const struct plan *p)
{
	return plan_has_rollouts(p) ? "grpo" : p->rl.algorithm == RL_DPO ? "dpo" : p->rl.algorithm == RL_REWARD_MODEL ?
	    "reward" : "sft";
}

void
trl_write(struct export *e)
{
	const struct plan *p = e->plan;
	const struct export_sizes s = export_sizes_of(p);
	struct tree t = { 0 };
	struct textbuf *out;
	struct rl_pools pools;
	char reward[TUNER_REWARD_SIZE];

	if (!can_run(e, &tuner_trl, true) || !rl_pools_of(&pools, e))
		return;
	tell_missing(e, &tuner_trl);
	if (adapters_only(p))
		export_missing(e, FIELD_ADAPTER_DTYPE, "PEFT holds adapters in fp32, DeepSpeed in bf16");
	put_settings(e, &t, &tuner_trl, &s);
	trl_loss(e, &t);
	if (plan_has_rollouts(p))
		tuner_put_rollouts(e, &t, &tuner_trl, &pools);
	/* The storage of 4-bit weights is sharded as any other parameter of its type. */
	if (tree_has(&t, "load_in_4bit") && export_is_sharded(p, &s))
		tree_text(&t, "bnb_4bit_quant_storage", "bfloat16");
	put_file(e, &t, "trl.yaml");
	tree_end(&t);
	put_accelerate(e, &s);
	out = export_begin_script(e, "trl.sh");
	textbuf_add(out, "exec trl %s --config trl.yaml --accelerate_config accelerate.yaml \\\n"
	    "\t--machine_rank \"${NODE_RANK:-0}\" --main_process_ip \"${MASTER_ADDR:-localhost}\" \\\n"
	    "\t--main_process_port \"${MASTER_PORT:-29500}\" --model_name_or_path \"$MODEL\" %s\"$@\"\n",
	    trl_command(p), tuner_reward(reward, p, "--reward_model_name_or_path"));
}

/* ---- axolotl ---------------------------------------------------------------------------- */

static void
axolotl_fsdp(struct tree *t, const struct plan *p, const struct export_sizes *s)
{
	tree_int(t, "fsdp_version", 2);
	tree_int(t, "dp_shard_size", s->dp / p->parallel.dp_replicate);
	tree_bool(t, "fsdp_config.reshard_after_forward", p->parallel.zero_stage == 3);
	tree_bool(t, "fsdp_config.offload_params", p->parallel.offload != OFFLOAD_NONE);
	tree_text(t, "fsdp_config.auto_wrap_policy", "TRANSFORMER_BASED_WRAP");
	tree_text(t, "fsdp_config.state_dict_type", "SHARDED_STATE_DICT");
	tree_bool(t, "fsdp_config.activation_checkpointing", fsdp_checkpoints(p));
}

/* src/axolotl/integrations: kernels and losses are plugins. */
static void
axolotl_kernels(struct export *e, struct tree *t)
{
	const struct plan *p = e->plan;
	const int64_t kernels = p->finetune.kernels;

	EXPORT_SAY(e, FIELD_KERNELS);
	if (kernels != KERNELS_LIGER && kernels != KERNELS_EAGER)
		export_refuse(e, FIELD_KERNELS, "target_lacks", AXOLOTL_CONFIG,
		    "axolotl runs Hugging Face's modules, or Liger's");
	if (kernels == KERNELS_LIGER) {
		tree_list(t, "plugins", "axolotl.integrations.liger.LigerPlugin");
		tree_bool(t, "liger_rope", true);
		tree_bool(t, "liger_rms_norm", true);
		tree_bool(t, "liger_glu_activation", true);
		tree_bool(t, "liger_fused_linear_cross_entropy", true);
	} else if (p->training.cross_entropy == CE_CCE) {
		tree_list(t, "plugins", "axolotl.integrations.cut_cross_entropy.CutCrossEntropyPlugin");
	}
}

void
axolotl_write(struct export *e)
{
	const struct plan *p = e->plan;
	const struct export_sizes s = export_sizes_of(p);
	struct tree t = { 0 };
	struct textbuf *out;
	struct rl_pools pools;

	if (p->parallel.cp > 1 && p->training.micro_batch_size > 1)
		export_refuse(e, FIELD_MICRO_BATCH_SIZE, "target_lacks", AXOLOTL_CONFIG,
		    "micro_batch_size must be 1 with context_parallel_size and sample packing");
	if (!can_run(e, &tuner_axolotl, true) || !rl_pools_of(&pools, e))
		return;
	tell_missing(e, &tuner_axolotl);
	if (plan_has_rollouts(p))
		tree_text(&t, "rl", "grpo");
	else if (p->rl.algorithm == RL_DPO)
		tree_text(&t, "rl", pairs_word(e));
	else if (p->rl.algorithm == RL_REWARD_MODEL)
		tree_bool(&t, "reward_model", true);
	if (p->training.offload_layers > 0 && p->training.recompute == RECOMPUTE_NONE && !adapters_only(p))
		export_refuse(e, FIELD_OFFLOAD_LAYERS, "target_lacks", AXOLOTL_CONFIG,
		    "without adapters axolotl sends inputs of recomputed layers alone to the host");
	put_settings(e, &t, &tuner_axolotl, &s);
	if (p->training.offload_layers > 0) /* it stands for recompute beside adapters */
		tree_bool(&t, "gradient_checkpointing", true);
	if (adapters_only(p)) /* it has no default of its own */
		tree_int(&t, "lora_alpha", 2 * p->finetune.rank);
	axolotl_kernels(e, &t);
	export_tiles(e, &t, "tiled_mlp", "tiled_mlp_num_shards");
	if (p->parallel.cp > 1) /* it asks for it (utils/schemas/validation.py) */
		tree_text(&t, "attn_implementation", "flash_attention_2");
	if (plan_has_rollouts(p))
		tuner_put_rollouts(e, &t, &tuner_axolotl, &pools);
	if (with_fsdp(p, &s))
		axolotl_fsdp(&t, p, &s);
	finish_settings(e, &t, "axolotl.yaml", &s);
	out = export_begin_script(e, "axolotl.sh");
	if (pools.split)
		textbuf_add(out, "# first, on the %lld GPUs of rollouts alone (CUDA_VISIBLE_DEVICES): axolotl vllm-serve axolotl.yaml\n",
		    (long long)p->rl.rollout_gpus);
	textbuf_add(out, "exec axolotl train axolotl.yaml --base-model \"$MODEL\" --launcher torchrun \"$@\" \\\n"
	    "\t-- --nnodes %lld --nproc_per_node %lld --node_rank \"${NODE_RANK:-0}\" \\\n"
	    "\t--master_addr \"${MASTER_ADDR:-localhost}\" --master_port \"${MASTER_PORT:-29500}\"\n",
	    (long long)pools.nodes, (long long)pools.gpus);
}

/* ---- LLaMA-Factory ------------------------------------------------------------------------ */

static void
llamafactory_kernels(struct export *e, struct tree *t)
{
	const int64_t kernels = e->plan->finetune.kernels;

	EXPORT_SAY(e, FIELD_KERNELS);
	if (kernels == KERNELS_LIGER || kernels == KERNELS_UNSLOTH)
		tree_bool(t, kernels == KERNELS_LIGER ? "enable_liger_kernel" : "use_unsloth", true);
	else if (kernels != KERNELS_EAGER)
		export_refuse(e, FIELD_KERNELS, "target_lacks", "LLaMA-Factory src/llamafactory/hparams/"
		    "model_args.py", "LLaMA-Factory runs Hugging Face's modules, Liger's or Unsloth's");
	if (kernels == KERNELS_UNSLOTH && e->plan->parallel.zero_stage == 3 &&
	    plan_world(e->plan) > 1)
		export_refuse(e, FIELD_KERNELS, "target_lacks", "LLaMA-Factory src/llamafactory/hparams/"
		    "parser.py", "Unsloth is incompatible with ZeRO-3");
}

void
llamafactory_write(struct export *e)
{
	const struct plan *p = e->plan;
	const struct export_sizes s = export_sizes_of(p);
	const int64_t algorithm = p->rl.algorithm;
	struct tree t = { 0 };
	struct textbuf *out;

	if (!can_run(e, &tuner_llamafactory, false))
		return;
	tell_missing(e, &tuner_llamafactory);
	if (adapters_only(p))
		export_missing(e, FIELD_ADAPTER_DTYPE, "pure_bf16 alone has them in bf16");
	if (p->training.precision == PRECISION_FP32)
		export_refuse(e, FIELD_PRECISION, "target_lacks", "LLaMA-Factory src/llamafactory/model/patcher.py",
		    "without bf16 and fp16 LLaMA-Factory computes in the checkpoint's type");
	tree_text(&t, "stage", algorithm == RL_DPO ? "dpo" : algorithm == RL_REWARD_MODEL ? "rm" : "sft");
	if (algorithm == RL_DPO && text_equal(pairs_word(e), "orpo"))
		tree_text(&t, "pref_loss", "orpo");
	tree_bool(&t, "do_train", true);
	put_settings(e, &t, &tuner_llamafactory, &s);
	llamafactory_kernels(e, &t);
	if (tree_has(&t, "packing")) /* without it packed samples see one another */
		tree_bool(&t, "neat_packing", true);
	finish_settings(e, &t, "llamafactory.yaml", &s);
	if (with_fsdp(p, &s))
		put_accelerate(e, &s);
	out = export_begin_script(e, "llamafactory.sh");
	if (with_fsdp(p, &s)) {
		textbuf_add(out, "exec accelerate launch --config_file accelerate.yaml \\\n"
		    "\t--machine_rank \"${NODE_RANK:-0}\" --main_process_ip \"${MASTER_ADDR:-localhost}\" \\\n"
		    "\t--main_process_port \"${MASTER_PORT:-29500}\" src/train.py llamafactory.yaml \\\n"
		    "\tmodel_name_or_path=\"$MODEL\" \"$@\"\n");
		return;
	}
	put_environment(out, p);
	textbuf_add(out, "export FORCE_TORCHRUN=1\n"
	    "exec llamafactory-cli train llamafactory.yaml model_name_or_path=\"$MODEL\" \"$@\"\n");
}

/* ---- ms-swift --------------------------------------------------------------------------- */

/* swift/config/fsdp2.json, here within the settings. */
static void
swift_fsdp(struct tree *t, const struct plan *p)
{
	const bool full = p->parallel.zero_stage == 3;

	tree_text(t, "fsdp.fsdp", TEXT_OF(64, "%s auto_wrap%s", full ? "full_shard" : "shard_grad_op",
	    p->parallel.offload != OFFLOAD_NONE ? " offload" : ""));
	tree_int(t, "fsdp.fsdp_config.fsdp_version", 2);
	tree_bool(t, "fsdp.fsdp_config.reshard_after_forward", full);
	tree_text(t, "fsdp.fsdp_config.auto_wrap_policy", "TRANSFORMER_BASED_WRAP");
	tree_text(t, "fsdp.fsdp_config.state_dict_type", "SHARDED_STATE_DICT");
	tree_bool(t, "fsdp.fsdp_config.cpu_ram_efficient_loading", true);
	tree_bool(t, "fsdp.fsdp_config.activation_checkpointing", fsdp_checkpoints(p));
}

void
swift_write(struct export *e)
{
	const struct plan *p = e->plan;
	const struct export_sizes s = export_sizes_of(p);
	struct tree t = { 0 };
	struct textbuf *out;
	struct rl_pools pools;
	char reward[TUNER_REWARD_SIZE];

	if (!can_run(e, &tuner_swift, false) || !rl_pools_of(&pools, e))
		return;
	tell_missing(e, &tuner_swift);
	if (plan_has_rl(p))
		tree_text(&t, "rlhf_type", plan_has_rollouts(p) ? "grpo" : p->rl.algorithm == RL_DPO ? pairs_word(e) : "rm");
	put_settings(e, &t, &tuner_swift, &s);
	if (plan_has_rollouts(p))
		tuner_put_rollouts(e, &t, &tuner_swift, &pools);
	if (tree_has(&t, "quant_bits"))
		tree_text(&t, "quant_method", "bnb");
	if (tree_has(&t, "quant_bits") && export_is_sharded(p, &s))
		tree_text(&t, "bnb_4bit_quant_storage", "bfloat16");
	if (tree_has(&t, "packing"))
		tree_text(&t, "attn_impl", "flash_attention_2");
	if (with_fsdp(p, &s))
		swift_fsdp(&t, p);
	finish_settings(e, &t, "swift.yaml", &s);
	out = export_begin_script(e, "swift.sh");
	put_environment(out, p);
	textbuf_add(out, "exec swift %s swift.yaml --model \"$MODEL\" %s\"$@\"\n", plan_has_rl(p) ? "rlhf" : "sft",
	    tuner_reward(reward, p, "--reward_model"));
}
