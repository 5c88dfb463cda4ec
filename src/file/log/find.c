#include "file/log/find.h"

#include <string.h>

static inline uint32_t
slot_of(const char *s)
{
	uint32_t four;

	memcpy(&four, s, sizeof four);
	return four * UINT32_C(2654435761) >> 19;
}

void
finder_begin(struct finder *f)
{
	f->count = 0;
	memset(f->slot, 0, sizeof f->slot);
}

void
finder_add(struct finder *f, const char *text, int meaning)
{
	const size_t length = strlen(text);
	struct found_word *w = &f->word[f->count];
	uint16_t *slot;

	if (f->count == FIND_WORDS || length < FIND_LEAST)
		return;
	slot = &f->slot[slot_of(text)];
	*w = (struct found_word){ text, (uint16_t)length, *slot, meaning };
	*slot = (uint16_t)++f->count;
}

void
finder_line(const struct finder *f, const char *line, size_t length,
    void (*tell)(void *to, int meaning, const char *line, const char *after), void *to)
{
	for (size_t i = 0; i + FIND_LEAST <= length; i++)
		for (uint16_t k = f->slot[slot_of(line + i)]; k != 0; k = f->word[k - 1].next) {
			const struct found_word *w = &f->word[k - 1];

			if (i + w->length <= length && memcmp(line + i, w->text, w->length) == 0)
				tell(to, w->meaning, line, line + i + w->length);
		}
}
