/*
 * settings_keys.h - keys of other programs' settings files that are fields of a plan, one a row:
 * import and export both read these tables. What takes more than a row stands in settings.c,
 * deepspeed_json.c and export/trainers.c.
 *
 * Sources: DeepSpeed deepspeed/runtime/config.py, zero/config.py; torchtitan v0.2.2
 * torchtitan/config/job_config.py; nanotron src/nanotron/config/config.py; Accelerate
 * src/accelerate/parallelism_config.py, commands/config/config_args.py; Megatron-Bridge
 * src/megatron/bridge/training/config.py, and Megatron-LM's configurations that it takes on.
 */
#ifndef FILE_SETTINGS_KEYS_H
#define FILE_SETTINGS_KEYS_H
#include <stdbool.h>
#include <stddef.h>

#include "core/plan/field.h"

struct settings_key {
	const char *path;    /* names of sections within one another, joined by points */
	enum field_id field;
	const char *words;   /* "THEIRS=ours|...", the usual one first; NULL: the field's value */
	const char *absent;  /* what the field is without the key; NULL: as it was */
};

/* Keys that send activations to host memory, "KEY=WORD|...", the first one exported: inputs of
 * layers that are computed again, and what layers keep without that. NULL: none. */
struct settings_away {
	const char *inputs, *kept;
};
extern const struct settings_away deepspeed_away, accelerate_away;

/* Each ends with a row without a path. */
extern const struct settings_key deepspeed_keys[], torchtitan_keys[], titan_python_keys[], nanotron_keys[],
    accelerate_keys[], accelerate_deepspeed_keys[], fsdp_keys[], bridge_keys[], bridge_peft_keys[];

/* Models of torchtitan, the entries of the catalogue that have their shapes, the usual one first, and the function
 * of August 2026 that configures them, NULL: none does; ends with a row without a name
 * (torchtitan/models/NAME/__init__.py, config_registry.py). */
struct titan_model {
	const char *name, *flavor, *preset, *function;
};
extern const struct titan_model titan_models[];

/* Of "THEIRS=ours|..." ours for a word of theirs, and the first of theirs for one of ours; false
 * when there is none. Programs compare by strcmp or by strcasecmp. */
bool settings_ours(const char *words, const char *theirs,
    int (*compare)(const char *a, const char *b), char *buf, size_t size);
bool settings_theirs(const char *words, const char *ours, char *buf, size_t size);
#endif
