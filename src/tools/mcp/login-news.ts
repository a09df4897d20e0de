import { hash } from 'node:crypto';
import type { SessionId } from '../../base/ids.ts';
import type { TaskNews } from '../../model/tool.ts';
import { howToLogIn } from './login-needed.ts';

/** A server that waits for a person, and which login it is that it waits with. */
export interface AwaitedLogin {
  readonly server: string;
  readonly login: string;
}

type Listener = (news: TaskNews) => void;

/** Says that servers wait for a login: to the model of each session that misses their tools, and to one chat. */
export class LoginNews {
  readonly #awaited = new Map<SessionId, readonly AwaitedLogin[]>();
  readonly #heard = new Set<string>();
  readonly #told = new Set<string>();
  readonly #listeners = new Set<Listener>();

  /** What a session that is about to go on misses now. */
  note(sessionId: SessionId, awaited: readonly AwaitedLogin[]): void {
    if (awaited.length === 0) this.#awaited.delete(sessionId);
    else this.#awaited.set(sessionId, awaited);
    for (const each of awaited) {
      if (this.#told.has(keyOf(each))) continue;
      this.#told.add(keyOf(each));
      for (const listener of this.#listeners) listener(this.#newsOf(sessionId, each));
    }
  }

  unheardNews(sessionId: SessionId): readonly TaskNews[] {
    const awaited = this.#awaited.get(sessionId) ?? [];
    return awaited
      .filter((each) => !this.#heard.has(`${sessionId}/${keyOf(each)}`))
      .map((each) => this.#newsOf(sessionId, each));
  }

  onNews(listener: Listener): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  #newsOf(sessionId: SessionId, awaited: AwaitedLogin): TaskNews {
    const { server } = awaited;
    const key = keyOf(awaited);
    return {
      sessionId,
      key,
      forModel: `[The MCP server ${server} asks for a login; its tools are missing until then. This is no message of the user. Only the user can log in, on the machine that you run on: ${howToLogIn(server)}]`,
      forPeople: `The MCP server ${server} asks for a login; its tools are missing until then. On the machine that runs this: ${howToLogIn(server)}`,
      noteHeard: () => void this.#heard.add(`${sessionId}/${key}`),
      noteTold: () => undefined,
    };
  }
}

/** The same for as long as nobody logs in, over restarts, too. */
function keyOf({ server, login }: AwaitedLogin): string {
  return `mcp-login/${server}/${hash('sha256', login).slice(0, 16)}`;
}
