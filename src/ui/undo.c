#include <stdlib.h>

#include "core/text.h"
#include "ui/undo.h"

void
undo_free(struct undo *u)
{
	free(u->entry);
	*u = (struct undo){ 0 };
}

bool
undo_push(struct undo *u, const struct plan *plan, const char *what)
{
	size_t at = u->count == 0 ? 0 : u->now + 1;

	if (at == u->capacity) {
		size_t capacity = u->capacity * 2 + 16;
		struct undo_entry *entry = realloc(u->entry, capacity * sizeof *entry);

		if (entry == NULL)
			return false;
		u->entry = entry;
		u->capacity = capacity;
	}
	u->entry[at].plan = *plan;
	text_put(u->entry[at].what, sizeof u->entry[at].what, "%s", what);
	u->now = at;
	u->count = at + 1;
	return true;
}

const struct plan *
undo_back(struct undo *u, const char **what)
{
	if (u->count == 0 || u->now == 0)
		return NULL;
	*what = u->entry[u->now].what;
	u->now--;
	return &u->entry[u->now].plan;
}

const struct plan *
undo_forth(struct undo *u, const char **what)
{
	if (u->now + 1 >= u->count)
		return NULL;
	u->now++;
	*what = u->entry[u->now].what;
	return &u->entry[u->now].plan;
}
