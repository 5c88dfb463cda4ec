/* Keys of the terminal: what signals ask for, then what the decoder makes of bytes. */
#include <errno.h>
#include <unistd.h>

#include "ui/screen/signals.h"
#include "ui/screen/term.h"

/* What signals ask for, before any key. */
static int32_t
signal_key(struct terminal *t)
{
	if (signals_ending() != 0)
		return INPUT_SIGNAL;
	if (signals_stopped())
		return INPUT_STOP;
	if (signals_continued()) {
		term_resume(t);
		return INPUT_RESIZE;
	}
	return INPUT_NONE;
}

/* What there is to read, into the decoder. False when the terminal is gone. */
static bool
read_bytes(struct decoder *d)
{
	const ssize_t n = read(STDIN_FILENO, d->byte + d->count, DECODE_BYTES - d->count);

	if (n > 0)
		d->count += (size_t)n;
	return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

int32_t
term_key(struct terminal *t, int ms)
{
	struct decoder *d = &t->decoder;
	bool late = false;

	for (;;) {
		int32_t key = signal_key(t);
		int wait;
		bool ready, open;

		if (key == INPUT_NONE)
			key = decode_key(d, late || d->count == DECODE_BYTES);
		if (key != INPUT_NONE || (ms != 0 && signals_rang()))
			return key;
		wait = decode_wait(d);
		open = ms != 0 && wait > 0 && (d->count > 0 || ms < 0);
		ready = signals_wait(STDIN_FILENO, open ? wait : ms);
		if (ready && !read_bytes(d))
			return INPUT_GONE;
		if (!ready && !open && ms >= 0)
			return INPUT_NONE;
		late = !ready;
	}
}
