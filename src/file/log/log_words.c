#include <ctype.h>
#include <math.h>
#include <string.h>

#include "core/base/text.h"
#include "file/log/log_words.h"

const char *
log_after(const char *line, const char *word)
{
	const char *found = strstr(line, word);

	return found != NULL ? found + strlen(word) : NULL;
}

bool
log_number(const char *text, double *out)
{
	char digits[64];
	size_t n = 0;
	double scale = 1, v;

	if (text == NULL)
		return false;
	text += strspn(text, " \t");
	for (; n + 1 < sizeof digits && *text != '\0' &&
	    strchr("+-.0123456789,eE", *text) != NULL; text++)
		if (*text != ',')
			digits[n++] = *text;
	while (n > 0 && strchr("eE.", digits[n - 1]) != NULL) /* the end of a sentence */
		n--;
	digits[n] = '\0';
	if (!text_to_real(digits, &v))
		return false;
	/* not "MiB", nor "MODEL_TFLOP/s" */
	if (strchr("KMBT", text[0]) != NULL && text[0] != '\0' &&
	    (text[1] == 'B' || !isalpha((unsigned char)text[1])))
		scale = text[0] == 'K' ? 1e3 : text[0] == 'M' ? 1e6 : text[0] == 'B' ? 1e9 : 1e12;
	v *= scale;
	/* No log says less or more of seconds, bytes or rates: such a figure is none. */
	if (!(fabs(v) <= 0) && !(fabs(v) >= 1e-12 && fabs(v) <= 1e18))
		return false;
	*out = v;
	return true;
}

double
log_number_after(const char *line, const char *word)
{
	double v;

	return log_number(log_after(line, word), &v) ? v : 0;
}

int64_t
log_integer_after(const char *line, const char *word)
{
	double v;

	return log_number(log_after(line, word), &v) && v >= 0 && v < 1e15 ? (int64_t)v : -1;
}
