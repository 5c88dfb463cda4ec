/* `check`: is the plan legal, does it fit, and what would mend it. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/session.h"
#include "core/check.h"
#include "core/estimate.h"

int
check_run(const struct options *o)
{
	struct session s;
	struct estimate *e;
	char line[1024];
	int status = STATUS_OK;

	if (!session_open(&s, o, o->operands > 0 ? o->operand[0] : NULL))
		return STATUS_ERROR;
	if ((e = session_estimate(&s, NULL)) == NULL) {
		session_close(&s);
		return STATUS_ERROR;
	}
	for (size_t i = 0; i < e->diags.count; i++) {
		struct diag *d = &e->diags.item[i];

		if (o->strict && d->severity == SEVERITY_WARNING)
			d->severity = SEVERITY_ERROR;
		if (d->severity == SEVERITY_ERROR)
			status = STATUS_NO;
		diag_format(d, line, sizeof line);
		puts(line);
	}
	if (e->diags.dropped > 0) /* errors come first: the status holds without these */
		complain("%zu more diagnostics", e->diags.dropped);
	free(e);
	session_close(&s);
	return status;
}
