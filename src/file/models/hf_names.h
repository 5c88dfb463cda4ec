/*
 * hf_names.h - which modules of a checkpoint a list in its quantization_config means.
 *
 * "re:" (or GPTQModel's "-:") before a regular expression, which the beginning of a name has to match (compressed-tensors
 * utils/match.py); else a name or a part of it between dots, with what is below it, '*' and '?' standing for any
 * letters (NVIDIA ModelOpt's exclude_modules; modules_to_not_convert of Transformers, llm-awq and DeepSeek).
 */
#ifndef FILE_HF_NAMES_H
#define FILE_HF_NAMES_H
#include <stdbool.h>
#include <stdint.h>

/* How much looking is left: what is not understood, or takes longer, leaves none. */
struct hf_look {
	int64_t steps;
};

/* Names are "layers.3.mlp.down_proj", without what models put before that. */
bool hf_name_meant(struct hf_look *look, const char *pattern, const char *name);

/* The layer that a pattern speaks of, -1 where it may be any. */
int64_t hf_name_layer(const char *pattern);
#endif
