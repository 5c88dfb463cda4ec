/*
 * ledger.c - notes of the terms that make up an estimate.
 */
#include "core/base/ledger.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

void
ledger_init(struct ledger *l, struct ledger_term *term, size_t capacity)
{
	l->term = term;
	l->count = 0;
	l->capacity = capacity;
	l->part = PART_NONE;
	l->stage = -1;
	l->kind = KERNELS_NONE;
	memset(l->by_kind, 0, sizeof l->by_kind);
}

void
ledger_part(struct ledger *l, int32_t part)
{
	if (l != NULL)
		l->part = part;
}

void
ledger_note(struct ledger *l, enum quantity q, double value, const char *name,
    const char *source, const char *fmt, ...)
{
	struct ledger_term *t;
	va_list args;

	l->by_kind[l->kind] += value;
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

/* Bytes of a name at the start of C code, members included ("c->tp"), 0 without one. */
static size_t
name_length(const char *s)
{
	size_t n = 0;

	if (!isalpha((unsigned char)s[0]) && s[0] != '_')
		return 0;
	for (;;) {
		while (isalnum((unsigned char)s[n]) || s[n] == '_')
			n++;
		if (s[n] == '.')
			n++;
		else if (s[n] == '-' && s[n + 1] == '>')
			n += 2;
		else
			return n;
	}
}

/* What stands for a name; returns its length. */
static size_t
put_name(char *buf, size_t size, const char *name, size_t length,
    const struct ledger_symbol *symbols, bool numbers)
{
	const struct ledger_symbol *s = symbols;

	while (s->names != NULL && (*s->names != *name || strncmp(s->names, name, length) != 0 || s->names[length] != '='))
		s++;
	if (s->names == NULL && strncmp(name, "larger", length) == 0)
		return text_put(buf, size, "max");
	if (s->names == NULL && strncmp(name, "smaller", length) == 0)
		return text_put(buf, size, "min");
	if (s->names == NULL)
		return text_put(buf, size, "%.*s", (int)length, name);
	if (!numbers)
		return text_put(buf, size, "%s", s->names + length + 1);
	if (fabs(s->value) < 1e15 && s->value <= floor(s->value))
		return text_put(buf, size, "%.0f", s->value);
	return text_put(buf, size, "%.10g", s->value);
}

/* Without blanks round '*' and '/'. */
size_t
ledger_write(char *buf, size_t size, const char *code, const struct ledger_symbol *symbols,
    bool numbers)
{
	size_t used = 0, n;

	for (; *code != '\0'; code += n > 0 ? n : 1) {
		n = name_length(code);
		if (n > 0)
			used += put_name(buf + used, size - used, code, n, symbols, numbers);
		else if (used + 1 < size && (*code != ' ' || (code[1] != '*' && code[1] != '/' &&
		    code[-1] != '*' && code[-1] != '/')))
			buf[used++] = *code;
	}
	buf[used] = '\0';
	return used;
}

void
ledger_explain(struct ledger *l, enum quantity q, double value, const char *name,
    const char *source, const char *expression, const struct ledger_symbol *symbols)
{
	char formula[sizeof l->term->formula];
	const size_t size = sizeof formula;
	size_t n = ledger_write(formula, size, expression, symbols, false);

	n += text_put(formula + n, size - n, " = ");
	ledger_write(formula + n, size - n, expression, symbols, true);
	ledger_note(l, q, value, name, source, "%s", formula);
}
