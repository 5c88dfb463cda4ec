/*
 * readers.h - the readers of import_table (import.h): each makes a plan of one kind of text, or
 * leaves complaints. What they share is in importer.h.
 */
#ifndef FILE_READERS_H
#define FILE_READERS_H
#include "file/import/importer.h"

/* ---- models and machines ---- */

/* config.json of Hugging Face transformers. What its classes mean that the file does not say is in
 * hf_types.def; a class that is not known there is read as a decoder like Llama. */
bool hf_recognise(const char *text);
void hf_read(struct import *im);

/* scontrol show node, sinfo, lists of nodes: sinfo(1), scontrol(1), gres.conf(5). */
bool slurm_recognise(const char *text);
void slurm_read(struct import *im);

/* What nvidia-smi prints of one node: -L, the plain table, --query-gpu as csv, and topo -m; any of
 * them in one text. */
bool nvidia_smi_recognise(const char *text);
void nvidia_smi_read(struct import *im);

/* A name a line, with "slots=8", ":8" or nothing after it: microsoft/DeepSpeed
 * deepspeed/launcher/runner.py; Open MPI's mpirun(1). */
bool hostfile_recognise(const char *text);
void hostfile_read(struct import *im);

/* ---- launches ---- */

void megatron_read(struct import *im);       /* arguments, bare or in a script */
void deepspeed_json_read(struct import *im); /* ZeRO, batches, precision, offload */
void torchtitan_read(struct import *im);     /* a job file up to v0.2.2 (TOML) */
void nanotron_read(struct import *im);       /* YAML, as those below */
void accelerate_read(struct import *im);

/* ---- fine-tuning, rollouts, pairs of responses: tuning_keys.h, rl_keys.h ---- */

void trl_read(struct import *im);            /* or a script with the same as flags */
void axolotl_read(struct import *im);
void llamafactory_read(struct import *im);
void swift_read(struct import *im);
void megatron_swift_read(struct import *im); /* ms-swift's trainer of Megatron-LM */
void torchtune_read(struct import *im);      /* or a script with overrides */
void nemo_read(struct import *im);
void verl_read(struct import *im);           /* overrides */
void verl_sft_read(struct import *im);       /* its trainer on texts */
void openrlhf_read(struct import *im);       /* flags, since their names have points in them */

/* ---- engines: engine.c, command lines ---- */

void vllm_read(struct import *im);
void sglang_read(struct import *im);
void trtllm_read(struct import *im);
#endif
