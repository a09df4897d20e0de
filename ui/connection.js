/**
 * @typedef {object} ChatListener
 * @property {(event: string, data: any) => void} onEvent
 * @property {(state: 'connecting' | 'open' | 'lost') => void} onState
 * @property {() => void} onLoggedOut
 */

const events = ['reset', 'item', 'standing', 'taken', 'chats', 'said', 'asked', 'concluded', 'working', 'over', 'beat'];
const firstPauseMs = 300;
const longestPauseMs = 5000;
const longestSilenceMs = 60_000;

/**
 * Asks the server. Resolves with its answer, or with the status that it refused with; rejects where it cannot be reached.
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<{ status: number, data: any }>}
 */
export async function ask(path, body) {
  const response = await fetch(
    path,
    body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
  );
  return { status: response.status, data: await response.json().catch(() => ({})) };
}

/**
 * Follows one chat, whatever happens to the connection: it comes back by itself and goes on behind the last thing that it
 * has seen.
 */
export class Connection {
  #chat;
  #listener;
  #cursor = '';
  #pauseMs = firstPauseMs;
  /** @type {EventSource | undefined} */
  #source;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * @param {string} chat
   * @param {ChatListener} listener
   */
  constructor(chat, listener) {
    this.#chat = chat;
    this.#listener = listener;
    this.#open();
  }

  close() {
    clearTimeout(this.#timer);
    this.#source?.close();
  }

  #open() {
    const after = this.#cursor === '' ? '' : `?after=${encodeURIComponent(this.#cursor)}`;
    const source = new EventSource(`/api/chats/${encodeURIComponent(this.#chat)}/events${after}`);
    this.#source = source;
    for (const name of events) source.addEventListener(name, (event) => this.#hear(name, event));
    source.addEventListener('error', () => void this.#lose());
    this.#expectNews();
  }

  /**
   * @param {string} name
   * @param {MessageEvent<string>} event
   */
  #hear(name, event) {
    this.#expectNews();
    if (name === 'standing') {
      this.#pauseMs = firstPauseMs;
      this.#listener.onState('open');
    }
    if (event.lastEventId !== '') this.#cursor = event.lastEventId;
    this.#listener.onEvent(name, JSON.parse(event.data));
  }

  /** A connection that died without a word is noticed by its silence. */
  #expectNews() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#lose(), longestSilenceMs);
  }

  async #lose() {
    this.close();
    this.#listener.onState('lost');
    const source = this.#source;
    const pauseMs = this.#pauseMs;
    this.#pauseMs = Math.min(longestPauseMs, pauseMs * 2);
    if ((await whoIsThere()) === 'logged-out') this.#listener.onLoggedOut();
    else if (this.#source === source) this.#timer = setTimeout(() => this.#open(), pauseMs);
  }
}

/** Why a stream ended is not told to whoever reads it. */
async function whoIsThere() {
  try {
    return (await ask('/api/chats')).status === 401 ? 'logged-out' : 'someone';
  } catch {
    return 'nobody';
  }
}
