/*
 * engines.h - engines of a serving plan, and the options that vLLM and SGLang are started with, for
 * those that start them otherwise than by a script.
 */
#ifndef FILE_ENGINES_H
#define FILE_ENGINES_H
#include "file/export/parts.h"

/* What an engine does: all, or prompts or the rest where each has a pool of its own. */
enum role {
	ROLE_WHOLE, ROLE_PREFILL, ROLE_DECODE, ROLE_FFN
};

/* Engines of one sort: the plan of one of them, and how many of them there are. */
struct engines {
	enum role role;
	struct plan plan;
	int64_t count;
};

/* Workers of the prefill pool, none of which are there without one; and all others. */
struct engines engines_prefill(const struct plan *p);
struct engines engines_other(const struct plan *p);

/* Nodes that one engine takes. */
int64_t engines_nodes(const struct plan *p);

/* Whether the plan's engine takes its sizes; else it is refused with what the engine says. */
bool engines_take(struct export *e);

/* Lines of " \", each with an option of the engine. False, and refused, where it lacks one. */
bool engines_options(struct export *e, struct textbuf *out, const struct engines *engines);

/* An option with a number, on a line of its own. */
void engines_put_number(struct textbuf *out, const char *flag, int64_t n);

/* Note the settings of the plan that no option says. */
void engines_tell_rest(struct export *e);
#endif
