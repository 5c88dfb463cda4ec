/*
 * fuzz_import.c - any bytes as a file of each kind that import knows. The first byte says which,
 * or, where there is no such kind (0xff always), that it be recognised, and for how many GPUs.
 * Nothing but an answer may come of them, and a plan that did is estimated, and must be written and
 * read back.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "file/import/import.h"
#include "fuzz.h"
#include "look.h"

enum { KINDS = 64 }; /* more than there are */

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct plan plan;
	static struct file_errors errors;
	struct import im = { .name = "file", .catalog = look_catalog(), .plan = &plan, .errors = &errors };
	static const int64_t worlds[] = { 0, 8, PLAN_WORLD_MAX };
	const size_t kind = size > 0 ? data[0] % KINDS : 0;
	char *text;

	if (size == 0 || size > PLANFILE_SIZE_MAX || (text = malloc(size)) == NULL)
		return 0;
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	im.text = text;
	im.size = size - 1;
	im.world = worlds[data[0] / KINDS % 3];
	memset(&errors, 0, sizeof errors);
	if (import_text(&im, kind < import_count ? import_table[kind].name : NULL) == IMPORT_DONE) {
		look_saved(&plan);
		look_estimate(&plan);
	} else if (errors.count == 0) {
		abort();
	}
	import_free(&im);
	free(text);
	return 0;
}
