/*
 * words.h - settings that stand on the command line of a script, read into the tree that
 * jsonin.h asks: what shell.h makes of the text.
 */
#ifndef FILE_WORDS_H
#define FILE_WORDS_H
#include "file/log/jsonin.h"
#include "file/source/importer.h"

/* What a script tells the launcher of processes, under these names in the tree: variables that it
 * sets, or --nnodes and --nproc-per-node of torchrun. */
#define WORDS_NODES "NNODES"
#define WORDS_PROCESSES "NPROC_PER_NODE"

/* Nodes that differ, as cluster.node_gpus takes them; processes are then those of the largest. */
#define WORDS_EACH "NODE_GPUS"

/* What stands behind a program's name and is no flag: a model, a file of settings. */
#define WORDS_OPERAND "argument"

/* The script in Python of a command that a launcher runs, "" where only a run names it, a file of YAML that stands right behind it, and that it is told
 * anything of its own. */
#define WORDS_SCRIPT "script"
#define WORDS_SETTINGS "script's settings"
#define WORDS_TOLD "script's arguments"

/* Of a loop, by its line; and of a word that only a run tells, behind the value of a flag: "$EXTRA_ARGS". */
#define WORDS_LOOP "line %u: the first round of the loop"
#define WORDS_ADDED "only a run would tell what it adds"

/*
 * --section.name value value, as argparse takes them, of commands that run one of these programs:
 * "trl sft|trl dpo", the last word of each as the name begins; a flag alone is true. Without
 * programs section.name=value, as Hydra and OmegaConf take them, of all commands; lists as [a,b].
 * With `launch`, what it tells the launcher too, and a file of settings before overrides. False after a complaint; jsonin_free in either
 * case.
 */
bool words_read(struct jsonin *j, struct import *im, const char *programs, bool launch);
#endif
