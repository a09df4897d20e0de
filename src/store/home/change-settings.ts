import { readFileSync, realpathSync, statSync } from 'node:fs';
import { isMap, parseDocument } from 'yaml';
import { AppError, systemErrorCode } from '../../base/errors.ts';
import { isJsonObject, parseJson } from '../../base/json.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { parseConfig } from './parse-config.ts';
import { writeAtomically } from './write-atomically.ts';

/** Keys of one section of the settings, under the names that they have in the file; undefined takes one out. */
export interface SettingsChange {
  readonly section: string;
  readonly values: Readonly<Record<string, string | number | readonly string[] | undefined>>;
}

/**
 * Changes keys of the settings file and leaves the rest of it as it is, comments and permissions included. A file that is
 * broken, or would be afterwards, is not touched.
 */
export async function changeSettings(path: string, change: SettingsChange): Promise<void> {
  const text = readText(path);
  if (text !== undefined) refuseBroken(path, text);
  const changed = isJsonText(text) ? changeJson(text, change) : changeYaml(text ?? '', change);
  const says = refuseBroken(path, changed);
  if (!isCarriedOut(change, says))
    throw new AppError(
      'bad-config',
      `${path} can only be changed by hand: the settings are written in a way that this program does not change`,
    );
  // A link stays a link: what it points to is what is changed.
  if (text === undefined) await writeAtomically(path, changed);
  else await writeAtomically(realpathSync(path), changed, statSync(path).mode & 0o777);
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
  if (parsed.type === 'broken') throw new AppError('bad-config', `${path}:${parsed.problem}`);
  return parsed.value;
}

/** YAML has ways to say a thing from afar; a key that would still be read is one that was not taken out. */
function isCarriedOut({ section, values }: SettingsChange, says: Json): boolean {
  const found = isJsonObject(says) ? says[section] : undefined;
  return Object.entries(values).every(
    ([key, value]) => JSON.stringify(isJsonObject(found) ? found[key] : undefined) === JSON.stringify(value),
  );
}

function isJsonText(text: string | undefined): text is string {
  return text !== undefined && isJsonObject(parseJson(text));
}

function changeJson(text: string, { section, values }: SettingsChange): string {
  const settings = JSON.parse(text) as JsonObject;
  const after: Record<string, Json> = { ...sectionOf(settings, section) };
  for (const [key, value] of Object.entries(values)) {
    if (value === undefined) delete after[key];
    else after[key] = value;
  }
  const indent = /^\s*\{\r?\n([ \t]+)/.exec(text)?.[1];
  return JSON.stringify({ ...settings, [section]: after }, undefined, indent) + (text.endsWith('\n') ? '\n' : '');
}

function changeYaml(text: string, { section, values }: SettingsChange): string {
  const document = parseDocument(text);
  // A section that refers to another one becomes one of its own.
  if (!isMap(document.get(section))) document.set(section, document.createNode(sectionOf(document.toJS(), section)));
  for (const [key, value] of Object.entries(values)) {
    if (value === undefined) document.deleteIn([section, key]);
    else document.setIn([section, key], value);
  }
  return document.toString({ lineWidth: 0 });
}

function sectionOf(settings: unknown, section: string): JsonObject {
  const found = isJsonObject(settings) ? settings[section] : undefined;
  return isJsonObject(found) ? found : {};
}
