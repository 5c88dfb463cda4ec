/*
 * hf_read.h - what the importer of Hugging Face's config.json shares: the text, the class of the
 * model, and looking both up. For hf*.c.
 */
#ifndef FILE_HF_READ_H
#define FILE_HF_READ_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/number.h"
#include "file/log/jsonin.h"
#include "file/source/importer.h"

enum { HF_PATH_SIZE = 160 };

struct hf_type {
	const char *names, *facts, *but; /* hf_types.def */
};

struct hf {
	struct import *im;
	struct jsonin json;
	const char *nest;           /* "text_config" that holds the language model, or "" */
	const char *name;           /* its model_type, or "" */
	const struct hf_type *type; /* NULL: not known */
	struct json_t *used;        /* an object: keys that were looked at and there */
	bool experts;               /* it is a mixture */
};

/* A key was made use of: it is none of those that are said to be ignored. */
void hf_use(struct hf *h, const char *path);

/* The first of these keys (joined by blanks) that is there, in the language model's part before
 * the whole, as a path of jsonin. */
bool hf_find(struct hf *h, const char *keys, char path[HF_PATH_SIZE]);

/* A whole number, or true or false, under the first of these keys. Of a list, which has one for
 * each layer, the mean, and a note where they differ. */
bool hf_int(struct hf *h, const char *keys, int64_t *v, char path[HF_PATH_SIZE]);
bool hf_bool(struct hf *h, const char *keys, bool *v);

/* What the class says of a word with that sign (hf_types.def). */
bool hf_fact(const struct hf *h, const char *word, char sign, char *value, size_t size);

/* Set a field from the file, under the class's key for it or these, else from the class. */
bool hf_take(struct hf *h, enum field_id f, const char *keys);

/* Heads and what else attention is made of (hf_attention.c). */
void hf_attention(struct hf *h);

/* Which layers attend to everything, and which have experts (hf_layers.c). */
void hf_attention_pattern(struct hf *h);
void hf_expert_pattern(struct hf *h);

/* Layers that mix tokens through a state, and which they are; false where there are none that a
 * plan can say (hf_pattern.c). */
bool hf_pattern(struct hf *h);

/* Put what block_configs tells of all layers under the keys that other classes have for it; an error
 * where they do not share it. */
void hf_blocks(struct hf *h);

/* How far the parameters are off where layers mix in other ways (hf_mixers.c). */
void hf_mixers(struct hf *h);

/* A tower that sees: nothing where its shape is not known (hf_vision.c). */
void hf_vision(struct hf *h);

/* What a checkpoint in this format leaves in 16 bits, by the lists in that part of the file (hf_kept.c). */
void hf_kept(struct hf *h, const char *part, const char *format);

/* What a checkpoint holds whose layers each name their own format, by that of an algorithm's name, in that part of the file; false
 * where none does. */
bool hf_mixed(struct hf *h, const char *part, const char *(*format_of)(const char *algorithm));

/* Number formats of weights and KV cache (hf_quant.c). */
void hf_formats(struct hf *h);
#endif
