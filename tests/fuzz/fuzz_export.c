/*
 * fuzz_export.c - any bytes as a plan to export. The first byte says to which target; what comes back
 * of its files is the plan, but for what the export said that the target has no word for. What
 * import does not read is written alone.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../torture/thereback.h"
#include "core/rules/check.h"
#include "fuzz.h"
#include "look.h"

static void
found(void *context, const char *what, const char *more)
{
	(void)context;
	look_fail(what, more);
}

static void
export(const struct exporter *by, const struct plan *p)
{
	const struct thereback t = { .by = by, .catalog = look_catalog(), .found = found };
	struct export e = { .plan = p, .catalog = look_catalog(), .source = "plan.cfg" };
	struct plan back;

	if (by->kind != NULL)
		there_and_back(&t, p, &back);
	else if (by->write != NULL)
		export_write(&e, by);
	export_free(&e);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct planfile file;
	static struct plan plan;
	static struct file_errors errors;
	char *text;

	if (size == 0 || size > PLANFILE_SIZE_MAX || (text = malloc(size)) == NULL ||
	    chdir(look_home()) != 0)
		return 0;
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	memset(&errors, 0, sizeof errors);
	if (planfile_read_text(&file, &plan, "plan.cfg", text, size - 1, look_catalog(), &errors) &&
	    plan_is_legal(&plan, look_catalog()))
		export(&export_table[data[0] % export_count], &plan);
	free(text);
	return 0;
}
