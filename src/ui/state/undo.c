#include <stdlib.h>

#include "core/base/text.h"
#include "ui/state/undo.h"

void
undo_free(struct undo *u)
{
	free(u->entry);
	*u = (struct undo){ 0 };
}

struct undo_entry *
undo_entry(const struct undo *u, size_t i)
{
	return &u->entry[(u->dropped + i) % u->capacity];
}

/* Room for one entry more. The ring turns only once it has its full size, so that making
 * it larger moves nothing about. */
static bool
make_room(struct undo *u)
{
	size_t capacity = u->capacity * 2 + 16;
	struct undo_entry *entry;

	if (u->capacity == UNDO_MOST) {
		u->dropped++;
		u->count--;
		u->now--;
		return true;
	}
	if (capacity > UNDO_MOST)
		capacity = UNDO_MOST;
	entry = realloc(u->entry, capacity * sizeof *entry);
	if (entry == NULL)
		return false;
	u->entry = entry;
	u->capacity = capacity;
	return true;
}

bool
undo_push(struct undo *u, const struct plan *plan, const char *what)
{
	const size_t after = u->count == 0 ? 0 : u->now + 1;
	struct undo_entry *entry;

	if (after == u->capacity && !make_room(u))
		return false;
	u->now = u->count == 0 ? 0 : u->now + 1;
	u->count = u->now + 1;
	entry = undo_entry(u, u->now);
	*entry = (struct undo_entry){ .plan = *plan };
	text_put(entry->what, sizeof entry->what, "%s", what);
	return true;
}

const struct plan *
undo_to(struct undo *u, size_t i)
{
	if (i >= u->count)
		return NULL;
	u->now = i;
	return &undo_entry(u, i)->plan;
}
