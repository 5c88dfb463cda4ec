/* Sessions in lines: what is asked, what is answered. */
#include "ui/app/linear.h"

#include "support.h"

/* The answer to a line; owned by the caller. */
static char *
ask(struct session *s, const char *line, bool *on)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	*on = linear_line(&s->state, line, f);
	fclose(f);
	/* Plain: no escapes, numbered or a title. */
	for (const char *c = text; *c != '\0'; c++)
		assert_true(*c == '\n' || (unsigned char)*c >= ' ');
	return text;
}

static void
answers(struct session *s, const char *line, const char *with)
{
	bool on;
	char *text = ask(s, line, &on);

	assert_true(on);
	if (strstr(text, with) == NULL)
		fail_msg("\"%s\" is answered without \"%s\":\n%s", line, with, text);
	free(text);
}

static void
lacks(struct session *s, const char *line, const char *without)
{
	bool on;
	char *text = ask(s, line, &on);

	if (strstr(text, without) != NULL)
		fail_msg("\"%s\" is answered with \"%s\":\n%s", line, without, text);
	free(text);
}

static void
ends(struct session *s, const char *line)
{
	bool on;

	free(ask(s, line, &on));
	assert_false(on);
}

SESSION_TEST(test_begin)
{
	struct session *s = session_new(test, 80, 24);
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	linear_begin(&s->state, f);
	fclose(f);
	assert_non_null(strstr(text, "\n1. (new plan), model llama-3.1-8b\n2. TP 2, CP 1, PP 4, EP 1, "
	    "DP 2 on 2 nodes of 8 h100-sxm-80gb: 16 GPUs\n3. memory fits: "));
	free(text);
}

/* Fields by their names alone. */
SESSION_TEST(test_fields)
{
	struct session *s = session_new(test, 80, 24);

	answers(s, "tp 8", "PP steps back from 4 to 2");
	answers(s, "undo", "1. undone: TP 8");
	answers(s, "pp 8", "1. PP 8: memory "); /* from here on it is the user's */
	answers(s, "pp 4", "1. PP 4: memory ");
	answers(s, "tp 4", "1. TP 4: memory ");
	assert_int_equal(s->state.plan.parallel.tp, 4);
	answers(s, "  tp=8\t\r\n", "error: 16 GPUs are not divisible");
	answers(s, "", "not saved");
	answers(s, "fix", "what would mend the plan");
	answers(s, "1", "no errors any more");
	assert_int_equal(s->state.plan.parallel.tp, 8); /* as was asked */
	answers(s, "tp -", "1. TP 4: memory ");
	answers(s, "+", "1. TP 8: memory ");
	answers(s, "parallel.pp", "1. PP 2 ranks, set: ");
	answers(s, "undo", "1. undone: TP 8; memory ");
	answers(s, "tp x", "1. error: ");
	answers(s, "set zz 3", "1. error: no field zz");
	answers(s, "zz 3", "1. error: no command zz");
	answers(s, "redo", "redone: TP 8");
	answers(s, "tp +", "error: ");
	assert_int_equal(s->state.plan.parallel.tp, 16);
}

/* Lists have numbers, and numbers choose. */
SESSION_TEST(test_lists)
{
	struct session *s = session_new(test, 80, 24);

	answers(s, "kinds", "\n1. [1] tp  8 groups");
	lacks(s, "kinds", "   "); /* no columns of blanks */
	answers(s, "3", "3. [2] pp");
	assert_int_equal(s->state.map.colors, 2);
	lacks(s, "3", "\n1. "); /* what changed alone */
	answers(s, "99", "error: there is no entry 99");
	answers(s, "gpu", ", the default: ");
	answers(s, "5", "1. error: "); /* the list is closed by then */
	answers(s, "tp 3", "fix: tp ");
	answers(s, "errors", "a number takes that entry");
	answers(s, "1", "fixed: ");
	assert_int_equal(s->state.list.kind, LIST_NONE);
	answers(s, "find global_batch", "global batch");
	answers(s, "1", "1. ");
	assert_int_equal(s->state.form.field, FIELD_GLOBAL_BATCH_SIZE);
	answers(s, "edit", "global batch");
	answers(s, "128", "global batch 128");
	assert_int_equal(s->state.plan.training.global_batch_size, 128);
	answers(s, "why", "why: ");
	answers(s, "open", "3. odd\\x1b[31m.cfg");
	answers(s, "1", "changes would be lost: s save, d discard");
	answers(s, "d", "opened alpha.cfg");
	answers(s, "?", "1. FIELD VALUE: ");
	answers(s, "help", " more commands: more");
	lacks(s, "help", "\n14. "); /* ten of them, and what comes before and after */
	for (int i = 0; i < 5; i++)
		lacks(s, "more", ". set PATH=VALUE ...: ");
	answers(s, "more", ". set PATH=VALUE ...: ");
	answers(s, "more", ". suspend: ");
	lacks(s, "more", "commands");
	answers(s, "help set", "1. set PATH=VALUE ...: ");
	answers(s, "? set", "1. set PATH=VALUE ...: ");
	answers(s, "?set", "1. set PATH=VALUE ...: ");
	lacks(s, "? rank of adapters", "no command");
	lacks(s, "help inspect", "2. ");
	answers(s, "down", "1. ");
	answers(s, "suspend", "1. error: ");
}

/* A line that is not read whole is not read at all. */
SESSION_TEST(test_long_line)
{
	struct session *s = session_new(test, 80, 24);
	char line[LINE_SIZE + 16];

	memset(line, ' ', sizeof line);
	memcpy(line, "tp 4", 4);
	line[sizeof line - 1] = '\0';
	answers(s, line, "TP 4");
	memcpy(line + LINE_SIZE - 8, "pp 16 pp 32", 11);
	answers(s, line, "error: the line is longer than");
	assert_int_equal(s->state.plan.parallel.pp, 4);
}

/* What a move selects is told: a stage, traffic, a number. */
SESSION_TEST(test_numbers)
{
	struct session *s = session_new(test, 80, 24);

	answers(s, "next-pane memory", "1. stage 0: ");
	answers(s, "down", "1. stage 1: ");
	answers(s, "next-pane traffic", "1. tp ");
	answers(s, "next-pane step", "1. step ");
	answers(s, "memory", "1. stage 1: "); /* a pane by its name alone, */
	answers(s, "step", "1. step ");       /* though a model begins with it */
	assert_string_equal(s->state.plan.model.preset, "llama-3.1-8b");
	answers(s, "down", "1. tokens/s ");
}

/* Questions are asked, and an empty line is no. */
SESSION_TEST(test_questions)
{
	struct session *s = session_new(test, 80, 24);

	answers(s, "tp 4", "TP 4");
	answers(s, "quit", "unsaved changes");
	answers(s, "", "done");
	assert_int_equal(s->state.question.kind, QUESTION_NONE);
	/* So is another command, which a script may go on with. */
	answers(s, "quit", "unsaved changes");
	answers(s, "pp 2", "1. PP 2: memory ");
	assert_int_equal(s->state.question.kind, QUESTION_NONE);
	answers(s, ":pp=4", "1. PP 4: memory ");
	answers(s, "save", "save as: ");
	answers(s, "", "done");
	answers(s, "save", "save as: ");
	answers(s, "my.cfg", "saved my.cfg");
	assert_int_equal(s->disk.saves, 1);
	answers(s, "tp 2", "TP 2");
	s->disk.changed = true;
	answers(s, "save", "y overwrite");
	answers(s, "y", "saved");
	assert_int_equal(s->disk.saves, 2);
	answers(s, "edit", "(an empty line leaves it)");
	answers(s, "nonsense", "error: ");
	answers(s, "", "done");
	ends(s, "q");

	s = session_new(test, 80, 24);
	answers(s, "tp 4", "TP 4");
	answers(s, "q", "s save, d discard");
	ends(s, "d");
	assert_int_equal(s->disk.saves, 0);
}

/* Escapes in a plan's text are not passed on. */
SESSION_TEST(test_plain)
{
	struct session *s = session_new(test, 80, 24);

	text_put(s->disk.path, sizeof s->disk.path, "bad\033[2Jname\xc2\x9b.cfg");
	answers(s, "", "bad\\x1b[2Jname\\xc2\\x9b.cfg");
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
