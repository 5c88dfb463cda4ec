#include <string.h>
#include <strings.h>

#include "core/base/text.h"
#include "core/plan/override.h"

enum { TOLD = 3 }; /* overrides named one by one */

void
overrides_drop(const struct plan *before, struct plan *after, struct overrides *dropped)
{
	dropped->count = 0;
	for (enum field_id f = 0; f < FIELD_COUNT; f++) {
		const enum field_id name = field_entry(f);

		/* The catalogue compares names without case. */
		if (field_table[f].origin != ORIGIN_CATALOG || !field_is_set(f, before) ||
		    strcasecmp(field_text(name, before), field_text(name, after)) == 0)
			continue;
		field_mark(f, after, false);
		dropped->field[dropped->count++] = f;
	}
}

size_t
overrides_text(const struct overrides *dropped, const struct plan *before, char *buf, size_t size)
{
	const size_t n = dropped->count;
	char value[64];

	buf[0] = '\0';
	if (n > 0)
		text_put(buf, size, "%zu override%s of the old one dropped", n, n == 1 ? "" : "s");
	for (size_t i = 0; i < n && i < TOLD; i++) {
		const struct field *row = &field_table[dropped->field[i]];
		const bool unit = *row->unit != '\0' && !text_equal(row->unit, row->label);

		field_format(dropped->field[i], before, value, sizeof value);
		text_add(buf, size, "%s %s %s%s%s", i == 0 ? ":" : ",", row->label, value,
		    unit ? " " : "", unit ? row->unit : "");
	}
	if (n > TOLD)
		text_add(buf, size, " and %zu more", n - TOLD);
	return strlen(buf);
}
