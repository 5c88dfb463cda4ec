/*
 * rl_keys.h - settings of programs that train on rollouts, as settings_keys.h has those of
 * others. What takes more than a row stands in nemo.c, verl.c, openrlhf.c and their exporters.
 *
 * Sources: NVIDIA-NeMo/RL examples/configs/grpo_math_1B.yaml, grpo_math_1B_megatron.yaml;
 * verl-project/verl verl/trainer/config; OpenRLHF/OpenRLHF openrlhf/cli/train_ppo_ray.py
 * (2026-08).
 */
#ifndef FILE_RL_KEYS_H
#define FILE_RL_KEYS_H
#include "file/launches/settings_keys.h"

/* NeMo-RL, of every run; of its two trainers; of adapters in them; of generation. */
extern const struct settings_key nemo_keys[], nemo_megatron_keys[], nemo_dtensor_keys[],
    nemo_peft_keys[], nemo_lora_keys[], nemo_generation_keys[];

/* verl, of every run; of its two trainers. Begins of names there. */
extern const struct settings_key verl_keys[], verl_fsdp_keys[], verl_megatron_keys[];
extern const struct settings_key verl_sft_keys[], verl_sft_fsdp_keys[], verl_sft_megatron_keys[];
extern const struct settings_away verl_away, verl_sft_away; /* workers of FSDP */
#define VERL_ACTOR "actor_rollout_ref.actor."
#define VERL_ROLLOUT "actor_rollout_ref.rollout."
#define VERL_REF "actor_rollout_ref.ref."

/* slime, flags without their hyphens. */
extern const struct settings_key slime_keys[];

/* AReaL, of every run; of its trainers; of layers that are computed again; of rollouts and their engines. */
extern const struct settings_key areal_keys[], areal_fsdp_keys[], areal_megatron_keys[], areal_recompute_keys[],
    areal_rollout_keys[], areal_sglang_keys[], areal_vllm_keys[];

/* OpenRLHF, of every run; of adapters; of rollouts; of pairs. */
extern const struct settings_key openrlhf_keys[], openrlhf_adapters[], openrlhf_rollouts[],
    openrlhf_pairs[];
#endif
