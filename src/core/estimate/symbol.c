#include "core/estimate/symbol.h"

#include <string.h>

const struct symbol symbol_table[SYMBOLS] = {
	{ "L", "layers on the GPU, times the micro-batches whose activations it holds at once" },
	{ "h", "hidden size" },
	{ "n", "attention heads" },
	{ "k", "KV heads" },
	{ "d", "size of a head" },
	{ "v", "size of a head's values" },
	{ "f", "size inside an MLP, of one expert where it is divided by ETP" },
	{ "a", "bytes of an activation: 2 in fp16 and bf16, 4 in fp32" },
	{ "T", "tokens of a micro-batch on one context parallel rank" },
	{ "Ts", "T/TP with sequence parallelism, else T" },
	{ "ql", "rank of the compression of queries (MLA)" },
	{ "kl", "rank of the compression of keys and values (MLA)" },
	{ "rope", "size of a head's part with positions (MLA)" },
	{ "nope", "size of a head's part without positions (MLA)" },
	{ "lk", "width of all keys of linear attention" },
	{ "lv", "width of all values of linear attention" },
	{ "dv", "size of a head's values in linear attention" },
	{ "bc", "width of B and C of a state space layer" },
	{ "inner", "width inside a state space layer" },
	{ "ef", "size inside an expert" },
	{ "up", "matrices that lead into an MLP: 2 where it is gated" },
	{ "routed", "tokens that the experts of the GPU get" },
};

void
symbols_find(const char *formula, bool has[SYMBOLS])
{
	static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ -";
	const char *end = strstr(formula, " = ");

	if (end == NULL)
		end = formula + strlen(formula);
	while (formula < end) {
		/* "a of linear layers", "expert parallel": names of several words are no letters */
		const size_t n = strspn(formula, word);
		const char *last = formula + n;

		while (last > formula && last[-1] == ' ')
			last--;
		while (*formula == ' ')
			formula++;
		for (int i = 0; i < SYMBOLS && last > formula; i++)
			if (strlen(symbol_table[i].name) == (size_t)(last - formula) &&
			    strncmp(formula, symbol_table[i].name, (size_t)(last - formula)) == 0)
				has[i] = true;
		formula = last > formula ? last : formula;
		formula += strspn(formula, " ");
		formula += *formula != '\0' && strchr(word, *formula) == NULL;
	}
}
