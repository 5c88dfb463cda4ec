/*
 * served.h - objects in files of services that say the settings of vLLM, where others say its command.
 */
#ifndef FILE_SERVED_H
#define FILE_SERVED_H
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "file/base/textbuf.h"

struct served {
	int64_t copies;  /* 0: not said */
	const char *gpu; /* its kind, NULL not said */
};

/* The command that such an object comes to, as a shell reads it, behind what is in out; false: it is none. */
bool served_command(struct textbuf *out, const json_t *object, struct served *s);

/* A count in digits or as a text of them, 0: it is none that a plan takes. */
int64_t served_number(const json_t *v);

/* A word as a shell reads it again. */
void served_word(struct textbuf *out, const char *text);

/* The checkpoint that "hf://owner/name" is, else all of it. */
const char *served_checkpoint(const char *uri);
#endif
