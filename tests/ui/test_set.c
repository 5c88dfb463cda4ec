/* Commands and settings typed on the ":" line. */
#include "support.h"

SESSION_TEST(test_command)
{
	struct session *s = session_new(test, 100, 30);

	type(s, ":set parallel.tp 8\r");
	assert_int_equal(s->state.plan.parallel.tp, 8);
	type(s, ":set pp=1\r");
	assert_int_equal(s->state.plan.parallel.pp, 1);
	type(s, ":set parallel.tq 8\r");
	assert_true(shows(s, "no field parallel.tq"));
	type(s, ":set parallel.tp many\r");
	assert_true(shows(s, "parallel.tp: "));
	type(s, ":frobnicate\r");
	assert_true(shows(s, "no command frobnicate"));
	type(s, ":set parallel.tp \t"); /* a number: nothing to choose from */
	assert_true(shows(s, "1 to 16777216 ranks: tensor parallel size"));
	key(s, INPUT_CTRL('U'));
	type(s, "un\t");
	assert_string_equal(s->state.prompt.line.text, "undo");
	key(s, INPUT_CTRL('U'));
	type(s, "set vp\t");
	assert_string_equal(s->state.prompt.line.text, "set parallel.vpp=");
	key(s, INPUT_ESCAPE);
	type(s, ":undo\r:undo\r");
	assert_int_equal(s->state.plan.parallel.tp, 2);
	type(s, ":rank 9\r");
	assert_int_equal(s->state.map.cursor, 9);
	type(s, ":rank 16\r");
	assert_true(shows(s, "ranks go from 0 to 15"));
	type(s, ":w d.cfg\r");
	assert_string_equal(s->disk.path, "d.cfg");
	type(s, ":q\r");
	assert_int_equal(s->flags, EVENT_QUIT);
	key(s, INPUT_CTRL('Z'));
	assert_int_equal(s->flags, EVENT_SUSPEND);
	type(s, "~");
	assert_true(shows(s, "~ means nothing here"));
}

SESSION_TEST(test_fields)
{
	struct session *s = session_new(test, 100, 30);

	type(s, ":set tp 8\r");
	assert_int_equal(s->state.plan.parallel.tp, 8);
	type(s, ":tp 4\r");
	assert_int_equal(s->state.plan.parallel.tp, 4);
	type(s, ":tp=2\r");
	assert_int_equal(s->state.plan.parallel.tp, 2);
	type(s, ":parallel.pp = 2\r");
	assert_int_equal(s->state.plan.parallel.pp, 2);
	/* Several at once, before anything is checked, are one change. */
	type(s, ":set tp=4 pp=2 gbs=512 seq = 8k\r");
	assert_int_equal(s->state.plan.parallel.tp, 4);
	assert_int_equal(s->state.plan.parallel.pp, 2);
	assert_int_equal(s->state.plan.training.global_batch_size, 512);
	assert_int_equal(s->state.plan.training.sequence_length, 8192);
	assert_non_null(strstr(undo_entry(&s->state.undo, s->state.undo.now)->what,
	    "TP 4, PP 2, global batch 512 and 1 more"));
	type(s, "u");
	assert_int_equal(s->state.plan.parallel.tp, 2);
	assert_int_equal(s->state.plan.training.global_batch_size, 64);
	type(s, ":tp=4 pp=x seq=1k\r");
	assert_true(shows(s, "parallel.pp: not a whole number"));
	type(s, ":set tp=4 qqq=1\r");
	assert_true(shows(s, "no field qqq"));
	assert_int_equal(s->state.plan.parallel.tp, 2); /* none of them */
	type(s, ":set notes=a b=c d tp=8 name=\r");
	assert_string_equal(s->state.plan.notes, "a b=c d");
	assert_int_equal(s->state.plan.parallel.tp, 8);
	type(s, ":set notes one tp=2\r:set tp=2 name=\r");
	assert_string_equal(s->state.plan.notes, "one tp=2");
	assert_int_equal(s->state.plan.parallel.tp, 2);
	type(s, ":set model=llama-3.1-70b layers=64\r");
	assert_int_equal(s->state.plan.model.layers, 64);
	type(s, "u:set mode=serve\r");
	assert_true(shows(s, "layout vllm, was megatron"));
	assert_int_equal(s->state.plan.parallel.layout, LAYOUT_VLLM);
	type(s, ":set mode=train layout=torchtitan\r:mode serve\r");
	assert_true(shows(s, "layout vllm, was torchtitan"));
	type(s, ":mode train\r:set layout=megatron tp=16 pp=1\r");
	/* f changes what was set when the user agrees. */
	type(s, "f");
	assert_true(shows(s, "TP is as you set it: Enter changes it, Esc keeps it"));
	assert_int_equal(s->state.plan.parallel.tp, 16);
	key(s, INPUT_ESCAPE);
	assert_int_equal(s->state.plan.parallel.tp, 16);
	type(s, "f\r");
	assert_int_equal(s->state.plan.parallel.tp, 8);
	type(s, ":set tp=2 pp=2\r");
	type(s, ":vpp\r"); /* alone: type it there */
	assert_int_equal(s->state.prompt.kind, PROMPT_FIELD);
	assert_int_equal(s->state.form.field, FIELD_VPP);
	key(s, INPUT_ESCAPE);
	type(s, ":undoo\r");
	assert_true(shows(s, "no command undoo; did you mean undo?"));
	type(s, ":tp x\r");
	assert_true(shows(s, "parallel.tp: "));
	assert_int_equal(s->state.plan.parallel.tp, 2);
	type(s, ":context_length 5\r");
	assert_true(shows(s, "context 5 is of no account in this mode"));
	type(s, ":context_length\r");
	assert_true(shows(s, "of no account in this mode"));
}

SESSION_TEST(test_help)
{
	struct session *s = session_new(test, 100, 30);

	type(s, ":help zoom-out\r");
	assert_int_equal(s->state.list.kind, LIST_HELP);
	assert_true(shows(s, "> Z "));
	key(s, INPUT_ESCAPE);
	type(s, ":help vpp\r");
	assert_int_equal(s->state.list.kind, LIST_NONE);
	assert_int_equal(s->state.form.field, FIELD_VPP);
	assert_true(shows(s, field_table[FIELD_VPP].help));
	type(s, ":help serving.dcp\r"); /* of the other mode */
	assert_int_equal(s->state.list.kind, LIST_NONE);
	assert_true(shows(s, "serving.dcp (:dcp): "));
	type(s, ":help catalogue\r");
	assert_true(shows(s, "with \"catalogue\""));
}

/* Words that say values without a sign. */
SESSION_TEST(test_shorthand)
{
	struct session *s = session_new(test, 100, 30);
	const struct plan *p = &s->state.plan;

	type(s, ":tp8\r");
	assert_int_equal(p->parallel.tp, 8);
	type(s, ":3.1-70b 8x8 tp4 gbs512 seq8k\r");
	assert_string_equal(p->model.preset, "llama-3.1-70b");
	assert_int_equal(p->cluster.nodes, 8);
	assert_int_equal(p->cluster.gpus_per_node, 8);
	assert_int_equal(p->parallel.tp, 4);
	assert_int_equal(p->training.global_batch_size, 512);
	assert_int_equal(p->training.sequence_length, 8192);
	assert_int_equal(s->state.estimate->diags.count > 0 &&
	    s->state.estimate->diags.item[0].severity == SEVERITY_ERROR, 0);
	type(s, "u"); /* one change */
	assert_int_equal(p->cluster.nodes, 2);
	assert_int_equal(p->parallel.tp, 8);
	/* Beside others, before and after a sign. */
	type(s, ":set gbs=256 pp2 mbs = 2 4x4xa100 vpp 1 zero3\r");
	assert_int_equal(p->training.global_batch_size, 256);
	assert_int_equal(p->parallel.pp, 2);
	assert_int_equal(p->training.micro_batch_size, 2);
	assert_int_equal(p->cluster.nodes, 4);
	assert_int_equal(p->cluster.gpus_per_node, 4);
	assert_string_equal(p->cluster.gpu, "a100-sxm-40gb");
	assert_int_equal(p->parallel.zero_stage, 3);
	type(s, ":64xh100\r"); /* in nodes of as many as there are */
	assert_int_equal(p->cluster.nodes, 16);
	assert_string_equal(p->cluster.gpu, "h100-sxm-80gb");
	type(s, ":2xh100\r"); /* a part of a node is a node */
	assert_int_equal(p->cluster.nodes, 1);
	assert_int_equal(p->cluster.gpus_per_node, 2);
	type(s, ":3xh100\r");
	assert_true(shows(s, "3 GPUs are no whole nodes of 2: write NODESxGPUS"));
	/* A text keeps its words. */
	type(s, ":set notes=a tp4 h100\r");
	assert_string_equal(p->notes, "a tp4 h100");
	assert_int_equal(p->parallel.tp, 8);
	/* Parts of names, wherever a name is asked for. */
	type(s, ":model 3.1-8\r");
	assert_string_equal(p->model.preset, "llama-3.1-8b");
	type(s, ":gpu=sxm-40\r");
	assert_string_equal(p->cluster.gpu, "a100-sxm-40gb");
	type(s, ":llama tp2\r");
	assert_true(shows(s, "llama is part of several names: llama-3.1-8b, llama-3.1-70b"));
	type(s, ":set model=llama\r");
	assert_true(shows(s, "llama is part of several names"));
	assert_int_equal(p->parallel.tp, 8);
	type(s, ":tp8q\r");
	assert_true(shows(s, "parallel.tp: not a whole number"));
	type(s, ":lama\r");
	assert_true(shows(s, "no command lama"));
	type(s, ":b\r"); /* too short to be part of a name */
	assert_true(shows(s, "no command b"));
	/* Tab knows names among settings. */
	type(s, ":tp8 3.1-7\t");
	assert_string_equal(s->state.prompt.line.text, "tp8 llama-3.1-70b");
	key(s, INPUT_ESCAPE);
	type(s, ":set tp8 pp=2 sxm-4\t");
	assert_string_equal(s->state.prompt.line.text, "set tp8 pp=2 a100-sxm-40gb");
	key(s, INPUT_ESCAPE);
	type(s, ":tp8 seq\t");
	assert_string_equal(s->state.prompt.line.text, "tp8 training.sequence_length=");
	key(s, INPUT_ESCAPE);
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
