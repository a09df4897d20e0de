import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Metafile, Plugin } from 'esbuild';

// Node strips no types below node_modules, so what is published is JavaScript. To find and open each of hundreds of files
// takes a good part of a one-shot run, so that what is loaded together becomes one file.
const files: readonly PackageFile[] = [
  { name: 'command-line', from: ['src/cli/main.ts', 'src/cli/help.ts'] },
  {
    name: 'conversation',
    from: [
      'src/app.ts',
      'src/cli/run/run-command.ts',
      'src/cli/run/text-output.ts',
      'src/providers/choose-runtime.ts',
      'src/providers/connect-runtime.ts',
      'src/providers/openai-chat.ts',
    ],
  },
];
const program = 'src/bin.ts';
// A thread is started by the name of its file, which stands beside the others.
const thread = 'src/tools/web/render-worker.ts';

const root = join(import.meta.dirname, '..');
const outdir = join(root, 'dist');
const language = {
  absWorkingDir: root,
  format: 'esm',
  platform: 'node',
  target: 'node26',
  logLevel: 'warning',
} as const;
const settings = { ...language, bundle: true, packages: 'external' } as const;

interface PackageFile {
  readonly name: string;
  /** The modules that it is for; all that they import comes with them. */
  readonly from: readonly string[];
}

/** The modules of the program by their paths, and what each imports. */
type Modules = Metafile['inputs'];

const modules = await scan();
const fileOf = assign(modules);
rmSync(outdir, { recursive: true, force: true });
for (const { name } of files) await buildWhole(name);
await buildRest();

async function scan(): Promise<Modules> {
  const { metafile } = await build({
    ...settings,
    outdir,
    entryPoints: [program],
    splitting: true,
    write: false,
    metafile: true,
  });
  return metafile.inputs;
}

/** Which file each module is in, for those that are in one of these: the first that needs it. */
function assign(known: Modules): ReadonlyMap<string, string> {
  const assigned = new Map<string, string>();
  const put = (path: string, name: string): void => {
    if (assigned.has(path)) return;
    assigned.set(path, name);
    for (const each of importsOf(path, 'import-statement', known)) put(each, name);
  };
  for (const { name, from } of files) for (const path of from) put(path, name);
  return assigned;
}

function importsOf(path: string, kind: string, known: Modules): readonly string[] {
  const { imports } = known[path] ?? unknown(path);
  return imports.filter((each) => each.kind === kind && each.external !== true).map((each) => each.path);
}

function unknown(path: string): never {
  throw new Error(`the program has no module ${path}`);
}

/** One file of many modules. It gives out what those do that are imported from elsewhere, or lazily. */
async function buildWhole(name: string): Promise<void> {
  const wanted = Object.keys(modules).flatMap((path) => [
    ...(fileOf.get(path) === name ? [] : importsOf(path, 'import-statement', modules)),
    ...importsOf(path, 'dynamic-import', modules),
  ]);
  const given = [...new Set(wanted)].filter((path) => fileOf.get(path) === name);
  await refuseSameNames(given);
  const contents = given.map((path) => `export * from './${path}';`).join('\n');
  await build({
    ...settings,
    outfile: join(outdir, `${name}.js`),
    stdin: { contents, resolveDir: root },
    plugins: [lookElsewhere(name)],
  });
}

/** A name that two of them have would be given out by neither. */
async function refuseSameNames(paths: readonly string[]): Promise<void> {
  const { metafile } = await build({ ...language, outdir, write: false, metafile: true, entryPoints: [...paths] });
  const known = new Map<string, string>();
  for (const { exports, entryPoint = '' } of Object.values(metafile.outputs)) {
    for (const name of exports) {
      const other = known.get(name);
      if (other !== undefined) throw new Error(`${name} is a name in ${other} and in ${entryPoint}: rename one`);
      known.set(name, entryPoint);
    }
  }
}

/** The program's own file, and all that is loaded when it is needed. */
async function buildRest(): Promise<void> {
  const lazy = Object.keys(modules).flatMap((path) => importsOf(path, 'dynamic-import', modules));
  const entries = [...new Set(lazy)].filter((path) => !fileOf.has(path));
  await build({
    ...settings,
    outdir,
    entryPoints: Object.fromEntries([
      ['bin', program],
      ['render-worker', thread],
      ...entries.map((path) => [lazyName(path), path]),
    ]),
    splitting: true,
    plugins: [lookElsewhere(undefined)],
  });
}

function lazyName(path: string): string {
  return path
    .replace(/^src\//, '')
    .replace(/\.ts$/, '')
    .replaceAll('/', '.');
}

/** Has the modules of other files imported from these. */
function lookElsewhere(here: string | undefined): Plugin {
  return {
    name: 'look elsewhere',
    setup(building) {
      building.onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir, kind }) => {
        const module = join(resolveDir, path).slice(root.length + 1);
        const isLazy = kind === 'dynamic-import';
        const file = fileOf.get(module) ?? (isLazy && here !== undefined ? lazyName(module) : undefined);
        if (file === undefined || (file === here && !isLazy)) return undefined;
        return { path: `./${file}.js`, external: true };
      });
    },
  };
}
