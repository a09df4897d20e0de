// Bash sets these itself, as it goes, and the sandbox its own.
const passing: ReadonlySet<string> = new Set(['PWD', 'SHLVL', 'TMPDIR', '_', 'npm_config_cache']);

export interface StateDifference {
  /** Commands of bash that make the one state of the other. */
  readonly text: string;
  /** The variables that they set. */
  readonly names: readonly string[];
}

/** What sets the exported variables that a shell left apart from those that it was given. Both as bash writes them. Pure. */
export function findStateDifference(given: string, left: string): StateDifference {
  const before = exportsIn(given);
  const after = exportsIn(left);
  const changed = [...after].filter(([name, text]) => before.get(name) !== text);
  const gone = [...before.keys()].filter((name) => !after.has(name));
  const forget = gone.length === 0 ? [] : [`unset -v ${gone.join(' ')}\n`];
  return { text: [...forget, ...changed.map(([, text]) => text)].join(''), names: changed.map(([name]) => name) };
}

/** Variables as bash would write them. Where bash would spell something out, they are another text, and count as changed. */
export function writeExports(variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .map(([name, value]) => `declare -x ${name}="${value.replaceAll(/[\\"$`]/g, String.raw`\$&`)}"\n`)
    .join('');
}

function exportsIn(state: string): ReadonlyMap<string, string> {
  const pieces = state.split(/^(?=(?:declare -\w+|export) \w+)/m);
  const named = pieces.map((text) => [/^(?:declare -\w+|export) (\w+)/.exec(text)?.[1] ?? '', text] as const);
  return new Map(named.filter(([name]) => name !== '' && !passing.has(name)));
}
