#include "file/machines/topo.h"

#include <ctype.h>
#include <string.h>

enum { NEAR_NVLINK = 1, NEAR_PXB = 3 };

static bool
numbered(const char *word, size_t n, const char *prefix)
{
	const size_t p = strlen(prefix);

	return n > p && strncmp(word, prefix, p) == 0 && isdigit((unsigned char)word[n - 1]);
}

static bool
is_device(const char *word, size_t n)
{
	return numbered(word, n, "GPU") || numbered(word, n, "NIC") || numbered(word, n, "mlx");
}

/* How near, 0 for what is no cell. */
static unsigned char
nearness(const char *word, size_t n)
{
	static const char *const names[] = { "PIX", "PXB", "PHB", "NODE", "SYS" };

	if (numbered(word, n, "NV"))
		return NEAR_NVLINK;
	for (unsigned char i = 0; i < 5; i++)
		if (n == strlen(names[i]) && strncmp(word, names[i], n) == 0)
			return (unsigned char)(i + 2);
	return 0;
}

static const char *
next_word(const char *at, size_t *n)
{
	at += strspn(at, " \t");
	*n = strcspn(at, " \t");
	return at;
}

static void
take_head(struct topo *t, const char *line)
{
	size_t n;

	*t = (struct topo){ 0 };
	for (line = next_word(line, &n); is_device(line, n) && t->devices < TOPO_DEVICES_MAX;
	    line = next_word(line + n, &n)) {
		const bool gpu = numbered(line, n, "GPU");

		t->is_gpu[t->devices++] = gpu;
		t->gpus += gpu;
		t->nics += !gpu;
	}
}

/* The row of the next device: their order is that of the head. */
static bool
take_row(struct topo *t, const char *line)
{
	int row = 0;
	size_t n;

	while (row < t->devices && t->has_row[row])
		row++;
	if (row == t->devices)
		return false;
	t->has_row[row] = true;
	line = next_word(line, &n);
	for (int i = 0; i < t->devices; i++) {
		line = next_word(line + n, &n);
		t->cell[row][i] = nearness(line, n);
	}
	return true;
}

/* "SYS  = Connection traversing PCIe as well as ..." */
static bool
is_legend(const char *word, size_t n, const char *after, size_t next)
{
	return next == 1 && *after == '=' && ((n == 1 && *word == 'X') || nearness(word, n) > 0 ||
	    (n == 3 && strncmp(word, "NV#", 3) == 0));
}

bool
topo_line(struct topo *t, const char *line)
{
	size_t n, next;
	const char *word = next_word(line, &n), *after = next_word(word + n, &next);

	if (is_legend(word, n, after, next))
		return true;
	if (!is_device(word, n))
		return false;
	if (is_device(after, next) || (next >= 3 && strncmp(after, "CPU", 3) == 0)) {
		take_head(t, line);
		return true;
	}
	if (nearness(after, next) == 0 && !(next == 1 && *after == 'X'))
		return false;
	return take_row(t, line);
}

bool
topo_is_one(const char *text)
{
	const char *at = strstr(text, "GPU0");

	return at != NULL && strstr(at + 4, "GPU0") != NULL && strstr(at, " X") != NULL;
}

int64_t
topo_domain(const struct topo *t)
{
	int set[TOPO_DEVICES_MAX], size[TOPO_DEVICES_MAX] = { 0 };
	int64_t most = 0;
	bool changed = true;

	for (int i = 0; i < t->devices; i++)
		set[i] = i;
	/* each takes the least of those it is joined to, until nothing moves */
	while (changed) {
		changed = false;
		for (int i = 0; i < t->devices; i++)
			for (int k = 0; k < t->devices; k++)
				if (t->cell[i][k] == NEAR_NVLINK && set[k] < set[i]) {
					set[i] = set[k];
					changed = true;
				}
	}
	for (int i = 0; i < t->devices; i++)
		if (t->is_gpu[i] && ++size[set[i]] > most)
			most = size[set[i]];
	return most;
}

int64_t
topo_rails(const struct topo *t)
{
	bool used[TOPO_DEVICES_MAX] = { false };
	int64_t rails = 0;

	for (int i = 0; i < t->devices; i++) {
		unsigned char least = NEAR_PXB;

		for (int k = 0; t->is_gpu[i] && k < t->devices; k++)
			if (!t->is_gpu[k] && t->cell[i][k] > 0 && t->cell[i][k] < least)
				least = t->cell[i][k];
		for (int k = 0; t->is_gpu[i] && k < t->devices; k++)
			if (!t->is_gpu[k] && t->cell[i][k] == least && !used[k]) {
				used[k] = true;
				rails++;
			}
	}
	return rails < t->gpus ? rails : t->gpus;
}
