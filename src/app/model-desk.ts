import type { ModelsFound, ModelWishes } from '../agents/models.ts';
import type { Clock } from '../base/clock.ts';
import { createLog } from '../base/log.ts';
import { createGrowingRedactor } from '../base/redact.ts';
import type { ModelDesk, ModelReport } from '../cli/app-port.ts';
import type { Catalogue } from '../model/catalogue.ts';
import type { Config } from '../model/config.ts';
import { createCatalogue } from '../providers/catalogue.ts';
import type { Refresh } from '../providers/catalogue-refresh.ts';
import { loadSecrets } from '../store/home/env-file.ts';
import { openHome } from '../store/home/home-folder.ts';
import type { HomeFolder } from '../store/home/home-folder.ts';
import { LiveSettings } from '../store/home/live-settings.ts';
import { createLogFile } from '../store/home/log-file.ts';
import { chooseModels, createModels, createPrintedKeys, knownSecrets } from './models.ts';
import type { ProbeOllama } from './models.ts';

interface Around {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

/** What of the models in the settings cannot be used, as far as the settings and the keys tell. Nobody is asked. */
export async function checkModels({ env, clock }: Around): Promise<ModelReport> {
  const home = await openHome(env);
  const secrets = await loadSecrets(home, env);
  const settings = await LiveSettings.open(home);
  const keys = { secrets, printedKeys: createPrintedKeys(env, clock) };
  const { config } = settings.current;
  const unasked = new Set<string>();
  const probe: ProbeOllama = (origin) => {
    if (config.model.provider !== undefined || config.model.default !== undefined) unasked.add(origin);
    return Promise.resolve({ type: 'present', models: ['any'] });
  };
  const find = (wishes: ModelWishes): Promise<ModelsFound> => chooseModels(wishes, keys, probe);
  const models = createModels({ ...keys, settings, forThisRun: undefined, clock }, find);
  const catalogue = openCatalogue(config, home, () => undefined);
  const { reviewModels } = await import('../agents/review-models.ts');
  const { problem, warnings } = await reviewModels({ models, catalogue, now: clock.now() });
  const doubts = [...unasked].map((origin) => `the model is up to the Ollama at ${origin}, which is not asked here`);
  const { locateInFile } = await import('../store/home/locate-setting.ts');
  return {
    problem: problem && `${locateInFile(settings.current, problem.path)}${problem.text}`,
    warnings: [...secrets.warnings, ...warnings, ...(problem === undefined ? doubts : [])],
  };
}

/** The models alone, without opening the store: they can be looked at and chosen while the program runs elsewhere. */
export async function openModels({ env, clock }: Around): Promise<ModelDesk> {
  const home = await openHome(env);
  const secrets = await loadSecrets(home, env);
  const settings = await LiveSettings.open(home);
  const { config, warnings } = settings.current;
  const keys = { secrets, printedKeys: createPrintedKeys(env, clock) };
  const redact = createGrowingRedactor(() => knownSecrets(keys));
  const log = createLog(createLogFile(home.logs), () => clock.now(), redact);
  const catalogue = openCatalogue(config, home, (problem) => log.write('warn', problem));
  const { listKeys } = await import('../providers/list-keys.ts');
  const models = createModels({ ...keys, settings, forThisRun: undefined, clock });
  return {
    models,
    warnings: [...secrets.warnings, ...warnings],
    vendors: listKeys(config, (name) => secrets.get(name)),
    lookUp: async (runtime) => (await import('../agents/model-facts.ts')).lookUpFacts(runtime, catalogue, clock.now()),
    check: (runtime) => models.check(runtime),
  };
}

/** Fetches the newest prices and windows of models, for every later start. Works beside a running program. */
export async function refreshPrices({ env, clock }: Around): Promise<Refresh> {
  const home = await openHome(env);
  const secrets = await loadSecrets(home, env);
  const { refreshCatalogue, downloadText } = await import('../providers/catalogue-refresh.ts');
  const { writeAtomically } = await import('../store/home/write-atomically.ts');
  return await refreshCatalogue({
    folder: home.cache,
    fetchText: (url) => downloadText(url, (name) => secrets.get(name), new AbortController().signal),
    write: writeAtomically,
    now: () => clock.now(),
  });
}

export function openCatalogue(
  config: Config,
  { cache: folder }: HomeFolder,
  warn: (problem: string) => void,
): Catalogue {
  return createCatalogue({ prices: config.prices, cacheLife: config.model.cacheLife, folder, warn });
}
