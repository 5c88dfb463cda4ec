/*
 * hf.h - the reader of a model's own configuration.
 */
#ifndef FILE_HF_H
#define FILE_HF_H
#include "file/source/importer.h"

/* config.json of Hugging Face transformers. What its classes mean that the file does not say is in
 * hf_types.def; a class that is not known there is read as a decoder like Llama. */
bool hf_recognise(const char *text);
void hf_read(struct import *im);
#endif
