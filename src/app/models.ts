import { Models } from '../agents/models.ts';
import type { ModelsDeps, ModelsFound, ModelWishes } from '../agents/models.ts';
import type { Clock } from '../base/clock.ts';
import type { Provider } from '../model/provider.ts';
import type { Runtime } from '../model/runtime.ts';
import type { RuntimeWishes } from '../providers/choose-runtime.ts';
import { PrintedKeys } from '../providers/printed-keys.ts';
import type { LiveSettings } from '../store/home/live-settings.ts';
import type { Secrets } from '../store/home/env-file.ts';

const longestCheckMs = 120_000;

/** Where keys come from. */
export interface KeySources {
  readonly secrets: Secrets;
  readonly printedKeys: PrintedKeys;
}

export interface ModelSources extends KeySources {
  readonly settings: Pick<LiveSettings, 'current' | 'change'>;
  readonly forThisRun: string | undefined;
  readonly clock: Clock;
}

/** Which models there are to answer, and how each is found and tried. */
export function createModels(
  { secrets, printedKeys, settings, forThisRun, clock }: ModelSources,
  find?: ModelsDeps['find'],
): Models {
  return new Models({
    settings,
    forThisRun,
    providers: providerNames,
    find: find ?? ((wishes) => findModels(wishes, { secrets, printedKeys })),
    async check(runtime) {
      const { checkModel } = await import('../agents/check-model.ts');
      const { limits, model } = settings.current.config;
      const { effort, maxOutputTokens } = model;
      const checking = { connect: () => connect(runtime, clock, secrets), clock, limits, effort, maxOutputTokens };
      return await checkModel(runtime, checking, AbortSignal.timeout(longestCheckMs));
    },
    takesEffort: async (runtime) => (await import('../providers/vendors.ts')).isToldEffort(runtime),
    save: (changes) => settings.change(changes),
  });
}

/** The keys that commands of the settings print. Nothing runs before one is needed. */
export function createPrintedKeys(
  environment: Readonly<Record<string, string | undefined>>,
  clock: Clock,
): PrintedKeys {
  return new PrintedKeys(async (command, signal) => {
    const { runKeyCommand } = await import('../providers/run-key-command.ts');
    return await runKeyCommand(command, { environment, clock }, signal);
  });
}

/** Everything that must not appear in any log, as far as it is known by now. */
export function knownSecrets({ secrets, printedKeys }: KeySources): readonly string[] {
  return [...secrets.values(), ...printedKeys.values()];
}

async function providerNames(): Promise<readonly string[]> {
  const { vendors } = await import('../providers/vendors.ts');
  return [...vendors.map(({ name }) => name), 'custom', 'demo'];
}

async function findModels(wishes: ModelWishes, keys: KeySources): Promise<ModelsFound> {
  const { probeOllama } = await import('../providers/probe-ollama.ts');
  const found = await chooseModels(wishes, keys, probeOllama);
  if (found.type === 'unusable' || !found.chain.some(({ vendor }) => vendor === 'ollama')) return found;
  const { noticeOllamaWindows } = await import('../providers/notice-ollama-window.ts');
  return await noticeOllamaWindows(found, (name) => keys.secrets.get(name));
}

export type ProbeOllama = RuntimeWishes['probeOllama'];

/** The chain of models that the wishes come to, by what is known here. */
export async function chooseModels(
  wishes: ModelWishes,
  { secrets, printedKeys }: KeySources,
  probeOllama: ProbeOllama,
): Promise<ModelsFound> {
  const { chooseChain } = await import('../providers/choose-runtime.ts');
  const { primary: config, fallback, ifUnusable, settings } = wishes;
  const { cacheLife } = settings;
  return await chooseChain({
    config,
    cacheLife,
    fallback,
    ifUnusable,
    secret: (name) => secrets.get(name),
    printedKey: (command) => printedKeys.of(command),
    probeOllama,
  });
}

export async function connect(runtime: Runtime, clock: Clock, secrets: Secrets): Promise<Provider> {
  const { connectRuntime } = await import('../providers/connect-runtime.ts');
  return await connectRuntime(runtime, clock, (name) => secrets.get(name));
}
