#include "file/catalogue/catalog_text.h"

#include <string.h>
#include <strings.h>

#include "core/plan/catalog.h"

/* How an entry of a shipped file begins, at the start of a line; it has no brace within. */
static const char entry_head[] = "\n  { id = \"";

/* Whether a quoted text that begins at `at` is the name. */
static bool
is_quoted(const char *at, const char *name)
{
	const size_t n = strlen(name);

	return strncasecmp(at, name, n) == 0 && at[n] == '"';
}

/* Whether the name is among the aliases of an entry. */
static bool
has_alias(const char *entry, const char *end, const char *name)
{
	static const char key[] = "aliases = [";
	const char *at = memmem(entry, (size_t)(end - entry), key, sizeof key - 1);
	bool opens = true;

	if (at == NULL)
		return false;
	for (; at < end && *at != ']'; at++) {
		if (*at != '"')
			continue;
		if (opens && is_quoted(at + 1, name))
			return true;
		opens = !opens;
	}
	return false;
}

const char *
catalog_text_entry(const char *text, bool part, const char *name, size_t *size)
{
	const char *found = NULL, *end;

	name = catalog_bare_name(name);
	for (const char *head = text; (head = strstr(head, entry_head)) != NULL; head = end) {
		const char *entry = head + strlen("\n  ");
		const bool itself = is_quoted(head + sizeof entry_head - 1, name);

		if ((end = strchr(entry, '}')) == NULL)
			return NULL;
		if (!itself && (part || !has_alias(entry, end, name)))
			continue;
		found = entry;
		*size = (size_t)(end - entry) + 1;
		if (itself)
			break;
	}
	return found;
}
