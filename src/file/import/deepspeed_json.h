/*
 * deepspeed_json.h - training from the JSON that DeepSpeed is configured with: ZeRO, batches,
 * precision, offload. The model and the machines are said elsewhere.
 */
#ifndef FILE_DEEPSPEED_JSON_H
#define FILE_DEEPSPEED_JSON_H
#include "file/import/importer.h"

void deepspeed_json_read(struct import *im);
#endif
