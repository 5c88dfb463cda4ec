#include "file/source/devices.h"

#include <stdlib.h>
#include <string.h>

#include "file/source/named.h"

enum { HOSTS_USED_MAX = 256 };

struct hosts_used {
	size_t count;
	struct host_used {
		char name[64];
		int64_t gpus; /* 0: not known, or none is used */
	} host[HOSTS_USED_MAX];
};

int64_t
devices_count(const char *list, const char *end)
{
	int64_t n = list < end;

	for (; list < end; list++)
		n += *list == ',';
	return n;
}

static struct host_used *
find_host(struct hosts_used *h, const char *name)
{
	for (size_t i = 0; i < h->count; i++)
		if (text_equal(h->host[i].name, name))
			return &h->host[i];
	return NULL;
}

static struct host_used *
add_host(struct hosts_used *h, const char *name, int64_t gpus)
{
	if (h->count == HOSTS_USED_MAX)
		return NULL;
	text_put(h->host[h->count].name, sizeof h->host[h->count].name, "%s", name);
	h->host[h->count].gpus = gpus;
	return &h->host[h->count++];
}

/* "worker-0 slots=4", a line each. */
static void
read_hostfile(struct hosts_used *h, const char *text)
{
	char name[64];

	for (size_t n; *text != '\0'; text += n + (text[n] == '\n')) {
		const size_t word = strcspn(text, " \t#\r\n");
		const char *slots = strstr(text, "slots=");

		n = strcspn(text, "\n");
		text_put(name, sizeof name, "%.*s", word < sizeof name ? (int)word : 0, text);
		if (name[0] != '\0' && slots != NULL && slots < text + n)
			add_host(h, name, strtoll(slots + 6, NULL, 10));
	}
}

/* The next of "worker-0:1,2@worker-1", and how many devices it lists, 0: none, which means all. */
static bool
next_part(const char **text, char *name, size_t size, int64_t *listed)
{
	const size_t n = strcspn(*text, "@"), word = strcspn(*text, ":@");

	if (n == 0)
		return false;
	text_put(name, size, "%.*s", word < size ? (int)word : 0, *text);
	*listed = word < n ? devices_count(*text + word + 1, *text + n) : 0;
	*text += n + ((*text)[n] == '@');
	return true;
}

/* False where a host with all of its slots is none whose slots are known. */
static bool
include(struct hosts_used *h, const char *text)
{
	struct hosts_used all = *h;
	struct host_used *had;
	char name[64];
	int64_t listed;

	h->count = 0;
	while (next_part(&text, name, sizeof name, &listed)) {
		had = find_host(&all, name);
		if (listed == 0 && had != NULL)
			listed = had->gpus;
		else if (listed == 0)
			return false;
		if (add_host(h, name, listed) == NULL)
			return false;
	}
	return h->count > 0;
}

static bool
exclude(struct hosts_used *h, const char *text)
{
	struct host_used *host;
	char name[64];
	int64_t listed;

	while (next_part(&text, name, sizeof name, &listed)) {
		if ((host = find_host(h, name)) == NULL)
			return false;
		host->gpus = listed == 0 || listed > host->gpus ? 0 : host->gpus - listed;
	}
	return true;
}

static bool
count_all(const struct hosts_used *h, struct devices *out)
{
	bool differ = false;

	for (size_t i = 0; i < h->count; i++) {
		const int64_t gpus = h->host[i].gpus;

		if (gpus < 1 || gpus > PLAN_DIFFER_MAX)
			continue;
		differ = differ || (out->nodes > 0 && gpus != out->gpus);
		out->gpus = gpus > out->gpus ? gpus : out->gpus;
		text_add(out->each, sizeof out->each, "%s%lld", out->nodes > 0 ? "," : "", (long long)gpus);
		out->nodes++;
	}
	if (!differ)
		out->each[0] = '\0';
	return out->nodes > 0;
}

bool
devices_used(struct import *im, const struct jsonin *j, struct devices *out)
{
	const char *file = jsonin_text(j, "hostfile"), *with = jsonin_text(j, "include"), *without = jsonin_text(j, "exclude");
	struct hosts_used h = { 0 };
	size_t size;
	char *text = file != NULL ? named_text(im, file, &size) : NULL;

	*out = (struct devices){ 0 };
	if (text != NULL)
		read_hostfile(&h, text);
	free(text);
	return (with == NULL || include(&h, with)) && (without == NULL || exclude(&h, without)) && count_all(&h, out);
}
