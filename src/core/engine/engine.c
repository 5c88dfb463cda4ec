#include "core/engine/engine.h"

bool
engine_dense_is_whole(const struct plan *p)
{
	return p->serving.dp_attention && (engine_of(p)->dp_is_whole || p->serving.dense_whole);
}

const struct engine *const engine_rows[] = {
#define ENGINE(id, name) [ENGINE_##id] = &engine_##name,
#include "core/plan/engines.def"
#undef ENGINE
};
