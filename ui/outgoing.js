import { ask } from './connection.js';

const firstPauseMs = 500;
const longestPauseMs = 5000;
const mostBytes = 256 * 1024;

/** A name that nothing else has. (`randomUUID` is missing where a page comes without TLS from another machine.) */
export function newName() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Why the server would not take a text, or nothing. It counts the bytes of what goes over the wire.
 * @param {string} text
 */
export function whyTooLong(text) {
  const bytes = new TextEncoder().encode(JSON.stringify({ id: newName(), text })).length;
  if (bytes <= mostBytes) return '';
  return `Not sent: that is ${Math.ceil(bytes / 1024)} KiB, and a message has at most ${mostBytes / 1024}. Keep it in a file, and name the file.`;
}

/**
 * @typedef {object} Sending
 * @property {string} id
 * @property {string} text
 */

/**
 * `known`: it had been taken in before.
 * @typedef {{ type: 'taken-in' } | { type: 'known' } | { type: 'refused', reason: string }} Outcome
 */

const takenIn = new Set(['admitted', 'steered', 'commanded']);

/**
 * Messages on their way out of one chat, in order. Each has an id of its own, so that one whose answer was lost is sent
 * again without being taken in twice; it goes on being tried, also when the page is loaded anew.
 */
export class Outgoing {
  #chat;
  #onSettled;
  /** @type {Sending[]} */
  #waiting;
  #isSending = false;

  /**
   * @param {string} chat
   * @param {(sending: Sending, outcome: Outcome) => void} onSettled
   */
  constructor(chat, onSettled) {
    this.#chat = chat;
    this.#onSettled = onSettled;
    this.#waiting = JSON.parse(sessionStorage.getItem(this.#place) ?? '[]');
  }

  get waiting() {
    return [...this.#waiting];
  }

  /**
   * @param {string} text
   * @returns {Sending}
   */
  add(text) {
    const sending = { id: newName(), text };
    this.#waiting.push(sending);
    this.#keep();
    void this.send();
    return sending;
  }

  async send() {
    if (this.#isSending) return;
    this.#isSending = true;
    let pauseMs = firstPauseMs;
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      const outcome = await post(this.#chat, next);
      if (outcome === 'later') {
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        pauseMs = Math.min(longestPauseMs, pauseMs * 2);
        continue;
      }
      pauseMs = firstPauseMs;
      this.#waiting.shift();
      this.#keep();
      this.#onSettled(next, outcome);
    }
    this.#isSending = false;
  }

  get #place() {
    return `outgoing:${this.#chat}`;
  }

  #keep() {
    if (this.#waiting.length === 0) sessionStorage.removeItem(this.#place);
    else sessionStorage.setItem(this.#place, JSON.stringify(this.#waiting));
  }
}

/**
 * @param {string} chat
 * @param {Sending} sending
 * @returns {Promise<Outcome | 'later'>}
 */
async function post(chat, sending) {
  try {
    const { status, data } = await ask(`/api/chats/${encodeURIComponent(chat)}/messages`, sending);
    if (status === 200 && takenIn.has(data.outcome)) return { type: 'taken-in' };
    if (status === 200 && data.outcome === 'refused') return { type: 'refused', reason: 'it was not taken in' };
    if (status === 200) return { type: 'known' };
    // Whoever is logged out may log in again, and what hinders the server may pass.
    if (status === 401 || status === 429 || status >= 500) return 'later';
    return { type: 'refused', reason: data.error ?? String(status) };
  } catch {
    return 'later';
  }
}
