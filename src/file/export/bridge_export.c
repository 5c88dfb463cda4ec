#include "core/model/adapters.h"
#include "core/plan/batch.h"
#include "file/base/quote.h"
#include "file/export/megatron_export.h"
#include "file/export/parts.h"
#include "file/export/writers.h"
#include "file/launches/settings_keys.h"
#include "file/launches/tuning_keys.h"

/* The name of the plan's precision, NULL: it has none. */
static const char *
find_precision(const struct plan *p, char *buf, size_t size)
{
	char name[32];

	field_format(FIELD_PRECISION, p, name, sizeof name);
	for (const struct settings_key *key = bridge_keys; key->path != NULL; key++)
		if (key->field == FIELD_PRECISION)
			return settings_theirs(key->words, name, buf, size) ? buf : NULL;
	return NULL;
}

/* KEY=VALUE as one word of the shell. A text is in single quotes for Hydra, whose grammar
 * gives parentheses, brackets and commas a meaning; null is no value. */
static void
put_override(struct textbuf *out, const char *key, const char *value, bool is_text)
{
	char word[PLAN_LAYOUT_SIZE + 96];

	if (is_text && value[0] != '\0')
		text_put(word, sizeof word, "%s='%s'", key, value);
	else
		text_put(word, sizeof word, "%s=%s", key, value[0] != '\0' ? value : "null");
	textbuf_bytes(out, "\t", 1);
	quote_shell(out, word);
	textbuf_bytes(out, "\n", 1);
}

static void
put_field(struct textbuf *out, const char *key, enum field_id f, const struct plan *p)
{
	put_override(out, key, FIELD_SHOWN(f, p), field_table[f].type == FIELD_TEXT);
}

static void
put_flag(struct textbuf *out, const char *key, bool on)
{
	put_override(out, key, on ? "true" : "false", false);
}

/* One chunk is none. */
static void
put_chunks(struct textbuf *out, const struct plan *p)
{
	char value[24] = "";

	if (p->parallel.vpp > 1)
		text_put(value, sizeof value, "%lld", (long long)p->parallel.vpp);
	put_override(out, "model.virtual_pipeline_model_parallel_size", value, false);
}

/* Rows that are written as they stand; what has words of its own, or goes with other keys, is written
 * beside them. */
static void
put_rows(struct textbuf *out, const struct plan *p)
{
	for (const struct settings_key *key = bridge_keys; key->path != NULL; key++)
		if (key->words == NULL && key->field != FIELD_VPP && key->field != FIELD_RECOMPUTE_METHOD &&
		    key->field != FIELD_RECOMPUTE_LAYERS)
			put_field(out, key->path, key->field, p);
}

/* Whole layers, or what modules keep (megatron_offload_modules). */
static void
put_offload(struct textbuf *out, const struct plan *p)
{
	const bool modules = batch_offloads_modules(p);
	char names[MEGATRON_MODULES_SIZE], text[MEGATRON_MODULES_SIZE + 8], share[32];

	put_flag(out, "model.cpu_offloading", p->training.offload_layers > 0 && !modules);
	if (!modules) {
		put_field(out, "model.cpu_offloading_num_layers", FIELD_OFFLOAD_LAYERS, p);
		return;
	}
	megatron_offload_modules(names, p);
	for (char *c = names; *c != '\0'; c++)
		*c = *c == ' ' ? ',' : *c;
	text_put(text, sizeof text, "[%s]", names);
	text_real(share, sizeof share, megatron_offload_share(p));
	put_flag(out, "model.fine_grained_activation_offloading", true);
	put_override(out, "model.offload_modules", text, false);
	put_override(out, "model.activation_offload_fraction", share, false);
}

static void
put_recompute(struct textbuf *out, const struct plan *p)
{
	const bool full = p->training.recompute == RECOMPUTE_FULL;
	char text[PLAN_LIST_SIZE + 2] = "";

	if (p->training.recompute != RECOMPUTE_NONE)
		field_format(FIELD_RECOMPUTE, p, text, sizeof text);
	put_override(out, "model.recompute_granularity", text, false);
	if (full)
		put_field(out, "model.recompute_method", FIELD_RECOMPUTE_METHOD, p);
	else
		put_override(out, "model.recompute_method", "", false);
	if (full)
		put_field(out, "model.recompute_num_layers", FIELD_RECOMPUTE_LAYERS, p);
	else
		put_override(out, "model.recompute_num_layers", "", false);
	text_put(text, sizeof text, "[%s]", p->training.recompute_modules);
	if (p->training.recompute == RECOMPUTE_SELECTIVE)
		put_override(out, "model.recompute_modules", text, false);
}

static void
put_state(struct textbuf *out, const struct plan *p)
{
	char name[64];
	const char *precision = find_precision(p, name, sizeof name);

	put_flag(out, "ddp.use_distributed_optimizer", p->parallel.zero_stage >= 1);
	put_flag(out, "optimizer.use_distributed_optimizer", p->parallel.zero_stage >= 1);
	put_flag(out, "ddp.use_megatron_fsdp", p->parallel.zero_stage >= 2);
	if (p->parallel.zero_stage >= 2)
		put_override(out, "ddp.data_parallel_sharding_strategy",
		    p->parallel.zero_stage == 2 ? "optim_grads" : "optim_grads_params", false);
	put_flag(out, "ddp.overlap_param_gather", p->parallel.zero_stage >= 1 &&
	    p->training.overlap_param_gather);
	if (p->training.bucket_size > 0)
		put_field(out, "ddp.bucket_size", FIELD_BUCKET_SIZE, p);
	if (precision != NULL)
		put_override(out, "mixed_precision", precision, false);
	put_flag(out, "ddp.grad_reduce_in_fp32", p->training.grad_dtype == GRAD_FP32);
}

/* src/megatron/bridge/peft/lora.py, dora.py. */
static void
put_adapters(struct export *e, struct textbuf *out)
{
	const struct plan *p = e->plan;
	const unsigned targets = adapters_targets(p);
	char names[TUNING_NAMES_SIZE], list[TUNING_NAMES_SIZE + 2];

	if (!adapters_only(p))
		return;
	text_put(list, sizeof list, "[%s]", tuning_names(names, p, targets, true));
	put_field(out, "peft.dim", FIELD_ADAPTER_RANK, p);
	put_field(out, "peft.dropout", FIELD_ADAPTER_DROPOUT, p);
	put_override(out, "peft.target_modules", list, false);
	if (targets & TARGET_EXPERTS)
		put_flag(out, "peft.share_expert_adapters",
		    p->finetune.expert_adapters == ADAPTERS_SHARED);
}

/* Of setup_experiment.py. */
static const char *
mode_of(const struct plan *p)
{
	static const char *const modes[] = { [FINETUNE_NONE] = "pretrain", [FINETUNE_FULL] = "sft",
		[FINETUNE_LORA] = "lora", [FINETUNE_DORA] = "dora" };

	return modes[p->finetune.method];
}

static void
tell_adapters(struct export *e)
{
	export_missing(e, FIELD_MODULES_TO_SAVE, "adapters alone are trained");
	export_missing(e, FIELD_PACKING, "dataset.packed_sequence_specs of the recipe");
}

/* Sizes of the model are the recipe's, as is what else no override says; what the user chose of
 * them is told. */
static void
tell_missing(struct export *e)
{
	char name[64];

	if (find_precision(e->plan, name, sizeof name) == NULL)
		export_missing(e, FIELD_PRECISION, "there is no mixed precision of that name");
	if (batch_offloads_modules(e->plan))
		export_missing(e, FIELD_OFFLOAD_LAYERS, "activation_offload_fraction has the share of layers");
	for (const struct settings_key *key = bridge_keys; key->path != NULL; key++)
		field_set_add(&e->said, key->field);
	EXPORT_SAY(e, FIELD_OFFLOAD_LAYERS, FIELD_LAYOUT, FIELD_PRESET, FIELD_RECOMPUTE_MODULES, FIELD_ZERO_STAGE,
	    FIELD_BUCKET_SIZE, FIELD_OVERLAP_PARAM_GATHER, FIELD_GRAD_DTYPE, FIELD_SCHEDULE, FIELD_FINETUNE,
	    FIELD_ADAPTER_RANK, FIELD_ADAPTER_DROPOUT, FIELD_ADAPTER_TARGET, FIELD_EXPERT_ADAPTERS);
	export_missing_rest(e, "the recipe tells");
}

void
bridge_write(struct export *e)
{
	const struct plan *p = e->plan;
	struct textbuf *out;

	if (!megatron_can_run(e))
		return;
	tell_adapters(e);
	tell_missing(e);
	out = export_begin(e, "bridge.sh");
	textbuf_add(out, "#!/bin/bash\n");
	export_head(e, out, "# ");
	export_put_network(out, p, p->cluster.nodes);
	textbuf_add(out, "overrides=(\n");
	put_rows(out, p);
	put_offload(out, p);
	put_chunks(out, p);
	put_recompute(out, p);
	put_state(out, p);
	put_adapters(e, out);
	textbuf_add(out, ")\n"
	    "# the recipe of %s; account, partition and container as arguments\n"
	    "exec ./scripts/training/train.sh --nodes %lld --gpus-per-node %lld \\\n"
	    "\t--mode %s --recipe \"${RECIPE:?is the name of a recipe}\" \"$@\" "
	    "\"${overrides[@]}\"\n", p->model.preset, (long long)p->cluster.nodes,
	    (long long)p->cluster.gpus_per_node, mode_of(p));
}
