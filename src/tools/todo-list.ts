import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemErrorCode } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import { list, object, oneOf, string } from '../model/schema.ts';
import type { ValueOf } from '../model/schema.ts';
import { replaceFile } from './files/replace-file.ts';
import { todoStates } from './todo-states.ts';

const itemSchema = object({ id: string('id'), content: string('what'), status: oneOf(todoStates, 'how far') });
const listSchema = list(itemSchema, 'items');

type TodoItem = ValueOf<typeof itemSchema>;

interface ItemChange {
  readonly id: string;
  readonly content: string | undefined;
  readonly status: TodoItem['status'] | undefined;
}

const mostItems = 256;
const longestContent = 4000;
const longestId = 100;

/** A list with changes made to it, by id and in order; the last word on an id counts. Says why where it cannot be. Pure. */
export function changeTodos(items: readonly TodoItem[], changes: readonly ItemChange[]): readonly TodoItem[] | string {
  const byId = new Map(items.map((item) => [item.id, item]));
  for (const { id, content, status } of changes) {
    if (id.length > longestId) return `an id is longer than ${longestId} characters`;
    const old = byId.get(id);
    const text = content ?? old?.content;
    if (text === undefined || text.trim() === '') return `the item ${id} has no content`;
    if (text.length > longestContent) return `the item ${id} is longer than ${longestContent} characters`;
    byId.set(id, { id, content: text, status: status ?? old?.status ?? 'pending' });
  }
  return byId.size > mostItems ? `a list has room for ${mostItems} items` : [...byId.values()];
}

const marks: Readonly<Record<TodoItem['status'], string>> = {
  pending: '[ ]',
  in_progress: '[>]',
  completed: '[x]',
  cancelled: '[-]',
};

export function describeTodos(items: readonly TodoItem[]): string {
  if (items.length === 0) return 'The list is empty.';
  const ended = items.filter(({ status }) => status === 'completed' || status === 'cancelled').length;
  const lines = items.map(({ id, content, status }) => `${marks[status]} ${id}: ${content}`);
  return [...lines, `${ended} of ${items.length} done`].join('\n');
}

/** Nobody else writes the file. What is not a list of ours any more counts as none. */
export async function readTodos(file: string): Promise<readonly TodoItem[]> {
  try {
    const parsed = listSchema.parse(parseJson(await readFile(file, 'utf8')));
    return parsed.type === 'valid' ? parsed.value : [];
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'ENOENT') return [];
    throw thrown;
  }
}

export async function writeTodos(file: string, items: readonly TodoItem[]): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await replaceFile(file, JSON.stringify(items), undefined);
}
