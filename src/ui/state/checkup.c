#include "ui/state/checkup.h"

#include <stdlib.h>

#include "core/base/text.h"
#include "core/diagnose/words.h"
#include "core/framework/resolve.h"

bool
checkup_read(struct state *s, const char *files)
{
	struct checkup *old = s->checkup, *new = s->files->measure != NULL ? calloc(1, sizeof *new) : NULL;
	char note[STATE_MESSAGE_SIZE] = "";

	if (new == NULL || !s->files->measure(s->files->context, files, &new->measured, note,
	    sizeof note)) {
		state_say(s, ROLE_ERROR, "%s", note[0] != '\0' ? note : "no memory left to read that");
		free(new);
		return false;
	}
	text_put(new->name, sizeof new->name, "%s", files);
	s->checkup = new;
	checkup_run(s);
	if (!diagnosed_nothing(&new->found, &new->measured)) {
		free(old);
		return true;
	}
	state_say(s, ROLE_WARNING, "%s", DIAGNOSED_NOTHING);
	s->checkup = old;
	free(new);
	return false;
}

void
checkup_run(struct state *s)
{
	struct checkup *k = s->checkup;

	if (k == NULL)
		return;
	k->opened = NULL;
	diagnose_run(&k->found, &k->measured, &s->plan, s->catalog, &k->estimate);
	if (k->found.legal && k->measured.oom.count > 0)
		diagnose_room(&k->room, &k->measured, &k->found.run, s->catalog, &k->estimate);
	else if (k->found.legal)
		estimate_run(&k->estimate, &k->found.run, s->catalog, NULL);
}

void
checkup_plan(const struct state *s, const struct diagnosed_cause *c, struct plan *out)
{
	*out = s->checkup->found.run;
	diagnosed_put(out, c->set, c->sets);
	plan_resolve(out, s->catalog);
}
