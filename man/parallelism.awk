# Makes shardplan-parallelism(7) of the primer that the screen shows, share/topics/LANGUAGE.txt;
# language=zh makes the Chinese one.
function plain(text) {
	gsub(/\\/, "\\e", text)
	sub(/^[.']/, "\\\\\\&&", text)
	gsub(/\. /, ".\n", text)  # a sentence a line, as mdoc wants
	return text
}
function heading(text) {  # words such as In are no macros there
	text = plain(text)
	gsub(/ /, " \\\\\\&", text)
	return "\\&" text
}
function end_list() {
	if (list) print ".El"
	if (table) print ".Ed"
	list = table = 0
}
BEGIN {
	print ".Dd November 22, 2026\n.Dt SHARDPLAN-PARALLELISM 7\n.Os shardplan\n.Sh NAME"
	print ".Nm shardplan-parallelism"
	if (language == "zh") {
		print ".Nd 切分语言模型的各种方式及其代价\n.Sh DESCRIPTION\n下面各页就是"
		print ".Xr shardplan 1\n中按\n.Ic t\n键看到的，也可以用\n.Ql shardplan topics\n打印。"
	} else {
		print ".Nd the ways to split a language model, and what each costs"
		print ".Sh DESCRIPTION\nThe pages below are those of the topics key"
		print ".Pq Ic t\nof\n.Xr shardplan 1\nand of"
		print ".Ql shardplan topics ,\nwhich has them in Chinese too."
	}
}
/^# / { end_list(); page = 1; sub(/^# [^ ]* /, ""); print ".Sh " toupper(plain($0)); next }
!page || /^$|^@/ { next }  # @: of the plan that the screen shows
/^= / { end_list(); print ".Ss " heading(substr($0, 3)); first = 1; next }
/^  / {
	if (!table) { end_list(); print ".Bd -literal" }
	table = 1
	gsub(/\\/, "\\e")
	print
	next
}
/^- / {
	if (table) end_list()
	if (!list) print ".Bl -bullet -compact"
	list = 1
	print ".It\n" plain(substr($0, 3))
	next
}
{ end_list(); if (!first) print ".Pp"; first = 0; print plain($0) }
END {
	end_list()
	print ".Sh SEE ALSO\n.Xr shardplan 1 ,\n.Xr shardplan-plan 5 ,\n.Xr shardplan-estimates 7"
}
