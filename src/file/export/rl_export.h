/*
 * rl_export.h - what trains on rollouts, and NeMo-RL and OpenRLHF on pairs of responses: a
 * settings file or a script of arguments.
 *
 * Sources: verl-project/verl verl/trainer/config, verl/experimental (2026-08); NVIDIA-NeMo/RL
 * examples/configs, nemo_rl/algorithms/grpo.py (2026-08); OpenRLHF/OpenRLHF openrlhf/cli
 * (2026-08); THUDM/slime slime/utils/arguments.py (2026-08).
 */
#ifndef FILE_RL_EXPORT_H
#define FILE_RL_EXPORT_H
#include "file/export/exporter.h"

void verl_write(struct export *e);
void nemo_rl_write(struct export *e);
void openrlhf_write(struct export *e);
void slime_write(struct export *e);
#endif
