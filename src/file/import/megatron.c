#include "file/import/megatron.h"

#include <ctype.h>
#include <string.h>

#include "file/import/megatron_flags.h"

bool
megatron_recognise(const char *text, size_t size, const char *path)
{
	(void)size;
	(void)path;
	return strstr(text, "--num-attention-heads") != NULL ||
	    strstr(text, "--tensor-model-parallel-size") != NULL;
}

/* The next word between blanks; false at the end of the text. */
static bool
next_word(struct import *im, const char **at, char *word, size_t size)
{
	size_t n;

	for (; isspace((unsigned char)**at); ++*at)
		im->line += **at == '\n';
	n = strcspn(*at, " \t\n\r\v\f");
	text_put(word, size, "%.*s", (int)n, *at);
	*at += n;
	return n > 0;
}

static bool
put_flag(struct import *im, const struct megatron_flag *row, const char *value)
{
	char ours[64];

	switch (row->kind) {
	case FLAG_SWITCH:
		return import_set(im, row->field, row->words, row->flag);
	case FLAG_WORD:
		if (megatron_word_ours(row, value, ours, sizeof ours))
			return import_set(im, row->field, ours, row->flag);
		import_error(im, row->flag, "takes none of its values");
		return false;
	case FLAG_VALUE:
		break;
	}
	return import_set(im, row->field, value, row->flag);
}

void
megatron_read(struct import *im)
{
	const char *at = im->text;
	char word[256], value[256];

	import_own_model(im);
	for (size_t i = 0; i < megatron_flag_count; i++)
		if (megatron_flags[i].absent != NULL)
			import_assume(im, megatron_flags[i].field, megatron_flags[i].absent,
			    "Megatron-LM's default");
	im->line = 1;
	while (next_word(im, &at, word, sizeof word)) {
		const struct megatron_flag *row = megatron_flag_find(word);

		if (row == NULL) {
			import_ignore(im, word, "is no field of a plan");
			continue;
		}
		if (row->kind != FLAG_SWITCH && !next_word(im, &at, value, sizeof value)) {
			import_error(im, word, "needs a value");
			return;
		}
		if (!put_flag(im, row, value))
			return;
	}
	if (im->world > 0)
		import_machine(im, im->world, 0, 0, "--world");
	import_name_model(im);
}
