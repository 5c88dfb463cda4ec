#include "file/prefs/language_file.h"

#include <stdlib.h>

#include "core/base/text.h"
#include "file/plan/paths.h"
#include "file/plan/slurp.h"

char *
language_file_read(const char *kind, const char *language, char *why, size_t size)
{
	char name[64], path[PLANFILE_PATH_SIZE], reason[256];
	struct slurp file;

	text_put(name, sizeof name, "%s/%s.txt", kind, language);
	if (!paths_data(path, sizeof path, name)) {
		text_put(why, size, "%s: the path is too long", name);
		return NULL;
	}
	if (slurp_file(&file, path, reason, sizeof reason))
		return file.text;
	text_put(why, size, "%s: %s", path, reason);
	return NULL;
}

bool
language_texts(struct texts *t, const char *language, char *why, size_t size)
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
