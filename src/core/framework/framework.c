#include "core/framework/framework.h"

const struct framework *const framework_rows[] = {
#define FRAMEWORK(id, name) [LAYOUT_##id] = &framework_##name,
#include "core/plan/frameworks.def"
#undef FRAMEWORK
};

enum layout_id
framework_usual(int64_t mode)
{
	enum layout_id usual = 0;

	while (framework_rows[usual]->serves != (mode == MODE_SERVE))
		usual++;
	return usual;
}
