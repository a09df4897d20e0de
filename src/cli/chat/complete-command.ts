import { commandTable } from '../../gateway/commands.ts';

/** What a line editor asks for: what could stand in the place of a text, and that text. */
type Completion = [candidates: string[], replaced: string];

interface Names {
  readonly name: string;
  readonly aliases: readonly string[];
}

// The gateway knows nothing of these two.
const ofTerminal: readonly Names[] = [
  { name: 'exit', aliases: ['quit'] },
  { name: 'image', aliases: [] },
];

/**
 * The commands that begin like the line, by their own names, or else by their other ones; behind the only one stands a space. In
 * any other line a Tab stays a Tab. Pure.
 */
export function completeCommand(line: string): Completion {
  if (!/^\/[a-z_-]*$/i.test(line)) return keepTab(line);
  const rows = [...commandTable.map(namesIn), ...ofTerminal];
  const begun = (names: readonly string[]): readonly string[] =>
    names.map((name) => `/${name}`).filter((name) => name.startsWith(line.toLowerCase()));
  const named = begun(rows.map(({ name }) => name));
  const found = named.length > 0 ? named : begun(rows.flatMap(({ aliases }) => aliases));
  const [only] = found;
  return [found.length === 1 ? [`${only} `] : found.toSorted(), line];
}

/** The Tab itself, as a line editor without completion takes it. Pure. */
export function keepTab(line: string): Completion {
  return [[`${line}\t`], line];
}

/** A command has the name that its usage begins with: the table may know it by one that a menu can show. */
function namesIn({ name, aliases, usage }: Names & { readonly usage: string }): Names {
  const written = /^\/([\w-]+)/.exec(usage)?.[1] ?? name;
  return { name: written, aliases: [name, ...aliases].filter((each) => each !== written) };
}
