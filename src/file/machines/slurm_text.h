/*
 * slurm_text.h - texts of Slurm in one form: lines of KEY=VALUE with the names that scontrol gives them, whatever
 * their case, without comments, continued lines as one (topology.conf(5), slurm.conf(5)); topology.yaml(5) as the lines
 * of topology.conf that say as much.
 */
#ifndef FILE_SLURM_TEXT_H
#define FILE_SLURM_TEXT_H
#include "file/base/textbuf.h"
#include "file/source/importer.h"

/* True for the text of a topology.yaml. */
bool slurm_text_yaml(const char *text);

/* Add the switches of im->text, a line for a line where that is no YAML. False after a complaint. */
bool slurm_text(struct import *im, struct textbuf *out);
#endif
