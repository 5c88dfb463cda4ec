#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/text.h"
#include "ui/screen/locale.h"

/* What the environment says of a category of the locale. */
static const char *
wanted(const char *category)
{
	const char *const name[] = { "LC_ALL", category, "LANG" };

	for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
		const char *value = getenv(name[i]);

		if (value != NULL && value[0] != '\0')
			return value;
	}
	return "C";
}

/* "zh_CN.UTF-8", or "zh_CN" and "UTF-8", which say no other characters: as good as sure. */
static bool
may_be_utf8(const char *locale)
{
	const char *dot = strchr(locale, '.');

	return dot == NULL || strncasecmp(dot + 1, "UTF-8", 5) == 0 ||
	    strncasecmp(dot + 1, "utf8", 4) == 0;
}

void
locale_begin(void)
{
	if (setlocale(LC_CTYPE, "") == NULL && may_be_utf8(wanted("LC_CTYPE")))
		setlocale(LC_CTYPE, "C.UTF-8");
}

bool
locale_utf8(void)
{
	return text_equal(nl_langinfo(CODESET), "UTF-8");
}

bool
locale_chinese(void)
{
	return strncmp(wanted("LC_MESSAGES"), "zh", 2) == 0;
}
