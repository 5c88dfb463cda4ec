/*
 * GPUs and their memory: nvidia-smi -q and its query form (NVIDIA nvidia-smi manual, clocks event
 * reasons), out of memory messages of PyTorch c10/cuda/CUDACachingAllocator.cpp, and
 * torch.cuda.memory_summary.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "file/log/run_rows.h"

/* ---- nvidia-smi -q --------------------------------------------------------------------------- */

/* "    Product Name                          : NVIDIA H100 80GB HBM3" */
static void
smi_name(struct run_reader *r, const char *line, const char *after)
{
	const struct fact *known = measured_find(r->m, FACT_GPU_NAME);
	const char *name = log_after(after, ": ");

	if (name == NULL)
		return;
	if (known != NULL && !text_equal(known->text, name))
		run_say(r, EVIDENCE_MIXED_GPUS, line, 0);
	run_fact(r, FACT_GPU_NAME, name);
}

/* "        Current Power Limit               : 230.00 W", after it the default one. */
static void
smi_limit(struct run_reader *r, const char *line, const char *after)
{
	(void)line;
	r->smi.limit = log_number_after(after, ":");
}

static void
smi_default(struct run_reader *r, const char *line, const char *after)
{
	const double usual = log_number_after(after, ":");

	if (r->smi.limit > 0 && r->smi.limit < 0.97 * usual)
		run_say(r, EVIDENCE_POWER_CAP, line, r->smi.limit);
	r->smi.limit = 0;
}

/* "PCIe Generation" and "Link Width" have lines "Max : 5" and "Current : 1" below them; an idle GPU
 * runs at the first generation, so they count once its use is known. */
static bool
smi_pcie_line(struct run_reader *r, const char *line)
{
	if (strstr(line, "Link Width") != NULL)
		r->smi.width = true;
	if (strstr(line, "Current") != NULL)
		r->smi.pcie[r->smi.width][0] = log_number_after(line, ":");
	else if (strstr(line, "Max ") != NULL)
		r->smi.pcie[r->smi.width][1] = log_number_after(line, ":");
	return strstr(line, "Bridge Chip") == NULL && strstr(line, "Utilization") == NULL;
}

static void
smi_pcie(struct run_reader *r, const char *line, const char *after)
{
	(void)line;
	(void)after;
	memset(&r->smi.pcie, 0, sizeof r->smi.pcie);
	r->smi.width = false;
	r->next = smi_pcie_line;
}

/* "        Gpu                               : 98 %" */
static void
smi_use(struct run_reader *r, const char *line, const char *after)
{
	const double use = log_number_after(after, ":");

	for (int i = 0; i < 2; i++)
		if (use > 50 && r->smi.pcie[i][0] > 0 && r->smi.pcie[i][0] < r->smi.pcie[i][1])
			run_say(r, EVIDENCE_NARROW_PCIE, line, r->smi.pcie[i][0]);
}

/* ---- the query form ------------------------------------------------------------------------------ */

enum { REASON_POWER = 0x4, REASON_HEAT = 0x8 | 0x20 | 0x40 | 0x80 };

static const char *
column_of(const char *line, int column)
{
	for (; column > 0 && line != NULL; column--) {
		line = strchr(line, ',');
		line += line != NULL;
	}
	return line;
}

/* A line of values, of which one is a bit mask: "0, 98 %, 0x0000000000000004". */
static bool
query_row(struct run_reader *r, const char *line)
{
	const char *mask = column_of(line, r->smi.column);
	const char *hex = mask != NULL ? strstr(mask, "0x") : NULL;
	unsigned long bits;

	if (hex == NULL)
		return false;
	bits = strtoul(hex, NULL, 16);
	if ((bits & REASON_POWER) != 0)
		run_say(r, EVIDENCE_POWER_CAP, line, 0);
	if ((bits & REASON_HEAT) != 0)
		run_say(r, EVIDENCE_THERMAL, line, 0);
	return true;
}

static void
query_head(struct run_reader *r, const char *line, const char *after)
{
	(void)after;
	r->smi.column = 0;
	for (const char *c = line; c < after; c++)
		r->smi.column += *c == ',';
	r->next = query_row;
}

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
 * but unallocated." */
static void
out_of_memory(struct run_reader *r, const char *line, const char *after)
{
	struct measured_oom *o = &r->m->oom;
	const size_t before = o->count;

	*o = (struct measured_oom){ .count = before + 1, .place = r->place,
		.asked = size_after(after, ""), .capacity = size_after(after, "total capacity of "),
		.free = size_before(after, "is free"), .process = size_after(after, "this process has "),
		.allocated = size_after(after, "Of the allocated memory "),
		.unallocated = size_before(after, "is reserved by PyTorch but unallocated"),
		.pools = size_before(after, "allocated in private pools") };
	if (strstr(after, " Process ") != NULL) {
		o->others = size_after(strstr(after, " Process "), " has ");
		run_say(r, EVIDENCE_OTHER_PROCESS, line, o->others);
	}
	if (o->unallocated > 0.05 * o->allocated)
		run_say(r, EVIDENCE_FRAGMENTS, line, o->unallocated);
	run_fact_number(r, FACT_CAPACITY, o->capacity);
	measured_memory(r->m, &(struct measured_memory){ .rank = log_integer_after(line, "[rank"),
		.stage = -1, .iterations = -1, .allocated = o->allocated,
		.used = o->process > 0 ? o->process + o->asked : 0 });
}

/* "cudaMalloc retries: 12" of torch.cuda.memory_summary. */
static void
retries(struct run_reader *r, const char *line, const char *after)
{
	if (log_number_after(after, "") > 0)
		run_say(r, EVIDENCE_RETRIES, line, log_number_after(after, ""));
}

const struct run_row run_host_rows[] = {
	{ "Product Name     ", SOURCE_SMI, smi_name },
	{ "Current Power Limit", SOURCE_SMI, smi_limit },
	{ "Default Power Limit", SOURCE_SMI, smi_default },
	{ "GPU Link Info", SOURCE_SMI, smi_pcie },
	{ "        Gpu          ", SOURCE_SMI, smi_use },
	{ "clocks_event_reasons.active", SOURCE_SMI, query_head },
	{ "clocks_throttle_reasons.active", SOURCE_SMI, query_head },
	{ "out of memory. Tried to allocate ", SOURCE_OOM, out_of_memory },
	{ "cudaMalloc retries:", SOURCE_OOM, retries },
	{ .words = NULL },
};
