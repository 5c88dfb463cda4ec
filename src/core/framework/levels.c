#include "core/framework/levels.h"

#include <math.h>
#include <string.h>

#include "core/base/number.h"
#include "core/base/text.h"

/* "3072:50", "24576:50/7" or "49152:5@10000" */
static bool
take_level(const char *text, size_t length, struct level *out)
{
	char number[64], *rate, *over, *lag;
	double gpus;

	if (length >= sizeof number)
		return false;
	text_part(number, sizeof number, text, length);
	rate = strchr(number, ':');
	if (rate == NULL)
		return false;
	*rate++ = '\0';
	lag = strchr(rate, '@');
	if (lag != NULL)
		*lag++ = '\0';
	over = strchr(rate, '/');
	if (over != NULL)
		*over++ = '\0';
	out->over = 1;
	out->latency_us = 0;
	if (!text_to_real(number, &gpus) || !(gpus >= 1) || gpus > (double)PLAN_WORLD_MAX ||
	    !text_to_real(rate, &out->gbps) || !(out->gbps > 0) || out->gbps > 1e6 ||
	    (over != NULL && (!text_to_real(over, &out->over) || out->over < 1 || out->over > 1e4)) ||
	    (lag != NULL && (!text_to_real(lag, &out->latency_us) || !(out->latency_us > 0) || out->latency_us > 1e6)))
		return false;
	out->gpus = (int64_t)gpus;
	return (double)out->gpus >= gpus;
}

bool
levels_of(struct levels *out, const struct plan *p, char *err, size_t size)
{
	const char *s = p->cluster.levels;

	for (out->count = 0; *s != '\0'; out->count++) {
		const size_t length = strcspn(s, ",");
		struct level *level = &out->level[out->count];

		if (out->count == LEVELS_MAX || !take_level(s, length, level) ||
		    (out->count > 0 && (level->gpus <= level[-1].gpus || level->gpus % level[-1].gpus != 0))) {
			text_put(err, size, "'%.*s' is no level: write GPUS:GB/s, GPUS:GB/s/OVERSUBSCRIPTION or either with @MICROSECONDS, GPUS a "
			    "multiple of those of the level before, at most %d of them",
			    (int)least_of((int64_t)length, 40), s, (int)LEVELS_MAX);
			return false;
		}
		s += length;
		s += *s == ',';
	}
	return true;
}

const char *
level_name(int unit)
{
	static const char *const names[LEVEL_UNITS] = { "leaf", "spine", "site" };

	return names[unit];
}

int
level_between(const struct levels *levels, const struct plan *p, int64_t a, int64_t b)
{
	int unit = -1;

	for (int i = 0; i < levels->count && unit < LEVEL_UNITS - 1; i++) {
		const int64_t gpus = levels->level[i].gpus;

		if (gpus <= p->cluster.gpus_per_node)
			continue;
		unit++;
		if (a / gpus == b / gpus)
			return unit;
	}
	return unit < 0 || unit == LEVEL_UNITS - 1 ? unit : unit + 1;
}

/* What units of a level add to the paths of a group that lies over some of them: from the last on, all else is reached
 * by its links. */
static void
add_lag(struct level_share *share, const struct levels *levels, int i, double hop, int64_t size,
    level_members *members, const void *context)
{
	const bool last = i + 1 == levels->count;
	const double lag = larger(0, levels->level[last ? i : i + 1].latency_us * 1e-6 - hop);
	const double units = (double)size / (double)least_of(size, members(context, levels->level[i].gpus));
	const double above = last ? 1 : (double)size / (double)least_of(size, members(context, levels->level[i + 1].gpus));

	if (!(lag > 0) || units <= 1)
		return;
	share->ring_lag += (ceil(units) - ceil(above)) * lag;
	share->tree_lag += log2(units / above) * lag;
	share->lag = larger(share->lag, lag);
}

struct level_share
levels_share(const struct plan *p, int64_t size, int64_t inside, double card, double hop,
    level_members *members, const void *context)
{
	struct level_share share = { .ring = 0 };
	const double n = (double)size, away = n - (double)inside;
	struct levels levels;
	char err[160];

	if (p->cluster.levels[0] == '\0' || !levels_of(&levels, p, err, sizeof err))
		return share;
	for (int i = 0; i < levels.count; i++) {
		const struct level *up = i + 1 < levels.count ? &levels.level[i + 1] : NULL;
		const int64_t in = members(context, levels.level[i].gpus);

		if (in >= size && share.unit == 0)
			share.unit = levels.level[i].gpus;
		add_lag(&share, &levels, i, hop, size, members, context);
		if (in >= size || up == NULL || !(card > 0) || levels.level[i].gpus < p->cluster.gpus_per_node)
			continue;
		share.ring = larger(share.ring, 1 - (double)in * up->gbps / up->over /
		    ((double)inside * card));
		share.each = larger(share.each, 1 - away / (n - (double)in) * up->gbps / up->over / card);
	}
	return share;
}
