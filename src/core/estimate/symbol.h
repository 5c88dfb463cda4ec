/*
 * symbol.h - letters in the formulas of training memory (shardplan-estimates(7), SYMBOLS).
 */
#ifndef CORE_SYMBOL_H
#define CORE_SYMBOL_H
#include <stdbool.h>

struct symbol {
	const char *name, *help;
};

enum { SYMBOLS = 22 };
extern const struct symbol symbol_table[SYMBOLS];

/* Note which of them a formula, up to its numbers, has. */
void symbols_find(const char *formula, bool has[SYMBOLS]);
#endif
