/*
 * deepspeed_keys.h - the keys of DeepSpeed's JSON that are fields of a plan, one a row, for both
 * directions. What takes more than a row is in deepspeed_json.c.
 *
 * Source: microsoft/DeepSpeed deepspeed/runtime/config.py, zero/config.py.
 */
#ifndef FILE_DEEPSPEED_KEYS_H
#define FILE_DEEPSPEED_KEYS_H
#include <stddef.h>

#include "core/plan/field.h"

struct deepspeed_key {
	const char *path;    /* names of objects within one another, joined by points */
	enum field_id field;
	const char *words;   /* of a text "THEIRS=ours|...", the usual one first; NULL: a number */
	const char *absent;  /* what the field is without the key; NULL: as it was */
};

extern const struct deepspeed_key deepspeed_keys[];
extern const size_t deepspeed_key_count;
#endif
