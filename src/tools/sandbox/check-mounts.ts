export interface ExpectedMounts {
  /** Where there is one mount and no more. */
  readonly single: readonly string[];
  /** In these there may be any: they are inside what they are outside. */
  readonly within: readonly string[];
}

/**
 * What a shell does inside before anything else: it ends where something is mounted that was not asked for. Bubblewrap follows
 * links, and a process of an earlier command can put one in the place of a guarded file after that was looked at: what is
 * laid over the file would then be laid over the home, with all that is in it. In nothing but builtins.
 */
export function checkMounts({ single, within }: ExpectedMounts): string {
  const once = single.map((path) => quoteMount(path)).join('|');
  const below = within.map((path) => `${quoteMount(path)}/*`);
  const itself = within.filter((path) => !single.includes(path)).map((path) => quoteMount(path));
  const look = [
    `case $point in ${once}) case "$mounts" in *" $point "*) odd=$point ;; esac; mounts="$mounts $point " ;;`,
    `${[...itself, ...below].join('|')}) ;; *) odd=$point ;; esac`,
  ].join(' ');
  return [
    'odd= mounts=',
    `while read -r _ _ _ _ point _; do ${look}; done < /proc/self/mountinfo`,
    '[ -z "$odd" ] || { echo "the sandbox could not be made: $odd was changed meanwhile"; exit 126; }',
    'unset odd mounts point _',
  ].join('; ');
}

/** A path as the kernel writes it in the list of mounts, as one word of bash. */
function quoteMount(path: string): string {
  const written = path.replaceAll(
    /[ \t\n\\]/g,
    (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
  return `'${written.replaceAll("'", String.raw`'\''`)}'`;
}
