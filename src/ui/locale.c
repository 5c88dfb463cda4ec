#include <langinfo.h>
#include <locale.h>
#include <string.h>

#include "core/text.h"
#include "ui/locale.h"

bool
locale_utf8(void)
{
	return text_equal(nl_langinfo(CODESET), "UTF-8");
}

bool
locale_chinese(void)
{
	return strncmp(setlocale(LC_MESSAGES, NULL), "zh", 2) == 0;
}
