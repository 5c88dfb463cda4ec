#!/bin/sh
# compare.sh OLD NEW - what got slower or less accurate from one file of what `make bench` or `make
# accuracy` printed to another. Either may hold several runs, one after the other: the least of them
# counts, and how far they lie apart is the noise of a row; of a single run it is taken to be 20 %.
# Errors of estimates have no noise; a row of theirs has the name of its table. Exits with 1 where something did, 2 where no row is in both.
if [ $# -ne 2 ] || [ ! -r "$1" ] || [ ! -r "$2" ]; then
	echo "usage: compare.sh OLD NEW" >&2
	exit 2
fi
exec awk '
	function value(side, key, x, is_error) {
		if (!((side, key) in least) || x < least[side, key])
			least[side, key] = x
		if (!((side, key) in most) || x > most[side, key])
			most[side, key] = x
		times[side, key]++
		errors[key] = is_error
		if (!(key in seen)) { seen[key] = 1; order[++keys] = key }
	}
	# The name of a row: what it stands under and its first n words, without checksums.
	function name(n, i, words) {
		for (i = 1; i <= n; i++)
			if (length($i) != 16 || $i !~ /^[0-9a-f]+$/)
				words = words (words == "" ? "" : " ") $i
		return $0 ~ /^ / ? parent ": " words : words
	}
	# How many numbers a line ends with.
	function numbers(i) {
		for (i = NF; i > 0 && $i ~ /^[0-9.]+$/; i--)
			;
		return NF - i
	}
	function note(what, x, is_error, key) {
		key = what
		if (run[key]++)
			key = key " #" run[what]
		value(side, key, x, is_error)
	}
	function begin() {
		split("", run)
		split("", tables)
	}
	# How many were looked at and their errors, which nothing but more errors and a word follow.
	function errors_of(n) {
		n = split(substr($0, 1, RSTART), words_, " ")
		note(title ": " name(n) ", median error %", $(n + 2), 1)
		note(title ": " name(n) ", 90th percentile of errors %", $(n + 3), 1)
	}
	FNR == 1 { side++; begin(); errors_follow = 0 }
	/^# / { head[side] = head[side] "\n  " $0; begin(); next }
	/ rows +median/ {
		title = $0
		sub(/ *rows +median.*/, "", title)
		sub(/  +.*/, "", title)
		if (title ~ /^(group|step|complete rows)?$/)
			title = said
		if (tables[title]++)
			title = title " #" tables[title]
		errors_follow = 1
		next
	}
	/^$/ { errors_follow = 0 }
	errors_follow && match($0, / +[0-9]+ +[0-9.]+ +[0-9.]+/) { errors_of(); next }
	match($0, / +[0-9]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[-+][0-9.]+$/) { title = said; errors_of(); next }
	/^start, .*: program [0-9]+ bytes [0-9.]+ ms/ {
		note("start, " $2 " bytes", $4, 0)
		note("start, " $2 " ms", $6, 0)
		next
	}
	# Figures of one run: CPU seconds in the second of eight columns, bytes and ms, or a time alone.
	numbers() == 8 {
		note(name(NF - 8) ", CPU s", $(NF - 6), 0)
		if ($0 !~ /^ /)
			parent = name(NF - 8)
		next
	}
	numbers() == 6 {
		note(name(NF - 6) ", bytes", $(NF - 5), 0)
		note(name(NF - 6) ", ms", $(NF - 4), 0)
		next
	}
	$NF ~ /^(us|ms|s)$/ && $(NF - 1) ~ /^[0-9.]+$/ {
		note(name(NF - 2) ", " $NF, $(NF - 1), 0)
		next
	}
	/^of 1 MiB: slowest / { note("reading 1 MiB, slowest, ms", $5, 0); next }
	match($0, / +[0-9]+ a second/) {
		n = split(substr($0, 1, RSTART), words_, " ")
		note(name(n) ", us", 1e6 / $(n + 1), 0)
		next
	}
	match($0, / +median +[0-9]+ bytes a key/) {
		n = split(substr($0, 1, RSTART), words_, " ")
		note(name(n) ", bytes a key", $(n + 2), 0)
		next
	}
	/^[^ ]/ { said = parent = $0; sub(/ +program .*/, "", parent) }
	END {
		print "old:" head[1] "\nnew:" head[2] "\n"
		for (i = 1; i <= keys; i++) {
			key = order[i]
			if (!((1, key) in least) || !((2, key) in least))
				continue
			both++
			old = least[1, key]; new = least[2, key]
			noise = 0.2 * old
			if (times[1, key] > 1 || times[2, key] > 1) {
				noise = most[1, key] - old
				if (most[2, key] - new > noise)
					noise = most[2, key] - new
			}
			if (errors[key])
				noise = 0.0501
			if (new > old + noise) {
				printf "%-60s %10.6g -> %-10.6g %+6.1f %%\n", key, old, new,
				    (old > 0 ? 100 * (new - old) / old : 100)
				worse++
			} else if (old > new + noise)
				better++
		}
		printf "%d rows in both: %d worse, %d better\n", both, worse, better
		exit !both ? 2 : worse > 0
	}' "$1" "$2"
