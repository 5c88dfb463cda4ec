#include "file/log/log.h"

#include <string.h>

#include "file/log/run.h"
#include "file/plan/errors.h"

static const struct {
	const char *name;    /* to people */
	const char *sources; /* as run.h names them, between blanks */
} kinds[LOG_KINDS] = {
	[LOG_MEGATRON] = { "Megatron-LM", " megatron bridge " },
	[LOG_TORCHTITAN] = { "torchtitan", " torchtitan " },
	[LOG_NANOTRON] = { "nanotron", " nanotron " },
	[LOG_DEEPSPEED] = { "DeepSpeed", " deepspeed " },
	[LOG_TRAINER] = { "a trainer", " huggingface tuner progress automodel composer maxtext " },
	[LOG_VLLM] = { "vLLM", " vllm " },
	[LOG_SGLANG] = { "SGLang", " sglang " },
	[LOG_TRTLLM] = { "TensorRT-LLM", " trtllm " },
	[LOG_BENCHMARK] = { "a serving benchmark", " benchmark " },
};

const char *
log_kind_name(enum log_kind kind)
{
	return kinds[kind].name;
}

/* The program that wrote most of the known lines; LOG_KINDS where none of these did. */
static enum log_kind
kind_of(const char *sources)
{
	char word[MEASURED_TEXT + 2];

	while (*sources != '\0') {
		const size_t n = strcspn(sources, " ");

		text_put(word, sizeof word, " %.*s ", (int)n, sources);
		for (int k = 0; k < LOG_KINDS; k++)
			if (strstr(kinds[k].sources, word) != NULL)
				return (enum log_kind)k;
		sources += n + (sources[n] == ' ');
	}
	return LOG_KINDS;
}

/* The first file that says how fast or how full a run was. */
static enum log_kind
kind_of_all(const struct measured *m)
{
	enum log_kind kind = LOG_KINDS;

	for (size_t i = 0; i < m->files && kind == LOG_KINDS; i++)
		kind = kind_of(m->file[i].kind);
	return kind;
}

bool
log_read(struct log_report *out, const char *const *path, int n, struct file_errors *errors)
{
	const struct measured *m = &out->run;
	struct steady step, tokens;

	memset(out, 0, sizeof *out);
	for (int i = 0; i < n; i++)
		if (!run_read(&out->run, path[i], errors))
			return false;
	out->kind = kind_of_all(m);
	if (out->kind == LOG_KINDS) {
		errors_add(errors, m->file[0].path, 0, "", "holds no time or memory of a run to fit (its "
		    "lines: %s)", m->file[0].kind);
		return false;
	}
	step = measured_steady(m, MEASURED_STEP);
	tokens = measured_steady(m, MEASURED_TOKENS_GPU);
	out->seconds = step.median;
	out->tokens_per_second_per_gpu = tokens.median;
	out->tflops_per_gpu = measured_steady(m, MEASURED_TFLOPS).median;
	out->first_alone = out->kind < LOG_VLLM && (step.first_alone || tokens.first_alone);
	if (out->kind < LOG_VLLM && !out->first_alone)
		out->iterations = step.samples > 0 ? step.samples : tokens.samples;
	return true;
}
