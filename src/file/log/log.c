#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "file/plan/errors.h"
#include "file/log/log.h"
#include "file/log/log_bench.h"
#include "file/log/log_serve.h"
#include "file/log/log_words.h"

enum {
	LINE_LEAST_BYTES = 12,  /* of those that any program writes about itself */
	LINE_MAX_BYTES = 65536, /* what follows on a longer line is passed over */
	SAMPLES_MAX = 1 << 20,
};

/* ---- samples of all iterations but the first ---------------------------------- */

struct samples {
	double *value;
	size_t count, room;
	double first;     /* of the first iteration */
	bool has_first;
};

struct reader {
	struct log_report *out;
	struct log_table table;
	size_t marks[LOG_KINDS];   /* lines that only this program prints */
	int64_t first_iteration;   /* -1: none seen */
	struct samples seconds[LOG_KINDS], tokens[LOG_KINDS], tflops[LOG_KINDS];
	struct log_pools pools;
	bool failed;               /* out of memory */
};

static void
sample_add(struct reader *r, struct samples *s, int64_t iteration, double v)
{
	if (!(v > 0))
		return;
	if (r->first_iteration < 0)
		r->first_iteration = iteration;
	/* every rank may print a line of the first iteration */
	if (!s->has_first || (iteration >= 0 && iteration == r->first_iteration)) {
		s->first = v;
		s->has_first = true;
		return;
	}
	if (s->count == SAMPLES_MAX)
		return;
	if (s->count == s->room) {
		size_t room = s->room > 0 ? 2 * s->room : 256;
		double *value = realloc(s->value, room * sizeof *value);

		if (value == NULL) {
			r->failed = true;
			return;
		}
		s->value = value;
		s->room = room;
	}
	s->value[s->count++] = v;
}

static int
compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
median(struct samples *s)
{
	const size_t n = s->count;

	if (n == 0)
		return s->has_first ? s->first : 0;
	qsort(s->value, n, sizeof *s->value, compare);
	return n % 2 == 1 ? s->value[n / 2] : (s->value[n / 2 - 1] + s->value[n / 2]) / 2;
}

/* ---- memory ------------------------------------------------------------------------- */

/* The peak over the run of a rank, or of a stage where the line names no rank. */
static void
memory_add(struct log_report *out, const struct log_memory *m)
{
	struct log_memory *known = NULL;

	if (!(m->allocated > 0) && !(m->reserved > 0))
		return;
	for (size_t i = 0; i < out->memories && known == NULL; i++)
		if (out->memory[i].rank == m->rank && out->memory[i].stage == m->stage)
			known = &out->memory[i];
	if (known == NULL) {
		if (out->memories < LOG_MEMORIES_MAX)
			out->memory[out->memories++] = *m;
		return;
	}
	if (m->allocated > known->allocated)
		known->allocated = m->allocated;
	if (m->reserved > known->reserved)
		known->reserved = m->reserved;
	if (m->iterations > known->iterations)
		known->iterations = m->iterations;
}

/* ---- the lines of each program ------------------------------------------------------- */

/* " iteration 3/ 100 | ... | elapsed time per iteration (ms): 1234.5 | throughput per GPU
 * (TFLOP/s/GPU): 412.3 | ...", "[Rank 0] (after 2 iterations) memory (MB) | allocated: 1.0
 * | max allocated: 2.0 | reserved: 3.0 | max reserved: 4.0": MB are MiB. */
static void
read_megatron(struct reader *r, const char *line)
{
	const char *memory = log_after(line, "memory (MB) |");
	const int64_t iteration = log_integer_after(line, " iteration ");

	if (strstr(line, "elapsed time per iteration (ms):") != NULL) {
		r->marks[LOG_MEGATRON]++;
		sample_add(r, &r->seconds[LOG_MEGATRON], iteration,
		    log_number_after(line, "elapsed time per iteration (ms):") / 1e3);
		sample_add(r, &r->tflops[LOG_MEGATRON], iteration,
		    log_number_after(line, "throughput per GPU (TFLOP/s/GPU):"));
	}
	if (memory != NULL) {
		const struct log_memory m = {
			.rank = log_integer_after(line, "[Rank "), .stage = -1,
			.iterations = log_integer_after(line, "after "),
			.allocated = log_number_after(memory, "max allocated:") * MIB,
			.reserved = log_number_after(memory, "max reserved:") * MIB,
		};

		r->marks[LOG_MEGATRON]++;
		memory_add(r->out, &m);
	}
}

/* "step: 10  loss: 7.1  grad_norm: 1.0  memory: 77.01GiB(81.05%)  tps: 5,762  tflops: 333.1
 * mfu: 33.7%", the tokens those of one GPU ("wps" in older versions). */
static void
read_torchtitan(struct reader *r, const char *line)
{
	const int64_t step = log_integer_after(line, "step:");
	double tokens = log_number_after(line, " tps:");

	if (!(tokens > 0))
		tokens = log_number_after(line, " wps:");
	if (step < 0 || !(tokens > 0) || strstr(line, "validate step") != NULL)
		return;
	r->marks[LOG_TORCHTITAN]++;
	sample_add(r, &r->tokens[LOG_TORCHTITAN], step, tokens);
	sample_add(r, &r->tflops[LOG_TORCHTITAN], step, log_number_after(line, " tflops:"));
	memory_add(r->out, &(struct log_memory){ .rank = log_integer_after(line, "[rank"),
	    .stage = -1, .iterations = step,
	    .reserved = log_number_after(line, " memory:") * GIB });
}

/* "[INFO|DP=0|PP=0|TP=0|node]: iteration: 3 / 15 | ... | elapsed_time_per_iteration_ms: 1.2K
 * | tokens_per_sec: 200K | tokens_per_sec_per_gpu: 25K | ... | model_tflops_per_gpu: 350",
 * "Memory usage: 1.0MiB. Peak allocated 2.0MiB. Peak reserved: 3.0MiB". */
static void
read_nanotron(struct reader *r, const char *line)
{
	const int64_t iteration = log_integer_after(line, "iteration:");
	const char *memory = log_after(line, "Memory usage:");

	if (strstr(line, "elapsed_time_per_iteration_ms:") != NULL) {
		r->marks[LOG_NANOTRON]++;
		sample_add(r, &r->seconds[LOG_NANOTRON], iteration,
		    log_number_after(line, "elapsed_time_per_iteration_ms:") / 1e3);
		sample_add(r, &r->tokens[LOG_NANOTRON], iteration,
		    log_number_after(line, "tokens_per_sec_per_gpu:"));
		sample_add(r, &r->tflops[LOG_NANOTRON], iteration,
		    log_number_after(line, "model_tflops_per_gpu:"));
	}
	if (memory != NULL && strstr(memory, "Peak allocated") != NULL) {
		double allocated = log_number_after(memory, "Peak allocated:");

		r->marks[LOG_NANOTRON]++;
		if (!(allocated > 0))
			allocated = log_number_after(memory, "Peak allocated");
		memory_add(r->out, &(struct log_memory){ .rank = -1,
		    .stage = log_integer_after(line, "|PP="), .iterations = -1,
		    .allocated = allocated * MIB,
		    .reserved = log_number_after(memory, "Peak reserved:") * MIB });
	}
}

/* ---- the file ------------------------------------------------------------------------- */

/* Colours (ESC [ ... letter) are of no use here. */
static void
strip_colors(char *line)
{
	char *to = line;

	for (const char *from = line; *from != '\0'; from++) {
		if (from[0] != '\033' || from[1] != '[') {
			*to++ = *from;
			continue;
		}
		for (from += 2; *from != '\0' && !(*from >= '@' && *from <= '~'); from++)
			continue;
		if (*from == '\0')
			break;
	}
	*to = '\0';
}

/* One line without its end; a progress bar's carriage return ends one too. */
static bool
next_line(FILE *f, char *line)
{
	size_t n = 0;
	int c;

	while ((c = getc_unlocked(f)) != EOF && c != '\n' && c != '\r')
		if (n + 1 < LINE_MAX_BYTES)
			line[n++] = (char)(c != '\0' ? c : ' ');
	line[n] = '\0';
	strip_colors(line);
	return c != EOF || n > 0;
}

/* Why the lines could not be read, NULL where they were. */
static const char *
read_lines(struct reader *r, FILE *f)
{
	char *line = malloc(LINE_MAX_BYTES);

	if (line == NULL)
		return "out of memory";
	while (next_line(f, line)) {
		if (strnlen(line, LINE_LEAST_BYTES) < LINE_LEAST_BYTES)
			continue;
		read_megatron(r, line);
		read_torchtitan(r, line);
		read_nanotron(r, line);
		log_serve_line(r->out, &r->pools, r->marks, line);
		log_bench_line(r->out, &r->table, r->marks, line);
	}
	free(line);
	return ferror(f) ? strerror(errno) : r->failed ? "out of memory" : NULL;
}

/* The program that wrote most of the known lines, and its medians. */
static bool
conclude(struct reader *r, const char *file, struct file_errors *errors)
{
	struct log_report *out = r->out;
	int kind = 0;

	for (int k = 1; k < LOG_KINDS; k++)
		if (r->marks[k] > r->marks[kind])
			kind = k;
	if (r->marks[kind] == 0) {
		errors_add(errors, file, 0, "", "no line of a known program: none with "
		    "'elapsed time per iteration (ms):' (Megatron-LM), ' tps:' (torchtitan), "
		    "'elapsed_time_per_iteration_ms:' (nanotron), 'KV cache size:' (vLLM), "
		    "'KV Cache is allocated.' (SGLang), 'paged KV cache' (TensorRT-LLM), "
		    "'Successful requests:' or 'Number of requests:' (benchmarks) "
		    "(fix: give the log from the start-up on)");
		return false;
	}
	out->kind = (enum log_kind)kind;
	log_serve_end(out, &r->pools);
	log_bench_end(out, &r->table);
	out->seconds = median(&r->seconds[kind]);
	out->tokens_per_second_per_gpu = median(&r->tokens[kind]);
	out->tflops_per_gpu = median(&r->tflops[kind]);
	out->iterations = r->seconds[kind].count > 0 ? r->seconds[kind].count :
	    r->tokens[kind].count;
	out->first_alone = out->iterations == 0 &&
	    (out->seconds > 0 || out->tokens_per_second_per_gpu > 0);
	return true;
}

static FILE *
open_log(const char *path, struct file_errors *errors)
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

/* The first byte that is no blank, left in the stream; EOF without one. */
static int
first_byte(FILE *f)
{
	int c;

	while ((c = getc(f)) == ' ' || c == '\t' || c == '\n' || c == '\r')
		continue;
	if (c == 0xef) /* of a byte order mark */
		c = getc(f) == 0xbb && getc(f) == 0xbf ? getc(f) : ' ';
	return c != EOF ? ungetc(c, f) : c;
}

static bool
read_log(struct reader *r, FILE *f, const char *file, struct file_errors *errors)
{
	const char *why = read_lines(r, f);

	if (why == NULL)
		return conclude(r, file, errors) && (r->out->kind != LOG_BENCHMARK ||
		    log_bench_check(&r->out->benchmark, file, errors));
	errors_add(errors, file, 0, "", "can not be read: %s", why);
	return false;
}

/* A log may begin with a brace too: read again as lines what is no result. */
static bool
read_braced(struct reader *r, FILE *f, const char *file, struct file_errors *errors)
{
	struct file_errors *spare;
	bool ok = log_bench_read(r->out, f, file, errors);

	if (ok || fseek(f, 0, SEEK_SET) != 0 || (spare = calloc(1, sizeof *spare)) == NULL)
		return ok;
	memset(r->out, 0, sizeof *r->out);
	ok = read_log(r, f, file, spare);
	if (ok)
		errors->count = errors->dropped = 0;
	free(spare);
	return ok;
}

static bool
read_stream(struct reader *r, FILE *f, const char *file, struct file_errors *errors)
{
	const int first = first_byte(f);
	const char *why;

	if (first == '{')
		return read_braced(r, f, file, errors);
	if (first == EOF && !ferror(f))
		why = "is empty";
	else if (first == 0xff || first == 0xfe)
		why = "is UTF-16 (fix: pipe it through iconv -f UTF-16 -t UTF-8)";
	else if (first == 0x1f)
		why = "is compressed (fix: pipe it through zcat)";
	else
		return read_log(r, f, file, errors);
	errors_add(errors, file, 0, "", "%s", why);
	return false;
}

const char *
log_kind_name(enum log_kind kind)
{
	static const char *const name[LOG_KINDS] = { "Megatron-LM", "torchtitan", "nanotron",
		"vLLM", "SGLang", "TensorRT-LLM", "a serving benchmark" };

	return name[kind];
}

bool
log_read(struct log_report *out, const char *path, struct file_errors *errors)
{
	struct reader r = { .out = out, .first_iteration = -1 };
	const bool input = text_equal(path, "-");
	FILE *f = input ? stdin : open_log(path, errors);
	bool ok;

	memset(out, 0, sizeof *out);
	if (f == NULL)
		return false;
	ok = read_stream(&r, f, input ? "standard input" : path, errors);
	if (!input)
		fclose(f);
	for (int k = 0; k < LOG_KINDS; k++) {
		free(r.seconds[k].value);
		free(r.tokens[k].value);
		free(r.tflops[k].value);
	}
	return ok;
}
