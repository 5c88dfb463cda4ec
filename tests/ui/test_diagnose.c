/* The files of a run beside the plan: numbers, what differs, causes; Enter opens and applies one. */
#include <locale.h>

#include "support.h"
#include "core/diagnose/measured.h"
#include "ui/list/list.h"
#include "ui/state/checkup.h"

/* A run of twice the batch, fuller by half than its plan, in whose log a line says why. */
static double allocated;

static bool
fake_measure(void *context, const char *files, struct measured *m, char *note, size_t size)
{
	const struct place place = { 0, 7 };

	(void)context;
	if (strcmp(files, "missing.log") == 0) {
		text_put(note, size, "missing.log: No such file or directory");
		return false;
	}
	text_put(m->file[m->files++].path, MEASURED_PATH, "%s", files);
	if (strcmp(files, "other.log") == 0)
		measured_fact(m, FIELD_GLOBAL_BATCH_SIZE, "128", 128, place);
	if (strcmp(files, "oom.log") == 0)
		m->oom = (struct measured_oom){ .count = 1, .rank = 15, .phase = OOM_UPDATE,
			.asked = 2e9, .free = 1e9, .unallocated = 4e9 };
	if (strcmp(files, "ended.log") == 0)
		measured_say(m, EVIDENCE_OUT_OF_TIME, "DUE TO TIME LIMIT", 0, place);
	if (strcmp(files, "said.log") == 0) {
		measured_say(m, EVIDENCE_FRAGMENTS, "reserved but unallocated", 0, place);
		measured_say(m, EVIDENCE_EXPERT_RATE, "12.5 GB/s", 0, place);
	}
	if (strcmp(files, "nothing.log") == 0)
		return true;
	measured_memory(m, &(struct measured_memory){ .rank = 0, .stage = -1, .iterations = -1,
		.allocated = allocated });
	return true;
}

static struct session *
session_measured(void **test, const char *line)
{
	struct session *s = session_new(test, 120, 40);

	s->files.measure = fake_measure;
	allocated = 1.6 * s->state.estimate->stage[s->state.estimate->peak_stage].memory.allocated;
	type(s, line);
	return s;
}

/* The target of the first cause that a field says. */
static int
first_said(const struct session *s)
{
	const struct diagnosis *d = &s->state.checkup->found;

	for (size_t i = 0; i < d->causes; i++)
		if (d->cause[i].sets > 0 && d->cause[i].cause != NULL &&
		    d->cause[i].certainty != CERTAINTY_EXCLUDED)
			return 200 + (int)i;
	return -1;
}

SESSION_TEST(test_shows)
{
	struct session *s = session_measured(test, ":diagnose run.log\r");

	assert_int_equal(s->state.list.kind, LIST_DIAGNOSE);
	assert_true(shows(s, "the run and the plan: run.log"));
	assert_true(shows(s, "allocated"));
	assert_true(shows(s, "+60.0 %!"));
	assert_true(shows(s, "\342\226\210\342\226\223")); /* the plan's bar, and the run's above it */
	assert_true(shows(s, "Causes, and what each explains of +"));
	assert_true(hides(s, "not the run's"));
	s->state.settings.ascii = true;
	assert_true(hides(s, "\342\226\223"));
}

SESSION_TEST(test_bad_file)
{
	struct session *s = session_measured(test, ":diagnose missing.log\r");

	assert_true(shows(s, "missing.log: No such file"));
	assert_int_equal(s->state.list.kind, LIST_NONE);
	assert_null(s->state.checkup);
	type(s, ":diagnose run.log\r\033:diagnose missing.log\r");
	assert_string_equal(s->state.checkup->name, "run.log");
}

/* Files that tell nothing open no empty list, and what was read before stays. */
SESSION_TEST(test_nothing)
{
	struct session *s = session_measured(test, ":diagnose nothing.log\r");

	assert_true(shows(s, "the files tell nothing that this plan estimates"));
	assert_int_equal(s->state.list.kind, LIST_NONE);
	assert_null(s->state.checkup);
	type(s, ":diagnose run.log\r\033:diagnose nothing.log\r");
	assert_string_equal(s->state.checkup->name, "run.log");
}

/* R asks for a file, and later shows what was read. */
SESSION_TEST(test_key)
{
	struct session *s = session_measured(test, "R");

	assert_int_equal(s->state.prompt.kind, PROMPT_COMMAND);
	type(s, "run.log\r");
	assert_int_equal(s->state.list.kind, LIST_DIAGNOSE);
	key(s, INPUT_ESCAPE);
	assert_int_equal(s->state.list.kind, LIST_NONE);
	type(s, "R");
	assert_int_equal(s->state.list.kind, LIST_DIAGNOSE);
}

/* A cause that is open shows the line that states it; what lines say that no cause has stands below. */
SESSION_TEST(test_evidence)
{
	struct session *s = session_measured(test, ":diagnose said.log\r");

	assert_true(shows(s, "certain"));
	key(s, INPUT_ENTER);
	assert_true(shows(s, "said.log:7 \"reserved but unallocated\""));
	assert_true(shows(s, "closes this: no field says it"));
	assert_true(shows(s, "Also seen"));
	assert_true(shows(s, "said.log:7 \"12.5 GB/s\""));
}

SESSION_TEST(test_ended)
{
	struct session *s = session_measured(test, ":diagnose ended.log\r");

	assert_true(shows(s, "How the run ended"));
	assert_true(shows(s, "the job came to the end of its time"));
	assert_true(shows(s, "ended.log:7 \"DUE TO TIME LIMIT\""));
	assert_true(shows(s, "--exit-duration-in-mins"));
}

/* Enter opens a cause, again puts it into the plan; the numbers follow; u undoes it. */
SESSION_TEST(test_applies)
{
	struct session *s = session_measured(test, ":diagnose run.log\r");
	const int target = first_said(s);
	const double before = s->state.checkup->found.term[0].estimated;
	const struct plan was = s->state.plan;

	assert_true(target >= 0);
	list_select(&s->state, target);
	key(s, INPUT_ENTER);
	assert_true(state_same(&s->state.plan, &was));
	assert_true(shows(s, "look at"));
	assert_true(shows(s, "puts that into the plan"));
	type(s, "D");
	assert_int_equal(s->state.list.kind, LIST_COMPARE);
	assert_true(shows(s, "the run's plan and this plan"));
	key(s, INPUT_ESCAPE);
	assert_int_equal(s->state.list.kind, LIST_DIAGNOSE);
	list_select(&s->state, target);
	key(s, INPUT_ENTER);
	assert_false(state_same(&s->state.plan, &was));
	assert_true(s->state.checkup->found.term[0].estimated > before);
	key(s, INPUT_ESCAPE);
	type(s, "u");
	assert_true(state_same(&s->state.plan, &was));
}

/* What the run says otherwise is taken, after which nothing differs. */
SESSION_TEST(test_adopts)
{
	struct session *s = session_measured(test, ":diagnose other.log\r");

	assert_true(shows(s, "training.global_batch_size: plan "));
	assert_true(shows(s, "run 128  other.log:7"));
	key(s, INPUT_ENTER);
	assert_int_equal(s->state.plan.training.global_batch_size, 128);
	assert_true(hides(s, "not the run's"));
	assert_int_equal(s->state.checkup->found.mismatches, 0);
}

/* Out of memory: in which phase, on which stage, and what to do first. */
SESSION_TEST(test_oom)
{
	struct session *s = session_measured(test, ":diagnose oom.log\r");

	assert_true(shows(s, "Out of memory in the optimizer's step: stage 3"));
	assert_true(shows(s, "run   asked 1.86 GiB  free 954 MiB  reserved besides 3.73 GiB"));
	assert_true(shows(s, "plan  parameters"));
	assert_true(shows(s, "first  PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"));
}

SESSION_TEST(test_illegal)
{
	struct session *s = session_measured(test, ":diagnose run.log\r\033:tp 7\r");

	type(s, "R");
	assert_true(shows(s, "the plan has errors"));
	key(s, INPUT_ENTER);
	type(s, "D");
	assert_int_equal(s->state.list.kind, LIST_COMPARE); /* with the saved one */
}

int
main(void)
{
	setlocale(LC_ALL, "C.UTF-8");
	return unit_run(NULL, NULL);
}
