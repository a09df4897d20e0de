import type { Models } from '../agents/models.ts';
import { describeError } from '../base/errors.ts';
import { withoutFullStop } from '../base/full-stop.ts';
import type { Effort } from '../model/provider.ts';
import type { Session, SessionSettings } from '../model/session.ts';
import type { Settings } from '../model/settings.ts';
import type { NewSession, Store } from '../model/store.ts';
import { isOwner } from './access.ts';
import type { Lanes } from './lanes.ts';
import { ownerOnly } from './program-commands.ts';

export interface ReasoningCommandDeps {
  readonly store: Pick<Store, 'sessions' | 'people'>;
  readonly settings: Pick<Settings, 'current'>;
  readonly lanes: Pick<Lanes, 'isBusy'>;
  readonly models: Models;
}

const efforts: readonly Effort[] = ['minimal', 'low', 'medium', 'high'];
const usage =
  '/reasoning minimal, low, medium or high changes it for this session, with --global for all; /reasoning default goes back.';

/** Shows how hard the model is told to think, or changes it. It goes with each message: nothing has to be rebuilt. */
export async function runReasoning(rest: string, where: NewSession, deps: ReasoningCommandDeps): Promise<string> {
  const words = rest.split(/\s+/).filter((word) => word !== '');
  const [wish, ...more] = words.filter((word) => word !== '--global');
  const isGlobal = words.includes('--global');
  const effort = efforts.find((candidate) => candidate === wish);
  const isClear =
    more.length === 0 && (effort !== undefined || wish === 'default' || (wish === undefined && !isGlobal));
  if (!isClear) return `Say it like this: ${usage}`;
  if (isGlobal && !(await isOwner(where, deps))) return ownerOnly;
  const session = await deps.store.sessions.at(where);
  if (wish === undefined) return await show(session, deps);
  // For all, `default` takes it out of the settings; for one session, out of the session.
  const problem = isGlobal
    ? await deps.models.setDefaultEffort(effort).then(() => undefined, describeError)
    : undefined;
  if (problem !== undefined) return `Nothing was changed: ${withoutFullStop(problem)}.`;
  const { effort: _, ...others } = session.settings;
  const settings: SessionSettings = effort === undefined || isGlobal ? others : { ...others, effort };
  await deps.store.sessions.configure(session.id, settings);
  const change = describeChange(deps.models.effortFor(settings), isGlobal ? 'all' : 'one', session, deps);
  return [change, ...(await describeDeaf(settings, deps))].join('\n');
}

async function show({ settings }: Session, deps: ReasoningCommandDeps): Promise<string> {
  const { models } = deps;
  const configured = models.effortFor({}) ?? 'not set: the model decides';
  const lines = settings.effort === undefined ? [] : [`now         ${settings.effort} (chosen for this session)`];
  return [...lines, `configured  ${configured}`, ...(await describeDeaf(settings, deps)), usage].join('\n');
}

/** An effort that the model of this session is never told is no effort. */
async function describeDeaf(settings: SessionSettings, { models }: ReasoningCommandDeps): Promise<readonly string[]> {
  if (models.effortFor(settings) === undefined) return [];
  const found = await models.find(models.chosenFor(settings));
  if (found.type === 'unusable' || (await models.takesEffort(found.chain[0]))) return [];
  return [`${found.chain[0].name}, which answers here, cannot be told: nothing about it is sent.`];
}

function describeChange(
  effort: Effort | undefined,
  scope: 'one' | 'all',
  session: Session,
  { lanes }: ReasoningCommandDeps,
): string {
  const where = scope === 'one' ? 'in this session' : 'in every session that was not told otherwise';
  const what =
    effort === undefined ? `How hard to think ${where} is left to the model` : `Thinks with ${effort} effort ${where}`;
  const when = lanes.isBusy(session.id)
    ? ' The turn that runs goes on as it began; this applies from the next one on.'
    : '';
  return `${what}, where the model can be told.${when}`;
}
