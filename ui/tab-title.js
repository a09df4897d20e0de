/** @import { BusyChats } from './chat-list.js' */

/** The name of the chat that is open, here and in the tab; the tab says as well whether something is asked or done. */
export class TabTitle {
  #heading;
  #title = '';
  #mark = '';

  /** @param {HTMLElement} heading */
  constructor(heading) {
    this.#heading = heading;
  }

  /** @param {string} title */
  show(title) {
    this.#title = title;
    this.#heading.textContent = title === '' ? 'New chat' : title;
    this.#write();
  }

  /** @param {BusyChats} busy */
  mark(busy) {
    const states = Object.values(busy);
    this.#mark = states.includes('asking') ? '(?) ' : states.includes('working') ? '(…) ' : '';
    this.#write();
  }

  #write() {
    document.title = `${this.#mark}${this.#title === '' ? 'Talaria' : `${this.#title} · Talaria`}`;
  }
}
