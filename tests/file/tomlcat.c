/*
 * tomlcat.c - what the reader of TOML makes of each file that is named, a line of JSON a file;
 * of what it refuses "null". For tests that hold it against another reader.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "file/notation/tomlin.h"
#include "file/plan/slurp.h"

int
main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct file_errors errors = { 0 };
		struct slurp file;
		struct jsonin j;
		char why[256], *text;

		if (!slurp_file(&file, argv[i], why, sizeof why))
			return 1;
		text = tomlin_parse(&j, file.text, argv[i], &errors) ? json_dumps(j.root, JSON_COMPACT) : NULL;
		printf("%s\n", text != NULL ? text : "null");
		free(text);
		free(file.text);
		jsonin_free(&j);
	}
	return 0;
}
