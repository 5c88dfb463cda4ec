/* What is saved is read back as it was: values, what the user set, and what follows. */
#include "filetest.h"

#include <dirent.h>
#include <math.h>

#include "../core/settings.h"
#include "core/estimate/estimate.h"
#include "core/framework/resolve.h"
#include "core/plan/field_source.h"
#include "core/rules/step.h"
#include "core/serve/serve_setup.h"

static struct planfile file;
static struct plan plan;
static struct file_errors errors;

static bool
read_name(const char *name)
{
	memset(&errors, 0, sizeof errors);
	return planfile_read(&file, &plan, name, &test_catalog, &errors);
}

static uint64_t seed = 88172645463325252u;

static uint64_t
rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static void
random_text(char *buf, size_t size)
{
	static const char *const pieces[] = { "a", "B", " ", "\"", "\\", "\n", "\t", "\r", "\f",
	    "\x01", "\x1b[2J", "\x7f", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "@include \"x\"",
	    "# ", "/*", "\\x41", "999999999999", "\xc2\x9b", "\n@include \"/\"\n" };
	size_t used = 0, n = rnd() % 30;

	buf[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		const char *p = pieces[rnd() % (sizeof pieces / sizeof pieces[0])];

		if (used + strlen(p) >= size)
			break;
		strcpy(buf + used, p);
		used += strlen(p);
	}
}

static double
random_real(double least, double most)
{
	static const double some[] = { 0.1, 1.0 / 3, 2.2250738585072014e-308, 5e-324, -0.0, 1e5, 1e-7,
	    123456.789, 0.30000000000000004, 65536 };
	double v = some[rnd() % (sizeof some / sizeof some[0])];

	if (rnd() % 2 == 0)
		v = least + (most - least) * ((double)(rnd() >> 11) / 9007199254740992.0);
	return v < least ? least : v > most ? most : v;
}

static void
random_field(enum field_id f, struct plan *p)
{
	const struct field *row = &field_table[f];
	char text[PLAN_NOTES_SIZE], err[200];
	int64_t choices = 0;

	switch (row->type) {
	case FIELD_INT:
		assert_true(field_put_int(f, p, (int64_t)random_real(row->least, row->most), err,
		    sizeof err));
		break;
	case FIELD_REAL:
		assert_true(field_put_real(f, p, random_real(row->least, row->most), err, sizeof err));
		break;
	case FIELD_BOOL:
		assert_true(field_put_int(f, p, (int64_t)(rnd() % 2), err, sizeof err));
		break;
	case FIELD_CHOICE:
		while (field_choice(f, choices, text, sizeof text))
			choices++;
		assert_true(field_put_int(f, p, (int64_t)(rnd() % (uint64_t)choices), err, sizeof err));
		break;
	case FIELD_TEXT:
		random_text(text, row->size);
		if (f == FIELD_GPU)
			strcpy(text, test_catalog.gpus.entry[rnd() % test_catalog.gpus.count].id);
		if (f == FIELD_PRESET)
			strcpy(text, test_catalog.models.entry[rnd() % test_catalog.models.count].id);
		assert_true(field_put_text(f, p, text, err, sizeof err));
		break;
	}
}

static void
random_plan(struct plan *p, const struct plan *from, unsigned share)
{
	*p = *from;
	for (int f = 0; f < FIELD_COUNT; f++)
		if (rnd() % 100 < share)
			random_field((enum field_id)f, p);
	plan_resolve(p, &test_catalog);
}

/* Reals bit by bit: -0.0 is not 0.0. */
static bool
same_value(enum field_id f, const struct plan *a, const struct plan *b)
{
	const struct field *row = &field_table[f];

	return memcmp((const char *)a + row->offset, (const char *)b + row->offset,
	    row->type == FIELD_TEXT ? strlen(field_text(f, a)) + 1 : row->size) == 0;
}

/* Values, and where each is from: what the user set, and what follows. */
static void
assert_same_plan(const struct plan *a, const struct plan *b, const char *text)
{
	for (enum field_id f = 0; f < FIELD_COUNT; f++) {
		if (!same_value(f, a, b))
			fail_msg("%s differs after a round trip:\n%s", field_table[f].path, text);
		if (field_source(f, a).from != field_source(f, b).from)
			fail_msg("%s is from elsewhere after a round trip:\n%s", field_table[f].path, text);
		if (field_table[f].origin != ORIGIN_DEFAULT && field_is_set(f, a) != field_is_set(f, b))
			fail_msg("%s: set or not set after a round trip:\n%s", field_table[f].path, text);
	}
}

/* Written and read under that name, twice. */
static void
round_trip_at(const struct planfile *from, const struct plan *p, const char *name)
{
	char *text = planfile_text(from, p, &test_catalog), *again;
	static struct planfile back;
	static struct plan q;

	assert_non_null(text);
	memset(&errors, 0, sizeof errors);
	if (!planfile_read_text(&back, &q, name, text, strlen(text), &test_catalog, &errors))
		fail_msg("%s\n%s", errors.line[0], text);
	assert_same_plan(p, &q, text);
	assert_int_equal(serve_setup_of(p).version, serve_setup_of(&q).version);
	assert_false(back.has_comments);
	again = planfile_text(&back, &q, &test_catalog);
	assert_non_null(again);
	assert_string_equal(text, again);
	free(text);
	free(again);
}

static void
round_trip(const struct planfile *from, const struct plan *p)
{
	round_trip_at(from, p, in_dir("x.cfg"));
}

DIR_TEST(test_round_trip)
{
	static struct planfile none, some;
	static struct plan empty, p, base;

	plan_defaults(&empty);
	plan_defaults(&none.inherited);
	for (int i = 0; i < 300; i++) {
		random_plan(&p, &empty, i < 20 ? 100 : (unsigned)(rnd() % 101));
		round_trip(&none, &p);
	}
	/* With a base, which is itself written and read. */
	for (int i = 0; i < 300; i++) {
		char *text;

		random_plan(&base, &empty, (unsigned)(rnd() % 50));
		text = planfile_text(&none, &base, &test_catalog);
		assert_non_null(text);
		put_file("base.cfg", text);
		free(text);
		put_file("top.cfg", "base = \"base.cfg\";");
		assert_true(read_name(in_dir("top.cfg")));
		some = file;
		random_plan(&p, &plan, (unsigned)(rnd() % 50));
		/* Take some of it back. */
		for (int f = 0; f < FIELD_COUNT; f++)
			if (rnd() % 10 == 0)
				field_mark((enum field_id)f, &p, false);
		/* Names first, then what the entries of those names bring. */
		plan_resolve(&p, &test_catalog);
		plan_resolve(&p, &test_catalog);
		round_trip(&some, &p);
	}
}

DIR_TEST(test_builtin)
{
	planfile_builtin(&file, &plan, &test_catalog);
	assert_string_equal(file.path, "");
	assert_int_equal(plan_world(&plan), 16);
	assert_true(plan.cluster.memory_gib > 79);
	round_trip(&file, &plan);
}

/* A plan as it is after saving and reopening. */
static void
reopen(const struct planfile *from, const struct plan *p, struct plan *back)
{
	static struct planfile ignored;
	char *text = planfile_text(from, p, &test_catalog);

	assert_non_null(text);
	memset(&errors, 0, sizeof errors);
	if (!planfile_read_text(&ignored, back, in_dir("x.cfg"), text, strlen(text), &test_catalog, &errors))
		fail_msg("%s\n%s", errors.line[0], text);
	free(text);
}

/* Whatever is changed next, it does the same with and without saving before. */
static void
assert_same_steps(const struct plan *a, const struct plan *b)
{
	static struct plan x, y;

	for (enum field_id f = 0; f < FIELD_COUNT; f++)
		for (int way = -1; way <= 1; way += 2) {
			const bool one = step_plain(a, &test_catalog, f, way, &x);
			const bool two = step_plain(b, &test_catalog, f, way, &y);

			assert_int_equal(one, two);
			if (one)
				assert_same_plan(&x, &y, field_table[f].path);
		}
}

DIR_TEST(test_steps_after_saving)
{
	static struct planfile none;
	static struct plan empty, p, back;

	plan_defaults(&empty);
	plan_defaults(&none.inherited);
	for (int i = 0; i < 100; i++) {
		random_plan(&p, &empty, (unsigned)(rnd() % 40));
		reopen(&none, &p, &back);
		assert_same_steps(&p, &back);
	}
}

static double
peak_of(const struct plan *p)
{
	static struct estimate e;

	estimate_run(&e, p, &test_catalog, NULL);
	assert_true(e.legal);
	return e.peak_total;
}

/* Experts are split over TP as long as nobody says otherwise. */
DIR_TEST(test_experts_go_on_following)
{
	static struct plan back, next, as_unsaved;
	static const char text[] = "model: { preset = \"mixtral-8x7b\"; }; cluster: { nodes = 8; };"
	    "parallel: { tp = 4; ep = 2; pp = 4; };";

	memset(&errors, 0, sizeof errors);
	assert_true(planfile_read_text(&file, &plan, "plan.cfg", text, strlen(text), &test_catalog,
	    &errors));
	assert_int_equal(plan.parallel.etp, 4);
	reopen(&file, &plan, &back);
	for (int way = -1; way <= 1; way += 2) {
		assert_true(step_legal(&plan, &test_catalog, FIELD_TP, way, &as_unsaved));
		assert_true(step_legal(&back, &test_catalog, FIELD_TP, way, &next));
		assert_int_equal(next.parallel.etp, next.parallel.tp);
		assert_int_equal(next.parallel.sequence_parallel, next.parallel.tp > 1);
		assert_true(fabs(peak_of(&next) - peak_of(&as_unsaved)) <= 0);
	}
	/* Said outright it stays. */
	settings_set(&plan, "etp", "4");
	reopen(&file, &plan, &back);
	assert_true(step_legal(&back, &test_catalog, FIELD_TP, -1, &next));
	assert_int_equal(next.parallel.tp, 2);
	assert_int_equal(next.parallel.etp, 4);
}

/* The shipped plans, saved where they are found and as plans of their own. */
DIR_TEST(test_shipped_plans)
{
	static struct estimate before, after;
	static struct planfile alone;
	static struct plan back;
	char path[1300], dir[1024];
	const struct dirent *e;
	int plans = 0;
	DIR *d;

	snprintf(dir, sizeof dir, "%s/plans", getenv("SHARDPLAN_DATADIR"));
	plan_defaults(&alone.inherited);
	assert_non_null(d = opendir(dir));
	while ((e = readdir(d)) != NULL) {
		if (strstr(e->d_name, ".cfg") == NULL)
			continue;
		plans++;
		snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
		if (!read_name(path))
			fail_msg("%s", errors.line[0]);
		round_trip_at(&file, &plan, path);
		round_trip(&alone, &plan);
		reopen(&alone, &plan, &back);
		assert_same_steps(&plan, &back);
		estimate_run(&before, &plan, &test_catalog, NULL);
		estimate_run(&after, &back, &test_catalog, NULL);
		assert_true(fabs(before.peak_total - after.peak_total) <= 0);
		assert_true(fabs(before.step.seconds - after.step.seconds) <= 0);
		assert_true(fabs(before.serve.tpot_seconds - after.serve.tpot_seconds) <= 0);
		assert_true(before.peak_total > 0);
	}
	closedir(d);
	assert_true(plans >= 17);
}

int
main(void)
{
	return unit_run(load_catalog, free_catalog);
}
