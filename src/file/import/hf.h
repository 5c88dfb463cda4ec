/*
 * hf.h - models from the config.json of Hugging Face transformers.
 *
 * What the classes mean that the file does not say is in hf_types.def. A class that is not known
 * there is read as a decoder like Llama, and the account says so.
 */
#ifndef FILE_HF_H
#define FILE_HF_H
#include "file/import/importer.h"

bool hf_recognise(const char *text, size_t size, const char *path);
void hf_read(struct import *im);
#endif
