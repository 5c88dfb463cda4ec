#include "core/engine/engine.h"

const struct engine *const engine_rows[] = {
#define ENGINE(id, name) [ENGINE_##id] = &engine_##name,
#include "core/plan/engines.def"
#undef ENGINE
};
