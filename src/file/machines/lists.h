/*
 * lists.h - the readers of lists of machines, as import_table (import.h) has them.
 */
#ifndef FILE_LISTS_H
#define FILE_LISTS_H
#include "file/source/importer.h"

/* scontrol show node, sinfo, lists of nodes: sinfo(1), scontrol(1), gres.conf(5). */
bool slurm_recognise(const char *text);
void slurm_read(struct import *im);

/* What nvidia-smi prints of one node: -L, -q, the plain table, --query-gpu as csv, and topo -m; any of
 * them in one text. And hl-smi's table and its --query-aip as csv, which have the same columns. */
bool nvidia_smi_recognise(const char *text);
void nvidia_smi_read(struct import *im);

/* amd-smi static and rocm-smi of one node, as text or csv; npu-smi info of one. */
bool amd_smi_recognise(const char *text);
void amd_smi_read(struct import *im);
bool npu_smi_recognise(const char *text);
void npu_smi_read(struct import *im);

/* What nccl-tests and rccl-tests print: the machines, and the efficiency of NVLink (one host) or of the network from
 * the largest message, as the share of what an all-reduce of its size is modelled to take. */
bool nccl_tests_recognise(const char *text);
void nccl_tests_read(struct import *im);

/* What p2pBandwidthLatencyTest of the CUDA samples prints: one node's GPUs, and the efficiency of NVLink: the median
 * rate of its pairs one way with P2P on, over what the same copies reach on such links where nothing is wrong. */
bool p2p_recognise(const char *text);
void p2p_read(struct import *im);

/* kubectl get nodes -o json. */
bool kube_recognise(const char *text);
void kube_read(struct import *im);

/* A name a line, with "slots=8", ":8" or nothing after it: microsoft/DeepSpeed
 * deepspeed/launcher/runner.py; Open MPI's mpirun(1). */
bool hostfile_recognise(const char *text);
void hostfile_read(struct import *im);
#endif
