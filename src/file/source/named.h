/*
 * named.h - files that a launch names: settings that it takes over, those of other programs, the
 * config.json of its model.
 */
#ifndef FILE_NAMED_H
#define FILE_NAMED_H
#include "file/log/jsonin.h"
#include "file/source/importer.h"

/*
 * The mapping in a file of YAML or JSON that the launch names under that key, with what it takes
 * over itself; for json_decref. A name is relative to the launch. It may climb as far as
 * directories belong to the launch's owner and nobody else can write there, NAMED_CLIMB of them at
 * most; what lies beyond that, by links too, is read only in the directory that the user names (root),
 * in which a name may be a whole path as well. A group that is the owner's own counts as the owner: as
 * pam_umask(8) has it, one of the same number. The account tells each file. NULL
 * without such a file, which the account tells, or after a complaint.
 */
enum { NAMED_CLIMB = 4 };
struct json_t *named_settings(struct import *im, const char *name, const char *key);

/* Put the settings of a file below those that are there, which win. */
void named_below(struct import *im, struct jsonin *j, const char *name, const char *key);

/*
 * Take over what `defaults` names, as Hydra and NeMo-RL do: a file, or a list of files and of
 * GROUP: OPTION; "_self_" tells where the file's own settings come, else they win. Then put in what
 * "${a.b}" refers to.
 */
void named_inherit(struct import *im, struct jsonin *j);

/* What follows the directory of a path that variables or a command say, which is taken for that of the launch;
 * "" where nothing does. */
const char *named_known(const char *path);

/* The text of the file at a path beside the launch, NULL without one; free() it. No word in the
 * account. */
char *named_text(struct import *im, const char *name, size_t *size);
#endif
