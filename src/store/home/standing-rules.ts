import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../../base/errors.ts';
import type { PersonId } from '../../base/ids.ts';
import { parseJson } from '../../base/json.ts';
import type { StandingRule, StandingRules } from '../../model/approvals.ts';
import { describeProblems, integer, list, object, string } from '../../model/schema.ts';
import { readTextFile } from '../read-text-file.ts';
import { takeFileLock } from './file-lock.ts';
import { stampOf } from './file-stamp.ts';
import { writeAtomically } from './write-atomically.ts';

type Listed =
  | { readonly type: 'read'; readonly rules: readonly StandingRule[] }
  | { readonly type: 'broken'; readonly problem: string };

const text = string('any text');
const rule = object({ id: text, covers: text, shown: text, by: text, since: integer('when') });
const schema = object({ rules: list(rule, 'what was allowed for good') });
const idLength = 8;

/**
 * What was allowed for good, in a file of the home. It is looked at anew each time, and read anew only where it was
 * written. Where it cannot be read nothing is allowed by it.
 */
export class FileStandingRules implements StandingRules {
  readonly #file: string;
  #stamp = '';
  #listed: Listed = { type: 'read', rules: [] };

  constructor(file: string) {
    this.#file = file;
  }

  list(): readonly StandingRule[] {
    const listed = this.#look();
    if (listed.type === 'read') return listed.rules;
    throw new AppError('bad-config', `${this.#file} cannot be used, so that no rule counts: ${listed.problem}`);
  }

  find(covers: string): StandingRule | undefined {
    const listed = this.#look();
    return listed.type === 'read' ? listed.rules.find((each) => each.covers === covers) : undefined;
  }

  async add(wished: Omit<StandingRule, 'id'>): Promise<StandingRule> {
    const added = { id: hash('sha256', wished.covers).slice(0, idLength), ...wished };
    await this.#change((rules) => [...rules.filter(({ covers }) => covers !== added.covers), added]);
    return added;
  }

  async remove(id: string): Promise<boolean> {
    return (await this.#change((rules) => rules.filter((each) => each.id !== id))) === 'changed';
  }

  /** A command beside the gateway changes the file, too: what was read before the lock may bring back what that one revoked. */
  async #change(change: (rules: readonly StandingRule[]) => readonly StandingRule[]): Promise<'changed' | 'same'> {
    await using _lock = await takeFileLock(`${this.#file}.lock`);
    const before = this.list();
    const rules = change(before);
    if (isDeepStrictEqual(rules, before)) return 'same';
    await writeAtomically(this.#file, `${JSON.stringify({ rules }, null, 2)}\n`);
    return 'changed';
  }

  #look(): Listed {
    const stamp = stampOf(this.#file);
    if (stamp !== this.#stamp) {
      this.#stamp = stamp;
      this.#listed = readRules(this.#file);
    }
    return this.#listed;
  }
}

function readRules(file: string): Listed {
  const found = readTextFile(file);
  if (found.type === 'missing') return { type: 'read', rules: [] };
  if (found.type === 'refused') return { type: 'broken', problem: found.problem };
  const parsed = schema.parse(parseJson(found.text) ?? null);
  if (parsed.type === 'invalid') return { type: 'broken', problem: describeProblems(parsed.problems) };
  return { type: 'read', rules: parsed.value.rules.map((each) => ({ ...each, by: each.by as PersonId })) };
}
