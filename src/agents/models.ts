import { AppError } from '../base/errors.ts';
import type { Config, ModelChoice } from '../model/config.ts';
import { describeUnknownProvider, providerOf, readDefaultModel, readModelName } from '../model/model-name.ts';
import type { Effort } from '../model/provider.ts';
import type { Runtime, RuntimeChain } from '../model/runtime.ts';
import type { SessionSettings } from '../model/session.ts';
import type { Settings, SettingsChange } from '../model/settings.ts';
import type { ModelCheck } from './check-model.ts';

/** The models that answer, primary first, or why there are none. */
export type ModelsFound = UsableModels | { readonly type: 'unusable'; readonly problem: string };

export interface UsableModels {
  readonly type: 'chosen';
  readonly chain: RuntimeChain;
  /** What the user should know about them: a stand-in that cannot be used. */
  readonly warnings: readonly string[];
}

export interface ModelWishes {
  readonly primary: ModelChoice;
  readonly fallback: readonly ModelChoice[];
  readonly settings: Config['model'];
  /** What becomes of a first choice that cannot be used: the first stand-in takes its place, or that is the end. */
  readonly ifUnusable: 'stand-in' | 'refuse';
}

/** What people should know after the default was changed. */
export interface DefaultChanged {
  /** What is not where it was any more. */
  readonly notes: readonly string[];
  /** Where the settings are kept as they were before; undefined where there were none. */
  readonly copy: string | undefined;
}

export interface ModelsDeps {
  readonly settings: Pick<Settings, 'current'>;
  /** From the command line: counts for every session until something else is chosen. */
  readonly forThisRun: string | undefined;
  readonly providers: () => Promise<readonly string[]>;
  readonly find: (wishes: ModelWishes) => Promise<ModelsFound>;
  /** Asks it for one word. */
  readonly check: (runtime: Runtime) => Promise<ModelCheck>;
  readonly takesEffort: (runtime: Runtime) => Promise<boolean>;
  /** Writes into the settings file; afterwards the settings are what it says. Returns where they are as they were before. */
  readonly save: (changes: readonly SettingsChange[]) => Promise<string | undefined>;
}

/**
 * Which model answers: what was chosen for the session, else what the settings say. Whatever was found once stays until
 * what they say about models changes, so that a server that comes or goes does not change who answers in the middle of a conversation.
 */
export class Models {
  readonly #deps: ModelsDeps;
  readonly #found = new Map<string, Promise<ModelsFound>>();
  /** What the findings rest on. */
  #foundWith = '';
  #seen: Config | undefined;
  #forThisRun: string | undefined;

  constructor(deps: ModelsDeps) {
    this.#deps = deps;
    this.#forThisRun = deps.forThisRun;
  }

  get config(): Config {
    return this.#deps.settings.current.config;
  }

  /** What a session was told to ask, on the command line or in the session; undefined where the settings decide. */
  chosenFor({ model }: SessionSettings): string | undefined {
    return this.#forThisRun ?? model;
  }

  /** The runtimes of a session. Throws `no-model` where its model cannot be used. */
  async chainFor(settings: SessionSettings): Promise<RuntimeChain> {
    return (await this.require(settings)).chain;
  }

  /** The models of a session, with what is to be said about them. Throws `no-model` where its model cannot be used. */
  async require(settings: SessionSettings): Promise<UsableModels> {
    const name = this.chosenFor(settings);
    const found = await this.find(name);
    if (found.type === 'chosen') return found;
    const isOwn = name !== undefined && this.#forThisRun === undefined;
    const hint = isOwn ? ` (this session was told to ask ${name}; /model default goes back, -m NAME asks another)` : '';
    throw new AppError('no-model', `${found.problem}${hint}`);
  }

  effortFor({ effort }: SessionSettings): Effort | undefined {
    return effort ?? this.config.model.effort;
  }

  /** The models behind a name: an alias, `provider:model` or a model of the configured provider; undefined: the default. */
  async find(name: string | undefined): Promise<ModelsFound> {
    this.#forgetIfChanged();
    const key = name ?? '';
    const finding = this.#found.get(key) ?? this.#search(name);
    this.#found.set(key, finding);
    let found: ModelsFound | undefined;
    try {
      found = await finding;
      return found;
    } finally {
      // What cannot be used or found now may be later.
      if (found?.type !== 'chosen' && this.#found.get(key) === finding) this.#found.delete(key);
    }
  }

  /** One entry of the settings by itself. */
  async look(choice: ModelChoice): Promise<ModelsFound> {
    return await this.#deps.find({
      primary: choice,
      fallback: [],
      settings: this.config.model,
      ifUnusable: 'refuse',
    });
  }

  /** The default by itself, whoever stands in for it. */
  async lookAtDefault(): Promise<ModelsFound> {
    return await this.look(readDefaultModel(this.config, await this.#deps.providers()));
  }

  /** Asks a model for one word. */
  check(runtime: Runtime): Promise<ModelCheck> {
    return this.#deps.check(runtime);
  }

  /** Whether a model is told how hard to think. */
  takesEffort(runtime: Runtime): Promise<boolean> {
    return this.#deps.takesEffort(runtime);
  }

  /** A choice in the session takes the place of the one on the command line. */
  dropChoiceForThisRun(): void {
    this.#forThisRun = undefined;
  }

  /** Makes this the model of every session that has none of its own. The name must be one that was found. */
  async setDefault(name: string, { vendor, model }: Runtime): Promise<DefaultChanged> {
    const { config } = this;
    const providers = await this.#deps.providers();
    const { choice } = readModelName(name, config, providers);
    const before = providerOf(config.model) === undefined ? await this.find(undefined) : undefined;
    const { planDefault } = await import('./plan-default.ts');
    const { changes, notes } = planDefault(
      { ...choice, provider: vendor, default: model },
      { config, providers, vendor: before?.type === 'chosen' ? before.chain[0].vendor : undefined },
    );
    const copy = await this.#deps.save(changes);
    this.dropChoiceForThisRun();
    return { notes, copy };
  }

  async setDefaultEffort(effort: Effort | undefined): Promise<void> {
    await this.#deps.save([{ path: ['model'], values: { reasoning_effort: effort } }]);
  }

  #forgetIfChanged(): void {
    const { config } = this;
    if (config === this.#seen) return;
    this.#seen = config;
    const decisive = JSON.stringify([config.model, config.fallback, config.providers]);
    if (decisive !== this.#foundWith) this.#found.clear();
    this.#foundWith = decisive;
  }

  async #search(name: string | undefined): Promise<ModelsFound> {
    const { config } = this;
    const { model: settings, fallback } = config;
    const providers = await this.#deps.providers();
    if (name === undefined) {
      const primary = readDefaultModel(config, providers);
      return await this.#deps.find({ primary, fallback, settings, ifUnusable: 'stand-in' });
    }
    const { choice, doubtful } = readModelName(name, config, providers);
    const found = await this.#deps.find({ primary: choice, fallback, settings, ifUnusable: 'refuse' });
    if (doubtful === undefined) return found;
    // Servers at home have models such as gemma:2b; elsewhere a word before a colon is a provider, and this one is none.
    if (found.type === 'unusable' || found.chain[0].place !== 'local')
      return { type: 'unusable', problem: describeUnknownProvider(doubtful, providers) };
    const [{ vendor }] = found.chain;
    const doubt = `${vendor} is asked for a model named ${name}: ${describeUnknownProvider(doubtful, providers)}`;
    // Ollama's names look like that.
    return vendor === 'ollama' ? found : { ...found, warnings: [doubt, ...found.warnings] };
  }
}
