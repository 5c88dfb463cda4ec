#include "core/plan/phrase.h"

#include <stdbool.h>
#include <string.h>

#include "core/base/text.h"
#include "core/plan/shorthand.h"
#include "core/plan/words.h"

static const char all_gpus[] = "gpu|gpus|card|cards|accelerator|accelerators";

/* A name of a GPU or a part of some, of several with an s. */
static bool
names_gpu(const struct catalog *catalog, const char *word, char name[PLAN_ID_SIZE])
{
	char several[256];
	const size_t n = strlen(word);

	for (size_t less = 0; less < 2 && less < n; less++) {
		text_put(name, PLAN_ID_SIZE, "%.*s", (int)(n - less), word);
		if (shorthand_entry(&catalog->gpus, name, several, sizeof several) != NULL || several[0] != '\0')
			return true;
		if (word[n - 1] != 's')
			break;
	}
	return false;
}

static int
skip_little(const char *const *word, int at, int words)
{
	while (at < words && words_is_little(word[at]))
		at++;
	return at;
}

/* Behind so many nodes: "of 8 h100", "with 8 gpus each", "of 8xh100". Returns where it ends. */
static int
read_each(const char *const *word, int words, const struct catalog *catalog, char out[PLAN_ID_SIZE])
{
	int at = skip_little(word, 2, words);
	const char *x = at < words ? strchr(word[at], 'x') : NULL;
	const int each = at < words ? words_count(word[at]) : 0;
	char name[PLAN_ID_SIZE];

	if (x != NULL && x > word[at] && strspn(word[at], "0123456789") == (size_t)(x - word[at]))
		return text_put(out, PLAN_ID_SIZE, "%dx%s", words_count(word[0]), word[at]), at + 1;
	if (each == 0)
		return text_put(out, PLAN_ID_SIZE, "nodes=%d", words_count(word[0])), 2;
	text_put(out, PLAN_ID_SIZE, "%dx%d", words_count(word[0]), each);
	if (++at < words && names_gpu(catalog, word[at], name)) {
		text_add(out, PLAN_ID_SIZE, "x%s", name);
		at++;
	}
	at += at < words && text_choice_index(all_gpus, word[at]) >= 0;
	return at + (at < words && text_choice_index("each|apiece", word[at]) >= 0);
}

/* Behind a number; how many words that is with it, 0 where it is none of nodes, GPUs or tokens. */
static int
read_counted(const char *const *word, int words, const struct catalog *catalog, char out[PLAN_ID_SIZE])
{
	const int n = words_count(word[0]);
	char name[PLAN_ID_SIZE];

	if (text_choice_index("node|nodes|machine|machines|server|servers|host|hosts", word[1]) >= 0)
		return read_each(word, words, catalog, out);
	if (text_choice_index(all_gpus, word[1]) >= 0)
		return text_put(out, PLAN_ID_SIZE, "%dgpus", n), 2;
	if (!names_gpu(catalog, word[1], name))
		return 0;
	if (words > 2 && text_choice_index("node|nodes|machine|machines|server|servers", word[2]) >= 0)
		return text_put(out, PLAN_ID_SIZE, "nodes=%d\n%s", n, name), 3;
	text_put(out, PLAN_ID_SIZE, "%dx%s", n, name);
	return 2 + (words > 2 && text_choice_index(all_gpus, word[2]) >= 0);
}

int
phrase_read(const char *const *word, int words, const struct catalog *catalog, char out[PLAN_ID_SIZE])
{
	double tokens;
	int taken;

	out[0] = '\0';
	if (words == 0)
		return 0;
	if (words > 1 && words_count(word[0]) > 0 && (taken = read_counted(word, words, catalog, out)) > 0)
		return taken;
	taken = words_number(WORDS_AMOUNT, word, words, &tokens);
	if (taken > 0 && taken < words && text_choice_index("token|tokens", word[taken]) >= 0) {
		text_put(out, PLAN_ID_SIZE, "token_budget=%.10g", tokens / 1e9);
		return taken + 1;
	}
	if (words_is_little(word[0]))
		return 1;
	return words_count(word[0]) == 0 && names_gpu(catalog, word[0], out) && strlen(out) < strlen(word[0]);
}
