/* Reading plans: every kind of complaint with its file and line, base chains, and what
 * is written. */
#include <locale.h>
#include <math.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "filetest.h"
#include "core/framework/resolve.h"

static struct planfile file;
static struct plan plan;
static struct file_errors errors;
static char *written; /* what the plan would be saved as */

static bool
read_text(const char *text)
{
	memset(&errors, 0, sizeof errors);
	return planfile_read_text(&file, &plan, "plan.cfg", text, strlen(text), &test_catalog,
	    &errors);
}

static bool
read_name(const char *name)
{
	memset(&errors, 0, sizeof errors);
	return planfile_read(&file, &plan, in_dir(name), &test_catalog, &errors);
}

/* The text is refused with exactly this line; "plan.cfg:" is put before it. */
static void
refused(const char *text, const char *line)
{
	assert_false(read_text(text));
	assert_memory_equal(errors.line[0], "plan.cfg:", 9);
	assert_string_equal(errors.line[0] + 9, line);
	assert_int_equal(errors.count, 1);
}

/* A file of the test's directory is refused; %s of the line is that directory. */
static void
refused_file(const char *name, const char *format)
{
	char line[512], shown[600] = "";
	size_t used = 0;

	assert_false(read_name(name));
	snprintf(line, sizeof line, "%s/", test_dir);
	/* Take the directory out wherever it stands. */
	for (const char *p = errors.line[0]; *p != '\0';) {
		if (strncmp(p, line, strlen(line)) == 0)
			p += strlen(line);
		else
			shown[used++] = *p++;
	}
	assert_string_equal(shown, format);
}

static void
write_plan(const struct planfile *of, const struct plan *p)
{
	free(written);
	written = planfile_text(of, p, &test_catalog);
	assert_non_null(written);
}

static void
says(const char *text)
{
	if (strstr(written, text) == NULL)
		fail_msg("no '%s' in:\n%s", text, written);
}

static void
omits(const char *text)
{
	if (strstr(written, text) != NULL)
		fail_msg("'%s' in:\n%s", text, written);
}

/* ---- complaints -------------------------------------------------------------------- */

TEST(test_unknown_keys)
{
	refused("parallel: {\n tpp = 8;\n};", "2: error: parallel.tpp: unknown key (fix: did you "
	    "mean parallel.tp?)");
	refused("tp = 8;", "1: error: tp: belongs into a section (fix: parallel: { tp = ...; };)");
	refused("nodes = 3;", "1: error: nodes: belongs into a section (fix: cluster: { nodes = ...; "
	    "};)");
	refused("layer = 3;", "1: error: layer: unknown key (fix: did you mean model.layers?)");
	refused("\nparalel: { tp = 8; };", "2: error: paralel: unknown key (fix: did you mean "
	    "parallel?)");
	refused("finetunes: { rank = 8; };", "1: error: finetunes: unknown key (fix: did you mean "
	    "finetune?)");
	refused("bas = \"x\";", "1: error: bas: unknown key (fix: did you mean base?)");
	refused("nothing_like_it = 1;", "1: error: nothing_like_it: unknown key (fix: shardplan "
	    "fields lists all)");
	refused("model: { zzzzzzzz = 1; };", "1: error: model.zzzzzzzz: unknown key (fix: shardplan "
	    "fields lists all)");
}

TEST(test_types)
{
	refused("parallel: { tp = \"8\"; };", "1: error: parallel.tp: needs a whole number, not text "
	    "in quotation marks (fix: tp = 8)");
	refused("parallel: { tp = \"many\"; };", "1: error: parallel.tp: needs a whole number, not "
	    "text in quotation marks (fix: tp = 1)");
	refused("parallel: { tp = 8.0; };", "1: error: parallel.tp: needs a whole number, not a "
	    "number with a point (fix: tp = 8)");
	refused("parallel: { tp = true; };", "1: error: parallel.tp: needs a whole number, not true "
	    "or false (fix: tp = 1)");
	refused("parallel: { tp = (8); };", "1: error: parallel.tp: needs a whole number, not a list "
	    "(fix: tp = 1)");
	refused("parallel: { tp: { x = 1; }; };", "1: error: parallel.tp: needs a whole number, not "
	    "a group (fix: tp = 1)");
	refused("parallel = 8;", "1: error: parallel: needs a group (fix: parallel: { ... };)");
	refused("name: { };", "1: error: name: needs text in quotation marks, not a group (fix: name "
	    "= \"\")");
	refused("cluster: { nic_gbps = \"12.5\"; };", "1: error: cluster.nic_gbps: needs a number, "
	    "not text in quotation marks (fix: nic_gbps = 12.5)");
	refused("training: { flash_attention = 1; };", "1: error: training.flash_attention: needs "
	    "true or false, not a whole number (fix: flash_attention = true)");
	refused("training: { precision = 8; };", "1: error: training.precision: needs text in "
	    "quotation marks, not a whole number (fix: precision = \"bf16\")");
	refused("serving: { engine_version = 0.19; };", "1: error: serving.engine_version: needs "
	    "text in quotation marks, not a number with a point (fix: engine_version = \"0.19\")");
	refused("base = 1;", "1: error: base: needs text in quotation marks, not a whole number "
	    "(fix: base = \"1\")");
	assert_true(read_text("cluster: { nic_gbps = 400; memory_gib = 80.5; nodes = 4L; };"));
	assert_int_equal(plan.cluster.nodes, 4);
	assert_true(fabs(plan.cluster.nic_gbps - 400) <= 0);
}

TEST(test_ranges)
{
	refused("parallel: { vpp = 4097; };", "1: error: parallel.vpp: 4097 is out of range: 1 to "
	    "4096 (fix: vpp = 4096)");
	refused("parallel: { tp = -1; };", "1: error: parallel.tp: -1 is out of range: 1 to 16777216 "
	    "(fix: tp = 1)");
	refused("training: { moe_imbalance = 0.5; };", "1: error: training.moe_imbalance: 0.5 is out "
	    "of range: 1 to 1024 (fix: moe_imbalance = 1)");
	refused("parallel: { tp = 9223372036854775807L; };", "1: error: parallel.tp: "
	    "9223372036854775807 is out of range: 1 to 16777216 (fix: tp = 16777216)");
	refused("serving: { gpu_memory_utilization = 1.5; };", "1: error: "
	    "serving.gpu_memory_utilization: 1.5 is out of range: 0 or 0.01 to 1 (fix: "
	    "gpu_memory_utilization = 1)");
	refused("calibration: { compute_efficiency = 1e-300; };", "1: error: "
	    "calibration.compute_efficiency: 1e-300 is out of range: 0 or 0.001 to 10 (fix: "
	    "compute_efficiency = 0.001)");
	refused("mode = \"trian\";", "1: error: mode: \"trian\" is not one of train, serve (fix: "
	    "mode = \"train\")");
	refused("training: { precision = \"int4\"; };", "1: error: training.precision: \"int4\" is "
	    "not one of fp32, fp16, bf16, fp8, fp8-block, mxfp8, nvfp4 (fix: precision = \"bf16\")");
	refused("training: { precision = \"\x1b[2Jbf16\"; };", "1: error: training.precision: "
	    "\"\\x1b[2Jbf16\" is not one of fp32, fp16, bf16, fp8, fp8-block, mxfp8, nvfp4 (fix: "
	    "precision = \"bf16\")");
	refused("name = \"\xff\xfe\";", "1: error: name: this text is not UTF-8 (fix: save the file "
	    "as UTF-8)");
	refused("parallel: { hierarchical_cp = \"0123456789012345678901234567890123456789"
	    "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567"
	    "\"; };", "1: error: parallel.hierarchical_cp: too long: 128 bytes (fix: at most 127)");
}

TEST(test_names)
{
	refused("\ncluster: { gpu = \"h100-sxm-80g\"; };", "2: error: cluster.gpu: the catalogue has "
	    "no \"h100-sxm-80g\" (fix: gpu = \"h100-sxm-80gb\")");
	refused("model: {\n\n preset = \"lama-3.1-70b\"; };", "3: error: model.preset: the catalogue "
	    "has no \"lama-3.1-70b\" (fix: preset = \"llama-3.1-70b\")");
	refused("model: { preset = \"????????????????????????????????\"; };", "1: error: "
	    "model.preset: the catalogue has no \"????????????????????????????????\" (fix: a name "
	    "from shardplan models)");
	assert_true(read_text("model: { preset = \"\"; };"));
}

TEST(test_syntax)
{
	refused("a = \n\n;", "3: error: syntax error here or just before (fix: write settings as tp "
	    "= 8; and groups as parallel: { ... };)");
	refused("true = 1;", "1: error: syntax error here or just before (fix: write settings as tp "
	    "= 8; and groups as parallel: { ... };)");
	refused("parallel: { tp = 8; };\nparallel: { pp = 4; };", "2: error: duplicate setting name "
	    "(fix: keep one of the two)");
	refused("format = 2;\ngarbage = 1;", "1: error: format: 2 was written by a newer shardplan; "
	    "this one reads 1 (fix: use that version)");
	refused("format = 0;", "1: error: format: 0 is no format (fix: format = 1)");
	refused("format = \"1\";", "1: error: format: needs a whole number, not text in quotation "
	    "marks (fix: format = 1)");
	refused("@include \".\"", "1: error: @include is not supported (fix: base = "
	    "\"other.cfg\";)");
	assert_true(read_text(""));
	assert_int_equal(plan_world(&plan), 8);
	assert_true(read_text("\xef\xbb\xbf" "format = 1;\r\nname = \"x\"\r\nparallel: { tp = 4 }"));
	assert_int_equal(plan.parallel.tp, 4);
	assert_true(field_is_set(FIELD_TP, &plan) && !field_is_set(FIELD_PP, &plan));
	assert_true(read_text("name = \"x\"; # a comment that ends with the file"));
	assert_true(read_text("name = \"x\"; //"));
	assert_true(read_text("calibration: { memory_bias_gib = -0.0; };"));
	assert_true(signbit(plan.calibration.memory_bias_gib));
}

TEST(test_many_errors)
{
	char text[4096] = "parallel: {\n";

	for (int i = 0; i < 30; i++)
		sprintf(text + strlen(text), "\tunknown%d = 1;\n", i);
	strcat(text, "};\n");
	assert_false(read_text(text));
	assert_int_equal(errors.count, PLANFILE_ERRORS_MAX);
	assert_int_equal(errors.dropped, 10);
	assert_non_null(strstr(errors.line[19], "plan.cfg:21: error: parallel.unknown19: "));
}

/* ---- what is no plan file ------------------------------------------------------------- */

DIR_TEST(test_kinds_of_files)
{
	char *big = malloc(PLANFILE_SIZE_MAX + 2);

	assert_non_null(big);
	refused_file("", ": error: is a directory, not a file");
	refused_file("none.cfg", "none.cfg: error: can not be opened: No such file or directory");
	assert_int_equal(mkfifo(in_dir("fifo"), 0600), 0);
	refused_file("fifo", "fifo: error: is not a regular file (fix: give '-' and pipe it)");
	memset(big, '#', PLANFILE_SIZE_MAX + 1);
	put_bytes("big.cfg", big, PLANFILE_SIZE_MAX + 1);
	refused_file("big.cfg", "big.cfg: error: is larger than 1 MiB, so it is no plan");
	put_bytes("big.cfg", big, PLANFILE_SIZE_MAX);
	assert_true(read_name("big.cfg"));
	assert_true(file.has_comments);
	put_bytes("nul.cfg", "a = 1;\n\0", 8);
	refused_file("nul.cfg", "nul.cfg:2: error: a zero byte: this is no text file");
	put_file("self.cfg", "@include \"self.cfg\"\n");
	refused_file("self.cfg", "self.cfg:1: error: @include is not supported (fix: base = "
	    "\"other.cfg\";)");
	free(big);
}

TEST(test_standard_input)
{
	int saved = dup(STDIN_FILENO), ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "parallel: { tp = 4; };", 22), 22);
	close(ends[1]);
	dup2(ends[0], STDIN_FILENO);
	assert_true(planfile_read(&file, &plan, "-", &test_catalog, &errors));
	assert_int_equal(plan.parallel.tp, 4);
	assert_string_equal(file.path, "");
	close(ends[0]);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "\ntp = 4;", 8), 8);
	close(ends[1]);
	dup2(ends[0], STDIN_FILENO);
	memset(&errors, 0, sizeof errors);
	assert_false(planfile_read(&file, &plan, "-", &test_catalog, &errors));
	assert_memory_equal(errors.line[0], "<stdin>:2: error: tp: ", 22);
	close(ends[0]);
	dup2(saved, STDIN_FILENO);
	close(saved);
}

/* A small stack, as threads and batch systems give: nothing deep is on it. */
TEST(test_small_stack)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		struct rlimit limit = { 256 * 1024, 256 * 1024 };
		char deep[200];

		setrlimit(RLIMIT_STACK, &limit);
		memset(deep, '(', 60);
		memset(deep + 60, ')', 60);
		deep[120] = '\0';
		_exit(read_text(deep) ? 1 : 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* ---- base -------------------------------------------------------------------------- */

DIR_TEST(test_base)
{
	assert_true(mkdir(in_dir("sub"), 0700) == 0);
	put_file("sub/b.cfg", "base = \"../a.cfg\";\nparallel: { pp = 2; };\n");
	put_file("a.cfg", "cluster: { nodes = 4; };\nparallel: { tp = 8; pp = 4; };\n");
	put_file("top.cfg", "base = \"sub/b.cfg\";\nparallel: { tp = 2; };\n");
	assert_true(read_name("top.cfg"));
	assert_string_equal(file.base, "sub/b.cfg");
	assert_int_equal(plan.cluster.nodes, 4);
	assert_int_equal(plan.parallel.tp, 2);
	assert_int_equal(plan.parallel.pp, 2);
	assert_int_equal(file.inherited.parallel.tp, 8);
	assert_true(field_is_set(FIELD_TP, &file.inherited));
	assert_true(field_is_set(FIELD_NODES, &plan));
	assert_false(field_is_set(FIELD_CP, &file.inherited));

	put_file("a.cfg", "cluster: { nodez = 4; };");
	refused_file("top.cfg", "sub/../a.cfg:1: error: cluster.nodez: unknown key (fix: did you "
	    "mean cluster.nodes?)");
	put_file("top.cfg", "\nbase = \"none.cfg\";\ntp = 1;");
	refused_file("top.cfg", "top.cfg:2: error: base: none.cfg can not be opened: No such file or "
	    "directory");
	assert_int_equal(errors.count, 2);
	put_file("top.cfg", "base = \"sub\";");
	refused_file("top.cfg", "top.cfg:1: error: base: sub is a directory, not a file");
	put_file("top.cfg", "base = \"clusters/dgx-a100.cfg\"; cluster: { nodes = 3; };");
	assert_true(read_name("top.cfg"));
	assert_string_equal(plan.cluster.gpu, "a100-sxm4-80gb");
}

DIR_TEST(test_circles)
{
	put_file("c1.cfg", "base = \"c1.cfg\";");
	refused_file("c1.cfg", "c1.cfg:1: error: base: plans build on one another in a circle: "
	    "c1.cfg -> c1.cfg (fix: remove one base)");
	put_file("c1.cfg", "base = \"c2.cfg\";");
	put_file("c2.cfg", "\nbase = \"c3.cfg\";");
	put_file("c3.cfg", "\n\nbase = \"./c2.cfg\";");
	refused_file("c1.cfg", "c3.cfg:3: error: base: plans build on one another in a circle: "
	    "c2.cfg -> c3.cfg -> ./c2.cfg (fix: remove one base)");
	assert_int_equal(symlink("c1.cfg", in_dir("link.cfg")), 0);
	put_file("c1.cfg", "base = \"link.cfg\";");
	assert_false(read_name("c1.cfg"));
}

DIR_TEST(test_depth)
{
	char name[16], text[64];

	for (int i = 0; i <= 9; i++) {
		snprintf(name, sizeof name, "d%d.cfg", i);
		snprintf(text, sizeof text, "base = \"d%d.cfg\";", i - 1);
		if (i == 0)
			strcpy(text, "cluster: { nodes = 5; };");
		put_file(name, text);
	}
	assert_true(read_name("d8.cfg"));
	assert_int_equal(plan.cluster.nodes, 5);
	refused_file("d9.cfg", "d1.cfg:1: error: base: more than 8 plans build on one another (fix: "
	    "join some of them)");
}

/* All plans of a chain are in memory together: so are their values counted. */
DIR_TEST(test_large_chain)
{
	char name[16], text[10000];
	size_t n;

	for (int i = 0; i < 6; i++) {
		snprintf(name, sizeof name, "l%d.cfg", i);
		n = (size_t)sprintf(text, "%s\nx = (0", i == 0 ? "" : "base = \"l0.cfg\";");
		if (i > 0)
			text[9] = (char)('0' + i - 1);
		for (int v = 1; v < 4000; v++)
			n += (size_t)sprintf(text + n, ",0");
		strcpy(text + n, ");\n");
		put_file(name, text);
	}
	assert_false(read_name("l3.cfg"));
	assert_non_null(strstr(errors.line[0], "x: unknown key"));
	refused_file("l5.cfg", "l2.cfg:1: error: base: plans that build on one another hold more "
	    "than 20000 settings and members of lists (fix: leave out what no plan needs)");
}

DIR_TEST(test_extremes)
{
	static struct planfile none;
	static struct plan p;
	char err[100];

	plan_defaults(&none.inherited);
	plan_defaults(&p);
	p.mode = MODE_SERVE;
	field_mark(FIELD_MODE, &p, true);
	assert_true(field_put_text(FIELD_NAME, &p, "a \"b\" \\ \n\t\x1b \xe2\x82\xac \xff", err,
	    sizeof err));
	p.cluster.nodes = INT64_C(2147483647); /* past the range: the writer does not care */
	p.cluster.gpus_per_node = INT64_C(2147483648);
	p.cluster.nvlink_domain = INT64_MAX;
	p.cluster.nic_gbps = 1e300;
	p.cluster.hbm_gbps = 1e6;
	p.cluster.memory_gib = 1.0 / 3;
	for (int f = FIELD_NODES; f <= FIELD_HBM_GBPS; f++)
		field_mark((enum field_id)f, &p, true);
	write_plan(&none, &p);
	says("\nname = \"a \\\"b\\\" \\\\ \\n\\t\\x1B \xe2\x82\xac ?\";\n");
	says("\tnodes = 2147483647;\n");
	says("\tgpus_per_node = 2147483648L;\n");
	says("\tnvlink_domain = 9223372036854775807L;\n");
	says("\tnic_gbps = 1e+300;\n");
	says("\thbm_gbps = 1000000.0;\n");
	says("\tmemory_gib = 0.3333333333333333;\n");
}

/* What a saved plan says and what it leaves to catalogue and base. */
DIR_TEST(test_what_is_written)
{
	assert_true(read_text("serving: { concurrency = 9; };"));
	write_plan(&file, &plan);
	says("\tconcurrency = 9;\n");
	omits("context_length");
	omits("first_stage_layers");
	omits("\tmemory_gib");
	omits("\tlayers = ");
	omits("calibration");
	says("\tpipeline_layout = \"\";\n");
	/* What follows other fields goes on following; a comment says what it is now. */
	omits("\tetp = ");
	says("\t# follows layout and TP: etp = 1;\n");
	says("\t# follows TP: sequence_parallel = false;\n");
	says("\t# follows GPU and GPUs per node: nvlink_domain = 8;\n");
	says("\t# follows longest context: sequence_length = 4096;\n");
	assert_true(read_text(written));
	assert_false(file.has_comments);
	/* What was said outright is kept, also where it is what would follow. */
	assert_true(read_text("parallel: { etp = 1; sequence_parallel = false; };"));
	write_plan(&file, &plan);
	says("\n\tetp = 1;\n");
	says("\n\tsequence_parallel = false;\n");

	put_file("base.cfg", "cluster: { memory_gib = 70.0; };\n"
	    "calibration: { compute_efficiency = 0.5; };");
	put_file("top.cfg", "base = \"base.cfg\";");
	assert_true(read_name("top.cfg"));
	write_plan(&file, &plan);
	omits("\tmemory_gib");
	says("\nbase = \"base.cfg\";\n");
	/* Neither "the catalogue's" nor "absent" can be said against a base that has a value: the
	 * base goes, and what it gave else is written. */
	field_mark(FIELD_MEMORY_GIB, &plan, false);
	plan_resolve(&plan, &test_catalog);
	write_plan(&file, &plan);
	omits("base");
	omits("\tmemory_gib");
	says("\tcompute_efficiency = 0.5;\n");
	field_mark(FIELD_COMPUTE_EFFICIENCY, &plan, false);
	plan_resolve(&plan, &test_catalog);
	write_plan(&file, &plan);
	omits("base");
	omits("compute_efficiency");
}

TEST(test_section)
{
	const struct catalog_entry *e = catalog_find(&test_catalog.models, "llama-3.1-8b");
	char *text;

	assert_non_null(e);
	text = planfile_section_text(&e->values, "model");
	assert_memory_equal(text, "model: {\n\tlayers = 32;\n", 23);
	assert_true(read_text(text));
	assert_int_equal(plan.model.hidden_size, 4096);
	free(text);
}

TEST(test_locale)
{
	static struct planfile none;
	static struct plan p;

	if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL)
		skip();
	setlocale(LC_NUMERIC, "C"); /* as the program does */
	plan_defaults(&none.inherited);
	planfile_builtin(&none, &p, &test_catalog);
	write_plan(&none, &p);
	says("rate_scale = 1.0;");
	assert_true(read_text("cluster: { memory_gib = 70.5; };"));
	assert_true(fabs(plan.cluster.memory_gib - 70.5) <= 0);
	setlocale(LC_ALL, "C");
}

/* What describes the node follows the GPU: written only where it is the plan's own. */
DIR_TEST(test_node)
{
	assert_true(read_text("cluster: { gpu = \"h100-sxm-80gb\"; nic_gbps = 200.0; };"));
	write_plan(&file, &plan);
	says("\t# follows GPU: gpus_per_node = 8;\n");
	says("\t# follows GPU: nics_per_node = 8;\n");
	says("\n\tnic_gbps = 200.0;\n");
	omits("\tmemory_gib");
	/* These comments are the program's own; what somebody added to one is not. */
	assert_true(read_text(written));
	assert_false(file.has_comments);
	assert_true(read_text("# follows GPU: nic_gbps = 400.0;\n"));
	assert_false(file.has_comments);
	assert_true(read_text("# follows GPU: nic_gbps = 400.0; not here\n"));
	assert_true(file.has_comments);
	assert_true(read_text("# follows GPU: \n"));
	assert_true(file.has_comments);
	assert_true(read_text("# follows advice: neighbours = 4;\n"));
	assert_true(file.has_comments);
	assert_true(read_text("cluster: { gpu = \"gb200\"; };"));
	assert_int_equal(plan.cluster.gpus_per_node, 4);
	write_plan(&file, &plan);
	says("\t# follows GPU: gpus_per_node = 4;\n");
	says("\t# follows GPU and GPUs per node: nvlink_domain = 72;\n");
}

int
main(void)
{
	return unit_run(load_catalog, free_catalog);
}
