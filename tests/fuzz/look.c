#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../core/explained.h"
#include "core/estimate/estimate.h"
#include "core/plan/field.h"
#include "file/catalogue/catalog_file.h"
#include "file/plan/paths.h"
#include "look.h"

enum { TERMS = 1 << 14 };

void
look_fail(const char *what, const char *more)
{
	fprintf(stderr, "FOUND: %s%s\n", what, more);
	abort();
}

const struct catalog *
look_catalog(void)
{
	static struct catalog catalog;
	static struct file_errors errors;
	char data[4096];

	if (catalog.models.count > 0)
		return &catalog;
	text_put(data, sizeof data, "%s/share", getenv("TOP") != NULL ? getenv("TOP") : ".");
	setenv("SHARDPLAN_DATADIR", data, 0);
	paths_init(NULL);
	look_home();
	if (!catalog_load(&catalog, &errors))
		look_fail("no catalogue: ", errors.line[0]);
	return &catalog;
}

/* ---- a home ---------------------------------------------------------------------------- */

static char home[64];

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	return ftw->level == 0 ? 0 : remove(path);
}

void
look_clear(void)
{
	nftw(home, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void
remove_home(void)
{
	look_clear();
	rmdir(home);
}

const char *
look_home(void)
{
	if (home[0] != '\0')
		return home;
	text_copy(home, sizeof home, access("/dev/shm", W_OK) == 0 ? "/dev/shm/fuzz.XXXXXX" :
	    "/tmp/fuzz.XXXXXX");
	if (mkdtemp(home) == NULL || atexit(remove_home) != 0)
		look_fail("no home: ", home);
	setenv("HOME", home, 1);
	setenv("XDG_CONFIG_HOME", home, 1);
	setenv("XDG_STATE_HOME", home, 1);
	return home;
}

/* ---- plans ----------------------------------------------------------------------------- */

void
look_estimate(const struct plan *p)
{
	static struct estimate *estimate;
	static struct ledger_term *terms;
	struct ledger ledger;
	char why[256];

	if (estimate == NULL)
		estimate = malloc(sizeof *estimate);
	if (terms == NULL)
		terms = malloc(TERMS * sizeof *terms);
	if (estimate == NULL || terms == NULL)
		look_fail("no memory", "");
	ledger_init(&ledger, terms, TERMS);
	estimate_run(estimate, p, look_catalog(), &ledger);
	if (!explained_all(p, estimate, &ledger, why, sizeof why))
		look_fail("", why);
}

void
look_same(const struct plan *a, const struct plan *b, const char *what)
{
	char one[512], other[512], told[1400];

	for (enum field_id f = 0; f < FIELD_COUNT; f++) {
		if ((!field_is_set(f, a) && !field_in_use(f, a)) || field_same(f, a, b))
			continue;
		field_format(f, a, one, sizeof one);
		field_format(f, b, other, sizeof other);
		text_put(told, sizeof told, "%s = %s is %s %s", field_table[f].path, one, other, what);
		look_fail("", told);
	}
}

void
look_saved(const struct plan *p)
{
	static struct planfile file;
	static struct plan back;
	static struct file_errors errors;
	char *text;

	memset(&errors, 0, sizeof errors);
	planfile_builtin(&file, &back, look_catalog());
	if ((text = planfile_text_alone(p, look_catalog())) == NULL)
		look_fail("no memory", "");
	if (!planfile_read_text(&file, &back, "/nonexistent/plan.cfg", text, strlen(text), look_catalog(),
	    &errors))
		look_fail("what was written is not read: ", errors.line[0]);
	look_same(p, &back, "when it is read again");
	free(text);
}
