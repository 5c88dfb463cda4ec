/*
 * sourced.h - scripts that a script reads into itself: `source "$SCRIPT_DIR/models/x.sh"`.
 */
#ifndef FILE_SOURCED_H
#define FILE_SOURCED_H
#include "file/source/importer.h"

/*
 * The text with the scripts in it that lie beside the launch (named.h), in the place of the lines that
 * name them; free() it. A directory that a variable or a command says is that of the launch. What those
 * scripts read themselves is left alone. The account tells each, and those that are not there. NULL
 * without any.
 */
char *sourced_text(struct import *im, size_t *size);

/*
 * The text with the first script in it that a shell runs from beside the launch, `bash run.sh 8 bf16`, behind what that is
 * called with, as `set --` says it; free() it. NULL without one. And whether there is one.
 */
char *sourced_call(struct import *im, size_t *size);
bool sourced_calls(struct import *im);

/* The line of the launch that a line of that text is, or is read by. */
unsigned sourced_line(const struct import *im, unsigned line);
#endif
