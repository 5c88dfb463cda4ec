/* The catalogue: what is shipped loads and fits together, users override by name. */
#include <math.h>

#include "filetest.h"

#include <dirent.h>
#include "core/base/text.h"
#include "core/framework/resolve.h"
#include "core/plan/shorthand.h"

static struct file_errors errors;

TEST(test_shipped)
{
	const struct catalog_entry *e;

	assert_true(test_catalog.models.count >= 80);
	assert_true(test_catalog.gpus.count >= 36);
	assert_true(test_catalog.clusters.count >= 12);
	e = catalog_find(&test_catalog.gpus, "h100-sxm-80gb");
	assert_non_null(e);
	assert_true(fabs(e->values.cluster.memory_gib - 79.19) < 1e-9);
	assert_true(field_is_set(FIELD_BF16_TFLOPS, &e->values));
	assert_false(field_is_set(FIELD_NODES, &e->values));
	e = catalog_find(&test_catalog.gpus, "GB200");
	assert_non_null(e);
	assert_int_equal(e->values.cluster.nvlink_domain, 72);
	e = catalog_find(&test_catalog.models, "llama-3.1-70b");
	assert_non_null(e);
	assert_int_equal(e->total_params, INT64_C(70553706496));
	assert_int_equal(e->values.model.layers, 80);
	e = catalog_find(&test_catalog.clusters, "meta-grand-teton-16k");
	assert_non_null(e);
	assert_int_equal(e->values.cluster.nodes, 2048);
	assert_false(field_is_set(FIELD_NAME, &e->values));
}

TEST(test_every_entry)
{
	const struct catalog_list *lists[] = { &test_catalog.models, &test_catalog.gpus,
	    &test_catalog.clusters };

	for (size_t l = 0; l < 3; l++)
		for (size_t i = 0; i < lists[l]->count; i++) {
			const struct catalog_entry *e = &lists[l]->entry[i];

			assert_true(e->id[0] != '\0' && e->title[0] != '\0' && e->file[0] != '\0');
			if (e->source[0] == '\0')
				fail_msg("%s: no source", e->id);
			if (l == 1 && (e->values.cluster.memory_gib < 1 || e->values.cluster.bf16_tflops < 1))
				fail_msg("%s: no memory or no rate", e->id);
			if (l == 1 && (e->values.cluster.generation == GENERATION_OTHER ||
			    !field_is_set(FIELD_FABRIC, &e->values)))
				fail_msg("%s: no generation or no fabric", e->id);
			if (l == 0 && e->total_params == 0)
				fail_msg("%s: no total_params", e->id);
		}
}

/* An alias stands for the name of its entry, which is what a plan then has. */
TEST(test_aliases)
{
	static const struct { enum field_id f; const char *alias, *name; } cases[] = {
		{ FIELD_PRESET, "deepseek-r1", "deepseek-v3" },
		{ FIELD_PRESET, "Llama-3.3-70B", "llama-3.1-70b" },
		{ FIELD_PRESET, "LLAMA-3.1-8B", "llama-3.1-8b" },
		{ FIELD_PRESET, "meta-llama/Llama-3.1-70B", "llama-3.1-70b" },
		{ FIELD_PRESET, "deepseek-ai/DeepSeek-V3", "deepseek-v3" },
		{ FIELD_GPU, "h100", "h100-sxm-80gb" },
	};
	static const char *const near[][2] = {
		{ "llama-70b", "llama-2-70b" }, { "llama3-70b", "llama-3.1-70b" },
		{ "llama3", "llama-3-8b" }, { "405b", "llama-3.1-405b" },
		{ "meta-llama/Meta-Llama-3.1-70B-Instruct", "llama-3.1-70b" },
		{ "mistralai/Mixtral-8x7B-Instruct-v0.1", "mixtral-8x7b" },
		{ "deepseek-ai/DeepSeek-R1-Distill-Llama-8B", "llama-3.1-8b" },
	};
	char err[128];
	struct plan p;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		plan_defaults(&p);
		assert_true(field_put_text(cases[i].f, &p, cases[i].alias, err, sizeof err));
		plan_resolve(&p, &test_catalog);
		assert_string_equal(field_text(cases[i].f, &p), cases[i].name);
		assert_true(field_is_set(cases[i].f, &p));
	}
	assert_string_equal(catalog_near(&test_catalog.models, "deepsek-r1"), "deepseek-v3");
	for (size_t i = 0; i < sizeof near / sizeof *near; i++)
		assert_string_equal(catalog_near(&test_catalog.models, near[i][0]), near[i][1]);
	assert_null(catalog_near(&test_catalog.models, "claude"));
	assert_string_equal(catalog_near(&test_catalog.gpus, "h100-80gb"), "h100-sxm-80gb");
}

/* Names of drivers, each of one GPU alone. */
TEST(test_driver_names)
{
	const struct catalog_list *gpus = &test_catalog.gpus;
	bool exact;

	assert_string_equal(catalog_of_driver(gpus, "NVIDIA H100 80GB HBM3", &exact)->id,
	    "h100-sxm-80gb");
	assert_true(exact);
	/* as Slurm's detection writes it, and without the maker */
	assert_string_equal(catalog_of_driver(gpus, "nvidia_a100-sxm4-80gb", &exact)->id,
	    "a100-sxm4-80gb");
	assert_true(exact);
	assert_string_equal(catalog_of_driver(gpus, "A100-SXM4-40GB", &exact)->id, "a100-sxm4-40gb");
	assert_string_equal(catalog_of_driver(gpus, "NVIDIA H200 NVL", &exact)->id, "h200-nvl-141gb");
	/* the longest known beginning, of whole words */
	assert_string_equal(catalog_of_driver(gpus, "NVIDIA H100 NVL 94GB x", &exact)->id,
	    "h100-nvl-94gb");
	assert_false(exact);
	assert_null(catalog_of_driver(gpus, "NVIDIA A10X", &exact));
	assert_null(catalog_of_driver(gpus, "NVIDIA", &exact));
	for (size_t i = 0; i < gpus->count; i++) {
		char name[PLAN_ID_SIZE];

		for (int64_t k = 0; gpus->entry[i].names[0] != '\0' &&
		    text_choice(gpus->entry[i].names, k, name, sizeof name); k++)
			assert_ptr_equal(catalog_of_driver(gpus, name, &exact), &gpus->entry[i]);
	}
}

/* Each sample plan loads, and its splits divide what they must. */
TEST(test_sample_plans)
{
	static struct planfile file;
	static struct plan p;
	char dir[1024], path[2048];
	const struct dirent *e;
	int count = 0;
	DIR *d;

	assert_true(paths_data(dir, sizeof dir, "plans"));
	d = opendir(dir);
	assert_non_null(d);
	while ((e = readdir(d)) != NULL) {
		int64_t world, dp;

		if (strstr(e->d_name, ".cfg") == NULL)
			continue;
		snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
		memset(&errors, 0, sizeof errors);
		if (!planfile_read(&file, &p, path, &test_catalog, &errors))
			fail_msg("%s", errors.line[0]);
		world = plan_world(&p);
		dp = world / (p.parallel.tp * p.parallel.cp * p.parallel.pp);
		assert_int_equal(world % (p.parallel.tp * p.parallel.cp * p.parallel.pp), 0);
		assert_int_equal(p.model.attention_heads % p.parallel.tp, 0);
		if (p.mode == MODE_TRAIN) {
			assert_int_equal(p.training.global_batch_size % (p.training.micro_batch_size * dp), 0);
			assert_int_equal(p.training.sequence_length % (2 * p.parallel.cp), 0);
			assert_int_equal(world % (p.parallel.etp * p.parallel.ep * p.parallel.pp), 0);
			if (p.parallel.pipeline_layout[0] == '\0' && p.parallel.first_stage_layers == 0 &&
			    p.parallel.last_stage_layers == 0)
				assert_int_equal((p.model.layers + p.parallel.account_for_embedding +
				    p.parallel.account_for_loss) % p.parallel.pp, 0);
		}
		count++;
	}
	closedir(d);
	assert_true(count >= 16);
}

/* The catalogue with a directory of the user's, and what it says. */
static bool
load_with_user(struct catalog *c)
{
	bool ok;

	memset(&errors, 0, sizeof errors);
	setenv("XDG_CONFIG_HOME", test_dir, 1);
	ok = catalog_load(c, &errors);
	if (ok && !catalog_load_clusters(c, &errors)) {
		catalog_free(c);
		ok = false;
	}
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	return ok;
}

static int
user_dir(void **state)
{
	if (fresh_dir(state) != 0)
		return -1;
	return mkdir(in_dir("shardplan"), 0700) != 0 || mkdir(in_dir("shardplan/clusters"), 0700);
}

/* A plan is resolved alike from the catalogue's ready defaults and from the table's text. */
TEST(test_defaults)
{
	struct catalog slow = test_catalog;

	assert_true(test_catalog.has_defaults);
	slow.has_defaults = false;
	for (size_t i = 0; i < test_catalog.models.count; i++) {
		struct plan a, b;
		char err[256];

		plan_builtin(&a);
		assert_true(field_put_text(FIELD_PRESET, &a, test_catalog.models.entry[i].id, err,
		    sizeof err));
		memset(&a.training, 0x55, sizeof a.training); /* what an unset field holds is replaced */
		b = a;
		plan_resolve(&a, &test_catalog);
		plan_resolve(&b, &slow);
		for (int f = 0; f < FIELD_COUNT; f++) {
			assert_true(field_same((enum field_id)f, &a, &b));
			assert_int_equal(field_is_set((enum field_id)f, &a), field_is_set((enum field_id)f, &b));
		}
	}
}

UNIT_TEST(test_user_files, user_dir, remove_dir)
{
	struct catalog c;
	const struct catalog_entry *e;

	put_file("shardplan/gpus.cfg", "gpus = ( { id = \"H100-sxm-80GB\"; memory_gib = 70.0; },"
	    " { id = \"mine\"; title = \"Mine\"; memory_gib = 1.0; } );");
	put_file("shardplan/models.cfg", "format = 1; models = ( { id = \"my-model\"; layers = 3; "
	    "total_params = 70000000000L; } );");
	put_file("shardplan/clusters/home.cfg", "cluster: { gpu = \"mine\"; nodes = 3; };");
	put_file("shardplan/clusters/dgx-h100.cfg", "name = \"Ours\"; cluster: { nodes = 7; };");
	put_file("shardplan/clusters/.hidden.cfg", "(");
	put_file("shardplan/clusters/README", "(");
	assert_true(load_with_user(&c));
	assert_int_equal(c.gpus.count, test_catalog.gpus.count + 1);
	assert_int_equal(c.models.count, test_catalog.models.count + 1);
	assert_int_equal(c.clusters.count, test_catalog.clusters.count + 1);
	e = catalog_find(&c.gpus, "h100-sxm-80gb");
	assert_true(fabs(e->values.cluster.memory_gib - 70) < 1e-9);
	assert_false(field_is_set(FIELD_BF16_TFLOPS, &e->values));
	e = catalog_find(&c.models, "my-model");
	assert_int_equal(e->total_params, INT64_C(70000000000));
	assert_string_equal(e->title, "my-model");
	e = catalog_find(&c.clusters, "home");
	assert_string_equal(e->values.cluster.gpu, "mine");
	e = catalog_find(&c.clusters, "dgx-h100");
	assert_string_equal(e->title, "Ours");
	assert_int_equal(e->values.cluster.nodes, 7);
	catalog_free(&c);
	assert_int_equal(c.gpus.count, 0);
}

/* However many there are, none is left out. */
UNIT_TEST(test_many_clusters, user_dir, remove_dir)
{
	enum { MANY = 300 };
	struct catalog c;
	char name[64];

	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof name, "shardplan/clusters/many-%03d.cfg", i);
		put_file(name, "cluster: { nodes = 3; };");
	}
	assert_true(load_with_user(&c));
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof name, "many-%03d", i);
		assert_non_null(catalog_find(&c.clusters, name));
		snprintf(name, sizeof name, "shardplan/clusters/many-%03d.cfg", i);
		assert_int_equal(unlink(in_dir(name)), 0);
	}
	catalog_free(&c);
}

static void
refused(const char *name, const char *text, const char *line)
{
	struct catalog c;
	char path[256];

	snprintf(path, sizeof path, "shardplan/%s", name);
	put_file(path, text);
	assert_false(load_with_user(&c));
	assert_int_equal(c.gpus.count, 0);
	if (strstr(errors.line[0], name) == NULL)
		fail_msg("%s", errors.line[0]);
	assert_string_equal(strstr(errors.line[0], name) + strlen(name), line);
	assert_int_equal(unlink(in_dir(path)), 0);
}

/* As long as a name may be. */
#define LONG "abcdefghijklmnopqrstuvwxyz-abcdefghijklmnopqrstuvwxyz-abcdefghi"

UNIT_TEST(test_user_errors, user_dir, remove_dir)
{
	refused("gpus.cfg", "gpus = (\n{ id = \"a\"; },\n{ id = \"A\"; } );", ":3: error: id: \"A\" "
	    "is there twice (fix: rename one)");
	refused("models.cfg", "models = (\n{ id = \"a\"; aliases = [\"b\"]; },\n{ id = \"B\"; } );",
	    ":3: error: id: \"B\" is there twice (fix: rename one)");
	refused("models.cfg", "models = (\n{ id = \"a\"; },\n{ id = \"b\"; aliases = [\"c\", \"A\"]; } );",
	    ":3: error: aliases: \"A\" is there twice (fix: rename one)");
	refused("models.cfg", "models = ( { id = \"a\"; aliases = \"b\"; } );", ":1: error: aliases: "
	    "needs a list of texts (fix: aliases = [\"...\"];)");
	refused("models.cfg", "models = ( { id = \"a\"; aliases = [\"b c\"]; } );", ":1: error: "
	    "aliases: a name is made of letters, digits and . _ + -");
	refused("gpus.cfg", "gpus = ( { id = \"a\"; names = [\"\"]; } );", ":1: error: names: these "
	    "texts may not be empty or hold a |");
	refused("gpus.cfg", "gpus = ( { title = \"a\"; } );", ":1: error: gpus: an entry without a "
	    "name (fix: id = \"...\";)");
	refused("gpus.cfg", "gpus = ( { id = \"a b\"; } );", ":1: error: id: a name is made of "
	    "letters, digits and . _ + -");
	refused("gpus.cfg", "gpus = ( 1 );", ":1: error: gpus: needs groups in the list (fix: { id "
	    "= \"...\"; })");
	refused("gpus.cfg", "gpus = { };", ":1: error: gpus: needs a list (fix: gpus = ( { ... } );)");
	refused("gpus.cfg", "gpu = ( );", ":1: error: gpu: unknown key (fix: gpus = ( { ... } );)");
	refused("gpus.cfg", "gpus = ( { id = \"a\";\n memory_gb = 80; } );", ":2: error: "
	    "cluster.memory_gb: unknown key (fix: did you mean cluster.memory_gib?)");
	refused("models.cfg", "models = ( { id = \"a\"; layers = 0; } );", ":1: error: model.layers: "
	    "0 is out of range: 1 to 4096 (fix: layers = 1)");
	refused("models.cfg", "models = ( { id = \"a\"; total_params = 70000000000; } );", ":1: "
	    "error: 70000000000 needs an L, or libconfig 1.5 reads another number (fix: write "
	    "70000000000L)");
	refused("models.cfg", "format = 3;", ":1: error: format: 3 was written by a newer shardplan; "
	    "this one reads 1 (fix: use that version)");
	refused("clusters/x.cfg", "\ncluster: { gpu = \"h100-sxm-80gc\"; };", ":2: error: "
	    "cluster.gpu: the catalogue has no \"h100-sxm-80gc\" (fix: gpu = \"h100-sxm-80gb\")");
	refused("clusters/" LONG "0.cfg", "", ": error: the name of a cluster is too long: 64 bytes "
	    "(fix: rename the file, to at most 63 and .cfg)");
	refused("clusters/a b.cfg", "", ": error: the name of a cluster is made of letters, digits "
	    "and . _ + -");
}

DIR_TEST(test_missing)
{
	struct catalog c;

	memset(&errors, 0, sizeof errors);
	setenv("SHARDPLAN_DATADIR", test_dir, 1);
	assert_false(catalog_load(&c, &errors));
	assert_int_equal(errors.count, 2);
	assert_non_null(strstr(errors.line[0], "gpus.cfg: error: can not be opened: No such file"));
	assert_non_null(strstr(errors.line[0], "SHARDPLAN_DATADIR"));
	memset(&errors, 0, sizeof errors);
	assert_false(catalog_load_clusters(&c, &errors));
	assert_int_equal(errors.count, 1);
	use_source_tree();
}

/* A directory that has room for the shorter of two names alone: no name goes by in silence. */
TEST(test_long_directory)
{
	char dir[PLANFILE_PATH_SIZE];
	struct catalog c;

	for (size_t n = PLANFILE_PATH_SIZE - 16; n < PLANFILE_PATH_SIZE; n++) {
		memset(dir, 'x', n);
		dir[0] = '/';
		dir[n] = '\0';
		setenv("SHARDPLAN_DATADIR", dir, 1);
		memset(&errors, 0, sizeof errors);
		assert_false(catalog_load(&c, &errors));
		assert_int_equal(errors.count, 2);
	}
	use_source_tree();
}

TEST(test_paths)
{
	char buf[256];

	setenv("XDG_STATE_HOME", "/s", 1);
	assert_true(paths_state(buf, sizeof buf, "undo"));
	assert_string_equal(buf, "/s/shardplan/undo");
	setenv("XDG_STATE_HOME", "relative", 1);
	setenv("HOME", "/home/x", 1);
	assert_true(paths_state(buf, sizeof buf, "undo"));
	assert_string_equal(buf, "/home/x/.local/state/shardplan/undo");
	unsetenv("XDG_CONFIG_HOME");
	assert_true(paths_config(buf, sizeof buf, "models.cfg"));
	assert_string_equal(buf, "/home/x/.config/shardplan/models.cfg");
	unsetenv("HOME");
	assert_false(paths_config(buf, sizeof buf, "models.cfg"));
	assert_false(paths_data(buf, 8, "models.cfg"));
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
}

static bool
load_two(struct catalog *c, const char *gpu, const char *model)
{
	struct catalog_names gpus = { 0 }, models = { 0 };

	errors = (struct file_errors){ 0 };
	catalog_name(&gpus, gpu);
	catalog_name(&models, model);
	return catalog_load_named(c, &gpus, &models, &errors);
}

/* Any name finds read alone what it finds in the whole catalogue. */
static void
check_named(const char *gpu, const char *model)
{
	struct catalog c;

	assert_true(load_two(&c, gpu, model));
	assert_int_equal(c.gpus.count, 1);
	assert_int_equal(c.models.count, 1);
	assert_memory_equal(catalog_find(&c.gpus, gpu), catalog_find(&test_catalog.gpus, gpu),
	    sizeof *c.gpus.entry);
	assert_memory_equal(catalog_find(&c.models, model), catalog_find(&test_catalog.models, model),
	    sizeof *c.models.entry);
	catalog_free(&c);
}

TEST(test_named)
{
	const struct catalog_list *models = &test_catalog.models, *all_gpus = &test_catalog.gpus;
	struct catalog_names many = { 0 };
	char alias[PLAN_ID_SIZE];
	struct catalog c;

	for (size_t i = 0; i < models->count; i++) {
		const char *gpu = all_gpus->entry[i % all_gpus->count].id;

		check_named(gpu, models->entry[i].id);
		for (int64_t k = 0; catalog_alias(&models->entry[i], k, alias, sizeof alias); k++)
			check_named(gpu, alias);
	}
	for (size_t i = 0; i < all_gpus->count; i++)
		for (int64_t k = 0; catalog_alias(&all_gpus->entry[i], k, alias, sizeof alias); k++)
			check_named(alias, "llama-3.1-8b");
	check_named("H100", "meta-llama/Llama-3.1-70B");
	assert_false(load_two(&c, "h100-sxm-80gb", "no-such-model"));
	assert_null(c.gpus.entry);
	assert_false(load_two(&c, "", ""));
	for (int i = 0; i <= CATALOG_NAMES; i++)
		catalog_name(&many, "llama-3.1-8b");
	assert_false(catalog_load_named(&c, &many, &many, &errors));
}

/* A file of the user's may say anything of any entry, and is read whole. */
UNIT_TEST(test_named_beside_user_files, user_dir, remove_dir)
{
	struct catalog c;

	setenv("XDG_CONFIG_HOME", test_dir, 1);
	assert_true(load_two(&c, "h100-sxm-80gb", "llama-3.1-70b"));
	catalog_free(&c);
	put_file("shardplan/models.cfg", "models = (\n"
	    "  { id = \"llama-3.1-70b\"; layers = 7; },\n"
	    "  { id = \"mine\"; aliases = [\"llama-3.1-8b\", \"ours\"]; layers = 9; });\n");
	assert_true(load_two(&c, "h100-sxm-80gb", "llama-3.1-70b"));
	assert_int_equal(catalog_find(&c.models, "llama-3.1-70b")->values.model.layers, 7);
	assert_non_null(catalog_find(&c.models, "ours"));
	catalog_free(&c);
	assert_true(load_two(&c, "h100", "llama-3.1-8b"));
	assert_string_equal(catalog_find(&c.models, "llama-3.1-8b")->id, "llama-3.1-8b");
	catalog_free(&c);
	assert_true(load_two(&c, "h100", "ours"));
	assert_int_equal(catalog_find(&c.models, "ours")->values.model.layers, 9);
	catalog_free(&c);
	put_file("shardplan/models.cfg", "models = ( { id = 7; } );\n");
	assert_false(load_two(&c, "h100-sxm-80gb", "llama-3.1-70b"));
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
}

static void
check_says(const char *word, enum field_id f, const char *id)
{
	struct plan plan;
	char said[512], want[160];

	plan_builtin(&plan);
	text_put(want, sizeof want, "%s=%s", field_table[f].path, id);
	assert_int_equal(shorthand_read(word, &plan, &test_catalog, said, sizeof said), SHORTHAND_SAYS);
	assert_string_equal(said, want);
}

/* Every name stands for its entry by itself, whatever else it looks like. */
TEST(test_shorthand)
{
	const struct {
		const struct catalog_list *list;
		enum field_id field;
	} lists[] = { { &test_catalog.models, FIELD_PRESET }, { &test_catalog.gpus, FIELD_GPU } };
	struct plan plan;
	char name[PLAN_ID_SIZE], said[512];

	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < lists[k].list->count; i++) {
			const struct catalog_entry *e = &lists[k].list->entry[i];

			check_says(e->id, lists[k].field, e->id);
			for (int64_t n = 0; catalog_alias(e, n, name, sizeof name); n++)
				check_says(name, lists[k].field, catalog_find(lists[k].list, name)->id);
		}
	check_says("8x7b", FIELD_PRESET, "mixtral-8x7b");
	check_says("3.1-70b", FIELD_PRESET, "llama-3.1-70b");
	check_says("serve", FIELD_MODE, "serve");
	check_says("qlora", FIELD_FINETUNE, "qlora");
	check_says("torchtitan", FIELD_LAYOUT, "torchtitan");
	check_says("grpo", FIELD_RL_ALGORITHM, "grpo");
	plan_builtin(&plan);
	assert_int_equal(shorthand_read("70b", &plan, &test_catalog, said, sizeof said), SHORTHAND_UNCLEAR);
	assert_non_null(strstr(said, "llama-2-70b, codellama-70b, llama-3.1-70b"));
	/* Nodes have as many GPUs as the new kind's do. */
	assert_int_equal(shorthand_read("72xgb200", &plan, &test_catalog, said, sizeof said),
	    SHORTHAND_SAYS);
	assert_string_equal(said, "cluster.gpu=gb200 cluster.nodes=18");
	field_mark(FIELD_GPUS_PER_NODE, &plan, true);
	assert_int_equal(shorthand_read("72xgb200", &plan, &test_catalog, said, sizeof said),
	    SHORTHAND_SAYS);
	assert_string_equal(said, "cluster.gpu=gb200 cluster.nodes=9");
	/* Checkpoints are called by their makers' names, and say their format. */
	check_says("meta-llama/Llama-3.3-70B-Instruct", FIELD_PRESET, "llama-3.1-70b");
	check_says("llama3_1_8b", FIELD_PRESET, "llama-3.1-8b");
	assert_int_equal(shorthand_read("Qwen/Qwen3-30B-A3B-GPTQ-Int4", &plan, &test_catalog, said, sizeof said),
	    SHORTHAND_SAYS);
	assert_string_equal(said, "model.preset=qwen3-30b-a3b model.checkpoint_dtype=int4 serving.dense_dtype=int4");
	/* longer than any number of GPUs: not a part of it */
	assert_int_equal(shorthand_read("111111111111111111111111x8", &plan, &test_catalog, said,
	    sizeof said), SHORTHAND_NONE);
	assert_int_equal(shorthand_read("8x111111111111111111111111", &plan, &test_catalog, said,
	    sizeof said), SHORTHAND_NONE);
	assert_int_equal(shorthand_read("undo", &plan, &test_catalog, said, sizeof said), SHORTHAND_NONE);
}

int
main(void)
{
	return unit_run(load_catalog, free_catalog);
}
