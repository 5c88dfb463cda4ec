/*
 * read_files.c - a target of this folder as a program that reads the files named on its command
 * line. With libFuzzer (configure CC=clang CFLAGS='-g -O1 -fsanitize=fuzzer-no-link'
 * --enable-sanitizers, then make fuzzers FUZZ=-fsanitize=fuzzer) there is no main here: it brings
 * its own.
 */
#include <stdio.h>

#include "file/plan/planfile.h"
#include "fuzz.h"

const char *__lsan_default_suppressions(void) __attribute__((weak)); /* program.c has it too */

/* libconfig 1.5 loses the text in hand when it meets a syntax error: 64 bytes, not ours. */
const char *
__lsan_default_suppressions(void)
{
	return "leak:libconfig\n";
}

#ifdef FUZZ_MAIN
int
main(int argc, char **argv)
{
	static uint8_t bytes[PLANFILE_SIZE_MAX + 1]; /* one more than is allowed */

	for (int i = 1; i < argc; i++) {
		FILE *f = fopen(argv[i], "rb");
		size_t n;

		if (f == NULL) {
			perror(argv[i]);
			return 1;
		}
		n = fread(bytes, 1, sizeof bytes, f);
		fclose(f);
		LLVMFuzzerTestOneInput(bytes, n);
	}
	return 0;
}
#endif
