import { AppError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { explainLastTurn } from '../../gateway/explain-turn.ts';
import type { CostedCall } from '../../gateway/explain-turn.ts';
import { renderExplanation } from '../../gateway/render-explanation.ts';
import { microUsdPerUsd } from '../../model/money.ts';
import type { Session } from '../../model/session.ts';
import type { Sessions } from '../../model/store.ts';
import type { CommandFunction } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { findSession } from '../find-session.ts';
import { neutralise } from '../render/neutralise.ts';
import { wrapWords } from '../render/wrap-words.ts';

/** Why the last turn of a session cost what it did; of the last session where none is named. */
export const explainUsage: CommandFunction = async (args, deps) => {
  const { stdout } = deps.process;
  const { config } = await deps.readSettings();
  await using app = await deps.openApp({ purpose: 'look' });
  const session = await chooseSession(args.words[0], app.store.sessions);
  const entries = await app.store.turns.after(session.id, 0);
  const { catalogue } = app;
  const explanation = await explainLastTurn(entries, { catalogue, cacheLife: config.model.cacheLife });
  if (args.has('json')) {
    const { calls = [], reasons = [] } = explanation ?? {};
    stdout.write(`${JSON.stringify({ ok: true, session: session.id, reasons, calls: calls.map(describe) })}\n`);
  } else {
    const text = neutralise(renderExplanation(explanation));
    stdout.write(`${wrapWords(text, stdout.isTTY ? stdout.columns : undefined)}\n`);
  }
  return exitCodes.done;
};

/** For programs: `usd` is null where it is not known. */
function describe({ at, runtime, purpose, change, end, cost }: CostedCall): JsonObject {
  const usage = 'usage' in end ? end.usage : undefined;
  return {
    at: new Date(at).toISOString(),
    runtime,
    purpose,
    outcome: end.type,
    ...usage,
    change: change === undefined ? null : { ...change },
    usd: cost === undefined ? null : cost / microUsdPerUsd,
  };
}

async function chooseSession(
  written: string | undefined,
  sessions: Pick<Sessions, 'matching' | 'list'>,
): Promise<Session> {
  if (written !== undefined) return await findSession(written, sessions);
  const [latest] = await sessions.list({ limit: 1, stage: 'begun' });
  if (latest === undefined) throw new AppError('not-found', 'there are no sessions yet');
  return latest;
}
