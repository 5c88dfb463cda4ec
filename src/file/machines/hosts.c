#include "file/machines/hosts.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"

enum { NEST_MAX = 4 }; /* brackets of one name */

/* A name while it is put together. */
struct name {
	char text[HOSTS_NAME_SIZE];
	int brackets;
};

/* FNV-1a: names that a cluster has do not collide in 64 bits. */
static uint64_t
sum_of(const char *name)
{
	uint64_t sum = 0xcbf29ce484222325;

	for (; *name != '\0'; name++)
		sum = (sum ^ (unsigned char)*name) * 0x100000001b3;
	return sum;
}

/* Slots are a power of two, half of them empty (0). */
static uint64_t *
slot_of(uint64_t *slots, size_t room, uint64_t sum)
{
	size_t i = (size_t)sum & (room - 1);

	while (slots[i] != 0 && slots[i] != sum)
		i = (i + 1) & (room - 1);
	return &slots[i];
}

static bool
grow(struct hosts *h)
{
	const size_t room = h->room == 0 ? 256 : h->room * 2;
	uint64_t *slots = calloc(room, sizeof *slots);

	if (slots == NULL)
		return false;
	for (size_t i = 0; i < h->room; i++)
		if (h->sum[i] != 0)
			*slot_of(slots, room, h->sum[i]) = h->sum[i];
	free(h->sum);
	h->sum = slots;
	h->room = room;
	return true;
}

static enum hosts_result
add_name(struct hosts *h, const char *name, int64_t *added)
{
	const uint64_t sum = sum_of(name) | 1; /* 0 is an empty slot */
	uint64_t *slot;

	if (h->count >= HOSTS_MAX || ++h->read > HOSTS_READ_MAX || (2 * (h->count + 1) > h->room && !grow(h)))
		return HOSTS_TOO_MANY;
	slot = slot_of(h->sum, h->room, sum);
	if (*slot == sum)
		return HOSTS_KNOWN;
	*slot = sum;
	h->count++;
	++*added;
	if (h->names != NULL)
		nodes_add_name(h->names, name);
	if (h->down != NULL)
		nodes_add_name(h->down, name);
	return HOSTS_ADDED;
}

static enum hosts_result add_rest(struct hosts *h, struct name *name, const char *rest,
    size_t length, int64_t *added);

/* "01-16" and what follows the bracket, of each number in it. */
static enum hosts_result
add_range(struct hosts *h, const struct name *name, const char *range, size_t length,
    const char *rest, size_t left, int64_t *added)
{
	const char *dash = memchr(range, '-', length);
	const size_t width = dash != NULL ? (size_t)(dash - range) : length;
	const char *last = dash != NULL ? dash + 1 : range;
	const size_t last_width = (size_t)(range + length - last);
	int64_t from, to;

	if (width == 0 || width > 18 || last_width == 0 || last_width > 18 ||
	    strspn(range, "0123456789") < width || strspn(last, "0123456789") < last_width)
		return HOSTS_WRONG;
	text_to_int(TEXT_OF(24, "%.*s", (int)width, range), &from);
	text_to_int(TEXT_OF(24, "%.*s", (int)last_width, last), &to);
	if (to < from)
		return HOSTS_WRONG;
	if (to - from >= HOSTS_MAX)
		return HOSTS_TOO_MANY;
	for (int64_t i = from; i <= to; i++) {
		struct name next = *name;
		enum hosts_result result;

		text_add(next.text, sizeof next.text, "%0*lld", (int)width, (long long)i);
		result = add_rest(h, &next, rest, left, added);
		if (result >= HOSTS_WRONG)
			return result;
	}
	return HOSTS_ADDED;
}

/* Add the hosts of a name, whose rest may have brackets. */
static enum hosts_result
add_rest(struct hosts *h, struct name *name, const char *rest, size_t length, int64_t *added)
{
	const char *open = memchr(rest, '[', length), *close;
	const size_t before = open != NULL ? (size_t)(open - rest) : length;

	if (strlen(name->text) + before + 20 >= sizeof name->text || ++name->brackets > NEST_MAX + 1)
		return HOSTS_WRONG;
	text_add(name->text, sizeof name->text, "%.*s", (int)before, rest);
	if (open == NULL)
		return memchr(rest, ']', length) != NULL ? HOSTS_WRONG : add_name(h, name->text, added);
	close = memchr(open, ']', length - before);
	if (close == NULL)
		return HOSTS_WRONG;
	for (const char *range = open + 1; range < close + 1;) {
		const char *comma = memchr(range, ',', (size_t)(close - range));
		const char *end = comma != NULL ? comma : close;
		const enum hosts_result result = add_range(h, name, range, (size_t)(end - range),
		    close + 1, (size_t)(rest + length - close - 1), added);

		if (result >= HOSTS_WRONG)
			return result;
		range = end + 1;
	}
	return HOSTS_ADDED;
}

enum hosts_result
hosts_add(struct hosts *h, const char *list, size_t length, int64_t *added)
{
	size_t at = 0;

	*added = 0;
	while (at < length) {
		struct name name = { "", 0 };
		enum hosts_result result;
		size_t n = 0;

		for (bool inside = false; at + n < length && (inside || list[at + n] != ','); n++)
			inside = list[at + n] == '[' || (inside && list[at + n] != ']');
		if (n > 0 && (result = add_rest(h, &name, list + at, n, added)) >= HOSTS_WRONG)
			return result;
		at += n + 1;
	}
	return *added > 0 ? HOSTS_ADDED : HOSTS_KNOWN;
}

void
hosts_free(struct hosts *h)
{
	free(h->sum);
	*h = (struct hosts){ 0 };
}
