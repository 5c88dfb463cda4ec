/*
 * notebook.h - Python that people keep: scripts, and notebooks of Jupyter (nbformat 4), which are JSON.
 */
#ifndef FILE_NOTEBOOK_H
#define FILE_NOTEBOOK_H
#include <stdbool.h>

/* Lines of a notebook's cells of code, those of its own commands (%, !) left out, for free(); NULL: it is none. */
char *notebook_code(const char *text);

/* Whether a text imports as Python does. */
bool notebook_is_python(const char *text);
#endif
