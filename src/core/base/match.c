#include "core/base/match.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "core/base/text.h"

enum {
	SPREAD_FROM = 3, SLIP_FROM = 4, LETTERS_FROM = 3, /* letters: fewer of them say too little */
	LONGEST = 62                    /* of those that are looked at */
};

static bool
is_between(char c)
{
	return c != '\0' && strchr(" -_./", c) != NULL;
}

static bool
begins_word(const char *name, const char *at)
{
	return at == name || is_between(at[-1]) ||
	    (isdigit((unsigned char)at[0]) && !isdigit((unsigned char)at[-1]));
}

static enum match
within(const char *name, const char *typed)
{
	enum match found = MATCH_NONE;

	if (strcasecmp(name, typed) == 0)
		return MATCH_NAMED;
	if (strncasecmp(name, typed, strlen(typed)) == 0)
		return MATCH_BEGINS;
	for (const char *at = name; found > MATCH_WORD && (at = strcasestr(at, typed)) != NULL; at++)
		found = begins_word(name, at) ? MATCH_WORD : MATCH_PART;
	return found;
}

/* Each letter goes on where one before ended, or begins a word after it. Bit i: it can end before
 * the i-th letter of the name, of which the first LONGEST count. */
static bool
is_spread(const char *name, const char *typed)
{
	uint64_t ends = 1;
	bool first = true;

	for (; *typed != '\0' && ends != 0; typed++) {
		uint64_t next = 0;

		if (is_between(*typed))
			continue;
		for (int i = 0; i < LONGEST && name[i] != '\0'; i++)
			if (tolower((unsigned char)name[i]) == tolower((unsigned char)*typed) &&
			    ((!first && (ends >> i & 1) != 0) ||
			    (begins_word(name, name + i) && (ends & (((uint64_t)2 << i) - 1)) != 0)))
				next |= (uint64_t)2 << i;
		ends = next;
		first = false;
	}
	return ends != 0;
}

/* The beginning of the name that is as long, or by one longer or shorter. */
static bool
is_slip(const char *name, const char *typed)
{
	const size_t n = strlen(typed), whole = strlen(name);

	for (size_t i = n - 1; i <= n + 1 && i <= whole && i <= LONGEST; i++)
		if (text_distance(TEXT_OF(LONGEST + 2, "%.*s", (int)i, name), typed) <= 1)
			return true;
	return false;
}

/* All letters, in that order, with others between. */
static bool
has_letters(const char *name, const char *typed)
{
	for (; *typed != '\0'; typed++) {
		if (is_between(*typed))
			continue;
		while (*name != '\0' && tolower((unsigned char)*name) != tolower((unsigned char)*typed))
			name++;
		if (*name++ == '\0')
			return false;
	}
	return true;
}

static bool
has_letters_of_word(const char *name, const char *typed)
{
	for (const char *at = name; *at != '\0'; at++)
		if (begins_word(name, at) && tolower((unsigned char)*at) == tolower((unsigned char)*typed) &&
		    has_letters(at, typed))
			return true;
	return false;
}

enum match
match_name(const char *name, const char *typed)
{
	const size_t n = strlen(typed);
	enum match found;

	if (name == NULL)
		return MATCH_NONE;
	found = within(name, typed);
	if (found == MATCH_NONE && n >= SPREAD_FROM && is_spread(name, typed))
		found = MATCH_SPREAD;
	if (found == MATCH_NONE && n >= SLIP_FROM && n <= LONGEST && is_slip(name, typed))
		found = MATCH_SLIP;
	if (found == MATCH_NONE && n >= LETTERS_FROM && has_letters_of_word(name, typed))
		found = MATCH_LETTERS;
	return found;
}
