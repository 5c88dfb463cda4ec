#include "core/base/segment.h"

#include <math.h>

#include "core/base/number.h"

double
segment_left(double bytes)
{
	const double least = MIB, large = 10 * MIB, segment = 20 * MIB, step = 2 * MIB;
	const double count = bytes < large ? floor(segment / bytes) : 1;
	const double left = bytes < large ? segment - count * bytes : ceil(bytes / step) * step - bytes;

	return bytes <= least || left > least ? 0 : left / count;
}
