/*
 * ledger.c - notes of the terms that make up an estimate.
 */
#include "core/ledger.h"

#include <stdarg.h>

void
ledger_init(struct ledger *l, struct ledger_term *term, size_t capacity)
{
	l->term = term;
	l->count = 0;
	l->capacity = capacity;
	l->part = PART_NONE;
	l->stage = -1;
}

void
ledger_note(struct ledger *l, enum quantity q, double value, const char *name,
    const char *source, const char *fmt, ...)
{
	struct ledger_term *t;
	va_list args;

	if (l->count++ >= l->capacity)
		return;
	t = &l->term[l->count - 1];
	t->quantity = q;
	t->part = l->part;
	t->stage = l->stage;
	t->value = value;
	t->name = name;
	t->source = source;
	va_start(args, fmt);
	text_vput(t->formula, sizeof t->formula, fmt, args);
	va_end(args);
}
