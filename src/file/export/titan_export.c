/* torchtitan: a job file of the last release that reads TOML, or a function in Python for what came after. */
#include "core/base/number.h"
#include "core/plan/field.h"
#include "file/export/parts.h"
#include "file/export/writers.h"

#define TITAN_PP "torchtitan torchtitan/distributed/pipeline_parallel.py"

/* A schedule of one chunk a rank has another name than the same of several. */
static const char *
titan_schedule(const struct plan *p)
{
	switch (p->training.schedule) {
	case SCHEDULE_GPIPE:
		return p->parallel.vpp == 1 ? "GPipe" : NULL;
	case SCHEDULE_1F1B:
		return p->parallel.vpp == 1 ? "1F1B" : "Interleaved1F1B";
	case SCHEDULE_ZB_1P:
		return p->parallel.vpp > 1 ? "InterleavedZeroBubble" : NULL;
	case SCHEDULE_ZB_V:
		return "ZBVZeroBubble";
	case SCHEDULE_DUALPIPEV:
		return "DualPipeV";
	default:
		return NULL;
	}
}

/* Stages are cut by layers, embedding and head counted as one each. False where no number of
 * layers gives as many stages. */
static bool
titan_stages(struct tree *t, const struct plan *p)
{
	const int64_t stages = p->parallel.pp * p->parallel.vpp, counted = p->model.layers + 2;
	const int64_t layers = holders_of(counted, stages);

	if (p->parallel.vpp <= 2)
		return true; /* what each schedule takes by itself */
	tree_int(t, "parallelism.pipeline_parallel_layers_per_stage", layers);
	return holders_of(counted, layers) == stages;
}

static void
titan_pipeline(struct export *e, struct tree *t)
{
	const struct plan *p = e->plan;
	const char *schedule = titan_schedule(p);

	if (p->parallel.pp == 1)
		return;
	if (schedule == NULL) {
		export_refuse(e, FIELD_SCHEDULE, "target_lacks", TITAN_PP,
		    "torchtitan has no such schedule with VPP %lld", (long long)p->parallel.vpp);
		return;
	}
	tree_text(t, "parallelism.pipeline_parallel_schedule", schedule);
	if (!titan_stages(t, p))
		export_refuse(e, FIELD_VPP, "target_lacks", TITAN_PP,
		    "no number of layers a stage makes %lld stages of %lld layers, embedding and head",
		    (long long)(p->parallel.pp * p->parallel.vpp), (long long)p->model.layers);
}

/* Which GPUs have parts of the state, and the pipeline. */
static void
titan_split(struct export *e, struct tree *t, const struct export_sizes *s)
{
	const struct parallel *par = &e->plan->parallel;
	/* DDP where nothing is sharded. */
	const int64_t copies = par->zero_stage == 0 ? s->dp : par->dp_replicate;

	tree_int(t, "parallelism.data_parallel_replicate_degree", copies);
	tree_int(t, "parallelism.data_parallel_shard_degree", s->dp / copies);
	if (par->zero_stage > 0)
		tree_text(t, "parallelism.fsdp_reshard_after_forward",
		    par->zero_stage == 3 ? "always" : "never");
	titan_pipeline(e, t);
}

static void
titan_tree(struct export *e, struct tree *t, const struct export_sizes *s)
{
	const struct plan *p = e->plan;

	/* A pipeline takes its micro-batches from the local batch; else steps accumulate. */
	tree_int(t, "training.local_batch_size",
	    p->training.micro_batch_size * (p->parallel.pp > 1 ? s->rounds : 1));
	tree_int(t, "training.global_batch_size", p->training.global_batch_size);
	export_rows(e, t, torchtitan_keys);
	if (p->parallel.pp > 1)
		tree_int(t, "parallelism.pipeline_parallel_microbatch_size", p->training.micro_batch_size);
	titan_split(e, t, s);
}

/* Its flavor of the plan's shape; NULL where it has none. */
static const struct titan_model *
titan_model(const struct plan *p)
{
	const struct titan_model *m = titan_models;

	for (enum field_id f = 0; f < FIELD_COUNT; f++)
		if (field_entry(f) == FIELD_PRESET && field_is_set(f, p))
			return NULL;
	while (m->name != NULL && !text_equal(m->preset, p->model.preset))
		m++;
	return m->name != NULL ? m : NULL;
}

static void
tell_limits(struct export *e)
{
	if (e->plan->parallel.zero_stage == 1)
		notes_add(&e->missing, "FSDP shards gradients too: ZeRO stage 2 is written for 1");
	export_missing(e, FIELD_OFFLOAD, "training.enable_cpu_offload moves all or nothing");
}

void
torchtitan_write(struct export *e)
{
	const struct titan_model *m = titan_model(e->plan);
	const struct export_sizes s = export_sizes_of(e->plan);
	struct tree t = { 0 };
	struct textbuf *out;

	if (m != NULL) {
		tree_text(&t, "model.name", m->name);
		tree_text(&t, "model.flavor", m->flavor);
	} else {
		export_missing(e, FIELD_PRESET, "torchtitan.sh asks for its name and flavor in torchtitan");
	}
	if (e->plan->training.precision > PRECISION_BF16)
		export_missing(e, FIELD_PRECISION, "a converter in [model] quantizes, such as "
		    "quantize.linear.float8");
	if (!e->plan->training.torch_compile && e->plan->training.cross_entropy != CE_TORCH)
		notes_add(&e->missing, "training.cross_entropy: the loss of job files without torch.compile is PyTorch's (torch), "
		    "which takes more memory");
	tell_limits(e);
	titan_tree(e, &t, &s);
	out = export_begin(e, "torchtitan.toml");
	export_head(e, out, "# ");
	tree_toml(&t, out);
	tree_end(&t);
	export_torchrun(e, "torchtitan.sh", m != NULL ? "-m torchtitan.train --job.config_file torchtitan.toml" :
	    "-m torchtitan.train --job.config_file torchtitan.toml \\\n"
	    "\t--model.name \"${NAME:?of the model in torchtitan}\" --model.flavor \"${FLAVOR:?of it}\"");
}

/* ---- Python --------------------------------------------------------------------------------- */

/* torchtitan/config/configs.py: batches count tokens. Graphs of a whole step go with neither pipeline nor
 * all-to-all. */
static void
python_tree(struct export *e, struct tree *t, const struct export_sizes *s)
{
	const struct plan *p = e->plan;
	const int64_t length = p->training.sequence_length;

	for (const struct settings_key *row = titan_python_keys; row->path != NULL; row++) {
		/* What torchtitan means without it is not what the function has that this one begins with. */
		const struct settings_key bare[] = { { row->path, row->field, row->words, NULL }, { NULL, FIELD_NONE, NULL, NULL } };

		export_rows(e, t, bare);
	}
	tree_int(t, "training.num_tokens_per_microbatch_per_dp_rank", p->training.micro_batch_size * length);
	tree_int(t, "training.num_tokens_per_train_step", p->training.global_batch_size * length);
	if (p->parallel.pp > 1)
		tree_int(t, "parallelism.num_pp_microbatches", s->rounds);
	titan_split(e, t, s);
}

/* What carries tokens to experts, NULL: what it takes by itself. */
static const char *
backend_of(const struct plan *p)
{
	return !plan_has_experts(p) ? NULL : p->parallel.moe_dispatcher == DISPATCHER_DEEPEP ? "deepep" :
	    p->parallel.moe_dispatcher == DISPATCHER_HYBRIDEP ? "hybridep" : NULL;
}

static void
put_imports(struct textbuf *out, const struct titan_model *m, const struct plan *p)
{
	static const char *const classes[] = { [RECOMPUTE_SELECTIVE] = "SelectiveAC", [RECOMPUTE_FULL] = "FullAC" };
	const char *recompute = p->training.recompute == RECOMPUTE_NONE ? NULL : classes[p->training.recompute];
	const char *backend = backend_of(p);

	if (m == NULL)
		textbuf_add(out, "import importlib\nimport os\n\n");
	if (recompute != NULL)
		textbuf_add(out, "from torchtitan.distributed.activation_checkpoint import %s\n", recompute);
	if (m != NULL)
		textbuf_add(out, "from torchtitan.models.%s import model_registry\nfrom torchtitan.models.%s.config_registry import %s\n",
		    m->name, m->name, m->function);
	textbuf_add(out, "\n\ndef plan():\n");
	if (m != NULL) /* without the formats that some functions convert it to */
		textbuf_add(out, "    config = %s()\n    config.model_spec = model_registry(\"%s\"%s%s%s)\n", m->function, m->flavor,
		    backend != NULL ? ", moe_comm_backend=\"" : "", backend != NULL ? backend : "", backend != NULL ? "\"" : "");
	else
		textbuf_add(out, "    registry = importlib.import_module(\"torchtitan.models.%%s.config_registry\" %% os.environ[\"MODULE\"])\n"
		    "    config = getattr(registry, os.environ[\"CONFIG\"])()\n");
	textbuf_add(out, "    config.activation_checkpoint = %s%s\n", recompute != NULL ? recompute : "None",
	    recompute != NULL ? ".Config()" : "");
}

void
torchtitan_python_write(struct export *e)
{
	const struct titan_model *m = titan_model(e->plan);
	const struct export_sizes s = export_sizes_of(e->plan);
	struct tree t = { 0 };
	struct textbuf *out;

	m = m != NULL && m->function != NULL ? m : NULL;
	if (m == NULL)
		export_missing(e, FIELD_PRESET, "MODULE and CONFIG name a configuration of it in torchtitan");
	else if (e->plan->parallel.moe_dispatcher != DISPATCHER_ALLGATHER)
		EXPORT_SAY(e, FIELD_MOE_DISPATCHER);
	tell_limits(e);
	if (e->plan->training.precision > PRECISION_BF16)
		export_missing(e, FIELD_PRECISION, "converters of model_registry quantize, such as Float8LinearConverter");
	export_missing(e, FIELD_CP_COMM, "torchtitan gathers keys and values");
	EXPORT_SAY(e, FIELD_RECOMPUTE);
	python_tree(e, &t, &s);
	out = export_begin(e, "torchtitan_plan.py");
	export_head(e, out, "# ");
	put_imports(out, m, e->plan);
	tree_words(&t, out, WORDS_PYTHON);
	tree_end(&t);
	textbuf_add(out, "    return config\n");
	export_torchrun(e, "torchtitan.sh", "-m torchtitan.train --module torchtitan_plan --config plan");
}
