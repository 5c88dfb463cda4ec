# fish completion for shardplan. Words come from the program itself, so that they are those
# of the version that is installed.

function __shardplan_commands
    shardplan --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p'
end

function __shardplan_choices
    shardplan fields | sed -n "s/^[a-z]*\.\{0,1\}$argv[1]  *name .*one of \([^ ].*\)/\1/p" | sed 's/  .*//; s/, /\n/g'
end

# Names and aliases of the catalogue's entries.
function __shardplan_entries
    shardplan $argv[1] | awk 'NR > 2 { print $1; gsub(",", "\n", $NF); if ($NF != "-") print $NF }'
end

complete -c shardplan -n __fish_use_subcommand -a '(__shardplan_commands)'
complete -c shardplan -n '__fish_seen_subcommand_from models' -f -a '(__shardplan_entries models)'
complete -c shardplan -n '__fish_seen_subcommand_from gpus' -f -a '(__shardplan_entries gpus)'
complete -c shardplan -n '__fish_seen_subcommand_from groups layers rank map pipeline check estimate search export' -a '(__shardplan_entries models)'
complete -c shardplan -n '__fish_seen_subcommand_from clusters' -f -a "(shardplan clusters | sed -n '3,\$s/ .*//p')"
complete -c shardplan -n '__fish_seen_subcommand_from explain fields' -a "(shardplan fields | sed -n '2,\$s/ .*//p')"
complete -c shardplan -n '__fish_seen_subcommand_from explain' -a "(shardplan explain 2>&1 | sed -n 's/^  \([a-z._]*\) .*/\1/p')"
complete -c shardplan -n '__fish_seen_subcommand_from topics' -f -a "(shardplan topics | sed 's/ .*//')"
complete -c shardplan -n '__fish_seen_subcommand_from help' -f -a '(__shardplan_commands) keys'

complete -c shardplan -l model -x -a '(__shardplan_entries models)'
complete -c shardplan -l gpu -x -a '(__shardplan_entries gpus)'
complete -c shardplan -l kind -x -a "(shardplan groups --format=hash | sed 's/ .*//')"
complete -c shardplan -l color-by -x -a "(shardplan groups --format=hash | sed 's/ .*//') stage layers memory role relation link"
complete -c shardplan -l at -x -d 'the GPU whose relations colour the map'
complete -c shardplan -l set -x -a "(shardplan fields | sed -n '2,\$s/ .*/=/p')"
complete -c shardplan -l free -x -a "(shardplan fields | sed -n '2,\$s/ .*/=/p')"
complete -c shardplan -l fix -x -a "(shardplan fields | sed -n '2,\$s/ .*//p')"
complete -c shardplan -l objective -x -a "time memory gpus tokens gpu-hours cost (shardplan explain 2>&1 | sed -n 's/^  \([a-z._]*\) .*/\1/p')"
complete -c shardplan -l where -x -a "(shardplan explain 2>&1 | sed -n 's/^  \([a-z._]*\) .*/\1<=/p')"
complete -c shardplan -l around -d 'only plans a change or two away from this one'
complete -c shardplan -l top -x -d 'how many plans to list'
complete -c shardplan -l pareto -d 'plans that no other beats in all objectives'
complete -c shardplan -l price -x -d 'what an hour of each GPU costs: GPU=MONEY,...'
complete -c shardplan -l tight -d 'plans too that may not fit'
complete -c shardplan -l threads -x -d 'how many threads'
complete -c shardplan -l to -x -a "(shardplan export --list | sed -n '2,\$s/ .*//p')"
complete -c shardplan -l core -x -a '0.12 0.13 0.14 0.15 0.16 0.17 0.18 0.19 0.20'
complete -c shardplan -l from -r -a 'megatron huggingface slurm nvidia-smi deepspeed torchtitan nanotron accelerate hostfile'
complete -c shardplan -l adopt -d 'write what the run says into the plan'
complete -c shardplan -l here -d 'the machines that this runs on'
complete -c shardplan -l part -x -d 'of several launches this one'
complete -c shardplan -l root -xa '(__fish_complete_directories)' -d 'where named files may lie'
complete -c shardplan -l world -x -d 'GPUs of the launch'
complete -c shardplan -l list -d 'list the targets'
complete -c shardplan -s o -l output -r -d 'write there'
complete -c shardplan -l format -x -a 'text hash csv'
complete -c shardplan -l color -x -a 'auto always never'
complete -c shardplan -l zoom -x -a 'auto cards labels cells halves nodes racks'
complete -c shardplan -l palette -x -a 'auto dark light safe 16 8 mono'
complete -c shardplan -l language -x -a 'en zh'
complete -c shardplan -l sequence-parallel -l sp -x -a 'true false'
for name in mode layout precision optimizer schedule recompute engine
    complete -c shardplan -l $name -x -a "(__shardplan_choices $name)"
end
for name in (shardplan --help | sed -n 's/^ .*--\([a-z-]*\)=[NXT].*/\1/p')
    contains $name model gpu; or complete -c shardplan -l $name -x
end
complete -c shardplan -l stage -x -d 'this pipeline stage alone'
complete -c shardplan -l width -x -d 'how wide to print'
complete -c shardplan -l ascii -d 'draw with ASCII characters alone'
complete -c shardplan -l linear -d 'ask and answer in plain lines'
complete -c shardplan -l json -d 'print JSON, for scripts'
complete -c shardplan -l strict -d 'warnings count as errors'
complete -c shardplan -s h -l help -d 'print help'
complete -c shardplan -s V -l version -d 'print the version'
