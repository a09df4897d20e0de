import { readFileSync, realpathSync } from 'node:fs';
import { isDeepStrictEqual, parseEnv } from 'node:util';
import { AppError, systemErrorCode } from '../../base/errors.ts';
import { writeAtomically } from './write-atomically.ts';

const plainValue = /^[\w:./+=@-]+$/;

/** Sets one variable of an `.env` file, closed to others, and leaves every other line as it is. */
export async function changeEnvFile(path: string, name: string, value: string): Promise<void> {
  if (!plainValue.test(value)) throw new AppError('bad-usage', `this cannot be a value of ${name}`);
  const before = readText(path);
  const after = changeText(before ?? '', name, value);
  // A value may go over several lines, and one of them may look like the variable.
  if (!isDeepStrictEqual({ ...parseEnv(after) }, { ...parseEnv(before ?? ''), [name]: value })) {
    throw new AppError('bad-config', `${path} can only be changed by hand: put ${name}=… into it`);
  }
  // A link stays a link: what it points to is what is changed.
  await writeAtomically(before === undefined ? path : realpathSync(path), after);
}

function changeText(text: string, name: string, value: string): string {
  const line = `${name}=${value}`;
  const lines = text.split('\n');
  const isSet = (candidate: string): boolean => new RegExp(`^\\s*(?:export\\s+)?${name}\\s*=`).test(candidate);
  const place = lines.findIndex(isSet);
  if (place === -1) return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`;
  return lines
    .map((each, index) => (index === place ? line : each))
    .filter((each, index) => index <= place || !isSet(each))
    .join('\n');
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}
