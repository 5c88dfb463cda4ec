/*
 * locale.h - what the locale that main has set asks for.
 */
#ifndef UI_LOCALE_H
#define UI_LOCALE_H
#include <stdbool.h>

/* True when its characters are those of UTF-8. */
bool locale_utf8(void);

/* True when its language is Chinese. */
bool locale_chinese(void);
#endif
