#include "file/export/trainers.h"

#include "core/base/number.h"
#include "core/framework/resolve.h"
#include "core/plan/field.h"
#include "core/plan/nodes.h"
#include "core/train/drive.h"
#include "file/export/tree.h"
#include "file/export/writers.h"

/* What is trained, and on what, is the script's that the settings are for. */
static void
tell_script(struct export *e)
{
	export_missing(e, FIELD_FINETUNE, "your script says what is trained");
	for (enum field_id f = 0; f < FIELD_COUNT; f++)
		if (field_is_of(f, "finetune rl"))
			field_set_add(&e->said, f);
}

/* A file of settings with its head, which tells what they do not say. */
static void
put_settings(struct export *e, const char *name, struct tree *t,
    void (*language)(struct tree *t, struct textbuf *out), const char *remark)
{
	struct textbuf *out = export_begin(e, name);

	export_head(e, out, "# ");
	textbuf_add(out, "%s", remark);
	language(t, out);
	tree_end(t);
}

/* ---- DeepSpeed ------------------------------------------------------------------------ */

#define DS_CONFIG "DeepSpeed deepspeed/runtime/config.py"

const char *
deepspeed_device(const struct plan *p, bool weights)
{
	const bool none = p->parallel.offload == OFFLOAD_NONE ||
	    (weights && p->parallel.offload != OFFLOAD_OPTIMIZER_PARAMS);
	const bool host = weights ? p->parallel.offload_to != OFFLOAD_TO_NVME :
	    p->parallel.offload_to == OFFLOAD_TO_HOST;

	return none ? "none" : host ? "cpu" : "nvme";
}

/* A buffer holds a rank's part of any parameter (runtime/swap_tensor/partitioned_param_swapper.py):
 * the largest is a table of the vocabulary, or an MLP's. */
static int64_t
buffer_params(const struct plan *p, int64_t ranks)
{
	const int64_t rows = most_of(p->model.vocab_size, p->model.ffn_hidden_size);

	return most_of(100000000, product_of(rows, p->model.hidden_size) / most_of(ranks, 1) + 1);
}

/* What is offloaded of the optimizer, or of weights. */
static void
put_offload(struct tree *t, const struct plan *p, const char *section, bool weights)
{
	const char *device = deepspeed_device(p, weights);

	if (text_equal(device, "none"))
		return;
	tree_text(t, TEXT_OF(96, "zero_optimization.%s.device", section), device);
	tree_bool(t, TEXT_OF(96, "zero_optimization.%s.pin_memory", section), true);
	if (text_equal(device, "nvme"))
		tree_text(t, TEXT_OF(96, "zero_optimization.%s.nvme_path", section), DEEPSPEED_DRIVE);
}

void
deepspeed_tree(struct export *e, struct tree *t, const struct export_sizes *s)
{
	const struct plan *p = e->plan;
	const struct parallel *par = &p->parallel;

	export_rows(e, t, deepspeed_keys);
	tree_int(t, "gradient_accumulation_steps", s->rounds);
	if (p->training.precision == PRECISION_FP16)
		tree_bool(t, "fp16.enabled", true);
	else if (p->training.precision != PRECISION_FP32)
		tree_bool(t, "bf16.enabled", true);
	tree_bool(t, "zero_optimization.overlap_comm", p->training.overlap_grad_reduce);
	EXPORT_SAY(e, FIELD_BUCKET_SIZE);
	if (p->training.bucket_size > 0) {
		tree_int(t, "zero_optimization.reduce_bucket_size", p->training.bucket_size);
		tree_int(t, "zero_optimization.allgather_bucket_size", p->training.bucket_size);
	}
	EXPORT_SAY(e, FIELD_GATHER_16BIT);
	if (p->run.gather_16bit)
		tree_bool(t, "zero_optimization.stage3_gather_16bit_weights_on_model_save", true);
	put_offload(t, p, "offload_optimizer", false);
	put_offload(t, p, "offload_param", true);
	if (drive_has_weights(p))
		tree_int(t, "zero_optimization.offload_param.buffer_size",
		    buffer_params(p, s->dp * par->cp));
	EXPORT_SAY(e, FIELD_DP_REPLICATE, FIELD_OFFLOAD_TO);
	if (par->dp_replicate > 1)
		tree_int(t, "zero_optimization.mics_shard_size", s->dp * par->cp / par->dp_replicate);
	tree_real(t, "gradient_clipping", 1);
}

/* launcher/runner.py: a line a node, in the order of ranks. */
static void
put_hosts(struct export *e)
{
	struct textbuf *out = export_begin(e, "hostfile");
	char name[NODE_NAME_SIZE];
	int64_t slots;

	EXPORT_SAY(e, FIELD_NODE_LIST, FIELD_NODE_GPUS, FIELD_DEAD_NODES);
	for (int64_t i = 0; i < e->plan->cluster.nodes; i++) {
		if (e->plan->cluster.node_list[0] != '\0')
			nodes_call(e->plan, i, name, sizeof name);
		else
			text_put(name, sizeof name, "node-%lld", (long long)i + 1);
		for (slots = e->plan->cluster.gpus_per_node; slots > 1 && plan_at_slot(e->plan, i *
		    e->plan->cluster.gpus_per_node + slots - 1) < 0; slots--)
			;
		textbuf_add(out, "%s slots=%lld\n", name, (long long)slots);
	}
}

bool
deepspeed_can_run(struct export *e)
{
	const struct parallel *par = &e->plan->parallel;

	if (par->offload == OFFLOAD_OPTIMIZER_PARAMS && par->zero_stage < 3)
		export_refuse(e, FIELD_OFFLOAD, "target_lacks", "DeepSpeed deepspeed/runtime/zero/config.py",
		    "parameters are offloaded at ZeRO stage 3 alone");
	return diag_count(&e->diags, SEVERITY_ERROR) == 0;
}

void
deepspeed_write(struct export *e)
{
	const struct plan *p = e->plan;
	const struct export_sizes s = export_sizes_of(p);
	struct tree t = { 0 };
	struct textbuf *out;

	if (!deepspeed_can_run(e))
		return;
	e->world = s.world / p->parallel.pp; /* of a stage, as the settings know none */
	if (p->parallel.pp > 1)
		export_missing(e, FIELD_PP, "num_stages of PipelineModule in your script");
	tell_script(e);
	export_missing(e, FIELD_EP, "ep_size of the MoE layers in your script");
	export_missing(e, FIELD_RECOMPUTE, "the model's own code recomputes");
	export_away(e, &t, "DeepSpeed", &deepspeed_away);
	if (p->training.precision > PRECISION_BF16)
		export_missing(e, FIELD_PRECISION, "bf16 is written; the model's own code uses less");
	deepspeed_tree(e, &t, &s);
	out = export_begin(e, "ds_config.json");
	tree_json(&t, out);
	tree_end(&t);
	put_hosts(e);
	out = export_begin(e, "deepspeed.sh");
	textbuf_add(out, "#!/bin/sh\n");
	export_head(e, out, "# ");
	export_put_network(out, p, p->cluster.nodes);
	textbuf_add(out, "# The hosts in hostfile are yours to name.\nexec deepspeed --hostfile=hostfile ");
	if (!plan_nodes_differ(p)) /* --num_gpus takes as many of each host, whatever its slots */
		textbuf_add(out, "--num_nodes=%lld --num_gpus=%lld ", (long long)p->cluster.nodes,
		    (long long)p->cluster.gpus_per_node);
	textbuf_add(out, "\\\n\t\"${SCRIPT:?the training script, such as train.py}\" --deepspeed --deepspeed_config ds_config.json "
	    "\"$@\"\n");
}

/* ---- nanotron ------------------------------------------------------------------------- */

static void
nanotron_tree(struct export *e, struct tree *t, const struct export_sizes *s)
{
	tree_int(t, "parallelism.dp", s->dp);
	export_rows(e, t, nanotron_keys);
	tree_int(t, "tokens.batch_accumulation_per_replica", s->rounds);
	/* helpers.py builds the same sharded optimizer for any stage above 0. */
	tree_int(t, "optimizer.zero_stage", e->plan->parallel.zero_stage > 0);
	tree_bool(t, "model.model_config.is_llama_config", true);
}

/* A model of other sizes than LlamaConfig has keys for is none that it builds. */
static void
nanotron_model(struct export *e)
{
	const struct model *m = &e->plan->model;
	struct field_set keys = { 0 };
	struct plan usual;

	plan_defaults(&usual);
	usual.model.head_dim = m->hidden_size / m->attention_heads;
	for (const struct settings_key *row = nanotron_keys; row->path != NULL; row++)
		field_set_add(&keys, row->field);
	for (enum field_id f = 0; f < FIELD_COUNT; f++)
		if (field_entry(f) == FIELD_PRESET && field_in_use(f, e->plan) &&
		    !field_set_has(&keys, f) && f != FIELD_VOCAB_MULTIPLE && !field_same(f, e->plan, &usual)) {
			export_refuse(e, f, "target_lacks", "nanotron src/nanotron/config/models_config.py",
			    "nanotron's LlamaConfig has no %s", field_table[f].path);
			return;
		}
}

void
nanotron_write(struct export *e)
{
	static const char config[] = "nanotron src/nanotron/config/config.py";
	const struct plan *p = e->plan;
	const struct export_sizes s = export_sizes_of(p);
	struct tree t = { 0 };

	export_refuse_above_one(e, FIELD_ZERO_STAGE, "nanotron src/nanotron/helpers.py",
	    "nanotron shards the optimizer alone");
	export_refuse_above_one(e, FIELD_VPP, config, "nanotron has one chunk a stage");
	if (plan_schedule(p) != SCHEDULE_1F1B && plan_schedule(p) != SCHEDULE_GPIPE)
		export_refuse(e, FIELD_SCHEDULE, "target_lacks", config, "nanotron runs 1f1b and afab");
	if (p->training.recompute == RECOMPUTE_SELECTIVE)
		export_refuse(e, FIELD_RECOMPUTE, "target_lacks", config,
		    "nanotron recomputes whole layers or nothing");
	nanotron_model(e);
	if (p->training.precision > PRECISION_BF16)
		export_refuse(e, FIELD_PRECISION, "target_lacks", config,
		    "its released trainer computes in bf16 at the least");
	if (diag_count(&e->diags, SEVERITY_ERROR) > 0)
		return;
	export_missing(e, FIELD_OFFLOAD, "nanotron keeps all on the GPU");
	nanotron_tree(e, &t, &s);
	put_settings(e, "nanotron.yaml", &t, tree_yaml,
	    "# Data, schedule and checkpoints are yours to add.\n");
	export_torchrun(e, "nanotron.sh", "run_train.py --config-file nanotron.yaml");
}

/* ---- Accelerate ----------------------------------------------------------------------- */

#define ACCELERATE "Accelerate src/accelerate/parallelism_config.py"

void
accelerate_tree(struct export *e, struct tree *t, const struct export_sizes *s)
{
	const struct parallel *par = &e->plan->parallel;
	const bool sharded = export_is_sharded(e->plan, s);

	tree_text(t, "compute_environment", "LOCAL_MACHINE");
	tree_text(t, "distributed_type", sharded ? "FSDP" : s->world > 1 ? "MULTI_GPU" : "NO");
	tree_int(t, "num_processes", s->world);
	tree_int(t, "machine_rank", 0);
	export_rows(e, t, accelerate_keys);
	if (!sharded)
		return;
	tree_int(t, "fsdp_config.fsdp_version", 2);
	export_rows(e, t, fsdp_keys);
	tree_text(t, "fsdp_config.fsdp_auto_wrap_policy", "TRANSFORMER_BASED_WRAP");
	tree_text(t, "fsdp_config.fsdp_state_dict_type", "SHARDED_STATE_DICT");
	tree_int(t, "parallelism_config.parallelism_config_dp_shard_size", s->dp / par->dp_replicate);
}

bool
accelerate_can_run(struct export *e)
{
	const struct parallel *par = &e->plan->parallel;
	const struct export_sizes s = export_sizes_of(e->plan);

	export_refuse_above_one(e, FIELD_PP, ACCELERATE, "Accelerate has no pipeline");
	export_refuse_above_one(e, FIELD_EP, ACCELERATE, "Accelerate has no expert parallelism");
	if (par->zero_stage == 1 && s.world > 1)
		export_refuse(e, FIELD_ZERO_STAGE, "target_lacks", ACCELERATE,
		    "FSDP shards gradients too: ZeRO stage 2 or 3");
	if (par->zero_stage == 0 && (par->tp > 1 || par->cp > 1))
		export_refuse(e, FIELD_ZERO_STAGE, "target_lacks", ACCELERATE,
		    "TP and CP go with FSDP: ZeRO stage 2 or 3");
	if (par->zero_stage > 0 && par->dp_replicate > 1 && s.dp == par->dp_replicate &&
	    (par->tp > 1 || par->cp > 1))
		export_refuse(e, FIELD_DP_REPLICATE, "target_refuses", ACCELERATE,
		    "TP and CP cannot be used with pure data parallelism (dp_shard_size == 1)");
	if (par->offload != OFFLOAD_NONE && (par->offload == OFFLOAD_OPTIMIZER ||
	    !export_is_sharded(e->plan, &s)))
		export_refuse(e, FIELD_OFFLOAD, "target_lacks", ACCELERATE,
		    "FSDP alone offloads, parameters with the optimizer");
	if (e->plan->training.recompute == RECOMPUTE_SELECTIVE)
		export_refuse(e, FIELD_RECOMPUTE, "target_lacks", ACCELERATE,
		    "activation checkpointing is of whole layers");
	return diag_count(&e->diags, SEVERITY_ERROR) == 0;
}

void
accelerate_write(struct export *e)
{
	const struct export_sizes s = export_sizes_of(e->plan);
	struct tree t = { 0 };

	if (!accelerate_can_run(e))
		return;
	tell_script(e);
	export_missing(e, FIELD_PRESET, "your script loads it");
	export_missing(e, FIELD_SEQUENCE_LENGTH, "an argument of your script");
	export_missing(e, FIELD_MICRO_BATCH_SIZE, "per_device_train_batch_size of your script");
	if (s.rounds > 1)
		notes_add(&e->missing, "not said: gradient_accumulation_steps = %lld: an argument of "
		    "Accelerator in your script", (long long)s.rounds);
	accelerate_tree(e, &t, &s);
	export_away(e, &t, "Accelerate", &accelerate_away);
	put_settings(e, "accelerate.yaml", &t, tree_yaml,
	    "# accelerate launch --config_file accelerate.yaml --main_process_ip HOST \\\n"
	    "#     --main_process_port 29500 --machine_rank N SCRIPT\n");
}
