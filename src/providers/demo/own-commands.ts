/** A command that the demo itself made up, known again when its result comes back. */
export interface OwnCommand {
  readonly type: 'listing' | 'appending' | 'deleting';
  readonly path: string;
}

// Marks the folders, so that they can be counted.
const listing = 'ls -Ap';
const appending = "printf '%s\\n'";
const deleting = 'rm --';

export function writeListing(path: string): string {
  return path === '.' ? listing : `${listing} -- ${quotePath(path)}`;
}

export function writeAppending(path: string, text: string): string {
  return `${appending} ${quote(text)} >> ${quotePath(path)}`;
}

export function writeDeleting(path: string): string {
  return `${deleting} ${quotePath(path)}`;
}

/** A server that needs nothing that the program does not need itself. */
export function writeServing(port: number): string {
  return `node -e 'require("http").createServer((_, to) => to.end("hello\\n")).listen(${port}, "127.0.0.1", () => console.log("ready"))'`;
}

/** The address that such a server is for. */
export function readServing(command: string): string | undefined {
  const port = /\.listen\((\d+), "127\.0\.0\.1"/.exec(command)?.[1];
  return port !== undefined && command === writeServing(Number(port)) ? `http://127.0.0.1:${port}` : undefined;
}

/** Whoever types the same gets the same: undefined is every other command. */
export function readOwnCommand(command: string): OwnCommand | undefined {
  if (command === listing) return { type: 'listing', path: '.' };
  for (const [type, pattern] of patterns) {
    const path = pattern.exec(command)?.[1];
    if (path !== undefined) return { type, path: unquote(path) };
  }
  return undefined;
}

const onePath = "([\\w./~@-]+|'(?:[^']|'\\\\'')*')";
const patterns: readonly (readonly [OwnCommand['type'], RegExp])[] = [
  ['listing', new RegExp(`^ls -Ap -- ${onePath}$`)],
  ['appending', new RegExp(`^printf '%s\\\\n' '(?:[^']|'\\\\'')*' >> ${onePath}$`)],
  ['deleting', new RegExp(`^rm -- ${onePath}$`)],
];

function quotePath(path: string): string {
  return /^[\w./~@-]+$/.test(path) ? path : quote(path);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function unquote(word: string): string {
  return word.startsWith("'") ? word.slice(1, -1).replaceAll(`'\\''`, "'") : word;
}
