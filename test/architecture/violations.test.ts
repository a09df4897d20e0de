import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkArchitecture } from './check.ts';
import type { SourceText } from './source.ts';

const dependencies: ReadonlySet<string> = new Set(['yaml', '@vscode/ripgrep']);

/** A small house that keeps every rule; each test below adds one file to it. */
const soundHouse: readonly SourceText[] = [
  { path: 'src/bin.ts', text: `import { startApp } from './app.ts';\nawait startApp();\nprocess.exit(0);\n` },
  {
    path: 'src/app.ts',
    text: `import { openStore } from './store/open-store.ts';\nimport { chat } from './cli/chat.ts';\nexport async function startApp() { chat(openStore()); }\n`,
  },
  {
    path: 'src/cli/chat.ts',
    text: `import type { Name } from '../model/name.ts';\nexport function chat(name: Name) { return name; }\n`,
  },
  { path: 'src/gateway/lanes.ts', text: `export const lanes = ['one', 'two'] as const;\n` },
  {
    path: 'src/store/open-store.ts',
    text: `import { join } from 'node:path';\nimport type { Name } from '../model/name.ts';\nexport const openStore = () => join('a', 'b') as Name;\n`,
  },
  {
    path: 'src/model/name.ts',
    text: `import { letters } from '../base/letters.ts';\nexport type Name = string;\nexport const first = letters.get('a');\n`,
  },
  {
    path: 'src/base/letters.ts',
    text: `// "any" and fetch( in a comment or in 'text: any' are no findings\nexport const letters: ReadonlyMap<string, number> = new Map([['a', 1]]);\nexport const limits = { most: 4 };\n`,
  },
  {
    path: 'ui/page.tsx',
    text: `import { useState } from 'react';\nexport const Page = () => <p>don't {useState(0)}</p>;\n`,
  },
  { path: 'test/model/name.test.ts', text: `test('a name has letters', { skip: reason }, () => {});\n` },
];

const longFunction = `export function long() {\n${'  work();\n'.repeat(59)}}\n`;

const plants: readonly { readonly what: string; readonly finding: string; readonly file: SourceText }[] = [
  {
    what: 'an import that points up',
    finding: 'src/model/bad.ts:2 imports-point-down',
    file: {
      path: 'src/model/bad.ts',
      text: `\nimport { lanes } from '../gateway/lanes.ts';\nexport const x = lanes[0];\n`,
    },
  },
  {
    what: 'a type import that points up',
    finding: 'src/base/bad.ts:1 imports-point-down',
    file: { path: 'src/base/bad.ts', text: `import type { Name } from '../model/name.ts';\nexport type X = Name;\n` },
  },
  {
    what: 'a type named in place that points up',
    finding: 'src/base/bad.ts:1 imports-point-down',
    file: { path: 'src/base/bad.ts', text: `export type X = import('../model/name.ts').Name;\n` },
  },
  {
    what: 'a dynamic import that points up',
    finding: 'src/base/bad.ts:1 imports-point-down',
    file: { path: 'src/base/bad.ts', text: `export const load = () => import('../model/name.ts');\n` },
  },
  {
    what: 'a dynamic import of a computed name',
    finding: 'src/base/bad.ts:1 imports-are-literal',
    file: { path: 'src/base/bad.ts', text: `export const load = (name: string) => import(name);\n` },
  },
  {
    what: 'an import between rooms of one floor',
    finding: 'src/turn/bad.ts:1 rooms-do-not-meet',
    file: {
      path: 'src/turn/bad.ts',
      text: `import { openStore } from '../store/open-store.ts';\nexport const x = openStore();\n`,
    },
  },
  {
    what: 'an adapter imported by someone other than app.ts',
    finding: 'src/gateway/bad.ts:1 adapters-only-in-app',
    file: {
      path: 'src/gateway/bad.ts',
      text: `import { openStore } from '../store/open-store.ts';\nexport const x = openStore();\n`,
    },
  },
  {
    what: 'the roof imported by the command line',
    finding: 'src/cli/bad.ts:1 roof-is-not-imported',
    file: {
      path: 'src/cli/bad.ts',
      text: `import type { startApp } from '../app.ts';\nexport type X = typeof startApp;\n`,
    },
  },
  {
    what: 'an import of something outside the house',
    finding: 'src/base/bad.ts:1 imports-stay-inside',
    file: { path: 'src/base/bad.ts', text: `import { x } from '../../test/support/x.ts';\nexport const y = x;\n` },
  },
  {
    what: 'a package that is not a dependency',
    finding: 'src/base/bad.ts:1 declared-dependencies',
    file: { path: 'src/base/bad.ts', text: `import { x } from '@fast/check/deep';\nexport const y = x;\n` },
  },
  {
    what: 'a room that the house does not have',
    finding: 'src/attic/bad.ts:1 known-rooms',
    file: { path: 'src/attic/bad.ts', text: `export const x = 1;\n` },
  },
  {
    what: 'a file that imports itself, if only a type',
    finding: 'src/base/bad.ts:1 no-cycles',
    file: { path: 'src/base/bad.ts', text: `import type { X } from './bad.ts';\nexport type X = X[] | 1;\n` },
  },
  {
    what: 'a file of more than 400 lines',
    finding: 'src/base/bad.ts:401 file-length',
    file: { path: 'src/base/bad.ts', text: '// line\n'.repeat(401) },
  },
  {
    what: 'a function of more than 60 lines',
    finding: 'src/base/bad.ts:1 function-length',
    file: { path: 'src/base/bad.ts', text: longFunction },
  },
  {
    what: 'five parameters',
    finding: 'src/base/bad.ts:1 parameter-count',
    file: {
      path: 'src/base/bad.ts',
      text: `export const sum = (a: 1, b: 1, c: 1, d: 1, e: 1) => a + b + c + d + e;\n`,
    },
  },
  {
    what: 'five parameters of a method in an interface',
    finding: 'src/base/bad.ts:2 parameter-count',
    file: { path: 'src/base/bad.ts', text: `export interface Sum {\n  of(a: 1, b: 1, c: 1, d: 1, e: 1): number;\n}\n` },
  },
  {
    what: 'the type any',
    finding: 'src/base/bad.ts:1 no-any',
    file: { path: 'src/base/bad.ts', text: `export const x = JSON.parse('1') as any;\n` },
  },
  {
    what: 'the type any as an argument of another',
    finding: 'src/base/bad.ts:1 no-any',
    file: { path: 'src/base/bad.ts', text: `export type X = Promise<any>;\n` },
  },
  {
    what: 'a silenced compiler',
    finding: 'src/base/bad.ts:1 no-suppressions',
    file: { path: 'src/base/bad.ts', text: `// @ts-ignore\nexport const x: string = 1;\n` },
  },
  {
    what: 'a module-level variable',
    finding: 'src/base/bad.ts:1 no-module-state',
    file: { path: 'src/base/bad.ts', text: `let count = 0;\nexport const next = () => (count += 1);\n` },
  },
  {
    what: 'a module-level map',
    finding: 'src/base/bad.ts:1 no-module-state',
    file: { path: 'src/base/bad.ts', text: `export const cache = new Map<string, string>();\n` },
  },
  {
    what: 'a module-level array that is not constant',
    finding: 'src/base/bad.ts:1 no-module-state',
    file: { path: 'src/base/bad.ts', text: `export const names: string[] = [];\n` },
  },
  {
    what: 'a module-level object that is filled later',
    finding: 'src/base/bad.ts:1 no-module-state',
    file: {
      path: 'src/base/bad.ts',
      text: `const table = { a: 1, b: 2 };\nexport const put = () => { table.a = 3; };\n`,
    },
  },
  {
    what: 'a module-level instance of a class',
    finding: 'src/base/bad.ts:2 no-module-state',
    file: { path: 'src/base/bad.ts', text: `class Counter {}\nexport const counter = new Counter();\n` },
  },
  {
    what: 'a static field that can change',
    finding: 'src/base/bad.ts:1 no-module-state',
    file: { path: 'src/base/bad.ts', text: `export class Counter { static count = 0; }\n` },
  },
  {
    what: 'a vague file name',
    finding: 'src/base/string-utils.ts:1 no-vague-names',
    file: { path: 'src/base/string-utils.ts', text: `export const x = 1;\n` },
  },
  {
    what: 'a vague folder name',
    finding: 'src/base/common/x.ts:1 no-vague-names',
    file: { path: 'src/base/common/x.ts', text: `export const x = 1;\n` },
  },
  {
    what: 'a file that only hands on what others export',
    finding: 'src/base/bad.ts:1 no-barrels',
    file: { path: 'src/base/bad.ts', text: `export { letters } from './letters.ts';\n` },
  },
  {
    what: 'an export of everything in another file',
    finding: 'src/base/bad.ts:2 no-barrels',
    file: { path: 'src/base/bad.ts', text: `export const x = 1;\nexport * from './letters.ts';\n` },
  },
  {
    what: 'a default export',
    finding: 'src/base/bad.ts:1 no-default-exports',
    file: { path: 'src/base/bad.ts', text: `export default function x() {}\n` },
  },
  {
    what: 'a default export by another name',
    finding: 'src/base/bad.ts:2 no-default-exports',
    file: { path: 'src/base/bad.ts', text: `const x = 1;\nexport { x as default };\n` },
  },
  {
    what: 'an enum',
    finding: 'src/base/bad.ts:1 erasable-syntax',
    file: { path: 'src/base/bad.ts', text: `export enum Color { Red }\n` },
  },
  {
    what: 'a namespace',
    finding: 'src/base/bad.ts:1 erasable-syntax',
    file: { path: 'src/base/bad.ts', text: `export namespace Colors { export const red = 1; }\n` },
  },
  {
    what: 'a parameter property',
    finding: 'src/base/bad.ts:1 erasable-syntax',
    file: { path: 'src/base/bad.ts', text: `export class Color { constructor(readonly red: number) {} }\n` },
  },
  {
    what: 'an exit outside bin.ts',
    finding: 'src/cli/bad.ts:1 one-exit',
    file: { path: 'src/cli/bad.ts', text: `export const leave = () => process.exit(1);\n` },
  },
  {
    what: 'the built-in fetch',
    finding: 'src/base/bad.ts:1 no-built-in-fetch',
    file: { path: 'src/base/bad.ts', text: `export const get = () => fetch('http://127.0.0.1');\n` },
  },
  {
    what: 'a file in src that is not TypeScript',
    finding: 'src/base/bad.js:1 only-typescript',
    file: { path: 'src/base/bad.js', text: `export const x = 1;\n` },
  },
  {
    what: 'a test that is set aside by its method',
    finding: 'test/bad.test.ts:1 no-tests-set-aside',
    file: { path: 'test/bad.test.ts', text: `suite.only('claims', () => {});\n` },
  },
  {
    what: 'a test that is set aside by its options',
    finding: 'test/bad.test.ts:1 no-tests-set-aside',
    file: { path: 'test/bad.test.ts', text: `test('a claim', { skip: 'later' }, () => {});\n` },
  },
  {
    what: 'a page that opens into another room',
    finding: 'ui/bad.tsx:1 rooms-do-not-meet',
    file: { path: 'ui/bad.tsx', text: `import { chat } from '../src/cli/chat.ts';\nexport const x = chat;\n` },
  },
];

function findings(files: readonly SourceText[]): readonly string[] {
  return checkArchitecture(files, dependencies).map(({ path, line, rule }) => `${path}:${line} ${rule}`);
}

test('a house that keeps every rule has no findings', () => {
  assert.deepEqual(findings(soundHouse), []);
});

for (const { what, finding, file } of plants) {
  test(`${what} is found, and nothing else`, () => {
    assert.deepEqual(findings([...soundHouse, file]), [finding]);
  });
}

test('files that import each other in a ring are one finding that names them all', () => {
  const ring = ['a', 'b', 'c'].map((name, index) => ({
    path: `src/base/${name}.ts`,
    text: `import type { X } from './${'bca'[index]}.ts';\nexport type Y${index} = X;\n`,
  }));

  const found = checkArchitecture([...soundHouse, ...ring], dependencies);

  assert.deepEqual(found, [
    {
      rule: 'no-cycles',
      path: 'src/base/a.ts',
      line: 1,
      message: 'is in a cycle: src/base/a.ts ⇄ src/base/b.ts ⇄ src/base/c.ts',
    },
  ]);
});
