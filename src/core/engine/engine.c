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

static const char *
read_number(const char *s, int64_t *out)
{
	for (*out = 0; *s >= '0' && *s <= '9' && *out < 100000; s++)
		*out = *out * 10 + (*s - '0');
	return s;
}

int64_t
engine_version(const char *text, int64_t *patch)
{
	int64_t major, minor = 0;

	*patch = INT32_MAX;
	if (*text == 'v' || *text == 'V')
		text++;
	if (*text < '0' || *text > '9')
		return INT32_MAX;
	text = read_number(text, &major);
	if (*text == '.')
		text = read_number(text + 1, &minor);
	*patch = 0;
	if (*text == '.')
		read_number(text + 1, patch);
	return major * 100 + minor;
}
