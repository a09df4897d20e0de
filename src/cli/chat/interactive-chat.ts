import { AsyncQueue } from '../../base/async-queue.ts';
import { systemClock } from '../../base/clock.ts';
import type { SessionId } from '../../base/ids.ts';
import type { Outbound, TerminalInput, TerminalPort } from '../../model/channel.ts';
import type { StepEvent, TurnRef } from '../../model/turn.ts';
import type { ServedTerminal } from '../app-port.ts';
import { exitCodes } from '../exit-codes.ts';
import { readReply, takesWords } from '../read-reply.ts';
import { LiveLine } from '../render/live-line.ts';
import type { LiveScreen } from '../render/live-line.ts';
import { StatusNotes } from '../render/status-notes.ts';
import { chooseStyle, decideEscapes } from '../render/style.ts';
import { wayById } from '../way-by-id.ts';
import { renderBanner } from './banner.ts';
import type { ChatParts } from './chat-parts.ts';
import { ChatScreen } from './chat-screen.ts';
import type { ScreenEvents } from './chat-screen.ts';
import { ChatView } from './chat-view.ts';
import { describeLeft } from './describe-left.ts';
import { leavingHelp } from './is-leaving.ts';
import { MessageLines } from './message-lines.ts';
import { imageHelp, readOwnLine } from './read-own-line.ts';
import { asksForAll, commandIn, findsSession, isGoodbye } from './typed-line.ts';
import type { TypedLine } from './typed-line.ts';
import { UnsaidLines } from './unsaid-lines.ts';
import { findWayBack } from './way-back.ts';

type Mode =
  | { readonly type: 'idle'; readonly isAboutToLeave: boolean }
  | { readonly type: 'busy'; readonly isStopping: boolean }
  | { readonly type: 'asking'; readonly question: Outbound };

const idle: Mode = { type: 'idle', isAboutToLeave: false };
const busy: Mode = { type: 'busy', isStopping: false };
const pasteMs = 20;

/** The two ends of the terminal: what is typed goes into the channel, what the channel brings goes on the screen. */
export class InteractiveChat implements TerminalPort, ScreenEvents, Disposable {
  readonly asks = 'yes';
  readonly #parts: ChatParts;
  readonly #view: ChatView;
  readonly #screen: ChatScreen;
  /** Undefined on a terminal that cannot take a line away again. */
  readonly #live: LiveLine | undefined;
  readonly #statusNotes: StatusNotes;
  readonly #input = new AsyncQueue<TerminalInput>();
  readonly #message = new MessageLines();
  readonly #left = Promise.withResolvers<number>();
  readonly #unsaid = new UnsaidLines();
  #gateway: ServedTerminal['gateway'] | undefined;
  #isReachable: ServedTerminal['isReachable'] = () => true;
  #mode: Mode = busy;
  /** A question that came while a line was being typed: it is asked when that line is out of the way. */
  #nextQuestion: Outbound | undefined;
  #sessionId: SessionId | undefined;
  #whenIdle: Promise<void> | undefined;
  #pasting: NodeJS.Timeout | undefined;
  #goingOn: string | undefined;
  #wayBack: string | undefined;

  constructor(parts: ChatParts, history: readonly string[]) {
    this.#parts = parts;
    this.#sessionId = parts.place.session?.id;
    const { process } = parts;
    const style = chooseStyle({ isTerminal: true, env: process.env });
    this.#view = new ChatView(
      (text) => this.#screen.write(text),
      style,
      () => process.stdout.columns,
    );
    this.#screen = new ChatScreen({ process, history, events: this });
    this.#statusNotes = new StatusNotes((text) => this.#view.note(text));
    const escapes = decideEscapes({ isTerminal: true, env: process.env });
    this.#live = escapes === 'allowed' ? new LiveLine(this.#liveScreen(), systemClock) : undefined;
  }

  #liveScreen(): LiveScreen {
    const [view, screen, { stdout }] = [this.#view, this.#screen, this.#parts.process];
    // No line is drawn where a prompt belongs: at a question, and in a message of several lines. Nor while nobody knows what runs.
    const isFree = (): boolean =>
      this.#mode.type === 'busy' && this.#message.isEmpty && !screen.isTyping && this.#isReachable();
    return {
      draw: (text) => (isFree() ? screen.drawLive(text) : undefined),
      erase: () => screen.eraseLive(),
      get columns() {
        return stdout.columns;
      },
      get isMidLine() {
        return view.isMidLine;
      },
      endLine: () => (isFree() ? view.endLine() : undefined),
    };
  }

  /** Resolves with the exit code when the person has left. */
  get left(): Promise<number> {
    return this.#left.promise;
  }

  /** The session that was last seen here; undefined where nothing was said so far. */
  get sessionId(): SessionId | undefined {
    return this.#sessionId;
  }

  leave(exitCode: number): void {
    this.#left.resolve(exitCode);
  }

  /** Finds out what the person leaves behind. */
  async lookBack(): Promise<void> {
    const [id, { app, place, goingOn }] = [this.#sessionId, this.#parts];
    if (id === undefined) return;
    this.#goingOn = await goingOn(id);
    this.#wayBack = this.#isReachable() ? await findWayBack(id, place.seat.address, app.store) : wayById(id);
  }

  /** Says where we are, shows what was said last, and goes on with what was left unfinished. */
  async begin({ gateway, model, warnings, isReachable }: ServedTerminal): Promise<void> {
    const { process, place, notes, recalled, underWay } = this.#parts;
    this.#gateway = gateway;
    this.#isReachable = isReachable;
    const { workdir, address } = place.seat;
    const home = await process.homeFolder();
    const facts = { version: process.version, model, workdir, userHome: process.env['HOME'], home };
    const [title = '', ...hints] = renderBanner(facts);
    this.#view.title(title);
    for (const text of [...hints, ...notes, ...warnings]) this.#view.note(text);
    this.#view.recall(recalled);
    // Before what came since is read: the turn may be over by now.
    this.#live?.goOn(underWay);
    await gateway.deliver(address);
    this.#view.endRecall();
    const isUnfinished = recalled.some(({ result }) => result === undefined);
    if (place.session !== undefined && isUnfinished) gateway.resume(place.session.id);
    this.#waitUntilIdle();
  }

  // What the channel asks for.

  async *read(signal: AbortSignal): AsyncGenerator<TerminalInput, void> {
    signal.addEventListener('abort', () => this.#input.close(), { once: true });
    for await (const input of this.#input) {
      if (input.type === 'line' && isGoodbye(input)) {
        // Only here, behind what was entered before it: the gateway has all of that by now.
        this.leave(exitCodes.done);
        return;
      }
      const ready = await this.#withImage(input);
      if (ready !== undefined) {
        this.#unsaid.handOver(input, this.#isReachable() ? 'to-someone' : 'to-nobody-yet');
        yield ready;
      }
      // Back here the gateway has dealt with it: if it became a turn, that turn has its lane by now.
      this.#unsaid.settle(input);
      if (ready?.type === 'line') await this.#afterLine(ready);
    }
  }

  show(message: Outbound): Promise<void> {
    this.#view.show(message);
    if (message.kind === 'question') this.#nextQuestion = message;
    this.#showPrompt();
    return Promise.resolve();
  }

  /** Someone else was faster, or nobody needs to know any more: what is being typed as an answer is none now. */
  conclude({ digest }: Outbound, ending: string): void {
    if (this.#nextQuestion?.digest === digest) this.#nextQuestion = undefined;
    else if (this.#mode.type !== 'asking' || this.#mode.question.digest !== digest) return;
    else {
      this.#mode = busy;
      if (this.#screen.isTyping || !this.#message.isEmpty) this.#dropTyped();
    }
    this.#view.note(ending);
  }

  take(turn: TurnRef, event: StepEvent): void {
    const isSettled = event.type === 'entry' && event.logged.entry.type === 'turn.settled';
    if (this.#mode.type === 'idle') this.#followOther(turn);
    if (isSettled) this.#mode = busy;
    if (isSettled) this.#nextQuestion = undefined;
    this.#view.take(turn, event);
    if (this.#live) this.#live.follow(event);
    else this.#statusNotes.follow(event);
  }

  // What the person does.

  line(text: string): void {
    clearTimeout(this.#pasting);
    if (this.#screen.isPasting) {
      this.#message.addPasted(text);
      return;
    }
    this.#message.add(text);
    if (!this.#message.isContinued) this.#submitSoon();
  }

  pasted(): void {
    if (this.#mode.type === 'asking' && !takesWords(this.#mode.question) && !this.#message.isEmpty) this.#askAgain();
    else if (!this.#message.isEmpty) this.#submitSoon();
  }

  /** Lines that come faster than anyone types were pasted, and are one message, even where the terminal does not say so. */
  #submitSoon(): void {
    clearTimeout(this.#pasting);
    this.#pasting = setTimeout(() => this.#submit(), pasteMs);
  }

  /** Only a plain yes or no answers. A command does its work, and anything else may be a slip: then it is asked again. */
  #answer(line: TypedLine, { digest = '', offer, about }: Outbound): void {
    if (about === 'choice') {
      this.#answerInWords(line);
      return;
    }
    const reply = line.commands === 'none' ? 'unclear' : readReply(line.text, offer);
    if (reply !== 'unclear') {
      this.#mode = busy;
      this.#input.push({ type: 'answer', digest, ...reply });
    } else if (commandIn(line) !== undefined || isGoodbye(line)) this.#send(line);
    else this.#askAgain();
  }

  /** Whatever is said answers; a command does its work, and the question stays. */
  #answerInWords(line: TypedLine): void {
    if (line.text.trim() !== '' && commandIn(line) === undefined && !isGoodbye(line)) this.#mode = busy;
    this.#send(line);
  }

  /** What was entered is no answer to the question. */
  #askAgain(): void {
    this.#dropTyped();
    this.#view.note('Please answer with one of the letters.');
    this.#showPrompt();
  }

  interrupt(): void {
    const isTyping = this.#screen.isTyping || !this.#message.isEmpty;
    if (isTyping) this.#dropTyped();
    if (this.#mode.type === 'asking' && !(isTyping && takesWords(this.#mode.question))) this.#stop();
    else if (isTyping || this.#mode.type === 'asking') return;
    else if (this.#mode.type === 'idle') this.#interruptIdle(this.#mode.isAboutToLeave);
    else if (this.#mode.isStopping) this.leave(exitCodes.interrupted);
    else this.#stop();
  }

  end(): void {
    this.leave(exitCodes.done);
  }

  beforeTyping(): void {
    this.#view.endLine();
    if (this.#mode.type === 'asking') this.#screen.ask(this.#mode.question);
    else this.#screen.prompt('› ', 'remembered');
  }

  afterTyping(): void {
    this.#showPrompt();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#pasting);
    this.#live?.[Symbol.dispose]();
    this.#view.endLine();
    if (this.#goingOn !== undefined) this.#view.note(this.#goingOn);
    const turn = this.#mode.type === 'idle' || this.#gateway === undefined ? 'none' : 'open';
    const gateway = this.#isReachable() ? 'there' : 'gone';
    const [wayBack, unsaid, { leftTurns }] = [this.#wayBack, this.#unsaid, this.#parts.app];
    for (const note of describeLeft({ turn, wayBack, gateway, leftTurns, unsaid })) this.#view.note(note);
    this.#screen[Symbol.dispose]();
    // A question that is given up from here on is asked again: its end is nothing that anyone need read.
    this.#mode = idle;
    this.#nextQuestion = undefined;
  }

  #dropTyped(): void {
    clearTimeout(this.#pasting);
    this.#message.take();
    this.#screen.clearTyped();
  }

  #stop(): void {
    this.#mode = { type: 'busy', isStopping: true };
    this.#view.endLine();
    this.#input.push({ type: 'line', text: '/stop' });
  }

  #interruptIdle(isSecond: boolean): void {
    if (isSecond) {
      this.leave(exitCodes.done);
      return;
    }
    this.#mode = { type: 'idle', isAboutToLeave: true };
    this.#view.note('Press Ctrl-C once more to leave, or type /exit.');
    this.#showPrompt();
  }

  #submit(): void {
    // The end of a paste that has no line end is still being typed; it belongs to the same message.
    if (this.#screen.isTyping || this.#screen.isPasting) return;
    const commands = this.#message.isOfSeveral ? ({ commands: 'none' } as const) : {};
    const line: TypedLine = { type: 'line', text: this.#message.take(), ...commands };
    if (this.#mode.type === 'asking') this.#answer(line, this.#mode.question);
    else this.#send(line);
    // A question may have waited for this.
    if (!isGoodbye(line)) this.#showPrompt();
  }

  #send(line: TypedLine): void {
    const isNothing = line.text.trim() === '';
    const isReachable = this.#isReachable();
    if (this.#mode.type === 'idle') this.#mode = isNothing || isGoodbye(line) || !isReachable ? idle : busy;
    if (isNothing) return;
    // What waits before it may wait for a minute.
    if (!isReachable && isGoodbye(line)) this.leave(exitCodes.done);
    this.#input.push(line);
    if (isGoodbye(line)) return;
    this.#unsaid.add(line);
    if (!isReachable) this.#view.note('Not sent yet: it is said if the gateway comes back.');
    else if (commandIn(line) === undefined && this.#mode.type === 'busy') this.#live?.begin();
  }

  /** Reads the picture that a line names. Where that cannot be had, or the line is no use, the person is told, and nothing goes on. */
  async #withImage(input: TerminalInput): Promise<TerminalInput | undefined> {
    if (input.type === 'answer' || input.commands === 'none') return input;
    const spoken = await readOwnLine(input.text, this.#parts);
    if (spoken.type === 'said') return { ...spoken, type: 'line' };
    this.#view.note(spoken.reason);
    this.#waitUntilIdle();
    return undefined;
  }

  /** Learns which session a line went to; a command alone makes none. */
  async #afterLine(line: TypedLine): Promise<void> {
    const { app, place } = this.#parts;
    const command = commandIn(line);
    // The gateway tells what can be typed anywhere; how to leave is known only here.
    if (command && asksForAll(command)) for (const note of [imageHelp, leavingHelp]) this.#view.note(note);
    if (command === undefined || this.#sessionId !== undefined || findsSession(command)) {
      // Where the line could not be stored the gateway has said so, and there is nothing to wait for.
      const session = await app.store.sessions.at(place.seat).catch(() => undefined);
      this.#sessionId = session?.id ?? this.#sessionId;
    }
    this.#waitUntilIdle();
  }

  /** A turn that was begun elsewhere, at another terminal of this session: the prompt comes back when it is over. */
  #followOther({ sessionId }: TurnRef): void {
    this.#mode = busy;
    this.#sessionId = sessionId;
    this.#waitUntilIdle();
  }

  #waitUntilIdle(): void {
    if (this.#gateway === undefined || this.#whenIdle !== undefined) return;
    const done = this.#sessionId === undefined ? Promise.resolve() : this.#gateway.whenIdle(this.#sessionId);
    this.#whenIdle = this.#settleDownAfter(done);
  }

  async #settleDownAfter(done: Promise<void>): Promise<void> {
    try {
      await done;
    } catch (thrown) {
      // Nobody serves this chat any more.
      this.#left.reject(thrown);
      return;
    }
    this.#whenIdle = undefined;
    this.#live?.end();
    this.#mode = idle;
    this.#showPrompt();
  }

  /** Shows the prompt that fits: none while a turn runs or a message is being put together. */
  #showPrompt(): void {
    if (this.#screen.isTyping) return;
    if (this.#nextQuestion !== undefined && this.#message.isEmpty) {
      this.#mode = { type: 'asking', question: this.#nextQuestion };
      this.#nextQuestion = undefined;
    }
    if (this.#message.isContinued) this.#screen.prompt('… ', 'remembered');
    else if (!this.#message.isEmpty) return;
    else if (this.#mode.type === 'asking') this.#screen.ask(this.#mode.question);
    else if (this.#mode.type === 'idle') {
      this.#view.endLine();
      this.#screen.prompt('› ', 'remembered');
    }
  }
}
