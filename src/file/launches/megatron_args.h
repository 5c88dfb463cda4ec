/*
 * megatron_args.h - the arguments of a run of Megatron-LM, wherever a text has them: bare, one
 * a line, as arrays, on the command line of a script, or in a text that a script hands on.
 */
#ifndef FILE_MEGATRON_ARGS_H
#define FILE_MEGATRON_ARGS_H
#include <stdint.h>

#include "file/notation/shell.h"
#include "file/source/importer.h"

struct megatron_arg {
	const char *flag; /* "--num-layers" */
	unsigned line;
	size_t values;
	const struct shell_word *value;
};

struct megatron_args {
	struct import *im;
	struct shell shell;
	struct shell_list words;
	size_t count;
	struct megatron_arg *arg;
	bool bare; /* arguments and nothing else: no shell, no environment */
	bool named; /* the plan has a model of the catalogue, whose sizes no argument tells */
	struct shell_word *added; /* values of arguments that the launcher puts in */
	size_t adds;
};

/* A program that runs Megatron-LM: the flags of its own that it reads, and what takes them, with the
 * machines, once the split is known. */
struct megatron_launcher {
	const char *own; /* between spaces */
	void (*machine)(struct megatron_args *a);
};

/* torchrun, srun or sbatch, of a text or of --world. */
extern const struct megatron_launcher megatron_torchrun;

/* megatron.c: a plan without a model of the catalogue and the arguments (false after a complaint), then
 * all that they say. megatron_args_free in every case. */
bool megatron_begin(struct megatron_args *a, struct import *im);
void megatron_take(struct megatron_args *a, const struct megatron_launcher *by);

/* As if the text had one more argument: for what a launcher always sets. A value of NULL: none. At most
 * MEGATRON_ADDED_MAX. */
enum { MEGATRON_ADDED_MAX = 8 };
void megatron_args_add(struct megatron_args *a, const char *flag, const char *value);

/* What came of those is no word of the text: the account has it as assumed, as a default of `program`. */
void megatron_args_tell_added(struct megatron_args *a, const char *program);

/* Find them. False after a complaint; megatron_args_free in every case. */
bool megatron_args_read(struct megatron_args *a, struct import *im);
void megatron_args_free(struct megatron_args *a);

/* The last one of that name, as it wins; NULL without one. */
const struct megatron_arg *megatron_arg(const struct megatron_args *a, const char *flag);
static inline bool
megatron_has(const struct megatron_args *a, const char *flag)
{
	return megatron_arg(a, flag) != NULL;
}

/* The one value of a flag, `absent` without the flag; NULL, and a complaint, where it has no
 * value, several, or one that only a run could tell. */
const char *megatron_text(struct megatron_args *a, const char *flag, const char *absent);

/* The one value of a flag as a whole number; 0 after a complaint. */
int64_t megatron_int(struct megatron_args *a, const char *flag, int64_t absent);

/* All values of a flag, joined. False, with a complaint, when they do not fit or are unknown. */
bool megatron_join(struct megatron_args *a, const char *flag, const char *joint, char *buf,
    size_t size);

/* Whether the one value of a flag is this word. */
bool megatron_is(struct megatron_args *a, const char *flag, const char *word);

/* What a field is without its flag; told where a plan would have it otherwise. And a number,
 * which is taken where its flag is there, else meant. */
void megatron_absent(struct megatron_args *a, enum field_id f, const char *value);
void megatron_number(struct megatron_args *a, enum field_id f, int64_t n, const char *source);

/* megatron_step.c: precision, recompute, kernels, batch. */
void megatron_put_step(struct megatron_args *a);

/* What the text sets an environment variable to, NULL where it does not. */
const char *megatron_environment(const struct megatron_args *a, const char *name);
#endif
