#include "file/launches/megatron_rules.h"

#include "file/launches/megatron_hybrid.h"

#define ARGUMENTS "megatron/training/arguments.py"
#define CONFIG "megatron/core/transformer/transformer_config.py"

/* One rule, as a sentence: where it is broken, refuse with what the launcher would say. */
static void
refuse_if(struct megatron_args *a, bool broken, const char *flag, const char *where,
    const char *message)
{
	const struct megatron_arg *arg = megatron_arg(a, flag);

	if (!broken)
		return;
	a->im->line = arg != NULL ? arg->line : 0;
	import_refuse(a->im, flag, "%s (Megatron-LM %s)", message, where);
}

static bool
has(const struct megatron_args *a, const char *flag)
{
	return megatron_has(a, flag);
}

/* Whether the one value of a flag is a word, which `absent` says where it is not given. */
static bool
is(struct megatron_args *a, const char *flag, const char *absent, const char *word)
{
	const char *value = megatron_text(a, flag, absent);

	return value != NULL && text_equal(value, word);
}

/* The value of what no field holds: one that only a run could tell breaks no rule. */
static const char *
aside(const struct megatron_args *a, const char *flag)
{
	const struct megatron_arg *arg = megatron_arg(a, flag);

	return arg != NULL && arg->values == 1 && !arg->value[0].unknown ? arg->value[0].text : "";
}

static bool
warms_up(const struct megatron_args *a, const char *flag)
{
	const char *text = aside(a, flag);

	return text[0] != '\0' && !text_equal(text, "0");
}

/* Whether a word is among the values of a flag. */
static bool
has_value(const struct megatron_args *a, const char *flag, const char *word)
{
	const struct megatron_arg *arg = megatron_arg(a, flag);

	for (size_t i = 0; arg != NULL && i < arg->values; i++)
		if (text_equal(arg->value[i].text, word))
			return true;
	return false;
}

static bool
fsdp(const struct megatron_args *a)
{
	return has(a, "--use-megatron-fsdp") || has(a, "--use-custom-fsdp");
}

static bool
is_full(struct megatron_args *a)
{
	return is(a, "--recompute-granularity", "", "full");
}

static bool
is_selective(struct megatron_args *a)
{
	return is(a, "--recompute-granularity", "", "selective") || has(a, "--recompute-activations");
}

static void
check_required(struct megatron_args *a)
{
	static const char *const required[] = { "--num-layers", "--hidden-size",
		"--num-attention-heads", "--max-position-embeddings", "--seq-length",
		"--micro-batch-size" };
	static const char *const gone[] = { "--batch-size", "--warmup", "--model-parallel-size",
		"--checkpoint-activations" };

	for (size_t i = a->named ? 4 : 0; i < sizeof required / sizeof *required; i++) /* the model's are before */
		refuse_if(a, !has(a, required[i]) && !(i == 0 && (has(a, "--encoder-num-layers") || megatron_is_hybrid(a))) &&
		    !(i == 4 && has(a, "--encoder-seq-length")), required[i], ARGUMENTS,
		    "argument is None: it must be given");
	for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
		refuse_if(a, has(a, gone[i]) && !(i == 3 && has(a, "--deepspeed")), gone[i], ARGUMENTS, "argument is no longer valid");
}

static void
check_batch(struct megatron_args *a)
{
	double least, most;

	refuse_if(a, has(a, "--step-batch-size-schedule") && has(a, "--global-batch-size"),
	    "--step-batch-size-schedule", ARGUMENTS,
	    "cannot specify both --step-batch-size-schedule and --global-batch-size");
	refuse_if(a, has(a, "--train-iters") && has(a, "--train-samples"), "--train-iters", ARGUMENTS,
	    "expected iteration-based training: --train-samples is given too");
	refuse_if(a, has(a, "--train-iters") && (has(a, "--lr-decay-samples") ||
	    warms_up(a, "--lr-warmup-samples")), "--train-iters", ARGUMENTS,
	    "expected iteration-based learning rate decay and warmup");
	refuse_if(a, has(a, "--train-samples") && (has(a, "--lr-decay-iters") ||
	    warms_up(a, "--lr-warmup-iters")), "--train-samples", ARGUMENTS,
	    "expected sample-based learning rate decay and warmup");
	refuse_if(a, has(a, "--lr-warmup-fraction") && (warms_up(a, "--lr-warmup-iters") ||
	    warms_up(a, "--lr-warmup-samples")), "--lr-warmup-fraction", ARGUMENTS,
	    "can only specify one of --lr-warmup-fraction and a number to warm up");
	refuse_if(a, has(a, "--mock-data") + has(a, "--data-path") + (has(a, "--train-data-path") ||
	    has(a, "--valid-data-path") || has(a, "--test-data-path")) > 1, "--mock-data", ARGUMENTS,
	    "a single data source must be provided");
	refuse_if(a, text_to_real(aside(a, "--min-lr"), &least) && text_to_real(aside(a, "--lr"), &most) &&
	    least > most, "--min-lr", ARGUMENTS, "must not be above --lr");
	refuse_if(a, has(a, "--save") && !has(a, "--save-interval"), "--save", ARGUMENTS,
	    "--save-interval must be given with it");
}

static void
check_model(struct megatron_args *a)
{
	const struct model *m = &a->im->plan->model;

	refuse_if(a, !has(a, "--kv-channels") && m->attention_heads > 0 &&
	    m->hidden_size % m->attention_heads != 0, "--num-attention-heads", ARGUMENTS,
	    "hidden_size is not divisible by it, and no --kv-channels is given");
	refuse_if(a, has(a, "--multi-latent-attention") && has(a, "--group-query-attention"),
	    "--group-query-attention", ARGUMENTS,
	    "is mutually exclusive with multi latent attention");
	refuse_if(a, has(a, "--swiglu") && (has(a, "--squared-relu") || has(a, "--quick-geglu")),
	    "--swiglu", "megatron/training/argument_utils.py", "is one activation, and another is given");
	refuse_if(a, is(a, "--attention-backend", "", "local") && !is(a, "--spec", "", "local"),
	    "--attention-backend", ARGUMENTS, "local is only supported with --spec local");
	refuse_if(a, has(a, "--no-position-embedding") && m->position != POSITION_ROPE,
	    "--no-position-embedding", ARGUMENTS, "is deprecated, use --position-embedding-type");
	refuse_if(a, is(a, "--position-embedding-type", "", "mrope") && !has(a, "--mrope-section"),
	    "--position-embedding-type", ARGUMENTS, "mrope needs --mrope-section");
}

static void
check_split(struct megatron_args *a)
{
	static const char layers[] = "--num-layers-per-virtual-pipeline-stage",
		stages[] = "--num-virtual-stages-per-pipeline-rank", layout[] =
		"--pipeline-model-parallel-layout";
	const struct plan *p = a->im->plan;
	const struct megatron_arg *comm = megatron_arg(a, "--cp-comm-type");
	const struct megatron_arg *levels = megatron_arg(a, "--hierarchical-context-parallel-sizes");

	refuse_if(a, has(a, layers) + has(a, stages) + has(a, layout) > 1, layers, ARGUMENTS,
	    "no more than one of it, --num-virtual-stages-per-pipeline-rank and "
	    "--pipeline-model-parallel-layout can be set");
	refuse_if(a, has(a, layers) && (has(a, "--decoder-first-pipeline-num-layers") ||
	    has(a, "--decoder-last-pipeline-num-layers")), layers, ARGUMENTS,
	    "please use --num-virtual-stages-per-pipeline-rank with uneven pipeline parallelism");
	refuse_if(a, has(a, "--no-overlap-p2p-communication") && p->parallel.vpp > 1 &&
	    p->parallel.pp <= 2, "--no-overlap-p2p-communication", ARGUMENTS,
	    "pipeline-model-parallel size should be greater than 2 with the interleaved schedule");
	refuse_if(a, comm != NULL && p->parallel.cp > 1 && comm->values > 1 &&
	    (int64_t)comm->values != p->model.layers, "--cp-comm-type", CONFIG,
	    "its length should equal the total number of transformer layers");
	refuse_if(a, has_value(a, "--cp-comm-type", "a2a+p2p") && levels == NULL, "--cp-comm-type", ARGUMENTS,
	    "--hierarchical-context-parallel-sizes must be set when a2a+p2p is used");
	if (levels != NULL) {
		int64_t product = 1, n;

		for (size_t i = 0; i < levels->values; i++)
			product = text_to_int(levels->value[i].text, &n) && n > 0 &&
			    product <= PLAN_WORLD_MAX / n ? product * n : 0;
		refuse_if(a, product != p->parallel.cp, levels->flag, ARGUMENTS,
		    "their product must be the context parallel size");
	}
	refuse_if(a, has(a, "--hybrid-context-parallel") && (p->parallel.pp > 1 || fsdp(a) ||
	    !has(a, "--calculate-per-token-loss") || !is(a, "--dataloader-type", "single", "single")),
	    "--hybrid-context-parallel", ARGUMENTS, "needs PP 1, no Megatron FSDP, the single "
	    "dataloader and --calculate-per-token-loss");
}

static void
check_sharding(struct megatron_args *a)
{
	const bool sharded = has(a, "--use-distributed-optimizer"), torch = has(a, "--use-torch-fsdp2");
	const bool plain = is(a, "--optimizer", "adam", "adam") || is(a, "--optimizer", "adam", "sgd");
	const struct parallel *par = &a->im->plan->parallel;
	static const char format[] = "--ckpt-format", usual[] = "torch_dist", graph[] = "--cuda-graph-impl";

	refuse_if(a, has(a, "--overlap-param-gather") && !sharded && !fsdp(a) &&
	    !is(a, "--optimizer", "", "dist_muon"), "--overlap-param-gather", ARGUMENTS,
	    "only supported with distributed optimizer, megatron fsdp, or dist_muon");
	refuse_if(a, has(a, "--overlap-param-gather") && !has(a, "--overlap-grad-reduce"),
	    "--overlap-param-gather", ARGUMENTS, "must be used with --overlap-grad-reduce");
	refuse_if(a, has(a, "--fp8-param-gather") && !sharded && !torch && !fsdp(a),
	    "--fp8-param-gather", ARGUMENTS,
	    "only supported with distributed optimizer, torch fsdp2 or megatron fsdp");
	refuse_if(a, torch && (par->pp > 1 || par->ep > 1), "--use-torch-fsdp2", ARGUMENTS,
	    "is not supported with pipeline or expert parallelism");
	refuse_if(a, torch && sharded, "--use-torch-fsdp2", ARGUMENTS,
	    "is not supported with MCore's distributed optimizer");
	refuse_if(a, torch && !has(a, "--no-gradient-accumulation-fusion"), "--use-torch-fsdp2",
	    ARGUMENTS, "is not supported with gradient accumulation fusion");
	refuse_if(a, torch && !is(a, format, usual, usual) && !is(a, format, usual, "torch_dcp"),
	    "--use-torch-fsdp2", ARGUMENTS, "requires --ckpt-format torch_dist or torch_dcp");
	refuse_if(a, torch && !has(a, "--untie-embeddings-and-output-weights"), "--use-torch-fsdp2",
	    ARGUMENTS, "requires --untie-embeddings-and-output-weights");
	refuse_if(a, torch && has(a, "--fp16"), "--use-torch-fsdp2", ARGUMENTS,
	    "is not supported with fp16");
	refuse_if(a, has(a, "--use-megatron-fsdp") && !is(a, format, usual, "fsdp_dtensor"),
	    "--use-megatron-fsdp", ARGUMENTS,
	    "requires --ckpt-format fsdp_dtensor");
	refuse_if(a, !fsdp(a) && is(a, format, usual, "fsdp_dtensor"), format, ARGUMENTS,
	    "fsdp_dtensor is for --use-megatron-fsdp");
	refuse_if(a, is(a, format, usual, "torch_dcp") && (!torch || par->tp > 1 || par->pp > 1),
	    format, ARGUMENTS, "torch_dcp is for --use-torch-fsdp2 without TP and PP");
	refuse_if(a, !plain && (torch || fsdp(a)), "--optimizer", ARGUMENTS,
	    "emerging optimizers do not support FSDP");
	refuse_if(a, has(a, "--optimizer-cpu-offload") && !has(a, "--use-precision-aware-optimizer"),
	    "--optimizer-cpu-offload", ARGUMENTS,
	    "must be used in conjunction with --use-precision-aware-optimizer");
	refuse_if(a, (is(a, graph, "none", "full_iteration") || has_value(a, "--cuda-graph-scope",
	    "full_iteration")) && !has(a, "--no-check-for-nan-in-loss-and-grad"), graph, ARGUMENTS,
	    "--no-check-for-nan-in-loss-and-grad should be set with a graph of the full iteration");
	refuse_if(a, has(a, "--fake-process-group") &&
	    is(a, "--moe-token-dispatcher-type", "", "flex"), "--fake-process-group", ARGUMENTS,
	    "is not supported with the flex token dispatcher");
}

/*
 * A script that is silent about the connections of a device leaves them as they are: as its run
 * needs them, for all that can be told. A bare list has no environment of its own: it is taken
 * to get that of Megatron-LM's launch scripts, which export 1.
 */
static void
check_connections(struct megatron_args *a)
{
	static const char name[] = "CUDA_DEVICE_MAX_CONNECTIONS";
	const struct plan *p = a->im->plan;
	const bool any_fsdp = fsdp(a) || has(a, "--use-torch-fsdp2");
	const bool split = p->parallel.tp > 1 || p->parallel.cp > 1;
	const char *value = megatron_environment(a, name);
	bool gone = false;

	for (size_t i = 0; i < a->shell.variables; i++)
		gone |= text_equal(a->shell.variable[i].name, name) && a->shell.variable[i].gone;
	if (value == NULL && !gone && (any_fsdp || split)) {
		if (any_fsdp && !a->bare)
			return;
		value = "1";
		notes_add(&a->im->assumed, "%s=%s: as Megatron-LM's example scripts export it", name, value);
	}
	refuse_if(a, any_fsdp && value != NULL && text_equal(value, "1"), name, ARGUMENTS,
	    "FSDP requires it above 1 or unset");
	refuse_if(a, !any_fsdp && split && !has(a, "--overlap-moe-expert-parallel-comm") &&
	    p->cluster.generation < GENERATION_BLACKWELL && (value == NULL || !text_equal(value, "1")),
	    name, ARGUMENTS, "tensor or context parallelism requires it to be 1");
}

static void
check_precision(struct megatron_args *a)
{
	const bool fp8 = has(a, "--fp8-format") || has(a, "--fp8-hybrid"), fp4 = has(a, "--fp4-format");

	refuse_if(a, has(a, "--fp16") && has(a, "--bf16"), "--fp16", ARGUMENTS,
	    "only one of fp16 and bf16 should be given");
	refuse_if(a, fp8 && fp4, "--fp4-format", ARGUMENTS,
	    "cannot be used with --fp8-format simultaneously");
	refuse_if(a, has(a, "--fp4-param-gather") && !fp4, "--fp4-param-gather", ARGUMENTS,
	    "must be used together with --fp4-format");
	refuse_if(a, has(a, "--fp16-lm-cross-entropy") && !has(a, "--fp16"), "--fp16-lm-cross-entropy",
	    ARGUMENTS, "is only supported in fp16 mode");
	refuse_if(a, has(a, "--fp32-residual-connection") && !has(a, "--fp16") && !has(a, "--bf16"),
	    "--fp32-residual-connection", ARGUMENTS, "is only supported with fp16 or bf16");
	refuse_if(a, has(a, "--bf16") && has(a, "--accumulate-allreduce-grads-in-fp32") &&
	    is(a, "--main-grads-dtype", "", "bf16"), "--main-grads-dtype", ARGUMENTS,
	    "can only be fp32 with --accumulate-allreduce-grads-in-fp32");
}

static void
check_recompute(struct megatron_args *a)
{
	const bool full = is_full(a), selective = is_selective(a), any = full || selective;
	const bool offload = megatron_int(a, "--cpu-offloading-num-layers", 0) > 0;
	const struct plan *p = a->im->plan;
	char modules[PLAN_LIST_SIZE] = "";

	megatron_join(a, "--recompute-modules", ",", modules, sizeof modules);
	refuse_if(a, full && !has(a, "--recompute-method"), "--recompute-granularity", CONFIG,
	    "full: recompute_method must be block or uniform");
	refuse_if(a, full && !has(a, "--recompute-num-layers"), "--recompute-granularity", CONFIG,
	    "full: recompute_num_layers must be given");
	refuse_if(a, selective && has(a, "--recompute-method"), "--recompute-method", ARGUMENTS,
	    "is not supported for selective recomputing granularity");
	refuse_if(a, selective && has(a, "--recompute-num-layers"), "--recompute-num-layers", CONFIG,
	    "must be None when using recompute_granularity selective");
	refuse_if(a, selective && text_index(modules, "moe_act", 7) >= 0 &&
	    !has(a, "--moe-grouped-gemm"), "--recompute-modules", CONFIG,
	    "moe_act is only supported with --moe-grouped-gemm");
	refuse_if(a, selective && text_index(modules, "shared_experts", 14) >= 0 &&
	    has(a, "--moe-shared-expert-overlap"), "--recompute-modules", CONFIG,
	    "shared_experts cannot work with --moe-shared-expert-overlap");
	refuse_if(a, has(a, "--distribute-saved-activations") && (!full || p->parallel.tp <= 1 ||
	    has(a, "--sequence-parallel")), "--distribute-saved-activations", CONFIG,
	    "needs TP and full recompute, and must be false when sequence parallel is enabled");
	refuse_if(a, offload && p->parallel.pp > 1, "--cpu-offloading-num-layers", CONFIG,
	    "there is no support for pipeline parallelism with CPU offloading");
	refuse_if(a, offload && any, "--cpu-offloading-num-layers", CONFIG,
	    "does not work when activation recomputation is enabled");
	refuse_if(a, offload && megatron_int(a, "--cpu-offloading-num-layers", 0) >= p->model.layers,
	    "--cpu-offloading-num-layers", CONFIG, "can be done only for fewer layers than the model's");
	refuse_if(a, has(a, "--overlap-moe-expert-parallel-comm") && (has(a, "--recompute-method") ||
	    has(a, "--recompute-num-layers")), "--overlap-moe-expert-parallel-comm", CONFIG,
	    "recompute_method and recompute_num_layers must be None with it");
}

static void
check_experts(struct megatron_args *a)
{
	static const char overlap[] = "--overlap-moe-expert-parallel-comm", softmax[] = "softmax",
		score[] = "--moe-router-score-function", dispatcher[] = "--moe-token-dispatcher-type";
	const struct model *m = &a->im->plan->model;

	refuse_if(a, m->experts == 0 && has(a, "--moe-ffn-hidden-size"), "--moe-ffn-hidden-size", CONFIG,
	    "is set but num_moe_experts is None");
	refuse_if(a, megatron_int(a, "--moe-router-topk", 2) == 1 && is(a, score, softmax, softmax) &&
	    !has(a, "--moe-router-pre-softmax") &&
	    !is(a, "--moe-router-load-balancing-type", "", "sinkhorn"), "--moe-router-topk", CONFIG,
	    "please use --moe-router-pre-softmax when topk is 1");
	refuse_if(a, has(a, "--moe-router-enable-expert-bias") && is(a, score, softmax, softmax),
	    "--moe-router-enable-expert-bias", CONFIG,
	    "only supports the score functions sigmoid and sqrtsoftplus");
	refuse_if(a, has(a, "--moe-router-group-topk") && !has(a, "--moe-router-num-groups"),
	    "--moe-router-group-topk", CONFIG, "moe_router_num_groups must be specified with it");
	refuse_if(a, has(a, overlap) && has(a, "--moe-shared-expert-overlap"), overlap, CONFIG,
	    "disable moe_shared_expert_overlap when enabling it");
	refuse_if(a, has(a, overlap) && !is(a, dispatcher, "allgather", "alltoall") &&
	    !is(a, dispatcher, "allgather", "flex"), overlap, CONFIG,
	    "is supported with the alltoall and flex token dispatchers");
	refuse_if(a, has(a, "--moe-enable-deepep") && !is(a, dispatcher, "allgather", "flex"),
	    "--moe-enable-deepep", CONFIG, "is only supported with the flex token dispatcher");
}

void
megatron_rules(struct megatron_args *a)
{
	check_required(a);
	check_batch(a);
	check_model(a);
	check_split(a);
	check_sharding(a);
	check_connections(a);
	check_precision(a);
	check_recompute(a);
	check_experts(a);
}
