/*
 * tuning.h - what importers of programs that fine-tune share.
 */
#ifndef FILE_TUNING_H
#define FILE_TUNING_H
#include "file/launches/tuning_keys.h"
#include "file/log/jsonin.h"
#include "file/source/importer.h"

/* Read settings or a script of them, as settings_read, or in Python: then what the calls of a script say, under the keys
 * of a trainer's settings, with what is trained on under TUNING_METHOD, and what PEFT puts beside
 * frozen weights under TUNING_TUNER. */
#define TUNING_METHOD "trainer"
#define TUNING_TUNER "peft_type"
bool tuning_read(struct jsonin *j, struct import *im, const struct tuner *d);

/* Put what a script in Python that a launch names calls, where it is at hand and a trainer's, below the launch's own
 * flags; false where it is not. */
bool tuning_script(struct jsonin *j, struct import *im, const char *name);

/* All that TRL, and Hugging Face's Trainer, say in settings that are read. */
void tuning_trl(struct import *im, struct jsonin *j);
void tuning_trainer(struct import *im, struct jsonin *j);

/* The plan as far as all of these programs say it, of settings that are read, and the GPUs with their batch. */
void tuning_begin(struct import *im, struct jsonin *j, const struct tuner *d);
void tuning_batch(struct import *im, const struct jsonin *j);

/* What is trained, and on what: all weights, or adapters on such as these. */
void tuning_adapters(struct import *im, const struct jsonin *j, const struct tuner *d);

/* Adapters of another kind than LoRA's, which the method's word names, and the key of their modules for d; false where it
 * names none (tuning_kind.c). */
bool tuning_kind(struct import *im, const struct jsonin *j, struct tuner *d);

/* Modules that have adapters, and trained copies, under the keys of a trainer. */
void tuning_take_targets(struct import *im, const struct jsonin *j, const struct tuner *d);

/* Put the settings of DeepSpeed and Accelerate that these name in the place of the name: deepspeed,
 * fsdp_config, and the GPUs of the launch. */
void tuning_named(struct import *im, struct jsonin *j);
/* What trains on more than texts, by its word under a key or in a command: pairs, rewards, rollouts where the
 * trainer says them (NULL: no); what no plan has, and what an estimate leaves out, is told. */
void tuning_take_method(struct import *im, const struct jsonin *j, const struct tuner_rollouts *r, const char *word,
    const char *source);

/* The method that a script of one's own is called by, "scripts/dpo.py"; NULL: none. */
const char *tuning_script_method(const struct jsonin *j);

/* Prompts of a step of rollouts; batches and their groups are set before. */
void tuning_take_groups(struct import *im, const struct jsonin *j, const struct tuner_rollouts *r);

/* The framework that these settings are of, and how it shards; fp16 or bf16 by their switches; FSDP by its
 * options and its section, where one of them is there. */
void tuning_framework(struct import *im, const struct jsonin *j);
void tuning_precision(struct import *im, const struct jsonin *j);
void tuning_fsdp(struct import *im, const struct jsonin *j, const char *options, const char *at);

/* The GPUs of the launch: as the user says, as the script does, or the fewest. How many. */
int64_t tuning_machine(struct import *im, const struct jsonin *j, int64_t fewest);
#endif
