/*
 * locale.h - what the user's locale asks for.
 */
#ifndef UI_LOCALE_H
#define UI_LOCALE_H
#include <stdbool.h>

/* Take the characters and the language of the environment, nothing else: numbers stay as
 * they are. UTF-8 is taken without a locale that the machine lacks, as ssh may ask for. */
void locale_begin(void);

/* True when its characters are those of UTF-8. */
bool locale_utf8(void);

/* True when its language is Chinese. */
bool locale_chinese(void);
#endif
