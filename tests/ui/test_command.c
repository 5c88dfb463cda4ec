#include "../core/share.h"
#include "support.h"

#include "ui/list/list.h"

TEST(test_table)
{
	for (size_t i = 0; i < command_count; i++) {
		const struct command *c = &command_table[i];
		size_t n = strlen(c->help);

		assert_true(c->act != NULL || c->run != NULL || c->set != NULL ||
		    (c->step != NULL && c->way != 0));
		/* What is typed goes there. */
		assert_true(c->argument[0] == '\0' || c->run != NULL || c->set != NULL);
		assert_ptr_equal(command_find(c->name), c);
		assert_true(n > 0 && c->help[n - 1] != '.');
		if (c->hint != NULL)
			assert_non_null(strchr(c->hint + 1, '|'));
		if (c->contexts != 0)
			assert_int_not_equal(c->key[0], 0);
	}
	assert_null(command_find("nonsense"));
	assert_null(command_find(""));
}

/* A key means one thing in each place. */
TEST(test_keys_unique)
{
	for (unsigned context = CONTEXT_FORM; context <= CONTEXT_LIST; context <<= 1)
		for (size_t i = 0; i < command_count; i++)
			for (int k = 0; k < COMMAND_KEYS_MAX && command_table[i].key[k] != 0; k++)
				if ((command_table[i].contexts & context) != 0)
					assert_ptr_equal(command_of_key(command_table[i].key[k],
					    (enum context)context), &command_table[i]);
}

/* A function key is never the only one, and digits begin a value in the form. */
TEST(test_keys_plain)
{
	for (size_t i = 0; i < command_count; i++) {
		const struct command *c = &command_table[i];

		assert_false(c->key[0] >= INPUT_F1 && c->key[0] <= INPUT_F10);
	}
	for (int32_t digit = '0'; digit <= '9'; digit++)
		assert_null(command_of_key(digit, CONTEXT_FORM));
}

/* Every key in every place: nothing crashes, whatever comes after it. */
SESSION_TEST(test_all_keys)
{
	static const char *const where[] = { "", "\t", "\t\t", "\t\t\t", "\t\t\t\t", "?",
		"e", "d", "W", "/", ":", "/tp\r" };

	for (size_t w = 0; w < COUNT(where); w++)
		for (int32_t k = 1; k < INPUT_F10 - INPUT_UP + 128; k++) {
			struct session *s;

			if (!in_share(w + (size_t)k))
				continue;
			s = session_new(test, 80, 24);
			type(s, where[w]);
			key(s, k < 128 ? k : k - 128 + INPUT_UP);
			draw(s);
			type(s, "j\r");
			draw(s);
		}
}

/* Any keys, in any order. */
SESSION_TEST(test_monkey)
{
	uint32_t seed = 12345;
	struct session *s = session_new(test, 100, 30);

	for (int i = 0; i < 6000; i++) {
		int32_t k;

		seed = seed * 1664525 + 1013904223;
		if (!in_share((size_t)i / 2000))
			continue;
		k = (int32_t)(seed >> 16) % 150;
		if (k == 3 || k == 0)
			continue;
		key(s, k < 128 ? k : k - 128 + INPUT_UP);
		if (i % 7 == 0)
			app_resize(&s->state, (int)(seed >> 8) % 120, (int)(seed >> 20) % 40);
		draw(s);
	}
}

/* The help screen lists each of them. */
SESSION_TEST(test_help)
{
	struct session *s = session_new(test, 124, 120);
	char *all;

	type(s, "?");
	all = picture(s);
	for (size_t i = 0; i < command_count; i++) {
		if (strstr(all, command_table[i].help) == NULL)
			fprintf(stderr, "%s\n", command_table[i].name);
		assert_non_null(strstr(all, command_table[i].help));
	}
	free(all);
	type(s, "undo");
	assert_true(shows(s, "undo the last change"));
	assert_true(hides(s, "move up"));
}

static const char *
first_entry(struct session *s)
{
	static char text[ROW_TEXT_SIZE];
	struct rows rows;

	list_rows(&rows, &s->state, 120);
	text_put(text, sizeof text, "%s", rows.count > 0 ? rows.row[0].text : "");
	rows_free(&rows);
	return text;
}

/* What is typed finds commands, fields and topics, exact names first; Enter runs or goes there. */
SESSION_TEST(test_palette)
{
	struct session *s = session_new(test, 120, 40);

	type(s, ":vpp 2\r?undo\r");
	assert_int_equal(s->state.plan.parallel.vpp, 1);
	assert_int_equal(s->state.list.kind, LIST_NONE);
	type(s, "?tp");
	assert_non_null(strstr(first_entry(s), "field              :tp"));
	type(s, "\r");
	assert_int_equal(s->state.form.field, FIELD_TP);
	type(s, "?recompte"); /* a slip */
	assert_non_null(strstr(first_entry(s), ":recompute"));
	key(s, INPUT_ESCAPE);
	type(s, "?glob"); /* a word's beginning, of a field that most plans need */
	assert_non_null(strstr(first_entry(s), "global"));
	key(s, INPUT_ESCAPE);
	type(s, "?llama70b\r"); /* beginnings of words */
	assert_string_equal(s->state.plan.model.preset, "llama-3.1-70b");
	type(s, "?h100");
	assert_non_null(strstr(first_entry(s), ":gpu h100-sxm"));
	key(s, INPUT_ESCAPE);
	type(s, "?zzzzz");
	assert_true(shows(s, "nothing with that text"));
	key(s, INPUT_ESCAPE);
	/* A command of the map goes there; one that needs a word asks for it; of lists, it says so. */
	type(s, "?peers\r");
	assert_int_equal(s->state.focus, PANE_MAP);
	type(s, "?save-as\r");
	assert_int_equal(s->state.prompt.kind, PROMPT_COMMAND);
	assert_string_equal(s->state.prompt.line.text, "save-as ");
	key(s, INPUT_ESCAPE);
	type(s, "?close\r");
	assert_true(shows(s, ":close works in a list"));
	type(s, "W?close\r");
	assert_int_equal(s->state.list.kind, LIST_NONE);
}

SESSION_TEST(test_context)
{
	struct session *s = session_new(test, 80, 24);

	assert_int_equal(command_context(&s->state), CONTEXT_FORM);
	type(s, "\t");
	assert_int_equal(command_context(&s->state), CONTEXT_MAP);
	type(s, "p");
	assert_int_equal(command_context(&s->state), CONTEXT_PIPELINE);
	type(s, "p\t");
	assert_int_equal(command_context(&s->state), CONTEXT_MEMORY);
	type(s, "\t");
	assert_int_equal(command_context(&s->state), CONTEXT_MEMORY);
	type(s, "?");
	assert_int_equal(command_context(&s->state), CONTEXT_LIST);
}

/* With the pipeline in its place, the map's commands show the map or are not offered. */
SESSION_TEST(test_hidden_map)
{
	static const char *const shows_map[] = { "n", "N", "g", "c", "C", ":peers\r", ":one\r",
		":zoom cells\r", ":color dp\r" };
	struct session *s = session_new(test, 120, 40);

	for (size_t i = 0; i < COUNT(shows_map); i++) {
		state_focus(&s->state, PANE_MAP);
		s->state.picture = PICTURE_PIPELINE;
		type(s, shows_map[i]);
		assert_int_equal(s->state.picture, PICTURE_MAP);
		key(s, INPUT_ESCAPE);
	}
	app_command(&s->state, "zoom halves");
	assert_string_equal(s->state.message, "map: halves");
	s->state.settings.ascii = true;
	app_follow(&s->state);
	app_command(&s->state, "zoom halves");
	assert_non_null(strstr(s->state.message, "shown as cells"));
	type(s, "p");
	type(s, "ZZZZZZ");
	assert_non_null(strstr(s->state.message, "no smaller"));
	assert_true(hides(s, "Enter peers"));
	assert_true(shows(s, "p map"));
	key(s, INPUT_DOWN);
	key(s, INPUT_DOWN);
	app_command(&s->state, "next-pane memory");
	type(s, "kkkkkkkk");
	app_command(&s->state, "next-pane map");
	key(s, INPUT_ENTER);
	assert_true(shows(s, "why: memory of stage 2"));
	key(s, INPUT_ESCAPE);
	type(s, "i"); /* a GPU of that stage */
	assert_true(shows(s, "rank 8"));
	assert_int_equal(layout_pipeline_rank(&s->state.estimate->layout, s->state.map.cursor), 2);
}

/* What a command can not use is refused, and said. */
SESSION_TEST(test_arguments)
{
	struct session *s = session_new(test, 100, 30);

	for (size_t i = 0; i < command_count; i++) {
		const struct command *c = &command_table[i];
		char line[80], said[80];

		if (c->argument[0] != '\0')
			continue;
		text_put(line, sizeof line, "%s 3", c->name);
		text_put(said, sizeof said, "%s takes no argument", c->name);
		assert_int_equal(app_command(&s->state, line), 0);
		assert_string_equal(s->state.message, said);
	}
	assert_int_equal(s->disk.saves, 0);
	app_command(&s->state, "wq other.cfg");
	assert_int_equal(s->disk.saves, 0);
	app_command(&s->state, "accept");
	assert_string_equal(s->state.message, "no list is open");
	app_command(&s->state, "close");
	assert_string_equal(s->state.message, "no list is open");
	app_command(&s->state, "filter");
	assert_int_equal(s->state.prompt.kind, PROMPT_NONE);
	app_command(&s->state, "set");
	assert_string_equal(s->state.message, "the form is: set PATH=VALUE ...");
	app_command(&s->state, "language en");
	assert_non_null(strstr(s->state.message, "English"));
	app_command(&s->state, "language auto");
	assert_string_equal(s->state.settings.language, "auto");
}

/* On a screen of three lines the selected entry is the one that is shown; where panes take
 * turns the pipeline's key brings its pane. */
SESSION_TEST(test_small)
{
	struct session *s = session_new(test, 20, 3);

	type(s, "?");
	assert_true(shows(s, "> + Right l"));
	key(s, INPUT_DOWN);
	assert_true(shows(s, "> - Left h"));
	key(s, INPUT_ESCAPE);
	app_resize(&s->state, 40, 12);
	type(s, "p");
	assert_int_equal(command_context(&s->state), CONTEXT_PIPELINE);
	type(s, "p");
	assert_int_equal(command_context(&s->state), CONTEXT_MAP);
}

/* Help begins with the place that it is asked in. */
SESSION_TEST(test_help_here)
{
	struct session *s = session_new(test, 100, 30);

	type(s, "?");
	assert_true(shows(s, "In the plan"));
	key(s, INPUT_ESCAPE);
	key(s, INPUT_TAB);
	type(s, "?");
	assert_true(shows(s, "On the map") && hides(s, "In the plan"));
	key(s, INPUT_ESCAPE);
	type(s, "W?");
	assert_true(shows(s, "In lists") && hides(s, "On the map"));
	key(s, INPUT_ESCAPE);
	key(s, INPUT_ESCAPE);
	type(s, "d");
	assert_true(shows(s, "8 groups of 2") && hides(s, "1 groups of"));
}

/* Enter is offered where it does something. */
SESSION_TEST(test_reading_lists)
{
	struct session *s = session_new(test, 100, 30);

	type(s, "W");
	assert_true(hides(s, "Enter take"));
	key(s, INPUT_ESCAPE);
	type(s, "d");
	assert_true(shows(s, "Enter take"));
}

/* The prompt can be had in lists: one closes for what shows in the panes, and no other. */
SESSION_TEST(test_prompt_in_lists)
{
	struct session *s = session_new(test, 80, 24);

	type(s, "i:tp 4\r");
	assert_int_equal(s->state.plan.parallel.tp, 4);
	assert_int_equal(s->state.list.kind, LIST_NONE);
	type(s, "i:nonsense\r");
	assert_true(shows(s, "no command nonsense"));
	assert_int_equal(s->state.list.kind, LIST_INSPECT);
	type(s, ":down\r");
	assert_int_equal(s->state.list.item, 1);
	type(s, ":history\r");
	assert_int_equal(s->state.list.kind, LIST_HISTORY);
	type(s, ":");
	key(s, INPUT_ESCAPE);
	assert_int_equal(s->state.list.kind, LIST_HISTORY);
}

/* What was meant by a line that means nothing, and what is missing in one cut short. */
SESSION_TEST(test_misspelt)
{
	static const char *const cases[][2] = {
		{ ":zom\r", "no command zom; did you mean zoom?" },
		{ ":foo\r", "no command foo; ? lists them" },
		{ ":micro-batch 2\r", "no command micro-batch; did you mean micro_batch_size?" },
		{ ":microbatch 2\r", "no command microbatch; did you mean micro_batch_size?" },
		{ ":global-batch 64\r", "no command global-batch; did you mean global_batch_size?" },
		{ ":global batch 64\r", "no command global; did you mean global_batch_size?" },
		{ ":set global_batch 64\r", "no field global_batch; did you mean training.global_batch_size?" },
		{ ":sequence 8192\r", "no command sequence; did you mean sequence_parallel?" },
		{ ":zer 2\r", "no command zer; did you mean zero_stage?" },
		{ ":mikro 2\r", "no command mikro; did you mean micro_batch_size?" },
		{ ":dp 4\r", "dp is a result: data parallel size: what the other sizes leave" },
		{ ":set dp=4\r", "dp is a result: data parallel size: what the other sizes leave" },
		{ ":set nodes\r", "set nodes to what? The form is: set PATH=VALUE ..." },
	};
	struct session *s = session_new(test, 80, 24);

	for (size_t i = 0; i < COUNT(cases); i++) {
		type(s, cases[i][0]);
		assert_true(shows(s, cases[i][1]));
	}
	assert_int_equal(s->state.plan.cluster.nodes, 2);
	type(s, "\tg");
	assert_true(shows(s, "go to:"));
	assert_true(shows(s, "a rank, or node N, stage N, layer N, expert N"));
}

/* Lists stay in line at every width: what has no room is left out. */
SESSION_TEST(test_columns)
{
	struct session *s = session_new(test, 100, 100);

	type(s, "?");
	assert_true(shows(s, "PgUp Ctrl-B Ctrl-U :page-up               a page up"));
	assert_true(shows(s, "O                  :settings [NAME VALUE]  colours"));
	key(s, INPUT_ESCAPE);
	type(s, ":name a name that is far too long\r/plan is called");
	assert_true(shows(s, "name               a name that is.. name  "));
	app_resize(&s->state, 80, 24);
	assert_true(shows(s, "name               a name that is.. name  "));
	assert_true(hides(s, "what the"));
	app_resize(&s->state, 40, 12);
	assert_true(shows(s, "name               a name that is.. \u2502"));
	key(s, INPUT_ESCAPE);
	type(s, "d");
	assert_true(shows(s, "[1] tp            8 groups of 2"));
	assert_true(shows(s, "Enter take  Esc close"));
}

/* Keys for the map tell why they do nothing. */
SESSION_TEST(test_refused)
{
	static const char keys[] = "cC1234zZ\r";
	struct session *s = session_new(test, 80, 24);

	type(s, "3\r\t");
	assert_false(s->state.estimate->laid_out);
	for (size_t i = 0; keys[i] != '\0'; i++) {
		key(s, INPUT_ESCAPE);
		key(s, keys[i]);
		assert_true(shows(s, "no groups: the layout refuses the plan (e says why)"));
	}
	type(s, ":color pp\r");
	assert_true(shows(s, "no groups: the layout refuses the plan (e says why)"));
}

/* What was said stays when the screen is sent again, and goes with the next key. */
SESSION_TEST(test_repaint)
{
	struct session *s = session_new(test, 80, 24);

	type(s, "c");
	key(s, INPUT_CTRL('L'));
	assert_int_equal(s->flags, EVENT_REPAINT);
	assert_true(shows(s, "map coloured by pp"));
	type(s, "j");
	assert_true(hides(s, "map coloured by pp"));
}

/* A question names its keys at every width that has room for them. */
SESSION_TEST(test_question_width)
{
	struct session *s = session_new(test, 80, 24);

	s->disk.exists = true;
	type(s, "+");
	for (int w = 40; w <= 120; w++) {
		app_resize(&s->state, w, 24);
		type(s, ":open other.cfg\r");
		assert_true(shows(s, "s save, d discard") && shows(s, "Esc"));
		key(s, INPUT_ESCAPE);
		type(s, ":save a/directory/with/a/name/that/is/long/plan.cfg\r");
		assert_true(shows(s, "Esc cancel"));
		key(s, INPUT_ESCAPE);
		type(s, "q");
		assert_true(shows(s, "s save, d discard, Esc"));
		key(s, INPUT_ESCAPE);
	}
}

/* Another framework calls the same groups otherwise; the map goes on showing them. */
SESSION_TEST(test_same_kinds)
{
	struct session *s = session_new(test, 120, 40);

	type(s, ":color tp,pp,dp,dp_cp\r:layout deepspeed\r");
	assert_true(shows(s, "map by model+pipe+data"));
	type(s, "\t1");
	assert_true(shows(s, "map by model "));
	type(s, "3");
	assert_true(shows(s, "map by model+data+pipe"));
	type(s, ":layout megatron\r");
	assert_true(shows(s, "map by tp+dp+pp"));
}

/* What is found leads the fields that most plans need, and the form does not grow by more
 * than that field. */
SESSION_TEST(test_find_field)
{
	struct session *s = session_new(test, 80, 24);

	type(s, "/global\r");
	assert_int_equal(s->state.form.field, FIELD_GLOBAL_BATCH_SIZE);
	type(s, "/global every\r");
	assert_int_equal(s->state.form.field, FIELD_GLOBAL_LAYER_EVERY);
	assert_true(shows(s, ">~global every"));
	assert_true(shows(s, " more: a)"));
}

/* The list of colours begins at the one on the map. */
SESSION_TEST(test_kinds_begin)
{
	struct session *s = session_new(test, 80, 24);

	type(s, ":color pp\rd");
	assert_true(shows(s, "> [1] pp") || shows(s, ">[1] pp"));
}

/* Beside the list of colours the map shows the entry under the cursor; Space adds one, Enter
 * takes what is shown, Escape leaves it. */
SESSION_TEST(test_kinds_preview)
{
	struct session *s = session_new(test, 120, 40);

	type(s, "djj");
	assert_true(shows(s, "map by pp") && shows(s, "[1] tp"));
	key(s, INPUT_ESCAPE);
	assert_true(shows(s, "map by tp"));
	type(s, "djj\r");
	assert_int_equal(s->state.list.kind, LIST_NONE);
	assert_true(shows(s, "map by pp"));
	type(s, "dj "); /* dp as well */
	assert_true(shows(s, "map by pp+dp"));
	type(s, "k"); /* on one of those shown: all of them */
	assert_true(shows(s, "map by pp+dp"));
	type(s, "\r");
	assert_int_equal(s->state.map.colors, 2);
	app_resize(&s->state, 60, 15); /* no room beside it */
	type(s, "d");
	assert_true(hides(s, "node 1"));
}

/* c goes through the dimensions in use, each once, then stages, memory and links. */
SESSION_TEST(test_cycle)
{
	static const char *const shown[] = { "pp", "dp", "stage", "memory", "link:tp", "relation",
		"tp" };
	struct session *s = session_new(test, 120, 40);
	char title[32];

	for (size_t i = 0; i < COUNT(shown); i++) {
		type(s, "c");
		text_put(title, sizeof title, "map by %s ", shown[i]);
		assert_true(shows(s, title));
	}
	type(s, "C");
	assert_true(shows(s, "map by relation "));
	type(s, ":color dp_cp\rc"); /* from what is none of them: the first */
	assert_true(shows(s, "map by tp "));
	/* CP of 2 is one more; EP over the same ranks as DP is not shown twice. */
	type(s, ":set tp 1\r:set cp 2\r:color tp\rc");
	assert_true(shows(s, "map by pp "));
	type(s, "cc");
	assert_true(shows(s, "map by cp "));
}

/* Above 100 groups the map begins with stages, and has blocks in place of letters. */
SESSION_TEST(test_many_groups)
{
	struct plan plan;
	struct session *s = session_new(test, 120, 40);
	char err[256];

	plan = s->state.plan;
	assert_true(field_put_int(FIELD_NODES, &plan, 128, err, sizeof err));
	assert_true(field_put_int(FIELD_GLOBAL_BATCH_SIZE, &plan, 1024, err, sizeof err));
	state_free(&s->state);
	assert_true(app_start(&s->state, &plan, &s->catalog, &s->files, NULL));
	app_resize(&s->state, 120, 40);
	assert_true(shows(s, "map by stage"));
}

int
main(void)
{
	return unit_run(NULL, NULL);
}
