#include "file/export/megatron_args.h"

#include "file/export/quote.h"
#include "file/import/megatron_flags.h"

static void
put_flag(struct textbuf *out, const struct megatron_flag *row, const struct plan *p)
{
	char value[64], theirs[64];

	field_format(row->field, p, value, sizeof value);
	if (row->kind == FLAG_SWITCH && !text_equal(value, row->words))
		return;
	if (row->kind == FLAG_WORD && !megatron_word_theirs(row, value, theirs, sizeof theirs))
		return;
	textbuf_add(out, "%s", row->flag);
	if (row->kind != FLAG_SWITCH) {
		textbuf_bytes(out, " ", 1);
		quote_shell(out, row->kind == FLAG_WORD ? theirs : value);
	}
	textbuf_bytes(out, "\n", 1);
}

void
megatron_args_write(struct export *e)
{
	struct textbuf *out = export_begin(e, "megatron_args.txt");

	for (size_t i = 0; i < megatron_flag_count; i++)
		put_flag(out, &megatron_flags[i], e->plan);
}
