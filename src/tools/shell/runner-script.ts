import { collectScript } from './collect-script.ts';
import { mostBytes } from './output-file.ts';

const pipesAtOnce = 16;

// On one line, so that the line numbers in bash's messages are those of the command. In a request stand the command, the
// text to run around it, and when its time is over.
const waitingShell = [
  'eval "$1"',
  'read -r _ || exit 125',
  'exec < /dev/null',
  '. ./request',
  'set -C; echo "$3" > claim || exit 125; set +C',
  'SECONDS=0',
  'eval "$2"',
].join('; ');

/**
 * What a runner does, in nothing but bash, so that forking from it is cheap. For each line of its input it makes a shell
 * ready in the folder that the line names, and waits for it; that shell does what the runner was given for it, waits for
 * the next line, and then does what the file `request` in its folder says. So a command finds its shell waiting.
 *
 * A runner outlives us. What was begun is brought to an end and written down, and then it ends for want of lines:
 * - `claim` is made before a command runs, and can be made once: whoever makes it decides whether the command runs. When
 *   that has ended, its exit code is the second line, written in one piece.
 * - The output goes through a named pipe beside the folder, which we copy into the file `out`. A file in the place of the
 *   pipe would be emptied by each `> /dev/stderr`. The runner holds the pipe open too, and copies on when we are gone. No
 *   pipe is used twice: whoever has kept an end of it would read, or write, the output of another command.
 *
 * Few files are made for a call, since ext4 looks for the place of a new one among all that were removed in the last minutes.
 */
export const runnerScript = String.raw`
ready=$1
type mkfifo dd wc tail cat rm date sleep > /dev/null || exit 1
# A handler, not an ignored signal: that would be handed on to the commands.
trap : PIPE

${collectScript({ mostBytes, readsPerLook: 1024 })}
# Whoever started us is gone: nobody else reads the output, or sees to it that the command ends in time.
take_over() {
  collect <&7 > /dev/null &
  collector=$!
  limit=
  while kill -0 "$child"; do
    [ "$limit" ] || read -r limit < claim
    over=$(($(date +%s) - limit))
    if [ -z "$limit" ]; then :
    elif [ "$over" -gt 2 ]; then kill -KILL -- "-$child"
    elif [ "$over" -gt 0 ]; then kill -TERM -- "-$child"
    fi
    sleep 0.2
  done
}

# What a command left running lives on when whoever reads its output is gone.
stand_by() {
  while kill -0 -- "-$child"; do
    read -r -t 5 -u 3
    [ $? -gt 128 ] || exec cat
  done
}

# Many at once, since a process for each would cost as much as the shell itself.
make_pipes() {
  set --
  for ((pipes = 0; pipes < ${pipesAtOnce}; pipes++)); do
    set -- "$@" "$top/.slot-$$-$((number + pipes)).pipe"
  done
  mkfifo -m 600 "$@"
}

is_alone=
trap 'is_alone=yes' USR1
{ read -r -u 3; kill -USR1 $$; } < /dev/null > /dev/null &
watcher=$!
top=$PWD
trap 'kill "$watcher"; rm -f "$top/.slot-$$-"*.pipe' EXIT

child=
collector=
while read -r number; do
  if [ "$child" ] && kill -0 -- "-$child"; then stand_by <&7 > /dev/null & fi
  exec 7<&-
  slot=$top/.slot-$$-$number
  [ -p "$slot.pipe" ] || make_pipes || exit 1
  # The folder is going to get another name, so that from here on it is where we are.
  cd "$slot" && unset OLDPWD || exit 1
  # Either end would wait for the other to be opened, but for one who opens both.
  exec 9<> "$slot.pipe" 7< "$slot.pipe" 8> "$slot.pipe" 9>&-
  set -m
  "$BASH" --norc -c '${waitingShell}' bash "$ready" <&0 >&8 2>&1 3>&- 7<&- 8>&- &
  set +m
  child=$!
  exec 8>&-
  echo "$number ready $child"
  [ -z "$is_alone" ] || take_over
  wait "$child"
  code=$?
  # It may have been the signal that ended the waiting, not the command.
  if [ "$is_alone" ] && [ "$(kill -l "$code")" = USR1 ]; then take_over; wait "$child"; code=$?; fi
  [ -e claim ] || { rm -rf "$slot"; exit 1; }
  # Before anyone is told: whoever is may remove the folder.
  echo "$code" >> claim
  echo "$number exited $code"
done
# Whoever read the output may have been gone before all of it was read.
if [ "$collector" ]; then wait "$collector"; else collect <&7 > /dev/null; fi
`;
