import type { AgentCache } from '../agents/agent-cache.ts';
import { describeFacts, distinctRuntimes, lookUpFacts } from '../agents/model-facts.ts';
import type { Models, ModelsFound, UsableModels } from '../agents/models.ts';
import type { Clock } from '../base/clock.ts';
import { describeError } from '../base/errors.ts';
import type { Catalogue } from '../model/catalogue.ts';
import type { Session } from '../model/session.ts';
import type { NewSession, Store } from '../model/store.ts';
import type { Lanes } from './lanes.ts';

export interface ModelCommandDeps {
  readonly store: Pick<Store, 'sessions'>;
  readonly lanes: Pick<Lanes, 'isBusy'>;
  readonly agents: Pick<AgentCache, 'evictAll'>;
  readonly models: Models;
  readonly catalogue: Catalogue;
  readonly clock: Clock;
}

const usage = '/model NAME changes it for this session, /model NAME --global for all, /model default goes back.';

/** Shows which model answers, or changes it. What cannot be used is said at once, and then nothing is changed. */
export async function runModel(rest: string, where: NewSession, deps: ModelCommandDeps): Promise<string> {
  const words = rest.split(/\s+/).filter((word) => word !== '');
  const [name, ...more] = words.filter((word) => word !== '--global');
  const isGlobal = words.includes('--global');
  if (more.length > 0 || (isGlobal && (name === undefined || name === 'default'))) return `Say it like this: ${usage}`;
  const session = await deps.store.sessions.at(where);
  if (name === undefined) return await show(session, deps);
  if (name === 'default') return await goBack(session, deps);
  return isGlobal ? await chooseForAll(name, session, deps) : await chooseHere(name, session, deps);
}

async function show({ settings }: Session, deps: ModelCommandDeps): Promise<string> {
  const { models } = deps;
  const chosen = models.chosenFor(settings);
  const scope = chosen === settings.model ? 'this session' : 'this run';
  const configured = await describeFound(await models.find(undefined), deps);
  const aliases = Object.entries(models.config.model.aliases).map(([alias, name]) => `${alias} = ${name}`);
  return [
    chosen === undefined
      ? `answers now  ${configured} (as configured)`
      : `answers now  ${await describeFound(await models.find(chosen), deps)} (chosen for ${scope})`,
    ...(chosen === undefined ? [] : [`configured   ${configured}`]),
    ...(aliases.length === 0 ? [] : [`aliases      ${aliases.join(', ')}`]),
    usage,
  ].join('\n');
}

async function describeFound(found: ModelsFound, { catalogue, clock }: ModelCommandDeps): Promise<string> {
  if (found.type === 'unusable') return `nobody: ${found.problem}`;
  const lines = await Promise.all(
    distinctRuntimes(found.chain).map(async (runtime) => {
      const facts = await lookUpFacts(runtime, catalogue, clock.now());
      return `${runtime.name} · ${describeFacts(facts)}`;
    }),
  );
  return lines.join('\n  then       ');
}

async function goBack(session: Session, deps: ModelCommandDeps): Promise<string> {
  const found = await deps.models.find(undefined);
  if (found.type === 'unusable') return refuse(found.problem);
  await forget(session, deps);
  return `${found.chain[0].name} answers in this session, as configured.${whenItApplies(session, deps)}`;
}

async function chooseHere(name: string, session: Session, deps: ModelCommandDeps): Promise<string> {
  const found = await deps.models.find(name);
  if (found.type === 'unusable') return refuse(found.problem);
  // Kept by its full name: what an alias or a bare name means may change with the settings.
  const [{ name: model }] = found.chain;
  await deps.store.sessions.configure(session.id, { ...session.settings, model });
  deps.models.dropChoiceForThisRun();
  return `${await describePrimary(found, deps)}\nIt answers in this session.${whenItApplies(session, deps)}`;
}

async function chooseForAll(name: string, session: Session, deps: ModelCommandDeps): Promise<string> {
  const found = await deps.models.find(name);
  if (found.type === 'unusable') return refuse(found.problem);
  const problem = await deps.models.setDefault(name, found.chain[0]).then(() => undefined, describeError);
  if (problem !== undefined) return refuse(problem);
  await forget(session, deps);
  deps.agents.evictAll();
  const where = 'It answers here and in every session that has no model of its own; the settings file says so.';
  return `${await describePrimary(found, deps)}\n${where}${whenItApplies(session, deps)}`;
}

async function forget(session: Session, { store, models }: ModelCommandDeps): Promise<void> {
  const { model: _, ...settings } = session.settings;
  await store.sessions.configure(session.id, settings);
  models.dropChoiceForThisRun();
}

function describePrimary(found: UsableModels, deps: ModelCommandDeps): Promise<string> {
  return describeFound({ ...found, chain: [found.chain[0]] }, deps);
}

function refuse(problem: string): string {
  return `Nothing was changed: ${problem}.`;
}

function whenItApplies(session: Session, { lanes }: ModelCommandDeps): string {
  return lanes.isBusy(session.id)
    ? ' The turn that runs ends with its own model; this applies from the next one on.'
    : '';
}
