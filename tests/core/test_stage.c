/* Layer placement against the recorded placements of the frameworks. */
#include <string.h>

#include "core/framework/framework.h"
#include "core/framework/resolve.h"
#include "core/framework/stage.h"
#include "golden.h"
#include "settings.h"

static struct placement placement;

/* A plan from the keys of a Megatron case; false for what a plan can not say. */
static bool
plan_of_case(const char *head, struct plan *p)
{
	static const struct {
		const char *key;
		enum field_id field;
	} keys[] = {
		{ "layers", FIELD_LAYERS }, { "pp", FIELD_PP }, { "nvs", FIELD_VPP },
		{ "first", FIELD_FIRST_STAGE_LAYERS }, { "last", FIELD_LAST_STAGE_LAYERS },
		{ "emb", FIELD_ACCOUNT_FOR_EMBEDDING }, { "loss", FIELD_ACCOUNT_FOR_LOSS },
		{ "mtp", FIELD_MTP_LAYERS },
	};
	char text[1024], err[256];

	plan_defaults(p);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (golden_value(head, keys[i].key, text, sizeof text))
			settings_int(p, keys[i].field, atoll(text));
	if (golden_value(head, "layout", text, sizeof text))
		assert_true(field_put_text(FIELD_PIPELINE_LAYOUT, p, text, err, sizeof err));
	/* Layers of a chunk instead of the number of chunks: the plan says the latter. */
	if (golden_value(head, "nlpv", text, sizeof text)) {
		const long long per = atoll(text), pp = p->parallel.pp;
		const long long counted = p->model.layers + p->parallel.account_for_embedding +
		    p->parallel.account_for_loss;

		if (p->parallel.vpp > 1 || field_is_set(FIELD_FIRST_STAGE_LAYERS, p) ||
		    counted / pp % per != 0)
			return false;
		settings_int(p, FIELD_VPP, counted / pp / per);
	}
	if (golden_value(head, "p2p", text, sizeof text) && atoll(text) == 0)
		return false;
	plan_resolve(p, NULL);
	return true;
}

/* MTP layers are on another rank than the loss. */
static bool
mtp_stands_alone(void)
{
	for (int64_t r = 0; r + 1 < placement.pp; r++)
		if (placement_chunk(&placement, r, placement.vpp - 1)->mtp > 0)
			return true;
	return false;
}

static void
compare_stage(const char *line, const char *id)
{
	const struct chunk *c = placement_chunk(&placement, golden_number(line, "pp", 0),
	    golden_number(line, "vp", 0));

	if (c->count != golden_number(line, "count", -1) || c->first != golden_number(line, "first", -1) ||
	    c->embedding != golden_number(line, "embed", 0) || c->loss != golden_number(line, "loss", 0) ||
	    c->mtp != golden_number(line, "mtp", 0))
		fail_msg("%s: %s: is count=%d first=%d embed=%d loss=%d mtp=%d", id, line, c->count, c->first,
		    c->embedding, c->loss, c->mtp);
}

static void
megatron_file(const char *name, int least)
{
	struct golden g;
	int cases = 0;

	golden_open(&g, name);
	while (golden_case(&g)) {
		struct plan p;
		struct diag_list diags = { 0 };
		char id[32];
		bool ok;

		golden_value(g.head, "id", id, sizeof id);
		if (!plan_of_case(g.head, &p))
			continue;
		ok = placement_init(&placement, &p, &diags);
		while (golden_line(&g) && strcmp(g.line, "end") != 0) {
			char reason[64];

			if (sscanf(g.line, "reject %63s", reason) == 1) {
				if (ok)
					fail_msg("%s: accepted, not %s", id, reason);
				if (strcmp(reason, diags.item[0].reason) != 0)
					fail_msg("%s: refused as %s, not %s", id, diags.item[0].reason, reason);
				break;
			}
			if (!ok)
				fail_msg("%s: refused: %s", id, diags.item[0].message);
			if (strncmp(g.line, "stage ", 6) == 0)
				compare_stage(g.line, id);
			if (strncmp(g.line, "derived ", 8) == 0) {
				assert_int_equal(golden_number(g.line, "vpp", -1), placement.vpp);
				assert_int_equal(golden_number(g.line, "mtp_standalone", -1),
				    mtp_stands_alone());
			}
		}
		cases++;
	}
	print_message("%s: %d cases\n", name, cases);
	assert_true(cases >= least);
}

TEST(megatron)
{
	megatron_file("layers.txt", 31);
	megatron_file("layers_reject.txt", 22);
}

TEST(others)
{
	struct golden g;
	int cases = 0;

	golden_open(&g, "layers_other.txt");
	while (golden_case(&g)) {
		const bool titan = strncmp(g.head, "case torchtitan", 15) == 0;
		struct plan p;
		struct diag_list diags = { 0 };
		char id[32], style[16] = "";
		long long stages, pp = golden_number(g.head, "pp", 1);
		bool ok;

		golden_value(g.head, "id", id, sizeof id);
		golden_value(g.head, "style", style, sizeof style);
		stages = golden_number(g.head, "stages", pp);
		/* A plan has whole chunks on each rank, weights of one layer, uniform parts. */
		if (stages % pp != 0 || golden_number(g.head, "iw", 1) != 1 ||
		    golden_number(g.head, "ow", 1) != 1 || strstr(g.head, "method=balanced") != NULL)
			continue;
		plan_defaults(&p);
		settings_int(&p, FIELD_LAYOUT, titan ? LAYOUT_TORCHTITAN : LAYOUT_DEEPSPEED);
		settings_int(&p, FIELD_LAYERS,
		    golden_number(g.head, titan ? "layers" : "items", 0));
		settings_int(&p, FIELD_PP, pp);
		settings_int(&p, FIELD_VPP, stages / pp);
		if (strcmp(style, "v") == 0)
			settings_int(&p, FIELD_SCHEDULE, SCHEDULE_ZB_V);
		plan_resolve(&p, NULL);
		ok = placement_init(&placement, &p, &diags);
		while (golden_line(&g) && strcmp(g.line, "end") != 0) {
			char reason[64], line[256];
			long long s = golden_number(g.line, "stage", 0);

			if (sscanf(g.line, "reject %63s", reason) == 1) {
				assert_false(ok);
				assert_string_equal(reason, diags.item[0].reason);
				break;
			}
			assert_true(ok);
			if (strncmp(g.line, "stage ", 6) != 0)
				continue;
			if (titan)
				snprintf(line, sizeof line, "%.200s vp=%lld ", g.line, s / pp);
			else /* the recorded splits know items only, not what they are */
				snprintf(line, sizeof line, "%.200s embed=%d loss=%d ", g.line,
				    golden_number(g.line, "pp", 0) == 0, golden_number(g.line, "pp", 0) == pp - 1);
			compare_stage(line, id);
		}
		cases++;
	}
	print_message("layers_other.txt: %d cases\n", cases);
	assert_true(cases >= 8);
}

/* Every accepted placement holds each layer, the embedding and the loss exactly once. */
TEST(partitions)
{
	int accepted = 0;

	for (int i = 0; i < 60000; i++) {
		struct plan p;
		int64_t layers = 0, embeddings = 0, losses = 0, mtp = 0;
		unsigned r = (unsigned)i * 2654435761U;

		plan_defaults(&p);
		settings_int(&p, FIELD_LAYOUT, (r >> 3) % 6);
		settings_int(&p, FIELD_LAYERS, 1 + (r >> 6) % 13);
		settings_int(&p, FIELD_PP, 1 + (r >> 11) % 6);
		settings_int(&p, FIELD_VPP, 1 + (r >> 14) % 4);
		settings_int(&p, FIELD_SCHEDULE, (r >> 16) % 9);
		settings_int(&p, FIELD_MTP_LAYERS, (r >> 19) % 3);
		if ((r >> 21) % 4 == 0)
			settings_int(&p, FIELD_FIRST_STAGE_LAYERS, (r >> 23) % 6);
		if ((r >> 22) % 4 == 0)
			settings_int(&p, FIELD_LAST_STAGE_LAYERS, (r >> 26) % 6);
		settings_int(&p, FIELD_ACCOUNT_FOR_EMBEDDING, (r >> 29) % 2);
		settings_int(&p, FIELD_ACCOUNT_FOR_LOSS, (r >> 30) % 2);
		plan_resolve(&p, NULL);
		if (!placement_init(&placement, &p, NULL))
			continue;
		accepted++;
		for (int64_t c = 0; c < placement.pp * placement.vpp; c++) {
			assert_true(placement.chunk[c].count >= 0);
			layers += placement.chunk[c].count;
			embeddings += placement.chunk[c].embedding;
			losses += placement.chunk[c].loss;
			mtp += placement.chunk[c].mtp;
		}
		assert_int_equal(layers, p.model.layers);
		assert_int_equal(embeddings, 1);
		assert_int_equal(losses, 1);
		assert_int_equal(mtp, framework_mtp_layers(&p));
	}
	print_message("%d placements accepted\n", accepted);
	assert_true(accepted > 5000);
}

/* What Megatron takes and then breaks on is refused with a reason of our own. */
TEST(refusals_of_ours)
{
	static const struct {
		int layers, pp, vpp, first, last;
		const char *layout, *reason;
	} cases[] = {
		{ 4, 3, 1, 3, 2, "", "negative_middle" },
		{ 8, 1, 1, 3, 5, "", "no_middle_stage_mismatch" },
		{ 8, 4, 1, 0, 0, "E t*8||L|", "layout_bad_char" },
		{ 8, 4, 1, 0, 0, "E(t*99999999|)*9999999L", "layout_too_long" },
		{ 8, 4, 1, 0, 0, "E|(t|)*5000L", "layout_stages_not_divisible" },
		{ 8, 2, 1, 0, 0, "Ett*2*3|L", "layout_bad_char" },
		{ 8, 2048, 3, 0, 0, "", "too_many_stages" },
		{ 8, 1, 1, 0, 0, "E|(t|)*5000L", "too_many_stages" },
		{ 8, 2, 1, 0, 0, "Et*8L|L|", "layout_stages_not_divisible" },
		{ 8, 3, 1, 0, 0, "Et*8L|L|", "layout_loss_count" },
		{ 8, 2, 1, 0, 0, "Et*4|t*4m||L", "layout_mtp_not_last_chunk" },
		{ 8, 3, 1, 0, 0, "Et*8|m|mL", "layout_mtp_split" },
		{ 8, 2, 2, 0, 0, "Et*4|t*4L", "conflicting_vpp_args" },
		{ 8, 2, 1, 4, 0, "Et*4|t*4L", "layout_conflict" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct plan p;
		struct diag_list diags = { 0 };
		char err[256];

		plan_defaults(&p);
		settings_int(&p, FIELD_LAYERS, cases[i].layers);
		settings_int(&p, FIELD_PP, cases[i].pp);
		settings_int(&p, FIELD_VPP, cases[i].vpp);
		if (cases[i].first > 0)
			settings_int(&p, FIELD_FIRST_STAGE_LAYERS, cases[i].first);
		if (cases[i].last > 0)
			settings_int(&p, FIELD_LAST_STAGE_LAYERS, cases[i].last);
		for (const char *s = cases[i].layout; *s != '\0'; s++)
			p.model.mtp_layers += *s == 'm';
		assert_true(field_put_text(FIELD_PIPELINE_LAYOUT, &p, cases[i].layout, err, sizeof err));
		field_mark(FIELD_MTP_LAYERS, &p, true);
		plan_resolve(&p, NULL);
		if (placement_init(&placement, &p, &diags))
			fail_msg("accepted, not %s", cases[i].reason);
		assert_string_equal(diags.item[0].reason, cases[i].reason);
	}
}

/* nanotron deals layers out by cost: the LM head of a small model weighs as much as several
 * layers, so the last rank has fewer. */
TEST(nanotron_by_cost)
{
	struct plan p;

	plan_defaults(&p);
	settings_int(&p, FIELD_LAYOUT, LAYOUT_NANOTRON);
	settings_int(&p, FIELD_LAYERS, 16);
	settings_int(&p, FIELD_HIDDEN_SIZE, 2048);
	settings_int(&p, FIELD_FFN_HIDDEN_SIZE, 8192);
	settings_int(&p, FIELD_ATTENTION_HEADS, 32);
	settings_int(&p, FIELD_HEAD_DIM, 64);
	settings_int(&p, FIELD_VOCAB_SIZE, 128256);
	settings_int(&p, FIELD_PP, 2);
	plan_resolve(&p, NULL);
	assert_true(placement_init(&placement, &p, NULL));
	/* a layer costs 4*2048*2048 + 3*8192*2048 = 67.1 M, the head 262.7 M: half of 1336.4 M
	 * is passed by the 10th layer. */
	assert_int_equal(placement_layers(&placement, 0), 10);
	assert_int_equal(placement_layers(&placement, 1), 6);
}

TEST(vllm_remainder)
{
	struct plan p;

	plan_defaults(&p);
	settings_int(&p, FIELD_LAYOUT, LAYOUT_VLLM);
	settings_int(&p, FIELD_LAYERS, 30);
	settings_int(&p, FIELD_PP, 4);
	plan_resolve(&p, NULL);
	assert_true(placement_init(&placement, &p, NULL));
	assert_int_equal(placement_layers(&placement, 0), 7);
	assert_int_equal(placement_layers(&placement, 1), 8);
	assert_int_equal(placement_layers(&placement, 2), 8);
	assert_int_equal(placement_layers(&placement, 3), 7);
}

/* A walk places plan after plan in one room: nothing of the one before is left. */
TEST(leaves_nothing)
{
	static const char *const settings[] = {
		"layers=30 pp=5 vpp=3", "layers=32 pp=4 schedule=zb-v", "layers=30 pp=4 layout=vllm",
		"layers=30 pp=4 layout=deepspeed", "layers=30 pp=4 layout=nanotron",
		"layers=30 pp=4 vpp=2 layout=torchtitan", "layers=30 pp=4 first_stage_layers=6",
		"layers=8 pp=2 pipeline_layout=Et*2|t*2|t*2|t*2,L",
		"layers=8 pp=2 mamba_heads=24 mamba_head_dim=64 mamba_state=128 layer_pattern=M-|M*|M-|M|*|-",
	};

	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
		const struct plan p = settings_plan(settings[i], "");
		static struct placement clean;

		memset(&clean, 0, sizeof clean);
		memset(&placement, 0x5a, sizeof placement);
		assert_true(placement_init(&clean, &p, NULL));
		assert_true(placement_init(&placement, &p, NULL));
		assert_int_equal(placement.vpp, clean.vpp);
		for (int64_t r = 0; r < p.parallel.pp * clean.vpp; r++) {
			const struct chunk *a = &clean.chunk[r], *b = &placement.chunk[r];

			if (a->first != b->first || a->count != b->count || a->mtp != b->mtp ||
			    memcmp(&a->embedding, &b->embedding, 1) != 0 || memcmp(&a->loss, &b->loss, 1) != 0)
				fail_msg("%s: chunk %d", settings[i], (int)r);
		}
	}
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
