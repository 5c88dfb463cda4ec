#include "core/plan/diag.h"

void
diag_clear(struct diag_list *list)
{
	list->count = 0;
	list->dropped = 0;
}

struct diag *
diag_add(struct diag_list *list, enum severity severity, enum field_id field, const char *reason,
    const char *source, const char *fmt, ...)
{
	struct diag *d;
	va_list args;

	if (list == NULL)
		return NULL;
	if (list->count == DIAG_MAX) {
		list->dropped++;
		return NULL;
	}
	d = &list->item[list->count++];
	d->severity = severity;
	d->field = field;
	d->reason = reason;
	d->source = source;
	d->fix_field = d->also_field = FIELD_NONE;
	d->fix_value[0] = d->also_value[0] = '\0';
	va_start(args, fmt);
	text_vput(d->message, sizeof d->message, fmt, args);
	va_end(args);
	return d;
}

size_t
diag_count(const struct diag_list *list, enum severity severity)
{
	size_t n = 0;

	for (size_t i = 0; i < list->count; i++)
		n += list->item[i].severity == severity;
	return n;
}

bool
diag_has(const struct diag_list *list, const char *reason)
{
	for (size_t i = 0; i < list->count; i++)
		if (text_equal(list->item[i].reason, reason))
			return true;
	return false;
}

const struct diag *
diag_of_field(const struct diag_list *list, enum field_id field)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->item[i].field == field && list->item[i].severity == SEVERITY_ERROR)
			return &list->item[i];
	return NULL;
}

const char *
severity_name(enum severity severity)
{
	static const char *const names[] = { "error", "warning", "hint" };

	return names[severity];
}

size_t
diag_format(const struct diag *d, char *buf, size_t size)
{
	size_t n = text_put(buf, size, "%s %s %s: %s", severity_name(d->severity),
	    d->field == FIELD_NONE ? "plan" : field_table[d->field].path, d->reason, d->message);

	if (d->fix_field == FIELD_NONE)
		return n;
	text_add(buf, size, " (fix: %s=%s", field_table[d->fix_field].path, d->fix_value);
	if (d->also_field != FIELD_NONE)
		text_add(buf, size, " %s=%s", field_table[d->also_field].path, d->also_value);
	return text_add(buf, size, ")");
}
