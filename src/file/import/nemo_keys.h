/*
 * nemo_keys.h - keys of NeMo-RL's settings, as settings_keys.h has those of others. Source:
 * NVIDIA-NeMo/RL examples/configs/grpo_math_1B.yaml, grpo_math_1B_megatron.yaml (2026-08).
 */
#ifndef FILE_NEMO_KEYS_H
#define FILE_NEMO_KEYS_H
#include "file/import/settings_keys.h"

/* Of every run; of its two trainers; of adapters in them; of generation. */
extern const struct settings_key nemo_keys[], nemo_megatron_keys[], nemo_dtensor_keys[],
    nemo_peft_keys[], nemo_lora_keys[], nemo_generation_keys[];
#endif
