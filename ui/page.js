import { showChats } from './chat-list.js';
import { ask, Connection } from './connection.js';
import { renderMarkdown } from './markdown.js';
import { MessageList } from './message-list.js';
import { newName, Outgoing } from './outgoing.js';

/** @typedef {{ atMost: 'session' | 'always', label: string }} Offer */
/** @typedef {{ id: string, digest: string, text: string, offer?: Offer }} Question */
/** @typedef {{ label: string, verdict: 'approved' | 'denied', scope?: 'session' | 'always' }} Choice */

const texts = { connecting: 'Connecting…', open: 'Connected', lost: 'Connection lost, trying again…' };
const nearEnd = 80;

/**
 * @template {HTMLElement} [Kind=HTMLElement]
 * @param {string} id
 * @returns {Kind}
 */
function find(id) {
  return /** @type {Kind} */ (document.getElementById(id));
}

const composer = /** @type {HTMLFormElement} */ (find('composer'));
const input = /** @type {HTMLTextAreaElement} */ (find('text'));
const scroll = find('scroll');

/** One chat as it is shown. Another one takes its place as a whole. */
class ChatView {
  chat;
  #messages = new MessageList(find('messages'));
  #connection;
  #outgoing;
  #growing = '';
  #hasCaughtUp = false;

  /** @param {string} chat */
  constructor(chat) {
    this.chat = chat;
    this.#messages.clear();
    find('questions').replaceChildren();
    this.#showWork(undefined);
    showTitle('');
    this.#outgoing = new Outgoing(chat, (sending, outcome) => this.#messages.settle(sending, outcome));
    for (const sending of this.#outgoing.waiting) this.#messages.addUnseen(sending);
    void this.#outgoing.send();
    this.#connection = new Connection(chat, {
      onEvent: (event, data) => keepAtEnd(() => this.#show(event, data)),
      onState: showState,
      onLoggedOut: () => showDoor('This browser is logged out.'),
    });
  }

  close() {
    this.#connection.close();
  }

  /** @param {string} text */
  send(text) {
    this.#messages.addUnseen(this.#outgoing.add(text));
    scroll.scrollTop = scroll.scrollHeight;
  }

  async stop() {
    await ask(`/api/chats/${encodeURIComponent(this.chat)}/stop`, {}).catch(() => showState('lost'));
  }

  /**
   * @param {string} event
   * @param {any} data
   */
  #show(event, data) {
    switch (event) {
      case 'reset':
        this.#messages.clear();
        this.#messages.noteEarlier(data.earlier);
        showTitle(data.title);
        break;
      case 'item':
        this.#messages.add(data);
        if (data.type === 'reply' || data.type === 'aside') this.#showText('');
        if (data.type === 'user' && this.#hasCaughtUp) void refreshChats(this.chat);
        break;
      case 'standing':
        for (const saying of data.sayings) this.#messages.say(saying);
        this.#showQuestions(data.questions);
        this.#showWork(data.work ?? undefined);
        this.#hasCaughtUp = true;
        break;
      case 'said':
        this.#messages.say(data);
        break;
      case 'asked':
        find('questions').append(makeQuestion(data, (choice) => this.#answer(data, choice)));
        break;
      case 'concluded':
        document.getElementById(data.id)?.remove();
        break;
      case 'working':
        this.#showWork({ text: this.#growing.slice(0, data.from) + data.text, status: data.status });
        break;
      case 'over':
        this.#showWork(undefined);
        void refreshChats(this.chat);
        break;
    }
  }

  /** @param {readonly Question[]} questions */
  #showQuestions(questions) {
    const nodes = questions.map((question) => makeQuestion(question, (choice) => this.#answer(question, choice)));
    find('questions').replaceChildren(...nodes);
  }

  /** @param {{ text: string, status: string } | undefined} work */
  #showWork(work) {
    find('work').hidden = work === undefined;
    find('stop').hidden = work === undefined;
    this.#showText(work?.text ?? '');
    const status = work === undefined || work.status !== '' || work.text !== '' ? (work?.status ?? '') : 'working';
    find('status').textContent = status === '' ? '' : `${status} …`;
  }

  /** @param {string} text */
  #showText(text) {
    if (text === this.#growing && text !== '') return;
    this.#growing = text;
    find('growing').replaceChildren(renderMarkdown(text));
  }

  /**
   * @param {Question} question
   * @param {Choice} choice
   */
  async #answer({ digest }, { verdict, scope }) {
    const path = `/api/chats/${encodeURIComponent(this.chat)}/answers`;
    await ask(path, { digest, verdict, scope }).catch(() => showState('lost'));
    input.focus();
  }
}

/**
 * A question and its answers. It goes when it is concluded, here or elsewhere.
 * @param {Question} question
 * @param {(choice: Choice) => Promise<void>} onAnswer
 */
function makeQuestion({ id, text, offer }, onAnswer) {
  const body = document.createElement('pre');
  body.className = 'body';
  body.tabIndex = 0;
  body.textContent = text;
  const choices = document.createElement('div');
  choices.className = 'choices';
  for (const choice of choicesFor(offer)) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = choice.label;
    if (choice.verdict === 'denied') button.className = 'deny';
    button.addEventListener('click', () => void onAnswer(choice));
    choices.append(button);
  }
  const node = document.createElement('section');
  node.className = 'question';
  node.id = id;
  node.setAttribute('aria-label', 'A question that waits for your answer');
  node.append(body, choices);
  return node;
}

/**
 * @param {Question['offer']} offer
 * @returns {readonly Choice[]}
 */
function choicesFor(offer) {
  /** @type {Choice} */
  const deny = { label: 'Deny', verdict: 'denied' };
  if (offer === undefined) return [{ label: 'Allow', verdict: 'approved' }, deny];
  /** @type {Choice[]} */
  const allow = [
    { label: 'Once', verdict: 'approved' },
    { label: 'Session', verdict: 'approved', scope: 'session' },
  ];
  if (offer.atMost === 'always') allow.push({ label: `Always ${offer.label}`, verdict: 'approved', scope: 'always' });
  return [...allow, deny];
}

/** Whoever reads what was said before is not torn away from it. @param {() => void} change */
function keepAtEnd(change) {
  const isAtEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < nearEnd;
  change();
  if (isAtEnd) scroll.scrollTop = scroll.scrollHeight;
}

/** @param {'connecting' | 'open' | 'lost'} state */
function showState(state) {
  find('connection').dataset['state'] = state;
  find('connection').textContent = texts[state];
}

/** @param {string} title */
function showTitle(title) {
  find('title').textContent = title === '' ? 'New chat' : title;
  document.title = title === '' ? 'Talaria' : `${title} · Talaria`;
}

/** @param {string} reason */
function showDoor(reason) {
  find('app').hidden = true;
  find('door').hidden = false;
  find('door-text').textContent = reason;
}

/** @param {string} current */
async function refreshChats(current) {
  const answer = await ask('/api/chats').catch(() => undefined);
  if (answer?.status !== 200) return undefined;
  showChats(find('chats'), answer.data.chats, current);
  const own = answer.data.chats.find((/** @type {{ chat: string }} */ { chat }) => chat === current);
  if (own) showTitle(own.title);
  return answer.data.chats;
}

/** The code stands behind the #, which no server and no log ever sees, and is gone from the address at once. */
async function logIn() {
  const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1];
  if (code === undefined) return '';
  history.replaceState(null, '', location.pathname);
  const answer = await ask('/api/login', { code }).catch(() => undefined);
  if (answer === undefined) return 'Talaria cannot be reached.';
  return answer.status === 200 ? '' : (answer.data.error ?? 'That did not work.');
}

function chatInAddress() {
  return /^#chat=([a-z0-9_-]{1,64})$/.exec(location.hash)?.[1];
}

/** The page: which chat is open, and what its buttons do. */
class Page {
  /** @type {ChatView | undefined} */
  #view;

  async open() {
    const problem = await logIn();
    const answer = await ask('/api/chats').catch(() => undefined);
    if (answer?.status === 401) {
      showDoor(problem === '' ? 'This browser is not logged in.' : problem);
      return;
    }
    this.#listen();
    find('app').hidden = false;
    const chat = chatInAddress() ?? answer?.data.chats?.[0]?.chat ?? newName();
    history.replaceState(null, '', `#chat=${chat}`);
    this.#openChat(chat);
  }

  #listen() {
    composer.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#send();
    });
    input.addEventListener('keydown', (event) => {
      // While a word is being composed, Enter ends the word.
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      composer.requestSubmit();
    });
    find('stop').addEventListener('click', () => void this.#view?.stop());
    find('new-chat').addEventListener('click', () => (location.hash = `chat=${newName()}`));
    find('log-out').addEventListener('click', () => void this.#logOut());
    find('menu').addEventListener('click', () => this.#showMenu(true));
    find('close-menu').addEventListener('click', () => this.#showMenu(false));
    addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.#showMenu(false);
    });
    addEventListener('hashchange', () => this.#follow());
  }

  #follow() {
    // A link that was pasted into the address of an open page.
    if (location.hash.startsWith('#code=')) location.reload();
    const chat = chatInAddress();
    if (chat !== undefined) this.#openChat(chat);
  }

  /** @param {string} chat */
  #openChat(chat) {
    this.#showMenu(false);
    if (this.#view?.chat === chat) return;
    this.#view?.close();
    showState('connecting');
    this.#view = new ChatView(chat);
    void refreshChats(chat);
    input.focus();
  }

  #send() {
    const text = input.value.trim();
    if (text === '') return;
    input.value = '';
    this.#view?.send(text);
  }

  async #logOut() {
    this.#view?.close();
    await ask('/api/logout', {}).catch(() => undefined);
    showDoor('You are logged out.');
  }

  /** On a narrow screen the chats cover the messages. @param {boolean} isShown */
  #showMenu(isShown) {
    find('app').classList.toggle('shows-chats', isShown);
    find('menu').setAttribute('aria-expanded', String(isShown));
    if (isShown) find('close-menu').focus();
  }
}

await new Page().open();
