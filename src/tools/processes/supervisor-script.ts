import { collectScript } from '../shell/collect-script.ts';

// A process may run for weeks, and a session may have many: less is kept of each than of a command that is waited for.
const mostBytes = 8 * 1024 * 1024;
const readsPerLook = 256;

/** Describes the shell that runs it as `describeProcess` does, in nothing but builtins. */
export const describeSelf = String.raw`describe_self() {
  local stat= boot=
  read -r stat < "/proc/$$/stat"
  read -r boot < /proc/sys/kernel/random/boot_id
  set -- ${'$'}{stat##*) }
  echo "$$ ${'$'}{20} $boot"
} 2> /dev/null`;

// What the file of the request says is done in the shell that is going to be the command's own.
const inner = '. ./request; eval "set --;$1"';

/**
 * What looks after one background process, in nothing but bash: it outlives whoever started it and needs nobody. It works
 * in the folder of a ticket, is told `plain`, or the kind of terminal, and leaves these files, in this order:
 * - `claim` can be made once: whoever makes it decides whether the process runs. It says who the supervisor is.
 * - `in` is a named pipe that the process reads. The supervisor holds it open, until it is told to let go by SIGUSR1.
 * - `group` says which shell leads the group of the process, and is written by that.
 * - `out` is what the process writes, with its middle left out where it is long.
 * - `exit` appears in one piece once the process has ended, also where something that it left behind holds its output.
 */
export const supervisorScript = String.raw`
mode=$1
trap : PIPE
for program in mkfifo dd wc tail cat rm mv sleep; do
  type "$program" > /dev/null || { echo "missing $program"; exit 1; }
done
[ "$mode" = plain ] || type script > /dev/null || { echo "missing script"; exit 1; }
${describeSelf}
${collectScript({ mostBytes, readsPerLook })}
# Room for the record of the end, which is written also where the disk is full by then.
mkfifo -m 600 in pipe && echo 000 > exit.new || exit 1
me=$(describe_self)
set -C; echo "$me" > claim || exit 125; set +C

# Either end would wait for the other to be opened, but for one who opens both.
exec 6<> in 9<> pipe 7< pipe 8> pipe 9>&-
rm -f pipe
collect <&7 > /dev/null 6>&- 8>&- &
collector=$!
exec 7<&-

is_told=
trap 'is_told=yes; exec 6>&-' USR1
set -m
{
  # The first program that is started carries the variables by which whoever ends the process finds all of it.
  . ./variables
  case $mode in
    plain) exec "$BASH" --norc -c '${inner}' bash ;;
    linux) SHELL=$BASH exec script -qefc '${inner}' /dev/null ;;
    bsd) exec script -q /dev/null "$BASH" --norc -c '${inner}' bash ;;
  esac
} < in >&8 2>&1 6>&- 8>&- &
child=$!
set +m
exec 8>&-
for ((tick = 0; tick < 500; tick++)); do
  [ ! -s group ] && kill -0 "$child" || break
  sleep 0.01
done
echo begun
exec > /dev/null

wait "$child"
code=$?
# It may have been the signal that ended the waiting, not the process.
while [ "$is_told" ]; do is_told=; wait "$child"; code=$?; done

for ((tick = 0; tick < 20; tick++)); do
  kill -0 "$collector" || break
  sleep 0.05
done
exec 6>&-
rm -f in
# Some disks have no room even for this. They are waited out, for as long as anybody may want to know.
until printf '%03d\n' "$code" 1<> exit.new && mv exit.new exit; do
  [ -e claim ] || exit 1
  sleep 5
done
wait "$collector"
`;
