/*
 * engines.h - command lines of serving engines.
 */
#ifndef FILE_ENGINES_H
#define FILE_ENGINES_H
#include "file/export/exporter.h"

void vllm_write(struct export *e);   /* vllm/engine/arg_utils.py */
void sglang_write(struct export *e); /* python/sglang/srt/server_args.py */
void trtllm_write(struct export *e); /* tensorrt_llm/commands/serve.py, llmapi/llm_args.py */
#endif
