/*
 * launches.h - the readers of what starts a run, as import_table (import.h) has them: each makes a
 * plan of one kind of text, or leaves complaints. What they share is in importer.h.
 */
#ifndef FILE_LAUNCHES_H
#define FILE_LAUNCHES_H
#include "file/log/jsonin.h"
#include "file/source/importer.h"

/* ---- launches ---- */

void megatron_read(struct import *im);       /* arguments, bare or in a script */
void bridge_read(struct import *im);         /* Megatron-Bridge: overrides, or Python */
bool deepspeed_json_recognise(const char *text); /* a mapping, which a script may hold as well */
void deepspeed_json_read(struct import *im); /* ZeRO, batches, precision, offload */
void deepspeed_take(struct import *im, const struct jsonin *j, int64_t world); /* the same, of so many GPUs; 0: it says */
void torchtitan_read(struct import *im);     /* a job file up to v0.2.2 (TOML) */
void torchtitan_python_read(struct import *im); /* a function after that */
void nanotron_read(struct import *im);       /* YAML, as those below */
void accelerate_read(struct import *im);

void composer_read(struct import *im);       /* of llm-foundry, as the three below, or a script of them */
void litgpt_read(struct import *im);
void lightning_read(struct import *im);      /* the Trainer's section of LightningCLI */
void maxtext_read(struct import *im);        /* on GPUs */

/* ---- fine-tuning, rollouts, pairs of responses: tuning_keys.h, rl_keys.h ---- */

void trl_read(struct import *im);            /* or a script with the same as flags */
void axolotl_read(struct import *im);
void llamafactory_read(struct import *im);
void swift_read(struct import *im);
void peft_read(struct import *im);           /* adapter_config.json */
void trainer_read(struct import *im);        /* of one's own, with the arguments of Hugging Face's Trainer */
void launcher_read(struct import *im);        /* torchrun, accelerate or deepspeed of another script */
void megatron_swift_read(struct import *im); /* ms-swift's trainer of Megatron-LM */
void torchtune_read(struct import *im);      /* or a script with overrides */
void nemo_read(struct import *im);
void verl_read(struct import *im);           /* overrides */
void verl_sft_read(struct import *im);       /* its trainer on texts */
void neox_read(struct import *im);
void nemo_one_read(struct import *im);       /* Megatron-LM, as NeMo before 2.0 calls its arguments */
void primus_read(struct import *im);         /* Megatron-LM or torchtitan, in YAML */
void oumi_read(struct import *im);
void easyr1_read(struct import *im);
void open_instruct_read(struct import *im); /* on rollouts */
void roll_read(struct import *im);           /* a pipeline in YAML, or a script of it */
void prime_rl_read(struct import *im);       /* TOML */
void skyrl_read(struct import *im);
void slime_read(struct import *im);          /* Megatron-LM's arguments and its own */
void areal_read(struct import *im);         /* YAML, or a script of it */
void openrlhf_read(struct import *im);       /* flags, since their names have points in them */

/* ---- engines: engine.c, command lines ---- */

void vllm_read(struct import *im);
void sglang_read(struct import *im);
void trtllm_read(struct import *im);
void inferencex_read(struct import *im); /* one of many */
void srt_slurm_read(struct import *im); /* pools of any of them */
#endif
