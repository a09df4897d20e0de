import type { AgentCache } from '../agents/agent-cache.ts';
import { describeFacts, distinctRuntimes, lookUpFacts } from '../agents/model-facts.ts';
import type { Models, ModelsFound, UsableModels } from '../agents/models.ts';
import type { Clock } from '../base/clock.ts';
import { describeError } from '../base/errors.ts';
import { withoutFullStop } from '../base/full-stop.ts';
import { nearestWord } from '../base/nearest-word.ts';
import type { Catalogue } from '../model/catalogue.ts';
import type { Session } from '../model/session.ts';
import type { Settings } from '../model/settings.ts';
import type { NewSession, Store } from '../model/store.ts';
import { isOwner } from './access.ts';
import type { Lanes } from './lanes.ts';
import type { ModelNews } from './model-news.ts';
import { ownerOnly } from './program-commands.ts';

export interface ModelCommandDeps {
  readonly store: Pick<Store, 'sessions' | 'people'>;
  readonly settings: Pick<Settings, 'current'>;
  readonly lanes: Pick<Lanes, 'isBusy'>;
  readonly agents: Pick<AgentCache, 'evictAll'>;
  readonly models: Models;
  readonly modelNews: Pick<ModelNews, 'note'>;
  readonly catalogue: Catalogue;
  readonly clock: Clock;
}

const usage = '/model NAME changes it for this session, /model NAME --global for all, /model default goes back.';
const options: ReadonlySet<string> = new Set(['--global', '--no-check']);

/** Shows which model answers, or changes it. What cannot be used is said at once, and then nothing is changed. */
export async function runModel(rest: string, where: NewSession, deps: ModelCommandDeps): Promise<string> {
  const words = rest.split(/\s+/).filter((word) => word !== '');
  const [name, ...more] = words.filter((word) => !options.has(word));
  const isGlobal = words.includes('--global');
  if (more.length > 0 || (isGlobal && (name === undefined || name === 'default'))) return `Say it like this: ${usage}`;
  const session = await deps.store.sessions.at(where);
  if (name === undefined) return await show(session, deps);
  if (name === 'default') return await goBack(session, deps);
  if (!isGlobal) return await chooseHere(name, session, deps);
  if (!(await isOwner(where, deps))) return ownerOnly;
  return await chooseForAll({ name, checks: words.includes('--no-check') ? 'nothing' : 'answer' }, session, deps);
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
  const lines = [await describePrimary(found, deps), ...doubtAlias(name, deps)];
  const unasked = `It was not asked yet: \`talaria model check ${model}\` does that.`;
  return `${lines.join('\n')}\nIt answers in this session from the next message on. ${unasked}${whenItApplies(session, deps)}`;
}

interface WishForAll {
  readonly name: string;
  /** What is asked of a model before it is everybody's. */
  readonly checks: 'answer' | 'nothing';
}

async function chooseForAll({ name, checks }: WishForAll, session: Session, deps: ModelCommandDeps): Promise<string> {
  const found = await deps.models.find(name);
  if (found.type === 'unusable') return refuse(found.problem);
  const [runtime] = found.chain;
  const check = checks === 'nothing' ? undefined : await deps.models.check(runtime);
  if (check?.type === 'failed') {
    const problem = withoutFullStop(`${runtime.name} did not answer: ${check.reason}`);
    return [`Nothing was changed: ${problem}. --no-check writes it all the same.`, ...doubtAlias(name, deps)].join(
      '\n',
    );
  }
  const changed = await deps.models.setDefault(name, runtime).catch(describeError);
  if (typeof changed === 'string') return refuse(changed);
  await forget(session, deps);
  deps.modelNews.note(session.address, runtime.name, undefined);
  deps.agents.evictAll();
  const where = 'It answers here and in every session that has no model of its own; the settings file says so.';
  return [
    await describePrimary(found, deps),
    `${where}${whenItApplies(session, deps)}`,
    ...changed.notes,
    ...(changed.copy === undefined ? [] : [`The settings as they were: ${changed.copy}`]),
  ].join('\n');
}

/** A name that nearly is an alias is most likely a slip. Whether the server has a model of that name is not known here. */
function doubtAlias(name: string, { models }: ModelCommandDeps): readonly string[] {
  const aliases = Object.keys(models.config.model.aliases);
  const nearest = aliases.includes(name) || name.includes(':') ? undefined : nearestWord(name, aliases);
  return nearest === undefined ? [] : [`There is no alias ${name}. Did you mean ${nearest}?`];
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
  return `Nothing was changed: ${withoutFullStop(problem)}.`;
}

function whenItApplies(session: Session, { lanes }: ModelCommandDeps): string {
  return lanes.isBusy(session.id)
    ? ' The turn that runs ends with its own model; this applies from the next one on.'
    : '';
}
