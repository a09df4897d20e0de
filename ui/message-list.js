import { renderMarkdown } from './markdown.js';
import { renderLines } from './plain-lines.js';

/**
 * @typedef {object} Item
 * @property {string} id
 * @property {'user' | 'reply' | 'aside' | 'act' | 'notice' | 'undone'} type
 * @property {string} [turn]
 * @property {number} at
 * @property {string} text
 * @property {readonly ItemFile[]} [files]
 */

/**
 * @typedef {object} ItemFile
 * @property {string} name
 * @property {'picture' | 'file'} kind
 * @property {string} path
 */

const names = { user: 'You', reply: 'Talaria', aside: 'Talaria', act: 'Tool', notice: 'Notice', undone: '' };
const written = new Set(['reply', 'aside']);

/** What was said, each thing once: whatever is told again under the same id is already there. */
export class MessageList {
  #root;
  /** @type {Map<string, HTMLElement>} */
  #byId = new Map();
  /** Own messages that the server has not shown us yet, oldest first. @type {HTMLElement[]} */
  #unseen = [];
  /** Those of them that were taken in. @type {Set<string>} */
  #taken = new Set();

  /** @param {HTMLElement} root */
  constructor(root) {
    this.#root = root;
  }

  clear() {
    this.#byId.clear();
    this.#root.replaceChildren(...this.#unseen);
  }

  /** @param {number} count */
  noteEarlier(count) {
    if (count === 0) return;
    const text = `${count} earlier messages are not shown here; talaria sessions show prints them all.`;
    this.#root.prepend(makeMessage({ id: '', type: 'notice', at: 0, text }));
  }

  /**
   * Something that is kept: it stands in the order of the server.
   * @param {Item} item
   */
  add(item) {
    if (this.#byId.has(item.id)) return;
    if (item.type === 'undone') {
      this.#takeBack(item.turn ?? '');
      return;
    }
    if (item.type === 'user') this.#dropUnseen(item.text);
    this.#root.insertBefore(this.#make(item), this.#unseen[0] ?? null);
  }

  /**
   * Something that is not kept: it stands where its time puts it.
   * @param {{ id: string, at: number, by: 'user' | 'program', text: string }} saying
   */
  say({ id, at, by, text }) {
    if (this.#byId.has(id)) return;
    if (by === 'user') this.#dropUnseen(text);
    const next = [...this.#root.children].find((node) => Number(node.getAttribute('data-at')) > at);
    const node = this.#make({ id, type: by === 'user' ? 'user' : 'notice', at, text });
    this.#root.insertBefore(node, next ?? this.#unseen[0] ?? null);
  }

  /**
   * An own message that is on its way.
   * @param {{ id: string, text: string }} sending
   */
  addUnseen({ id, text }) {
    const node = makeMessage({ id, type: 'user', at: Date.now(), text });
    node.dataset['state'] = 'sending';
    node.dataset['text'] = text;
    node.dataset['sending'] = id;
    this.#unseen.push(node);
    this.#root.append(node);
  }

  /**
   * What became of an own message. One that was taken in stays until it is seen among the others.
   * @param {{ id: string, text: string }} sending
   * @param {import('./outgoing.js').Outcome} outcome
   */
  settle({ id, text }, outcome) {
    if (outcome.type === 'taken-in') {
      this.#taken.add(id);
      return;
    }
    this.#dropUnseen(text);
    const isLost = outcome.type === 'known' && text.startsWith('/') && !this.#byId.has(id);
    const why = isLost ? 'was sent before, and what came of it is not known' : '';
    const reason = outcome.type === 'refused' ? `was not sent: ${outcome.reason}` : why;
    if (reason === '') return;
    this.say({ id: `${id}-refused`, at: Date.now(), by: 'program', text: `${text}\n${reason}` });
  }

  /**
   * An own message is among the others by now, whatever its text is there: of /queue TEXT it is the text.
   * @param {string} id
   */
  see(id) {
    this.#taken.delete(id);
    this.#drop(this.#unseen.findIndex((node) => node.dataset['sending'] === id));
  }

  /** All that was taken in is among the others by now. */
  seeTaken() {
    for (const id of this.#taken) this.see(id);
  }

  /** It stays where it was said, and whoever reads it sees that it counts no more. @param {string} turn */
  #takeBack(turn) {
    for (const node of this.#root.children) {
      if (node.getAttribute('data-turn') !== turn || node.classList.contains('undone')) continue;
      node.classList.add('undone');
      const state = document.createElement('span');
      state.className = 'state';
      state.textContent = 'taken back';
      node.append(state);
    }
  }

  /** @param {string} text */
  #dropUnseen(text) {
    this.#drop(this.#unseen.findIndex((node) => node.dataset['text'] === text));
  }

  /** @param {number} index */
  #drop(index) {
    if (index !== -1) this.#unseen.splice(index, 1)[0]?.remove();
  }

  /** @param {Item} item */
  #make(item) {
    const node = makeMessage(item);
    this.#byId.set(item.id, node);
    return node;
  }
}

/**
 * @param {Item} item
 * @returns {HTMLElement}
 */
function makeMessage({ type, at, text, turn = '', files = [] }) {
  const node = document.createElement('article');
  node.className = `message ${type}`;
  node.setAttribute('data-at', String(at));
  node.setAttribute('data-turn', turn);
  const name = document.createElement('span');
  name.className = 'unseen';
  name.textContent = `${names[type]}: `;
  const body = document.createElement('div');
  body.className = 'body';
  body.append(render(type, text));
  node.append(name, body, ...files.map(makeFile));
  return node;
}

/**
 * @param {Item['type']} type
 * @param {string} text
 */
function render(type, text) {
  if (type === 'notice') return renderLines(text);
  return written.has(type) ? renderMarkdown(text) : text;
}

/**
 * @param {ItemFile} file
 * @returns {HTMLElement}
 */
function makeFile({ name, kind, path }) {
  const link = document.createElement('a');
  link.className = 'file';
  link.href = path;
  link.download = name;
  link.append(name);
  if (kind === 'picture') {
    const picture = document.createElement('img');
    picture.src = path;
    picture.alt = name;
    // What cannot be shown can still be fetched by its name.
    picture.addEventListener('error', () => picture.remove());
    link.prepend(picture);
  }
  return link;
}
