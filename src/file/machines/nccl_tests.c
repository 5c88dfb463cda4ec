/* What nccl-tests and rccl-tests print: machines, and how fast their links are (NVIDIA/nccl-tests
 * src/common.cu, ROCm/rccl-tests src/common.cu). */
#include <stdlib.h>
#include <string.h>

#include "core/framework/link.h"
#include "core/framework/resolve.h"
#include "file/machines/lists.h"
#include "file/machines/machines.h"

struct bench {
	struct import *im;
	struct machines m;
	int64_t ranks, hosts;
	char gpu[PLAN_ID_SIZE];
	double bytes, rate; /* of the largest message: its size, GB/s of the bus */
};

/* "#  Rank  0 Group  0 Pid  1234 on  node1 device  0 [0000:04:00] NVIDIA H100 80GB HBM3" */
static bool
take_rank(struct bench *b, const char *line)
{
	const char *host = strstr(line, " on "), *name = strstr(line, "] ");
	int64_t added = 0;

	if (strncmp(line, "#", 1) != 0 || strstr(line, "Rank ") == NULL || host == NULL)
		return true;
	host += 4 + strspn(host + 4, " ");
	b->ranks++;
	if (name != NULL)
		text_put(b->gpu, sizeof b->gpu, "%s", name + 2);
	if (!machines_names(b->im, &b->m, host, strcspn(host, " "), &added))
		return false;
	b->hosts += added;
	return true;
}

/* "  67108864  16777216  float  sum  -1  412.1  162.8  305.3  0  410.0  163.7  306.9  0": size, count,
 * type, operation, root, then time, algorithm's and bus GB/s and errors, out of place and in place. */
static void
take_row(struct bench *b, const char *line)
{
	enum { OUT = 7, IN = 11, COLUMNS = 13 };
	double column[COLUMNS] = { 0 }, bus;
	int n = 0;

	for (line += strspn(line, " \t"); *line != '\0' && n < COLUMNS; n++) {
		column[n] = strtod(line, NULL);
		line += strcspn(line, " \t");
		line += strspn(line, " \t");
	}
	bus = column[IN] > column[OUT] ? column[IN] : column[OUT];
	if (n > OUT && column[0] >= b->bytes && bus > 0 && bus < 1e6) {
		b->bytes = column[0];
		b->rate = bus;
	}
}

/* The time of an all-reduce of that size, were links so good a share of what they are modelled as. */
static double
modelled(struct bench *b, double share)
{
	struct plan p = *b->im->plan;
	const struct span s = link_stride(&p, b->ranks, 1);

	p.calibration.nvlink_efficiency = p.calibration.network_efficiency = share;
	return collective_seconds(&p, COLLECTIVE_ALL_REDUCE, b->bytes, &s, NULL);
}

/* Of a time A + B / share. */
static void
put_share(struct bench *b)
{
	const double whole = modelled(b, 1), half = modelled(b, .5), moving = half - whole;
	const double measured = collective_bytes(COLLECTIVE_ALL_REDUCE, b->bytes, b->ranks) / (b->rate * 1e9);
	const double share = moving / (measured - (whole - moving));
	char value[24], why[96];

	if (!(moving > 0) || !(share >= .01 && share <= 10)) {
		import_ignore(b->im, "busbw", "is no share of what such links are modelled as");
		return;
	}
	text_put(value, sizeof value, "%.3f", share);
	text_put(why, sizeof why, "%.1f GB/s on the bus at %.0f MiB", b->rate, b->bytes / (1 << 20));
	import_set(b->im, b->hosts > 1 ? FIELD_NETWORK_EFFICIENCY : FIELD_NVLINK_EFFICIENCY, value, why);
}

bool
nccl_tests_recognise(const char *text)
{
	return strstr(text, "algbw") != NULL && strstr(text, "busbw") != NULL && strstr(text, "Rank ") != NULL;
}

void
nccl_tests_read(struct import *im)
{
	struct bench b = { .im = im };
	char line[MACHINES_LINE_SIZE];
	const char *at = im->text;
	bool ok = true;

	while (ok && machines_line(im, &at, line, sizeof line))
		if (line[0] == '#')
			ok = take_rank(&b, line);
		else
			take_row(&b, line);
	im->line = 0;
	if (ok && b.hosts > 0 && b.ranks % b.hosts == 0)
		machines_add(&b.m, b.gpu, b.ranks / b.hosts, b.hosts);
	else if (ok && b.hosts > 0)
		import_error(im, "Rank", "%lld of them on %lld hosts: a plan has one kind of node", (long long)b.ranks,
		    (long long)b.hosts);
	if (im->errors->count == 0)
		machines_put(im, &b.m, "nccl-tests");
	if (im->errors->count == 0 && b.ranks > 1 && b.bytes >= 1 << 26) {
		plan_resolve(im->plan, im->catalog);
		put_share(&b);
	} else if (im->errors->count == 0) {
		import_ignore(im, "busbw", "no message of 64 MiB or more, whose rate would be that of the links");
	}
	machines_free(&b.m);
}
