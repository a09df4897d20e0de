import { collectScript } from '../shell/collect-script.ts';
import { quote } from '../shell/call-ticket.ts';
import { mostBytes } from '../shell/output-file.ts';

/** How much of the beginning and of the end of an output is sent; far more than is ever shown. */
export const sentBytes = 256 * 1024;
const largestState = 1024 * 1024;

const answers = `
# An answer is a line with its name and how many bytes follow, and then these.
say() {
  local LC_ALL=C
  printf '%s %d\\n%s' "$1" "\${#2}" "$2"
}

# First into a file: whoever still writes to the source changes its length.
send() {
  name=$1
  shift
  "$@" > sent || : > sent
  printf '%s %d\\n' "$name" "$(wc -c < sent)"
  cat sent
}

send_output() {
  size=$(wc -c < out) || size=0
  if [ "$size" -le $((2 * ${sentBytes})) ]; then send output cat out; return; fi
  dropped=0
  while read -r count; do dropped=$((dropped + count)); done < dropped
  send output head -c ${sentBytes} out
  say skipped "$((dropped + size - 2 * ${sentBytes}))"
  send output tail -c ${sentBytes} out
}
`;

const identity = `
# What tells a process from those that had its number before, where the system shows as much.
identify() {
  local line number=$1
  read -r line < "/proc/$number/stat" || line=
  set -- \${line##*) }
  identity="$number \${20} $boot"
  [ "$1" != Z ]
}

is_alive() {
  read -r described < runner && kill -0 "\${described%% *}" && identify "\${described%% *}" && [ "$identity" = "$described" ]
}
`;

const running = `
# In a process group of its own, with nothing that belongs to the connection: it lives on when that ends.
supervise() {
  cd "$ticket" || exit
  exec 9<> bell
  { collect < pipe; : > whole; } &
  set -m
  "$BASH" --norc -c "$3" bash "$2" < /dev/null > pipe 2>&1 9>&- &
  child=$!
  echo "$child" > group
  { sleep "$1"; : > late; kill -TERM -- "-$child"; sleep 1; kill -KILL -- "-$child"; } &
  watchdog=$!
  set +m
  wait "$child"
  code=$?
  kill -KILL -- "-$watchdog"
  # A process left in the background may hold the output open for ever: once nothing more comes, what it writes later is
  # its own affair.
  idle=0
  size=
  for pause in 0.01 0.02 0.02 ${Array.from({ length: 20 }, () => '0.05').join(' ')}; do
    [ -e whole ] && break
    before=$size
    sleep "$pause"
    size=$(wc -c < out)
    if [ "$size" = "$before" ]; then idle=$((idle + 1)); else idle=0; fi
    [ "$idle" -lt 3 ] || break
  done
  echo "$code" > exit
  echo >&9
}

follow() {
  cd "$ticket" || return
  exec 9<> bell
  shown=
  set -- 0.1 0.1 0.2 0.5
  until read -r code < exit; do
    if ! is_alive; then
      read -r code < exit && break
      say lost ''
      send_output
      return
    fi
    line=$(tail -c 400 out)
    [ "$line" = "$shown" ] || say shows "$line"
    shown=$line
    read -r -t "\${1:-1}" -u 9
    shift
    # Nobody sends anything any more, so that there is something to read only when whoever listened is gone.
    read -t 0 && exit
  done
  send_output
  [ ! -e cut ] || say cut ''
  [ "$(wc -c < state)" -gt ${largestState} ] || send state cat state
  [ ! -e late ] || say late ''
  say exited "$code"
}
`;

const acts = `
# start: session, call, seconds, folder, the command, the text around it, the state to take up, calls to forget
start() {
  if [ ! -d "$4" ]; then find_folder "$4"; return; fi
  mkdir -p -- "$root/$1" && cd -- "$root/$1" || { say failed "$root cannot be written to"; return; }
  for old in $8; do rm -rf -- "./$old"; done
  ticket=$root/$1/$2
  # Whoever makes the folder decides: it is made once, by the start or by whoever says that there was none.
  if ! mkdir -- "$ticket"; then
    if [ -d "$ticket" ]; then say begun ''; else say failed "$ticket could not be made: is the disk full?"; fi
    return
  fi
  cd "$ticket" && printf '%s\\n' "$7" > before && mkfifo bell pipe && : > out && : > state || {
    rm -rf -- "$ticket"
    say failed "$ticket could not be written to: is the disk full?"
    return
  }
  export TALARIA_REMOTE_SESSION=$1
  set -m
  supervise "$3" "$5" "$6" < /dev/null > /dev/null 2>&1 &
  set +m
  identify "$!"
  echo "$identity" > runner
  follow
}

# find_folder: home, here, or a path, of which as much as there is
find_folder() {
  case $1 in
    home) folder=$HOME ;;
    here) folder=$begun_in ;;
    *) folder=$1 ;;
  esac
  while [ ! -d "$folder" ] && [ "$folder" != / ]; do folder=$(dirname -- "$folder"); done
  say home "$HOME"
  say path "$PATH"
  say folder "$folder"
}

# look_up: session, call. What was never begun cannot be begun any more.
look_up() {
  ticket=$root/$1/$2
  mkdir -p -- "$root/$1"
  if mkdir -- "$ticket"; then say revoked ''
  elif [ -d "$ticket" ]; then follow
  else say unseen ''
  fi
}

end_groups() {
  for group; do kill -TERM -- "-$group"; done
  for tick in 1 2 3 4 5 6 7 8 9 10; do
    alive=
    for group; do kill -0 -- "-$group" && alive=yes; done
    [ "$alive" ] || return
    sleep 0.05
  done
  for group; do kill -KILL -- "-$group"; done
}

# end: session, call. It may come before the start that it is meant for, which then is none.
end() {
  mkdir -p -- "$root/$1"
  if mkdir -- "$root/$1/$2"; then say ended ''; return; fi
  cd -- "$root/$1/$2" || { say failed "$root cannot be written to"; return; }
  for tick in 1 2 3 4 5 6 7 8 9 10; do [ -s group ] || sleep 0.05; done
  read -r group < group && end_groups "$group"
  say ended ''
}

# close: session. What has left its group is known by its variable.
close() {
  groups=
  found=
  for file in "$root/$1"/*/group; do read -r group < "$file" && [ ! -e "\${file%group}exit" ] && groups="$groups $group"; done
  end_groups $groups
  for signal in TERM KILL; do
    for file in $(grep -lsz "^TALARIA_REMOTE_SESSION=$1\\$" /proc/[0-9]*/environ); do
      file=\${file%/environ}
      kill -$signal "\${file#/proc/}" && found=yes
    done
    [ "$found" ] || break
    sleep 0.3
  done
  rm -rf -- "$root/$1"
  say closed ''
}
`;

/**
 * What is sent ahead to wherever commands run, in nothing but bash 4 and the usual small programs. It says the mark, and
 * what stands before that is not ours, but of start-up files. An act is sent only then, so that whoever has not seen the
 * mark knows that nothing was run. Either is read as one piece: of a text that did not arrive whole nothing is run.
 *
 * A folder for each call under `~/.talaria-remote` is all there is to know about it, as it is for a local call: `out`,
 * `state` and `exit` appear in it, and it outlives the connection and us.
 */
export function remotePrelude(mark: string): string {
  return `{
exec 2> /dev/null
# Nobody else reads in it, or could have put it there.
own_folder() { mkdir -p -m 700 -- "$1" && [ -O "$1" ] && [ ! -L "$1" ] && [ -w "$1" ] && chmod 700 -- "$1"; }
begun_in=$PWD
root=$HOME/.talaria-remote
own_folder "$root" || {
  root=\${TMPDIR:-/tmp}/talaria-remote-$UID
  own_folder "$root" || root=/nowhere
}
${collectScript({ mostBytes, readsPerLook: 1024 })}${answers}${identity}${running}${acts}
boot=
read -r boot < /proc/sys/kernel/random/boot_id
# A container is younger than the system, and what it kept goes with it.
identify 1
boot=\${identity// /-}
printf '\\n%s\\n' '${mark}'
say epoch "$boot"
if [ "\${BASH_VERSINFO[0]}" -lt 4 ]; then say failed "bash there is older than version 4"; say over ''; exit; fi
}
`;
}

export type ActName = 'start' | 'look_up' | 'end' | 'close' | 'find_folder';

/** One thing to do there. The words may hold any bytes but NUL. */
export function remoteAct(name: ActName, words: readonly (string | Buffer)[]): Buffer {
  const bytes = words.map((word) => quote(Buffer.from(word).toString('latin1')));
  return Buffer.from(`{ ${name} ${bytes.join(' ')}; say over ''; exit; }\n`, 'latin1');
}
