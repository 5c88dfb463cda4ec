/* What arguments of Megatron-LM say of a training step. */
#include <math.h>
#include <string.h>

#include "core/base/number.h"
#include "core/plan/batch.h"
#include "core/base/number.h"
#include "core/plan/plan.h"
#include "file/launches/megatron_args.h"
#include "file/launches/settings.h"

/* A precision by name where plans know it, else plain FP8. */
static const char *
known_precision(const char *name)
{
	char choice[32];

	for (int64_t i = 0; field_choice(FIELD_PRECISION, i, choice, sizeof choice); i++)
		if (text_equal(choice, name))
			return name;
	return "fp8";
}

static void
put_precision(struct megatron_args *a)
{
	const bool half = megatron_has(a, "--fp16"), brain = megatron_has(a, "--bf16");

	if (megatron_has(a, "--fp4-format"))
		import_set(a->im, FIELD_PRECISION, known_precision("nvfp4"), "--fp4-format");
	else if (megatron_has(a, "--fp8-format") || megatron_has(a, "--fp8-hybrid"))
		import_set(a->im, FIELD_PRECISION,
		    known_precision(megatron_is(a, "--fp8-recipe", "blockwise") ? "fp8-block" :
		    megatron_is(a, "--fp8-recipe", "mxfp8") ? "mxfp8" : "fp8"), "--fp8-format");
	else if (half || brain)
		import_set(a->im, FIELD_PRECISION, half ? "fp16" : "bf16", half ? "--fp16" : "--bf16");
	else
		megatron_absent(a, FIELD_PRECISION, "fp32");
	/* arguments.py: with bf16 gradients are fp32 unless told otherwise, with fp16 the other way. */
	if (brain && (megatron_has(a, "--grad-reduce-in-bf16") ||
	    megatron_is(a, "--main-grads-dtype", "bf16")))
		import_set(a->im, FIELD_GRAD_DTYPE, "bf16", "--grad-reduce-in-bf16");
	else if (half && !megatron_has(a, "--accumulate-allreduce-grads-in-fp32"))
		megatron_absent(a, FIELD_GRAD_DTYPE, "fp16");
	else
		megatron_absent(a, FIELD_GRAD_DTYPE, "fp32");
}

/* A plan has one format for both moments: of two, the larger counts. */
static void
put_moments(struct megatron_args *a)
{
	static const char first[] = "--exp-avg-dtype", second[] = "--exp-avg-sq-dtype";
	static const char *const formats[] = { "fp32", "bf16", "fp16", "fp8" };
	const char *one = megatron_text(a, first, formats[0]), *two = megatron_text(a, second, formats[0]);

	if (one == NULL || two == NULL || text_equal(one, two))
		return;
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (text_equal(one, formats[i]) || text_equal(two, formats[i])) {
			import_assume(a->im, FIELD_MOMENTS_DTYPE, formats[i],
			    "the moments differ: both count as the larger one");
			return;
		}
}

static void
put_recompute(struct megatron_args *a)
{
	static const char flag[] = "--recompute-modules", again[] = "--checkpoint-activations";
	char modules[PLAN_LIST_SIZE];

	if (megatron_has(a, "--recompute-activations"))
		import_set(a->im, FIELD_RECOMPUTE, "selective", "--recompute-activations");
	if (megatron_has(a, again)) { /* of all layers, in groups (microsoft/Megatron-DeepSpeed megatron/arguments.py) */
		import_set(a->im, FIELD_RECOMPUTE, "full", again);
		import_set(a->im, FIELD_RECOMPUTE_METHOD, "uniform", again);
		megatron_number(a, FIELD_RECOMPUTE_LAYERS, megatron_int(a, "--checkpoint-num-layers", 1), "--checkpoint-num-layers");
	}
	if (megatron_join(a, flag, ",", modules, sizeof modules) && modules[0] != '\0')
		import_set(a->im, FIELD_RECOMPUTE_MODULES, modules, flag);
}

/* Of a layer all that it keeps, or it is no whole layers: module by module, a share of a chunk's. */
static void
put_offload(struct megatron_args *a)
{
	static const char on[] = "--fine-grained-activation-offloading", flag[] = "--offload-modules",
		share[] = "--activation-offload-fraction";
	static const char *const needed[] = { "qkv_linear", "core_attn", "attn_proj", "expert_fc1" };
	const struct plan *p = a->im->plan;
	const bool core = p->training.recompute == RECOMPUTE_SELECTIVE && (batch_again(p) & AGAIN_CORE_ATTN);
	char modules[PLAN_LIST_SIZE] = "";
	const char *text;
	double part = 1;

	if (!megatron_has(a, on))
		return;
	megatron_join(a, flag, ",", modules, sizeof modules);
	for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
		if (text_index(modules, needed[i], strlen(needed[i])) < 0 && !(core && (i == 1 || i == 2)) &&
		    !(i == 3 && (p->model.experts == 0 || (batch_again(p) & AGAIN_MOE)))) {
			import_ignore(a->im, flag, "a plan sends all that a layer keeps to the host, or nothing");
			return;
		}
	text = megatron_text(a, share, "1");
	if (!megatron_has(a, share))
		megatron_number(a, FIELD_OFFLOAD_LAYERS, p->model.layers, on);
	else if (text != NULL && text_to_real(text, &part))
		megatron_number(a, FIELD_OFFLOAD_LAYERS, llround(part * (double)batch_chunk_layers(p)), share);
}

/* Which modules a layer's graphs hold was said by another flag up to core 0.18; none named are
 * all. */
static bool
graphed_modules(struct megatron_args *a, char *names, size_t size)
{
	static const char modules[] = "--cuda-graph-modules", scope[] = "--cuda-graph-scope";

	return megatron_join(a, megatron_has(a, modules) ? modules : scope, ",", names, size);
}

static void
put_graphs(struct megatron_args *a)
{
	static const char impl[] = "--cuda-graph-impl";
	char names[PLAN_LIST_SIZE] = "";

	if (!megatron_has(a, impl) || megatron_is(a, impl, "none")) {
		megatron_absent(a, FIELD_CUDA_GRAPH, "none");
		return;
	}
	graphed_modules(a, names, sizeof names);
	import_set(a->im, FIELD_CUDA_GRAPH, megatron_is(a, impl, "full_iteration") ||
	    strstr(names, "full_iteration") != NULL ? "full" : names[0] == '\0' ||
	    strstr(names, "attn") != NULL ? "layer" : "router", impl);
}

/* Experts of a plan pad to their capacity, and a graph of the layer holds them then. */
static void
tell_capacity(struct megatron_args *a)
{
	static const char factor[] = "--moe-expert-capacity-factor";
	char names[PLAN_LIST_SIZE] = "";

	if (!plan_pads_experts(a->im->plan))
		return;
	if (!megatron_has(a, "--moe-pad-expert-input-to-capacity"))
		import_ignore(a->im, factor, "experts of a plan pad to their capacity, these take what comes");
	if (a->im->plan->training.cuda_graph == GRAPH_LAYER && graphed_modules(a, names, sizeof names) &&
	    strstr(names, "moe_router") != NULL)
		import_ignore(a->im, "--cuda-graph-impl", "with a capacity a plan's graph of a layer holds experts, "
		    "this one the router alone");
}

static void
put_dispatcher(struct megatron_args *a)
{
	static const char type[] = "--moe-token-dispatcher-type",
		backend[] = "--moe-flex-dispatcher-backend";

	if (a->im->plan->model.experts == 0)
		return;
	if (megatron_is(a, type, "flex"))
		import_set(a->im, FIELD_MOE_DISPATCHER, megatron_is(a, backend, "hybridep") ? "hybridep" :
		    "deepep", megatron_has(a, backend) ? backend : type);
	else if (megatron_is(a, type, "alltoall"))
		import_set(a->im, FIELD_MOE_DISPATCHER, "alltoall", type);
	else
		megatron_absent(a, FIELD_MOE_DISPATCHER, "allgather");
}

static void
put_kernels(struct megatron_args *a)
{
	static const char backend[] = "--attention-backend";
	const bool fused = !megatron_is(a, backend, "unfused") && !megatron_is(a, backend, "local") &&
	    (!megatron_is(a, "--transformer-impl", "local") || megatron_has(a, "--use-flash-attn"));

	if (fused)
		import_fill(a->im, FIELD_FLASH_ATTENTION, "true");
	else
		import_set(a->im, FIELD_FLASH_ATTENTION, "false", backend);
	if (megatron_is(a, backend, "fused") || megatron_is(a, backend, "flash"))
		import_set(a->im, FIELD_ATTENTION_KERNEL, megatron_is(a, backend, "fused") ? "cudnn" : "flash2",
		    backend);
	put_graphs(a);
	tell_capacity(a);
	put_dispatcher(a);
	if (!megatron_has(a, "--cross-entropy-loss-fusion"))
		megatron_absent(a, FIELD_CROSS_ENTROPY, "unfused");
	else
		import_set(a->im, FIELD_CROSS_ENTROPY, megatron_is(a, "--cross-entropy-fusion-impl", "te") ?
		    "te" : "native", "--cross-entropy-loss-fusion");
	if (megatron_is(a, "--cross-entropy-fusion-impl", "te"))
		import_ignore(a->im, "--cross-entropy-fusion-impl te", "core 0.18 and newer refuse it");
	import_fill(a->im, FIELD_ORDER, megatron_has(a, "--use-tp-pp-dp-mapping") ?
	    "tp-cp-ep-pp-dp" : "tp-cp-ep-dp-pp");
}

static void
put_batch(struct megatron_args *a)
{
	static const char encoder[] = "--encoder-seq-length";
	const struct plan *p = a->im->plan;
	const int64_t model = p->parallel.tp * p->parallel.cp * p->parallel.pp;
	const int64_t dp = model > 0 ? plan_world(p) / model : 0;

	if (megatron_has(a, encoder) && !megatron_has(a, "--seq-length"))
		megatron_number(a, FIELD_SEQUENCE_LENGTH, megatron_int(a, encoder, 0), encoder);
	if (!megatron_has(a, "--global-batch-size") && !field_is_set(FIELD_GLOBAL_BATCH_SIZE, p))
		megatron_number(a, FIELD_GLOBAL_BATCH_SIZE, p->training.micro_batch_size * (dp > 0 ? dp : 1),
		    "--global-batch-size");
}

/* --train-samples are sequences. */
static void
put_run(struct megatron_args *a)
{
	static const char iterations[] = "--train-iters", samples[] = "--train-samples";
	const struct training *t = &a->im->plan->training;

	if (megatron_has(a, samples))
		settings_budget(a->im, megatron_int(a, samples, 0) / most_of(t->global_batch_size, 1), samples);
	else if (megatron_has(a, iterations))
		settings_budget(a->im, megatron_int(a, iterations, 0), iterations);
}

void
megatron_put_step(struct megatron_args *a)
{
	put_precision(a);
	put_moments(a);
	put_recompute(a);
	put_offload(a);
	put_kernels(a);
	put_batch(a);
	put_run(a);
}
