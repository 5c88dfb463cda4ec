/*
 * megatron_flags.h - the arguments of Megatron-LM that are fields of a plan, one a row: import
 * and export both read this table. What takes more than a row is in megatron.c.
 *
 * Source: Megatron-LM megatron/training/arguments.py, transformer_config.py and
 * model_parallel_config.py, core 0.12 to 0.20.
 */
#ifndef FILE_MEGATRON_FLAGS_H
#define FILE_MEGATRON_FLAGS_H
#include <stddef.h>

#include "core/plan/field.h"

enum flag_kind {
	FLAG_VALUE,  /* one value, written as the field is */
	FLAG_WORD,   /* one of `words` */
	FLAG_SWITCH, /* no value: it sets the field to `words` */
};

struct megatron_flag {
	const char *flag;
	enum flag_kind kind;
	enum field_id field;
	const char *words;  /* "THEIRS=ours|..."; of a switch the field's value */
	const char *absent; /* what the field is without the flag; NULL: megatron.c tells */
};

extern const struct megatron_flag megatron_flags[];
extern const size_t megatron_flag_count;

/* The row of a flag, or NULL. */
const struct megatron_flag *megatron_flag_find(const char *flag);
#endif
