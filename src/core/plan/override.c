#include <string.h>
#include <strings.h>

#include "core/base/text.h"
#include "core/plan/override.h"

enum { TOLD = 3 }; /* overrides named one by one */

/* Whether a value belonged to the entry or the mode that `after` has no more. */
static bool
is_of_another(enum field_id f, const struct plan *before, const struct plan *after)
{
	const struct field *row = &field_table[f];
	const enum field_id name = field_entry(f);

	if (row->origin == ORIGIN_DERIVED)
		return row->follows[0] == FIELD_MODE && before->mode != after->mode;
	/* The catalogue compares names without case. */
	return row->origin == ORIGIN_CATALOG &&
	    strcasecmp(field_text(name, before), field_text(name, after)) != 0;
}

void
overrides_drop(const struct plan *before, struct plan *after, struct overrides *dropped)
{
	dropped->count = 0;
	for (enum field_id f = 0; f < FIELD_COUNT; f++) {
		if (!field_is_set(f, before) || !is_of_another(f, before, after))
			continue;
		field_mark(f, after, false);
		dropped->field[dropped->count++] = f;
	}
}

/* Whether other fields' values belong to what this one says. */
static bool
is_name(enum field_id f)
{
	return f == FIELD_GPU || f == FIELD_PRESET || f == FIELD_MODE;
}

bool
overrides_put(const struct setting setting[], size_t count, struct plan *p,
    struct overrides *dropped, const struct setting **wrong, char *err, size_t size)
{
	const struct plan before = *p;

	for (int names = 1; names >= 0; names--) {
		for (size_t i = 0; i < count; i++) {
			*wrong = &setting[i];
			if (is_name(setting[i].field) == names &&
			    !field_parse(setting[i].field, p, setting[i].value, err, size))
				return false;
		}
		if (names == 1)
			overrides_drop(&before, p, dropped);
	}
	return true;
}

size_t
overrides_text(const struct overrides *dropped, const struct plan *before, char *buf, size_t size)
{
	const size_t n = dropped->count;
	char value[64];

	buf[0] = '\0';
	if (n > 0)
		text_put(buf, size, "%zu override%s of the old one dropped", n, TEXT_S(n));
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
