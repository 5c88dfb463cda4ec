/*
 * writers.h - the writers of export_table (export.h): each makes the files of a plan, or leaves
 * errors in e->diags. What they share is in exporter.h, parts.h and rl_parts.h.
 */
#ifndef FILE_WRITERS_H
#define FILE_WRITERS_H
#include "file/export/exporter.h"

/* Arguments of Megatron-LM's pretrain_gpt.py: a script that is run on every node, with torchrun;
 * sbatch scripts, with one torchrun a node, or one task a GPU. */
void megatron_write(struct export *e);
void megatron_sbatch_torchrun(struct export *e);
void megatron_sbatch_srun(struct export *e);

/* FlagScale runs Megatron-LM on meshes that stand along the pipeline, of GPUs of one type each: flagscale/train/arguments.py. */
void flagscale_write(struct export *e);

/* Overrides of a recipe of Megatron-Bridge (NeMo). */
void bridge_write(struct export *e);

/* ds_config.json, hostfile and a launcher line: DeepSpeed runtime/config.py,
 * runtime/zero/config.py, launcher/runner.py. */
void deepspeed_write(struct export *e);

/* A job file of the last release that reads TOML: torchtitan v0.2.2 torchtitan/config/job_config.py,
 * distributed/parallel_dims.py. */
void torchtitan_write(struct export *e);

/* A function that starts from one of its own: torchtitan/config/configs.py, manager.py. */
void torchtitan_python_write(struct export *e);

/* nanotron src/nanotron/config/config.py, parallel/context.py. */
void nanotron_write(struct export *e);

/* FSDP: Accelerate src/accelerate/parallelism_config.py, commands/config/config_args.py. */
void accelerate_write(struct export *e);

/* What fine-tunes, and trains on pairs of responses: a settings file of each trainer and the script
 * that starts it (tuning_keys.h); overrides of a recipe's configuration, pytorch/torchtune recipes. */
void trl_write(struct export *e);
void axolotl_write(struct export *e);
void llamafactory_write(struct export *e);
void swift_write(struct export *e);
void torchtune_write(struct export *e);

/* What trains on rollouts, and NeMo-RL and OpenRLHF on pairs: verl-project/verl
 * verl/trainer/config, verl/experimental; NVIDIA-NeMo/RL examples/configs,
 * nemo_rl/algorithms/grpo.py; OpenRLHF/OpenRLHF openrlhf/cli; THUDM/slime
 * slime/utils/arguments.py (all of 2026-08). */
void verl_write(struct export *e);
void nemo_rl_write(struct export *e);
void openrlhf_write(struct export *e);
void slime_write(struct export *e);

/* Command lines of serving engines. */
void vllm_write(struct export *e);   /* vllm/engine/arg_utils.py */
void sglang_write(struct export *e); /* python/sglang/srt/server_args.py */
void trtllm_write(struct export *e); /* tensorrt_llm/commands/serve.py, llmapi/llm_args.py */

/* Benchmarks that ask a running engine the plan's question: vllm/benchmarks/serve.py,
 * python/sglang/bench_serving.py. */
void vllm_bench_write(struct export *e);
void sglang_bench_write(struct export *e);

/* Manifests of Kubernetes for vLLM and SGLang: a graph of NVIDIA Dynamo; groups of pods. */
void dynamo_write(struct export *e);
void lws_write(struct export *e);
void llmd_write(struct export *e);

/* For people: Markdown (GitHub's tables) of what was chosen, results, stages, what is wrong. For
 * spreadsheets: RFC 4180 but for its line ends, path, value in the unit of estimate --json, label;
 * stages as stages.0.params. */
void markdown_write(struct export *e);
void csv_write(struct export *e);
void trace_write(struct export *e);

/* A plan file that stands alone. */
void plan_write(struct export *e);
#endif
