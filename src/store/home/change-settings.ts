import { readFileSync, realpathSync, statSync } from 'node:fs';
import { isMap, isScalar, parseDocument } from 'yaml';
import type { Document } from 'yaml';
import { AppError, systemErrorCode } from '../../base/errors.ts';
import { isJsonObject, parseJson } from '../../base/json.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type { SettingsChange } from '../../model/settings.ts';
import { parseConfig } from './parse-config.ts';
import { writeAtomically } from './write-atomically.ts';

/**
 * Changes keys of the settings file and leaves the rest of it as it is, comments and permissions included. The file as it
 * was stays beside it: the path of that copy is returned, undefined where there was nothing to keep. A file that is
 * broken, or would be afterwards, is not touched.
 */
export async function changeSettings(path: string, changes: readonly SettingsChange[]): Promise<string | undefined> {
  const text = readText(path);
  if (text !== undefined) refuseBroken(path, text);
  const changed = isJsonText(text) ? changeJson(text, changes) : changeYaml(text ?? '', changes);
  const says = refuseBroken(path, changed);
  if (!changes.every((change) => isCarriedOut(change, says)))
    throw new AppError(
      'bad-config',
      `${path} can only be changed by hand: the settings are written in a way that this program does not change`,
    );
  if (text === changed) return undefined;
  if (text === undefined) {
    await writeAtomically(path, changed);
    return undefined;
  }
  const copy = `${path}.bak`;
  await writeAtomically(copy, text);
  // A link stays a link: what it points to is what is changed.
  await writeAtomically(realpathSync(path), changed, statSync(path).mode & 0o777);
  return copy;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}

function refuseBroken(path: string, text: string): Json {
  const parsed = parseConfig(text);
  if (parsed.type === 'broken') {
    throw new AppError('bad-config', parsed.problems.map((problem) => `${path}:${problem}`).join('\n'));
  }
  return parsed.value;
}

/** YAML has ways to say a thing from afar; a key that would still be read is one that was not taken out. */
function isCarriedOut({ path, values }: SettingsChange, says: Json): boolean {
  const found = objectAt(says, path);
  return Object.entries(values).every(([key, value]) => JSON.stringify(found[key]) === JSON.stringify(value));
}

function objectAt(settings: unknown, path: readonly string[]): JsonObject {
  let found: unknown = settings;
  for (const key of path) found = isJsonObject(found) ? found[key] : undefined;
  return isJsonObject(found) ? found : {};
}

function isJsonText(text: string | undefined): text is string {
  return text !== undefined && isJsonObject(parseJson(text));
}

function changeJson(text: string, changes: readonly SettingsChange[]): string {
  let settings = JSON.parse(text) as JsonObject;
  for (const { path, values } of changes) settings = changeObject(settings, path, values);
  const indent = /^\s*\{\r?\n([ \t]+)/.exec(text)?.[1];
  return JSON.stringify(settings, undefined, indent) + (text.endsWith('\n') ? '\n' : '');
}

function changeObject(before: JsonObject, path: readonly string[], values: SettingsChange['values']): JsonObject {
  const [first, ...rest] = path;
  if (first !== undefined) return { ...before, [first]: changeObject(objectAt(before, [first]), rest, values) };
  const after: Record<string, Json> = { ...before };
  for (const [key, value] of Object.entries(values)) {
    if (value === undefined) delete after[key];
    else after[key] = value;
  }
  return after;
}

function changeYaml(text: string, changes: readonly SettingsChange[]): string {
  const document = parseDocument(text);
  for (const { path, values } of changes) {
    // A section that refers to another one becomes one of its own.
    if (!isMap(document.getIn(path))) document.setIn(path, document.createNode(objectAt(document.toJS(), path)));
    for (const [key, value] of Object.entries(values)) changeKey(document, [...path, key], value);
  }
  return document.toString({ lineWidth: 0 });
}

function changeKey(document: Document, path: readonly string[], value: Json | undefined): void {
  if (value === undefined) {
    document.deleteIn(path);
    return;
  }
  const node = document.getIn(path, true);
  if (isScalar(node)) {
    if (node.value === value) return;
    // What is said beside a value is said of that value.
    node.comment = null;
  }
  document.setIn(path, value);
}
