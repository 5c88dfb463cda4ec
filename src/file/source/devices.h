/*
 * devices.h - the GPUs that DeepSpeed's launcher uses: hosts of --hostfile, of which --include names some, or
 * --exclude those to leave out ("worker-0:1,2@worker-1"; microsoft/DeepSpeed deepspeed/launcher/runner.py,
 * parse_resource_filter).
 */
#ifndef FILE_DEVICES_H
#define FILE_DEVICES_H
#include "file/log/jsonin.h"
#include "file/source/importer.h"

enum { DEVICES_TEXT = 256 };
struct devices {
	int64_t nodes, gpus;     /* of a node, of the largest where they differ */
	char each[DEVICES_TEXT]; /* as cluster.node_gpus has it where they differ, else "" */
};

/* False where neither the flags nor a host file beside the launch tell all of them. */
bool devices_used(struct import *im, const struct jsonin *j, struct devices *out);

/* Devices in a list: "0,1,2,3", as far as a character that ends it. */
int64_t devices_count(const char *list, const char *end);
#endif
