import { AppError } from '../base/errors.ts';
import type { Config, ModelChoice } from '../model/config.ts';
import { readDefaultModel, readModelName } from '../model/model-name.ts';
import type { Effort } from '../model/provider.ts';
import type { Runtime, RuntimeChain } from '../model/runtime.ts';
import type { SessionSettings } from '../model/session.ts';

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
}

/** What the settings file is told about the model from now on. */
export type DefaultChange =
  | { readonly type: 'model'; readonly choice: ModelChoice }
  | { readonly type: 'effort'; readonly effort: Effort | undefined };

export interface ModelsDeps {
  readonly config: Config;
  /** From the command line: counts for every session until something else is chosen. */
  readonly forThisRun: string | undefined;
  readonly providers: () => Promise<readonly string[]>;
  readonly find: (wishes: ModelWishes) => Promise<ModelsFound>;
  /** Writes into the settings file, and reads what it says then. */
  readonly save: (change: DefaultChange) => Promise<Config>;
}

/**
 * Which model answers: what was chosen for the session, else what the settings say. Whatever was found once stays until
 * the settings change, so that a server that comes or goes does not change who answers in the middle of a conversation.
 */
export class Models {
  readonly #deps: ModelsDeps;
  readonly #found = new Map<string, Promise<ModelsFound>>();
  #config: Config;
  #forThisRun: string | undefined;

  constructor(deps: ModelsDeps) {
    this.#deps = deps;
    this.#config = deps.config;
    this.#forThisRun = deps.forThisRun;
  }

  get config(): Config {
    return this.#config;
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
    return effort ?? this.#config.model.effort;
  }

  /** The models behind a name: an alias, `provider:model` or a model of the configured provider; undefined: the default. */
  async find(name: string | undefined): Promise<ModelsFound> {
    const key = name ?? '';
    const finding = this.#found.get(key) ?? this.#search(name);
    this.#found.set(key, finding);
    const found = await finding;
    // What cannot be used now may be usable later.
    if (found.type === 'unusable') this.#found.delete(key);
    return found;
  }

  /** One entry of the settings by itself. */
  async look(choice: ModelChoice): Promise<ModelsFound> {
    return await this.#deps.find({ primary: choice, fallback: [], settings: this.#config.model });
  }

  /** A choice in the session takes the place of the one on the command line. */
  dropChoiceForThisRun(): void {
    this.#forThisRun = undefined;
  }

  /** Makes this the model of every session that has none of its own. The name must be one that was found. */
  async setDefault(name: string, { vendor, model }: Runtime): Promise<void> {
    const { choice } = readModelName(name, this.#config, await this.#deps.providers());
    await this.#save({ type: 'model', choice: { ...choice, provider: vendor, default: model } });
    this.dropChoiceForThisRun();
  }

  async setDefaultEffort(effort: Effort | undefined): Promise<void> {
    await this.#save({ type: 'effort', effort });
  }

  async #save(change: DefaultChange): Promise<void> {
    this.#config = await this.#deps.save(change);
    this.#found.clear();
  }

  async #search(name: string | undefined): Promise<ModelsFound> {
    const { model: settings, fallback } = this.#config;
    const providers = await this.#deps.providers();
    if (name === undefined) {
      return await this.#deps.find({ primary: readDefaultModel(this.#config, providers), fallback, settings });
    }
    const { choice, doubtful } = readModelName(name, this.#config, providers);
    const found = await this.#deps.find({ primary: choice, fallback, settings });
    // Servers at home have models such as gemma:2b; elsewhere a word before a colon is a provider, and this one is none.
    const isAtHome = found.type === 'chosen' && found.chain[0].place !== 'remote';
    if (doubtful === undefined || isAtHome) return found;
    return { type: 'unusable', problem: `unknown provider ${doubtful}: the known ones are ${providers.join(', ')}` };
  }
}
