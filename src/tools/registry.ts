import type { SessionId } from '../base/ids.ts';
import type { FenceReport, TaskNews, Tool, Toolbox, ToolPlace } from '../model/tool.ts';
import { withoutKeys } from './without-keys.ts';

/** Tools that come and go together, with what they keep for sessions. */
export interface ToolGroup {
  readonly tools: readonly Tool[];
  /** Ends what the group keeps for a session. */
  endTask?(sessionId: SessionId): Promise<void>;
  /** The sessions that it keeps something for. */
  sessionsWithTask?(): Promise<readonly SessionId[]>;
  /** Whether something that it started for a session is still running. */
  hasLiveProcess?(sessionId: SessionId): Promise<boolean>;
  /** What keeps in the commands that it runs for a session. */
  describeFence?(place: ToolPlace): Promise<FenceReport>;
  /** What it kept for a session has ended without the model having heard of it. */
  unheardNews?(sessionId: SessionId): readonly TaskNews[];
  onNews?(listener: (news: TaskNews) => void): Disposable;
  /** Lets go of what serves the group. */
  close?(): Promise<void>;
}

/** The tools of a process, in groups. The generation rises with every change of the list. */
export class ToolRegistry implements Toolbox, AsyncDisposable {
  readonly #groups = new Map<string, ToolGroup>();
  readonly #redact: (text: string) => string;
  #generation = 0;
  #tools: ReadonlyMap<string, Tool> = new Map();

  /** What `redact` takes out of a text, no tool says to a model. */
  constructor(redact: (text: string) => string = (text) => text) {
    this.#redact = redact;
  }

  get generation(): number {
    return this.#generation;
  }

  /** As it was at one moment: a later change makes another map. */
  get tools(): ReadonlyMap<string, Tool> {
    return this.#tools;
  }

  /** Adds a group, or puts other tools in its place. Throws where a tool has the name of one in another group. */
  put(name: string, group: ToolGroup): void {
    const groups = new Map(this.#groups).set(name, group);
    this.#tools = listTools(groups, this.#redact);
    this.#groups.set(name, group);
    this.#generation += 1;
  }

  async endTask(sessionId: SessionId): Promise<void> {
    await Promise.all([...this.#groups.values()].map(async (group) => await group.endTask?.(sessionId)));
  }

  async sessionsWithTask(): Promise<readonly SessionId[]> {
    const kept = await Promise.all([...this.#groups.values()].map(async (group) => await group.sessionsWithTask?.()));
    return [...new Set(kept.flatMap((sessions) => sessions ?? []))];
  }

  async hasLiveProcess(sessionId: SessionId): Promise<boolean> {
    const alive = await Promise.all(
      [...this.#groups.values()].map(async (group) => await group.hasLiveProcess?.(sessionId)),
    );
    return alive.includes(true);
  }

  async describeFence(place: ToolPlace): Promise<FenceReport | undefined> {
    const group = [...this.#groups.values()].find((each) => each.describeFence !== undefined);
    return await group?.describeFence?.(place);
  }

  unheardNews(sessionId: SessionId): readonly TaskNews[] {
    return [...this.#groups.values()]
      .flatMap((group) => group.unheardNews?.(sessionId) ?? [])
      .map((news) => this.#clean(news));
  }

  onNews(listener: (news: TaskNews) => void): Disposable {
    const listening = new DisposableStack();
    for (const group of this.#groups.values()) listening.use(group.onNews?.((news) => listener(this.#clean(news))));
    return listening;
  }

  #clean(news: TaskNews): TaskNews {
    return {
      ...news,
      forModel: this.#redact(news.forModel),
      forPeople: this.#redact(news.forPeople),
      noteHeard: () => news.noteHeard(),
      noteTold: () => news.noteTold(),
    };
  }

  /** What works for a session lives on, to be found by the next start. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#groups.values()].map(async (group) => await group.close?.()));
  }
}

function listTools(
  groups: ReadonlyMap<string, ToolGroup>,
  redact: (text: string) => string,
): ReadonlyMap<string, Tool> {
  const tools = new Map<string, Tool>();
  for (const [name, group] of groups) {
    for (const tool of group.tools) {
      if (tools.has(tool.name)) throw new Error(`${name} brings a second tool named ${tool.name}`);
      tools.set(tool.name, withoutKeys(tool, redact));
    }
  }
  return tools;
}
