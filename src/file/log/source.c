/* Before all else: which functions the system shows. */
#include "config.h"

#include "file/log/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

enum { COMPRESSED = 65536, MAGIC = 2 };

#ifdef HAVE_ZLIB
struct inflater {
	z_stream z;
	bool ended;               /* of one member; another may follow */
	bool whole;               /* one has ended */
	unsigned char in[COMPRESSED];
};

static void
start_inflater(struct source *s, const char *first, size_t n)
{
	struct inflater *f = calloc(1, sizeof *f);

	if (f == NULL || inflateInit2(&f->z, 15 + 16) != Z_OK) {
		free(f);
		s->failed = "out of memory";
		return;
	}
	memcpy(f->in, first, n);
	f->z.next_in = f->in;
	f->z.avail_in = (unsigned)n;
	s->inflater = f;
}

static size_t
inflate_some(struct source *s, char *buf, size_t n)
{
	struct inflater *f = s->inflater;
	int answer = Z_OK;

	f->z.next_out = (unsigned char *)buf;
	f->z.avail_out = (unsigned)(n < COMPRESSED ? n : COMPRESSED);
	/* a file that was cut off ends where it does */
	while (f->z.next_out == (unsigned char *)buf && answer == Z_OK) {
		if (f->z.avail_in == 0) {
			f->z.next_in = f->in;
			f->z.avail_in = (unsigned)fread(f->in, 1, sizeof f->in, s->in);
			if (f->z.avail_in == 0) {
				if (ferror(s->in))
					s->failed = strerror(errno);
				return 0;
			}
		}
		if (f->ended && inflateReset(&f->z) != Z_OK)
			return 0;
		f->ended = false;
		answer = inflate(&f->z, Z_NO_FLUSH);
		if (answer == Z_STREAM_END) {
			f->ended = true;
			f->whole = true;
			answer = Z_OK;
		}
	}
	/* behind a whole member no other begins: gzip(1) ignores that too, and says so */
	if (answer == Z_DATA_ERROR && f->whole && f->z.total_in <= MAGIC) {
		s->ignored = true;
		return (size_t)(f->z.next_out - (unsigned char *)buf);
	}
	if (answer != Z_OK && f->z.next_out == (unsigned char *)buf)
		s->failed = "is not as gzip packs";
	return (size_t)(f->z.next_out - (unsigned char *)buf);
}

static void
end_inflater(struct source *s)
{
	if (s->inflater != NULL)
		inflateEnd(&s->inflater->z);
	free(s->inflater);
}
#else
struct inflater {
	char none;
};

static void
start_inflater(struct source *s, MAYBE const char *first, MAYBE size_t n)
{
	s->failed = "is compressed (fix: pipe it through zcat)";
}

static size_t
inflate_some(MAYBE struct source *s, MAYBE char *buf, MAYBE size_t n)
{
	return 0;
}

static void
end_inflater(struct source *s)
{
	free(s->inflater);
}
#endif

static size_t
read_bytes(struct source *s, char *buf, size_t n)
{
	size_t got;

	if (s->failed != NULL || s->ignored)
		return 0;
	if (s->inflater != NULL)
		return inflate_some(s, buf, n);
	got = fread(buf, 1, n, s->in);
	if (got == 0 && ferror(s->in))
		s->failed = strerror(errno);
	return got;
}

/* Which byte of two holds a letter, as a mark in the beginning says, or two letters; -1: each does. */
static int
low_byte(const char *s, size_t n)
{
	const bool mark = n >= 2 && ((unsigned char)s[0] ^ (unsigned char)s[1]) == 1 && (s[0] & s[1] & 0xfe) == 0xfe;

	if (mark)
		return (unsigned char)s[0] == 0xff ? 0 : 1;
	if (n >= 4 && s[0] != '\0' && s[1] == '\0' && s[2] != '\0' && s[3] == '\0')
		return 0;
	if (n >= 4 && s[0] == '\0' && s[1] != '\0' && s[2] == '\0' && s[3] != '\0')
		return 1;
	return -1;
}

/* Of UTF-16, as shells of Windows write it, what is ASCII; what is not is a question mark, and a mark
 * nothing. */
static size_t
letters_of(struct source *s, char *buf, size_t n)
{
	size_t to = 0;

	if (!s->begun)
		s->low = low_byte(buf, n);
	s->begun = true;
	for (size_t i = 0; i < n && s->low >= 0; i++) {
		const int byte = (unsigned char)buf[i];
		const int low = s->low == 0 ? s->half : byte, high = s->low == 0 ? byte : s->half;

		if (s->half >= 0 && !(high == 0xfe && low == 0xff))
			buf[to++] = (char)(high == 0 ? low : '?');
		s->half = s->half >= 0 ? -1 : byte;
	}
	return s->low >= 0 ? to : n;
}

static size_t
read_some(struct source *s, char *buf, size_t n)
{
	size_t got, kept;

	do {
		got = read_bytes(s, buf, n);
		kept = letters_of(s, buf, got);
	} while (got > 0 && kept == 0);
	return kept;
}

bool
source_begin(struct source *s, FILE *in)
{
	*s = (struct source){ .in = in, .ahead = malloc(SOURCE_AHEAD + 1), .low = -1, .half = -1 };
	if (s->ahead == NULL) {
		s->failed = "out of memory";
		return false;
	}
	s->filled = fread(s->ahead, 1, COMPRESSED, in);
	if (s->filled == 0 && ferror(in))
		s->failed = strerror(errno);
	if (s->filled >= 2 && (unsigned char)s->ahead[0] == 0x1f &&
	    (unsigned char)s->ahead[1] == 0x8b) {
		start_inflater(s, s->ahead, s->filled);
		s->filled = 0;
	} else {
		s->filled = letters_of(s, s->ahead, s->filled);
	}
	return s->failed == NULL;
}

void
source_end(struct source *s)
{
	end_inflater(s);
	free(s->ahead);
}

const char *
source_ahead(struct source *s, size_t least, size_t *n, bool *whole)
{
	size_t got = 1;

	while (s->filled < least && s->filled < SOURCE_AHEAD && got > 0) {
		got = read_some(s, s->ahead + s->filled, SOURCE_AHEAD - s->filled);
		s->filled += got;
	}
	s->ahead[s->filled] = '\0';
	*n = s->filled;
	*whole = got == 0;
	return s->ahead;
}

size_t
source_read(struct source *s, char *buf, size_t n)
{
	const size_t left = s->filled - s->at, take = left < n ? left : n;

	if (take == 0)
		return read_some(s, buf, n);
	memcpy(buf, s->ahead + s->at, take);
	s->at += take;
	return take;
}
