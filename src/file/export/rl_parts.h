/*
 * rl_parts.h - what exporters of trainers with rollouts have in common.
 */
#ifndef FILE_RL_PARTS_H
#define FILE_RL_PARTS_H
#include "file/export/parts.h"

/* GPUs as launchers of such trainers count them: nodes, and GPUs of each. The rollout pool is
 * the trainer's own where they take turns. */
struct rl_pools {
	bool split;
	int64_t nodes, gpus;
	int64_t rollout_nodes, rollout_gpus;
	int64_t engine_gpus; /* of one engine; 0 without rollouts */
};

/* False, and refused: pools that are no whole nodes of several. */
bool rl_pools_of(struct rl_pools *out, struct export *e);

/* A refusal where the plan has a choice of this field that is none of the target's. */
void rl_refuse(struct export *e, enum field_id f, const char *source, const char *why);

/* How a script begins: the head; MODEL and, where the plan has them, CRITIC and REWARD asked of the
 * environment; the array `args`, which ends the tree. `first` stands before that array. */
struct textbuf *rl_begin_script(struct export *e, const char *name, const struct textbuf *first,
    struct tree *t, enum tree_words form);

/* What each of these trainers says of pools, the algorithm and its models. */
void rl_say(struct export *e);

/* True where a reference policy is evaluated. */
bool rl_has_reference(const struct plan *p);
/* Whether Megatron trains, else PyTorch's FSDP: verl and NeMo-RL have a worker of each. */
bool rl_with_megatron(const struct plan *p);
#endif
