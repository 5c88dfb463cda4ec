# bash completion for shardplan. Words come from the program itself, so that they are
# those of the version that is installed.

_shardplan_words() {
	case $1 in
	commands) shardplan --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p' ;;
	options) shardplan --help | sed -n 's/^ .*\(--[a-z-]*=\{0,1\}\).*/\1/p' ;;
	fields) shardplan fields | sed -n '2,$s/ .*/=/p' ;;
	models | gpus | clusters) shardplan "$1" | sed -n '2,$s/ .*//p' | grep . ;;
	kinds) shardplan groups --format=hash | sed 's/ .*//' ;;
	quantities) shardplan explain 2>&1 | sed -n 's/^  \([a-z._]*\) .*/\1/p' ;;
	choices) shardplan fields | sed -n "s/^[a-z]*\.\{0,1\}$2  *name .*one of \([^ ].*\)/\1/p" |
		sed 's/  .*//; s/,//g' ;;
	esac 2>/dev/null
}

_shardplan() {
	local cur prev option words='' i command=''

	COMPREPLY=()
	cur=${COMP_WORDS[COMP_CWORD]}
	prev=${COMP_WORDS[COMP_CWORD - 1]}
	# --option=value arrives as three words
	if [[ $cur == = ]]; then
		option=$prev cur=''
	elif [[ $prev == = && $COMP_CWORD -ge 2 ]]; then
		option=${COMP_WORDS[COMP_CWORD - 2]}
	else
		option=$prev
	fi
	for ((i = 1; i < COMP_CWORD; i++)); do
		[[ ${COMP_WORDS[i]} == [a-z]* ]] && command=${COMP_WORDS[i]} && break
	done

	case $option in
	--model) words=$(_shardplan_words models) ;;
	--gpu) words=$(_shardplan_words gpus) ;;
	--kind | --color-by) words=$(_shardplan_words kinds) ;;
	--format) words='text hash' ;;
	--color) words='auto always never' ;;
	--sequence-parallel) words='true false' ;;
	--set) words=$(_shardplan_words fields) ;;
	--mode | --layout | --precision | --optimizer | --schedule | --recompute | --engine)
		words=$(_shardplan_words choices "${option#--}") ;;
	*)
		case $cur in
		-*) words=$(_shardplan_words options) ;;
		*)
			case $command in
			'') words=$(_shardplan_words commands) ;;
			models | gpus | clusters) words=$(_shardplan_words "$command") ;;
			explain) words=$(_shardplan_words quantities) ;;
			help) words="$(_shardplan_words commands) keys" ;;
			esac
			;;
		esac
		;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
	if [[ $cur != -* && $option != --* ]]; then
		local -a files
		mapfile -t files < <(compgen -f -- "$cur")
		COMPREPLY+=("${files[@]}")
		compopt -o filenames 2>/dev/null
	fi
	[[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
	return 0
}

complete -F _shardplan shardplan
