/*
 * fuzz_import.c - any bytes as each kind of file that import reads: an answer, and a plan that
 * can be written, or complaints, may come of them; nothing else.
 *
 * As fuzz_planfile.c.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/import/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A plan as it was written: the same when read again. */
static void
check_plan(const struct plan *plan)
{
	static struct planfile file;
	static struct plan back;
	static struct file_errors errors;
	char *text;

	memset(&errors, 0, sizeof errors);
	planfile_builtin(&file, &back, NULL);
	text = planfile_text(&file, plan, NULL);
	if (text == NULL || !planfile_read_text(&file, &back, "/nonexistent/plan.cfg", text,
	    strlen(text), NULL, &errors))
		abort();
	free(text);
}

static void
import_as(const char *text, size_t size, const char *kind)
{
	static struct plan plan;
	static struct file_errors errors;
	struct import im = { .name = "input", .text = text, .size = size, .plan = &plan,
		.errors = &errors };

	memset(&errors, 0, sizeof errors);
	if (import_text(&im, kind) == IMPORT_DONE)
		check_plan(&plan);
	else if (errors.count == 0)
		abort();
	import_free(&im);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (size > PLANFILE_SIZE_MAX || (text = malloc(size + 1)) == NULL)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	for (size_t i = 0; i < import_count; i++)
		import_as(text, size, import_table[i].name);
	free(text);
	return 0;
}

#ifdef FUZZ_MAIN
int
main(int argc, char **argv)
{
	static uint8_t bytes[PLANFILE_SIZE_MAX];

	for (int i = 1; i < argc; i++) {
		FILE *f = fopen(argv[i], "rb");
		size_t n;

		if (f == NULL)
			return 1;
		n = fread(bytes, 1, sizeof bytes, f);
		fclose(f);
		LLVMFuzzerTestOneInput(bytes, n);
	}
	return 0;
}
#endif
