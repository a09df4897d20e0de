import { ChatList } from './chat-list.js';
import { ask, Connection } from './connection.js';
import { keepDraft, readDraft } from './drafts.js';
import { EndInSight } from './end-in-sight.js';
import { renderMarkdown } from './markdown.js';
import { MessageList } from './message-list.js';
import { newName, Outgoing, whyTooLong } from './outgoing.js';
import { makeQuestion } from './question.js';
import { TabTitle } from './tab-title.js';

/** @import { Answer, Question } from './question.js' */

const texts = { connecting: 'Connecting…', open: 'Connected', lost: 'Connection lost, trying again…' };

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
const end = new EndInSight(find('scroll'));
const chatList = new ChatList(find('chats'));
const title = new TabTitle(find('title'));

/** One chat as it is shown. Another one takes its place as a whole. */
class ChatView {
  chat;
  #messages = new MessageList(find('messages'));
  #connection;
  #outgoing;
  #growing = '';
  #hasCaughtUp = false;

  /**
   * @param {string} chat
   * @param {() => void} onLoggedOut
   */
  constructor(chat, onLoggedOut) {
    this.chat = chat;
    this.#messages.clear();
    find('questions').replaceChildren();
    this.#showWork(undefined);
    title.show('');
    this.#outgoing = new Outgoing(chat, (sending, outcome) => this.#messages.settle(sending, outcome));
    for (const sending of this.#outgoing.waiting) this.#messages.addUnseen(sending);
    void this.#outgoing.send();
    this.#connection = new Connection(chat, {
      onEvent: (event, data) => this.#show(event, data),
      onState: showState,
      onLoggedOut,
    });
  }

  close() {
    this.#connection.close();
  }

  /** @param {string} text */
  send(text) {
    this.#messages.addUnseen(this.#outgoing.add(text));
    end.show();
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
        title.show(data.title);
        if (this.#hasCaughtUp) void refreshChats(this.chat);
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
        this.#messages.seeTaken();
        showBusy(data.chats, this.chat);
        this.#hasCaughtUp = true;
        break;
      case 'taken':
        this.#messages.see(data.id);
        break;
      case 'chats':
        showBusy(data, this.chat);
        break;
      case 'said':
        this.#messages.say(data);
        break;
      case 'asked':
        find('questions').append(makeQuestion(data, (answer) => this.#answer(data, answer)));
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
    const nodes = questions.map((question) => makeQuestion(question, (answer) => this.#answer(question, answer)));
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
   * @param {Answer} answer
   */
  async #answer({ digest }, answer) {
    const path = `/api/chats/${encodeURIComponent(this.chat)}/answers`;
    await ask(path, { digest, ...answer }).catch(() => showState('lost'));
    input.focus();
  }
}

/** @param {'connecting' | 'open' | 'lost'} state */
function showState(state) {
  find('connection').dataset['state'] = state;
  find('connection').textContent = texts[state];
}

/** Something that the person has to know before going on; nothing takes it away. @param {string} text */
function showNote(text) {
  find('note').hidden = text === '';
  find('note').textContent = text;
}

/**
 * @param {import('./chat-list.js').BusyChats} busy
 * @param {string} current
 */
function showBusy(busy, current) {
  title.mark(busy);
  const others = Object.keys(busy).flatMap((chat) => (chat === current ? [] : [busy[chat]]));
  find('menu').dataset['busy'] = others.includes('asking') ? 'asking' : (others[0] ?? '');
  if (chatList.mark(busy) === 'unknown-chat') void refreshChats(current);
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
  chatList.show(answer.data.chats, current);
  const own = answer.data.chats.find((/** @type {{ chat: string }} */ { chat }) => chat === current);
  if (own) title.show(own.title);
  return answer.data.chats;
}

/** The code stands behind the #, which no server and no log ever sees, and is gone from the address at once. */
async function logIn() {
  const code = /^#code=(.*)$/.exec(location.hash)?.[1];
  if (code === undefined) return '';
  history.replaceState(null, '', location.pathname);
  const answer = await ask('/api/login', { code }).catch(() => undefined);
  if (answer === undefined) return 'Talaria cannot be reached.';
  return answer.status === 200 ? '' : asSentence(answer.data.error ?? 'that did not work');
}

/** What the server says of a problem stands elsewhere behind a colon; here it stands alone. @param {string} reason */
function asSentence(reason) {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
}

function chatInAddress() {
  return /^#chat=([a-z0-9_-]{1,64})$/.exec(location.hash)?.[1];
}

/** The page: which chat is open, and what its buttons do. */
class Page {
  /** @type {ChatView | undefined} */
  #view;

  async open() {
    this.#listen();
    await this.#enter();
  }

  /** With the code in the address, if there is one, or with the login that the browser has. */
  async #enter() {
    const problem = await logIn();
    const answer = await ask('/api/chats').catch(() => undefined);
    if (answer?.status === 401) {
      this.#shut(problem === '' ? 'This browser is not logged in.' : problem);
      return;
    }
    find('door').hidden = true;
    find('app').hidden = false;
    const chat = chatInAddress() ?? this.#view?.chat ?? answer?.data.chats?.[0]?.chat ?? newName();
    history.replaceState(null, '', `#chat=${chat}`);
    this.#openChat(chat);
    showNote(problem);
  }

  /** @param {string} reason */
  #shut(reason) {
    this.#view?.close();
    this.#view = undefined;
    showDoor(reason);
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
    input.addEventListener('input', () => {
      if (this.#view) keepDraft(this.#view.chat, input.value);
      showNote('');
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
    // A link that was opened in a page that is there already: nothing is loaded anew for it.
    if (location.hash.startsWith('#code=')) void this.#enter();
    const chat = chatInAddress();
    if (chat !== undefined && !find('app').hidden) this.#openChat(chat);
  }

  /** @param {string} chat */
  #openChat(chat) {
    this.#showMenu(false);
    if (this.#view?.chat === chat) return;
    this.#view?.close();
    showState('connecting');
    this.#view = new ChatView(chat, () => this.#shut('This browser is logged out.'));
    input.value = readDraft(chat);
    showNote('');
    void refreshChats(chat);
    input.focus();
  }

  #send() {
    const text = input.value.trim();
    if (text === '' || this.#view === undefined) return;
    const problem = whyTooLong(text);
    showNote(problem);
    if (problem !== '') return;
    input.value = '';
    keepDraft(this.#view.chat, '');
    this.#view.send(text);
  }

  async #logOut() {
    await ask('/api/logout', {}).catch(() => undefined);
    this.#shut('You are logged out.');
  }

  /** On a narrow screen the chats cover the messages. @param {boolean} isShown */
  #showMenu(isShown) {
    find('app').classList.toggle('shows-chats', isShown);
    find('menu').setAttribute('aria-expanded', String(isShown));
    if (isShown) find('close-menu').focus();
  }
}

await new Page().open();
