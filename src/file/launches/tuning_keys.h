/*
 * tuning_keys.h - settings files of programs that fine-tune, one row a program: import and export
 * both read these tables.
 *
 * Sources: huggingface/trl trl/trainer/model_config.py, sft_config.py, base_config.py (2026-07);
 * axolotl-ai-cloud/axolotl src/axolotl/utils/schemas/config.py, peft.py, fsdp.py (2026-07);
 * hiyouga/LLaMA-Factory src/llamafactory/hparams (2026-08); modelscope/ms-swift swift/arguments
 * (2026-08); pytorch/torchtune recipes/configs, recipes/lora_finetune_distributed.py (2026-04).
 * Activations on the host: huggingface/transformers#48444 (5.17), trl trl/models/
 * activation_offloading.py, axolotl src/axolotl/core/builders/base.py, LLaMA-Factory
 * src/llamafactory/model/model_utils/checkpointing.py, ms-swift swift/callbacks.
 * Names of modules: huggingface/transformers modeling_llama.py, modeling_deepseek_v3.py,
 * modeling_phi3.py; NVIDIA-NeMo/Megatron-Bridge src/megatron/bridge/peft/lora.py.
 */
#ifndef FILE_TUNING_KEYS_H
#define FILE_TUNING_KEYS_H
#include <stdbool.h>
#include <stddef.h>

#include "core/plan/plan.h"
#include "file/launches/settings_keys.h"

/* A trainer of Hugging Face's models. NULL: it has no such key, or no such word. */
struct tuner {
	const char *program;
	const char *commands;     /* that take the same keys as flags: "trl sft|trl dpo" */
	const char *older;        /* what keys were called before, "OLDER=now|..." */
	const struct settings_key *keys, *adapters;
	const struct settings_key *weights; /* full fine-tuning without FSDP and DeepSpeed; NULL: none */
	const char *method, *lora, *qlora, *full; /* key that says what is trained, and its words */
	bool whole;               /* without that key all of the model is */
	const char *dora;         /* true: DoRA */
	const char *bits;         /* 4 or 8, a number; NULL: load_in_4bit, load_in_8bit */
	const char *nested;       /* true: double quantisation */
	bool nests;               /* without that key */
	const char *targets;      /* modules that have an adapter, */
	const char *linear;       /* the word there for every linear layer but the head, */
	const char *usual;        /* what they are without that key, in a plan's words, */
	const char *parameters;   /* and stacked weights of experts */
	const char *saved;        /* trained copies */
	bool fused;               /* Megatron's layers, whole whichever part of them is named */
	bool joined;              /* lists are one text with commas */
	struct settings_away away;
	const char *checkpointing, *off; /* key that recomputes, and its word for not */
	const struct tuner_rollouts *rollouts; /* GRPO; NULL: it is not read */
};

/* What a trainer says of rollouts, and of the engine for them. */
struct tuner_rollouts {
	const struct settings_key *keys;
	const char *section;      /* that use_vllm and others stand in, "trl.", or "" */
	const char *replicas;     /* key with the engines of a server; NULL: its own command says */
	const char *beta;         /* keys of the weight of the reference's term, joined by |, */
	bool refers, serves;      /* and without them and vllm_mode: a reference, a server */
	bool evaluates;           /* the trainer evaluates responses again in any case */
};
const char *tuning_rollout_key(char buf[64], const struct tuner_rollouts *r, const char *name);

#define TUNING_STEPS "gradient_accumulation_steps" /* of all of them: micro-batches of one GPU */
extern const struct tuner tuner_trl, tuner_axolotl, tuner_llamafactory, tuner_swift,
    tuner_megatron_swift, tuner_trainer; /* of which the method has several names */

/* Recipes of torchtune take these; with adapters the others too. */
extern const struct settings_key torchtune_keys[], torchtune_adapters[];
extern const struct settings_away torchtune_away;

/* Linear layers by the names that checkpoints and Megatron have for them, joined by commas where
 * they are several; NULL: none. In multi-latent attention some have others, or "" none. */
struct tuning_module {
	unsigned target;          /* enum adapter_target */
	const char *word;         /* in finetune.target */
	const char *name, *megatron;
	const char *name_mla, *megatron_mla;
};
enum { TUNING_NAMES_SIZE = 256 };

/* Names of modules, joined by commas. */
const char *tuning_names(char buf[TUNING_NAMES_SIZE], const struct plan *p, unsigned targets,
    bool megatron);

/* True for all linear layers of the blocks, whatever there is beside experts. */
bool tuning_is_linear(unsigned targets);

/* The row of a module's name; NULL: unknown. */
const struct tuning_module *tuning_module(const char *name);

/* Words joined by plus signs, shorter where a plan has one word for the same modules, of which
 * some are `fused`. */
void tuning_short(const struct model *m, bool fused, char *words, size_t size);
#endif
