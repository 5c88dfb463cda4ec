#include "core/framework/framework.h"

const struct framework *const framework_rows[] = {
#define FRAMEWORK(id, name) [LAYOUT_##id] = &framework_##name,
#include "core/plan/frameworks.def"
#undef FRAMEWORK
};
