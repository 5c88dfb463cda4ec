/*
 * logged.h - settings that a log prints as Python does, read into the tree that jsonin.h asks.
 */
#ifndef FILE_LOGGED_H
#define FILE_LOGGED_H
#include "file/log/jsonin.h"
#include "file/source/importer.h"

/* The call that has them as its keywords, or as its one argument of this name. */
#define LOGGED_CALL "Namespace"
#define LOGGED_MAPPING "mapping"

/* What such a call says, without what is None. False after a complaint; jsonin_free in either case. */
bool logged_read(struct jsonin *j, struct import *im, const char *call);

/*
 * The call of what verl prints of its configuration before it trains (verl/trainer/main_ppo.py, pprint of
 * OmegaConf.to_container): lines between which others may stand, with Ray's "(TaskRunner pid=1) " before each;
 * free() it. NULL where the text has none, or without memory.
 */
char *logged_verl(const char *text);

/* How that begins. */
#define LOGGED_VERL "{'actor_rollout_ref': {"
#endif
