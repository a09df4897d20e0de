/**
 * @typedef {object} ChatSummary
 * @property {string} chat
 * @property {string} title
 */

/**
 * The chats in which something is done or asked, by their names.
 * @typedef {Readonly<Record<string, 'working' | 'asking'>>} BusyChats
 */

const marks = { asking: 'waits for your answer', working: 'works' };

/** The chats at the side, newest first. */
export class ChatList {
  #root;
  /** @type {readonly ChatSummary[]} */
  #chats = [];
  #current = '';
  /** @type {BusyChats} */
  #busy = {};

  /** @param {HTMLElement} root */
  constructor(root) {
    this.#root = root;
  }

  /**
   * @param {readonly ChatSummary[]} chats
   * @param {string} current
   */
  show(chats, current) {
    this.#chats = chats;
    this.#current = current;
    this.#render();
  }

  /**
   * @param {BusyChats} busy
   * @returns {'marked' | 'unknown-chat'}
   */
  mark(busy) {
    this.#busy = busy;
    this.#render();
    const known = new Set(this.#chats.map(({ chat }) => chat));
    return Object.keys(busy).every((chat) => known.has(chat)) ? 'marked' : 'unknown-chat';
  }

  #render() {
    // Whoever goes through the list by keys stays where they are.
    const focused = this.#root.querySelector('a:focus')?.getAttribute('href');
    this.#root.replaceChildren(...this.#chats.map((chat) => this.#makeRow(chat)));
    const links = [...this.#root.querySelectorAll('a')];
    if (focused) links.find((link) => link.getAttribute('href') === focused)?.focus();
  }

  /** @param {ChatSummary} chat */
  #makeRow({ chat, title }) {
    const link = document.createElement('a');
    link.href = `#chat=${encodeURIComponent(chat)}`;
    link.textContent = title === '' ? 'New chat' : title;
    if (chat === this.#current) link.setAttribute('aria-current', 'page');
    const state = this.#busy[chat];
    if (state) {
      const mark = document.createElement('span');
      mark.className = `mark ${state}`;
      mark.textContent = marks[state];
      link.append(mark);
    }
    const item = document.createElement('li');
    item.append(link);
    return item;
  }
}
