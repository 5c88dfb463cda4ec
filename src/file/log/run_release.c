/*
 * Releases of programs, as they say them: NVIDIA/nccl src/init.cc, nccl-tests src/util.cu, DeepSpeed
 * deepspeed/__init__.py, vLLM v1/engine/core.py and entrypoints.
 */
#include <stdlib.h>

#include "core/base/text.h"
#include "file/log/run_rows.h"

/* Numbers of a release as one. */
#define NUMBER(major, minor, patch) (((major) * 1000 + (minor)) * 1000 + (patch))

static const struct {
	enum evidence_id id;
	const char *program;
	long from, before;
} releases[] = {
#define RELEASE(id, program, a, b, c, d, e, f) { EVIDENCE_##id, program, NUMBER(a, b, c), NUMBER(d, e, f) },
#include "core/diagnose/releases.def"
};

static void
say_release(struct run_reader *r, const char *line, const char *program, long number)
{
	for (size_t i = 0; i < sizeof releases / sizeof *releases; i++)
		if (text_equal(program, releases[i].program) && number >= releases[i].from &&
		    number < releases[i].before)
			run_say(r, releases[i].id, line, 0);
}

/* "2.27.6+cuda13.0", "0.11.1rc2.dev141", "0.18"; what follows a patch tells nothing here. */
void
run_release(struct run_reader *r, const char *line, const char *program, const char *text)
{
	long part[3] = { 0, 0, 0 };

	for (int i = 0; i < 3 && *text >= '0' && *text <= '9'; i++) {
		char *end;

		part[i] = strtol(text, &end, 10);
		if (part[i] > 999)
			return;
		text = end + (*end == '.');
	}
	say_release(r, line, program, NUMBER(part[0], part[1], part[2]));
	if (text_equal(program, "vllm"))
		run_fact(r, FIELD_ENGINE_VERSION, TEXT_OF(32, "%ld.%ld.%ld", part[0], part[1], part[2]));
}

/* "NCCL version 2.27.6+cuda13.0", "vLLM is using nccl==2.27.3" */
TAKES(nccl_release)
{
	run_release(r, line, "nccl", after);
}

/* "nccl-library=22703" of nccl-tests: two digits each of what follows the major. */
TAKES(nccl_library)
{
	const long code = strtol(after, NULL, 10);

	if (code > 20000 && code < 1000000)
		say_release(r, line, "nccl", NUMBER(code / 10000, code / 100 % 100, code % 100));
}

/* "DeepSpeed info: version=0.18.5, git-hash=unknown, git-branch=unknown" */
TAKES(deepspeed_release)
{
	run_release(r, line, "deepspeed", after);
}

/* "vLLM API server version 0.24.0" */
TAKES(vllm_release)
{
	run_release(r, line, "vllm", after);
}

const struct run_row run_release_rows[] = {
	{ "NCCL version ", SOURCE_ASIDE, BY(nccl_release) },
	{ " using nccl==", SOURCE_ASIDE, BY(nccl_release) },
	{ "nccl-library=", SOURCE_ASIDE, BY(nccl_library) },
	{ "DeepSpeed info: version=", SOURCE_ASIDE, BY(deepspeed_release) },
	{ "vLLM API server version ", SOURCE_ASIDE, BY(vllm_release) },
	{ .words = NULL },
};
