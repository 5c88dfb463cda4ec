#include "core/text.h"
#include "ui/keep.h"

void
keep_now(struct keeper *k, struct state *s)
{
	char note[STATE_MESSAGE_SIZE] = "";

	k->pending = false;
	if (!state_unsaved(s) || (k->kept && state_same(&k->plan, &s->plan)))
		return;
	k->plan = s->plan;
	k->kept = true;
	if (s->files->keep_draft(s->files->context, &s->plan, false, note, sizeof note) ||
	    k->complained)
		return;
	k->complained = true;
	state_say(s, ROLE_WARNING, "%s", note);
}

int
keep_unsaved(struct keeper *k, struct state *s, int64_t now, bool key)
{
	if (!state_unsaved(s)) {
		if (s->files->drop_draft != NULL)
			s->files->drop_draft(s->files->context);
		k->kept = k->pending = false;
		return -1;
	}
	if (k->kept && state_same(&k->plan, &s->plan)) {
		k->pending = false;
		return -1;
	}
	if (!k->pending)
		k->first = now;
	if (!k->pending || key)
		k->due = now + KEEP_QUIET_MS;
	if (k->due > k->first + KEEP_STEADY_MS)
		k->due = k->first + KEEP_STEADY_MS;
	k->pending = true;
	if (now < k->due)
		return (int)(k->due - now);
	keep_now(k, s);
	return -1;
}

void
keep_offer(struct state *s)
{
	char note[STATE_MESSAGE_SIZE] = "";

	if (s->files->find_draft == NULL)
		return;
	if (s->files->find_draft(s->files->context, &s->saved, &s->draft, note, sizeof note)) {
		text_put(s->draft_note, sizeof s->draft_note, "%s", note);
		s->question = QUESTION_RECOVER;
	} else if (note[0] != '\0' && s->message[0] == '\0')
		state_say(s, ROLE_WARNING, "%s", note);
}

unsigned
keep_recover(struct state *s)
{
	const struct plan next = s->draft;

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
