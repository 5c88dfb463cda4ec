#include "core/model/adapters.h"
#include "core/plan/field.h"
#include "file/export/parts.h"
#include "file/export/writers.h"
#include "file/launches/tuning_keys.h"

#define TORCHTUNE "pytorch/torchtune recipes/lora_finetune_distributed.py"

/* Projections of attention by name, all of the MLP or none (torchtune/modules/peft). */
static void
put_torchtune_adapters(struct export *e, struct tree *t)
{
	const struct plan *p = e->plan;
	const unsigned targets = adapters_targets(p), mlp = targets & TARGET_MLP;
	const unsigned whole = TARGET_GATE | TARGET_UP | TARGET_DOWN;
	const unsigned known = TARGET_LINEAR | TARGET_HEAD; /* it has no mixers */

	if ((targets & ~known) != 0 || (mlp != 0 && mlp != whole) || adapters_saved(p) != 0)
		export_refuse(e, FIELD_ADAPTER_TARGET, "target_lacks", "pytorch/torchtune "
		    "torchtune/models/llama3_1/_component_builders.py",
		    "adapters sit beside q, k, v and o, all of the MLP, and the head");
	export_rows(e, t, torchtune_adapters);
	tree_list(t, "model.lora_attn_modules", TEXT_OF(64, "%s%s%s%s", targets & TARGET_Q ? "q_proj," : "", targets &
	    TARGET_K ? "k_proj," : "", targets & TARGET_V ? "v_proj," : "", targets & TARGET_O ? "output_proj," :
	    ""));
	tree_bool(t, "model.apply_lora_to_mlp", mlp != 0);
	tree_bool(t, "model.apply_lora_to_output", (targets & TARGET_HEAD) != 0);
	tree_int(t, "model.lora_alpha", 2 * p->finetune.rank);
	if (p->finetune.method == FINETUNE_DORA)
		tree_bool(t, "model.use_dora", true);
	if (p->finetune.quantization == QUANT_NF4_DQ)
		tree_bool(t, "model.quantize_base", true);
	else if (p->finetune.quantization != QUANT_NONE)
		export_refuse(e, FIELD_QUANTIZATION, "target_lacks", "pytorch/torchtune "
		    "torchtune/modules/low_precision/nf4_linear.py",
		    "torchtune quantises to NF4 with double quantisation");
}

static void
torchtune_rules(struct export *e, const struct export_sizes *s)
{
	const struct plan *p = e->plan;
	const int64_t kernels = p->finetune.kernels;

	export_refuse_above_one(e, FIELD_PP, TORCHTUNE, "torchtune has no pipeline");
	export_refuse_above_one(e, FIELD_EP, TORCHTUNE, "torchtune has no expert parallelism");
	if (p->training.recompute == RECOMPUTE_SELECTIVE)
		export_refuse(e, FIELD_RECOMPUTE, "target_lacks", TORCHTUNE,
		    "torchtune recomputes whole layers or nothing");
	if (s->world > 1 && p->parallel.zero_stage < 2)
		export_refuse(e, FIELD_ZERO_STAGE, "target_lacks", TORCHTUNE,
		    "torchtune shards with FSDP: ZeRO stage 2 or 3");
	if (s->world > 1 && plan_has_bitsandbytes(p))
		export_refuse(e, FIELD_OPTIMIZER, "target_lacks", "pytorch/torchtune "
		    "docs/source/tutorials/memory_optimizations.rst",
		    "bitsandbytes' optimizers are of single device recipes");
	if (p->parallel.offload == OFFLOAD_OPTIMIZER || (p->parallel.offload != OFFLOAD_NONE &&
	    s->world == 1))
		export_refuse(e, FIELD_OFFLOAD, "target_lacks", TORCHTUNE,
		    "fsdp_cpu_offload moves parameters with the optimizer, of several GPUs");
	if (kernels != KERNELS_TORCHTUNE && field_is_chosen(FIELD_KERNELS, p))
		export_refuse(e, FIELD_KERNELS, "target_lacks", TORCHTUNE,
		    "torchtune has modules of its own: finetune.kernels is torchtune");
}

void
torchtune_write(struct export *e)
{
	const struct plan *p = e->plan;
	const struct export_sizes s = export_sizes_of(p);
	const bool adapters = adapters_only(p), one = s.world == 1;
	struct tree t = { 0 };
	struct textbuf *out;

	torchtune_rules(e, &s);
	if (diag_count(&e->diags, SEVERITY_ERROR) > 0)
		return;
	if (adapters)
		put_torchtune_adapters(e, &t);
	if (p->finetune.kernels != KERNELS_TORCHTUNE)
		notes_add(&e->missing, "memory was estimated for other modules than torchtune's: "
		    "finetune.kernels=torchtune is what runs");
	export_missing(e, FIELD_ADAPTER_DTYPE, "adapters have the type of the model");
	EXPORT_SAY(e, FIELD_KERNELS, FIELD_MODULES_TO_SAVE);
	notes_add(&e->missing, "data, checkpoint and learning rate are those of the configuration");
	export_rows(e, &t, torchtune_keys);
	export_away(e, &t, "torchtune", &torchtune_away);
	tree_int(&t, TUNING_STEPS, s.rounds);
	if (!one)
		tree_bool(&t, "fsdp_reshard_after_forward", p->parallel.zero_stage == 3);
	export_tell_rest(e);
	out = export_begin(e, "torchtune.sh");
	textbuf_add(out, "#!/bin/bash\n");
	export_head(e, out, "# ");
	export_put_network(out, p, p->cluster.nodes);
	textbuf_add(out, "overrides=(\n");
	tree_words(&t, out, WORDS_OVERRIDES);
	tree_end(&t);
	textbuf_add(out, ")\n# a configuration of %s, as llama3_1/8B_lora ('tune ls' lists them)\n",
	    p->model.preset);
	if (one)
		textbuf_add(out, "exec tune run %s_finetune_single_device", adapters ? "lora" : "full");
	else
		textbuf_add(out, "exec tune run --nnodes %lld --nproc_per_node %lld "
		    "%s_finetune_distributed", (long long)p->cluster.nodes,
		    (long long)p->cluster.gpus_per_node, adapters ? "lora" : "full");
	textbuf_add(out, " \\\n\t--config \"${CONFIG:?a configuration of the model}\" "
	    "\"${overrides[@]}\" \"$@\"\n");
}
