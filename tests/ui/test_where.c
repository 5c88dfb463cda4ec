/* Finding GPUs by what they hold, and the inspector of one. */
#include "support.h"

static struct session *
moe_session(void **test)
{
	struct session *s = session_new(test, 120, 40);

	put(&s->state.plan, FIELD_NODES, "8");
	put(&s->state.plan, FIELD_LAYERS, "30");
	put(&s->state.plan, FIELD_EXPERTS, "64");
	put(&s->state.plan, FIELD_EXPERTS_PER_TOKEN, "4");
	put(&s->state.plan, FIELD_MOE_FFN_HIDDEN_SIZE, "1024");
	put(&s->state.plan, FIELD_DENSE_LAYERS, "3");
	app_command(&s->state, "set parallel.tp 2");
	app_command(&s->state, "set parallel.pp 2");
	app_command(&s->state, "set parallel.ep 8");
	assert_true(s->state.estimate->placed);
	return s;
}

static void
parse(struct session *s, const char *text, struct where *w)
{
	char err[256] = "";

	if (!where_parse(w, text, &s->state.plan, s->state.estimate, err, sizeof err))
		fail_msg("%s: %s", text, err);
}

static void
refuse(struct session *s, const char *text, const char *reason)
{
	struct where w = { 1, 2, 3, 4, 5 };
	char err[256] = "";

	assert_false(where_parse(&w, text, &s->state.plan, s->state.estimate, err, sizeof err));
	if (strstr(err, reason) == NULL)
		fail_msg("%s: %s", text, err);
	assert_int_equal(w.rank, 1); /* left alone */
}

SESSION_TEST(test_parse)
{
	struct session *s = moe_session(test);
	struct where w;
	char text[128];

	parse(s, "13", &w);
	assert_int_equal(w.rank, 13);
	assert_int_equal(w.node, -1);
	parse(s, "layer 29, expert 12", &w);
	assert_int_equal(w.layer, 29);
	assert_int_equal(w.expert, 12);
	assert_int_equal(w.rank, -1);
	parse(s, "gpu 13", &w);
	assert_int_equal(w.rank, 13);
	parse(s, "node 3, GPU 5", &w);
	assert_int_equal(w.rank, 29);
	parse(s, "gpu 0 node 7", &w);
	assert_int_equal(w.rank, 56);
	parse(s, "Node7 stage=1", &w);
	assert_int_equal(w.node, 7);
	assert_int_equal(w.stage, 1);
	where_describe(&w, text, sizeof text);
	assert_string_equal(text, "node 7, stage 1");

	refuse(s, "", "a rank");
	refuse(s, "64", "0 to 63");
	refuse(s, "rank 9999999999999999999", "0 to 63");
	refuse(s, "node 3 gpu 8", "0 to 7");
	refuse(s, "layer", "which");
	refuse(s, "layer 30", "0 to 29");
	refuse(s, "expert 64", "0 to 63");
	refuse(s, "flavour 3", "one of rank");
	refuse(s, "layer 2 expert 3", "dense");
}

/* Each layer and expert is on exactly the ranks whose stage and place in the expert
 * parallel group hold it: world / (stages x EP) of them. */
SESSION_TEST(test_holds)
{
	struct session *s = moe_session(test);
	const struct estimate *e = s->state.estimate;
	const int ep = layout_kind(&e->layout, "ep");
	struct where w;

	for (int layer = 3; layer < 30; layer += 13)
		for (int expert = 0; expert < 64; expert += 9) {
			char text[64];

			text_put(text, sizeof text, "layer %d expert %d", layer, expert);
			parse(s, text, &w);
			assert_int_equal(where_count(&w, &s->state.plan, e), 64 / (2 * 8));
			for (int64_t r = 0; r < 64; r++) {
				bool stage = layout_pipeline_rank(&e->layout, r) == layer / 15;
				bool place = layout_position(&e->layout, ep, r) == expert / 8;

				assert_int_equal(where_holds(&w, &s->state.plan, e, r), stage && place);
			}
		}
	parse(s, "node 3", &w);
	assert_int_equal(where_next(&w, &s->state.plan, e, -1, 1), 24);
	assert_int_equal(where_next(&w, &s->state.plan, e, 24, -1), 31);
	assert_int_equal(where_next(&w, &s->state.plan, e, 31, 1), 24);
}

/* DualPipe keeps two stages on each rank, the map and the pipeline say so too. */
SESSION_TEST(test_mirror)
{
	struct session *s = moe_session(test);
	const struct estimate *e = s->state.estimate;
	struct where w;

	app_command(&s->state, "set training.schedule dualpipe");
	assert_true(e->placed);
	parse(s, "layer 0", &w);
	assert_int_equal(where_count(&w, &s->state.plan, e), 64);
	parse(s, "layer 0, stage 1", &w);
	assert_int_equal(where_count(&w, &s->state.plan, e), 32);
	app_command(&s->state, "inspect 0");
	assert_true(shows(s, "stage 0: layers 0 to 14, embedding"));
	assert_true(shows(s, "stage 1, the other direction: layers 15 to 29, LM head and loss"));
}

/* Without expert parallelism every rank has its part of all experts, in vLLM as well,
 * whose groups are there in any case; with it they are dealt out over TP x DP. */
SESSION_TEST(test_experts)
{
	struct session *s = moe_session(test);
	const struct plan *p = &s->state.plan;
	const struct layout *l = &s->state.estimate->layout;
	struct where w;

	app_command(&s->state, "set parallel.ep 1");
	app_command(&s->state, "set mode serve");
	app_command(&s->state, "set parallel.layout vllm");
	app_command(&s->state, "set serving.replicas 1");
	app_command(&s->state, "set model.experts 60");
	assert_true(s->state.estimate->placed && layout_kind(l, "ep") >= 0);
	parse(s, "expert 59", &w);
	assert_int_equal(where_count(&w, p, s->state.estimate), 64);
	app_command(&s->state, "inspect 33");
	assert_true(shows(s, "all 60 experts"));
	app_command(&s->state, "set parallel.ep 32");
	for (int64_t expert = 0; expert < 60; expert++) {
		char text[32];

		text_put(text, sizeof text, "expert %lld", (long long)expert);
		parse(s, text, &w);
		for (int64_t r = 0; r < 64; r++) {
			const int64_t at = layout_position(l, layout_kind(l, "ep"), r);

			/* 28 ranks have two, the last four have one. */
			assert_int_equal(where_holds(&w, p, s->state.estimate, r),
			    at == (expert < 56 ? expert / 2 : expert - 28));
		}
	}
}

SESSION_TEST(test_go)
{
	struct session *s = moe_session(test);

	app_command(&s->state, "go layer 20 expert 12");
	assert_true(shows(s, "layer 20, expert 12: on 4 GPUs"));
	assert_int_equal(s->state.focus, PANE_MAP);
	assert_true(where_holds(&s->state.where, &s->state.plan, s->state.estimate,
	    s->state.map.cursor));
	for (int i = 0; i < 3; i++) {
		int64_t was = s->state.map.cursor;

		key(s, 'n');
		assert_true(s->state.map.cursor > was);
		assert_true(where_holds(&s->state.where, &s->state.plan, s->state.estimate,
		    s->state.map.cursor));
	}
	key(s, 'n'); /* around */
	app_command(&s->state, "go expert 99");
	assert_true(shows(s, "experts go from 0 to 63"));
	app_command(&s->state, "go node 3 node 4");
	assert_true(shows(s, "two nodes: one at a time"));
	app_command(&s->state, "go 3,4");
	assert_true(shows(s, "two ranks: one at a time"));
	/* The title leaves out what was looked for before it leaves out the place. */
	app_command(&s->state, "go node 7, stage 1");
	assert_true(shows(s, "map by relation  * node 7, stage 1  rank 56: node 7, GPU 0  t0d12p1"));
	app_resize(&s->state, 80, 24);
	assert_true(shows(s, "map by relation  rank 56: node 7, GPU 0  t"));
	app_resize(&s->state, 120, 40);
	type(s, "g\r"); /* nothing: n walks along groups again */
	assert_true(where_empty(&s->state.where));
	app_command(&s->state, "go node 7, stage 1");
	key(s, INPUT_ESCAPE);
	assert_true(where_empty(&s->state.where));
	key(s, 'n');
	assert_true(shows(s, "of tp group"));
}

SESSION_TEST(test_inspect_place)
{
	struct session *s = moe_session(test);

	type(s, "i\r");
	assert_int_equal(s->state.list.kind, LIST_INSPECT);
	assert_true(shows(s, "Enter is for memory, groups and traffic"));
	/* Help and why lead back to it, to the entry that it had. */
	type(s, "/overhead\r\r?");
	assert_int_equal(s->state.list.kind, LIST_HELP);
	key(s, INPUT_ESCAPE);
	assert_true(shows(s, "why: memory of stage 0"));
	key(s, INPUT_ESCAPE);
	assert_int_equal(s->state.list.kind, LIST_NONE);
	type(s, "i/overhead\r\r");
	key(s, INPUT_ESCAPE);
	assert_int_equal(s->state.list.kind, LIST_INSPECT);
	assert_true(shows(s, "rank 0  with \"overhead\""));
	type(s, "qqi");
	assert_int_equal(s->state.list.item, 0);
	key(s, INPUT_ESCAPE);
	assert_int_equal(s->state.list.kind, LIST_NONE);
}

SESSION_TEST(test_inspect)
{
	struct session *s = moe_session(test);

	app_command(&s->state, "inspect 13");
	assert_int_equal(s->state.list.kind, LIST_INSPECT);
	assert_true(shows(s, "rank 13"));
	assert_true(shows(s, "node 1, GPU 5 of 8; NVLink domain 1"));
	assert_true(shows(s, "stage 0: layers 0 to 14, embedding"));
	assert_true(shows(s, "experts 48 to 55 of 64"));
	assert_true(shows(s, "tp             group 6, member 2 of 2, node: 12 13"));
	key(s, INPUT_RIGHT);
	assert_true(shows(s, "node 1, GPU 6 of 8"));
	key(s, 'h');
	key(s, 'h');
	assert_true(shows(s, "node 1, GPU 4 of 8"));
	type(s, "/total\r");
	assert_true(hides(s, "coordinates"));
	key(s, '\r');
	assert_int_equal(s->state.list.kind, LIST_WHY);
}

/* What of the model and of the sequence one GPU works on. */
SESSION_TEST(test_inspect_parts)
{
	struct session *s = session_new(test, 120, 45);

	app_command(&s->state, "set nodes 4");
	app_command(&s->state, "set pp 2");
	app_command(&s->state, "set tp 8");
	app_command(&s->state, "set cp 2");
	app_command(&s->state, "inspect 9");
	assert_true(shows(s, "heads 4 to 7 of 32, KV head 1 of 8"));
	assert_true(shows(s, "columns 1792 to 3583 of 14336 of the FFN's first matrix"));
	assert_true(shows(s, "tokens 1024 to 2047 of 4096, and 2048 to 3071"));
	app_command(&s->state, "set layout nanotron");
	app_command(&s->state, "inspect 9");
	assert_true(shows(s, "tokens 2048 to 4095 of 4096"));
	app_command(&s->state, "set layout torchtitan");
	app_command(&s->state, "inspect 9");
	assert_true(shows(s, "tokens 1024 to 2047 of 4096, and 2048 to 3071"));
	app_command(&s->state, "set layout megatron");
	app_command(&s->state, "set tp 16"); /* more than there are KV heads */
	app_command(&s->state, "set cp 1");
	app_command(&s->state, "inspect 9");
	assert_true(shows(s, "heads 18 to 19 of 32, KV head 4 of 8, which 2 GPUs have a copy of"));
	assert_true(shows(s, "all 4096 tokens of each sequence"));
	app_command(&s->state, "set tp 1"); /* nothing is cut */
	app_command(&s->state, "inspect 9");
	assert_true(shows(s, "all 32 heads, all 8 KV heads"));
	assert_true(shows(s, "all 14336 columns of the FFN's first matrix"));
}

/* A group leads to the map coloured by it. */
SESSION_TEST(test_inspect_group)
{
	struct session *s = moe_session(test);

	app_command(&s->state, "inspect 0");
	type(s, "/etp_ep\r\r");
	assert_int_equal(s->state.list.kind, LIST_NONE);
	assert_string_equal(s->state.kind[0], "etp_ep");
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
