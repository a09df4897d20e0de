// Parts of 32 MB at most, of which three are kept: the first and the last two.
const partReads = 2048;
const readBytes = 16_384;

// On one line, so that the line numbers in bash's messages are those of the command. In a request stand the command, the
// text to run around it, and when its time is over.
const waitingShell = [
  'read -r _ || exit 125',
  'exec < /dev/null',
  '. ./request',
  'set -C; echo "$3" > claim || exit 125; set +C',
  'SECONDS=0',
  'eval "$2"',
].join('; ');

/**
 * What a runner does, in nothing but bash, so that forking from it is cheap. For each line of its input it makes a shell
 * ready in the folder that the line names, and waits for it; that shell waits for the next line, and then does what the
 * file `request` in its folder says. So a command finds its shell waiting.
 *
 * A runner outlives us. What was begun is brought to an end and written down, and then it ends for want of lines:
 * - `claim` is made before a command runs, and can be made once: whoever makes it decides whether the command runs.
 * - `exit` is written in one piece once the command has ended.
 * - The output goes through a pipe to files, `out.0` and so on, so that neither our end nor a full disk breaks the pipe.
 *   What is taken out of the middle is counted in `dropped`.
 */
export const runnerScript = String.raw`
type dd wc rm cat date > /dev/null || exit 1
# A handler, not an ignored signal: that would be handed on to the commands.
trap : PIPE

collect() {
  part=0
  while dd bs=${readBytes} count=${partReads} >> "out.$part"; do
    LC_ALL=C IFS= read -r -d '' -n 1 byte || { echo "$1 closed"; return; }
    part=$((part + 1))
    middle=$((part - 2))
    if [ "$middle" -gt 0 ]; then wc -c < "out.$middle" >> dropped; rm -f "out.$middle"; fi
    if [ "$byte" ]; then printf %s "$byte"; else printf '\0'; fi >> "out.$part"
  done
  echo "$1 cut"
  cat > /dev/null
}

# Whoever started us is gone: nobody else sees to it that the command ends in time.
end_in_time() {
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

is_alone=
trap 'is_alone=yes' USR1
{ read -r -u 3; kill -USR1 $$; } < /dev/null > /dev/null &

top=$PWD
while read -r slot; do
  # The folder is going to get another name, so that from here on it is where we are.
  cd "$top/$slot" && unset OLDPWD || exit 1
  echo "$slot ready"
  exec 8> >(collect "$slot")
  set -m
  "$BASH" -c '${waitingShell}' bash <&0 >&8 2>&1 3>&- 8>&- &
  set +m
  child=$!
  exec 8>&-
  echo "$child" > group
  [ -z "$is_alone" ] || end_in_time
  wait "$child"
  code=$?
  # It may have been the signal that ended the waiting, not the command.
  if [ "$is_alone" ] && [ "$(kill -l "$code")" = USR1 ]; then end_in_time; wait "$child"; code=$?; fi
  [ -e claim ] || { rm -rf "$top/$slot"; exit 1; }
  echo "$code" > exit
  echo "$slot exited $code"
done
`;
