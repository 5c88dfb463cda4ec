/*
 * match.h - how well a name answers what was typed, for every list and prompt where a name is
 * looked for: exact names first, then by what is left to guess.
 */
#ifndef CORE_MATCH_H
#define CORE_MATCH_H

/* From the best on. Letters are compared without case; blanks, '-', '_', '.' and '/' part words. */
enum match {
	MATCH_NAMED,   /* it is the name, */
	MATCH_BEGINS,  /* or the name begins with it, */
	MATCH_WORD,    /* or a word of the name, */
	MATCH_PART,    /* or it stands within it; */
	MATCH_SPREAD,  /* "llama8", "gbs": beginnings of its words one after another, */
	MATCH_SLIP,    /* "recompte": its beginning but for one letter more, less, other or swapped, */
	MATCH_LETTERS, /* "zro", "micro btch": letters from the beginning of a word on in their order, */
	MATCH_NONE,
};

/* NULL is no name. Nothing typed begins every name. */
enum match match_name(const char *name, const char *typed);
#endif
