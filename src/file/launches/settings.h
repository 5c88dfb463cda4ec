/*
 * settings.h - settings files of trainers as plans: the rows of settings_keys.h, and what takes
 * more than a row.
 */
#ifndef FILE_SETTINGS_H
#define FILE_SETTINGS_H
#include "file/launches/settings_keys.h"
#include "file/log/jsonin.h"
#include "file/notation/pyin.h"
#include "file/source/importer.h"

/* Short or older names become the paths that are read, "SHORT=own|...", where these are not there too. */
void settings_rename(struct jsonin *j, const char *names);

/* Read a file of YAML, or a script whose commands run one of these programs with the same keys as
 * flags (words.h); without programs, a script with overrides. False after a complaint; jsonin_free
 * in either case. */
bool settings_read(struct jsonin *j, struct import *im, const char *programs);

/* Read a file of Python, the part of it that was asked for or its one function, whose name this gets; what is not
 * known is told. False after a complaint; jsonin_free in either case. */
bool settings_python(struct jsonin *j, struct import *im, char function[PYIN_NAME_SIZE]);

/* Take all rows of a table. `program` tells whose defaults are taken. */
void settings_take(struct import *im, const struct jsonin *j, const struct settings_key rows[],
    const char *program);

/* Take what DeepSpeed offloads, and to where, of the keys that name devices for the optimizer and for
 * parameters. The ZeRO stage is set before. */
void settings_take_offload(struct import *im, const struct jsonin *j, const char *optimizer,
    const char *parameters);

/* Take activations of all layers that wait in host memory. Recompute and model are set before. */
void settings_take_away(struct import *im, const struct jsonin *j, const struct settings_away *d);

/* True there; a whole number from -1 on there, `absent` where none is. */
bool settings_on(const struct jsonin *j, const char *path);
int64_t settings_number(const struct jsonin *j, const char *path, int64_t absent);

/* Tiles of an MLP: so many, where none are said `usual`, 0: one for as many tokens as the model is wide. */
void settings_take_tiles(struct import *im, const struct jsonin *j, const char *on, const char *number,
    int64_t usual);

/* Whether the text there is this word. */
bool settings_is(const struct jsonin *j, const char *path, const char *word);

/* Set a field to what the key at that path tells, by itself or with others; it is assumed where
 * the key is not there. The same for a number. */
void settings_say(struct import *im, const struct jsonin *j, enum field_id f, const char *value,
    const char *path);
void settings_set(struct import *im, const struct jsonin *j, enum field_id f, int64_t n,
    const char *path);

/* The machine of a trainer's nodes and of GPUs for rollouts beside it. */
void settings_machine(struct import *im, int64_t nodes, int64_t gpus, int64_t rollout,
    const char *source);

/* The GPUs of a launch whose settings tell nodes and GPUs of each, 0: not told, then so many as usual; --world
 * wins. How many the trainer has: a server with rollouts has others, which the plan counts too. */
int64_t settings_world(struct import *im, int64_t nodes, int64_t gpus, int64_t usual, const char *source);

/* A micro-batch of at most so many tokens on so many GPUs of a trainer: as many of the longest sequences as go into it, and
 * evenly into the batch of a rank; at least one. */
int64_t settings_fitting(const struct plan *p, int64_t tokens, int64_t gpus);

/* Prompts and responses that fit into a row of the trainer, whose length is set; `why` for the
 * account. What is generated may as well be limited by that length alone. */
void settings_lengths(struct import *im, const char *why);

/* The checkpoint's name under the first of these keys, joined by blanks, that is there. Where none is, and
 * nothing else tells the model, that is an error (import_unnamed). */
void settings_checkpoint(struct import *im, const struct jsonin *j, const char *keys);

/* How FSDP 1 shards, by a name or number of Accelerate (docs/source/usage_guides/fsdp.md); false
 * where that is none. The machine is set before. */
bool settings_strategy(struct import *im, const char *word, const char *source);

/* How fsdp_sharding_strategy says it in the section at that path; FSDP 2 does not look there. */
void settings_fsdp1(struct import *im, const struct jsonin *j, const char *at);

/* Tell that those of these keys, which | joins, that are there are no field of a plan. */
void settings_others(struct import *im, const struct jsonin *j, const char *keys, const char *why);

/* training.token_budget, where it is a million tokens or more. */
void settings_tokens(struct import *im, double tokens, const char *source);

/* Tokens of so many steps, 0 or less: not said. For the end, once batch and length are there; a
 * run with rollouts has none. */
void settings_budget(struct import *im, int64_t steps, const char *source);

/* torchtitan.c: what a job file of torchtitan up to v0.2.2 says, as a mapping; a model that is named already stays. */
void torchtitan_take(struct import *im, const struct jsonin *j);

/* Tell what is in the file and no field of a plan: what was not asked for since jsonin_watch. Steps of
 * the run are taken. */
void settings_rest(struct import *im, const struct jsonin *j);
#endif
