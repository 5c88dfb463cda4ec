#include "core/plan/pattern.h"

#include <stddef.h>
#include <string.h>

#include "core/base/number.h"

int64_t
pattern_count(const char *pattern, int64_t first, int64_t count, const char *letters)
{
	int64_t layer = 0, n = 0;

	for (; *pattern != '\0' && *pattern != '/' && layer < first + count; pattern++) {
		if (*pattern == '|')
			continue;
		n += layer >= first && strchr(letters, *pattern) != NULL;
		layer++;
	}
	return n;
}

int64_t
pattern_layers(const char *pattern)
{
	int64_t n = 0;

	for (; *pattern != '\0' && *pattern != '/'; pattern++)
		n += *pattern != '|';
	return n;
}

int64_t
pattern_depths(const char *pattern)
{
	int64_t n = 0;

	for (; *pattern != '\0'; pattern++)
		n += *pattern == '/';
	return n;
}

const char *
pattern_depth(const char *pattern)
{
	const char *first = strchr(pattern, '/');

	return first != NULL ? first + 1 : NULL;
}

int64_t
pattern_stages(const char *pattern)
{
	int64_t n = 1;

	for (; *pattern != '\0' && *pattern != '/'; pattern++)
		n += *pattern == '|';
	return n;
}

int64_t
pattern_stage(const char *pattern, int64_t n)
{
	int64_t layers = 0;

	for (; *pattern != '\0' && *pattern != '/' && n >= 0; pattern++) {
		if (*pattern == '|')
			n--;
		else
			layers += n == 0;
	}
	return layers;
}

void
pattern_settle(struct model *m)
{
	if (m->layer_pattern[0] == '\0')
		return;
	m->layers = most_of(1, pattern_layers(m->layer_pattern));
	if (pattern_depths(m->layer_pattern) > 0)
		m->mtp_layers = pattern_depths(m->layer_pattern);
}

char
pattern_fault(const char *pattern)
{
	return pattern[strspn(pattern, "MG*+DCHW-ES|/")];
}
