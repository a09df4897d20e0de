import type { JsonObject } from '../../base/json.ts';
import type { ShownProcess } from '../../model/background.ts';

/** A process as programs read it. Pure. */
export function toRecord({ id, sessionId, command, workdir, startedAtMs, state }: ShownProcess): JsonObject {
  const ending =
    state.type === 'exited'
      ? { exitCode: state.code, endedAt: toTime(state.atMs), ...(state.stoppedBy && { stoppedBy: state.stoppedBy }) }
      : {};
  return { id, session: sessionId, state: state.type, command, workdir, startedAt: toTime(startedAtMs), ...ending };
}

function toTime(ms: number): string {
  return new Date(ms).toISOString();
}
