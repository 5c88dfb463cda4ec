/*
 * tuner_rollouts.h - what trainers of Hugging Face's models are told of rollouts.
 */
#ifndef FILE_TUNER_ROLLOUTS_H
#define FILE_TUNER_ROLLOUTS_H
#include "file/export/rl_parts.h"
#include "file/launches/tuning_keys.h"

enum { TUNER_REWARD_SIZE = 128 };

/* False, and refused: what this trainer can not generate. */
bool tuner_takes_rollouts(struct export *e, const struct tuner *d);

/* Without the keys of a field. */
void tuner_drop(struct tree *t, const struct tuner *d, enum field_id f);

/* After the settings that every method has. */
void tuner_put_rollouts(struct export *e, struct tree *t, const struct tuner *d, const struct rl_pools *pools);

/* Arguments of a script, and a blank, for the model that gives rewards; "" where none does. */
const char *tuner_reward(char buf[TUNER_REWARD_SIZE], const struct plan *p, const char *flag);
#endif
