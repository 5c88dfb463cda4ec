/* The search view: what is asked for, what is shown of it, and what its keys do. */
#include <locale.h>
#include <math.h>

#include "search_view_fake.h"
#include "ui/list/list.h"

/* Search, and take all of it. */
static void
search(struct session *s, const char *keys)
{
	type(s, keys);
	while (search_view_look(&s->state))
		continue;
}

static const struct search_view *
search_view_of(const struct session *s)
{
	return s->state.search;
}

/* A combination that was found, of the place that is selected. */
static const struct search_view_row *
selected(const struct session *s)
{
	const int target = list_target(&s->state);

	assert_true(target >= 0);
	return &search_view_of(s)->found[target];
}

SESSION_TEST(test_ranking)
{
	struct session *s = session_searching(test, 100, 30);
	struct estimate *e = malloc(sizeof *e);
	struct plan p;

	search(s, "S");
	assert_int_equal(s->state.list.kind, LIST_SEARCH);
	assert_int_equal(search_view_of(s)->news.kept, fake.worker->kept);
	assert_true(fake.worker->kept > 20);
	/* Each number is what the estimate says of that plan. */
	for (size_t i = 0; i < search_view_of(s)->news.kept; i++) {
		const struct search_view_row *f = &search_view_of(s)->found[i];
		double v;

		assert_int_equal(f->key.index, fake.key[i].index);
		space_plan(search_view_of(s)->space, f->key.index, &p);
		estimate_run(e, &p, &s->catalog, NULL);
		assert_true(e->legal && e->fits);
		for (int n = 0; search_view_number(search_view_of(s), n) != RESULT_COUNT; n++) {
			assert_true(result_value(search_view_number(search_view_of(s), n), e, e->peak_stage, &v));
			assert_true(fabs(v - f->number[n]) <= 0);
		}
	}
	assert_true(shows(s, "fit; 20.0 ms on 2 threads"));
	assert_true(shows(s, "  memory 23.6 -> 51.8 GiB, step "));
	assert_true(shows(s, " -> 26.8 GB ")); /* to the end of the line */
	assert_true(shows(s, "1 before 2"));
	assert_true(shows(s, "# selected"));
	free(e);
}

/* Where no change of a field or two mends a plan f lists the search alone, which Enter begins. */
SESSION_TEST(test_from_mends)
{
	struct session *s = session_searching(test, 100, 30);

	type(s, ":set model llama-3.1-70b\r:set pp 1\r:set nodes 1\r:set gpus_per_node 1\r"
	    ":set hidden_size 262144\r:set layers 4096\rf");
	assert_int_equal(s->state.mends.count, 0);
	assert_int_equal(s->state.list.kind, LIST_MENDS);
	assert_true(shows(s, "search    the best of all plans on these GPUs"));
	search(s, "\r");
	assert_int_equal(s->state.list.kind, LIST_SEARCH);
	assert_int_equal(fake.begun, 1);
}

/* Values of texts are those that were asked for as long as the list lives: they were on the stack of the
 * call that began the search. */
SESSION_TEST(test_texts)
{
	struct session *s = session_searching(test, 100, 30);
	const struct search_view *l;
	bool found = false;

	search(s, ":search free=training.recompute_modules=mlp,core_attn\r");
	l = search_view_of(s);
	for (int i = 0; i < l->space->count; i++)
		if (l->space->field[i].words != NULL) {
			found = true;
			assert_string_equal(l->space->field[i].words, "mlp,core_attn");
			assert_true(l->space->field[i].words > (const char *)l->space);
			assert_true(l->space->field[i].words < (const char *)(l->space + 1) + LINE_SIZE);
		}
	assert_true(found);
}

/* What is told of a plan is held against the plan that is open now. */
SESSION_TEST(test_told)
{
	struct session *s = session_searching(test, 100, 30);
	char was[256];

	search(s, "S");
	text_put(was, sizeof was, "%s", search_view_of(s)->told.change);
	key(s, INPUT_ESCAPE);
	/* Another file, which differs in what is free alone: the search holds for it too. */
	s->disk.plan = s->state.plan;
	put(&s->disk.plan, FIELD_TP, "4");
	type(s, ":open b.cfg\rS");
	assert_int_equal(fake.begun, 1);
	assert_int_equal(s->state.list.kind, LIST_SEARCH);
	assert_string_not_equal(search_view_of(s)->told.change, was);
}

/* While it runs the list grows, and who has chosen a plan stays at it. */
SESSION_TEST(test_grows)
{
	struct session *s = session_searching(test, 80, 24);
	uint64_t chosen;
	size_t before;

	fake.looks = 4;
	type(s, "S");
	assert_true(search_view_look(&s->state));
	assert_true(shows(s, "] 50 %"));
	before = search_view_of(s)->news.kept;
	assert_int_equal(list_target(&s->state), 0);
	type(s, "jjj");
	chosen = selected(s)->key.index;
	while (search_view_look(&s->state))
		continue;
	assert_true(search_view_of(s)->news.kept > before);
	assert_int_equal(selected(s)->key.index, chosen);
	assert_true(list_target(&s->state) > 3);
}

/* Who has chosen none sees the best. */
SESSION_TEST(test_best)
{
	struct session *s = session_searching(test, 80, 24);

	fake.looks = 2;
	type(s, "S");
	assert_true(search_view_look(&s->state));
	while (search_view_look(&s->state))
		continue;
	assert_int_equal(list_target(&s->state), 0);
	assert_int_equal(selected(s)->key.index, fake.key[0].index);
}

/* What conditions ask for has a column, which sorts, and rows of the same numbers are one. */
SESSION_TEST(test_columns)
{
	struct session *s = session_searching(test, 160, 40);
	const struct search_view *l = search_view_of(s);
	int columns = 0;

	search(s, ":search objective=memory fix=switches where=step.exposed_comm_seconds<=1\r");
	assert_true(shows(s, "where: exposed"));
	for (size_t i = 0; i < l->news.kept && list_target(&s->state) < (int)l->news.kept - 1 &&
	    selected(s)->key.like == 0; i++)
		type(s, "j");
	assert_true(selected(s)->key.like > 0 && shows(s, " like it"));
	while (l->sort.by != SEARCH_VIEW_CONDITION) {
		key(s, INPUT_RIGHT);
		assert_true(++columns < 20);
	}
	type(s, "g");
	for (size_t i = 0; i < l->news.kept; i++)
		assert_true(selected(s)->asked[0] <= l->found[i].asked[0]);
}

/* A question is written out, and said otherwise by what follows it; one that lacks a word is not
 * begun. */
SESSION_TEST(test_question)
{
	struct session *s = session_searching(test, 120, 40);
	const struct search_view *l = search_view_of(s);

	search(s, ":search fewest fix=cp\r");
	assert_string_equal(l->ask, "objective=gpus free=cluster.nodes=1..64 fix=cp");
	assert_true(l->news.kept > 0 && shows(s, "search: fewest GPUs"));
	type(s, ":search deadline soon\r");
	assert_true(shows(s, "deadline: the deadline is a number"));
	assert_string_equal(l->ask, "objective=gpus free=cluster.nodes=1..64 fix=cp");
}

/* A service with limits asks for them by itself, whatever else is asked, unless an objective is said. */
/* A plan that can not be is not told to be what was found. */
SESSION_TEST(test_impossible)
{
	struct session *s = session_searching(test, 140, 40);

	type(s, ":set pp 3\r");
	search(s, "S");
	assert_true(search_view_of(s)->news.kept > 0);
	assert_true(shows(s, "the plan itself is not possible"));
}

SESSION_TEST(test_service)
{
	struct session *s = session_searching(test, 140, 40);
	const struct search_view *l = search_view_of(s);

	type(s, ":set mode serve\r:set model llama-3.1-8b\r:set nodes 1\r:set traffic.rate 4\r:set mix chat\r");
	search(s, "S");
	assert_true(shows(s, "search: fastest for a user"));
	key(s, INPUT_ESCAPE);
	type(s, ":set traffic.ttft_limit 1\r:set traffic.tpot_limit 0.03\r");
	search(s, "S");
	assert_true(shows(s, "search: fewest GPUs, then least TPOT p99"));
	assert_true(shows(s, ", TTFT p99 at most 1s, TPOT p99 at most 30ms"));
	/* Where there is less room the limits come before what is free; a plan is told by what ranks it. */
	assert_true(shows(s, "where: TTFT p99 at most 1s, TPOT p99 at most 30ms  free: "));
	assert_true(shows(s, "against the plan: TPOT p99 ") || shows(s, "the same as the plan"));
	assert_true(l->news.kept > 0);
	type(s, "e");
	assert_true(shows(s, ":search slo"));
	key(s, INPUT_ESCAPE);
	search(s, ":search fix=pp fix=prefill_workers fix=nodes\r");
	assert_true(shows(s, "search: fewest GPUs, then least TPOT p99"));
	for (int i = 0; i < l->space->count; i++)
		assert_true(l->space->field[i].field != FIELD_PP && l->space->field[i].field != FIELD_NODES);
	key(s, INPUT_ESCAPE);
	type(s, ":set traffic.tpot_limit 0.02\r");
	search(s, "S");
	assert_true(shows(s, "TPOT p99 at most 20ms"));
	search(s, ":search objective=memory\r");
	assert_true(shows(s, "search: least memory"));
	type(s, ":set traffic.rate 0\r");
	search(s, ":search fix=pp\r");
	assert_true(shows(s, "search: most tokens of a GPU"));
}

SESSION_TEST(test_sort)
{
	struct session *s = session_searching(test, 120, 40);
	const struct search_view *l = search_view_of(s);
	int columns = 0;

	search(s, "S");
	while (l->sort.by != SEARCH_VIEW_NUMBER || l->sort.i != SEARCH_VIEW_MEMORY) {
		key(s, INPUT_RIGHT);
		assert_true(++columns < 20);
	}
	assert_true(shows(s, "; by memory"));
	type(s, "g");
	for (size_t i = 0; i < l->news.kept; i++)
		assert_true(selected(s)->number[SEARCH_VIEW_MEMORY] <= l->found[i].number[SEARCH_VIEW_MEMORY]);
	/* Around, and back: what is selected stays so. */
	key(s, INPUT_LEFT);
	assert_int_equal(l->sort.by, SEARCH_VIEW_NUMBER);
	assert_int_equal(l->sort.i, SEARCH_VIEW_TIME);
	for (int i = 0; l->sort.by != SEARCH_VIEW_RANK && i < 20; i++)
		key(s, INPUT_LEFT);
	assert_int_equal(l->sort.by, SEARCH_VIEW_RANK);
	assert_true(list_target(&s->state) > 0);
	type(s, "g");
	assert_int_equal(list_target(&s->state), 0);
}

SESSION_TEST(test_filter)
{
	struct session *s = session_searching(test, 100, 30);
	struct rows rows;
	struct plan p;

	search(s, "S");
	type(s, "/micro_batch_size=2\r");
	list_rows(&rows, &s->state, 90);
	assert_true(rows.items > 0 && rows.items < (int)search_view_of(s)->news.kept);
	for (int i = 0; i < rows.items; i++) {
		assert_true(search_view_plan(&s->state, rows_target(&rows, i), &p));
		assert_int_equal(p.training.micro_batch_size, 2);
	}
	rows_free(&rows);
	key(s, INPUT_ESCAPE);
	assert_int_equal(s->state.list.kind, LIST_SEARCH);
}

SESSION_TEST(test_adopt)
{
	struct session *s = session_searching(test, 100, 30);
	const struct plan before = s->state.plan;
	struct plan p;
	char header[64];

	search(s, "S");
	type(s, "jj");
	assert_true(search_view_plan(&s->state, 2, &p));
	key(s, INPUT_ENTER);
	assert_int_equal(s->state.list.kind, LIST_NONE);
	assert_true(state_same(&s->state.plan, &p));
	text_put(header, sizeof header, "TP %lld", (long long)p.parallel.tp);
	assert_true(shows(s, header));
	assert_true(shows(s, "adopted 3: "));
	/* The same search shows again without another run, the plan marked; then undo. */
	type(s, "S");
	assert_int_equal(fake.begun, 1);
	assert_true(shows(s, " 3*"));
	key(s, INPUT_ESCAPE);
	type(s, "u");
	assert_true(state_same(&s->state.plan, &before));
}

/* Escape ends it with its best in view; another one leaves, and what was found by then is there when
 * one comes back. */
SESSION_TEST(test_cancel)
{
	struct session *s = session_searching(test, 100, 30);

	fake.looks = 1000;
	type(s, "S");
	assert_true(search_view_look(&s->state));
	key(s, INPUT_ESCAPE);
	assert_int_equal(s->state.list.kind, LIST_SEARCH);
	assert_int_equal(fake.stopped, 1);
	assert_false(search_view_look(&s->state));
	assert_true(shows(s, ", stopped"));
	key(s, INPUT_ESCAPE);
	assert_int_equal(s->state.list.kind, LIST_NONE);
	type(s, "S");
	assert_int_equal(fake.begun, 1);
	assert_true(shows(s, ", stopped"));
	assert_true(shows(s, "# selected"));
	fake.looks = 0;
	search(s, "r");
	assert_int_equal(fake.begun, 2);
	assert_true(hides(s, "stopped"));
}

/* Another plan, or another question, is another search. */
SESSION_TEST(test_again)
{
	struct session *s = session_searching(test, 100, 30);

	search(s, "S");
	key(s, INPUT_ESCAPE);
	app_command(&s->state, "set training.sequence_length 8192");
	search(s, "S");
	assert_int_equal(fake.begun, 2);
	assert_int_equal(search_view_of(s)->space->plan.training.sequence_length, 8192);
	key(s, INPUT_ESCAPE);
	app_command(&s->state, "free sequence_length");
	search(s, "S");
	assert_int_equal(fake.begun, 3);
	assert_string_equal(search_view_of(s)->ask, "free=training.sequence_length");
	assert_int_equal(search_view_of(s)->space->field[0].field, FIELD_SEQUENCE_LENGTH);
}

SESSION_TEST(test_compare)
{
	struct session *s = session_searching(test, 100, 30);

	search(s, "S");
	type(s, "jD");
	assert_int_equal(s->state.list.kind, LIST_COMPARE);
	assert_true(shows(s, "compare: plan 2 and this plan"));
	key(s, INPUT_ESCAPE);
	assert_int_equal(s->state.list.kind, LIST_SEARCH);
	assert_int_equal(list_target(&s->state), 1);
}

SESSION_TEST(test_ask)
{
	static const struct {
		const char *ask, *error;
	} wrong[] = {
		{ "free=pq", "no field 'pq'" }, { "free=parallel.tq", "did you mean parallel.tp?" },
		{ "objective=speed", "no objective, result or field" },
		{ "where=peak.total", "PATH<=VALUE" }, { "around=0", "around: so many" },
		{ "bast", "no 'bast' here" }, { "free=tp=999999999999", "free" },
		{ "fix=sizes fix=switches", "no field is free" },
	};
	struct session *s = session_searching(test, 124, 30);
	const struct search_view *l = search_view_of(s);
	char line[256];

	for (size_t i = 0; i < COUNT(wrong); i++) {
		text_put(line, sizeof line, "search %s", wrong[i].ask);
		app_command(&s->state, line);
		if (strcmp(wrong[i].error, "free") != 0)
			assert_true(shows(s, wrong[i].error));
		assert_true(shows(s, "search: "));
		assert_int_equal(fake.begun, 0);
	}
	app_command(&s->state, "search free=tp=2,4 fix=pp --where='peak.total<=30GiB' objective=memory,time pareto");
	while (search_view_look(&s->state))
		continue;
	assert_int_equal(l->search.objectives, 2);
	assert_int_equal(l->search.conditions, 1);
	for (int i = 0; i < l->space->count; i++)
		assert_true(l->space->field[i].field != FIELD_PP);
	assert_true(l->news.kept > 1);
	for (size_t i = 0; i < l->news.kept; i++)
		assert_true(l->found[i].number[SEARCH_VIEW_MEMORY] <= 30.0 * (1 << 30));
	assert_true(shows(s, "where: memory at most 30GiB"));
	/* e puts it all into the prompt. */
	type(s, "e");
	assert_true(shows(s, ":search free=tp=2,4 fix=pp --where='peak.total<=30GiB' objective=memory,time pareto"));
	key(s, INPUT_ESCAPE);
	/* Two fields at most differ. */
	app_command(&s->state, "search around=2");
	while (search_view_look(&s->state))
		continue;
	for (size_t i = 0; i < l->news.kept; i++) {
		int changed = 0;

		for (int k = 0; k < l->space->count; k++)
			changed += space_digit(l->space, k, l->found[i].key.index) != l->space->field[k].own;
		assert_true(changed <= 2);
	}
	/* As on the command line, sizes by name are free without switches. */
	app_command(&s->state, "search free=sizes");
	assert_true(l->space->count > 0);
	for (int i = 0; i < l->space->count; i++)
		assert_null(l->space->field[i].row);
}

SESSION_TEST(test_nothing)
{
	struct session *s = session_searching(test, 100, 30);

	app_command(&s->state, "search where=peak.total<=1GiB");
	while (search_view_look(&s->state))
		continue;
	assert_int_equal(search_view_of(s)->news.kept, 0);
	assert_true(shows(s, "of those that fit do not have peak.total<=1GiB"));
	assert_true(shows(s, "nearest, with peak.total 9.80 GiB: TP 16"));
	key(s, INPUT_ENTER);
	assert_int_equal(s->state.list.kind, LIST_SEARCH);
	app_command(&s->state, "set token_budget=100");
	app_command(&s->state, "search objective=run.days where=peak.total<=1GiB");
	assert_true(shows(s, "search: shortest run; 8B"));
}

/* The fields that are free are marked as soon as that is of interest. */
SESSION_TEST(test_marks)
{
	struct session *s = session_searching(test, 100, 40);

	assert_true(hides(s, "TP ?"));
	type(s, "F");
	assert_true(shows(s, "TP ?"));
	assert_true(shows(s, "CP ?"));
	assert_true(hides(s, "nodes ?"));
	type(s, "F");
	assert_true(hides(s, "TP ?"));
	assert_true(shows(s, "CP ?"));
	assert_string_equal(search_view_of(s)->ask, "fix=parallel.tp");
	app_command(&s->state, "free nodes");
	assert_true(shows(s, "nodes ?"));
	type(s, "F");
	assert_string_equal(search_view_of(s)->ask, "free=cluster.nodes");
	app_command(&s->state, "free cluster.nodes");
	assert_string_equal(search_view_of(s)->ask, "");
}

/* At every size it draws, and one finds the way out. */
SESSION_TEST(test_sizes)
{
	struct session *s = session_searching(test, 100, 30);

	search(s, "S");
	for (int w = 1; w < 200; w += 7)
		for (int h = 1; h < 60; h += 3) {
			app_resize(&s->state, w, h);
			type(s, "jjk");
			draw(s);
		}
	key(s, INPUT_ESCAPE);
	assert_int_equal(s->state.list.kind, LIST_NONE);
}

/* w and F begin a line with what is asked already; it is run when it is complete. */
SESSION_TEST(test_adds)
{
	struct session *s = session_searching(test, 100, 30);
	int fields;

	app_command(&s->state, "search free=tp=2,4 fix=pp");
	fields = search_view_of(s)->space->count;
	search(s, "w");
	assert_true(shows(s, ":search free=tp=2,4 fix=pp where="));
	search(s, "memory<=40GiB\r");
	assert_int_equal(search_view_of(s)->search.conditions, 1);
	assert_int_equal(search_view_of(s)->space->count, fields);
	search(s, "F");
	assert_true(shows(s, " free="));
	search(s, "pp=1,2\r");
	assert_int_equal(search_view_of(s)->search.conditions, 1);
	assert_int_equal(search_view_of(s)->space->count, fields + 1);
	/* x takes the last one back */
	search(s, "x");
	assert_true(shows(s, "without free=pp=1,2"));
	assert_int_equal(search_view_of(s)->space->count, fields);
	search(s, "x");
	assert_int_equal(search_view_of(s)->search.conditions, 0);
}

/* In few columns a wide one tells some of the best apart, and what the ranking is sorted by stands out. */
SESSION_TEST(test_narrow)
{
	struct session *s = session_searching(test, 80, 24);
	const struct search_view *l = search_view_of(s);
	const struct search_table *t = &l->shown.table;
	bool stands_out = false;
	int fields = 0;

	search(s, "S");
	assert_true(shows(s, "search: ") && t->columns > 5);
	for (int i = 0; i < t->columns; i++) {
		const struct search_view_column c = t->at[i].column;
		bool apart = false;

		for (size_t k = 1; c.by == SEARCH_VIEW_FIELD && k < 24; k++)
			apart = apart || space_digit(l->space, c.i, l->found[k].key.index) !=
			    space_digit(l->space, c.i, l->found[0].key.index);
		fields += c.by == SEARCH_VIEW_FIELD;
		assert_true(c.by != SEARCH_VIEW_FIELD || t->at[i].w <= 3 || apart);
	}
	assert_true(fields >= 5);
	key(s, INPUT_RIGHT);
	app_draw(&s->state, &s->canvas);
	for (int x = 0; x < s->canvas.w; x++)
		stands_out = stands_out || s->canvas.cell[7 * s->canvas.w + x].style.role == ROLE_SELECTED;
	assert_true(stands_out && l->sort.by == SEARCH_VIEW_FIELD);
}

int
main(void)
{
	int failed;

	setlocale(LC_ALL, "C.UTF-8");
	failed = unit_run(NULL, NULL);
	free(fake.worker);
	return failed;
}
