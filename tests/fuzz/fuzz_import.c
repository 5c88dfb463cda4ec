/*
 * fuzz_import.c - any bytes as a file of each kind that import knows, the first byte says which
 * or that it be recognised, and for how many GPUs: nothing but an answer may come of them, and a
 * plan that did must be written and read back.
 *
 * With libFuzzer: configure CC=clang CFLAGS='-g -O1 -fsanitize=fuzzer-no-link'
 * --enable-sanitizers, and make fuzzers FUZZ=-fsanitize=fuzzer. Without it -DFUZZ_MAIN, which `make
 * fuzzers` gives, makes a program that reads the files named on its command line.
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

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct plan plan;
	static struct file_errors errors;
	struct import im = { .name = "file", .plan = &plan, .errors = &errors };
	static const int64_t worlds[] = { 0, 8, PLAN_WORLD_MAX };
	const size_t kind = size > 0 ? data[0] % (import_count + 1) : 0;
	char *text;

	if (size == 0 || size > PLANFILE_SIZE_MAX || (text = malloc(size)) == NULL)
		return 0;
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	im.text = text;
	im.size = size - 1;
	im.world = worlds[data[0] / (import_count + 1) % 3];
	memset(&errors, 0, sizeof errors);
	if (import_text(&im, kind < import_count ? import_table[kind].name : NULL) == IMPORT_DONE)
		check_plan(&plan);
	else if (errors.count == 0)
		abort();
	import_free(&im);
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
