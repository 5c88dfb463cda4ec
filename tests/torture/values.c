#include <inttypes.h>
#include <math.h>

#include "core/base/text.h"
#include "values.h"

/* An end, its neighbour, a small number, a power of two or of ten: inside the range. */
static int64_t
extreme_int(struct dice *d, int64_t least, int64_t most)
{
	int64_t v;

	switch (dice_below(d, 8)) {
	case 0:
		return least;
	case 1:
		return most;
	case 2:
		v = least + 1;
		break;
	case 3:
		v = most - 1;
		break;
	case 4:
		v = dice_below(d, 17);
		break;
	case 5:
		v = (INT64_C(1) << dice_below(d, 31)) - dice_below(d, 2);
		break;
	case 6:
		v = most / (1 + dice_below(d, 1000));
		break;
	default:
		v = INT64_C(1) << dice_below(d, 12);
		break;
	}
	return v < least ? least : v > most ? most : v;
}

static double
extreme_real(struct dice *d, double least, double most)
{
	double v;

	switch (dice_below(d, 8)) {
	case 0:
		return least;
	case 1:
		return most;
	case 2:
		v = nextafter(least, most);
		break;
	case 3:
		v = nextafter(most, least);
		break;
	case 4:
		v = pow(10, -(double)dice_below(d, 320));
		break;
	case 5:
		v = least + (most - least) * (double)dice_below(d, 1001) / 1000;
		break;
	case 6:
		v = pow(10, (double)dice_below(d, 10));
		break;
	default:
		v = least + (double)dice_below(d, 4) / 2;
		break;
	}
	return fmax(least, fmin(most, v));
}

static const char *
any_text(struct dice *d, const struct catalog *catalog, enum field_id f)
{
	static const char *const orders[] = { "tp-cp-ep-dp-pp", "tp-cp-pp-ep-dp", "pp-dp-ep-cp-tp",
		"tp-ep-dp-pp-cp", "tp-pp", "tp-tp-dp", "x" };
	static const char *const levels[] = { "", "2x4", "1x1", "2x2x2", "4", "0x8", "8x" };
	static const char *const layouts[] = { "", "Et*3|(tt|)*6,tL", "Et|tL", "E|t*30|t|tL", "|||",
		"(((", "Et*4096|L", "E(t|)*1000000L", "t*99999999999" };
	static const char *const modules[] = { "", "core_attn", "core_attn,moe_act,layernorm",
		"mla_up_proj mlp moe", "shared_experts", "nothing" };
	static const char *const versions[] = { "0.19", "", "0", "0.6.3", "99999999999", "1.0.0rc2",
		"-1", "v1" };
	static const char *const others[] = { "", "a plan", "x" };
#define ONE_OF(list) list[dice_below(d, sizeof list / sizeof *list)]

	switch (f) {
	case FIELD_GPU:
		return catalog->gpus.entry[dice_below(d, (int64_t)catalog->gpus.count)].id;
	case FIELD_PRESET:
		return catalog->models.entry[dice_below(d, (int64_t)catalog->models.count)].id;
	case FIELD_ORDER:
		return ONE_OF(orders);
	case FIELD_HIERARCHICAL_CP:
		return ONE_OF(levels);
	case FIELD_PIPELINE_LAYOUT:
		return ONE_OF(layouts);
	case FIELD_RECOMPUTE_MODULES:
		return ONE_OF(modules);
	case FIELD_ENGINE_VERSION:
		return ONE_OF(versions);
	default:
		return ONE_OF(others);
	}
#undef ONE_OF
}

static int64_t
choices(enum field_id f)
{
	char name[64];
	int64_t n = 0;

	while (field_choice(f, n, name, sizeof name))
		n++;
	return n;
}

void
value_extreme(struct dice *d, const struct catalog *catalog, enum field_id f, char *buf,
    size_t size)
{
	const struct field *row = &field_table[f];

	switch (row->type) {
	case FIELD_INT:
		text_put(buf, size, "%" PRId64,
		    extreme_int(d, (int64_t)row->least, (int64_t)row->most));
		break;
	case FIELD_REAL:
		text_real(buf, size, extreme_real(d, row->least, row->most));
		break;
	case FIELD_BOOL:
	case FIELD_CHOICE:
		field_choice(f, dice_below(d, choices(f)), buf, size);
		break;
	case FIELD_TEXT:
		text_put(buf, size, "%s", any_text(d, catalog, f));
		break;
	}
}
