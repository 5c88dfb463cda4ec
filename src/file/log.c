#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text.h"
#include "file/log.h"

enum {
	LINE_MAX_BYTES = 65536, /* what follows on a longer line is passed over */
	SAMPLES_MAX = 1 << 20,
};

#define MIB (1024.0 * 1024)
#define GIB (1024.0 * MIB)

/* ---- samples of all iterations but the first ---------------------------------- */

struct samples {
	double *value;
	size_t count, room;
	double first;     /* of the first iteration */
	bool has_first;
};

struct reader {
	struct log_report *out;
	size_t marks[LOG_KINDS];   /* lines that only this program prints */
	int64_t first_iteration;   /* -1: none seen */
	struct samples seconds[LOG_KINDS], tokens[LOG_KINDS], tflops[LOG_KINDS];
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

/* ---- words and numbers of a line -------------------------------------------------- */

/* What follows `word`, or NULL. */
static const char *
after(const char *line, const char *word)
{
	const char *found = strstr(line, word);

	return found != NULL ? found + strlen(word) : NULL;
}

/* "5,762", "1.2K", "77.01GiB": the number at the beginning of text. The suffixes are
 * those of nanotron's human_format, powers of 1000. *end, where given, is what follows. */
static bool
number(const char *text, double *out, const char **end)
{
	char digits[64];
	size_t n = 0;
	double scale = 1;

	if (text == NULL)
		return false;
	text += strspn(text, " \t");
	for (; n + 1 < sizeof digits && (strchr("+-.0123456789,eE", *text) != NULL) &&
	    *text != '\0'; text++)
		if (*text != ',')
			digits[n++] = *text;
	while (n > 0 && strchr("eE.", digits[n - 1]) != NULL) /* the end of a sentence */
		n--;
	digits[n] = '\0';
	if (!text_to_real(digits, out))
		return false;
	if (text[0] == 'K' || text[0] == 'M' || text[0] == 'B' || text[0] == 'T') {
		if (text[1] != 'i')
			scale = text[0] == 'K' ? 1e3 : text[0] == 'M' ? 1e6 :
			    text[0] == 'B' ? 1e9 : 1e12;
	}
	*out *= scale;
	if (end != NULL)
		*end = text;
	return true;
}

/* The number after a word; 0 when there is none. */
static double
number_after(const char *line, const char *word)
{
	double v;

	return number(after(line, word), &v, NULL) ? v : 0;
}

static int64_t
integer_after(const char *line, const char *word)
{
	double v;

	return number(after(line, word), &v, NULL) && v >= 0 && v < 1e15 ? (int64_t)v : -1;
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
	const char *memory = after(line, "memory (MB) |");
	const int64_t iteration = integer_after(line, " iteration ");

	if (strstr(line, "elapsed time per iteration (ms):") != NULL) {
		r->marks[LOG_MEGATRON]++;
		sample_add(r, &r->seconds[LOG_MEGATRON], iteration,
		    number_after(line, "elapsed time per iteration (ms):") / 1e3);
		sample_add(r, &r->tflops[LOG_MEGATRON], iteration,
		    number_after(line, "throughput per GPU (TFLOP/s/GPU):"));
	}
	if (memory != NULL) {
		const struct log_memory m = {
			.rank = integer_after(line, "[Rank "), .stage = -1,
			.iterations = integer_after(line, "after "),
			.allocated = number_after(memory, "max allocated:") * MIB,
			.reserved = number_after(memory, "max reserved:") * MIB,
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
	const int64_t step = integer_after(line, "step:");
	double tokens = number_after(line, " tps:");

	if (!(tokens > 0))
		tokens = number_after(line, " wps:");
	if (step < 0 || !(tokens > 0) || strstr(line, "validate step") != NULL)
		return;
	r->marks[LOG_TORCHTITAN]++;
	sample_add(r, &r->tokens[LOG_TORCHTITAN], step, tokens);
	sample_add(r, &r->tflops[LOG_TORCHTITAN], step, number_after(line, " tflops:"));
	memory_add(r->out, &(struct log_memory){ .rank = integer_after(line, "[rank"),
	    .stage = -1, .iterations = step,
	    .reserved = number_after(line, " memory:") * GIB });
}

/* "[INFO|DP=0|PP=0|TP=0|node]: iteration: 3 / 15 | ... | elapsed_time_per_iteration_ms: 1.2K
 * | tokens_per_sec: 200K | tokens_per_sec_per_gpu: 25K | ... | model_tflops_per_gpu: 350",
 * "Memory usage: 1.0MiB. Peak allocated 2.0MiB. Peak reserved: 3.0MiB". */
static void
read_nanotron(struct reader *r, const char *line)
{
	const int64_t iteration = integer_after(line, "iteration:");
	const char *memory = after(line, "Memory usage:");

	if (strstr(line, "elapsed_time_per_iteration_ms:") != NULL) {
		r->marks[LOG_NANOTRON]++;
		sample_add(r, &r->seconds[LOG_NANOTRON], iteration,
		    number_after(line, "elapsed_time_per_iteration_ms:") / 1e3);
		sample_add(r, &r->tokens[LOG_NANOTRON], iteration,
		    number_after(line, "tokens_per_sec_per_gpu:"));
		sample_add(r, &r->tflops[LOG_NANOTRON], iteration,
		    number_after(line, "model_tflops_per_gpu:"));
	}
	if (memory != NULL && strstr(memory, "Peak allocated") != NULL) {
		double allocated = number_after(memory, "Peak allocated:");

		r->marks[LOG_NANOTRON]++;
		if (!(allocated > 0))
			allocated = number_after(memory, "Peak allocated");
		memory_add(r->out, &(struct log_memory){ .rank = -1,
		    .stage = integer_after(line, "|PP="), .iterations = -1,
		    .allocated = allocated * MIB,
		    .reserved = number_after(memory, "Peak reserved:") * MIB });
	}
}

static void
keep_most(double *kept, double v)
{
	if (v > *kept)
		*kept = v;
}

/* Workers share one number of blocks, so the least pool counts. */
static void
keep_least(double *kept, double v)
{
	if (v > 0 && (!(*kept > 0) || v < *kept))
		*kept = v;
}

/* vLLM prints GiB, older versions under the name of GB. */
static void
read_vllm(struct reader *r, const char *line)
{
	static const char *const weights[] = { "Model loading took", "Loading model weights took",
		"model weights take" };
	static const char *const pool[] = { "Available KV cache memory:",
		"memory reserved for KV Cache is" };
	struct log_report *out = r->out;
	const char *rest;
	double v;

	for (size_t i = 0; i < sizeof weights / sizeof weights[0]; i++)
		if (number(after(line, weights[i]), &v, NULL)) {
			keep_most(&out->weight_bytes, v * GIB);
			r->marks[LOG_VLLM]++;
		}
	for (size_t i = 0; i < sizeof pool / sizeof pool[0]; i++)
		if (number(after(line, pool[i]), &v, NULL)) {
			keep_least(&out->kv_pool_bytes, v * GIB);
			r->marks[LOG_VLLM]++;
		}
	if (number(after(line, "GPU KV cache size:"), &v, NULL)) {
		keep_least(&out->kv_tokens, v);
		r->marks[LOG_VLLM]++;
	}
	if (number(after(line, "# GPU blocks:"), &v, NULL))
		keep_least(&out->kv_blocks, v);
	if (number(after(line, "Maximum concurrency for"), &v, NULL) &&
	    (rest = after(line, "tokens per request:")) != NULL) {
		out->context_length = v;
		if (number(rest, &v, NULL))
			out->max_concurrency = v;
		r->marks[LOG_VLLM]++;
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

static bool
read_lines(struct reader *r, FILE *f, char *why, size_t size)
{
	char *line = malloc(LINE_MAX_BYTES);

	if (line == NULL) {
		text_put(why, size, "out of memory");
		return false;
	}
	while (next_line(f, line)) {
		read_megatron(r, line);
		read_torchtitan(r, line);
		read_nanotron(r, line);
		read_vllm(r, line);
	}
	free(line);
	if (ferror(f))
		text_put(why, size, "can not be read: %s", strerror(errno));
	else if (r->failed)
		text_put(why, size, "out of memory");
	return !ferror(f) && !r->failed;
}

/* The program that wrote most of the known lines, and its medians. */
static bool
conclude(struct reader *r, char *why, size_t size)
{
	struct log_report *out = r->out;
	int kind = 0;

	for (int k = 1; k < LOG_KINDS; k++)
		if (r->marks[k] > r->marks[kind])
			kind = k;
	if (r->marks[kind] == 0) {
		text_put(why, size, "has no line of a program that is known; looked for "
		    "'elapsed time per iteration (ms):' and 'memory (MB) |' (Megatron-LM), "
		    "'step: ... tps:' (torchtitan), 'elapsed_time_per_iteration_ms:' and "
		    "'Memory usage: ... Peak allocated' (nanotron), 'Model loading took', "
		    "'Available KV cache memory:' and 'GPU KV cache size:' (vLLM)");
		return false;
	}
	out->kind = (enum log_kind)kind;
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
open_log(const char *path, char *why, size_t size)
{
	struct stat st;
	FILE *f = NULL;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

	if (fd < 0) {
		text_put(why, size, "can not be opened: %s", strerror(errno));
		return NULL;
	}
	if (fstat(fd, &st) != 0)
		text_put(why, size, "can not be read: %s", strerror(errno));
	else if (S_ISDIR(st.st_mode))
		text_put(why, size, "is a directory, not a file");
	else if (!S_ISREG(st.st_mode))
		text_put(why, size, "is not a regular file");
	else if ((f = fdopen(fd, "r")) == NULL)
		text_put(why, size, "can not be read: %s", strerror(errno));
	if (f == NULL)
		close(fd);
	return f;
}

const char *
log_kind_name(enum log_kind kind)
{
	static const char *const name[LOG_KINDS] = { "Megatron-LM", "torchtitan", "nanotron",
		"vLLM" };

	return name[kind];
}

bool
log_read(struct log_report *out, const char *path, char *why, size_t size)
{
	struct reader r = { .out = out, .first_iteration = -1 };
	const bool input = text_equal(path, "-");
	FILE *f = input ? stdin : open_log(path, why, size);
	bool ok;

	memset(out, 0, sizeof *out);
	if (f == NULL)
		return false;
	ok = read_lines(&r, f, why, size) && conclude(&r, why, size);
	if (!input)
		fclose(f);
	for (int k = 0; k < LOG_KINDS; k++) {
		free(r.seconds[k].value);
		free(r.tokens[k].value);
		free(r.tflops[k].value);
	}
	return ok;
}
