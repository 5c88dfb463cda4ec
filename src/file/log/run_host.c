/*
 * Memory of GPUs: out of memory messages of PyTorch c10/cuda/CUDACachingAllocator.cpp, and
 * torch.cuda.memory_summary.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "file/log/run_rows.h"

/* ---- out of memory ------------------------------------------------------------------------------------ */

/* "250.00 MiB" after a word. */
static double
size_after(const char *line, const char *word)
{
	const char *at = log_after(line, word);
	double v = 0;

	if (!log_number(at, &v))
		return 0;
	at += strspn(at, " 0123456789.");
	return v * (*at == 'G' ? GIB : *at == 'M' ? MIB : *at == 'K' ? 1024 : 1);
}

/* The amount that stands before a word. */
static double
size_before(const char *line, const char *word)
{
	const char *at = strstr(line, word);

	if (at == NULL)
		return 0;
	for (int blanks = 0; at > line && blanks < 3; at--)
		blanks += at[-1] == ' ';
	return size_after(at, "");
}

/* "CUDA out of memory. Tried to allocate 250.00 MiB. GPU 0 has a total capacity of 79.26 GiB of
 * which 104.75 MiB is free. [Process P has .. memory in use.] Including non-PyTorch memory, this
 * process has 79.14 GiB memory in use. Of the allocated memory 74.77 GiB is allocated by PyTorch,
 * [with 1 GiB allocated in private pools (e.g., CUDA Graphs),] and 3.87 GiB is reserved by PyTorch
 * but unallocated." Before 2.2: "(GPU 0; 79.19 GiB total capacity; 70.00 GiB already allocated;
 * 1.00 GiB free; 75.00 GiB reserved in total by PyTorch)". */
static void
older_oom(struct measured_oom *o, const char *after)
{
	const double reserved = size_before(after, "reserved in total by PyTorch");

	o->capacity = size_before(after, "total capacity");
	o->allocated = size_before(after, "already allocated");
	o->free = size_before(after, "free;");
	o->unallocated = reserved > o->allocated ? reserved - o->allocated : 0;
}

/* Other processes are told one by one. In a container numbers of processes are others than the driver's,
 * and this one is told as they are: it holds at least what PyTorch does. */
static void
take_processes(struct measured_oom *o, const char *after)
{
	double most = 0;

	o->process = size_after(after, "this process has ");
	for (const char *p = after; (p = strstr(p, " Process ")) != NULL; p++) {
		const double held = size_after(p, " has ");

		o->others += held;
		most = larger(most, held);
	}
	if (!(o->process > 0) && most >= o->allocated && o->allocated > 0) {
		o->process = most;
		o->others -= most;
	}
}

/* A share of what is given out that is worth a word. */
#define NOTABLE 0.05

TAKES(out_of_memory)
{
	struct measured_oom *o = &r->m->oom;
	const size_t before = o->count;
	const double capacity = size_after(after, "total capacity of "); /* "capacty" before 2.3 */

	*o = (struct measured_oom){ .count = before + 1, .place = r->place,
		.rank = log_integer_after(line, "[rank"), .phase = r->phase,
		.asked = size_after(after, ""), .capacity = capacity > 0 ? capacity : size_after(after, "total capacty of "),
		.free = size_before(after, "is free"),
		.allocated = size_after(after, "Of the allocated memory "),
		.unallocated = size_before(after, "is reserved by PyTorch but unallocated"),
		.pools = size_before(after, "allocated in private pools") };
	if (strstr(after, " already allocated") != NULL)
		older_oom(o, after);
	take_processes(o, after);
	if (o->others > 0)
		run_say(r, EVIDENCE_OTHER_PROCESS, line, o->others);
	if (o->unallocated > NOTABLE * o->allocated)
		run_say(r, EVIDENCE_FRAGMENTS, line, o->unallocated);
	if (o->pools > NOTABLE * o->allocated)
		run_say(r, EVIDENCE_GRAPH_POOLS, line, o->pools);
	run_fact_number(r, FACT_CAPACITY, o->capacity);
	measured_memory(r->m, &(struct measured_memory){ .rank = log_integer_after(line, "[rank"),
		.stage = -1, .iterations = -1, .allocated = o->allocated,
		.used = o->process > 0 ? o->process + o->asked : 0 });
}

/* "cudaMalloc retries: 12" of torch.cuda.memory_summary. */
TAKES(retries)
{
	if (log_number_after(after, "") > 0)
		run_say(r, EVIDENCE_RETRIES, line, log_number_after(after, ""));
}

/* "| Allocated memory      |  60000 MiB |  70000 MiB |": now, and the peak. */
static double
summary_peak(const char *after)
{
	const char *peak = strchr(after, '|');

	peak = peak != NULL ? strchr(peak + 1, '|') : NULL;
	return peak != NULL ? size_after(peak, "|") : 0;
}

TAKES(summary_allocated)
{
	measured_memory(r->m, &(struct measured_memory){ .rank = -1, .stage = -1, .iterations = -1,
		.allocated = summary_peak(after) });
}

TAKES(summary_reserved)
{
	measured_memory(r->m, &(struct measured_memory){ .rank = -1, .stage = -1, .iterations = -1,
		.reserved = summary_peak(after) });
}

const struct run_row run_host_rows[] = {
	{ "Traceback (most recent call last)", SOURCE_ASIDE, TELLS(PHASE, OOM_UNKNOWN, NULL) },
	{ "from_pretrained(", SOURCE_ASIDE, TELLS(PHASE, OOM_LOADING, NULL) },
	{ "load_checkpoint(", SOURCE_ASIDE, TELLS(PHASE, OOM_LOADING, NULL) },
	{ "forward_step(", SOURCE_ASIDE, TELLS(PHASE, OOM_FORWARD, NULL) },
	{ ".forward(", SOURCE_ASIDE, TELLS(PHASE, OOM_FORWARD, NULL) },
	{ "backward_step(", SOURCE_ASIDE, TELLS(PHASE, OOM_BACKWARD, NULL) },
	{ ".backward(", SOURCE_ASIDE, TELLS(PHASE, OOM_BACKWARD, NULL) },
	{ "optimizer.step(", SOURCE_ASIDE, TELLS(PHASE, OOM_UPDATE, NULL) },
	{ "out of memory. Tried to allocate ", SOURCE_OOM, BY(out_of_memory) },
	{ "| Allocated memory ", SOURCE_OOM, BY(summary_allocated) },
	{ "| GPU reserved memory ", SOURCE_OOM, BY(summary_reserved) },
	{ "cudaMalloc retries:", SOURCE_OOM, BY(retries) },
	{ .words = NULL },
};
