#include "prefs/topic.h"

#include <string.h>
#include <strings.h>

#include "core/base/text.h"

void
topic_name(const struct topic *t, char *buf, size_t size)
{
	text_put(buf, size, "%.*s", (int)strcspn(t->names, ","), t->names);
}

bool
topic_is(const struct topic *t, const char *name)
{
	const size_t n = strlen(name);

	for (const char *at = t->names; *at != '\0'; at += *at == ',') {
		const size_t length = strcspn(at, ",");

		if (length == n && strncasecmp(at, name, n) == 0)
			return true;
		at += length;
	}
	return false;
}
