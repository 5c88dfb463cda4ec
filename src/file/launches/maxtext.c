/*
 * maxtext.c - MaxText on GPUs: AI-Hypercomputer/maxtext src/maxtext/configs/base.yml (keys and defaults), configs/gpu,
 * configs/pyconfig_deprecated.py (what batches are of).
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "file/launches/launches.h"
#include "file/launches/settings.h"
#include "file/models/checkpoint.h"
#include "file/plan/pathname.h"
#include "file/source/words.h"

static const struct settings_key keys[] = {
	{ "max_target_length", FIELD_SEQUENCE_LENGTH, NULL, "2048" },
	{ "remat_policy", FIELD_RECOMPUTE, "full=full|minimal=none|minimal_with_context=none|minimal_flash=none|save_out_proj=full|"
	    "save_qkv_proj=full|qkv_proj_offloaded=full|minimal_offloaded=full", "full" },
	{ "opt_type", FIELD_OPTIMIZER, "adamw=adam|adam_pax=adam|sgd=sgd|muon=muon", NULL },
	{ "optimizer_memory_host_offload", FIELD_OFFLOAD, "true=optimizer|false=none", NULL },
	{ "parameter_memory_host_offload", FIELD_OFFLOAD, "true=optimizer+params", NULL },
	{ NULL, FIELD_NONE, NULL, NULL }
};

static const struct settings_key precisions[] = {
	{ "dtype", FIELD_PRECISION, "bfloat16=bf16|float16=fp16|float32=fp32", "bf16" },
	{ "quantization", FIELD_PRECISION, "fp8=fp8|fp8_full=fp8|fp8_gpu=fp8|nanoo_fp8=fp8|te_fp8_delayedscaling=fp8|"
	    "te_fp8_currentscaling=fp8|te_mxfp8=mxfp8|te_nvfp4=nvfp4", NULL },
	{ NULL, FIELD_NONE, NULL, NULL }
};

/* ---- the model ---------------------------------------------------------------------------- */

/* The usual decoder by its sizes, as Llama's config.json names them. */
static void
take_sizes(struct import *im, const struct jsonin *j)
{
	static const struct {
		const char *ours, *theirs;
		int64_t usual;
	} sizes[] = {
		{ "base_emb_dim", "hidden_size", 2048 }, { "base_num_query_heads", "num_attention_heads", 16 },
		{ "base_num_kv_heads", "num_key_value_heads", 16 }, { "base_mlp_dim", "intermediate_size", 7168 },
		{ "base_num_decoder_layers", "num_hidden_layers", 16 }, { "head_dim", "head_dim", 128 },
		{ "vocab_size", "vocab_size", 32000 },
	};
	const char *block = jsonin_text(j, "decoder_block");
	json_t *config;

	if ((block != NULL && !text_equal(block, "llama2") && !text_equal(block, "default") && !text_equal(block, "mistral")) ||
	    settings_number(j, "num_experts", 1) > 1) {
		import_error(im, "decoder_block", "of sizes alone the decoder of Llama is planned (fix: --model=NAME, model_name or --set "
		    "model.*)");
		return;
	}
	config = json_object();
	json_object_set_new(config, "model_type", json_string("llama"));
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		json_object_set_new(config, sizes[i].theirs, json_integer(settings_number(j, sizes[i].ours, sizes[i].usual)));
	json_object_set_new(config, "tie_word_embeddings", json_boolean(settings_on(j, "logits_via_embedding")));
	import_shape(im, config, "base_emb_dim");
	json_decref(config);
}

static void
take_model(struct import *im, const struct jsonin *j)
{
	const char *name = jsonin_text(j, "model_name"), *file = jsonin_text(j, WORDS_OPERAND);

	if (file != NULL && text_equal(pathname_last(file), "base.yml")) /* whose values are the defaults here */
		im->unread[0] = '\0';
	if (name != NULL && !text_equal(name, "default"))
		settings_checkpoint(im, j, "model_name");
	else if (!im->has_model && im->unread[0] == '\0')
		take_sizes(im, j);
}

/* ---- devices ------------------------------------------------------------------------------ */

/* Each axis of the mesh has a part within a slice of devices and one between slices. */
enum axis { AXIS_DATA, AXIS_FSDP, AXIS_TENSOR, AXIS_CONTEXT, AXIS_PIPELINE, AXIS_EXPERT, AXES };

static const struct {
	const char *name;
	enum axis axis;
} axes[] = {
	{ "data", AXIS_DATA }, { "diloco", AXIS_DATA }, { "fsdp", AXIS_FSDP }, { "fsdp_transpose", AXIS_FSDP },
	{ "tensor", AXIS_TENSOR }, { "tensor_sequence", AXIS_TENSOR }, { "tensor_transpose", AXIS_TENSOR },
	{ "context", AXIS_CONTEXT }, { "sequence", AXIS_CONTEXT }, { "pipeline", AXIS_PIPELINE }, { "expert", AXIS_EXPERT },
};

/* Sizes of the axes in one part; whether one of them is the rest of its devices, -1. */
static bool
part_of(const struct jsonin *j, const char *part, enum axis usual, int64_t devices, int64_t size[AXES])
{
	int64_t all = 1;
	int rest = -1;

	for (int i = 0; i < AXES; i++)
		size[i] = 1;
	for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
		const bool first = i == 0 || axes[i].axis != axes[i - 1].axis;
		int64_t n;

		n = settings_number(j, TEXT_OF(64, "%s_%s_parallelism", part, axes[i].name), first &&
		    axes[i].axis == usual ? -1 : 1);
		if (n < 1)
			rest = (int)axes[i].axis;
		size[axes[i].axis] = product_of(size[axes[i].axis], most_of(n, 1));
	}
	for (int i = 0; i < AXES; i++)
		all = product_of(all, size[i]);
	if (rest >= 0 && devices > all && devices % all == 0)
		size[rest] = product_of(size[rest], devices / all);
	return rest >= 0;
}

static int64_t
product_of_all(const int64_t size[AXES])
{
	int64_t all = 1;

	for (int i = 0; i < AXES; i++)
		all = product_of(all, size[i]);
	return all;
}

/* "v5e-256" has 256 chips, "a3" 8 GPUs. 0: not told. */
static int64_t
topology_of(const struct jsonin *j)
{
	const char *text = jsonin_text(j, "compile_topology"), *dash = text != NULL ? strrchr(text, '-') : NULL;

	if (text == NULL || text[0] == '\0')
		return 0;
	return dash != NULL ? strtol(dash + 1, NULL, 10) % 1000000 : 8;
}

/* A slice is a host of GPUs, of 8 where nothing tells, of which -1 takes all. */
static void
take_mesh(struct import *im, const struct jsonin *j)
{
	static const enum field_id fields[AXES] = { FIELD_NONE, FIELD_NONE, FIELD_TP, FIELD_CP, FIELD_PP, FIELD_EP };
	const int64_t chips = topology_of(j), slices = most_of(settings_number(j, "compile_topology_num_slices", 1), 1);
	const int64_t told = im->world > 0 ? im->world : product_of(chips, slices);
	int64_t host[AXES], between[AXES], hosts, within;
	const bool open = part_of(j, "dcn", AXIS_DATA, 1, between);

	hosts = product_of_all(between);
	part_of(j, "ici", AXIS_FSDP, chips > 0 ? chips : told > 0 && (!open || told % 8 != 0) && told % hosts == 0 ? told / hosts : 8,
	    host);
	within = product_of_all(host);
	if (told > 0 && within < told && told % within == 0) {
		part_of(j, "dcn", AXIS_DATA, told / within, between);
		hosts = product_of_all(between);
	}
	if (told > 0 && product_of(hosts, within) != told) {
		import_error(im, "ici_fsdp_parallelism", "the axes are of %lld devices, and %lld are told (fix: --world)",
		    (long long)product_of(hosts, within), (long long)told);
		return;
	}
	import_machine(im, product_of(hosts, within), hosts, within, "dcn_ and ici_ axes");
	for (int i = AXIS_TENSOR; i < AXES; i++)
		import_set_int(im, fields[i], product_of(host[i], between[i]), i == AXIS_EXPERT ? "ici_expert_parallelism" :
		    i == AXIS_TENSOR ? "ici_tensor_parallelism" : i == AXIS_CONTEXT ? "ici_context_parallelism" :
		    "ici_pipeline_parallelism");
	import_set(im, FIELD_ZERO_STAGE, product_of(host[AXIS_FSDP], between[AXIS_FSDP]) > 1 ? "3" : "0", "ici_fsdp_parallelism");
	if (im->plan->parallel.zero_stage == 3)
		import_set_int(im, FIELD_DP_REPLICATE, product_of(host[AXIS_DATA], between[AXIS_DATA]), "dcn_data_parallelism");
}

/* per_device_batch_size counts all devices, those that share a sample as well; with a pipeline it is cut into
 * micro-batches, as many as stages unless told. */
static void
take_batch(struct import *im, const struct jsonin *j)
{
	static const char key[] = "per_device_batch_size";
	const struct parallel *p = &im->plan->parallel;
	const int64_t world = plan_world(im->plan), shared = product_of(product_of(p->tp, p->cp), p->pp);
	const int64_t rounds = most_of(settings_number(j, "gradient_accumulation_steps", 1), 1);
	const int64_t cut = p->pp > 1 ? most_of(settings_number(j, "num_pipeline_microbatches", p->pp), 1) : 1;
	double each = 12;
	int64_t batch;

	jsonin_real(j, key, 1e-6, 1e6, &each);
	batch = (int64_t)(each * (double)world + .5);
	if (batch < 1 || batch % (world / most_of(shared, 1)) != 0) {
		import_error(im, key, "%g on each of %lld GPUs are no whole samples of its %lld replicas (fix: --world)", each,
		    (long long)world, (long long)(world / most_of(shared, 1)));
		return;
	}
	settings_set(im, j, FIELD_MICRO_BATCH_SIZE, most_of(batch / (world / most_of(shared, 1)) / cut, 1), key);
	settings_set(im, j, FIELD_GLOBAL_BATCH_SIZE, product_of(batch, rounds), key);
}

/* Hosts of TPUs are no machines that a plan has. */
static void
tell_hardware(struct import *im, const struct jsonin *j)
{
	const char *hardware = jsonin_text(j, "hardware");

	if (hardware == NULL || strncmp(hardware, "gpu", 3) != 0)
		import_ignore(im, "hardware", "MaxText's default is TPUs, of which no chip, torus or slice can be planned: the split, "
		    "batches and model are taken, memory and time are those of GPUs");
	if (jsonin_text(j, "remat_policy") != NULL && !settings_is(j, "remat_policy", "full"))
		import_ignore(im, "remat_policy", "between none and full: what it keeps of a layer, or sends to the host, is not told apart");
}

void
maxtext_read(struct import *im)
{
	struct jsonin j;

	if (settings_read(&j, im, NULL)) {
		import_assume(im, FIELD_LAYOUT, "torchtitan", "JAX's mesh as PyTorch's: data, FSDP, tensor and other axes");
		take_model(im, &j);
		take_mesh(im, &j);
		settings_take(im, &j, keys, "MaxText");
		settings_take(im, &j, precisions, "MaxText");
		if (im->errors->count == 0)
			take_batch(im, &j);
		if (settings_on(&j, "use_sft") || strstr(im->text, "train_sft") != NULL)
			import_set(im, FIELD_FINETUNE, "full", "use_sft");
		else if (settings_on(&j, "use_dpo") || strstr(im->text, "train_dpo") != NULL || strstr(im->text, "train_rl") != NULL)
			import_ignore(im, "use_dpo", "planned as training on texts; left out: the reference model, and rollouts of train_rl");
		if (jsonin_has(&j, "steps"))
			settings_budget(im, settings_number(&j, "steps", 0), "steps");
		tell_hardware(im, &j);
		settings_rest(im, &j);
	}
	jsonin_free(&j);
}
