#include "ui/state/found.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/framework/resolve.h"
#include "ui/state/state.h"

enum { READ_AT_ONCE = 4, FOUND_MOST = 2000 };

void
found_free(struct found *f)
{
	for (size_t i = 0; i < f->count; i++)
		free(f->plan[i].path);
	free(f->plan);
	*f = (struct found){ .plan = NULL };
}

void
found_look(struct state *s)
{
	struct found *f = &s->found;
	char path[STATE_PATH_SIZE];
	bool shipped;

	found_free(f);
	for (size_t i = 0; i < FOUND_MOST && s->files->find_plan != NULL &&
	    s->files->find_plan(s->files->context, i, path, sizeof path, &shipped); i++) {
		struct found_plan *more = realloc(f->plan, (f->count + 1) * sizeof *more);

		if (more == NULL)
			return;
		f->plan = more;
		more[f->count] = (struct found_plan){ .path = strdup(path), .shipped = shipped,
			.role = ROLE_DIM };
		if (more[f->count].path == NULL)
			return;
		f->count++;
	}
}

static void
put_verdict(struct found_plan *f, const struct estimate *e)
{
	const bool known = estimate_has_fit(e);

	f->role = !e->legal || (known && (!e->fits || e->tight)) ? ROLE_WARNING : ROLE_TEXT;
	if (!e->legal)
		text_put(f->verdict, sizeof f->verdict, "has errors");
	else if (estimate_lacks_requests(e))
		text_put(f->verdict, sizeof f->verdict, "requests do not fit");
	else if (known)
		text_put(f->verdict, sizeof f->verdict, "%s: %.1f of %.1f GiB",
		    !e->fits ? "does not fit" : e->tight ? "tight" : "fits", estimate_fullest(e) / GIB,
		    e->capacity / GIB);
	else
		text_put(f->verdict, sizeof f->verdict, "%.1f GiB", estimate_fullest(e) / GIB);
}

static void
read_one(struct state *s, struct found_plan *f, struct estimate *work)
{
	char note[STATE_MESSAGE_SIZE] = "";
	struct plan p;

	if (!s->files->peek(s->files->context, f->path, &p, note, sizeof note)) {
		text_put(f->verdict, sizeof f->verdict, "is no plan");
		return;
	}
	plan_resolve(&p, s->catalog);
	text_put(f->model, sizeof f->model, "%s", p.model.preset);
	text_put(f->gpus, sizeof f->gpus, "%lld x %s", (long long)plan_world(&p), p.cluster.gpu);
	estimate_run(work, &p, s->catalog, NULL);
	put_verdict(f, work);
}

bool
found_read(struct state *s)
{
	struct found *f = &s->found;
	struct estimate *work;

	work = f->read < f->count ? malloc(sizeof *work) : NULL;
	if (work == NULL) {
		f->read = f->count;
		return false;
	}
	for (int i = 0; i < READ_AT_ONCE && f->read < f->count; i++)
		read_one(s, &f->plan[f->read++], work);
	free(work);
	return true;
}
