/* Topics that speak of the user's plan. */
#include <locale.h>

#include "file/plan/paths.h"
#include "file/prefs/topics.h"
#include "search_view_fake.h"
#include "ui/list/guide.h"
#include "ui/list/list.h"

static struct topics pages[2];

static const struct topic *
fake_topic(void *context, const char *language, size_t i)
{
	const struct topics *t = &pages[text_equal(language, "zh")];

	(void)context;
	return i < t->count ? &t->topic[i] : NULL;
}

static struct session *
begin(void **test)
{
	struct session *s = session_searching(test, 100, 60);

	s->files.topic = fake_topic;
	return s;
}

SESSION_TEST(test_lines)
{
	struct session *s = begin(test);
	const struct diag *d;
	char text[512], line[512], link[GUIDE_LINK_SIZE];

	assert_true(guide_line(&s->state, " | parallel.tp | TP {parallel.tp} of {parallel.world}.", text,
	    sizeof text, link));
	assert_string_equal(text, "TP 2 of 16.");
	assert_string_equal(link, "parallel.tp");
	assert_true(guide_line(&s->state, "parallel.tp>=2&parallel.pp<=4 | | yes", text, sizeof text, link));
	assert_string_equal(text, "yes");
	assert_string_equal(link, "");
	assert_false(guide_line(&s->state, "parallel.tp>=2&parallel.pp<=3 | | no", text, sizeof text, link));
	/* What the plan does not have: another mode's, no such path, a diagnostic that is not there. */
	assert_false(guide_line(&s->state, " | | {serving.ttft_seconds}", text, sizeof text, link));
	assert_false(guide_line(&s->state, " | | {serving.block_size}", text, sizeof text, link));
	assert_false(guide_line(&s->state, " | | {parallel.none}", text, sizeof text, link));
	assert_false(guide_line(&s->state, "pp_layers | | {pp_layers}", text, sizeof text, link));
	app_command(&s->state, "set tp 3");
	assert_false(s->state.estimate->legal);
	d = &s->state.estimate->diags.item[0];
	text_put(line, sizeof line, "%s | errors | {%s}", d->reason, d->reason);
	assert_true(guide_line(&s->state, line, text, sizeof text, link));
	assert_string_equal(text, d->message);
}

/* A path of a line of the primer that no plan has would hide the line for ever. */
TEST(test_paths)
{
	for (size_t l = 0; l < COUNT(pages); l++)
		for (size_t i = 0; i < pages[l].count; i++)
			for (const char *at = pages[l].topic[i].text; (at = strchr(at, '{')) != NULL; at++) {
				char path[96];

				text_put(path, sizeof path, "%.*s", (int)strcspn(at + 1, "}\n"), at + 1);
				if (strchr(path, '.') != NULL && field_by_path(path, strlen(path)) == FIELD_NONE &&
				    result_find(path) == RESULT_COUNT)
					fail_msg("%s", path);
			}
}

/* On plans of all sorts each link leads somewhere. */
SESSION_TEST(test_links)
{
	static const char *const plans[] = {
		"set tp 2", "set tp 3", "set training.micro_batch_size 32", "set model.experts 8",
		"set mode serve",
	};

	for (size_t p = 0; p < COUNT(plans); p++) {
		struct session *s = begin(test);
		int links = 0, items;
		struct rows rows;

		app_command(&s->state, plans[p]);
		app_command(&s->state, "topics tune");
		assert_int_equal(s->state.list.kind, LIST_TOPIC);
		list_rows(&rows, &s->state, 90);
		items = rows.items;
		rows_free(&rows);
		for (int i = 0; i < items; i++) {
			app_command(&s->state, "topics tune");
			s->state.list.item = i;
			if (list_target(&s->state) < 0)
				continue;
			links++;
			s->state.message[0] = '\0';
			key(s, INPUT_ENTER);
			assert_int_not_equal(s->state.list.kind, LIST_TOPIC);
			assert_int_not_equal(s->state.message_role == ROLE_ERROR && s->state.message[0] != '\0', 1);
			while (search_view_look(&s->state))
				continue;
		}
		assert_true(links >= 3);
	}
}

SESSION_TEST(test_page)
{
	struct session *s = begin(test);

	app_command(&s->state, "topics tune");
	assert_true(shows(s, "It fits: 23.6 GiB of 79.2 GiB"));
	assert_true(shows(s, "Your model has no experts."));
	assert_true(hides(s, "It does not fit"));
	key(s, INPUT_ESCAPE);
	key(s, INPUT_ESCAPE);
	app_command(&s->state, "set training.micro_batch_size 32");
	app_command(&s->state, "topics tune");
	assert_true(shows(s, "It does not fit: "));
}

/* A serving plan has its own numbers, hints and no ZeRO to weigh. */
SESSION_TEST(test_serving)
{
	struct session *s = begin(test);

	app_command(&s->state, "set mode=serve tp=1 pp=1 nodes=1 concurrency=8");
	app_command(&s->state, "topics tune");
	assert_true(hides(s, "Weigh PP"));
	key(s, INPUT_END);
	assert_true(shows(s, "TP 1, 1 engines: weights "));
	assert_true(shows(s, ": request "));
	/* Narrow, its number and its key are there. */
	key(s, INPUT_ESCAPE);
	app_resize(&s->state, 80, 24);
	assert_true(shows(s, ": request ") && shows(s, "(f: "));
}

int
main(void)
{
	char why[256], share[4096];
	int failed;

	setlocale(LC_ALL, "C.UTF-8");
	text_put(share, sizeof share, "%s/share", getenv("TOP") != NULL ? getenv("TOP") : ".");
	setenv("SHARDPLAN_DATADIR", share, 1);
	paths_init(NULL);
	if (!topics_read(&pages[0], "en", why, sizeof why) ||
	    !topics_read(&pages[1], "zh", why, sizeof why)) {
		fprintf(stderr, "%s\n", why);
		return 1;
	}
	failed = unit_run(NULL, NULL);
	topics_free(&pages[0]);
	topics_free(&pages[1]);
	free(fake.worker);
	return failed;
}
