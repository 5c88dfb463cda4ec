#include "file/prefs/texts_file.h"

#include <stdlib.h>

#include "core/base/text.h"
#include "file/prefs/language_file.h"

bool
texts_file_read(struct texts *t, const char *language, char *why, size_t size)
{
	char *text = language_file_read("texts", language, why, size);
	char reason[256];

	*t = (struct texts){ 0 };
	if (text == NULL)
		return false;
	if (texts_init(t, text, reason, sizeof reason))
		return true;
	free(text);
	text_put(why, size, "texts/%s.txt: %s", language, reason);
	return false;
}
