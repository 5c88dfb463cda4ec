#include "file/log/run_rows.h"

#include <string.h>

#include "core/base/text.h"

void
run_add(struct run_reader *r, enum measured_id id, int64_t step, double value)
{
	measured_add(r->m, id, step, value, r->place);
}

void
run_fall_back(struct run_reader *r, enum fallback f, int64_t step, double seconds)
{
	series_add(&r->step[f], step, seconds, r->place);
}

void
run_launch(struct run_reader *r, const char *line, bool more)
{
	char *launch = r->m->launch;
	const size_t before = strlen(launch), n = strlen(line);

	if (more != (before > 0))
		return;
	if (before + n + 2 > MEASURED_LAUNCH) /* half of them is not the launch */
		launch[0] = '\0';
	else
		text_add(launch, MEASURED_LAUNCH, "%s%s", more ? "\n" : "", line);
}

void
run_fact(struct run_reader *r, int id, const char *text)
{
	if (text != NULL && *text != '\0')
		measured_fact(r->m, id, text, 0, r->place);
}

void
run_fact_number(struct run_reader *r, int id, double number)
{
	char text[32];

	if (!(number > 0) || number > 1e18)
		return;
	text_real(text, sizeof text, number);
	measured_fact(r->m, id, text, number, r->place);
}

void
run_gpu_name(struct run_reader *r, const char *line, const char *name)
{
	const struct fact *known = measured_find(r->m, FACT_GPU_NAME);

	if (known != NULL && !text_equal(known->text, name))
		run_say(r, EVIDENCE_MIXED_GPUS, line, 0);
	run_fact(r, FACT_GPU_NAME, name);
}

void
run_say(struct run_reader *r, enum evidence_id id, const char *line, double number)
{
	measured_say(r->m, id, line + strspn(line, " \t"), number, r->place);
}

double
run_value(const char *line, const char *key)
{
	const char *at = line != NULL ? log_after(line, key) : NULL;

	if (at == NULL)
		return 0;
	at += strspn(at, "'\": =");
	if (strncmp(at, "np.float", 8) == 0)
		at += strcspn(at, "(") + 1;
	return log_number_after(at, "");
}

double
run_number(const char *text)
{
	const size_t dots = strspn(text + strspn(text, " "), ".");

	return run_value(dots > 1 ? text + strspn(text, " .") : text, "");
}

void
run_word(char *buf, size_t size, const char *text)
{
	size_t skip = 0;

	if (text != NULL)
		skip = strspn(text, " \t'\"");
	text_put(buf, size, "%.*s", text != NULL ? (int)strcspn(text + skip, " \t,;|'\"()[]{}") : 0,
	    text != NULL ? text + skip : "");
}
