/* search_view_fake.h - a search that is over before it begins, but tells of itself bit by bit. */
#ifndef TESTS_UI_SEARCH_VIEW_FAKE_H
#define TESTS_UI_SEARCH_VIEW_FAKE_H
#include "support.h"
#include "ui/list/views.h"
#include "ui/state/search_view.h"

static struct fake_search {
	struct search search;
	struct search_worker *worker;
	struct search_key key[SEARCH_VIEW_ROOM];
	int looks;    /* news that tell of a part, before those that tell of all */
	int begun, stopped;
	bool cut;     /* it was stopped before its end */
} fake;

static UNUSED bool
fake_search(void *context, const struct search *search, size_t room, char *note, size_t size)
{
	struct search_control control = { .next = 0 };

	(void)context, (void)note, (void)size;
	assert_int_equal(room, SEARCH_VIEW_ROOM);
	if (fake.worker == NULL)
		fake.worker = malloc(sizeof *fake.worker);
	fake.search = *search;
	*fake.worker = (struct search_worker){ .room = room, .key = fake.key };
	assert_true(search_run(&fake.search, fake.worker, 1, &control));
	if (fake.worker->kept == 0) {
		fake.search.explains = SEARCH_EXPLAINED;
		control.next = 0;
		assert_true(search_run(&fake.search, fake.worker, 1, &control));
	}
	fake.begun++;
	fake.cut = false;
	return true;
}

static UNUSED void
fake_news(void *context, struct search_news *news, struct search_key *key)
{
	const struct search_worker *w = fake.worker;
	const bool part = fake.looks > 0 || fake.cut;

	(void)context;
	*news = (struct search_news){ .runs = part && !fake.cut, .whole = !part, .share = part ? 0.5 : 1,
		.seconds = 0.02, .threads = 2, .counts = w->counts, .full = w->full,
		.has_nearest = w->has_nearest, .nearest = w->nearest,
		.kept = part ? w->kept / 2 : w->kept };
	/* The worse half is found first. */
	memcpy(key, w->key + (part ? w->kept - news->kept : 0), news->kept * sizeof *key);
	fake.looks -= fake.looks > 0;
}

static UNUSED void
fake_stop(void *context, bool wait)
{
	(void)context, (void)wait;
	fake.stopped++;
	fake.cut = true;
}

static UNUSED int64_t
fake_today(void)
{
	return 20785; /* 2026-11-28 */
}

static UNUSED struct session *
session_searching(void **test, int columns, int rows)
{
	struct session *s = session_new(test, columns, rows);
	struct plan *gpu = &s->gpu[0].values;

	/* A GPU that steps can be timed on. */
	put(gpu, FIELD_BF16_TFLOPS, "989");
	put(gpu, FIELD_HBM_GBPS, "3350");
	put(gpu, FIELD_NVLINK_GBPS, "450");
	plan_resolve(&s->state.plan, &s->catalog);
	s->state.saved = s->state.undo.entry[0].plan = s->state.plan;
	app_act(&s->state, EVENT_RECALC);
	free(fake.worker);
	fake = (struct fake_search){ .looks = 0 };
	s->files.search = fake_search;
	s->files.search_news = fake_news;
	s->files.search_stop = fake_stop;
	s->files.today = fake_today;
	return s;
}
#endif
