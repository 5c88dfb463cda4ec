#include "file/log/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "file/log/find.h"
#include "file/log/lines.h"
#include "file/log/run_rows.h"
#include "file/log/source.h"
#include "file/log/trace.h"
#include "file/plan/errors.h"

static const struct run_row *const run_rows[] = { run_megatron_rows, run_train_rows, run_tune_rows,
	run_rl_rows,
	run_serve_rows, run_link_rows, run_host_rows, run_smi_rows,
	run_kernel_rows, run_release_rows };
enum { ROW_LISTS = sizeof run_rows / sizeof *run_rows, ROWS_MAX = 384 };

static const char *const source_names[SOURCE_COUNT] = {
	[SOURCE_MEGATRON] = "megatron", [SOURCE_BRIDGE] = "bridge", [SOURCE_TORCHTITAN] = "torchtitan",
	[SOURCE_NANOTRON] = "nanotron", [SOURCE_DEEPSPEED] = "deepspeed", [SOURCE_HF] = "huggingface",
	[SOURCE_AUTOMODEL] = "automodel", [SOURCE_COMPOSER] = "composer", [SOURCE_MAXTEXT] = "maxtext",
	[SOURCE_TUNER] = "tuner", [SOURCE_PROGRESS] = "progress", [SOURCE_VERL] = "verl",
	[SOURCE_OPENRLHF] = "openrlhf", [SOURCE_NEMO_RL] = "nemo-rl", [SOURCE_SLIME] = "slime",
	[SOURCE_VLLM] = "vllm", [SOURCE_SGLANG] = "sglang", [SOURCE_TRTLLM] = "trtllm",
	[SOURCE_BENCHMARK] = "benchmark", [SOURCE_NCCL_TESTS] = "nccl-tests", [SOURCE_DEEPEP] = "deepep", [SOURCE_NCCL] = "nccl",
	[SOURCE_SMI] = "nvidia-smi", [SOURCE_TOPO] = "topology", [SOURCE_DCGM] = "dcgm",
	[SOURCE_AMD_SMI] = "amd-smi",
	[SOURCE_OOM] = "out-of-memory", [SOURCE_TRACE] = "trace", [SOURCE_NSYS] = "nsys",
	[SOURCE_WORDS] = "words",
};

/* Steps that are so much slower at the end than in the beginning drift. */
#define DRIFTS 1.1

/* A share of the step that is worth a word. */
#define WAITS 0.05

/* Readers and finders of one file. Large. */
struct run_file {
	struct run_reader reader;
	struct finder finder;
	struct source source;
	struct lines lines;
	const struct run_row *row[ROWS_MAX];
	size_t rows;
	unsigned said_at[EVIDENCE_COUNT]; /* the last line whose words say it */
};

/* ---- lines -------------------------------------------------------------------------------- */

static void
add_words(struct run_file *f)
{
	f->rows = 0;
	finder_begin(&f->finder);
	for (size_t i = 0; i < evidence_words_count; i++)
		finder_add(&f->finder, evidence_words[i].words, (int)evidence_words[i].id);
	for (int list = 0; list < ROW_LISTS; list++)
		for (const struct run_row *row = run_rows[list]; row->words != NULL; row++)
			if (f->rows < ROWS_MAX) {
				finder_add(&f->finder, row->words, EVIDENCE_COUNT + (int)f->rows);
				f->row[f->rows++] = row;
			}
}

/* A line as it is quoted: from so far before its words that these are seen. */
static const char *
quoted(char buf[MEASURED_TEXT], const char *line, const char *after)
{
	enum { SEEN = 64 };
	const char *from = after - line > SEEN ? strchr(after - SEEN, ' ') : NULL;

	if (from == NULL || from >= after)
		return line;
	text_put(buf, MEASURED_TEXT, "...%s", from);
	return buf;
}

/* The outermost call counts: a backward pass may compute a forward pass again. */
static void
take_phase(struct run_reader *r, enum oom_phase phase)
{
	if (r->phase == OOM_UNKNOWN || phase == OOM_UNKNOWN)
		r->phase = phase;
}

static void
take_row(struct run_reader *r, const struct run_row *row, const char *line, const char *after)
{
	const double number = row->number != NULL ? row->number(after) : run_number(after);

	if (row->read != NULL)
		row->read(r, line, after);
	else if (row->tells == TELLS_SAMPLE)
		run_add(r, (enum measured_id)row->id, -1, number);
	else if (row->tells == TELLS_SECONDS)
		run_fall_back(r, (enum fallback)row->id, -1, number);
	else if (row->tells == TELLS_FACT)
		run_fact_number(r, row->id, number);
	else if (row->tells == TELLS_PHASE)
		take_phase(r, (enum oom_phase)row->id);
	else if (row->number == NULL || number > 0)
		run_say(r, (enum evidence_id)row->id, line, 0);
}

static void
take_word(void *to, int meaning, const char *line, const char *after)
{
	struct run_file *f = to;
	struct run_reader *r = &f->reader;
	const struct run_row *row;

	if (meaning < EVIDENCE_COUNT) {
		char text[MEASURED_TEXT];

		if (f->said_at[meaning] == r->place.line)
			return; /* in other words */
		f->said_at[meaning] = r->place.line;
		r->said[SOURCE_WORDS]++;
		run_say(r, (enum evidence_id)meaning, quoted(text, line, after), 0);
		return;
	}
	row = f->row[meaning - EVIDENCE_COUNT];
	if (row->source != SOURCE_ASIDE)
		r->said[row->source]++;
	take_row(r, row, line, after);
}

static void
take_line(struct run_file *f, size_t length)
{
	struct run_reader *r = &f->reader;

	if (r->next != NULL && !r->next(r, f->lines.text))
		r->next = NULL;
	finder_line(&f->finder, f->lines.text, length, take_word, f);
}

_Static_assert(SOURCE_COUNT <= 32, "a bit each");

/* ---- what a file was --------------------------------------------------------------------- */

static size_t
said_anything(const struct run_reader *r)
{
	size_t n = 0;

	for (int s = 0; s < SOURCE_COUNT; s++)
		n += r->said[s];
	return n;
}

/* A step that no line says as such. */
static void
take_fallback(struct run_reader *r)
{
	for (int f = 0; f < FALLBACK_COUNT && r->m->series[MEASURED_STEP].count == 0; f++)
		if (r->step[f].count > 0)
			r->m->series[MEASURED_STEP] = r->step[f];
}

/* The source of most lines that is not among `named`; SOURCE_COUNT when there is none. */
static int
next_source(const struct run_reader *r, unsigned named)
{
	int most = SOURCE_COUNT;

	for (int s = 0; s < SOURCE_COUNT; s++)
		if (r->said[s] > 0 && (named >> s & 1) == 0 &&
		    (most == SOURCE_COUNT || r->said[s] > r->said[most]))
			most = s;
	return most;
}

/* Words alone are a source where there is no other; a bar is none beside a program. */
static void
name_sources(const struct run_reader *r, struct measured_file *file)
{
	unsigned named = 1u << SOURCE_WORDS;

	for (int s; (s = next_source(r, named)) != SOURCE_COUNT; named |= 1u << s)
		text_add(file->kind, sizeof file->kind, "%s%s", *file->kind != '\0' ? " " : "",
		    source_names[s]);
	if (*file->kind == '\0')
		text_put(file->kind, sizeof file->kind, "%s", source_names[SOURCE_WORDS]);
}

/* Steps that stand out at equal distances: what each costs, spread over all. */
static void
say_spikes(struct run_reader *r, const struct series *s)
{
	double mean = 0;
	const int64_t period = series_period(s, &mean);
	const double times = mean / series_steady(s).median;

	if (period <= 0)
		return;
	run_say(r, EVIDENCE_SPIKES, TEXT_OF(MEASURED_TEXT,
	    "every %lld steps one takes %.3g times as long: %.2g %% of the time", (long long)period, times,
	    100 * (times - 1) / (double)period), (times - 1) / (double)period);
	r->m->evidence[EVIDENCE_MANUAL_GC] = (struct evidence){ 0 }; /* as it is, it costs */
}

/* Half of the steps differ by so much: those of fixed lengths do not. */
#define UNLIKE 1.2
enum { UNLIKE_LEAST = 16 };

/* Programs that train on batches of one length. */
static bool
has_even_steps(const struct run_reader *r)
{
	return r->said[SOURCE_MEGATRON] + r->said[SOURCE_TORCHTITAN] + r->said[SOURCE_NANOTRON] > 0;
}

static void
say_jitter(struct run_reader *r, const struct series *s)
{
	const struct steady v = series_steady(s);

	if (v.samples < UNLIKE_LEAST || !has_even_steps(r) || !(v.high > UNLIKE * v.low))
		return;
	run_say(r, EVIDENCE_JITTER, TEXT_OF(MEASURED_TEXT,
	    "a quarter of the steps takes %.2f times as long as another quarter, or longer", v.high / v.low),
	    v.high / v.low);
}

/* The allocator keeps for reuse what it once gave out, and somewhat more: so much is in pieces. */
#define MUCH_MORE 1.25

static void
say_spare(struct run_reader *r)
{
	const struct measured_memory *most = NULL;

	for (size_t i = 0; i < r->m->memories; i++)
		if (r->m->memory[i].allocated > 0 && (most == NULL || r->m->memory[i].reserved > most->reserved))
			most = &r->m->memory[i];
	if (most == NULL || !(most->reserved > MUCH_MORE * most->allocated))
		return;
	run_say(r, EVIDENCE_SPARE, TEXT_OF(MEASURED_TEXT,
	    "%.3g GiB are reserved, of which %.3g were given out at once", most->reserved / GIB,
	    most->allocated / GIB), most->reserved - most->allocated);
}

/* What the steps of a file look like, one beside the other. */
static void
say_shape(struct run_reader *r)
{
	const struct series *steps = &r->m->series[MEASURED_STEP];
	const struct series *s = steps->count > 0 ? steps : &r->step[FALLBACK_PACE];
	const double waits = measured_steady(r->m, MEASURED_DATA).median;
	const double share = waits / series_steady(steps).median, drift = series_drift(s);

	r->place.line = s->place.line;
	if (s->count > 0) {
		say_spikes(r, s);
		if (!(drift > DRIFTS))
			say_jitter(r, s);
	}
	if (share > WAITS && share <= 1)
		run_say(r, EVIDENCE_DATA_SLOW, TEXT_OF(MEASURED_TEXT, "%.3g s of a step wait for data: %.0f %%",
		    waits, 100 * share), share);
	if (drift > DRIFTS)
		run_say(r, EVIDENCE_DRIFT, TEXT_OF(MEASURED_TEXT,
		    "the last quarter's steps take %.2f times those of the first", drift), drift);
}

/* Numbers whose steps a file counts. */
static size_t
steps_of(const struct measured *m)
{
	size_t most = 0;

	for (int id = 0; id <= MEASURED_TFLOPS; id++)
		if (m->series[id].count > most)
			most = m->series[id].count;
	return most;
}

static bool
read_lines(struct run_file *f, const char *name, struct file_errors *errors)
{
	struct run_reader *r = &f->reader;
	struct measured *m = r->m;
	struct measured_file *file = &m->file[m->files];
	const size_t before = steps_of(m);
	size_t length;

	*file = (struct measured_file){ .lines = 0 };
	r->place.file = (int)m->files;
	add_words(f);
	while (lines_next(&f->lines, &length)) {
		r->place.line = f->lines.line;
		take_line(f, length);
	}
	if (r->next != NULL) /* who waits for lines has had the last one */
		r->next(r, "");
	if (f->source.failed != NULL) {
		errors_add(errors, name, 0, "", "can not be read: %s", f->source.failed);
		return false;
	}
	if (said_anything(r) == 0) {
		errors_add(errors, name, 0, "", "no line of a known program: none with 'elapsed time per "
		    "iteration (ms):' (Megatron-LM), ' tps:' (torchtitan), 'time_per_iteration_ms:' "
		    "(nanotron), 'time (ms) |' (DeepSpeed), 's/it]' (progress bars), 'KV cache size:' "
		    "(vLLM), 'KV Cache is allocated.' (SGLang), 'Successful requests:' (benchmarks) nor "
		    "others of shardplan(1), DIAGNOSE (fix: give the log from the start-up on)");
		return false;
	}
	take_fallback(r);
	run_serve_end(r);
	say_shape(r);
	say_spare(r);
	name_sources(r, file);
	if (next_source(r, 1u << SOURCE_WORDS) == SOURCE_BENCHMARK &&
	    !(m->load.ttft_seconds > 0 || m->load.tpot_seconds > 0) && /* a table that is cut */
	    !log_bench_check(&m->load, name, errors))
		return false;
	text_put(file->path, sizeof file->path, "%s", name);
	file->lines = f->lines.line;
	file->steps = steps_of(m) - before;
	file->skipped = f->lines.cut;
	m->files++;
	return true;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* A file that is one thing: named and counted. */
static void
end_whole(struct run_file *f, const char *name, enum writer writer, size_t steps)
{
	struct measured_file *file = &f->reader.m->file[f->reader.m->files++];

	*file = (struct measured_file){ .steps = steps };
	text_put(file->path, sizeof file->path, "%s", name);
	text_put(file->kind, sizeof file->kind, "%s", source_names[writer]);
}

static bool
read_trace(struct run_file *f, const char *name, struct file_errors *errors)
{
	struct run_reader *r = &f->reader;
	const char *why;

	r->place = (struct place){ (int)r->m->files, 1 };
	why = trace_read(r, &f->source);
	if (why != NULL)
		errors_add(errors, name, 0, "", "%s", why);
	else
		end_whole(f, name, SOURCE_TRACE, r->said[SOURCE_TRACE]);
	return why == NULL;
}

/* A result of a benchmark, which is JSON. */
static bool
read_result(struct run_file *f, const char *text, size_t n, const char *name,
    struct file_errors *errors)
{
	struct run_reader *r = &f->reader;

	if (!log_bench_read(&r->m->load, text, n, name, errors))
		return false;
	r->place = (struct place){ (int)r->m->files, 1 };
	run_serve_load(r);
	end_whole(f, name, SOURCE_BENCHMARK, 1);
	return true;
}

/* A trace, or a result of a benchmark; but a log may begin with a brace too: what is neither is read
 * as lines. */
static bool
read_braced(struct run_file *f, const char *name, struct file_errors *errors)
{
	const size_t count = errors->count, dropped = errors->dropped; /* of files before this one */
	struct file_errors *spare;
	bool whole, ok;
	size_t n;
	const char *text = source_ahead(&f->source, SOURCE_AHEAD, &n, &whole);

	if (trace_is(text, n))
		return read_trace(f, name, errors);
	if (whole && read_result(f, text, n, name, errors))
		return true;
	if ((spare = calloc(1, sizeof *spare)) == NULL)
		return false;
	f->reader.m->load = (struct measured_load){ 0 };
	ok = read_lines(f, name, spare);
	if (ok)
		errors->count = count, errors->dropped = dropped;
	else if (!whole)
		errors_add(errors, name, 0, "", "is JSON of more than 1 MiB: a benchmark's result is short "
		    "without its lists of every request (fix: jq -c 'del(.[] | arrays)' %s | shardplan "
		    "calibrate PLAN -)", name);
	free(spare);
	return ok;
}

/* The first byte that is no blank and no byte order mark; EOF without one. */
static int
first_byte(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (n - i > 2 && memcmp(text + i, "\xef\xbb\xbf", 3) == 0)
			i += 2;
		else if (strchr(" \t\n\r", text[i]) == NULL || text[i] == '\0')
			return (unsigned char)text[i];
	}
	return EOF;
}

/* Files that other programs turn into text: why this one is not read, NULL for all others. */
static const char *
binary_kind(const char *name, const char *text, size_t n)
{
	const size_t length = strlen(name);
	const char *const end = length > 9 ? name + length - 9 : name;

	if (text_equal(end, ".nsys-rep") || (n > 15 && memcmp(text, "SQLite format 3", 15) == 0))
		return "is of Nsight Systems (fix: export a trace of PyTorch's profiler instead, or read "
		    "nsys stats --report cuda_gpu_kern_sum)";
	if (n > 2 && (unsigned char)text[0] == 0x80 && (unsigned char)text[1] <= 5)
		return "is a pickle, such as a memory snapshot (fix: print torch.cuda.memory_summary())";
	return NULL;
}

static bool
read_kind(struct run_file *f, const char *name, struct file_errors *errors)
{
	bool whole;
	size_t n;
	const char *text = source_ahead(&f->source, 4096, &n, &whole);
	const int first = first_byte(text, n);
	const char *why;

	if (first == '{' || (first == '[' && trace_is(text, n)))
		return read_braced(f, name, errors);
	if (first == EOF && whole)
		why = f->source.failed != NULL ? f->source.failed : "is empty";
	else if ((why = binary_kind(name, text, n)) == NULL)
		return read_lines(f, name, errors);
	errors_add(errors, name, 0, "", "%s", why);
	return false;
}

static bool
read_stream(struct measured *m, FILE *in, const char *name, struct file_errors *errors)
{
	struct run_file *f;
	bool ok;

	if (m->files == MEASURED_FILES) {
		errors_add(errors, name, 0, "", "more than %d files", MEASURED_FILES);
		return false;
	}
	if ((f = calloc(1, sizeof *f)) == NULL) {
		errors_add(errors, name, 0, "", "out of memory");
		return false;
	}
	f->reader.m = m;
	lines_begin(&f->lines, &f->source);
	ok = source_begin(&f->source, in);
	if (!ok)
		errors_add(errors, name, 0, "", "%s", f->source.failed);
	ok = ok && read_kind(f, name, errors);
	if (ok && f->source.ignored)
		errors_warn(errors, name, "what follows the part that gzip packed is ignored");
	source_end(&f->source);
	free(f);
	return ok;
}

static FILE *
open_file(const char *path, struct file_errors *errors)
{
	struct stat st;
	FILE *f = NULL;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

	if (fd < 0) {
		errors_add(errors, path, 0, "", "can not be opened: %s", strerror(errno));
		return NULL;
	}
	if (fstat(fd, &st) != 0)
		errors_add(errors, path, 0, "", "can not be read: %s", strerror(errno));
	else if (S_ISDIR(st.st_mode))
		errors_add(errors, path, 0, "", "is a directory, not a file");
	else if (!S_ISREG(st.st_mode))
		errors_add(errors, path, 0, "", "is not a regular file (fix: give '-' and pipe it)");
	else if ((f = fdopen(fd, "r")) == NULL)
		errors_add(errors, path, 0, "", "can not be read: %s", strerror(errno));
	if (f == NULL)
		close(fd);
	return f;
}

bool
run_read(struct measured *m, const char *path, struct file_errors *errors)
{
	const bool input = text_equal(path, "-");
	FILE *in = input ? stdin : open_file(path, errors);
	bool ok;

	if (in == NULL)
		return false;
	ok = read_stream(m, in, input ? "standard input" : path, errors);
	if (!input)
		fclose(in);
	return ok;
}

bool
run_read_text(struct measured *m, const char *name, const char *text, size_t size,
    struct file_errors *errors)
{
	FILE *in = size > 0 ? fmemopen((char *)text, size, "r") : NULL;
	bool ok;

	if (in == NULL) {
		errors_add(errors, name, 0, "", size > 0 ? "out of memory" : "is empty");
		return false;
	}
	ok = read_stream(m, in, name, errors);
	fclose(in);
	return ok;
}
