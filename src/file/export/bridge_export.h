/*
 * bridge_export.h - plans as overrides of a recipe of Megatron-Bridge (NeMo).
 */
#ifndef FILE_BRIDGE_EXPORT_H
#define FILE_BRIDGE_EXPORT_H
#include "file/export/exporter.h"

void bridge_write(struct export *e);
#endif
