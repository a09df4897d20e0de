import type { ModelsFound, ModelWishes } from '../agents/models.ts';
import type { KeyFacts, ModelFacts } from '../cli/doctor/doctor-desk.ts';
import { providerOf } from '../model/model-name.ts';
import type { Runtime } from '../model/runtime.ts';
import type { Secrets } from '../store/home/env-file.ts';
import type { DoctorParts } from './doctor-parts.ts';
import { openCatalogue } from './model-desk.ts';
import { chooseModels, createModels, createPrintedKeys } from './models.ts';
import type { ProbeOllama } from './models.ts';

/** Which model would answer now, and with which key. Only an Ollama on this machine is asked. */
export async function lookAtModel({ env, clock, home, secrets, loaded }: DoctorParts): Promise<ModelFacts> {
  const { config } = loaded;
  const keys = { secrets, printedKeys: createPrintedKeys(env, clock) };
  const unasked = new Set<string>();
  const probe: ProbeOllama = async (origin) => {
    if (isOnThisMachine(origin)) return await (await import('../providers/probe-ollama.ts')).probeOllama(origin);
    unasked.add(origin);
    return { type: 'present', models: ['any'] };
  };
  const find = (wishes: ModelWishes): Promise<ModelsFound> => chooseModels(wishes, keys, probe);
  const settings = { current: loaded, change: refuseToChange };
  const models = createModels({ ...keys, settings, forThisRun: undefined, clock }, find);
  const { reviewModels } = await import('../agents/review-models.ts');
  const catalogue = openCatalogue(config, home, () => undefined);
  const { problem, warnings } = await reviewModels({ models, catalogue, now: clock.now() });
  const found = await models.find(undefined);
  const { locateInFile } = await import('../store/home/locate-setting.ts');
  const first = found.type === 'chosen' ? found.chain[0] : undefined;
  return {
    found: first
      ? { type: 'chosen', name: first.name, place: first.place, key: keyOf(first, secrets) }
      : { type: 'unusable', problem: `${locateInFile(loaded, problem?.path ?? [])}${problem?.text ?? ''}` },
    warnings,
    missingKey: first ? undefined : await findMissingKey(loaded.config, secrets),
    isStopgap: first?.place === 'demo' && providerOf(config.model) === undefined && config.model.default === undefined,
    unasked: [...unasked],
  };
}

function refuseToChange(): Promise<never> {
  return Promise.reject(new Error('nothing is changed here'));
}

function isOnThisMachine(origin: string): boolean {
  return /^(127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/.test(new URL(origin).hostname);
}

function keyOf({ credential, keyName }: Runtime, secrets: Secrets): KeyFacts {
  if (credential.type === 'none' || keyName === undefined) return { type: 'none' };
  if (credential.type === 'printed') return { type: 'printed', name: keyName };
  return { type: 'kept', name: keyName, place: secrets.placeOf(keyName) ?? 'file' };
}

async function findMissingKey(config: DoctorParts['loaded']['config'], secrets: Secrets): Promise<string | undefined> {
  const { listKeys } = await import('../providers/list-keys.ts');
  const provider = providerOf(config.model);
  const row = listKeys(config, (name) => secrets.get(name)).find(({ name }) => name === provider);
  if (row === undefined || row.hasKey) return undefined;
  return config.model.keyEnv[0] ?? row.keyName;
}
