import type { ModelChoice } from '../model/config.ts';
import { describeUnknownProvider } from '../model/model-name.ts';
import { nameRuntime } from '../model/runtime.ts';
import type { ApiMode, CacheLife, Runtime, RuntimeChain } from '../model/runtime.ts';
import { customKey, describeMissingKey, findKeys, keysIn, missingKeys, presentValue, usualKeyOf } from './find-keys.ts';
import type { Key, KeyWishes } from './find-keys.ts';
import type { OllamaProbe } from './probe-ollama.ts';
import { findVendor, isOwnAddress, vendors } from './vendors.ts';
import type { Vendor } from './vendors.ts';

export interface RuntimeWishes extends KeyWishes {
  readonly cacheLife: CacheLife;
  /** Asks an Ollama, by its address, for the models that it has. Only called where no key decides. */
  readonly probeOllama: (origin: string) => Promise<OllamaProbe>;
}

export type Choice =
  | {
      readonly type: 'chosen';
      readonly runtime: Runtime;
      /** The same with its other keys. */
      readonly spares: readonly Runtime[];
      readonly because: 'config' | 'key' | 'ollama' | 'nothing-else';
    }
  | Unusable;

interface Unusable {
  readonly type: 'unusable';
  readonly problem: string;
}

/** Which model answers: what the config says, else the first vendor with a key, else a local Ollama, else the demo. */
export async function chooseRuntime(wishes: RuntimeWishes): Promise<Choice> {
  const { config } = wishes;
  if (config.baseUrl !== undefined && !isWebAddress(config.baseUrl)) {
    return unusable(`model.base_url is not an http:// or https:// address: ${config.baseUrl}`);
  }
  if (config.provider !== undefined) return await chooseConfigured(config.provider, wishes);
  if (config.baseUrl !== undefined) return chooseCustom(wishes);
  if (config.keyCommands.length > 0)
    return unusable('model.key_command does not say whose key it prints: set model.provider');
  return await chooseFound(wishes);
}

export interface ChainWishes extends RuntimeWishes {
  readonly fallback: readonly ModelChoice[];
  /** What becomes of a first choice that cannot be used: the first stand-in takes its place, or that is the end. */
  readonly ifUnusable: 'stand-in' | 'refuse';
}

export type ChainChoice =
  | { readonly type: 'chosen'; readonly chain: RuntimeChain; readonly warnings: readonly string[] }
  | Unusable;

/**
 * The model that answers and those that stand in for it, each once for every key. A stand-in that cannot be used is left
 * out with a warning.
 */
export async function chooseChain(wishes: ChainWishes): Promise<ChainChoice> {
  const primary = await chooseRuntime(wishes);
  if (primary.type === 'unusable' && wishes.ifUnusable === 'refuse') return primary;
  const standIns: Runtime[] = [];
  const warnings: string[] = [];
  for (const config of wishes.fallback) {
    const choice = await chooseRuntime({ ...wishes, config });
    if (choice.type === 'unusable') warnings.push(`a fallback is left out: ${choice.problem}`);
    else {
      standIns.push(choice.runtime, ...choice.spares);
      warnings.push(...missingKeys(choice.runtime, config, wishes.secret));
    }
  }
  if (primary.type === 'unusable') return standInFor(primary, standIns, warnings);
  return {
    type: 'chosen',
    chain: [primary.runtime, ...primary.spares, ...standIns],
    warnings: [...missingKeys(primary.runtime, wishes.config, wishes.secret), ...warnings],
  };
}

function standInFor(primary: Unusable, standIns: readonly Runtime[], warnings: readonly string[]): ChainChoice {
  const [first, ...others] = standIns;
  if (first === undefined) return primary;
  return {
    type: 'chosen',
    chain: [first, ...others],
    warnings: [`${primary.problem}; ${first.name}, a fallback, answers instead`, ...warnings],
  };
}

async function chooseConfigured(provider: string, wishes: RuntimeWishes): Promise<Choice> {
  if (provider === 'demo') return chosen(demoRuntime(), [], 'config');
  if (provider === 'custom') return chooseCustom(wishes);
  const vendor = findVendor(provider);
  if (vendor === undefined) {
    const known = [...vendors.map((row) => row.name), 'custom', 'demo'];
    return unusable(describeUnknownProvider(provider, known));
  }
  const keys = findKeys(usualKeyOf(vendor, wishes.config), wishes);
  if (keys.length === 0) {
    const problem = describeMissingKey(vendor, wishes.config);
    if (problem !== undefined) return unusable(problem);
  }
  if (vendor.name === 'ollama') return await chooseOllama(vendor, wishes, 'config');
  const model = wishes.config.default ?? vendor.defaultModel;
  if (model === undefined) return unusable(`the provider ${provider} needs a model: set model.default`);
  return chosen(runtimeOf(vendor, model, { ...wishes.config, cacheLife: wishes.cacheLife }), keys, 'config');
}

function chooseCustom(wishes: RuntimeWishes): Choice {
  const { config, cacheLife } = wishes;
  if (config.baseUrl === undefined) return unusable('the provider custom needs an address: set model.base_url');
  if (config.default === undefined) return unusable('a model at model.base_url needs a name: set model.default');
  // Its key has a name of its own: no vendor's key is ever sent to an address that is not that vendor's.
  const keys = findKeys(customKey, wishes);
  return chosen(
    {
      name: nameRuntime('custom', config.default),
      vendor: 'custom',
      model: config.default,
      baseUrl: config.baseUrl,
      apiMode: config.apiMode ?? 'chat_completions',
      ...noKey,
      place: isNearby(config.baseUrl) ? 'local' : 'remote',
      route: 'direct',
      window: config.contextLength,
      cacheLife,
    },
    keys,
    'config',
  );
}

async function chooseFound(wishes: RuntimeWishes): Promise<Choice> {
  for (const vendor of vendors) {
    const keys = keysIn(vendor.envKey, wishes.secret);
    const model = wishes.config.default ?? vendor.defaultModel;
    if (keys.length > 0 && model !== undefined)
      return chosen(runtimeOf(vendor, model, foundTraits(wishes)), keys, 'key');
  }
  const ollama = findVendor('ollama');
  if (ollama !== undefined) {
    const choice = await chooseOllama(ollama, wishes, 'ollama');
    if (choice.type === 'chosen') return choice;
  }
  if (wishes.config.default === undefined) return chosen(demoRuntime(), [], 'nothing-else');
  return unusable(
    `no provider can serve ${wishes.config.default}: none has a key, and no Ollama was found; set model.provider and its key`,
  );
}

async function chooseOllama(vendor: Vendor, wishes: RuntimeWishes, because: 'config' | 'ollama'): Promise<Choice> {
  const { config, secret } = wishes;
  const keys = because === 'config' ? findKeys(vendor.envKey, wishes) : [];
  const baseUrl = config.baseUrl ?? `${ollamaOrigin(secret('OLLAMA_HOST'))}/v1`;
  if (because === 'config' && config.default !== undefined) {
    return chosen(runtimeOf(vendor, config.default, { ...foundTraits(wishes), baseUrl }), keys, because);
  }
  const { origin } = new URL(baseUrl);
  const probe = await wishes.probeOllama(origin);
  if (probe.type === 'absent') return unusable(`no Ollama answers at ${origin}`);
  const model = config.default ?? probe.models[0];
  if (model === undefined)
    return unusable(`the Ollama at ${origin} has no model: run \`ollama pull\` and a model's name`);
  return chosen(runtimeOf(vendor, model, { ...foundTraits(wishes), baseUrl }), keys, because);
}

export function demoRuntime(): Runtime {
  return {
    name: nameRuntime('demo', 'demo'),
    vendor: 'demo',
    model: 'demo',
    baseUrl: 'demo:',
    apiMode: 'chat_completions',
    ...noKey,
    place: 'demo',
    route: 'direct',
    window: undefined,
    cacheLife: '5m',
  };
}

type RuntimeTraits = Partial<ModelChoice> & { readonly cacheLife?: CacheLife };

function runtimeOf(vendor: Vendor, model: string, choice: RuntimeTraits): Runtime {
  const baseUrl = choice.baseUrl ?? vendor.baseUrl;
  return {
    name: nameRuntime(vendor.name, model),
    vendor: vendor.name,
    model,
    baseUrl,
    apiMode: choice.apiMode ?? modeAt(baseUrl, vendor),
    ...noKey,
    place: vendor.place,
    route: vendor.route,
    window: choice.contextLength,
    cacheLife: choice.cacheLife ?? '5m',
  };
}

function modeAt(baseUrl: string, { name, apiMode, proxyMode }: Vendor): ApiMode {
  return isOwnAddress({ vendor: name, baseUrl }) ? apiMode : (proxyMode ?? apiMode);
}

/** Of a vendor that was found rather than configured, only what concerns the model itself applies. */
function foundTraits({ config, cacheLife }: RuntimeWishes): RuntimeTraits {
  return { contextLength: config.contextLength, cacheLife };
}

const noKey = { credential: { type: 'none' }, keyName: undefined } as const;

function withKey(runtime: Runtime, { name, credential }: Key): Runtime {
  return { ...runtime, credential, keyName: name };
}

/** `OLLAMA_HOST` as Ollama reads it: a host, a port, both, or an address; what it listens on is where it is found. */
export function ollamaOrigin(host: string | undefined): string {
  const text = presentValue(host) ?? '127.0.0.1';
  const address = text.includes('://') ? text : `http://${text.startsWith(':') ? `127.0.0.1${text}` : text}`;
  if (!isWebAddress(address)) return 'http://127.0.0.1:11434';
  const url = new URL(address);
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1';
  if (url.port === '' && !text.includes('://')) url.port = '11434';
  return url.origin;
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** Whether an address is on this machine or its network. Those may be slow, but they do not get lost on the way. */
function isNearby(address: string): boolean {
  const { hostname } = new URL(address);
  return /^(?:localhost|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|\[::1\]$)|\.local$/.test(hostname);
}

type Chosen = Extract<Choice, { type: 'chosen' }>;
type Because = Chosen['because'];

function chosen(runtime: Runtime, keys: readonly Key[], because: Because): Choice {
  const [first, ...spares] = keys.map((key) => withKey(runtime, key));
  return { type: 'chosen', runtime: first ?? runtime, spares, because };
}

function unusable(problem: string): Unusable {
  return { type: 'unusable', problem };
}
