#include "core/plan/acceptance.h"

#include <string.h>

#include "core/base/text.h"

enum { SHARE_SIZE = 32 };

/* The next share of a text, which goes on behind it; negative where it is none. */
static double
next_share(const char **text)
{
	const size_t n = strcspn(*text, " ,");
	char buf[SHARE_SIZE];
	double v = -1;

	if (n >= sizeof buf)
		return -1;
	memcpy(buf, *text, n);
	buf[n] = '\0';
	*text += n;
	*text += strspn(*text, " ,");
	return text_to_real(buf, &v) && v <= 1 ? v : -1;
}

double
acceptance_tokens(const char *text, int64_t drafted)
{
	double before = 1, ratio = 1, sum = 0;

	if (*text == '\0')
		return 0;
	for (int64_t i = 0; i < drafted || *text != '\0'; i++) {
		const double share = *text != '\0' ? next_share(&text) : before * ratio;

		if (!(share >= 0 && share <= before))
			return -1;
		ratio = before > 0 ? share / before : 0;
		before = share;
		sum += i < drafted ? share : 0;
	}
	return sum;
}
