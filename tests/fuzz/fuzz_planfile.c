/*
 * fuzz_planfile.c - any bytes as a plan: nothing but an answer may come of them, and what was taken
 * is estimated, and must be written and read back as the same plan and the same text.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "file/plan/planfile.h"
#include "fuzz.h"
#include "look.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct planfile file, again;
	static struct plan plan, back;
	static struct file_errors errors;
	char *text, *first, *second;

	if (size > PLANFILE_SIZE_MAX || (text = malloc(size + 1)) == NULL)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	memset(&errors, 0, sizeof errors);
	if (planfile_read_text(&file, &plan, "/nonexistent/plan.cfg", text, size, look_catalog(), &errors)) {
		first = planfile_text(&file, &plan, look_catalog());
		if (first == NULL || !planfile_read_text(&again, &back, "/nonexistent/plan.cfg", first,
		    strlen(first), look_catalog(), &errors))
			abort();
		second = planfile_text(&again, &back, look_catalog());
		if (second == NULL || strcmp(first, second) != 0)
			abort();
		free(first);
		free(second);
		look_same(&plan, &back, "when it is read again");
		look_saved(&plan);
		look_estimate(&plan);
	} else if (errors.count == 0) {
		abort();
	}
	free(text);
	return 0;
}
