import { join } from 'node:path';
import type { SessionId } from '../base/ids.ts';
import { boolean, list, object, oneOf, optional, string } from '../model/schema.ts';
import type { ValueOf } from '../model/schema.ts';
import type { Tool } from '../model/tool.ts';
import { todoStates } from './todo-states.ts';
import { done, failed, settle } from './tool-outcomes.ts';

const inputSchema = object({
  todos: optional(
    list(
      object(
        {
          id: string('short', { minLength: 1 }),
          content: optional(string('what')),
          status: optional(oneOf(todoStates, 'default pending')),
        },
        'an item',
      ),
      'in order; left out: only read',
    ),
  ),
  merge: optional(boolean('change items by id instead of replacing all')),
});

type TodoInput = ValueOf<typeof inputSchema>;

/** What the model means to do, kept for the session. */
export function createTodo(taskFolder: string): Tool<TodoInput> {
  const fileOf = (sessionId: SessionId): string => join(taskFolder, sessionId, 'todo.json');
  return {
    name: 'todo',
    toolset: 'todo',
    description: 'Keep a task list for work of several steps; returns it. It survives compaction and restarts.',
    input: inputSchema,
    effect: 'idempotent',
    assess: () => Promise.resolve({ type: 'safe' }),
    footprint: (_input, { sessionId }) => ({ type: 'files', paths: [fileOf(sessionId)] }),
    run: ({ todos, merge }, context) => {
      return settle(context.signal, async () => {
        const { changeTodos, describeTodos, readTodos, writeTodos } = await import('./todo-list.ts');
        const file = fileOf(context.sessionId);
        const items = await readTodos(file);
        if (todos === undefined) return done(describeTodos(items));
        const changed = changeTodos(merge === true ? items : [], todos);
        if (typeof changed === 'string') return failed(changed);
        await writeTodos(file, changed);
        return done(describeTodos(changed));
      });
    },
    verify: () => Promise.resolve('unknown'),
  };
}
