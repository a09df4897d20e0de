import { listImports } from './imports.ts';
import type { Import } from './imports.ts';
import type { Finding, Source } from './source.ts';

const floors: readonly (readonly string[])[] = [
  ['base'],
  ['model'],
  ['turn', 'store', 'providers', 'tools', 'channels'],
  ['agents'],
  ['gateway'],
  ['cli', 'web', 'ui'],
  ['roof'],
];
const roof = floors.length - 1;
const roofFiles: ReadonlySet<string> = new Set(['src/bin.ts', 'src/app.ts']);
const composition = /^src\/app(\.ts$|\/)/;
const adapterRooms: ReadonlySet<string> = new Set(['store', 'providers', 'tools', 'channels']);

interface Place {
  readonly room: string;
  readonly floor: number;
}

/** Imports only point down, rooms of one floor do not meet, and only `app.ts` and its folder know the adapters. */
export function checkFloors(sources: readonly Source[], dependencies: ReadonlySet<string>): readonly Finding[] {
  return sources.flatMap((source) => [
    ...checkPlace(source),
    ...listImports(source).flatMap((each) => checkImport(each, dependencies)),
  ]);
}

function checkPlace({ path }: Source): readonly Finding[] {
  if (placeOf(path) !== undefined) return [];
  return [{ rule: 'known-rooms', path, line: 1, message: 'is in no room of the house' }];
}

function checkImport(each: Import, dependencies: ReadonlySet<string>): readonly Finding[] {
  const from = placeOf(each.from);
  const broken = from === undefined ? undefined : brokenRule(each, from, dependencies);
  return broken === undefined ? [] : [{ path: each.from, line: each.line, ...broken }];
}

type BrokenRule = Pick<Finding, 'rule' | 'message'>;

function brokenRule(
  { from: path, to }: Import,
  from: Place,
  dependencies: ReadonlySet<string>,
): BrokenRule | undefined {
  switch (to.type) {
    case 'computed':
      return { rule: 'imports-are-literal', message: 'imports a name that is computed' };
    case 'package':
      return checkPackage(to.name, from, dependencies);
    case 'file':
      return to.path === 'package.json' ? undefined : checkFile(path, from, to.path);
  }
}

/** The user interface is built by a bundler and brings its own packages; the program uses declared ones only. */
function checkPackage(name: string, from: Place, dependencies: ReadonlySet<string>): BrokenRule | undefined {
  if (name.startsWith('node:') || from.room === 'ui' || dependencies.has(name)) return undefined;
  return { rule: 'declared-dependencies', message: `imports ${name}, which is not among the dependencies` };
}

function checkFile(path: string, from: Place, imported: string): BrokenRule | undefined {
  const to = placeOf(imported);
  if (to === undefined) return { rule: 'imports-stay-inside', message: `imports ${imported}, which is in no room` };
  if (to.room === from.room) return undefined;
  if (to.floor === roof) return { rule: 'roof-is-not-imported', message: `imports ${imported}, which is the roof` };
  if (to.floor > from.floor) return { rule: 'imports-point-down', message: `imports ${imported}, which is above it` };
  if (to.floor === from.floor)
    return { rule: 'rooms-do-not-meet', message: `imports ${imported}, a room on its own floor` };
  if (adapterRooms.has(to.room) && !composition.test(path))
    return {
      rule: 'adapters-only-in-app',
      message: `imports ${imported}, which only src/app.ts and src/app/ may know`,
    };
  return undefined;
}

function placeOf(path: string): Place | undefined {
  if (roofFiles.has(path) || composition.test(path)) return { room: 'roof', floor: roof };
  const [top, room] = path.split('/');
  const name = top === 'ui' ? 'ui' : top === 'src' ? room : undefined;
  const floor = floors.findIndex((rooms) => name !== undefined && rooms.includes(name));
  return name === undefined || floor === -1 || name === 'roof' ? undefined : { room: name, floor };
}
