#include "core/base/text.h"
#include "ui/app/keep.h"

static void
complain_once(struct keeper *k, struct state *s, const char *note)
{
	if (!k->complained)
		state_say(s, ROLE_WARNING, "%s", note);
	k->complained = true;
}

bool
keep_unsaved(struct keeper *k, struct state *s)
{
	char note[STATE_MESSAGE_SIZE] = "";

	if (!state_unsaved(s)) {
		if (s->files->drop_draft != NULL)
			s->files->drop_draft(s->files->context);
		k->ready = false;
		return false;
	}
	if (k->ready && state_same(&k->plan, &s->plan))
		return false;
	k->plan = s->plan;
	k->ready = true;
	if (s->files->ready_draft(s->files->context, &s->plan, false, note, sizeof note))
		return true;
	complain_once(k, s, note);
	return false;
}

void
keep_written(struct keeper *k, struct state *s)
{
	char note[STATE_MESSAGE_SIZE] = "";

	if (!s->files->write_draft(s->files->context, note, sizeof note))
		complain_once(k, s, note);
}

void
keep_now(struct keeper *k, struct state *s)
{
	keep_unsaved(k, s);
	keep_written(k, s);
}

void
keep_offer(struct state *s)
{
	char note[STATE_MESSAGE_SIZE] = "";

	if (s->files->find_draft == NULL)
		return;
	if (s->files->find_draft(s->files->context, &s->saved, &s->question.draft, note, sizeof note)) {
		text_put(s->question.note, sizeof s->question.note, "%s", note);
		s->question.kind = QUESTION_RECOVER;
	} else if (note[0] != '\0' && s->message[0] == '\0')
		state_say(s, ROLE_WARNING, "%s", note);
}

unsigned
keep_recover(struct state *s)
{
	const struct plan next = s->question.draft;

	s->files->take_draft(s->files->context, true);
	state_say(s, ROLE_GOOD, "recovered; s saves it, u goes back to what was saved");
	return state_change(s, &next, "recovering unsaved work");
}

unsigned
keep_discard(struct state *s)
{
	s->files->take_draft(s->files->context, false);
	keep_offer(s);
	return 0;
}
