/* The ":" line, keys of one's own, settings, and unsaved work of other sessions. */
#include <locale.h>

#include "support.h"
#include "ui/list/rows.h"

#include "core/framework/resolve.h"
#include "ui/app/complete.h"
#include "ui/app/keep.h"
#include "ui/screen/theme.h"

/* ---- what a session leaves behind, in memory ---------------------------------------- */

static struct {
	struct plan plan, found;
	int ready, drafts, drops, taken, removed, settings;
	bool there, fails, is_found;
	char name[32];
} left;

static bool
ready_draft(void *context, const struct plan *plan, bool last, char *note, size_t size)
{
	(void)context, (void)last, (void)note, (void)size;
	left.plan = *plan;
	left.ready++;
	return true;
}

static bool
write_draft(void *context, char *note, size_t size)
{
	(void)context;
	if (left.fails) {
		text_put(note, size, "no room for drafts");
		return false;
	}
	left.drafts++;
	return left.there = true;
}

static void
drop_draft(void *context)
{
	(void)context;
	left.drops += left.there;
	left.there = false;
}

static bool
find_draft(void *context, const struct plan *saved, struct plan *draft, char *note,
    size_t size)
{
	(void)context, (void)saved;
	if (!left.is_found)
		return false;
	*draft = left.found;
	text_put(note, size, "2026-11-21 10:15");
	return true;
}

static void
take_draft(void *context, bool keep)
{
	(void)context;
	left.taken += keep;
	left.removed += !keep;
	left.is_found = false;
}

static bool
save_settings(const struct settings *settings, const char *name, char *note, size_t size)
{
	(void)settings;
	left.settings++;
	text_put(left.name, sizeof left.name, "%s", name != NULL ? name : "all");
	text_put(note, size, left.fails ? "no room for settings" : "remembered");
	return !left.fails;
}

static struct session *
begin(void **test)
{
	struct session *s = session_new(test, 100, 30);

	memset(&left, 0, sizeof left);
	s->files.ready_draft = ready_draft;
	s->files.write_draft = write_draft;
	s->files.drop_draft = drop_draft;
	s->files.find_draft = find_draft;
	s->files.take_draft = take_draft;
	s->files.save_settings = save_settings;
	return s;
}

/* ---- the line ----------------------------------------------------------------------- */

static void
line_is(struct session *s, const char *text)
{
	assert_string_equal(s->state.prompt.line.text, text);
}

SESSION_TEST(test_recall)
{
	struct session *s = begin(test);
	char *lines;

	recall_load(&s->state.prompt.recall, "tp 1\nzoom auto\n\ntp 2\n");
	assert_int_equal(s->state.prompt.recall.count, 3);
	type(s, ":pp 2\r:tp 4\r:tp 2\r:  \r");
	assert_int_equal(s->state.plan.parallel.tp, 2);
	/* Up: those that begin as what was typed; Ctrl-P: all of them. */
	type(s, ":tp");
	key(s, INPUT_UP);
	line_is(s, "tp 2");
	key(s, INPUT_UP);
	line_is(s, "tp 4");
	key(s, INPUT_UP);
	line_is(s, "tp 1"); /* tp 2 of the earlier session is forgotten: it came again */
	key(s, INPUT_UP);
	line_is(s, "tp 1");
	key(s, INPUT_CTRL('N'));
	line_is(s, "zoom auto");
	key(s, INPUT_DOWN);
	line_is(s, "tp 4");
	key(s, INPUT_DOWN);
	key(s, INPUT_DOWN);
	line_is(s, "tp"); /* what was typed is still there */
	key(s, INPUT_CTRL('P'));
	line_is(s, "tp 2");
	type(s, "0"); /* edited: the next walk looks for this */
	key(s, INPUT_UP);
	line_is(s, "tp 20");
	key(s, INPUT_ESCAPE);
	lines = recall_new(&s->state.prompt.recall);
	assert_string_equal(lines, "pp 2\ntp 4\ntp 2\n");
	free(lines);
}

/* What Tab makes of what is typed after ":". */
static void
completes(struct session *s, const char *typed, const char *result)
{
	type(s, ":");
	type(s, typed);
	key(s, INPUT_TAB);
	line_is(s, result);
	key(s, INPUT_ESCAPE);
}

SESSION_TEST(test_complete)
{
	struct session *s = begin(test);

	completes(s, "und", "undo");
	completes(s, "sa", "save ");
	completes(s, "seq", "sequence_parallel ");
	completes(s, "set vp", "set parallel.vpp=");
	completes(s, "set cluster.gpu h1", "set cluster.gpu h100-sxm-80gb");
	completes(s, "set cluster.gpu=a1", "set cluster.gpu=a100-sxm-40gb");
	completes(s, "gpu H1", "gpu h100-sxm-80gb");
	completes(s, "gpu 40gb", "gpu a100-sxm-40gb"); /* anywhere, if nothing begins so */
	completes(s, "set model.preset llama-3.1-7", "set model.preset llama-3.1-70b");
	completes(s, "sequence_parallel f", "sequence_parallel false");
	completes(s, "set precision fp", "set precision fp32");
	completes(s, "color tp,p", "color tp,pp");
	completes(s, "zoom car", "zoom cards");
	completes(s, "next-pane me", "next-pane memory");
	completes(s, "palette li", "palette light");
	completes(s, "settings mo", "settings mouse ");
	completes(s, "settings mouse f", "settings mouse false");
	completes(s, "help zoom-", "help zoom-out");
	completes(s, "search obj", "search objective=");
	completes(s, "search objective=mem", "search objective=memory");
	completes(s, "search where=step.sec", "search where=step.seconds");
	completes(s, "search free=vp", "search free=parallel.vpp");
	completes(s, "open alp", "open alpha.cfg");
	completes(s, "go layer 3, exp", "go layer 3, expert ");
	/* In the middle of a line: what comes after the cursor stays. */
	type(s, ":set  8");
	key(s, INPUT_LEFT);
	key(s, INPUT_LEFT);
	type(s, "vp\t");
	line_is(s, "set parallel.vpp= 8");
	key(s, INPUT_ESCAPE);
	/* Several: around and around, both ways, listed below. */
	type(s, ":pre\t");
	line_is(s, "previous");
	assert_true(shows(s, "[previous] previous-pane"));
	key(s, INPUT_TAB);
	line_is(s, "previous-pane");
	assert_true(shows(s, "previous  [previous-pane]"));
	key(s, INPUT_BACK_TAB);
	key(s, INPUT_BACK_TAB);
	assert_true(s->state.prompt.words.at == s->state.prompt.words.count - 1);
	type(s, "x"); /* typing ends it */
	assert_int_equal(s->state.prompt.words.count, 0);
	key(s, INPUT_CTRL('U'));
	type(s, "qqq\t");
	assert_true(shows(s, "nothing begins like this"));
	key(s, INPUT_ESCAPE);
	type(s, ":tp 4\t"); /* a number, about which Tab has nothing to say */
	assert_true(shows(s, "1 to 16777216 ranks: tensor parallel size"));
	key(s, INPUT_ESCAPE);
	/* Files, and values where a field is typed. */
	type(s, ":set tp=8 seq\t"); /* the last of several, by its short name */
	line_is(s, "set tp=8 training.sequence_length=");
	key(s, INPUT_CTRL('U'));
	type(s, "set tp=8 schedule=gp\t");
	line_is(s, "set tp=8 schedule=gpipe");
	key(s, INPUT_ESCAPE);
	type(s, "wal\t");
	line_is(s, "alpha.cfg");
	assert_true(shows(s, "[alpha.cfg] alps.cfg"));
	key(s, INPUT_DOWN); /* while there is something to choose from, arrows choose */
	line_is(s, "alps.cfg");
	key(s, INPUT_ESCAPE);
	type(s, ":schedule\r");
	assert_true(shows(s, "Tab takes the next"));
	type(s, "\t"); /* the value that typing would replace is no beginning */
	line_is(s, "gpipe");
	key(s, INPUT_DOWN);
	line_is(s, "1f1b");
	assert_true(shows(s, "gpipe  [1f1b] zb-1p"));
}

/* Whatever takes an argument, Tab knows what it can be; and no field's short name hides
 * behind a command. */
SESSION_TEST(test_complete_all)
{
	struct session *s = begin(test);
	char typed[64];

	s->files.topic = fake_page;
	s->files.target = fake_target;
	for (size_t i = 0; i < command_count; i++) {
		if (command_table[i].argument[0] == '\0')
			continue;
		text_put(typed, sizeof typed, ":%s ", command_table[i].name);
		type(s, typed);
		if (!complete_step(&s->state, 1))
			fail_msg("%s", command_table[i].name);
		key(s, INPUT_ESCAPE);
	}
	for (enum field_id f = 0; f < FIELD_COUNT; f++)
		if (field_find(field_key(f)) == f && f != FIELD_ADAPTER_RANK) /* :rank goes to one */
			assert_null(command_find(field_key(f)));
}

SESSION_TEST(test_about)
{
	struct session *s = begin(test);

	type(s, ":undo");
	assert_true(shows(s, "undo the last change"));
	key(s, INPUT_CTRL('U'));
	type(s, "tp ");
	assert_true(shows(s, field_table[FIELD_TP].help));
	key(s, INPUT_ESCAPE);
}

/* ---- lists --------------------------------------------------------------------------- */

/* '/' narrows every list while one types; Escape brings back what was there. */
SESSION_TEST(test_filter)
{
	static const char *const lists[] = { "e", "d", "W", "i", "U", "O", "D" };

	for (size_t i = 0; i < COUNT(lists); i++) {
		struct session *s = begin(test);

		type(s, ":vpp 3\r"); /* so that there is an error, and a change */
		if (i > 2)
			type(s, "u");
		type(s, lists[i]);
		assert_int_not_equal(s->state.list.kind, LIST_NONE);
		key(s, INPUT_DOWN);
		type(s, "/zzzzz");
		assert_true(shows(s, "nothing with that text"));
		key(s, INPUT_ESCAPE);
		assert_true(hides(s, "nothing with that text"));
		assert_int_not_equal(s->state.list.kind, LIST_NONE);
		assert_string_equal(s->state.list.filter, "");
	}
}

/* What is named like the filter comes first, then what begins so, then a word that does. */
SESSION_TEST(test_filter_ranks)
{
	struct rows rows = { .width = 80, .filter = " cp" };
	static const char *const lines[] = { "scp copies", "all-reduce of cp", "cpu offload", "cp   context" };

	for (int i = 0; i < 4; i++)
		rows_line(&rows, i, ROLE_TEXT, lines[i]);
	rows_rank(&rows);
	for (int i = 0; i < 4; i++)
		assert_int_equal(rows_target(&rows, i), 3 - i);
	rows_free(&rows);
}

/* The key that begins a filter elsewhere is no text of one that has begun. */
SESSION_TEST(test_filter_slash)
{
	struct session *s = session_new(test, 100, 30);

	type(s, "/model\r\r/70");
	assert_string_equal(s->state.list.filter, "70");
}

/* Saving where there is no plan yet: one text on a line. */
SESSION_TEST(test_save_nothing)
{
	struct session *s = session_new(test, 100, 30);

	s->files.find_plan = NULL;
	type(s, "w");
	s->state.found.count = 0;
	assert_true(hides(s, "Henothing"));
}

/* Without the filter, what it found stays selected. */
SESSION_TEST(test_filter_keeps)
{
	struct session *s = begin(test);
	int item;

	type(s, "O/language\r");
	assert_int_equal(s->state.list.item, 0);
	key(s, INPUT_ESCAPE);
	item = s->state.list.item;
	assert_int_not_equal(item, 0);
	assert_true(shows(s, "palette "));
	type(s, "/palette");
	assert_int_equal(s->state.list.item, 0);
	key(s, INPUT_ESCAPE);
	assert_int_equal(s->state.list.item, item);
}

/* ---- settings and keys ---------------------------------------------------------------- */

SESSION_TEST(test_settings)
{
	struct session *s = begin(test);

	type(s, "A");
	assert_true(s->state.settings.ascii);
	assert_true(shows(s, "ascii true for this session (:remember keeps it)"));
	type(s, "T:palette mono\r");
	assert_string_equal(s->state.settings.palette, "mono");
	assert_int_equal(left.settings, 0);
	type(s, ":remember\r");
	assert_string_equal(left.name, "all");
	type(s, ":settings palette safe\r");
	assert_string_equal(left.name, "palette");
	assert_true(shows(s, "palette safe, remembered"));
	type(s, ":settings palette pink\r");
	assert_true(shows(s, "palette is one of auto, dark"));
	type(s, ":settings palete\r");
	assert_true(shows(s, "no setting palete; did you mean palette?"));
	type(s, ":settings palette\r");
	assert_true(shows(s, "palette safe: colours"));
	type(s, "O");
	assert_int_equal(s->state.list.kind, LIST_OPTIONS);
	key(s, INPUT_RIGHT);
	assert_string_equal(s->state.settings.palette, "16");
	key(s, INPUT_LEFT);
	key(s, INPUT_LEFT);
	assert_string_equal(s->state.settings.palette, "light");
	assert_string_equal(left.name, "palette");
	left.fails = true;
	type(s, "jj\r");
	assert_false(s->state.settings.mouse);
	assert_true(shows(s, "mouse false for this session; no room for settings"));
}

/* Each palette of the table is one of the theme's, and none is missing. */
TEST(test_palettes)
{
	char name[SETTINGS_TEXT_SIZE];
	size_t row = settings_find("palette"), n = 0;

	for (size_t i = 0; settings_choice(row, i, name, sizeof name); i++)
		if (strcmp(name, "auto") != 0) {
			assert_int_not_equal(theme_palette_find(name), PALETTE_COUNT);
			n++;
		}
	assert_int_equal(n, PALETTE_COUNT);
}

SESSION_TEST(test_own_keys)
{
	struct session *s = begin(test);
	struct settings *settings = &s->state.settings;

	assert_true(settings_bind(settings, "F6", "tp 8", 0));
	assert_true(settings_bind(settings, "J", "down", 0));
	assert_true(settings_bind(settings, "u", "", 0));
	assert_true(settings_bind(settings, "Ctrl-P", "undo", 0));
	key(s, INPUT_F6);
	assert_int_equal(s->state.plan.parallel.tp, 8);
	type(s, "u");
	assert_true(shows(s, "u means nothing here"));
	key(s, INPUT_CTRL('P'));
	assert_int_equal(s->state.plan.parallel.tp, 2);
	/* A key works where its command does: in lists too, and a field's in panes alone. */
	type(s, "UJ");
	key(s, INPUT_F6);
	assert_int_equal(s->state.plan.parallel.tp, 2);
	assert_int_equal(s->state.list.item, 1);
	type(s, "q?");
	assert_true(shows(s, "Your own keys"));
	assert_true(shows(s, "F6                 :tp 8"));
	assert_true(shows(s, "u                  means nothing"));
	type(s, "undo the");
	assert_true(shows(s, "Ctrl-P             :undo"));
	key(s, INPUT_ESCAPE);
	app_resize(&s->state, 300, 30);
	assert_true(shows(s, "Ctrl-P undo"));
	assert_true(hides(s, " u undo"));
	type(s, "O");
	assert_true(shows(s, "F6               :tp 8"));
}

TEST(test_names)
{
	assert_true(command_is_known("undo"));
	assert_true(command_is_known("q"));
	assert_true(command_is_known("tp"));
	assert_false(command_is_known("undoo"));
	assert_string_equal(command_near("undoo"), "undo");
	assert_string_equal(command_near("teps"), "steps"); /* the nearest, not the first that is near */
	assert_null(command_near("zzzzzzzz"));
	assert_null(command_near("x"));
}

/* ---- unsaved work --------------------------------------------------------------------- */

SESSION_TEST(test_keep)
{
	struct session *s = begin(test);
	struct keeper k = { 0 };

	assert_false(keep_unsaved(&k, &s->state));
	assert_int_equal(left.ready, 0);
	/* Ready with the picture of the change, which may never be shown; keys do not put it
	 * off. */
	type(s, "+");
	assert_true(keep_unsaved(&k, &s->state));
	assert_true(state_same(&left.plan, &s->state.plan));
	assert_false(keep_unsaved(&k, &s->state));
	assert_int_equal(left.ready, 1);
	type(s, "-+j");
	assert_false(keep_unsaved(&k, &s->state));
	keep_written(&k, &s->state);
	assert_int_equal(left.drafts, 1);
	type(s, "u"); /* back to what was saved */
	assert_false(keep_unsaved(&k, &s->state));
	assert_int_equal(left.drops, 1);
	key(s, INPUT_CTRL('R'));
	assert_true(keep_unsaved(&k, &s->state));
	keep_written(&k, &s->state);
	assert_int_equal(left.drafts, 2);
	type(s, ":w a.cfg\r");
	assert_false(keep_unsaved(&k, &s->state));
	assert_int_equal(left.drops, 2);
	/* At once, and said once where it can not be. */
	left.fails = true;
	type(s, "-");
	keep_now(&k, &s->state);
	assert_int_equal(left.ready, 3);
	assert_true(shows(s, "no room for drafts"));
	type(s, "-");
	keep_now(&k, &s->state);
	assert_true(hides(s, "no room for drafts"));
}

SESSION_TEST(test_recover)
{
	struct session *s = begin(test);

	keep_offer(&s->state);
	assert_int_equal(s->state.question.kind, QUESTION_NONE);
	left.found = s->state.plan;
	put(&left.found, FIELD_TP, "4");
	left.is_found = true;
	keep_offer(&s->state);
	assert_true(shows(s, "Unsaved work of 2026-11-21 10:15 was found: r recover, d discard, Esc"));
	/* On a narrow screen what it is about counts more than words around it. */
	text_put(s->state.question.note, sizeof s->state.question.note, "2026-11-21 10:15, older than "
	    "the file");
	app_resize(&s->state, 80, 24);
	assert_true(shows(s, "10:15, older than the file: r recover, d discard, Esc"));
	type(s, "s+x"); /* nothing else answers, and that is said */
	assert_true(shows(s, "x is no answer; r, d or Esc is"));
	key(s, INPUT_PAGE_DOWN);
	assert_true(shows(s, "PgDn is no answer"));
	key(s, 'd' | INPUT_PASTED);
	assert_int_equal(s->state.question.kind, QUESTION_RECOVER);
	key(s, INPUT_ESCAPE);
	assert_int_equal(s->state.question.kind, QUESTION_NONE);
	assert_int_equal(left.taken + left.removed, 0);
	keep_offer(&s->state);
	type(s, "q"); /* the work waits for another session */
	assert_int_equal(s->flags & EVENT_QUIT, EVENT_QUIT);
	assert_int_equal(left.taken + left.removed, 0);
	keep_offer(&s->state);
	type(s, "r");
	assert_int_equal(left.taken, 1);
	assert_int_equal(s->state.plan.parallel.tp, 4);
	assert_true(state_unsaved(&s->state));
	assert_true(shows(s, "recovered"));
	type(s, "u");
	assert_int_equal(s->state.plan.parallel.tp, 2);
	left.is_found = true;
	keep_offer(&s->state);
	type(s, "d");
	assert_int_equal(left.removed, 1);
	assert_int_equal(s->state.plan.parallel.tp, 2);
	/* Opening a plan looks for its drafts too. */
	left.is_found = true;
	type(s, ":e alpha.cfg\r");
	assert_int_equal(s->state.question.kind, QUESTION_RECOVER);
}

/* Text where text is typed, and no keys anywhere else. */
SESSION_TEST(test_paste)
{
	static const char text[] = "+q:q!s 4";
	struct session *s = begin(test);

	for (size_t i = 0; text[i] != '\0'; i++)
		key(s, text[i] | INPUT_PASTED);
	assert_int_equal(s->flags, 0);
	assert_int_equal(s->state.prompt.kind, PROMPT_NONE);
	assert_false(state_unsaved(&s->state));
	assert_true(shows(s, "the paste was ignored: open a prompt first"));
	type(s, ":");
	for (size_t i = 0; text[i] != '\0'; i++)
		key(s, text[i] | INPUT_PASTED);
	line_is(s, text);
	key(s, INPUT_ESCAPE);
	/* Lists that filter by typing. */
	app_command(&s->state, "find");
	key(s, 'z' | INPUT_PASTED);
	assert_string_equal(s->state.list.filter, "z");
}

/* Opening with unsaved work: save first, throw away, or stay. */
SESSION_TEST(test_open_unsaved)
{
	struct session *s = begin(test);

	plan_builtin(&s->disk.plan);
	type(s, "+:e alpha.cfg\r");
	assert_true(shows(s, "changes would be lost: s save, d discard, Esc stay"));
	key(s, INPUT_ESCAPE);
	assert_int_equal(s->disk.opens, 0);
	assert_true(state_unsaved(&s->state));
	/* A name is asked for; without one nothing happens. */
	type(s, ":e alpha.cfg\rs");
	assert_int_equal(s->state.prompt.kind, PROMPT_SAVE);
	key(s, INPUT_ESCAPE);
	assert_int_equal(s->disk.opens, 0);
	type(s, ":w mine.cfg\r");
	assert_int_equal(s->disk.opens, 0); /* the wish was forgotten with the prompt */
	type(s, "-:e alpha.cfg\rs");
	assert_int_equal(s->disk.saves, 2);
	assert_int_equal(s->disk.opens, 1);
	assert_string_equal(s->disk.path, "alpha.cfg");
	/* What can not be saved is not thrown away. */
	s->disk.fails = true;
	type(s, "+:e beta.cfg\rs");
	assert_int_equal(s->disk.opens, 1);
	assert_true(shows(s, "disk full"));
	s->disk.fails = false;
	type(s, "s");
	assert_int_equal(s->disk.opens, 1);
	type(s, "+:e beta.cfg\rd");
	assert_string_equal(s->disk.path, "beta.cfg");
}

int
main(void)
{
	setlocale(LC_ALL, "C.UTF-8");
	return unit_run(NULL, NULL);
}
