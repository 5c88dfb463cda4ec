/*
 * Programs that fine-tune, and progress bars: transformers trainer_utils.py (speed_metrics) and
 * trainer_callback.py, TRL, axolotl core/trainers/base.py, ms-swift callbacks, LLaMA-Factory
 * train/callbacks.py, torchtune; tqdm's line, std.py (format_meter).
 */
#include <string.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "file/log/run_rows.h"

/* 'train_speed(iter/s)': 0.4 of ms-swift before 3.10; {'train_runtime': 106.5,
 * 'train_steps_per_second': 0.59, 'train_loss': ..} of transformers, texts since 5, or a line each ("
 * train_steps_per_second = 0.59"): means with warm-up, evaluation and saving. */
TAKES(steps_a_second)
{
	const double rate = run_value(after, "");

	if (rate > 0)
		run_fall_back(r, FALLBACK_RATE, -1, 1 / rate);
}

/* 'effective_tokens_per_sec' beside it: those that are no padding. */
#define MOSTLY_PADDED 0.7

TAKES(tokens_that_count)
{
	const double all = measured_steady(r->m, MEASURED_TOKENS).median, some = run_value(after, "");

	if (some > 0 && some < MOSTLY_PADDED * all)
		run_say(r, EVIDENCE_PADDED, line, 1 - some / all);
}

/* 'memory/max_allocated (GiB)': 40.1 of axolotl, and what it holds reserved. */
TAKES(memory_of)
{
	const double reserved = larger(run_value(line, "memory/device_reserved (GiB)"),
	    run_value(line, "memory/device_mem_reserved(gib)"));

	measured_memory(r->m, &(struct measured_memory){ .rank = -1, .stage = -1, .iterations = -1,
		.allocated = run_value(after, "") * GIB, .reserved = reserved * GIB });
}

/* 'memory(GiB)': 40.1 of ms-swift: torch.cuda.max_memory_reserved. */
TAKES(reserved_of)
{
	measured_memory(r->m, &(struct measured_memory){ .rank = -1, .stage = -1, .iterations = -1,
		.reserved = run_value(after, "") * GIB });
}

/* "Step 12 | loss:1.2 lr:.. tokens_per_second_per_gpu:2931.5 peak_memory_alloc:40.1": GiB. */
TAKES(torchtune_step)
{
	run_add(r, MEASURED_TOKENS_GPU, log_integer_after(line, "Step "), run_value(after, ""));
	measured_memory(r->m, &(struct measured_memory){ .rank = -1, .stage = -1, .iterations = -1,
		.allocated = run_value(line, "peak_memory_alloc") * GIB,
		.reserved = run_value(line, "peak_memory_reserved") * GIB });
}

/* "  Total train batch size (w. parallel, distributed & accumulation) = 128" of the Trainer */
static double
behind_equals(const char *after)
{
	return log_number_after(after, "=");
}

/* ---- progress bars -------------------------------------------------------------------------- */

/* "1:05:20" or "08:44" in seconds; -1 for none. */
static double
clock_of(const char *text)
{
	double seconds = 0, part;

	for (int i = 0; i < 4; i++) {
		const size_t n = strspn(text, "0123456789");
		char digits[16];

		if (n == 0 || n >= sizeof digits)
			return -1;
		text_put(digits, sizeof digits, "%.*s", (int)n, text);
		if (!text_to_real(digits, &part))
			return -1;
		seconds = 60 * seconds + part;
		if (text[n] != ':')
			return seconds;
		text += n + 1;
	}
	return -1;
}

/* The number that ends before a slash. */
static double
number_before(const char *line, const char *slash)
{
	const char *from = slash;

	while (from > line && from[-1] >= '0' && from[-1] <= '9')
		from--;
	return from < slash ? log_number_after(from, "") : -1;
}

/*
 * "  3%|#     | 10/377 [08:44<5:20:03, 52.33s/it]": differences of steps and of the clock between
 * two lines, as what it says is a mean. Of bars the one with most steps is the run's; others count
 * files, shards and batches of an evaluation.
 */
TAKES(progress)
{
	const char *open = after;
	const char *slash;
	double done, total, seconds, said;
	bool seconds_each;

	while (open > line && *open != '[')
		open--;
	for (slash = open; slash > line && *slash != '/'; slash--)
		continue;
	done = number_before(line, slash);
	total = log_number_after(slash + 1, "");
	seconds = clock_of(open + 1);
	if (*open != '[' || *slash != '/' || done < 0 || !(total > 0) || seconds < 0 ||
	    total < r->bar.total)
		return;
	if (total > r->bar.total) { /* another bar, which is the run's */
		memset(&r->step[FALLBACK_BAR], 0, sizeof r->step[FALLBACK_BAR]);
		r->bar.total = total;
		r->bar.done = r->bar.seconds = 0;
	}
	seconds_each = after[-5] == 's';
	said = log_number_after(strchr(open, ',') != NULL ? strchr(open, ',') + 1 : "", "");
	/* the clock counts whole seconds: what is said is better where few have passed */
	if (done > r->bar.done && seconds - r->bar.seconds >= 10)
		run_fall_back(r, FALLBACK_BAR, (int64_t)done,
		    (seconds - r->bar.seconds) / (done - r->bar.done));
	else if (done > r->bar.done && said > 0)
		run_fall_back(r, FALLBACK_BAR, (int64_t)done, seconds_each ? said : 1 / said);
	r->bar.done = done;
	r->bar.seconds = seconds;
}

const struct run_row run_tune_rows[] = {
	{ "train_steps_per_second", SOURCE_HF, BY(steps_a_second) },
	{ "Total train batch size (", SOURCE_HF, TELLS(FACT, FIELD_GLOBAL_BATCH_SIZE, behind_equals) },
	{ "Instantaneous batch size per device", SOURCE_HF, TELLS(FACT, FIELD_MICRO_BATCH_SIZE, behind_equals) },
	{ "train_speed(s/it)", SOURCE_TUNER, TELLS(SECONDS, FALLBACK_RATE, NULL) },
	{ "train_speed(iter/s)", SOURCE_TUNER, BY(steps_a_second) },
	{ "'step_time'", SOURCE_TUNER, TELLS(SECONDS, FALLBACK_RATE, NULL) },
	{ "\"step_time\"", SOURCE_TUNER, TELLS(SECONDS, FALLBACK_RATE, NULL) },
	{ "'throughput'", SOURCE_TUNER, TELLS(SAMPLE, MEASURED_TOKENS, NULL) },
	{ "\"throughput\"", SOURCE_TUNER, TELLS(SAMPLE, MEASURED_TOKENS, NULL) },
	{ "effective_tokens_per_sec", SOURCE_TUNER, BY(tokens_that_count) },
	{ "tokens/train_per_sec_per_gpu", SOURCE_TUNER, TELLS(SAMPLE, MEASURED_TOKENS_GPU, NULL) },
	{ "memory/max_allocated (GiB)", SOURCE_TUNER, BY(memory_of) },
	{ "memory/max_mem_allocated(gib)", SOURCE_TUNER, BY(memory_of) },
	{ "memory(GiB)", SOURCE_TUNER, BY(reserved_of) },
	{ "tokens_per_second_per_gpu", SOURCE_TUNER, BY(torchtune_step) },
	{ "s/it]", SOURCE_PROGRESS, BY(progress) },
	{ "it/s]", SOURCE_PROGRESS, BY(progress) },
	{ "s/it,", SOURCE_PROGRESS, BY(progress) },
	{ "it/s,", SOURCE_PROGRESS, BY(progress) },
	{ .words = NULL },
};
