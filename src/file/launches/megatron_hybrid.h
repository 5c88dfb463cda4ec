/* megatron_hybrid.h - layer patterns among arguments of Megatron-LM. For megatron*.c. */
#ifndef FILE_MEGATRON_HYBRID_H
#define FILE_MEGATRON_HYBRID_H
#include <stdbool.h>

#include "file/launches/megatron_args.h"

/* True where a pattern says the layers. */
bool megatron_is_hybrid(const struct megatron_args *a);

/* Take it and the sizes that go with it. */
void megatron_hybrid(struct megatron_args *a);
#endif
