import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Node, SourceFile, SyntaxKind } from 'typescript/unstable/ast';
import { createVirtualFileSystem } from 'typescript/unstable/fs';
import { API } from 'typescript/unstable/sync';

/** A file as the rules are given it: its path from the root of the project, with `/` between the parts. */
export interface SourceText {
  readonly path: string;
  readonly text: string;
}

export interface Source extends SourceText {
  readonly tree: SourceFile;
}

/** Something in the tree that breaks a rule. */
export interface Finding {
  readonly rule: string;
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

/** Every file below the given folders that exist. */
export async function readSources(root: string, folders: readonly string[]): Promise<readonly SourceText[]> {
  const top = await readdir(root);
  const found = folders.filter((folder) => top.includes(folder)).map((folder) => readFolder(root, folder));
  return (await Promise.all(found)).flat();
}

async function readFolder(root: string, folder: string): Promise<readonly SourceText[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(
    files.map(async (file) => ({ path: file.slice(root.length + 1), text: await readFile(file, 'utf8') })),
  );
}

/** Parses with the compiler's own parser, from memory. Files that are not TypeScript have no tree and are left out. */
export function parseSources(texts: readonly SourceText[]): readonly Source[] {
  const scripts = texts.filter(({ path }) => /\.tsx?$/.test(path));
  const config = {
    files: scripts.map(({ path }) => path),
    compilerOptions: { noLib: true, noResolve: true, types: [] },
  };
  const files: Record<string, string> = { '/tree/tsconfig.json': JSON.stringify(config) };
  for (const { path, text } of scripts) files[`/tree/${path}`] = text;

  const compiler = new API({ cwd: '/tree', fs: createVirtualFileSystem(files) });
  try {
    const project = compiler
      .updateSnapshot({ openProjects: ['/tree/tsconfig.json'] })
      .getProject('/tree/tsconfig.json');
    return scripts.map(({ path, text }) => {
      const tree = project?.program.getSourceFile(`/tree/${path}`);
      if (tree === undefined) throw new Error(`the compiler gave no tree for ${path}`);
      return { path, text, tree };
    });
  } finally {
    compiler.close();
  }
}

/** Every node of a tree, outermost first. */
export function* allNodes(node: Node): Generator<Node, void> {
  yield node;
  const children: Node[] = [];
  node.forEachChild((child) => {
    children.push(child);
  });
  for (const child of children) yield* allNodes(child);
}

/** Counted from one, as editors do. */
export function lineOf(source: Source, node: Node): number {
  return source.tree.getLineAndCharacterOfPosition(node.getStart(source.tree)).line + 1;
}

export function hasModifier(node: Node, modifier: SyntaxKind): boolean {
  const { modifiers } = node as { readonly modifiers?: readonly Node[] };
  return modifiers?.some(({ kind }) => kind === modifier) ?? false;
}
