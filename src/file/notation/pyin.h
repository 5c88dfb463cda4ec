/*
 * pyin.h - settings in Python, as far as they are literals: what a function of a file returns, read
 * into the tree that jsonin.h asks. No Python is run.
 *
 * Taken are numbers with + - * and //, texts, True, False, None, lists, tuples, dictionaries with texts as keys,
 * names that such a value was given before, and calls: of a function of the same file what that
 * returns, of any other an object of its keyword arguments, with the callee's name as PYIN_CALLEE and what has no
 * keyword as "0", "1", ... Assignments to attributes go into such an object, those of functions of the file too that
 * it is handed to. What stands under a
 * condition or is made otherwise is not known, and takes away what was known there.
 */
#ifndef FILE_PYIN_H
#define FILE_PYIN_H
#include "file/log/jsonin.h"

#define PYIN_CALLEE "()"
#define PYIN_UNTOLD "only a run tells its value"
enum { PYIN_NAME_SIZE = 96, PYIN_SIZE_MAX = 512 * 1024 };

/* What is not known: its path in the tree, and why. */
struct pyin_unknown {
	void (*tell)(void *to, const char *path, const char *why);
	void *to;
};

/*
 * Read of at most PYIN_SIZE_MAX bytes what `function` returns, or the one function of the file whose name does not begin with an
 * underscore; where there are several, a complaint names them. False after one; jsonin_free in either case.
 */
bool pyin_parse(struct jsonin *j, const char *text, const char *name, const char *function,
    const struct pyin_unknown *unknown, struct file_errors *errors);

/*
 * Read of a script the calls of what others wrote, in their order, as a list of such objects: those of the module and of
 * all its functions, whose parameters have their defaults. An attribute of what is not known that argparse has an argument
 * for is what is said there under that name, an object or NULL, or else its default. False after a complaint; jsonin_free in either case.
 */
bool pyin_script(struct jsonin *j, const char *text, const char *name, const struct json_t *said,
    const struct pyin_unknown *unknown, struct file_errors *errors);

/* The last name of a path: "SFTConfig" of trl.SFTConfig. */
const char *pyin_last(const char *path);

/* The function that pyin_parse reads, "" where there are none or several. */
void pyin_function(const char *text, char name[PYIN_NAME_SIZE]);
#endif
