#include "core/framework/stage_build.h"

bool
placement_folds(int64_t schedule)
{
	return schedule == SCHEDULE_ZB_V || schedule == SCHEDULE_V_HALF ||
	    schedule == SCHEDULE_V_MIN || schedule == SCHEDULE_DUALPIPEV;
}

struct chunk
stage_all_layers(const struct plan *p)
{
	return (struct chunk){ .count = (int32_t)p->model.layers, .embedding = true, .loss = true };
}

int64_t
placement_layers(const struct placement *pl, int64_t pp_rank)
{
	int64_t n = 0;

	for (int64_t v = 0; v < pl->vpp; v++)
		n += placement_chunk(pl, pp_rank, v)->count;
	return n;
}

struct chunk *
stage_in_order(struct placement *pl, int64_t s, bool folded)
{
	if (folded && s >= pl->pp)
		return stage_chunk(pl, 2 * pl->pp - 1 - s, 1);
	return stage_chunk(pl, s % pl->pp, s / pl->pp);
}

void
stage_put_ends(struct placement *pl, struct chunk *last, int64_t mtp)
{
	stage_chunk(pl, 0, 0)->embedding = true;
	last->loss = true;
	last->mtp = (int32_t)mtp;
}

bool
stage_one_chunk(const struct plan *p, struct diag_list *diags)
{
	if (p->parallel.vpp == 1)
		return true;
	return DIAG_REFUSE(diags, FIELD_VPP, "vpp_not_supported",
	    "frameworks without interleaved stages",
	    "this layout has one chunk on each pipeline rank: VPP must be 1");
}
